//! An agent is dispatched that the build does not have.

use crate::check::context::{Context, Text};
use crate::check::directory::{Verdict, last};
use crate::check::dispatch::How;
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::{Sink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::near::slip;

pub(super) const RULE: Rule = Rule {
    name: "unknown-agent",
    group: Group::Correctness,
    severity: Severity::Error,
    summary: "a text dispatches an unknown agent",
    page: include_str!("unknown_agent.md"),
    check: Check::Text(check),
};

fn check(context: &Context<'_>, text: &Text<'_>, sink: &mut Sink) {
    let directory = context.directory();
    for place in text.dispatches(context) {
        let near = match place.how {
            How::Agent => match directory.dispatched(&text.plugin.name, &place.name) {
                Verdict::Unknown(near) => near,
                _ => continue,
            },
            How::Named if !directory.has(&place.name) && !place.name.contains("::") => {
                let plugin = place.name.split(':').next().unwrap_or_default();
                let near = directory.agent_near(plugin, last(&place.name));
                if near.is_none() {
                    continue;
                }
                near
            }
            _ => continue,
        };
        let found = sink.at(text.file, place.span, format!("unknown agent `{}`", place.name));
        let Some(agent) = near else {
            let plugin = place.name.split(':').next().unwrap_or_default();
            found.help =
                Some(format!("dispatch an existing agent of the plugin `{plugin}`, or add this one"));
            continue;
        };
        found.help = Some(format!("did you mean `{}`?", agent.qualified));
        if is_slip(&place.name, agent) {
            let name = agent.qualified.as_str();
            found.fix = Some(replace(text.file, place.span, name, Applicability::Unsafe));
        }
        if let Some(file) = context.file(&agent.path) {
            let place = found.clone().related(file, agent.name_span(), "a similar agent is defined here");
            found.related = place.related;
        }
    }
}

/// Whether `name` is the agent's but for a slip of the hand, its folders and its plugin, or the name of its file.
fn is_slip(name: &str, agent: &Component) -> bool {
    let (said, own) = (last(name), last(&agent.name));
    said == own || slip(said, [own]).is_some() || agent.path.file_stem() == Some(said)
}
