//! Claude Code 2.1.330: plugins are loaded by `--plugin-dir`, a whole bundle in one start that reads one message per
//! line, so that names and bodies need no second start.

mod conversation;
mod inventory;
mod listing;
mod source;
mod stand_ins;
mod validation;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::{Value, json};

use self::conversation::{HostConversation, HostTurn};
use self::inventory::InstalledInventory;
use super::emitted_text::{constant_lines, flag, has_value, runs_commands, split_frontmatter};
use super::loaded_bundle::{LoadedBundle, LoadedComponent, LoadedPlugin};
use super::observation::{BodyInvocation, Installation, Invoker, Observation, ObservationScope};
use super::script::{Conversation, ModelReply, ModelRequest, ModelScript, ScriptStep};
use super::session::{Session, Transcript};
use super::source::{SourceLayout, SourceListing};
use super::{Driver, HostBinary, text};
use crate::bundle::verification::Method;
use crate::ledger::ComponentKind;
use crate::model::qualified_name::local_of;
use crate::source::SKILL_FILE;

/// The binary of this host.
const FACTS: HostBinary = HostBinary {
    host: "claude-code",
    command: "claude",
    pinned: "2.1.330",
    package: "@anthropic-ai/claude-code",
    qualifies_servers: true,
    ..HostBinary::DEFAULT
};

/// The start of the message that a command in a body has failed, which may happen in an empty project.
const COMMAND_FAILED: &str = "Shell command failed for pattern";

/// The driver.
pub struct ClaudeCode;

impl Driver for ClaudeCode {
    fn binary(&self) -> &'static HostBinary {
        &FACTS
    }

    fn invoker(&self, frontmatter: &str, body: &str, scope: ObservationScope) -> Option<Invoker> {
        if runs_commands(body) && !scope.allow_exec {
            return None;
        }
        if flag(frontmatter, "user-invocable") != Some(false) {
            return Some(Invoker::User);
        }
        // A body that neither the user nor the model can invoke is never shown.
        (flag(frontmatter, "disable-model-invocation") != Some(true)).then_some(Invoker::Model)
    }

    fn lines(&self, body: &str) -> Vec<String> {
        constant_lines(body).into_iter().map(str::to_owned).collect()
    }

    fn unshown(&self, kind: ComponentKind) -> &'static str {
        match kind {
            ComponentKind::Hook => {
                "the host lists equal handlers of one matcher once, and none of a plugin that it refuses"
            }
            ComponentKind::McpServer => "the host does not list the servers of a refused plugin",
            _ => "its frontmatter hides it from users and from the model",
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
        let mut inventories = BTreeMap::new();
        for plugin in &bundle.plugins {
            let examined = validation::examine(&plugin.name, &plugin.folder, installation)?;
            for refusal in examined.refusals {
                observation.record_error(&plugin.name, refusal);
            }
            inventories.extend(examined.inventory.map(|inventory| (plugin.name.clone(), inventory)));
        }
        let folders: Vec<String> = bundle.plugins.iter().map(|plugin| text(&plugin.folder)).collect();
        let mut talk = HostConversation::start(&folders, installation, scope, |_| Ok(()))?;
        observation.notes.extend(stand_ins::remark(&talk.stand_ins));
        let listing = talk.turn(
            "say ok",
            ModelScript::default().with_conversation(Conversation::new("listing", |_| true).then(end_step())),
        )?;
        let init = init(&listing.events);
        for plugin in &bundle.plugins {
            let inventory = inventories.get(&plugin.name);
            record_names(&mut observation, bundle, plugin, &init, listing.request(), inventory);
            record_servers(&mut observation, plugin, &init, inventory, scope);
            record_hooks(&mut observation, plugin, inventory);
        }
        record_started_hooks(&mut observation, bundle, &listing);
        record_turn(&mut observation, bundle, &listing);
        // The text after a blank is an argument.
        let bodies: Vec<&BodyInvocation> = bodies.iter().filter(|body| !body.name.contains(' ')).collect();
        for (at, invocation) in bodies.iter().enumerate() {
            installation.progress.set(format!("{}: body {} of {}", self.host(), at + 1, bodies.len()));
            let turn = invoke(&mut talk, invocation)?;
            let given: Vec<String> =
                turn.exchange.received.iter().map(|received| received.request.latest_text()).collect();
            if let Some(message) =
                turn.host_messages().into_iter().find(|message| message.starts_with(COMMAND_FAILED))
            {
                observation.notes.push(format!(
                    "`{}` was not compared, since one of its commands fails in an empty project: {message}",
                    invocation.name
                ));
                continue;
            }
            // A skill with a separate context is sent to the model there, before the session continues.
            let compared = given.iter().map(|given| invocation.compare(given));
            let result = match compared.reduce(|first, next| first.or(next)) {
                _ if !turn.faults().is_empty() => Err(turn.faults().join("; ")),
                None => Err("the host sent nothing to the model".to_owned()),
                Some(result) => result,
            };
            observation.check(invocation, result);
            record_turn(&mut observation, bundle, &turn);
        }
        for line in talk.end().lines() {
            record_message(&mut observation, bundle, line);
        }
        Ok(observation)
    }

    fn list_source(
        &self,
        layout: &SourceLayout,
        installation: &Installation,
        scope: ObservationScope,
    ) -> Result<SourceListing> {
        source::list(layout, installation, scope)
    }

    fn run(&self, session: Session, installation: &Installation) -> Result<Transcript> {
        let prompt = session.opening.prompt('/');
        conversation::session(session, &prompt, installation)
    }
}

/// Invokes one body: typed by the user, or called by the model through the host's skill tool.
fn invoke(talk: &mut HostConversation, invocation: &BodyInvocation) -> Result<HostTurn> {
    let name = invocation.name.clone();
    match invocation.way {
        Invoker::User => talk.turn(
            &format!("/{name}"),
            ModelScript::default().with_conversation(Conversation::new(name, |_| true).then(end_step())),
        ),
        Invoker::Model => {
            let call = ScriptStep::reply(ModelReply::call("Skill", json!({ "skill": name })));
            talk.turn(
                "use the skill",
                ModelScript::default()
                    .with_conversation(Conversation::new(name, |_| true).then(call).then(end_step())),
            )
        }
    }
}

/// The host's first event.
fn init(events: &[Value]) -> Value {
    events.iter().find(|event| event["subtype"] == "init").cloned().unwrap_or_default()
}

/// The names in a list of the host's first event, without the trailing line break of a YAML block scalar.
fn names(init: &Value, key: &str) -> BTreeSet<String> {
    let list = init[key].as_array().into_iter().flatten();
    list.filter_map(|name| name.as_str().map(|name| name.trim_matches(char::is_control).to_owned())).collect()
}

/// The model answers any number of requests with nothing to do: a skill may have a separate context, and a plugin's
/// hook may cause another request.
fn end_step() -> ScriptStep {
    ScriptStep::reply(ModelReply::text(conversation::REPLY)).any_number()
}

fn record_names(
    observation: &mut Observation,
    bundle: &LoadedBundle,
    plugin: &LoadedPlugin,
    init: &Value,
    request: Option<&ModelRequest>,
    inventory: Option<&InstalledInventory>,
) {
    let (typed, agents) = (names(init, "slash_commands"), names(init, "agents"));
    let listed = request.map(|request| listing::names(&request.all_text())).unwrap_or_default();
    observation.record_listed(plugin, &[ComponentKind::Agent], &agents);
    // There is one list for the user and one for the model: a component must be in each list that its frontmatter
    // selects.
    let mut shown: BTreeSet<String> = typed.union(&listed).cloned().collect();
    for component in plugin.components_of(&[ComponentKind::Skill, ComponentKind::Command]) {
        let file = component.file.as_deref();
        let text = file.and_then(|file| bundle.component_text(&component.name, file)).unwrap_or_default();
        let frontmatter = split_frontmatter(&text).0;
        let by_person = flag(frontmatter, "user-invocable") != Some(false);
        // Without a description, a plugin's skill or command is not listed for the model.
        let name = &component.name;
        let manifest = format!("plugins/{}/.claude-plugin/plugin.json", plugin.name);
        let is_offered = |head: &str, described: bool| {
            flag(head, "disable-model-invocation") != Some(true)
                && (described || has_value(head, "description"))
        };
        // A command that hides a skill is listed with the description of the skill.
        let local = local_of(name);
        let hidden = bundle.text(&format!("plugins/{}/skills/{local}/{SKILL_FILE}", plugin.name));
        let hidden = hidden.ok().filter(|_| component.kind == ComponentKind::Command).unwrap_or_default();
        let by_model = is_offered(frontmatter, bundle.is_described_in(&manifest, name))
            || is_offered(split_frontmatter(&hidden).0, false);
        if (by_person && !typed.contains(name)) || (by_model && !listed.contains(name)) {
            shown.remove(name);
        } else if !by_person && !by_model {
            // Its frontmatter hides it from both, as intended.
            observation.record_component(&plugin.name, component, Method::Resolved);
        }
        if !by_model && listed.contains(name) {
            observation.record_error(
                &plugin.name,
                format!("`{name}` is for users only, but the host offers it to the model"),
            );
        }
    }
    // Workflows are listed among the skills; they are expected if the bundle has as many files.
    let workflows = inventory.map(|inventory| &inventory.workflows);
    if let Some(workflows) = workflows.filter(|workflows| workflows.len() <= plugin.workflows) {
        let meant: BTreeSet<&String> = plugin
            .components_of(&[ComponentKind::Skill, ComponentKind::Command])
            .map(|component| &component.name)
            .collect();
        shown.retain(|name| !workflows.contains(name) || meant.contains(name));
    }
    observation.record_listed(plugin, &[ComponentKind::Skill, ComponentKind::Command], &shown);
}

/// Finds hooks in the host's list, which contains equal handlers of a group once (2.1.330). The ledger numbers the
/// handlers of the source, some of which a build may leave out: the n-th remaining handler of a group is the n-th in
/// the list. Without a list, the host has refused the plugin, which is reported separately.
fn record_hooks(
    observation: &mut Observation,
    plugin: &LoadedPlugin,
    inventory: Option<&InstalledInventory>,
) {
    let mut groups: BTreeMap<&str, Vec<(usize, &LoadedComponent)>> = BTreeMap::new();
    for component in plugin.components_of(&[ComponentKind::Hook]) {
        let (group, number) = component.name.rsplit_once('/').unwrap_or((component.name.as_str(), ""));
        groups.entry(group).or_default().push((number.parse().unwrap_or(usize::MAX), component));
    }
    let mut meant = BTreeSet::new();
    for (group, mut handlers) in groups {
        handlers.sort_by_key(|(number, _)| *number);
        for (at, (_, component)) in handlers.into_iter().enumerate() {
            let listed = |number: usize| {
                inventory.is_none_or(|inventory| inventory.hooks.contains(&format!("{group}/{number}")))
            };
            if inventory.is_some() && listed(at + 1) {
                observation.record_component(&plugin.name, component, Method::Listed);
            } else if listed(1) {
                observation.record_component(&plugin.name, component, Method::Resolved);
            }
            meant.insert(format!("{group}/{}", at + 1));
        }
    }
    let strays = inventory.into_iter().flat_map(|inventory| inventory.hooks.difference(&meant));
    observation.unexpected.extend(strays.map(|name| (plugin.name.clone(), name.clone())));
}

/// Marks the handlers of an event as executed if as many were started as the bundle has.
fn record_started_hooks(observation: &mut Observation, bundle: &LoadedBundle, listing: &HostTurn) {
    let of_event = |event: &str| -> usize {
        let components =
            bundle.plugins.iter().flat_map(|plugin| plugin.components_of(&[ComponentKind::Hook]));
        components.filter(|component| component.name.split('/').next() == Some(event)).count()
    };
    let started = |event: &str| -> usize {
        listing
            .events
            .iter()
            .filter(|started| started["subtype"] == "hook_started" && started["hook_event"] == event)
            .count()
    };
    for plugin in &bundle.plugins {
        for component in plugin.components_of(&[ComponentKind::Hook]) {
            let event = component.name.split('/').next().unwrap_or_default();
            if started(event) == of_event(event) {
                observation.record_component(&plugin.name, component, Method::Executed);
            }
        }
    }
}

/// Finds servers by their status after a start; those that must not start, by the host's list.
fn record_servers(
    observation: &mut Observation,
    plugin: &LoadedPlugin,
    init: &Value,
    inventory: Option<&InstalledInventory>,
    scope: ObservationScope,
) {
    let servers = init["mcp_servers"].as_array().map_or(&[][..], Vec::as_slice);
    for component in plugin.components_of(&[ComponentKind::McpServer]) {
        let found = servers.iter().find(|server| server["name"] == component.name.as_str());
        let status = found.and_then(|server| server["status"].as_str());
        match (scope.allow_exec, status) {
            (false, _) => match inventory {
                Some(list) if !list.servers.contains(super::own_name(&plugin.name, &component.name)) => {}
                Some(_) => observation.record_component(&plugin.name, component, Method::Listed),
                None => observation.record_component(&plugin.name, component, Method::Resolved),
            },
            (true, Some("connected")) => {
                observation.record_component(&plugin.name, component, Method::Executed)
            }
            (true, Some(status)) => {
                observation.record_component(&plugin.name, component, Method::Listed);
                if listing::ships(plugin, super::own_name(&plugin.name, &component.name)) {
                    observation.record_error(
                        &plugin.name,
                        format!("server `{}` ships in the bundle but is `{status}`", component.name),
                    );
                }
            }
            (true, None) => {}
        }
    }
    let meant: BTreeSet<&str> = plugin
        .components_of(&[ComponentKind::McpServer])
        .map(|server| super::own_name(&plugin.name, &server.name))
        .collect();
    let listed = inventory.into_iter().flat_map(|inventory| &inventory.servers);
    let strays = listed.filter(|name| !meant.contains(name.as_str()));
    observation.unexpected.extend(strays.map(|name| (plugin.name.clone(), name.clone())));
}

fn record_turn(observation: &mut Observation, bundle: &LoadedBundle, turn: &HostTurn) {
    for event in &turn.events {
        for error in event["plugin_errors"].as_array().into_iter().flatten() {
            let sentence = format!(
                "{}: {}",
                error["type"].as_str().unwrap_or("error"),
                error["message"].as_str().unwrap_or_default()
            );
            let known = observation.errors.iter().any(|(_, heard)| *heard == sentence);
            let plugin = bundle.plugins.iter().find(|plugin| {
                error["plugin"]
                    .as_str()
                    .is_some_and(|name| name == plugin.name || name.starts_with(&format!("{}@", plugin.name)))
            });
            match plugin {
                Some(plugin) if !known => observation.record_error(&plugin.name, sentence),
                _ => record_message(observation, bundle, &sentence),
            }
        }
    }
}

fn record_message(observation: &mut Observation, bundle: &LoadedBundle, message: &str) {
    for plugin in &bundle.plugins {
        observation.record_message(plugin, &[text(&plugin.folder)], message, FACTS.known_noise);
    }
}
