//! OpenCode 1.18.33: a fresh configuration lists the bundle's plugin folders; one server start lists everything and
//! sends the bodies of commands to the scripted model.

mod home;
mod inert_copy;
mod server;

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::Value;

use self::home::{MODULE_DATA, OpenCodeHome};
use self::inert_copy::InertPlugin;
use self::server::{OpenCodeServer, SessionTurn, titles};
use super::emitted_text::constant_lines;
use super::loaded_bundle::{LoadedBundle, LoadedPlugin};
use super::observation::{BodyInvocation, Installation, Invoker, Observation, ObservationScope};
use super::script::{Conversation, ModelReply, ModelRequest, ScriptStep};
use super::session::{Session, SessionOpening, Transcript};
use super::{Driver, HostBinary, text};
use crate::bundle::verification::Method;
use crate::disk::plain_files;
use crate::ledger::ComponentKind;
use crate::temp_dir::TempFolder;

/// The binary of this host.
const FACTS: HostBinary = HostBinary {
    host: "opencode",
    command: "opencode",
    pinned: "1.18.33",
    package: "opencode-ai",
    qualifies_servers: true,
    ..HostBinary::DEFAULT
};
/// The host's message about a server that the driver disables (1.18.33).
const DISABLED_SERVER: &str = "Ignoring MCP config entry without type";
/// How many bodies are invoked in one session, because its requests grow.
const TURNS: usize = 25;

/// The driver.
pub struct OpenCode;

impl Driver for OpenCode {
    fn binary(&self) -> &'static HostBinary {
        &FACTS
    }

    fn needs_ripgrep(&self) -> bool {
        true
    }

    fn invoker(&self, _frontmatter: &str, _body: &str, _scope: ObservationScope) -> Option<Invoker> {
        // Every skill is also a command, and the module runs no commands in a body.
        Some(Invoker::User)
    }

    fn lines(&self, body: &str) -> Vec<String> {
        constant_lines(body).into_iter().map(str::to_owned).collect()
    }

    fn unshown(&self, kind: ComponentKind) -> &'static str {
        match kind {
            ComponentKind::Hook => "the plugin's module runs hooks, and the host has no list of them",
            _ => "the host does not start it without `--allow-exec`",
        }
    }

    fn observe(
        &self,
        bundle: &LoadedBundle,
        bodies: &[BodyInvocation],
        installation: &Installation,
        scope: ObservationScope,
    ) -> Result<Observation> {
        let mut observation = Observation::default();
        let copies = TempFolder::new()?;
        let (mut folders, mut quiet) = (Vec::new(), Vec::new());
        for plugin in &bundle.plugins {
            if scope.allow_exec {
                folders.push(plugin.folder.clone());
                continue;
            }
            match InertPlugin::copy(&plugin.folder, &copies)? {
                Ok(inert) => {
                    folders.push(inert.folder);
                    quiet.extend(inert.servers);
                }
                Err(sentence) => observation.record_error(&plugin.name, sentence),
            }
        }
        if !observation.errors.is_empty() {
            return Ok(observation);
        }
        let home = OpenCodeHome::new(None, &folders, &quiet, installation)?;
        let server = OpenCodeServer::start(&home)?;
        let session = server.session()?;
        let listing = server.prompt(&home, &session, "say ok", conversation())?;
        record_lists(
            &mut observation,
            bundle,
            &folders,
            &server,
            listing.exchange.received.iter().map(|received| &received.request),
            scope,
        )?;
        fault_of(&listing).into_iter().for_each(|fault| observation.record_bundle_error(fault));
        for (at, invocations) in bodies.chunks(TURNS).enumerate() {
            installation.progress.set(format!(
                "{}: bodies {} of {}",
                self.host(),
                at * TURNS + 1,
                bodies.len()
            ));
            let session = server.session()?;
            for invocation in invocations {
                let turn = server.command(&home, &session, &invocation.name, conversation())?;
                // A command with a separate agent is sent to the model there, before the session continues.
                let spoken = turn.exchange.received.iter().rev();
                let spoken = spoken.filter(|received| received.conversation.as_deref() == Some("turn"));
                let compared = spoken.map(|received| invocation.compare(&received.request.latest_text()));
                let result = match (fault_of(&turn), compared.reduce(|first, next| first.or(next))) {
                    (Some(fault), _) => Err(fault),
                    (None, None) => Err("the host sent nothing to the model".to_owned()),
                    (None, Some(result)) => result,
                };
                observation.check(invocation, result);
            }
        }
        for (plugin, folder) in bundle.plugins.iter().zip(&folders) {
            observation.places.push((text(folder), format!("plugins/{}", plugin.name)));
        }
        let output = server.end();
        for line in output.lines().filter(|line| !line.contains(DISABLED_SERVER)) {
            for (plugin, folder) in bundle.plugins.iter().zip(&folders) {
                observation.record_message(
                    plugin,
                    &[text(folder), text(&plugin.folder)],
                    line,
                    FACTS.known_noise,
                );
            }
        }
        Ok(observation)
    }

    fn run(&self, session: Session, installation: &Installation) -> Result<Transcript> {
        let home =
            OpenCodeHome::new(session.loading.home(), &session.loading.plugin_folders()?, &[], installation)?;
        let opening = match &session.opening {
            SessionOpening::Prompt(prompt) => vec!["--".to_owned(), prompt.clone()],
            SessionOpening::Invoke { name, arguments } => {
                let mut words = vec!["--command".to_owned(), name.clone()];
                if !arguments.is_empty() {
                    // The host joins words with blanks, and quotes a word that contains one.
                    words.push("--".to_owned());
                    words.extend(arguments.split(' ').map(str::to_owned));
                }
                words
            }
        };
        home.model.switch_script(session.script.with_conversation(titles()));
        let command = home
            .command(&session.project)
            .arguments(["run", "--format", "json"])
            .arguments(session.arguments)
            .arguments(opening);
        let ended = command.environment(session.environment).run()?;
        Ok(Transcript::new(&ended, home.model.finish()))
    }
}

/// The model answers any number of requests with nothing to do: a command with `subtask` causes one in an agent and
/// then one in the session (1.18.33). The title of the session is a separate conversation.
fn conversation() -> Conversation {
    let done = ScriptStep::reply(ModelReply::text("ok")).any_number();
    Conversation::new("turn", |request| !request.tools.is_empty()).then(done)
}

fn fault_of(turn: &SessionTurn) -> Option<String> {
    let exchange = turn.exchange.rejected.iter().chain(&turn.exchange.unmet);
    turn.refusal.iter().chain(exchange).next().cloned()
}

fn record_lists<'a>(
    observation: &mut Observation,
    bundle: &LoadedBundle,
    folders: &[PathBuf],
    server: &OpenCodeServer,
    requests: impl Iterator<Item = &'a ModelRequest>,
    scope: ObservationScope,
) -> Result<()> {
    let mut lists = Vec::new();
    for path in ["/skill", "/command", "/agent", "/mcp"] {
        match server.get(path)? {
            Ok(list) => lists.push(list),
            // One invalid entry breaks the list for every plugin.
            Err(refusal) => {
                observation.record_bundle_error(format!("`GET {path}` of `opencode serve`: {refusal}"));
                lists.push(Value::Null);
            }
        }
    }
    let names = |list: &Value| -> BTreeSet<String> {
        list.as_array()
            .into_iter()
            .flatten()
            .filter_map(|entry| entry["name"].as_str().map(str::to_owned))
            .collect()
    };
    let (skills, commands, agents) = (names(&lists[0]), names(&lists[1]), names(&lists[2]));
    let offered: String = requests.map(|request| request.system.as_str()).collect();
    for (plugin, folder) in bundle.plugins.iter().zip(folders) {
        let data = plain_files::read(&plugin.folder.join(MODULE_DATA)).unwrap_or_default();
        let data: Value = serde_json::from_str(&data).unwrap_or_default();
        observation.record_listed(plugin, &[ComponentKind::Agent], &agents);
        // A skill is also a command, and is offered to the model if it has a description, unless only the user may
        // start it.
        let mut shown: BTreeSet<String> = skills.union(&commands).cloned().collect();
        for component in plugin.components_of(&[ComponentKind::Skill]) {
            let name = &component.name;
            let for_model = offered.contains(&format!("<name>{name}</name>"));
            let personal = data["bodies"][name]["user_only"] == true;
            let is_offered = !personal && data["bodies"][name]["description"].is_string();
            if !skills.contains(name) || !commands.contains(name) || (is_offered && !for_model) {
                shown.remove(name);
            }
            if personal && for_model {
                observation.record_error(
                    &plugin.name,
                    format!("`{name}` is for users only, but the host offers it to the model"),
                );
            }
        }
        for component in plugin
            .components_of(&[ComponentKind::Command])
            .filter(|component| !commands.contains(&component.name))
        {
            shown.remove(&component.name);
        }
        observation.record_listed(plugin, &[ComponentKind::Skill, ComponentKind::Command], &shown);
        // A skill in the plugin's folder with a name outside of its namespace.
        let inside = format!("{}/", text(folder));
        let entries = lists[0].as_array().map_or(&[][..], Vec::as_slice);
        let ours = entries
            .iter()
            .filter(|entry| entry["location"].as_str().is_some_and(|at| at.starts_with(&inside)));
        let strays = ours.filter_map(|entry| entry["name"].as_str()).filter(|name| {
            !plugin.components_of(&[ComponentKind::Skill]).any(|component| component.name == *name)
        });
        observation.unexpected.extend(strays.map(|name| (plugin.name.clone(), name.to_owned())));
        record_hooks(observation, plugin, &data);
        record_servers(observation, plugin, &lists[3], &data, scope);
    }
    Ok(())
}

/// Hooks run inside the module and the host does not list them: a handler is resolved if the module's data has as many
/// for its event.
fn record_hooks(observation: &mut Observation, plugin: &LoadedPlugin, data: &Value) {
    for component in plugin.components_of(&[ComponentKind::Hook]) {
        let event = component.name.split('/').next().unwrap_or_default();
        let groups = data["hooks"][event].as_array().map_or(&[][..], Vec::as_slice);
        let carried: usize = groups.iter().map(|group| group["hooks"].as_array().map_or(0, Vec::len)).sum();
        let meant = plugin
            .components_of(&[ComponentKind::Hook])
            .filter(|other| other.name.split('/').next() == Some(event))
            .count();
        if carried >= meant {
            observation.record_component(&plugin.name, component, Method::Resolved);
        }
    }
}

fn record_servers(
    observation: &mut Observation,
    plugin: &LoadedPlugin,
    statuses: &Value,
    data: &Value,
    scope: ObservationScope,
) {
    for component in plugin.components_of(&[ComponentKind::McpServer]) {
        let name = component.name.as_str();
        if !scope.allow_exec {
            // The configuration only disables it, so the host lists it only if the module has registered the rest.
            if statuses.get(name).is_some() {
                observation.record_component(&plugin.name, component, Method::Listed);
            } else if data["mcp"].get(name).is_some() {
                observation.record_component(&plugin.name, component, Method::Resolved);
            }
            continue;
        }
        match statuses[name]["status"].as_str() {
            Some("connected") => observation.record_component(&plugin.name, component, Method::Executed),
            Some(status) => {
                observation.record_component(&plugin.name, component, Method::Listed);
                let command = data["mcp"][name]["command"][0].as_str().unwrap_or_default();
                if command.starts_with("./") || command.contains("${CLAUDE_PLUGIN_ROOT}") {
                    observation.record_error(
                        &plugin.name,
                        format!("server `{name}` ships in the bundle but is `{status}`: {}", statuses[name]),
                    );
                }
            }
            None => {}
        }
    }
    let prefix = format!("plugin:{}:", plugin.name);
    for name in statuses
        .as_object()
        .into_iter()
        .flat_map(|statuses| statuses.keys())
        .filter(|name| name.starts_with(&prefix))
    {
        if !plugin.components_of(&[ComponentKind::McpServer]).any(|component| component.name == *name) {
            observation.unexpected.insert((plugin.name.clone(), name.clone()));
        }
    }
}
