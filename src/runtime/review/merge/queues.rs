//! Assigns findings to queues by their class, owner and place.

use super::answer::{MergedFinding, Queues};
use crate::runtime::review::findings::{FindingOwner, Misplacement, RepairClass};

pub(super) fn queues(found: &[MergedFinding]) -> Queues {
    let mut queues = Queues::default();
    for one in found {
        let is_fixable = one.misplaced.is_none() && one.owner != FindingOwner::Release;
        match one.autofix_class {
            // A safe finding that is not the fixer's may be approved like a gated one.
            RepairClass::SafeAuto if is_fixable && one.owner != FindingOwner::ReviewFixer => {
                queues.gated.push(one.id.clone())
            }
            RepairClass::GatedAuto if is_fixable => queues.gated.push(one.id.clone()),
            RepairClass::Manual if is_fixable => queues.manual.push(one.id.clone()),
            _ => {}
        }
        let queue = match (one.autofix_class, one.owner) {
            // No agent is sent to an invalid place; for a whole file, only a later step that finds the line.
            _ if one.misplaced.as_ref().is_some_and(|why| *why != Misplacement::NoLine) => &mut queues.report,
            (RepairClass::SafeAuto, FindingOwner::ReviewFixer) if one.misplaced.is_none() => {
                &mut queues.fixer
            }
            (RepairClass::Advisory, _) | (_, FindingOwner::Human | FindingOwner::Release) => {
                &mut queues.report
            }
            _ => &mut queues.residual,
        };
        queue.push(one.id.clone());
    }
    queues
}
