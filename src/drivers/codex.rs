//! Codex 0.169.0: plugins are added from the bundle's marketplace file into a fresh home; the app
//! server lists skills and hooks; custom agents and bodies are seen in a model request.

mod app_server;
mod exec;
mod home;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::{Value, json};

use self::app_server::AppServer;
use self::home::CodexHome;
use super::loaded_bundle::{LoadedBundle, LoadedComponent, LoadedPlugin};
use super::observation::{BodyInvocation, Installation, Invoker, Observation, ObservationScope};
use super::script::{Conversation, ModelReply, ModelRequest, ModelScript, ScriptStep};
use super::session::{Session, SessionLoad, Transcript};
use super::{Driver, HostBinary};
use crate::bundle::verification::Method;
use crate::disk::plain_files;
use crate::ledger::ComponentKind;
use crate::source::SKILL_FILE;

/// The binary of this host.
const FACTS: HostBinary = HostBinary {
    host: "codex",
    command: "codex",
    pinned: "0.169.0",
    package: "@openai/codex",
    ..HostBinary::DEFAULT
};

/// The file with the servers of a plugin, and the key in it.
const SERVERS: &str = ".mcp.json";
const SERVERS_KEY: &str = "mcpServers";
/// How many skills are mentioned in one prompt.
const MENTIONS: usize = 50;

/// The driver.
pub struct Codex;

impl Driver for Codex {
    fn binary(&self) -> &'static HostBinary {
        &FACTS
    }

    fn carries_ripgrep(&self) -> bool {
        true
    }

    fn invoker(&self, _frontmatter: &str, _body: &str, _scope: ObservationScope) -> Option<Invoker> {
        // The host runs no commands in a body, and the user can mention every skill.
        Some(Invoker::User)
    }

    fn lines(&self, body: &str) -> Vec<String> {
        // Nothing is substituted: every line must be sent.
        body.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    fn unshown(&self, _kind: ComponentKind) -> &'static str {
        "the host does not list it without a model"
    }

    fn observe(
        &self,
        bundle: &LoadedBundle,
        bodies: &[BodyInvocation],
        installation: &Installation,
        scope: ObservationScope,
    ) -> Result<Observation> {
        let mut observation = Observation::default();
        let home = CodexHome::new(
            &bundle.root,
            bundle.plugins.iter().map(|plugin| plugin.name.as_str()),
            installation,
        )?;
        observation.errors.extend(home.refused.iter().cloned());
        if home.marketplace.is_empty() {
            return Ok(observation);
        }
        for plugin in &bundle.plugins {
            let name = &plugin.name;
            observation.places.push((home.copy_of(name), format!("plugins/{name}")));
            observation.places.push((home.agents_of(name), format!("agents/{name}")));
        }
        let servers = match scope.allow_exec {
            true => home.servers()?,
            false => {
                let emitted = bundle.plugins.iter().flat_map(|plugin| emitted_servers(bundle, plugin));
                home.disabled_servers(&emitted.collect())?
            }
        };
        for plugin in &bundle.plugins {
            record_servers(&mut observation, bundle, plugin, &home, &servers);
        }
        record_lists(&mut observation, bundle, &home)?;
        // The first run also shows the agents, so there must be one even without mentions.
        let mut runs: Vec<&[BodyInvocation]> = bodies.chunks(MENTIONS).collect();
        if runs.is_empty() {
            runs.push(&[]);
        }
        for (number, invocations) in runs.into_iter().enumerate() {
            let begun = number * MENTIONS + 1;
            installation.progress.set(format!("{}: bodies {begun} of {}", self.host(), bodies.len()));
            let mentions: Vec<String> =
                invocations.iter().map(|invocation| format!("${}", invocation.name)).collect();
            let script = ModelScript::default().with_conversation(
                Conversation::new("mentions", |_| true).then(ScriptStep::reply(ModelReply::text("ok"))),
            );
            let transcript = exec::prompt(
                &home,
                home.project(),
                &format!("say ok {}", mentions.join(" ")),
                script,
                &[],
                Vec::new(),
            )?;
            for message in
                exec::errors(&transcript.events).iter().map(String::as_str).chain(transcript.stderr.lines())
            {
                record_message(&mut observation, bundle, &home, message);
            }
            for fault in transcript.faults() {
                observation.record_bundle_error(format!("`codex exec`: {fault}"));
            }
            let Some(received) = transcript.exchange.received.first() else { continue };
            if number == 0 {
                record_request(&mut observation, bundle, &received.request, &servers, &home, scope);
            }
            for invocation in invocations {
                let result = match exec::injected_skill(&received.request, &invocation.name) {
                    Some(given) => invocation.compare(given),
                    None => Err(format!("the host does not inject it for `${}`", invocation.name)),
                };
                observation.check(invocation, result);
            }
        }
        Ok(observation)
    }

    fn run(&self, session: Session, installation: &Installation) -> Result<Transcript> {
        let prompt = session.opening.prompt('$');
        let home = match &session.loading {
            SessionLoad::Home(folder) => CodexHome::open(folder, installation)?,
            SessionLoad::Bundle { folder, .. } => {
                let plugins = session.loading.plugin_folders()?;
                let names = plugins.iter().filter_map(|plugin| plugin.file_name()?.to_str());
                CodexHome::new(&plain_files::absolute(folder)?, names, installation)?
            }
        };
        if let Some((_, refusal)) = home.refused.first() {
            anyhow::bail!("{refusal}");
        }
        exec::session(&home, session, &prompt)
    }
}

/// Skills, commands that became skills, and hooks, from one start of the app server.
fn record_lists(observation: &mut Observation, bundle: &LoadedBundle, home: &CodexHome) -> Result<()> {
    let mut server = AppServer::start(home)?;
    let folders = json!([home.project()]);
    let skills = server.call("skills/list", &json!({ "cwds": folders, "forceReload": true }))?;
    let hooks = server.call("hooks/list", &json!({ "cwds": folders }))?;
    drop(server);
    let (skills, hooks) = (&skills["data"][0], &hooks["data"][0]);
    let entries = |list: &Value| list.as_array().cloned().unwrap_or_default();
    for plugin in &bundle.plugins {
        let id = home.id(&plugin.name);
        let ours = |entry: &&Value| entry["pluginId"] == id.as_str();
        let names = entries(&skills["skills"]);
        let listed: BTreeSet<String> =
            names.iter().filter(ours).filter_map(|skill| skill["name"].as_str().map(str::to_owned)).collect();
        observation.record_listed(plugin, &[ComponentKind::Skill, ComponentKind::Command], &listed);
        for stray in listed.iter().filter(|name| !name.starts_with(&format!("{}:", plugin.name))) {
            observation.unexpected.insert((plugin.name.clone(), stray.clone()));
        }
        record_hooks(observation, plugin, &entries(&hooks["hooks"]).iter().filter(ours).collect::<Vec<_>>());
    }
    // The home contains only the bundle and the host's own skills, so every message is about the bundle.
    for list in [&skills["errors"], &hooks["errors"], &hooks["warnings"]] {
        for entry in entries(list) {
            let message = match (entry["path"].as_str(), entry["message"].as_str()) {
                (Some(path), Some(message)) => format!("{path}: {message}"),
                _ => entry.as_str().map_or_else(|| entry.to_string(), str::to_owned),
            };
            let owner = bundle.plugins.iter().find(|plugin| message.contains(&home.copy_of(&plugin.name)));
            observation.errors.push((owner.map(|plugin| plugin.name.clone()), message));
        }
    }
    Ok(())
}

/// Hooks by event: matchers are rewritten for this host, so the n-th handler of an event in the
/// ledger's order is the n-th in the host's.
fn record_hooks(observation: &mut Observation, plugin: &LoadedPlugin, listed: &[&Value]) {
    let mut left: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for hook in listed {
        let event = hook["eventName"].as_str().unwrap_or_default();
        let event: String =
            event.chars().take(1).flat_map(char::to_uppercase).chain(event.chars().skip(1)).collect();
        let matcher = hook["matcher"].as_str().filter(|matcher| !matcher.is_empty()).unwrap_or("*");
        let names = left.entry(event.clone()).or_default();
        names.push(format!("{event}/{matcher}/{}", names.len() + 1));
    }
    for component in plugin.components_of(&[ComponentKind::Hook]) {
        let event = component.name.split('/').next().unwrap_or_default();
        if left.get_mut(event).is_some_and(|names| !names.is_empty() && !names.remove(0).is_empty()) {
            observation.record_component(&plugin.name, component, Method::Listed);
        }
    }
    observation.unexpected.extend(left.into_values().flatten().map(|name| (plugin.name.clone(), name)));
}

/// The names of the servers in the file of a plugin of the bundle.
fn emitted_servers(bundle: &LoadedBundle, plugin: &LoadedPlugin) -> BTreeSet<String> {
    let text = bundle.text(&format!("plugins/{}/{SERVERS}", plugin.name)).ok();
    let document: Value = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let servers = document.get(SERVERS_KEY).unwrap_or(&document);
    servers.as_object().into_iter().flat_map(|servers| servers.keys().cloned()).collect()
}

/// The host's entry of a server of this plugin, not one of the same name from another plugin.
fn server_of<'a>(
    servers: &'a [Value],
    bundle: &LoadedBundle,
    home: &CodexHome,
    plugin: &str,
    name: &str,
) -> Option<&'a Value> {
    servers.iter().filter(|server| server["name"] == name).find(|server| {
        let entry = server["transport"].to_string();
        let others = bundle.plugins.iter().filter(|other| other.name != plugin);
        !others.into_iter().any(|other| entry.contains(&home.copy_of(&other.name)))
    })
}

fn record_servers(
    observation: &mut Observation,
    bundle: &LoadedBundle,
    plugin: &LoadedPlugin,
    home: &CodexHome,
    servers: &[Value],
) {
    for component in plugin.components_of(&[ComponentKind::McpServer]) {
        if server_of(servers, bundle, home, &plugin.name, &component.name).is_some() {
            observation.record_component(&plugin.name, component, Method::Listed);
        }
    }
    let copy = home.copy_of(&plugin.name);
    let means = |plugin: &LoadedPlugin, name: &str| {
        plugin.components_of(&[ComponentKind::McpServer]).any(|component| component.name == name)
    };
    // The fresh home has no other servers: an unassigned one is reported for the first plugin.
    let is_first = bundle.plugins.first().is_some_and(|first| first.name == plugin.name);
    for server in servers {
        let name = server["name"].as_str().unwrap_or_default();
        let own = server["transport"].to_string().contains(&copy) && !means(plugin, name);
        if own || is_first && !bundle.plugins.iter().any(|plugin| means(plugin, name)) {
            observation.unexpected.insert((plugin.name.clone(), name.to_owned()));
        }
    }
}

/// What a model request shows: custom agents, and the tools of servers that were started.
fn record_request(
    observation: &mut Observation,
    bundle: &LoadedBundle,
    request: &ModelRequest,
    servers: &[Value],
    home: &CodexHome,
    scope: ObservationScope,
) {
    let roles: BTreeSet<String> = exec::roles(request).into_iter().collect();
    let offered = request.texts.iter().find(|spoken| spoken.text.starts_with("<skills_instructions>"));
    let offered = offered.map_or("", |spoken| spoken.text.as_str());
    for plugin in &bundle.plugins {
        observation.record_listed(plugin, &[ComponentKind::Agent], &roles);
        for component in plugin
            .components_of(&[ComponentKind::Skill, ComponentKind::Command])
            .filter(|component| is_personal(bundle, component))
        {
            if offered.contains(&format!("\n- {}: ", component.name)) {
                observation.record_error(
                    &plugin.name,
                    format!("`{}` is for users only, but the host offers it to the model", component.name),
                );
            }
        }
        for component in plugin.components_of(&[ComponentKind::McpServer]).filter(|_| scope.allow_exec) {
            let group = format!("mcp__{}", component.name.replace('-', "_"));
            let offered = request
                .tools
                .iter()
                .any(|tool| tool.namespace.as_deref() == Some(&group) || tool.name == group);
            let entry = server_of(servers, bundle, home, &plugin.name, &component.name);
            let ships = entry
                .is_some_and(|entry| entry["transport"].to_string().contains(&home.copy_of(&plugin.name)));
            if offered {
                observation.record_component(&plugin.name, component, Method::Executed);
            } else if ships {
                observation.record_error(
                    &plugin.name,
                    format!(
                        "server `{}` ships in the bundle, but offers no tool to the model",
                        component.name
                    ),
                );
            }
        }
    }
}

/// Whether the skill's policy file hides it from the model.
fn is_personal(bundle: &LoadedBundle, component: &LoadedComponent) -> bool {
    let folder = component.file.as_deref().and_then(|file| file.strip_suffix(SKILL_FILE));
    let policy = folder.and_then(|folder| bundle.text(&format!("{folder}agents/openai.yaml")).ok());
    policy.is_some_and(|policy| policy.contains("allow_implicit_invocation: false"))
}

fn record_message(observation: &mut Observation, bundle: &LoadedBundle, home: &CodexHome, message: &str) {
    for plugin in &bundle.plugins {
        let places = [home.copy_of(&plugin.name), home.agents_of(&plugin.name)];
        observation.record_message(plugin, &places, message, FACTS.known_noise);
    }
}
