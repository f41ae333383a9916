//! Components of kinds without a specific lowering: carried as files, or dropped with the reason from the target.

use camino::Utf8Path;

use super::context::LoweringContext;
use super::decision::Decision;
use super::part::LoweredPart;
use super::{credentials, declarations, hooks_and_servers, options, source_json};
use crate::ledger::RowOutcome;
use crate::model::plugin::{OtherBody, OtherComponent};
use crate::model::qualified_name::qualify;
use crate::target::{Axis, ComponentFacts, ComponentOutcome};

/// Lowers every such component of the plugin.
pub(super) fn lower(context: &LoweringContext<'_>) -> LoweredPart {
    let mut part = LoweredPart::default();
    let others = context.plugin.others.iter().filter(|other| !matches!(other.body, OtherBody::Nothing));
    for other in others.filter(|other| !hooks_and_servers::handles(context, other)) {
        let facts = context.target.components.get(&other.kind);
        match decide(context, other, facts) {
            Some(decision) => part.declared.push(decision),
            None => {
                part.declared.extend(facts.map(|facts| carried_decision(context, other, facts)));
                part.decisions.extend(credentials::decide(context, other, &[]));
            }
        }
    }
    part
}

/// The decision about a component that the host does not get; `None` if it is carried.
fn decide(
    context: &LoweringContext<'_>,
    other: &OtherComponent,
    facts: Option<&ComponentFacts>,
) -> Option<Decision> {
    let decision = declarations::component(context, other);
    let owner = (decision.kind(), other.name.as_str());
    if let Some(fault) = &other.fault {
        let axis = if other.guards { Axis::HookBlocking } else { Axis::Unreadable };
        return Some(decision.with_outcome(RowOutcome::Dropped, fault).loss(axis, owner, ""));
    }
    let Some(facts) = facts else {
        let reason = "the target does not cover this kind of component";
        return Some(decision.with_outcome(RowOutcome::Dropped, reason).loss(Axis::Components, owner, ""));
    };
    if facts.carried {
        let OtherBody::Hook(hook) = &other.body else { return None };
        let decision = decision.with_outcome(RowOutcome::Dropped, "the host has no such event");
        let is_unknown = !context.source.hook_events.contains(&hook.event);
        return is_unknown.then(|| decision.loss(Axis::Hooks, owner, ""));
    }
    let axis = facts.axis.unwrap_or(Axis::Components);
    let class = facts.class.unwrap_or(axis.minimum_class());
    let reason = facts.reason.as_deref().unwrap_or("the host has no such component");
    let outcome = match facts.outcome {
        ComponentOutcome::Degraded => RowOutcome::Degraded,
        ComponentOutcome::Dropped => RowOutcome::Dropped,
    };
    let reason = reason.replace("{variable}", &options::variable(context.source, &other.name));
    Some(decision.with_outcome(outcome, reason).loss_as(axis, class, owner, ""))
}

/// The decision about a component that is carried.
fn carried_decision(
    context: &LoweringContext<'_>,
    other: &OtherComponent,
    facts: &ComponentFacts,
) -> Decision {
    // A component that only the marketplace's entry declares moves to the plugin's manifest.
    let manifest = Utf8Path::new(context.target.manifest.path.as_str());
    let place = context.places.files.get(&other.path).map_or(manifest, |path| path.as_path());
    let decision = declarations::component(context, other).placed_at(context.root().join(place).as_str());
    let owner = (decision.kind(), other.name.as_str());
    if let (Some(reason), Some(axis)) = (&facts.reason, facts.axis) {
        let class = facts.class.unwrap_or(axis.minimum_class());
        let is_named = || context.workflows.contains(qualify(&context.plugin.name, &other.name).as_str());
        let unnamed = facts.unnamed.as_ref().filter(|_| !is_named());
        return decision
            .with_outcome(RowOutcome::Degraded, unnamed.unwrap_or(reason))
            .loss_as(axis, class, owner, "");
    }
    match source_json::remote_type(context, other) {
        Some(kind) => {
            let reason = format!("the host drops a server with a `url` and no `type`: it gets `{kind}`");
            decision.with_outcome(RowOutcome::Mapped, reason)
        }
        None => decision,
    }
}
