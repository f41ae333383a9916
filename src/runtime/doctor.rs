//! `doctor`: the programs that the helper depends on, their versions, what is missing and how to get it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{CallFailure, Delivery};
use super::environment::Environment;
use super::{child, hosts};
use crate::runtime::command_line::options;

/// Programs: name, what needs it, how to get it.
const TOOLS: [(&str, &str, &str); 3] = [
    ("git", "every command about a repository", "install git"),
    ("gh", "pull requests and everything else on GitHub", "install the GitHub CLI, then `gh auth login`"),
    ("node", "checks in a browser", "install Node.js"),
];
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

options! {
    /// Show what is installed and what is missing
    ///
    /// Programs are started with `--version` only.
    ///
    /// Exit codes: 0 answered, whatever is missing; 2 wrong call; 5 it cannot be determined.
    pub struct Options {
    }
    examples: ["plugcast-run doctor --format text"]
}

/// The answer of `doctor`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether everything is installed.
    pub status: DoctorStatus,
    /// The version of this helper.
    pub helper: String,
    /// The programs.
    pub tools: Vec<InstalledTool>,
    /// The program that runs the helper, as `repo ide` names it.
    pub host: Option<String>,
    /// The host whose sandbox the helper runs in, if environment variables indicate one.
    pub sandbox: Option<String>,
}

/// Whether everything is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoctorStatus {
    /// Everything is installed.
    Ok,
    /// Something is missing.
    Incomplete,
}

/// One program.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InstalledTool {
    /// Its name.
    pub name: String,
    /// What it prints for `--version`; none if it is missing or prints nothing.
    pub version: Option<String>,
    /// Its path.
    pub path: Option<String>,
    /// What needs it.
    pub needed_for: String,
    /// How to get it, if it is missing.
    pub help: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When it was interrupted.
pub fn run(_: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let mut tools = Vec::new();
    for (name, needed_for, help) in TOOLS {
        tools.push(tool(environment, name, &[name], needed_for, help)?);
    }
    let get = "install Chromium";
    tools.push(tool(environment, "browser", &BROWSERS, "checks in a browser", get)?);
    let missing = tools.iter().any(|tool| tool.path.is_none());
    Ok(Delivery::from_answer(&Response {
        status: if missing { DoctorStatus::Incomplete } else { DoctorStatus::Ok },
        helper: env!("CARGO_PKG_VERSION").to_owned(),
        tools,
        host: hosts::detect(environment).map(|host| host.id),
        sandbox: hosts::sandbox(environment).map(|host| host.id),
    }))
}

fn tool(
    environment: &Environment,
    name: &str,
    programs: &[&str],
    needed_for: &str,
    help: &str,
) -> Result<InstalledTool, CallFailure> {
    let found = programs.iter().find_map(|program| Some((*program, environment.program(program)?)));
    let mut version = None;
    if let Some((program, _)) = &found {
        let limit = Duration::from_secs(20);
        let command = child::command(environment, program, &environment.folder, limit).argument("--version");
        let ended = child::run(environment, program, &command);
        if let Err(failure) = &ended
            && failure.exit == super::answer::INTERRUPTED
        {
            return Err(failure.clone());
        }
        let text = ended.ok().filter(crate::process::ChildOutput::succeeded).map(|ended| ended.stdout_text());
        version = text.and_then(|text| Some(text.lines().next()?.trim().to_owned()));
    }
    Ok(InstalledTool {
        name: name.to_owned(),
        version,
        help: found.is_none().then(|| help.to_owned()),
        path: found.map(|(_, path)| path.display().to_string()),
        needed_for: needed_for.to_owned(),
    })
}
