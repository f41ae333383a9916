//! A baseline: a separate file of known findings that the author does not want reported again. An entry that no longer
//! matches a finding is itself a finding.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::Rule;
use super::sink::FindingSink;
use crate::diagnostic::{Diagnostic, RuleId};
use crate::schema;

/// The rule about entries that match no finding.
pub const STALE: RuleId = RuleId::STALE_BASELINE;

/// The file: `plugcast.baseline/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// `plugcast.baseline/1`.
    pub schema: String,
    /// Sorted by file, rule and fingerprint.
    pub findings: Vec<KnownFinding>,
}

/// One known finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownFinding {
    /// The file, relative to SRC.
    pub path: String,
    /// The rule.
    pub rule: String,
    /// The identity of the finding, unchanged when lines above it move: 16 hexadecimal digits.
    pub fingerprint: String,
}

impl Baseline {
    /// A baseline of all findings; each must have its fingerprint.
    pub fn from_findings(found: &[Diagnostic]) -> Self {
        let mut findings: Vec<KnownFinding> =
            found.iter().filter(|found| found.rule != STALE).map(known_finding).collect();
        findings.sort();
        Self { schema: schema::BASELINE.tag(), findings }
    }

    /// Removes the known findings from `found`, adds a finding of `rule` for each entry that `counts` and matches
    /// nothing, and returns the number removed.
    pub fn apply(
        &self,
        found: &mut Vec<Diagnostic>,
        rule: Option<&'static Rule>,
        counts: impl Fn(&KnownFinding) -> bool,
    ) -> usize {
        let mut left: BTreeSet<&KnownFinding> = self.findings.iter().collect();
        let before = found.len();
        found.retain(|found| !left.remove(&known_finding(found)));
        let taken = before - found.len();
        if let Some(rule) = rule {
            let mut sink = FindingSink::new(rule);
            for entry in left.into_iter().filter(|entry| counts(entry)) {
                let message = format!(
                    "the baseline lists findings of `{}` that no longer occur in this file",
                    entry.rule
                );
                sink.report_file(entry.path.as_str().into(), message).help =
                    Some("update the baseline with `--write-baseline`".to_owned());
            }
            found.extend(sink.into_found());
        }
        taken
    }
}

fn known_finding(found: &Diagnostic) -> KnownFinding {
    KnownFinding {
        path: found.path.clone(),
        rule: found.rule.to_string(),
        fingerprint: found.fingerprint.clone().unwrap_or_default(),
    }
}
