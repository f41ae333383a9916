//! The output of `eval`: precision and recall of each rule, and every difference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::human::count_noun;
use crate::check::score::Score;
use crate::printable::PrintableLines;

/// What `eval --format json` prints: `plugcast.eval/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvalReport {
    /// `plugcast.eval/1`.
    pub schema: String,
    /// The number of labelled trees.
    pub cases: usize,
    /// Sorted by name; rules with neither findings nor labels are absent.
    pub rules: Vec<RuleScore>,
    /// One sentence for each label without a finding and each finding without a label.
    pub differences: Vec<String>,
}

/// The score of one rule.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleScore {
    /// The rule.
    pub rule: String,
    /// The share of its findings that are right.
    pub precision: f64,
    /// The share of its labels that are found.
    pub recall: f64,
    /// Findings that match a label.
    pub right: usize,
    /// Findings that match no label.
    pub wrong: usize,
    /// Labels without a finding.
    pub missed: usize,
}

impl RuleScore {
    /// The rates and counts of `score`.
    pub fn new(rule: String, score: &Score) -> Self {
        let Score { right, wrong, missed } = *score;
        Self { rule, precision: score.precision(), recall: score.recall(), right, wrong, missed }
    }
}

impl EvalReport {
    /// The report for the user.
    pub fn table(&self) -> String {
        let mut out = PrintableLines::default();
        for difference in &self.differences {
            let _ = writeln!(out, "{difference}");
        }
        let width = self.rules.iter().map(|rule| rule.rule.len()).max().unwrap_or(4).max(4);
        let _ = writeln!(out, "{:width$}  precision  recall  right  wrong  missed", "rule");
        for rule in &self.rules {
            let _ = writeln!(
                out,
                "{:width$}  {:9.3}  {:6.3}  {:5}  {:5}  {:6}",
                rule.rule, rule.precision, rule.recall, rule.right, rule.wrong, rule.missed
            );
        }
        let trees = count_noun(self.cases, "tree", "trees");
        let _ = writeln!(out, "{trees}, {}", count_noun(self.differences.len(), "difference", "differences"));
        out.into_string()
    }
}
