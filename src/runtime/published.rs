//! THE table of commands: what each needs of its surroundings, with which codes it ends, and the schema
//! of its answer, generated from its type. `plugcast-run schema` prints it; the helper that is shipped carries the
//! texts of `schemas/` instead of the code that generates them.

pub mod codes;
#[cfg(feature = "compiler")]
mod generated;
pub mod listing;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer::{Failure, Said};
use super::command_line::{Matches, Options, Parameter};
use super::surroundings::Surroundings;
use super::{dispatch, doctor, gc, launch, polish, repo, review, server};

/// What a command needs, which a sandbox may refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Writing below the state root or in the working tree.
    Write,
    /// Writing below `.git`.
    GitWrite,
    /// The network.
    Network,
    /// Listening on a port, or telling who does.
    Listen,
    /// A process that goes on when the command has ended.
    Background,
}

/// One command.
#[derive(Debug)]
pub struct Published {
    /// Its words.
    pub command: &'static str,
    /// What it needs.
    pub needs: &'static [Need],
    /// What it does, in lines.
    pub about: &'static [&'static str],
    /// Command lines that a user may copy.
    pub examples: &'static [&'static str],
    /// Its options.
    pub parameters: &'static [Parameter],
    /// Reads its options and runs it.
    pub run: Run,
    #[cfg(feature = "compiler")]
    answer: fn() -> Value,
}

/// What runs a command.
pub type Run = fn(&mut Matches, &Surroundings) -> Result<Said, Failure>;

#[cfg_attr(
    not(feature = "compiler"),
    expect(
        clippy::extra_unused_type_parameters,
        reason = "the helper carries the schema of the type as a text"
    )
)]
const fn row<O: Options, T: JsonSchema>(
    command: &'static str,
    needs: &'static [Need],
    run: Run,
) -> Published {
    Published {
        command,
        needs,
        about: O::ABOUT,
        examples: O::EXAMPLES,
        parameters: O::PARAMETERS,
        run,
        #[cfg(feature = "compiler")]
        answer: generated::shape::<T>,
    }
}

/// A row: the module of the command, its answer, words and needs.
macro_rules! row {
    ($($module:ident)::+, $answer:ident, $words:literal, [$($need:expr),*]) => {
        row::<$($module)::+::Options, $($module)::+::$answer>($words, &[$($need),*], |matches, surroundings| {
            $($module)::+::run(&Options::read(matches)?, surroundings)
        })
    };
}

/// Every command, by its words.
pub static COMMANDS: [Published; 39] = [
    row!(dispatch::plan, Response, "dispatch plan", []),
    row!(doctor, Answer, "doctor", []),
    row!(gc, Answer, "gc", [Need::Write]),
    row!(launch::read, Response, "launch read", []),
    row!(launch::write, Response, "launch write", [Need::Write]),
    row!(polish::acquire, Response, "polish acquire", [Need::Write, Need::GitWrite, Need::Network]),
    row!(polish::arguments, Response, "polish args", []),
    row!(polish::cancel, Response, "polish cancel", [Need::Write]),
    row!(polish::checklist::parse, Response, "polish checklist parse", []),
    row!(polish::checklist::rewrite, Response, "polish checklist rewrite", [Need::Write]),
    row!(polish::checklist::write, Response, "polish checklist write", [Need::Write]),
    row!(polish::envelope, Response, "polish envelope", [Need::Write]),
    row!(polish::gate, Response, "polish gate", [Need::Network]),
    row!(polish::merge_base, Response, "polish merge-base", [Need::Write, Need::GitWrite, Need::Network]),
    row!(polish::seed::replan, Response, "polish seed replan", [Need::Write]),
    row!(polish::seed::stacked, Response, "polish seed stacked", [Need::Write]),
    row!(repo::base, Answer, "repo base", [Need::GitWrite, Need::Network]),
    row!(repo::ide, Answer, "repo ide", []),
    row!(repo::package_manager, Answer, "repo package-manager", []),
    row!(repo::port, Answer, "repo port", [Need::Listen]),
    row!(repo::project, Answer, "repo project", []),
    row!(repo::size::batch, Answer, "repo size batch", []),
    row!(repo::size::item, Answer, "repo size item", []),
    row!(repo::surfaces, Answer, "repo surfaces", []),
    row!(review::abandon, Response, "review abandon", [Need::Write]),
    row!(review::approve, Response, "review approve", [Need::Write]),
    row!(review::arguments, Answer, "review args", []),
    row!(review::begin, Response, "review begin", [Need::Write, Need::GitWrite, Need::Network]),
    row!(review::finish, Answer, "review finish", [Need::Write]),
    row!(review::merge, Answer, "review merge", [Need::Write]),
    row!(review::render, Answer, "review render", [Need::Write]),
    row!(review::scope, Answer, "review scope", [Need::Write, Need::GitWrite, Need::Network]),
    row!(review::start, Answer, "review start", [Need::Write]),
    row!(listing, Listing, "schema", []),
    row!(server::owner, Response, "server owner", [Need::Listen]),
    row!(server::probe, Response, "server probe", [Need::Network]),
    row!(
        server::start,
        Response,
        "server start",
        [Need::Write, Need::Network, Need::Listen, Need::Background]
    ),
    row!(server::status, Response, "server status", []),
    row!(server::stop, Response, "server stop", [Need::Listen]),
];

/// The command of these words.
pub fn find(words: &str) -> Option<&'static Published> {
    COMMANDS.iter().find(|row| row.command == words)
}

impl Published {
    /// The name of its schema, without the version: `rt.repo.base`.
    pub fn name(&self) -> String {
        format!("rt.{}", self.command.replace(' ', "."))
    }

    /// The value of `schema` in its answers.
    pub fn schema_id(&self) -> String {
        format!("{}/1", self.name())
    }

    /// The published schema: the answer, or a failure.
    #[cfg(not(feature = "compiler"))]
    pub fn schema(&self) -> Value {
        let text = miniz_oxide::inflate::decompress_to_vec(SCHEMAS).unwrap_or_default();
        let text = String::from_utf8(text).unwrap_or_default();
        let mut all: Value = serde_json::from_str(&text).unwrap_or_default();
        all.get_mut(self.name()).map(Value::take).unwrap_or_default()
    }
}

/// `schemas/rt.*.json` by their names, as one packed document.
#[cfg(not(feature = "compiler"))]
static SCHEMAS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schemas.bin"));
