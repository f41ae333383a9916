//! What a review comes to, by what is still open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::{Class, Severity};
use super::merge::Merged;
use crate::runtime::command_line::choices;

choices! {
    /// What a review comes to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum Verdict {
        /// Nothing is open.
        #[serde(rename = "Ready to merge")]
        Ready = "Ready to merge" or "ready-to-merge",
        /// Something is open that need not stop it.
        #[serde(rename = "Ready with fixes")]
        WithFixes = "Ready with fixes" or "ready-with-fixes",
        /// Something is open that stops it.
        #[serde(rename = "Not ready")]
        NotReady = "Not ready" or "not-ready",
    }
}

impl Verdict {
    /// As reports write it.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Ready => "Ready to merge",
            Verdict::WithFixes => "Ready with fixes",
            Verdict::NotReady => "Not ready",
        }
    }

    /// By the findings that are open, and whether a requirement of an explicit plan is unmet.
    pub fn of<'a>(open: impl Iterator<Item = &'a Merged>, unmet: bool) -> Self {
        let mut verdict = if unmet { Verdict::NotReady } else { Verdict::Ready };
        for finding in open {
            let advice = finding.autofix_class == Class::Advisory;
            if finding.severity == Severity::P0 || (finding.severity == Severity::P1 && !advice) {
                return Verdict::NotReady;
            }
            if verdict == Verdict::Ready {
                verdict = Verdict::WithFixes;
            }
        }
        verdict
    }

    /// Not the best one, unless nothing stands in its way.
    #[must_use]
    pub fn at_most(self, unhindered: bool) -> Self {
        if self == Verdict::Ready && !unhindered { Verdict::WithFixes } else { self }
    }

    /// The worse of two.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let rank = |verdict: Self| match verdict {
            Verdict::Ready => 0,
            Verdict::WithFixes => 1,
            Verdict::NotReady => 2,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}
