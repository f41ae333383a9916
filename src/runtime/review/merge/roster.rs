//! Who was asked, who replied, and whose reply is missing.

use std::collections::BTreeMap;

use super::answer::Coverage;
use super::context::MergeContext;
use crate::runtime::review::reviewers;

/// Records which reviewers replied, those in `names`, and which of those that were `expected` or are asked `always` did
/// not. Returns why each was asked, by the name that it has here.
pub(super) fn record(
    coverage: &mut Coverage,
    names: &[String],
    context: &MergeContext,
    expected: &[String],
    always: &[String],
) -> BTreeMap<String, String> {
    let usable = |name: &String| names.contains(name);
    // The caller may use the name of the agent for a reviewer.
    let known = |name: &String| match reviewers::resolve_name(name) {
        Some(meant) if !usable(name) => meant.to_owned(),
        _ => name.clone(),
    };
    let reasons = context.reasons.clone().unwrap_or_default();
    let reasons: BTreeMap<String, String> =
        reasons.iter().map(|(name, why)| (known(name), why.clone())).collect();
    let asked = expected.iter().map(known).chain(reasons.keys().cloned());
    let silent: Vec<String> =
        asked.filter(|name| !usable(name) && !coverage.failed_reviewers.contains(name)).collect();
    coverage.reviewers = names.to_vec();
    coverage.missing = always.iter().filter(|name| !usable(name)).cloned().collect();
    coverage.failed_reviewers.extend(silent.iter().chain(&coverage.missing).cloned());
    coverage.failed_reviewers.retain(|name| !usable(name));
    coverage.unanswered = silent.into_iter().filter(|name| !always.contains(name)).collect();
    reasons
}
