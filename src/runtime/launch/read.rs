//! `launch read`: one configuration of `.claude/launch.json`, checked before anything is started with it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::configuration::{LaunchFile, NamedText, RawConfiguration};
use super::{addresses, scripts};
use crate::printable;
use crate::read::tree::Node;
use crate::runtime::answer::{CallFailure, Delivery, ENVIRONMENT, OK, REFUSED, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;

/// The file, relative to the repository's top.
pub const FILE: &str = ".claude/launch.json";

options! {
    /// Read one configuration of `.claude/launch.json`
    ///
    /// Comments and commas before a closing bracket are read, as editors write them. Only the keys `name`,
    /// `runtimeExecutable`, `runtimeArgs`, `port`, `cwd` and `env` of a configuration are used. If it starts a script
    /// of `package.json`, a Procfile or a shell script, that is checked, too: an address there that means all
    /// addresses counts like an argument.
    ///
    /// Exit codes: 0 answered: `ok`, `none`, `missing_configurations`, `multiple` (call it again with a name) or
    /// `incomplete` (no `runtimeExecutable`); 2 wrong call; 3 the server would listen on all addresses of this machine;
    /// 4 a malformed file; 5 no configuration of that name; 7 git took too long.
    pub struct Options {
        /// The configuration; needed only if the file has several
        pub name: Option<String> = "[NAME]",
        /// Also accept a server that listens on all addresses, which others on the network can reach
        pub allow_public_host: bool = "--allow-public-host",
    }
    examples: ["plugcast-run launch read", "plugcast-run launch read web"]
}

/// The answer of `launch read`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// What there is.
    pub status: LaunchReadStatus,
    /// The file, relative to the repository's top.
    pub file: String,
    /// The configuration, with `ok` and `incomplete`.
    pub config: Option<LaunchConfig>,
    /// The names of all configurations.
    pub names: Vec<String>,
    /// The file is not strict JSON: it has comments, or commas before a closing bracket.
    pub jsonc: bool,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
}

/// What the file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LaunchReadStatus {
    /// One configuration.
    Ok,
    /// There is no file.
    None,
    /// The configuration does not say what to start.
    Incomplete,
    /// The file has no configuration.
    MissingConfigurations,
    /// The file has several, and none was named.
    Multiple,
}

/// One configuration, with the keys of the file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaunchConfig {
    /// Its name.
    pub name: String,
    /// The program.
    pub runtime_executable: Option<String>,
    /// Its arguments.
    pub runtime_args: Vec<String>,
    /// The port it listens on; none if `repo port` has to determine it.
    pub port: Option<u16>,
    /// The working directory, relative to the repository's top.
    pub cwd: String,
    /// Variables that are set for it.
    pub env: BTreeMap<String, String>,
}

/// Runs the command.
///
/// # Errors
/// `malformed_json`, `malformed_config`, `duplicate_name`, `no_config`, `public_host`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let repository = Repository::find(environment, &environment.folder)?;
    let (response, words) = answer(options, &repository)?;
    Ok(Delivery::from_answer(&response).sentinel(words))
}

/// The answer, with its form for scripts.
///
/// # Errors
/// As [`run`].
pub fn answer(options: &Options, repository: &Repository) -> Result<(Response, String), CallFailure> {
    let mut response = Response {
        status: LaunchReadStatus::None,
        file: FILE.to_owned(),
        config: None,
        names: Vec::new(),
        jsonc: false,
        warnings: Vec::new(),
    };
    let Some(text) = document::project_text(&repository.top.join(FILE))? else {
        return Ok((response, "__NO_LAUNCH_JSON__".to_owned()));
    };
    let invalid = |mut failure: CallFailure| {
        failure.sentinel = Some(("__INVALID_LAUNCH_JSON__".to_owned(), OK));
        failure
    };
    let source = NamedText { text: &text, name: FILE };
    let document = LaunchFile::parse(source).map_err(invalid)?;
    response.jsonc = document.jsonc;
    response.names = document.configurations.iter().map(|one| one.name.clone()).collect();
    let Some(chosen) = choose(options, &document)? else {
        let several = !response.names.is_empty();
        response.status =
            if several { LaunchReadStatus::Multiple } else { LaunchReadStatus::MissingConfigurations };
        let words = if several {
            format!("__MULTIPLE_CONFIGS__\n{}", compact(&response.names))
        } else {
            "__MISSING_CONFIGURATIONS__".to_owned()
        };
        return Ok((response, words));
    };
    let config = chosen.read(source, &repository.top, &mut response.warnings).map_err(invalid)?;
    if !options.allow_public_host {
        if let Some(word) = addresses::public_address(&config) {
            return Err(public_host(&config.name, &word, &chosen.node, source));
        }
        scripts::must_be_private(repository, &config)?;
    }
    let complete = config.runtime_executable.is_some();
    response.status = if complete { LaunchReadStatus::Ok } else { LaunchReadStatus::Incomplete };
    let words = compact(&config);
    response.config = Some(config);
    Ok((response, words))
}

/// JSON on one line that stays JSON when it is printed.
fn compact(value: &impl Serialize) -> String {
    printable::json(&serde_json::to_string(value).unwrap_or_default()).into_owned()
}

/// The configuration with the given name, or the only one.
fn choose<'a>(
    options: &Options,
    document: &'a LaunchFile,
) -> Result<Option<&'a RawConfiguration>, CallFailure> {
    let all = &document.configurations;
    let Some(name) = &options.name else {
        return Ok(all.first().filter(|_| all.len() == 1));
    };
    if let Some(found) = all.iter().find(|one| one.name == *name) {
        return Ok(Some(found));
    }
    let names: Vec<String> = all.iter().map(|one| format!("`{}`", one.name)).collect();
    let hint = match names.as_slice() {
        [] => "the file has no configuration; leave the name out".to_owned(),
        names => format!("name one of {}", names.join(", ")),
    };
    let message = format!("`{FILE}` has no configuration `{name}`");
    let mut failure =
        CallFailure::new(ENVIRONMENT, ErrorCode::NoConfig, message, hint).in_file(FILE, None, None);
    failure.sentinel = Some(("__CONFIG_NOT_FOUND__".to_owned(), OK));
    Err(failure)
}

/// The refusal of a server that others on the network would reach.
pub(super) fn public_host(name: &str, word: &str, node: &Node, source: NamedText<'_>) -> CallFailure {
    let (line, col) = document::place(source.text, node.span.start);
    let message = format!("`{word}` makes the server of `{name}` listen on all addresses of this machine");
    let hint = "let it listen on `127.0.0.1`, or ask the user and add `--allow-public-host`";
    CallFailure::new(REFUSED, ErrorCode::PublicHost, message, hint).in_file(
        source.name,
        Some(line),
        Some(col),
    )
}
