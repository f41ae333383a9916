//! `launch write`: adds a configuration to `.claude/launch.json`, or creates the file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::configuration::{KEYS, LaunchFile, NamedText, RawConfiguration};
use super::read::{FILE, LaunchConfig, public_host};
use super::stub::stub;
use super::{LaunchMode, addresses, scripts};
use crate::disk;
use crate::disk::root::{Root, RootError};
use crate::read::tree::Node;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, REFUSED, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::document::{self, MARK};
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::pretty_json;
use crate::runtime::store::Store;
use crate::source::Span;

options! {
    /// Add a configuration to `.claude/launch.json`
    ///
    /// The configuration comes on standard input, as one object with the keys `name`, `runtimeExecutable`,
    /// `runtimeArgs`, `port`, `cwd` and `env`; the first two are needed. With `--type` it is the default for
    /// that kind of project. Comments and other configurations of the file are kept.
    ///
    /// Exit codes: 0 written; 2 wrong call; 3 headless, or the server would listen on all addresses of this
    /// machine; 4 a malformed configuration or file; 5 it cannot be written, or it is unknown how the project
    /// starts; 6 the file exists (without `--merge`), or has a configuration of that name, or another command
    /// writes it; 7 git took too long.
    pub struct Options {
        /// Add it to an existing file
        merge: bool = "--merge",
        /// Also write a server that listens on all addresses, which others on the network can reach
        allow_public_host: bool = "--allow-public-host",
        /// The kind of project as `repo project` names it, instead of a configuration on standard input
        r#type: Option<String> = "--type <TYPE>",
        /// The folder of the project; by default the top of the repository
        dir: Option<PathBuf> = "--dir <DIR>" { requires: "--type" },
        /// The mode of the run; `headless` writes nothing
        mode: LaunchMode = "--mode <MODE>" { default: Some("interactive") },
    }
    examples: ["plugcast-run launch write < web.json", "plugcast-run launch write --merge < web.json", "plugcast-run launch write --type vite"]
}

/// The answer of `launch write`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `written`, or `added` to a file that was there.
    pub status: LaunchWriteStatus,
    /// The file, relative to the repository's top.
    pub file: String,
    /// What was written.
    pub config: LaunchConfig,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LaunchWriteStatus {
    /// The file is new.
    Written,
    /// The file was there.
    Added,
}

/// How long to wait for another command that writes the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the command.
///
/// # Errors
/// `headless`, `exists`, `malformed_json`, `malformed_config`, `duplicate_name`, `public_host`, and what the disk
/// refuses.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let repository = Repository::find(environment, &environment.folder)?;
    if options.mode == LaunchMode::Headless {
        let message = format!("`{FILE}` is only written when a user is present");
        return Err(CallFailure::new(
            REFUSED,
            ErrorCode::Headless,
            message,
            "run the skill without `mode:headless`",
        ));
    }
    let mut warnings = Vec::new();
    let config = match &options.r#type {
        Some(kind) => stub(&repository, kind, options.dir.as_deref())?,
        None => read_input(&environment.input_text()?, &repository.top, &mut warnings, options)?,
    };
    let top = Store::new(repository.top.clone(), environment);
    if !options.allow_public_host {
        scripts::must_be_private(&repository, &config)?;
    }
    let refused = |error: RootError| top.refusal(error);
    let Some(root) = Root::open_tree(&repository.top).map_err(refused)? else {
        return Err(CallFailure::environment(
            ErrorCode::NoFolder,
            "the repository's top no longer exists",
            "check the path",
        ));
    };
    // Concurrent writers each read what the previous one wrote.
    let _held = root.lock_itself(PATIENCE).map_err(refused)?;
    let path = repository.top.join(FILE);
    let there = document::project_text(&path)?;
    let (text, status) = match &there {
        None => (
            format!(
                "{{\n  \"version\": \"0.2.0\",\n  \"configurations\": [\n{}\n  ]\n}}\n",
                printed(&config)
            ),
            LaunchWriteStatus::Written,
        ),
        Some(text) if options.merge => (with_configuration(text, &config)?, LaunchWriteStatus::Added),
        Some(_) => {
            let message = format!("`{FILE}` already exists");
            return Err(exists(message, "read it with `launch read`, or add to it with `--merge`"));
        }
    };
    let has_mark =
        disk::read_bytes(&path).is_ok_and(|bytes| bytes.is_some_and(|bytes| bytes.starts_with(MARK)));
    let bytes = [if has_mark { MARK } else { &[] }, text.as_bytes()].concat();
    let is_unchanged = || document::project_text(&path).is_ok_and(|now| now == there);
    if !root.replace_if(Path::new(FILE), &bytes, &is_unchanged).map_err(refused)? {
        return Err(exists(format!("`{FILE}` was changed in the meantime"), "run this again"));
    }
    Ok(Delivery::from_answer(&Response { status, file: FILE.to_owned(), config, warnings }))
}

/// The configuration on standard input.
fn read_input(
    input: &str,
    top: &Path,
    warnings: &mut Vec<String>,
    options: &Options,
) -> Result<LaunchConfig, CallFailure> {
    let source = NamedText { text: input, name: "<stdin>" };
    let node = document::json_text(input, source.name)?;
    let one = RawConfiguration::from_node(node, source)?;
    if let Some(entry) = one.node.entries().iter().find(|entry| !KEYS.contains(&entry.key.as_str())) {
        let known = KEYS.map(|key| format!("`{key}`")).join(", ");
        let message = format!("unknown key `{}`, expected one of {known}", entry.key);
        return Err(source.malformed(
            ErrorCode::MalformedConfig,
            message,
            "leave it out",
            entry.key_span.start,
        ));
    }
    let config = one.read(source, top, warnings)?;
    if config.runtime_executable.is_none() {
        let message = "`runtimeExecutable` is missing".to_owned();
        return Err(source.malformed(
            ErrorCode::MalformedConfig,
            message,
            "name the program to start",
            one.node.span.start,
        ));
    }
    match addresses::public_address(&config).filter(|_| !options.allow_public_host) {
        Some(word) => Err(public_host(&config.name, &word, &one.node, source)),
        None => Ok(config),
    }
}

fn exists(message: String, hint: &str) -> CallFailure {
    CallFailure::new(CONTENDED, ErrorCode::Exists, message, hint).in_file(FILE, None, None)
}

/// The text of a file with the configuration added.
fn with_configuration(text: &str, config: &LaunchConfig) -> Result<String, CallFailure> {
    let document = LaunchFile::parse(NamedText { text, name: FILE })?;
    if document.configurations.iter().any(|one| one.name == config.name) {
        let message = format!("`{FILE}` already has a configuration `{}`", config.name);
        return Err(exists(message, "give it another name, or edit the file"));
    }
    let list = document.root.get("configurations");
    let last = list.and_then(Node::items).and_then(<[Node]>::last);
    let one = printed(config);
    let (span, new) = match (last, list) {
        (Some(last), _) => (Span::new(last.span.end, last.span.end), format!(",\n{one}")),
        (None, Some(list)) => {
            // An empty list may contain comments, which are kept.
            let Span { start, end } = list.span;
            match text[start..end].strip_prefix('[').map_or("]", str::trim_start) {
                "]" => (list.span, format!("[\n{one}\n  ]")),
                _ => (Span::new(start, start + 1), format!("[\n{one}")),
            }
        }
        (None, None) => {
            let at = document.root.span.start + 1;
            let comma = if document.root.entries().is_empty() { "\n" } else { "," };
            (Span::new(at, at), format!("\n  \"configurations\": [\n{one}\n  ]{comma}"))
        }
    };
    let new = if text.contains("\r\n") { new.replace('\n', "\r\n") } else { new };
    let mut out = text.to_owned();
    out.replace_range(span.start..span.end, &new);
    Ok(out)
}

/// A configuration as written to the file, without defaults.
fn printed(config: &LaunchConfig) -> String {
    let mut value = serde_json::to_value(config).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        object.retain(|key, value| match value {
            serde_json::Value::Null => false,
            serde_json::Value::Array(items) => !items.is_empty(),
            serde_json::Value::Object(items) => !items.is_empty(),
            serde_json::Value::String(text) => key != "cwd" || text != ".",
            _ => true,
        });
    }
    let text = pretty_json::text(&value);
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
