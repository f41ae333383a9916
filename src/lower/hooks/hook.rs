//! The lowering of one hook, and the start of decisions about it.

use super::super::context::LoweringContext;
use super::super::decision::Decision;
use crate::ledger::ComponentKind;
use crate::model::hook::Hook;
use crate::model::plugin::OtherComponent;
use crate::source::Span;
use crate::target::{Axis, HookFacts};

/// One hook that is being lowered.
pub(super) struct HookLowering<'a> {
    pub(super) context: &'a LoweringContext<'a>,
    pub(super) facts: &'a HookFacts,
    pub(super) other: &'a OtherComponent,
    pub(super) hook: &'a Hook,
}

impl<'a> HookLowering<'a> {
    /// The component that a loss is attributed to.
    pub(super) fn owner(&self) -> (ComponentKind, &'a str) {
        (ComponentKind::Hook, &self.other.name)
    }

    /// A field of the hook or its group, before anything is decided about it.
    pub(super) fn field(&self, name: &str, span: Span, pointer: &str) -> Option<Decision> {
        let file = self.context.project.tree.get(&self.other.path)?;
        let field =
            Decision::new_kept(&self.context.plugin.name, ComponentKind::Field, name, &self.other.path);
        Some(field.in_file(file, span).pointer(pointer))
    }
}

/// The axis on which a hook is lost: a hook that can block an action protects the user.
pub(super) fn axis(context: &LoweringContext<'_>, hook: &Hook) -> Axis {
    if context.source.blocking_events.contains(&hook.event) { Axis::HookBlocking } else { Axis::Hooks }
}
