//! Hooks in the host's own form: events that fire, handlers that run, matchers that match there, and
//! a row for whatever a hook has less of. Several files and the manifest are merged event by event.

mod exclusion;
mod gate;
mod matcher;
mod script;
mod script_files;
mod server_pattern;
mod tool_call;

use serde_json::{Map, Value as Json, json};

use super::{LoweredBundle, LoweringContext, hooks_and_servers, rows};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::hook::Hook;
use crate::model::plugin::{OtherBody, OtherComponent};
use crate::read::tree::{MappingEntry, Node, escaped};
use crate::target::{Axis, HookFacts};

use gate::HookCondition;
use matcher::HookMatchers;

/// Groups of an event, each with the place that it comes from.
type HookGroups = Vec<(String, Json)>;

/// Lowers every hook of the plugin: events with their groups, in the order of the source.
pub(super) fn lower(
    scene: &LoweringContext<'_>,
    facts: &HookFacts,
    cast: &mut LoweredBundle,
) -> Option<Json> {
    let mut events: Vec<(String, HookGroups)> = Vec::new();
    let mut described = script::DescribedScripts::default();
    let mut matchers = HookMatchers::default();
    for other in &scene.plugin.others {
        let OtherBody::Hook(hook) = &other.body else { continue };
        let Some((matcher, handler)) = one(scene, facts, other, hook, (&mut described, &mut matchers), cast)
        else {
            continue;
        };
        let at = events.iter().position(|(event, _)| *event == hook.event).unwrap_or_else(|| {
            events.push((hook.event.clone(), Vec::new()));
            events.len() - 1
        });
        let groups = &mut events[at].1;
        let is_another = |(group, there): &(String, Json)| {
            *group != hook.group || there.get("matcher").and_then(Json::as_str) != matcher.as_deref()
        };
        if groups.last().is_none_or(is_another) {
            let mut group = Map::new();
            if let Some(matcher) = matcher {
                group.insert("matcher".into(), matcher.into());
            }
            group.insert("hooks".into(), json!([]));
            groups.push((hook.group.clone(), Json::Object(group)));
        }
        if let Some(Json::Array(handlers)) = groups.last_mut().and_then(|(_, group)| group.get_mut("hooks")) {
            handlers.push(handler);
        }
    }
    if events.is_empty() {
        return None;
    }
    let events = events
        .into_iter()
        .map(|(event, groups)| (event, groups.into_iter().map(|(_, group)| group).collect::<Json>()));
    Some(Json::Object(events.collect()))
}

/// One handler with its matcher; `None` when the host gets none.
fn one(
    scene: &LoweringContext<'_>,
    facts: &HookFacts,
    other: &OtherComponent,
    hook: &Hook,
    (described, matchers): (&mut script::DescribedScripts, &mut HookMatchers),
    cast: &mut LoweredBundle,
) -> Option<(Option<String>, Json)> {
    let axis = axis(scene, hook);
    let since = cast.rows.len();
    let row = rows::other(scene, other);
    let lost = |row: LedgerRow, axis: Axis, reason: &str| {
        row.became(RowOutcome::Dropped, reason).loss(
            axis.id(),
            axis.floor(),
            (ComponentKind::Hook, &other.name),
            "",
        )
    };
    let kind = hook.node.get("type").and_then(Node::as_str).unwrap_or_default();
    let refused = if let Some(fault) = &other.fault {
        Some((if other.guards { Axis::HookBlocking } else { Axis::Unreadable }, fault.clone()))
    } else if !facts.events.contains(&hook.event) {
        Some((axis, facts.event_loss.clone()))
    } else if !facts.handlers.iter().any(|known| known == kind) {
        Some((axis, facts.handler_loss.clone()))
    } else {
        tool_call::server(scene, hook).and_then(Result::err).map(|reason| (axis, reason))
    };
    if let Some((axis, reason)) = refused {
        cast.rows.push(lost(row, axis, &reason));
        return None;
    }
    let gate = gate::of(scene.source, hook);
    if let HookCondition::Never(reason) = gate {
        // Nothing is lost by it, and the source host lists it.
        cast.rows.push(lost(row, Axis::Metadata, &reason));
        return None;
    }
    // Where the host knows no such rules, its matcher can still name the tool.
    let tool = match gate {
        HookCondition::Tool { name, .. } if facts.gate_loss.is_some() => Some(name),
        _ => None,
    };
    let matched = matchers.rewrite(scene, facts, hook, tool);
    if let Some(reason) = &matched.refused {
        cast.rows.push(lost(row, axis, reason));
        return None;
    }
    if matched.never {
        let what = match tool {
            Some(tool) => format!("no call can fit its `if`, which is about `{tool}`"),
            None => "its matcher can never match".to_owned(),
        };
        let reason = format!("{what}: {}", facts.matcher_loss.as_deref().unwrap_or_default());
        cast.rows.push(lost(row, axis, &reason));
        return None;
    }
    if let Some(row) = matcher_row(scene, facts, other, hook, &matched, axis, tool)
        && matchers.is_new(&row)
    {
        cast.rows.push(row);
    }
    cast.rows.extend(gate_row(scene, facts, other, hook, &gate, &matched));
    let handler = handler(scene, facts, other, hook, cast);
    hooks_and_servers::secrets(scene, other, since, cast);
    script::describe(scene, facts, other, hook, described, cast);
    let differs = facts.differs.get(&hook.event);
    let unheard = facts.unheard.get(&hook.event);
    let special: Vec<&str> = facts.trust.iter().chain(differs).chain(unheard).map(String::as_str).collect();
    let row = row.to(hooks_and_servers::place(scene, &facts.path));
    cast.rows.push(if special.is_empty() {
        row.became(RowOutcome::Mapped, "it runs as on the source host")
    } else {
        let axis = if unheard.is_some() { axis } else { Axis::Hooks };
        row.became(RowOutcome::Degraded, special.join("; ")).loss(
            axis.id(),
            axis.floor(),
            (ComponentKind::Hook, &other.name),
            "",
        )
    });
    Some((matched.text, handler))
}

/// Along what a hook is lost: one that can stop something protects the user.
fn axis(scene: &LoweringContext<'_>, hook: &Hook) -> Axis {
    if scene.source.blocking_events.contains(&hook.event) { Axis::HookBlocking } else { Axis::Hooks }
}

/// The row of a matcher that is another one on the host.
fn matcher_row(
    scene: &LoweringContext<'_>,
    facts: &HookFacts,
    other: &OtherComponent,
    hook: &Hook,
    matched: &matcher::LoweredMatcher,
    axis: Axis,
    tool: Option<&str>,
) -> Option<LedgerRow> {
    let written = hook
        .matcher
        .as_ref()
        .filter(|written| !matched.lost.is_empty() || matched.text.as_ref() != Some(&written.text))?;
    let file = scene.project.tree.get(&other.path)?;
    let to = matched.text.as_deref().unwrap_or("*");
    let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::Field, "matcher", &other.path)
        .at(rows::span(file, written.span))
        .pointer(&written.pointer)
        .to(to);
    let owner = (ComponentKind::Hook, other.name.as_str());
    if let Some(note) = &matched.note {
        Some(row.became(RowOutcome::Degraded, note).loss(axis.id(), axis.floor(), owner, "matcher"))
    } else if matched.lost.is_empty() {
        Some(match tool {
            Some(_) => {
                row.became(RowOutcome::Mapped, "each hook with an `if` is matched by the tool that it names")
            }
            None => row.became(RowOutcome::Mapped, "tools have other names in the host's hooks"),
        })
    } else {
        let names: Vec<String> = matched.lost.iter().map(|name| format!("`{name}`")).collect();
        let reason = format!("{}: {}", names.join(", "), facts.matcher_loss.as_deref().unwrap_or_default());
        Some(row.became(RowOutcome::Degraded, reason).loss(axis.id(), axis.floor(), owner, "matcher"))
    }
}

/// The row of a hook's `if` on a host that knows no such rules: the matcher stands for the tool, and nothing for the rest.
fn gate_row(
    scene: &LoweringContext<'_>,
    facts: &HookFacts,
    other: &OtherComponent,
    hook: &Hook,
    gate: &HookCondition<'_>,
    matched: &matcher::LoweredMatcher,
) -> Option<LedgerRow> {
    let (loss, entry) = facts.gate_loss.as_ref().zip(hook.node.entry("if"))?;
    let file = scene.project.tree.get(&other.path)?;
    let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::Field, "if", &other.path)
        .at(rows::span(file, entry.span()))
        .pointer(format!("{}/if", other.pointer));
    Some(match gate {
        HookCondition::Tool { limited: true, .. } => {
            let axis = Axis::Hooks;
            let row = row.to(matched.text.as_deref().unwrap_or("*")).became(RowOutcome::Degraded, loss);
            row.loss(axis.id(), axis.floor(), (ComponentKind::Hook, &other.name), "if")
        }
        HookCondition::Tool { .. } => row
            .to(matched.text.as_deref().unwrap_or("*"))
            .became(RowOutcome::Mapped, "the matcher names the tool"),
        HookCondition::Open | HookCondition::Never(_) => row.became(RowOutcome::Dropped, "it says nothing"),
    })
}

/// The handler in the host's own form.
fn handler(
    scene: &LoweringContext<'_>,
    facts: &HookFacts,
    other: &OtherComponent,
    hook: &Hook,
    cast: &mut LoweredBundle,
) -> Json {
    let mut out = Map::new();
    let reads = |key: &str| facts.fields.iter().any(|field| field == key);
    for entry in hook.node.entries() {
        if let Some((reason, value)) = hurried(facts, hook, entry) {
            if let Some(file) = scene.project.tree.get(&other.path) {
                let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::Field, &entry.key, &other.path)
                    .at(rows::span(file, entry.span()))
                    .pointer(format!("{}/{}", other.pointer, escaped(&entry.key)));
                let outcome = if value.is_some() { RowOutcome::Degraded } else { RowOutcome::Dropped };
                let axis = Axis::Hooks;
                cast.rows.push(row.became(outcome, reason).loss(
                    axis.id(),
                    axis.floor(),
                    (ComponentKind::Hook, &other.name),
                    &entry.key,
                ));
            }
            out.extend(value.map(|value| (entry.key.clone(), value)));
            continue;
        }
        let value = match entry.key.as_str() {
            "args" if !reads("args") => continue,
            "server" if facts.server_tools.is_some() => match tool_call::server(scene, hook) {
                Some(Ok(name)) => {
                    cast.rows.extend(tool_call::row(scene, other, entry, &name));
                    name.into()
                }
                _ => entry.node.to_json(),
            },
            "if" if facts.gate_loss.is_some() => continue,
            "command" => {
                let mut command = entry.node.as_str().unwrap_or_default().to_owned();
                let args = hook.node.get("args").and_then(Node::items).filter(|_| !reads("args"));
                if let Some(args) = args {
                    let words = args.iter().filter_map(Node::as_str);
                    command = std::iter::once(command.as_str())
                        .chain(words)
                        .map(word)
                        .collect::<Vec<_>>()
                        .join(" ");
                }
                command = hooks_and_servers::own_options(&scene.defaults, scene.source, &command);
                let mut given = String::new();
                for (name, value) in &facts.environment {
                    if script::names(scene, hook, name) {
                        given += &format!("export {name}=\"{value}\"; ");
                    }
                }
                Json::from(given + &command)
            }
            "timeout" if facts.whole_seconds => {
                let seconds = entry.node.scalar().and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0);
                Json::from(seconds.ceil().clamp(1.0, 1e9) as u64)
            }
            _ => entry.node.to_json(),
        };
        if reads(&entry.key) {
            out.insert(entry.key.clone(), value);
        } else if let Some(file) = scene.project.tree.get(&other.path) {
            let axis = match entry.key.as_str() {
                "onFailure" if entry.node.as_str() == Some("block") => axis(scene, hook),
                key if facts.unshown.iter().any(|unshown| unshown == key) => Axis::Appearance,
                _ => Axis::Hooks,
            };
            let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::Field, &entry.key, &other.path)
                .at(rows::span(file, entry.span()))
                .pointer(format!("{}/{}", other.pointer, escaped(&entry.key)))
                .became(RowOutcome::Dropped, &facts.field_loss);
            cast.rows.push(row.loss(axis.id(), axis.floor(), (ComponentKind::Hook, &other.name), &entry.key));
        }
    }
    Json::Object(out)
}

/// A field that the host would change, with a warning, for a hook of an event that does not wait: why,
/// and what stands there instead.
fn hurried(facts: &HookFacts, hook: &Hook, entry: &MappingEntry) -> Option<(String, Option<Json>)> {
    let limit = *facts.hurried.get(&hook.event)?;
    match entry.key.as_str() {
        "timeout" => {
            let seconds = entry.node.scalar().and_then(|text| text.parse::<f64>().ok())?;
            let reason = format!("the host ends a hook of this event after {limit} s");
            (seconds > limit as f64).then(|| (reason, Some(Json::from(limit))))
        }
        "async" if entry.node.scalar().as_deref() == Some("true") => {
            Some(("the host waits for a hook of this event in any case".to_owned(), None))
        }
        _ => None,
    }
}

/// One word for a shell, in which the source host's own variables are still replaced.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for (at, c) in text.char_indices() {
        let own =
            c == '$' && (text[at..].starts_with("${CLAUDE_") || text[at..].starts_with("${user_config."));
        if matches!(c, '"' | '\\' | '`') || c == '$' && !own {
            out.push('\\');
        }
        out.push(c);
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_arguments_becomes_words_of_a_shell() {
        assert_eq!(word("--fast"), "--fast");
        assert_eq!(word("a b"), "\"a b\"");
        assert_eq!(word("$HOME \"x\""), "\"\\$HOME \\\"x\\\"\"");
        assert_eq!(word("${CLAUDE_PLUGIN_ROOT}/a b"), "\"${CLAUDE_PLUGIN_ROOT}/a b\"");
    }
}
