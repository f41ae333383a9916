//! How right the rules are on trees whose faults are known: precision and recall by rule.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;

/// One finding that a labelled tree is known to have; the content of `expected.json` is a list of them.
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

/// How one rule did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Findings that a label asks for.
    pub right: usize,
    /// Findings that no label asks for.
    pub wrong: usize,
    /// Labels without a finding.
    pub missed: usize,
}

impl Score {
    /// The part of the findings that is right; 1 without any.
    pub fn precision(&self) -> f64 {
        part(self.right, self.wrong)
    }

    /// The part of the labels that is found; 1 without any.
    pub fn recall(&self) -> f64 {
        part(self.right, self.missed)
    }
}

fn part(right: usize, other: usize) -> f64 {
    if right + other == 0 { 1.0 } else { right as f64 / (right + other) as f64 }
}

/// What differs between the labels of a tree and what was found in it: labels without a finding, then
/// findings without a label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelDifference {
    /// Labels without a finding.
    pub missed: Vec<Label>,
    /// Findings without a label.
    pub wrong: Vec<Label>,
}

/// Compares one tree, adds to `scores`, and says what differs. A label stands for one finding.
pub fn compare(
    labels: &[Label],
    found: &[Diagnostic],
    scores: &mut BTreeMap<String, Score>,
) -> LabelDifference {
    let mut missed = labels.to_vec();
    let mut wrong = Vec::new();
    for finding in found {
        let label = Label { rule: finding.rule.clone(), path: finding.path.clone(), line: finding.line };
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
    use crate::diagnostic::Severity;

    #[test]
    fn a_label_stands_for_one_finding() {
        let label = |line| Label { rule: "a".into(), path: "x".into(), line };
        let found = Diagnostic::whole("x", Severity::Error, "a", "m");
        let mut scores = BTreeMap::new();
        let difference = compare(&[label(1), label(2)], &[found.clone(), found], &mut scores);
        assert_eq!(difference, LabelDifference { missed: vec![label(2)], wrong: vec![label(1)] });
        assert_eq!(scores["a"], Score { right: 1, wrong: 1, missed: 1 });
        assert_eq!(scores["a"].precision(), 0.5);
    }
}
