//! A text dispatches an unknown agent.

use crate::check::context::{PluginText, RuleContext};
use crate::check::directory::NameResolution;
use crate::check::dispatch::{Dispatch, NameUse};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::snippet::is_marked_wrong;
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::qualified_name::{last_of, plugin_of};
use crate::model::similar_names::misspelt_name;
use crate::read::intent::is_planned;

pub(super) const RULE: Rule = Rule {
    name: "unknown-agent",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a text dispatches an unknown agent",
    page: include_str!("unknown_agent.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let directory = context.directory();
    let places = text.dispatches(context).iter();
    for place in places.filter(|place| !is_marked_wrong(text.text, place.span)) {
        let near = match place.how {
            NameUse::Agent => match directory.dispatched(&text.plugin.name, &place.name) {
                NameResolution::Unknown(near) => near,
                NameResolution::Valid if is_missing_field(context, text, place) => None,
                _ => continue,
            },
            NameUse::Named if !directory.contains(&place.name) && !place.name.contains("::") => {
                let plugin = plugin_of(&place.name);
                let near = directory.agent_near(plugin, last_of(&place.name));
                if near.is_none() {
                    continue;
                }
                near
            }
            _ => continue,
        };
        if is_planned(text.text, place.span.start, place.span.end) {
            continue;
        }
        let found = sink.report(text.file, place.span, format!("unknown agent `{}`", place.name));
        let Some(agent) = near else {
            let is_field = place.span.start < text.body.start;
            let plugin = if is_field { text.plugin.name.as_str() } else { plugin_of(&place.name) };
            found.help = Some(match is_field {
                true => format!(
                    "name an agent of the plugin `{plugin}`, or one that the host has, such as `general-purpose`"
                ),
                false => format!("dispatch an existing agent of the plugin `{plugin}`, or add this one"),
            });
            if is_field {
                found.severity = Severity::Warning;
            }
            continue;
        };
        found.help = Some(format!("did you mean `{}`?", agent.qualified));
        if is_slip(&place.name, agent) {
            let name = agent.qualified.as_str();
            found.fix = Some(replace(text.file, place.span, name, Applicability::Unsafe));
        }
        if let Some(file) = context.file(&agent.path) {
            let place =
                found.clone().with_related(file, agent.name_span(), "a similar agent is defined here");
            found.related = place.related;
        }
    }
}

/// Whether the field `agent` of a published plugin names an agent without a plugin that the source host does not have:
/// a plugin cannot count on the agents of a user.
fn is_missing_field(context: &RuleContext<'_>, text: &PluginText<'_>, place: &Dispatch) -> bool {
    place.span.start < text.body.start
        && text.plugin.is_declared()
        && context.for_source_host()
        && !place.name.contains(':')
        && !context.directory().is_built_in(&place.name)
}

/// Whether `name` is a typo of the agent's name without folders and plugin, or the name of its file.
fn is_slip(name: &str, agent: &Component) -> bool {
    let (last, own) = (last_of(name), last_of(&agent.name));
    last == own || misspelt_name(last, [own]).is_some() || agent.path.file_stem() == Some(last)
}
