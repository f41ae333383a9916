//! The accuracy of the rules on labelled trees: precision and recall by rule.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;

/// One expected finding of a labelled tree; `expected.json` contains a list of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// The rule.
    pub rule: String,
    /// The file, relative to the tree.
    pub path: String,
    /// 1-based line.
    pub line: usize,
}

/// The score of one rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Findings that match a label.
    pub right: usize,
    /// Findings that match no label.
    pub wrong: usize,
    /// Labels without a finding.
    pub missed: usize,
}

impl Score {
    /// The share of findings that are right; 1 if there are none.
    pub fn precision(&self) -> f64 {
        ratio(self.right, self.wrong)
    }

    /// The share of labels that are found; 1 if there are none.
    pub fn recall(&self) -> f64 {
        ratio(self.right, self.missed)
    }
}

fn ratio(right: usize, other: usize) -> f64 {
    if right + other == 0 { 1.0 } else { right as f64 / (right + other) as f64 }
}

/// The difference between the labels and the findings of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelDifference {
    /// Labels without a finding.
    pub missed: Vec<Label>,
    /// Findings without a label.
    pub wrong: Vec<Label>,
}

/// Compares one tree, adds to `scores`, and returns the difference. Each label matches one finding.
pub fn compare(
    labels: &[Label],
    found: &[Diagnostic],
    scores: &mut BTreeMap<String, Score>,
) -> LabelDifference {
    let mut missed = labels.to_vec();
    let mut wrong = Vec::new();
    for finding in found {
        let label = Label { rule: finding.rule.to_string(), path: finding.path.clone(), line: finding.line };
        let score = scores.entry(label.rule.clone()).or_default();
        match missed.iter().position(|other| other == &label) {
            Some(at) => {
                missed.remove(at);
                score.right += 1;
            }
            None => {
                score.wrong += 1;
                wrong.push(label);
            }
        }
    }
    for label in &missed {
        scores.entry(label.rule.clone()).or_default().missed += 1;
    }
    LabelDifference { missed, wrong }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{RuleId, Severity};

    #[test]
    fn a_label_stands_for_one_finding() {
        let label = |line| Label { rule: "a".into(), path: "x".into(), line };
        let found = Diagnostic::for_file("x", Severity::Error, RuleId::from_static("a"), "m");
        let mut scores = BTreeMap::new();
        let difference = compare(&[label(1), label(2)], &[found.clone(), found], &mut scores);
        assert_eq!(difference, LabelDifference { missed: vec![label(2)], wrong: vec![label(1)] });
        assert_eq!(scores["a"], Score { right: 1, wrong: 1, missed: 1 });
        assert_eq!(scores["a"].precision(), 0.5);
    }
}
