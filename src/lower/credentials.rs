//! Plain-text credentials in a hook or a server are never passed on.

use super::context::LoweringContext;
use super::decision::Decision;
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::plugin::OtherComponent;
use crate::target::Axis;

/// The decisions about the credentials in `other`, except parts that are already decided in `parts`.
pub(super) fn decide(
    context: &LoweringContext<'_>,
    other: &OtherComponent,
    parts: &[Decision],
) -> Vec<Decision> {
    let Some(file) = context.project.tree.get(&other.path) else { return Vec::new() };
    let kind = other.kind;
    let axis = if kind == ComponentKind::Hook { Axis::Hooks } else { Axis::Servers };
    let mut out: Vec<Decision> = Vec::new();
    for secret in other.secrets() {
        if parts.iter().chain(&out).any(|part| part.is_at(secret.span, &secret.pointer)) {
            continue;
        }
        let name = secret.name.as_str();
        let reason =
            format!("a plain-text credential is not passed on; set `{}` in the environment", secret.variable);
        let decision = Decision::new_kept(&context.plugin.name, ComponentKind::Construct, name, &other.path)
            .in_file(file, secret.span)
            .pointer(&secret.pointer)
            .with_outcome(RowOutcome::Degraded, reason);
        out.push(decision.loss(axis, (kind, &other.name), &format!("secret/{name}")));
    }
    out
}
