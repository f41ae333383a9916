//! Updates the baseline after a promotion: known findings stay known at their new places.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use super::new_path;
use super::selection::BetaSkill;
use crate::check::Findings;
use crate::check::baseline::{Baseline, KnownFinding};
use crate::diagnostic::Diagnostic;

/// `baseline` with the new paths and fingerprints of its findings. Entries whose findings are gone are removed; those
/// that were already stale stay unchanged.
pub(super) fn rebaseline(
    baseline: &Baseline,
    before: &Findings,
    after: &Findings,
    beta: &BetaSkill<'_>,
) -> Baseline {
    let place = |path: &str| new_path(path.into(), &beta.from, &beta.to);
    let (old, new) = (by_place(before, place), by_place(after, |path| path.into()));
    let mut findings: Vec<KnownFinding> = Vec::new();
    for known in &baseline.findings {
        let key = (known.rule.as_str(), place(&known.path));
        let before = old.get(&key).map_or(&[][..], Vec::as_slice);
        let is_it = |found: &&Diagnostic| {
            found.path == known.path && found.fingerprint.as_deref() == Some(known.fingerprint.as_str())
        };
        let Some(at) = before.iter().position(is_it) else {
            findings.push(known.clone());
            continue;
        };
        let after = new.get(&key).map_or(&[][..], Vec::as_slice);
        let same = || after.iter().find(|found| found.cause() == before[at].cause());
        let next = if after.len() == before.len() { after.get(at) } else { same() };
        findings.extend(next.map(|found| KnownFinding {
            path: found.path.clone(),
            rule: found.rule.to_string(),
            fingerprint: found.fingerprint.clone().unwrap_or_default(),
        }));
    }
    findings.sort();
    findings.dedup();
    Baseline { schema: baseline.schema.clone(), findings }
}

/// Findings by rule and file, sorted by location.
fn by_place(
    findings: &Findings,
    place: impl Fn(&str) -> Utf8PathBuf,
) -> BTreeMap<(&str, Utf8PathBuf), Vec<&Diagnostic>> {
    let mut out: BTreeMap<(&str, Utf8PathBuf), Vec<&Diagnostic>> = BTreeMap::new();
    for found in &findings.diagnostics {
        out.entry((found.rule.as_str(), place(&found.path))).or_default().push(found);
    }
    out
}
