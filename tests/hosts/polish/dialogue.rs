//! A polish as a conversation: each reply of the user is a separate session in the same home. With
//! `PLUGCAST_TRANSCRIPTS=FOLDER` what the user sees is written there, one file per test.

use std::path::Path;

use plugcast::drivers::script::{ModelScript, ScriptStep};
use plugcast::drivers::session::{SessionOpening, Transcript};
use serde_json::Value;

use super::UNBOUND;
use super::hand::SKILL;
use crate::hosts::review::hand::Host;
use crate::hosts::review::house::House;
use crate::hosts::review::{in_turn, model_texts};
use crate::hosts::stage::{Stage, invoke};
use crate::support::github::GitHub;
use crate::support::hosts::Hosts;

/// A conversation, and what the user has seen of it.
pub struct Dialogue<'a> {
    house: House<'a>,
    host: Host,
    name: String,
    seen: String,
}

impl<'a> Dialogue<'a> {
    /// A new one in the project of a stage, with `gh` at this GitHub.
    pub fn begin(hosts: &Hosts, stage: &'a Stage, host: Host, github: &GitHub, name: &str) -> Self {
        let codex = [UNBOUND[0], UNBOUND[1], "-c", "allow_login_shell=false"];
        let mut house = House::new(stage, host, if host == Host::Codex { &codex } else { &[] });
        let mut variables = github.variables();
        if let Some(path) = variables.get_mut("PATH") {
            *path = format!("{path}:{}", hosts.ripgrep.display());
        }
        house.variables.extend(variables);
        // The seeds become commits.
        let who = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
        house.variables.extend(who.map(|name| (name.to_owned(), "ann@example.org".to_owned())));
        Self { house, host, name: format!("{name}-{}", host.name()), seen: String::new() }
    }

    /// The words that start the skill in a new conversation, and what comes of them.
    pub fn start(&mut self, words: &str, steps: Vec<ScriptStep>) -> Transcript {
        let opening = invoke(SKILL, words);
        self.house.forget();
        // The skill's own rules are enough up to the first question.
        let script = ModelScript::default().with_conversation(in_turn(steps));
        let transcript = self.house.session(opening, script, &[]);
        let sign = if self.host == Host::Codex { '$' } else { '/' };
        self.note(&format!("{sign}{SKILL} {words}"), &transcript);
        transcript
    }

    /// A reply of the user, and what comes of it.
    pub fn reply(&mut self, words: &str, steps: Vec<ScriptStep>) -> Transcript {
        self.reply_with(words, ModelScript::default(), steps)
    }

    /// The same with agents that are dispatched.
    pub fn reply_with(&mut self, words: &str, agents: ModelScript, steps: Vec<ScriptStep>) -> Transcript {
        let opening = SessionOpening::Prompt(words.to_owned());
        // The host is started again, where the skill's own rules are not asked for.
        let transcript =
            self.house.session(opening, agents.with_conversation(in_turn(steps)), &["Bash", "Write"]);
        self.note(words, &transcript);
        transcript
    }

    fn note(&mut self, words: &str, transcript: &Transcript) {
        self.seen += &format!("\n> {}\n\n", words.trim_end());
        for line in transcript.events.iter().flat_map(seen) {
            self.seen += &format!("{}\n", line.trim_end());
        }
        if let Some(folder) = std::env::var_os("PLUGCAST_TRANSCRIPTS") {
            let path = Path::new(&folder).join(format!("{}.txt", self.name));
            let written = std::fs::create_dir_all(&folder);
            let written = written.and_then(|()| std::fs::write(path, self.seen.trim_start()));
            written.expect("transcripts can be written");
        }
    }
}

/// Fails unless the user was told these words.
#[track_caller]
pub fn assert_said(transcript: &Transcript, words: &str) {
    let texts = model_texts(transcript);
    assert!(texts.iter().any(|text| text.contains(words)), "`{words}` is missing in {texts:#?}");
}

/// What the user sees of an event: texts, and how calls begin.
fn seen(event: &Value) -> Vec<String> {
    let (item, part) = (&event["item"], &event["part"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match event["type"].as_str().unwrap_or_default() {
        "assistant" => {
            let content = event["message"]["content"].as_array().into_iter().flatten();
            content
                .filter_map(|part| match part["type"].as_str()? {
                    "text" => Some(text(&part["text"])),
                    "tool_use" => Some(call(&text(&part["name"]), &part["input"])),
                    _ => None,
                })
                .collect()
        }
        "item.completed" if item["type"] == "agent_message" => vec![text(&item["text"])],
        "item.completed" if item["type"] == "command_execution" => vec![call("shell", item)],
        "item.completed" => vec![call(&text(&item["type"]), item)],
        "text" => vec![text(&part["text"])],
        "tool_use" => vec![call(&text(&part["tool"]), &part["state"]["input"])],
        _ => Vec::new(),
    }
}

fn call(tool: &str, input: &Value) -> String {
    let keys = ["command", "file_path", "filePath", "subagent_type", "tool", "message"];
    let words = keys.iter().find_map(|key| input[key].as_str()).unwrap_or_default();
    let first = words.lines().next().unwrap_or_default();
    format!("[{tool}] {}", first.chars().take(240).collect::<String>())
}
