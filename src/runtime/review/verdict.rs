//! The verdict of a review, from what is still open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::{FindingSeverity, RepairClass};
use super::merge::MergedFinding;
use crate::runtime::command_line::choices;

choices! {
    /// The verdict of a review.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum ReviewVerdict {
        /// Nothing is open.
        #[serde(rename = "Ready to merge")]
        Ready = "Ready to merge" or "ready-to-merge",
        /// Something is open that need not prevent a merge.
        #[serde(rename = "Ready with fixes")]
        WithFixes = "Ready with fixes" or "ready-with-fixes",
        /// Something is open that prevents a merge.
        #[serde(rename = "Not ready")]
        NotReady = "Not ready" or "not-ready",
    }
}

impl ReviewVerdict {
    /// The word in reports.
    pub fn words(self) -> &'static str {
        match self {
            ReviewVerdict::Ready => "Ready to merge",
            ReviewVerdict::WithFixes => "Ready with fixes",
            ReviewVerdict::NotReady => "Not ready",
        }
    }

    /// The verdict that a report names with these words.
    pub fn from_words(words: &str) -> Option<Self> {
        [ReviewVerdict::Ready, ReviewVerdict::WithFixes, ReviewVerdict::NotReady]
            .into_iter()
            .find(|verdict| verdict.words() == words)
    }

    /// The verdict from the open findings, and whether a requirement of an explicit plan is unmet.
    pub fn from_findings<'a>(open: impl Iterator<Item = &'a MergedFinding>, unmet: bool) -> Self {
        let mut verdict = if unmet { ReviewVerdict::NotReady } else { ReviewVerdict::Ready };
        for finding in open {
            let advice = finding.autofix_class == RepairClass::Advisory;
            if finding.severity == FindingSeverity::P0 || (finding.severity == FindingSeverity::P1 && !advice)
            {
                return ReviewVerdict::NotReady;
            }
            if verdict == ReviewVerdict::Ready {
                verdict = ReviewVerdict::WithFixes;
            }
        }
        verdict
    }

    /// Lowers the best verdict by one step unless `unhindered`.
    #[must_use]
    pub fn at_most(self, unhindered: bool) -> Self {
        if self == ReviewVerdict::Ready && !unhindered { ReviewVerdict::WithFixes } else { self }
    }

    /// The worse of two.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let rank = |verdict: Self| match verdict {
            ReviewVerdict::Ready => 0,
            ReviewVerdict::WithFixes => 1,
            ReviewVerdict::NotReady => 2,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}
