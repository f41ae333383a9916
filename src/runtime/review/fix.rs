//! What may be repaired now: `fix.json`, with the ids that any step has allowed so far. Modes without questions allow
//! the fixer's queue; the interactive mode only allows what the user approved.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ReviewMode;
use super::evidence::ShownEvidence;
use super::merge::{MergedFinding, Response, findings_by_id};
use super::repairs::{AppliedRepairs, fixer_replies};
use super::run_folder::{RunFolder, text};
use crate::order;
use crate::runtime::answer::CallFailure;

const NAME: &str = "fix.json";
const SCHEMA: &str = "plugcast.review-fix/1";

#[derive(Debug, Serialize)]
struct FixDocument<'a> {
    schema: &'static str,
    run_id: &'a str,
    allowed: &'a [String],
    since: &'a BTreeMap<String, u32>,
    findings: Vec<&'a MergedFinding>,
}

#[derive(Debug, Default, Deserialize)]
struct StoredFix {
    #[serde(default)]
    allowed: Vec<String>,
    /// The round of the fixer's reply from which each id is allowed, including joined ids.
    #[serde(default)]
    since: BTreeMap<String, u32>,
}

/// Whether a mode repairs without questions.
pub(super) fn is_automatic(mode: ReviewMode) -> bool {
    matches!(mode, ReviewMode::Autofix | ReviewMode::Headless)
}

/// The ids that may be repaired.
#[derive(Debug, Default)]
pub(super) struct AllowedIds {
    /// Allowed now.
    now: Vec<String>,
    /// Allowed by any step so far.
    ever: Vec<String>,
    since: BTreeMap<String, u32>,
}

impl AllowedIds {
    /// The round of the fixer's reply from which an id is allowed.
    pub(super) fn allowed_from(&self, id: &str) -> u32 {
        self.since.get(id).copied().unwrap_or(u32::MAX)
    }

    /// Whether an id of a finding may be repaired. An id that was joined since may have been allowed before.
    pub(super) fn may_repair(&self, id: &str, finding: &MergedFinding) -> bool {
        let has = |ids: &[String]| ids.iter().any(|own| own == id);
        has(&self.now) || (!finding.joined.is_empty() && self.was_allowed(id))
    }

    /// Whether a step has ever allowed an id, even if its finding has changed since.
    pub(super) fn was_allowed(&self, id: &str) -> bool {
        self.ever.iter().any(|own| own == id)
    }
}

/// The ids that may be repaired.
pub(super) fn allowed(folder: &RunFolder, findings: &Response) -> Result<AllowedIds, CallFailure> {
    let stored: StoredFix = folder.document(NAME)?.unwrap_or_default();
    let queues = &findings.queues;
    let mut now = match is_automatic(folder.record.mode) {
        // Only the queue, whatever the file says.
        true => queues.fixer.clone(),
        false => stored.allowed.clone(),
    };
    now.retain(|id| [&queues.fixer, &queues.gated, &queues.manual].iter().any(|queue| queue.contains(id)));
    order::sort(&mut now);
    now.dedup();
    Ok(AllowedIds { now, ever: stored.allowed, since: stored.since })
}

/// Writes the file with the ids that the user just approved, which replace those without a reply of the fixer; in modes
/// without questions, with the ids of the queue. Repairs that hold are left out. Returns the path.
pub(super) fn write(
    folder: &RunFolder,
    findings: &Response,
    approved: Option<&[String]>,
    evidence: Option<&ShownEvidence>,
) -> Result<String, CallFailure> {
    let AllowedIds { mut now, mut ever, mut since } = allowed(folder, findings)?;
    let next = fixer_replies(folder)?.last().map_or(1, |(round, _)| round + 1);
    if let Some(approved) = approved {
        // A new approval replaces the previous one.
        since.retain(|_, round| *round < next);
        now.retain(|id| since.contains_key(id));
        ever.retain(|id| since.contains_key(id));
        now.extend(approved.iter().filter(|id| !now.contains(id)).cloned().collect::<Vec<_>>());
    }
    let done = AppliedRepairs::from_run(folder, findings, evidence)?.ids;
    let open: Vec<String> = now.iter().filter(|id| !done.contains(id)).cloned().collect();
    for id in findings_by_id(&findings.findings, &now).flat_map(MergedFinding::ids) {
        since.entry(id.to_owned()).or_insert(next);
    }
    // Earlier approvals stay on record.
    now.extend(ever.into_iter().filter(|id| !open.contains(id)));
    order::sort(&mut now);
    now.dedup();
    let document = FixDocument {
        schema: SCHEMA,
        run_id: &folder.record.run_id,
        allowed: &now,
        since: &since,
        findings: findings_by_id(&findings.findings, &open).collect(),
    };
    let path = folder.path.join(NAME);
    folder.save(vec![(NAME, text(&document))])?;
    Ok(path.display().to_string())
}
