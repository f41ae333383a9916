//! A text calls an unknown skill or command.

use crate::check::context::{PluginText, RuleContext};
use crate::check::dispatch::NameUse;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::snippet::is_marked_wrong;
use crate::check::stage::ENDING;
use crate::diagnostic::{Applicability, Severity};
use crate::model::qualified_name::{last_of, local_of, plugin_of};
use crate::model::similar_names::{misspelt_name, nearest};
use crate::read::intent::is_planned;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "unknown-skill",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a text calls an unknown skill or command",
    page: include_str!("unknown_skill.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let directory = context.directory();
    let places = text.dispatches(context).iter();
    let is_meant =
        |span: Span| !is_marked_wrong(text.text, span) && !is_planned(text.text, span.start, span.end);
    for place in places {
        let name = place.name.as_str();
        if place.how == NameUse::Agent
            || name.contains("::")
            || directory.contains(name)
            || !is_meant(place.span)
        {
            continue;
        }
        // `beta-residue` reports a promoted beta.
        if name.strip_suffix(ENDING).is_some_and(|stable| directory.skill(stable).is_some()) {
            continue;
        }
        // The plugin is the same in all of them and must not affect the similarity.
        let (what, known) = match place.how {
            NameUse::Workflow => ("workflow", directory.workflows_of(plugin_of(name))),
            _ => ("skill or command", directory.skills_near(name)),
        };
        let locals = || known.iter().map(|known| local_of(known));
        let workflow = directory.workflow_in_file(name);
        // A folder or the kind, which no host knows as part of the name, may stand before it.
        let last = || locals().find(|known| *known == last_of(name));
        let slipped = misspelt_name(local_of(name), locals()).or_else(last);
        // A name that is not called is reported only if it is a clear typo.
        if slipped.is_none() && workflow.is_none() && place.how == NameUse::Named {
            continue;
        }
        let near = slipped.or_else(|| nearest(local_of(name), locals()));
        let near = near.and_then(|near| known.iter().copied().find(|known| local_of(known) == near));
        let near = workflow.or(near);
        let found = sink.report(text.file, place.span, format!("unknown {what} `{name}`"));
        let Some(near) = near else {
            found.help =
                Some(format!("call an existing one of the plugin `{}`, or add this one", plugin_of(name)));
            continue;
        };
        found.help = Some(format!("did you mean `{near}`?"));
        if slipped.is_some() || workflow.is_some() {
            found.fix = Some(replace(text.file, place.span, near, Applicability::Unsafe));
        }
        let other = directory.skill(near).and_then(|other| Some((context.file(&other.path)?, other)));
        if let Some((file, other)) = other {
            let place = found.clone().with_related(file, other.name_span(), "a similar name is defined here");
            found.related = place.related;
        }
    }
}
