//! What a model can do in each host: run a command, dispatch agents, wait for them.

use plugcast::drivers::script::{ModelRequest, Reply, Step};
use serde_json::{Value, json};

use super::SKILL;
use super::obey::{answer, block, put, returned};
use crate::hosts::model::holds;
use crate::hosts::{claude_code, codex, opencode};

/// One of the hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Host {
    ClaudeCode,
    Codex,
    OpenCode,
}

/// What every agent is told.
pub type Task = fn(&ModelRequest) -> Result<String, String>;

impl Host {
    pub fn name(self) -> &'static str {
        match self {
            Host::ClaudeCode => "claude-code",
            Host::Codex => "codex",
            Host::OpenCode => "opencode",
        }
    }

    /// Writes a text to a file.
    fn write(self, path: &str, text: &str) -> Reply {
        match self {
            Host::ClaudeCode => Reply::call("Write", json!({ "file_path": path, "content": text })),
            // The shell is this host's tool for whole files.
            Host::Codex => codex::shell(&format!("cat > '{path}' <<'END_OF_FILE'\n{text}\nEND_OF_FILE")),
            Host::OpenCode => Reply::call("write", json!({ "filePath": path, "content": text })),
        }
    }

    /// A step that writes what the reviewers returned where the skill says.
    pub fn keep_returns(self) -> Step {
        Step::compute(move |request| {
            let text = self.text(request)?.0;
            let (what, place) = ("write the list `[RETURNS]` to the file `", "RUN/returns.json");
            holds(&text, &format!("{what}{place}`"))?;
            Ok(self.write(&filled(request, place), &filled(request, "[RETURNS]")))
        })
    }

    /// A command.
    pub fn shell(self, command: &str) -> Reply {
        match self {
            Host::ClaudeCode => claude_code::shell(command),
            Host::Codex => codex::shell(command),
            Host::OpenCode => opencode::shell(command),
        }
    }

    /// The text of the skill, and the folder that its paths count from where the host says so.
    fn text(self, request: &ModelRequest) -> Result<(String, Option<String>), String> {
        if self != Host::Codex {
            return Ok((request.everything(), None));
        }
        let (text, folder) = codex::skill(request, SKILL)?;
        Ok((text.to_owned(), Some(folder.to_owned())))
    }

    /// A step that makes a call under a heading of the skill, with values for its capital words; without a
    /// run the option that names it is left out.
    pub fn call(self, heading: &'static str, number: usize) -> Step {
        self.call_with(heading, number, "")
    }

    /// The same with an option that the text speaks of.
    pub fn call_with(self, heading: &'static str, number: usize, option: &'static str) -> Step {
        Step::compute(move |request| {
            let (text, folder) = self.text(request)?;
            let mut command = block(&text, heading, number)?;
            if !option.is_empty() {
                holds(&text, &format!("`{option}`"))?;
                command = format!("{command} {option}");
            }
            if command.contains("$ARGUMENTS") {
                let words =
                    request.texts.iter().find_map(|spoken| spoken.text.strip_prefix(&format!("${SKILL}")));
                command = command.replace("$ARGUMENTS", words.ok_or("no mention")?.trim());
            }
            if answer(request, "rt.review.start/1").is_ok_and(|started| started["run_dir"].is_null()) {
                command = command.replace(" --run 'RUN'", "");
            }
            if let Ok(asked) = answer(request, "rt.review.args/1") {
                command = suited(&text, command, &asked)?;
            }
            let command = filled(request, &command);
            Ok(self.shell(&match folder {
                Some(folder) => codex::joined(&command, &text, &folder)?,
                None => command,
            }))
        })
    }

    /// Steps that dispatch agents with one task and wait for all of them.
    pub fn dispatch(self, agents: &'static [&'static str], task: Task) -> Vec<Step> {
        let at_once = move |call: fn(&str, &str) -> Reply| {
            Step::compute(move |request| {
                let task = task(request)?;
                let calls = agents.iter().flat_map(|name| match call(name, &task) {
                    Reply::ToolCalls(calls) => calls,
                    Reply::Text(_) => Vec::new(),
                });
                Ok(Reply::ToolCalls(calls.collect()))
            })
        };
        match self {
            Host::ClaudeCode => vec![at_once(claude_code::dispatch)],
            Host::OpenCode => vec![at_once(opencode::dispatch)],
            Host::Codex => agents.iter().flat_map(|name| one_after_the_other(name, task)).collect(),
        }
    }
}

/// A call with the options that the text gives or takes for what the user asked for.
fn suited(text: &str, mut command: String, asked: &Value) -> Result<String, String> {
    if asked["mode"] != "headless" && command.contains(" --headless") {
        holds(text, "leave `--headless` out in other modes")?;
        command = command.replace(" --headless", "");
    }
    let target = &asked["target"];
    if let (true, Some(number)) = (command.contains("review scope"), target["number"].as_u64()) {
        holds(text, "`--target 'TARGET'`")?;
        let word = match (target["host"].as_str(), target["owner"].as_str(), target["repo"].as_str()) {
            (Some(host), Some(owner), Some(repo)) => format!("https://{host}/{owner}/{repo}/pull/{number}"),
            _ => number.to_string(),
        };
        command += &format!(" --target '{word}'");
    }
    Ok(command)
}

/// Spawns an installed agent and waits for it.
fn one_after_the_other(name: &'static str, task: Task) -> [Step; 2] {
    let spawn = Step::compute(move |request| {
        codex::spawn(request, json!({ "agent_type": name, "message": task(request)? }))
    });
    [spawn, codex::wait()]
}

/// A text with the values of its capital words, as far as they are known.
fn filled(request: &ModelRequest, text: &str) -> String {
    let known = |schema: &str, key: &str| {
        answer(request, schema).ok().and_then(|answer| answer[key].as_str().map(str::to_owned))
    };
    // Agents that run at once end in any order; the skill asks for that of the names.
    let mut returns = returned(request, "reviewer");
    returns.sort_by_key(|own| own["reviewer"].as_str().map(str::to_owned));
    let returns: Vec<String> = returns.iter().map(ToString::to_string).collect();
    let applied =
        returned(request, "applied").pop().map_or("[]".to_owned(), |own| own["applied"].to_string());
    let values = [
        ("MODE", known("rt.review.args/1", "mode")),
        ("RUN", known("rt.review.start/1", "run_dir")),
        ("NAMES", Some("correctness,testing".to_owned())),
        ("SCOPE", known("rt.review.scope/1", "base_ref").map(|base| format!("{base}, 1 file"))),
        ("INTENT", Some("Add up prices one by one".to_owned())),
        ("APPLIED", Some(applied)),
        ("RETURNS", Some(returns.join(",\n"))),
    ];
    let known = values.into_iter().filter_map(|(word, value)| Some((word, value?)));
    known.fold(text.to_owned(), |text, (word, value)| put(&text, word, &value))
}
