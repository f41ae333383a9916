//! What a model can do in each host: run a command, dispatch agents, wait for them.

use plugcast::drivers::script::{ModelReply, ModelRequest, ScriptStep};
use serde_json::json;

use super::obedient_model::{answer, block, call_and_input, put, returned, with_arguments};
use super::{ASKED, BEGIN, INTENT, LOST_WORDS, SKILL};
use crate::hosts::model::{between, holds};
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
    pub fn write(self, path: &str, text: &str) -> ModelReply {
        match self {
            Host::ClaudeCode => ModelReply::call("Write", json!({ "file_path": path, "content": text })),
            // The shell is this host's tool for whole files.
            Host::Codex => {
                codex::shell(&format!("cat > \"{}\" <<'END_OF_FILE'\n{text}\nEND_OF_FILE", quoted(path)))
            }
            Host::OpenCode => ModelReply::call("write", json!({ "filePath": path, "content": text })),
        }
    }

    /// Steps that write what each of these agents returned to the file of its reply, and what the change is for, as
    /// the skill says.
    pub fn keep_replies(self, agents: &'static [&'static str]) -> Vec<ScriptStep> {
        let kept = agents.iter().map(|name| {
            ScriptStep::compute(move |request| {
                holds(
                    &self.skill_text(request, SKILL)?.0,
                    "Write the whole reply of each reviewer, unchanged, to the path in its `reply`",
                )?;
                let begun = answer(request, BEGIN)?;
                let own =
                    begun["reviewers"].as_array().into_iter().flatten().find(|one| one["agent"] == *name);
                let path = own.and_then(|one| one["reply"].as_str()).ok_or("no path for a reply")?;
                Ok(self.write(path, &said_by(request, name)))
            })
        });
        let context = ScriptStep::compute(move |request| {
            let place = "RUN/replies/context.json";
            holds(&self.skill_text(request, SKILL)?.0, &format!("Write this object to `{place}`"))?;
            let context = json!({ "intent": INTENT, "unmet": [], "reasons": {} });
            Ok(self.write(&filled(request, place, str::to_owned), &context.to_string()))
        });
        kept.chain([context]).collect()
    }

    /// A step that writes what an agent returned, found by a key of it, to a file of the run.
    pub fn keep(self, key: &'static str, path: &'static str) -> ScriptStep {
        ScriptStep::compute(move |request| {
            let text = returned(request, key).pop().ok_or_else(|| format!("nobody returned `{key}`"))?;
            Ok(self.write(&filled(request, path, str::to_owned), &text.to_string()))
        })
    }

    /// A command.
    pub fn shell(self, command: &str) -> ModelReply {
        match self {
            Host::ClaudeCode => claude_code::shell(command),
            Host::Codex => codex::shell(command),
            Host::OpenCode => opencode::shell(command),
        }
    }

    /// The text of a skill, and the folder that its paths count from where the host says so.
    pub fn skill_text(self, request: &ModelRequest, skill: &str) -> Result<(String, Option<String>), String> {
        if self != Host::Codex {
            return Ok((request.all_text(), None));
        }
        let (text, folder) = codex::skill(request, skill)?;
        Ok((text.to_owned(), Some(folder.to_owned())))
    }

    /// A step that makes a call under a heading of the skill: the helper's path and values stand for its capital
    /// words.
    pub fn call(self, heading: &'static str, number: usize) -> ScriptStep {
        self.call_with(heading, number, "", &[])
    }

    /// The same with an option that the text mentions, and with values that the model chooses.
    pub fn call_with(
        self,
        heading: &'static str,
        number: usize,
        option: &'static str,
        values: &'static [(&'static str, &'static str)],
    ) -> ScriptStep {
        ScriptStep::compute(move |request| {
            let (text, folder) = self.skill_text(request, SKILL)?;
            let block = block(&text, heading, number)?;
            let (call, input) = call_and_input(&block);
            let mut call = call.to_owned();
            if !option.is_empty() {
                holds(&text, &format!("`{option}`"))?;
                call = format!("{call} {option}");
            }
            let helper = between(&text, "HELPER stands for `", "`")?;
            let call = filled(request, &put(&call, "HELPER", helper), quoted);
            let call = values.iter().fold(call, |call, (word, value)| put(&call, word, value));
            let call = match folder {
                Some(folder) => codex::joined(&call, &text, &folder)?,
                None => call,
            };
            if input.is_empty() {
                return Ok(self.shell(&call));
            }
            let input = with_arguments(request, SKILL, input)?;
            let mut input = filled(request, &input, |value| value.to_owned());
            if let Some((before, after)) = input.split_once("=== reply NAME ")
                && let Some((mark, after)) = after.split_once(" ===\nREPLY\n")
            {
                let replies = ASKED.map(|name| {
                    format!("=== reply {} {mark} ===\n{}\n", plain(name), said_by(request, name))
                });
                let context = json!({ "intent": INTENT }).to_string();
                input = format!("{before}{}{}", replies.concat(), put(after, "CONTEXT", &context));
            }
            Ok(self.shell(&format!("{call} <<{input}")))
        })
    }

    /// Steps that dispatch agents with one task and wait for all of them.
    pub fn dispatch(self, agents: &'static [&'static str], task: Task) -> Vec<ScriptStep> {
        let at_once = move |call: fn(&str, &str) -> ModelReply| {
            ScriptStep::compute(move |request| {
                let task = task(request)?;
                let calls = agents.iter().flat_map(|name| match call(name, &task) {
                    ModelReply::ToolCalls(calls) => calls,
                    ModelReply::Text(_) => Vec::new(),
                });
                Ok(ModelReply::ToolCalls(calls.collect()))
            })
        };
        match self {
            Host::ClaudeCode => vec![at_once(claude_code::dispatch)],
            Host::OpenCode => vec![at_once(opencode::dispatch)],
            Host::Codex => agents.iter().flat_map(|name| one_after_the_other(name, task)).collect(),
        }
    }
}

/// Spawns an installed agent, waits for it, and closes it: the host lets six be open.
fn one_after_the_other(name: &'static str, task: Task) -> [ScriptStep; 3] {
    let spawn = ScriptStep::compute(move |request| {
        codex::spawn(request, json!({ "agent_type": name, "message": task(request)? }))
    });
    [spawn, codex::wait(), codex::close()]
}

/// The skill's rule for what is in double quotes.
pub fn quoted(value: &str) -> String {
    value.chars().fold(String::new(), |out, c| match c {
        '"' | '$' | '`' | '\\' => format!("{out}\\{c}"),
        _ => format!("{out}{c}"),
    })
}

/// The name of an agent without its plugin.
pub fn plain(name: &str) -> &str {
    name.split_once(':').map_or(name, |(_, name)| name)
}

/// What a reviewer returned: its object, or its words where they are none.
fn said_by(request: &ModelRequest, name: &str) -> String {
    let own = returned(request, "reviewer").into_iter().rev().find(|one| one["reviewer"] == plain(name));
    own.map_or(LOST_WORDS.to_owned(), |own| own.to_string())
}

/// A text with the values of its capital words, as far as they are known, each as `quote` writes it.
fn filled(request: &ModelRequest, text: &str, quote: fn(&str) -> String) -> String {
    let begun = answer(request, BEGIN).unwrap_or_default();
    let values = [
        ("RUN", begun["run"].as_str()),
        ("TICKET", begun["ticket"].as_str()),
        ("MARK", begun["mark"].as_str()),
    ];
    let known = values.into_iter().filter_map(|(word, value)| Some((word, value?)));
    known.fold(text.to_owned(), |text, (word, value)| put(&text, word, &quote(value)))
}
