//! THE table of commands: what each needs from its environment, its exit codes, and the schema of its answer, generated
//! from the type. `plugcast-run schema` prints it; the shipped helper embeds the files of `schemas/` instead of the
//! code that generates them.

pub mod codes;
#[cfg(feature = "compiler")]
mod generated;
pub mod listing;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer::{CallFailure, Delivery};
use super::command_line::{Options, Parameter, ParameterMatches};
use super::environment::Environment;
use super::{dispatch, doctor, feedback, gc, launch, polish, repo, review, server};

/// What a command needs and a sandbox may refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandNeed {
    /// Writing below the state root or in the working tree.
    Write,
    /// Writing below `.git`.
    GitWrite,
    /// The network.
    Network,
    /// Listening on a port, or seeing which process does.
    Listen,
    /// A process that outlives the command.
    Background,
}

/// One command.
#[derive(Debug)]
pub struct PublishedCommand {
    /// Its words.
    pub command: &'static str,
    /// What it needs.
    pub needs: &'static [CommandNeed],
    /// What it does, in lines.
    pub about: &'static [&'static str],
    /// Example command lines.
    pub examples: &'static [&'static str],
    /// Its options.
    pub parameters: &'static [Parameter],
    /// Reads its options and runs it.
    pub run: CommandRunner,
    #[cfg(feature = "compiler")]
    answer: fn() -> Value,
}

/// The function that runs a command.
pub type CommandRunner = fn(&mut ParameterMatches, &Environment) -> Result<Delivery, CallFailure>;

#[cfg_attr(
    not(feature = "compiler"),
    expect(
        clippy::extra_unused_type_parameters,
        reason = "the helper carries the schema of the type as a text"
    )
)]
const fn row<O: Options, T: JsonSchema>(
    command: &'static str,
    needs: &'static [CommandNeed],
    run: CommandRunner,
) -> PublishedCommand {
    PublishedCommand {
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
        row::<$($module)::+::Options, $($module)::+::$answer>($words, &[$($need),*], |matches, environment| {
            $($module)::+::run(&Options::read(matches)?, environment)
        })
    };
}

/// Every command, by its words.
pub static COMMANDS: [PublishedCommand; 49] = [
    row!(dispatch::plan, Response, "dispatch plan", [CommandNeed::Write]),
    row!(doctor, Response, "doctor", []),
    row!(feedback::abandon, Response, "feedback abandon", [CommandNeed::Write]),
    row!(
        feedback::begin,
        Response,
        "feedback begin",
        [CommandNeed::Write, CommandNeed::GitWrite, CommandNeed::Network]
    ),
    row!(feedback::cluster, Response, "feedback cluster", []),
    row!(feedback::dispatch, Response, "feedback dispatch", [CommandNeed::Write]),
    row!(feedback::fetch, Response, "feedback fetch", [CommandNeed::Write, CommandNeed::Network]),
    row!(feedback::finish, Response, "feedback finish", [CommandNeed::Write]),
    row!(feedback::gates, Response, "feedback gates", []),
    row!(feedback::reply, Response, "feedback reply", [CommandNeed::Write, CommandNeed::Network]),
    row!(feedback::resolve, Response, "feedback resolve", [CommandNeed::Write, CommandNeed::Network]),
    row!(feedback::thread_for, Response, "feedback thread-for", [CommandNeed::Network]),
    row!(gc, Response, "gc", [CommandNeed::Write]),
    row!(launch::read, Response, "launch read", []),
    row!(launch::write, Response, "launch write", [CommandNeed::Write]),
    row!(
        polish::acquire,
        Response,
        "polish acquire",
        [CommandNeed::Write, CommandNeed::GitWrite, CommandNeed::Network]
    ),
    row!(polish::arguments, Response, "polish args", []),
    row!(polish::cancel, Response, "polish cancel", [CommandNeed::Write]),
    row!(polish::checklist::parse, Response, "polish checklist parse", []),
    row!(polish::checklist::rewrite, Response, "polish checklist rewrite", [CommandNeed::Write]),
    row!(polish::checklist::write, Response, "polish checklist write", [CommandNeed::Write]),
    row!(polish::envelope, Response, "polish envelope", [CommandNeed::Write]),
    row!(polish::gate, Response, "polish gate", [CommandNeed::Write, CommandNeed::Network]),
    row!(
        polish::merge_base,
        Response,
        "polish merge-base",
        [CommandNeed::Write, CommandNeed::GitWrite, CommandNeed::Network]
    ),
    row!(polish::seed::replan, Response, "polish seed replan", [CommandNeed::Write]),
    row!(polish::seed::stacked, Response, "polish seed stacked", [CommandNeed::Write]),
    row!(repo::base, Response, "repo base", [CommandNeed::GitWrite, CommandNeed::Network]),
    row!(repo::ide, Response, "repo ide", []),
    row!(repo::package_manager, Response, "repo package-manager", []),
    row!(repo::port, Response, "repo port", [CommandNeed::Listen]),
    row!(repo::project, Response, "repo project", []),
    row!(repo::size::batch, Response, "repo size batch", []),
    row!(repo::size::item, Response, "repo size item", []),
    row!(repo::surfaces, Response, "repo surfaces", []),
    row!(review::abandon, Response, "review abandon", [CommandNeed::Write]),
    row!(review::approve, Response, "review approve", [CommandNeed::Write]),
    row!(review::arguments, Response, "review args", []),
    row!(
        review::begin,
        Response,
        "review begin",
        [CommandNeed::Write, CommandNeed::GitWrite, CommandNeed::Network]
    ),
    row!(review::finish, Response, "review finish", [CommandNeed::Write]),
    row!(review::merge, Response, "review merge", [CommandNeed::Write]),
    row!(review::render, Response, "review render", [CommandNeed::Write]),
    row!(
        review::scope,
        Response,
        "review scope",
        [CommandNeed::Write, CommandNeed::GitWrite, CommandNeed::Network]
    ),
    row!(review::start, Response, "review start", [CommandNeed::Write]),
    row!(listing, CommandListing, "schema", []),
    row!(server::owner, Response, "server owner", [CommandNeed::Listen]),
    row!(server::probe, Response, "server probe", [CommandNeed::Network]),
    row!(
        server::start,
        Response,
        "server start",
        [CommandNeed::Write, CommandNeed::Network, CommandNeed::Listen, CommandNeed::Background]
    ),
    row!(server::status, Response, "server status", []),
    row!(server::stop, Response, "server stop", [CommandNeed::Listen]),
];

/// The command of these words.
pub fn find(words: &str) -> Option<&'static PublishedCommand> {
    COMMANDS.iter().find(|row| row.command == words)
}

impl PublishedCommand {
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

/// `schemas/rt.*.json` by name, as one compressed document.
#[cfg(not(feature = "compiler"))]
static SCHEMAS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schemas.bin"));
