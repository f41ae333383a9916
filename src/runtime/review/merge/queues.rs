//! Who takes on what: by class, owner and place of each finding.

use super::answer::{MergedFinding, Queues};
use crate::runtime::review::findings::{FindingOwner, NO_LINE, RepairClass};

pub(super) fn queues(found: &[MergedFinding]) -> Queues {
    let mut queues = Queues::default();
    for one in found {
        let is_fixable = one.misplaced.is_none() && one.owner != FindingOwner::Release;
        match one.autofix_class {
            // What is safe and not the fixer's own may be approved like what is not.
            RepairClass::SafeAuto if is_fixable && one.owner != FindingOwner::ReviewFixer => {
                queues.gated.push(one.id.clone())
            }
            RepairClass::GatedAuto if is_fixable => queues.gated.push(one.id.clone()),
            RepairClass::Manual if is_fixable => queues.manual.push(one.id.clone()),
            _ => {}
        }
        let queue = match (one.autofix_class, one.owner) {
            // Nobody is sent to a place that is none; to a whole file, only who looks for the place.
            _ if one.misplaced.as_deref().is_some_and(|why| why != NO_LINE) => &mut queues.report,
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
