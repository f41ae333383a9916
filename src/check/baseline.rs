//! A baseline: findings that an author knows of and does not want to hear again, in a file of their
//! own. An entry that finds nothing any more is itself a finding.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::Rule;
use super::sink::FindingSink;
use crate::diagnostic::Diagnostic;
use crate::schema;

/// The rule about entries that find nothing.
pub const STALE: &str = "stale-baseline";

/// The file: `plugcast.baseline/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// `plugcast.baseline/1`.
    pub schema: String,
    /// By file, rule and fingerprint.
    pub findings: Vec<KnownFinding>,
}

/// One finding that is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownFinding {
    /// The file, relative to SRC.
    pub path: String,
    /// The rule.
    pub rule: String,
    /// What stays the same when lines above it move: 16 hexadecimal digits.
    pub fingerprint: String,
}

impl Baseline {
    /// Everything that was found; each has its fingerprint.
    pub fn from_findings(found: &[Diagnostic]) -> Self {
        let mut findings: Vec<KnownFinding> =
            found.iter().filter(|found| found.rule != STALE).map(known).collect();
        findings.sort();
        Self { schema: schema::BASELINE.tag(), findings }
    }

    /// Takes what is known out of `found`, adds a finding of `rule` for each entry that `counts` and
    /// finds nothing, and returns how many were taken.
    pub fn apply(
        &self,
        found: &mut Vec<Diagnostic>,
        rule: Option<&'static Rule>,
        counts: impl Fn(&KnownFinding) -> bool,
    ) -> usize {
        let mut left: BTreeSet<&KnownFinding> = self.findings.iter().collect();
        let before = found.len();
        found.retain(|found| !left.remove(&known(found)));
        let taken = before - found.len();
        if let Some(rule) = rule {
            let mut sink = FindingSink::new(rule);
            for entry in left.into_iter().filter(|entry| counts(entry)) {
                let message = format!(
                    "the baseline lists findings of `{}` that no longer occur in this file",
                    entry.rule
                );
                sink.whole(entry.path.as_str().into(), message).help =
                    Some("update the baseline with `--write-baseline`".to_owned());
            }
            found.extend(sink.into_found());
        }
        taken
    }
}

fn known(found: &Diagnostic) -> KnownFinding {
    KnownFinding {
        path: found.path.clone(),
        rule: found.rule.clone(),
        fingerprint: found.fingerprint.clone().unwrap_or_default(),
    }
}
