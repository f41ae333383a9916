//! The agents of a plugin on a host whose plugins cannot carry agents: which are still dispatched.

use super::context::LoweringContext;
use crate::ledger::ComponentKind;
use crate::model::component::Component;

/// The agents with an installable form: those that the bundle dispatches, then the others.
pub(super) fn installable<'a>(context: &LoweringContext<'a>) -> (Vec<&'a Component>, Vec<&'a Component>) {
    let own = context.plugin.components.iter();
    own.filter(|component| {
        component.kind == ComponentKind::Agent && context.target.agent.installable.is_some()
    })
    .partition(|agent| context.dispatched.contains(agent.qualified.as_str()))
}

/// Why the host shows its model nothing of an agent: its plugins carry none, and no text of the build dispatches it.
pub(super) fn unreached<'a>(context: &LoweringContext<'a>, component: &Component) -> Option<&'a str> {
    let is_alone =
        component.kind == ComponentKind::Agent && !context.dispatched.contains(component.qualified.as_str());
    context.target.agent.undispatched.as_deref().filter(|_| is_alone)
}
