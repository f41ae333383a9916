//! Starts Claude Code: a clean environment, a fresh home, a scripted model, and one message per line
//! on standard input.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::stand_ins;
use crate::drivers::anthropic_messages::AnthropicMessages;
use crate::drivers::model_server::{FixedAnswer, ModelServer, texts_of};
use crate::drivers::observation::{Installation, LIMIT, ObservationScope};
use crate::drivers::script::{Exchange, ModelRequest, ModelScript};
use crate::drivers::session::{Session, Transcript};
use crate::drivers::text;
use crate::drivers::workspace::HostWorkspace;
use crate::process::{ChildCommand, ChildLine, RunningChild};

/// What the scripted model answers to everything.
pub const REPLY: &str = "ok";

/// The host's requests outside of conversations: a check that the server is reachable.
const FIXED_ANSWERS: &[FixedAnswer] = &[FixedAnswer { method: "HEAD", path: "/", status: 200, body: "{}" }];

/// Settings that enable the plugins of `--plugin-dir`, including those that are off by default (`defaultEnabled`); and,
/// if their code must not run, that disable hooks and commands in bodies (2.1.330).
fn settings(plugins: &[String], scope: ObservationScope) -> String {
    let name = |folder: &String| {
        let folder = Path::new(folder);
        let manifest = stand_ins::manifest(folder);
        let own = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        manifest["name"].as_str().map(str::to_owned).or(own)
    };
    let on: serde_json::Map<String, Value> =
        plugins.iter().filter_map(name).map(|name| (format!("{name}@inline"), true.into())).collect();
    let mut settings = json!({ "enabledPlugins": on });
    if !scope.allow_exec {
        settings["disableAllHooks"] = true.into();
        settings["disableSkillShellExecution"] = true.into();
    }
    settings.to_string()
}

/// The environment of every start. No request leaves the machine: everything except the scripted model is directed to a
/// port where nothing listens.
pub fn environment(model: Option<&ModelServer>) -> Vec<(&'static str, String)> {
    let fixed = [
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_MAX_RETRIES", "0"),
        ("HTTPS_PROXY", "http://127.0.0.1:9"),
        ("NO_PROXY", "127.0.0.1"),
        // Makes servers connect before the first event, which otherwise reports them as `pending`.
        ("MCP_CONNECTION_NONBLOCKING", "0"),
        // Otherwise the listing is truncated to 8000 characters, and names would seem to be missing.
        ("SLASH_COMMAND_TOOL_CHAR_BUDGET", "1000000"),
    ];
    let mut pairs = fixed.map(|(key, value)| (key, value.to_owned())).to_vec();
    if let Some(model) = model {
        pairs.push(("ANTHROPIC_BASE_URL", model.address()));
        pairs.push(("ANTHROPIC_API_KEY", "scripted".to_owned()));
    }
    pairs
}

/// A running host that receives one message after another.
pub struct HostConversation {
    host: RunningChild,
    model: ModelServer,
    /// Dependencies that empty plugins stand in for.
    pub stand_ins: BTreeSet<String>,
    _workspace: HostWorkspace,
}

/// The result of one message.
pub struct HostTurn {
    /// The host's events up to the result.
    pub events: Vec<Value>,
    /// What passed between the host and the model.
    pub exchange: Exchange,
}

impl HostTurn {
    /// The first request that reached the model.
    pub fn request(&self) -> Option<&ModelRequest> {
        self.exchange.received.first().map(|received| &received.request)
    }

    /// The messages of the host itself in place of the model: a message of a model that does not exist (2.1.330), or a
    /// user message in a separate tag (2.1.197).
    pub fn host_messages(&self) -> Vec<String> {
        let mut host_messages = Vec::new();
        for event in &self.events {
            let message = &event["message"];
            let text = texts_of(&message["content"]).join("\n");
            // The answer of a skill with a separate context is not from a model, either.
            let answered = text.trim() == REPLY;
            if message["model"] == "<synthetic>" && !answered || text.contains("<local-command-stderr>") {
                host_messages.push(text);
            }
        }
        host_messages
    }

    /// How the turn deviates from the script.
    pub fn faults(&self) -> Vec<String> {
        let exchange = self.exchange.rejected.iter().chain(&self.exchange.unmet).cloned();
        self.host_messages().into_iter().chain(exchange).collect()
    }
}

impl HostConversation {
    /// Starts the host with these plugin folders. Without `--allow-exec`, hooks and commands in bodies are disabled by
    /// settings, and servers by `--strict-mcp-config`. `prepare` may write into the fresh home.
    pub fn start(
        plugins: &[String],
        installation: &Installation,
        scope: ObservationScope,
        prepare: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        let workspace = HostWorkspace::new(None, installation)?;
        prepare(workspace.home())?;
        let stand_ins = stand_ins::unmet(plugins);
        let folders = [plugins, &stand_ins::write(&stand_ins, workspace.home())?].concat();
        let model = ModelServer::start(&AnthropicMessages, FIXED_ANSWERS)?;
        let mut command = print_mode(&workspace, workspace.project(), &folders)
            .arguments(["--input-format", "stream-json", "--include-hook-events"])
            .arguments(["--allowedTools", if scope.allow_exec { "Skill,Bash" } else { "Skill" }])
            // Ignore settings and instructions of the folders above the project.
            .arguments(["--setting-sources", "user"])
            .environment(environment(Some(&model)))
            .environment([("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1")]);
        command = command.arguments(["--settings", &settings(&folders, scope)]);
        if !scope.allow_exec {
            command = command.argument("--strict-mcp-config");
        }
        let host = command.start().with_context(|| workspace.not_started())?;
        Ok(Self { host, model, stand_ins, _workspace: workspace })
    }

    /// Sends a message and reads events up to its result.
    pub fn turn(&mut self, message: &str, script: ModelScript) -> Result<HostTurn> {
        self.model.switch_script(script);
        let line = json!({ "type": "user", "message": { "role": "user", "content": message } });
        // Ignore the error: if the host has ended, the read below reports it with its standard error.
        let _ = self.host.write_line(&line.to_string());
        let mut events = Vec::new();
        loop {
            match self.host.next_line() {
                ChildLine::Text(line) => {
                    let event: Value = serde_json::from_str(&line).unwrap_or_default();
                    let last = event["type"] == "result";
                    events.push(event);
                    if last {
                        return Ok(HostTurn { events, exchange: self.model.finish() });
                    }
                }
                ChildLine::End => {
                    bail!("the host ended before it answered: {}", self.host.stderr_so_far().trim())
                }
                ChildLine::Late => bail!("the host did not answer within {} s", LIMIT.as_secs()),
            }
        }
    }

    /// Ends the host and returns what it wrote to standard error.
    pub fn end(mut self) -> String {
        self.host.finish_reading();
        self.host.end()
    }
}

fn print_mode(workspace: &HostWorkspace, project: &Path, plugins: &[String]) -> ChildCommand {
    let mut command = workspace.command(project).argument("-p");
    for plugin in plugins {
        command = command.arguments(["--plugin-dir", plugin]);
    }
    command.arguments(["--output-format", "stream-json", "--verbose"])
}

/// Runs one session for a test.
pub fn session(session: Session, prompt: &str, installation: &Installation) -> Result<Transcript> {
    let workspace = HostWorkspace::new(session.loading.home(), installation)?;
    let model = ModelServer::start(&AnthropicMessages, FIXED_ANSWERS)?;
    model.switch_script(session.script);
    let plugins: Vec<String> = session.loading.plugin_folders()?.iter().map(|folder| text(folder)).collect();
    let mut command = print_mode(&workspace, &session.project, &plugins)
        .arguments(session.arguments)
        .environment(environment(Some(&model)))
        .environment(session.environment);
    if !session.allowed_tools.is_empty() {
        command = command.arguments(["--allowedTools", &session.allowed_tools.join(",")]);
    }
    // Pass the prompt on standard input, where no part of it can be parsed as an option.
    let ended = command.input(prompt).run().with_context(|| workspace.not_started())?;
    Ok(Transcript::new(&ended, model.finish()))
}
