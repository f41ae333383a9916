//! What a reviewer returns, and whether it is what it must be. A bad return or finding is dropped with its
//! reason, and counted; the rest stays.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How bad it is; the order is the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Severity {
    /// Must not go on.
    P0,
    /// Must be repaired.
    P1,
    /// Should be repaired.
    P2,
    /// Could be better.
    P3,
}

/// How it may be repaired, the freest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// By the fixer, without a question.
    SafeAuto,
    /// By a concrete change that changes behaviour: after a question.
    GatedAuto,
    /// By a person or another step.
    Manual,
    /// Not at all: it is said.
    Advisory,
}

/// Who takes it on, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Owner {
    /// The fixer of this review.
    ReviewFixer,
    /// A later step.
    DownstreamResolver,
    /// A person.
    Human,
    /// Whoever releases.
    Release,
}

impl Class {
    /// As reports write it.
    pub fn word(self) -> &'static str {
        match self {
            Class::SafeAuto => "safe_auto",
            Class::GatedAuto => "gated_auto",
            Class::Manual => "manual",
            Class::Advisory => "advisory",
        }
    }
}

impl Owner {
    /// As reports write it.
    pub fn word(self) -> &'static str {
        match self {
            Owner::ReviewFixer => "review-fixer",
            Owner::DownstreamResolver => "downstream-resolver",
            Owner::Human => "human",
            Owner::Release => "release",
        }
    }
}

/// One finding of one reviewer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Finding {
    /// At most 100 characters.
    pub title: String,
    /// How bad it is.
    pub severity: Severity,
    /// Relative to the repository's top.
    pub file: String,
    /// From 1.
    pub line: u64,
    /// Why it matters.
    pub why_it_matters: String,
    /// How it may be repaired.
    pub autofix_class: Class,
    /// Who takes it on.
    pub owner: Owner,
    /// Whether the repair must be verified.
    pub requires_verification: bool,
    /// How sure the reviewer is, in hundredths.
    #[serde(skip)]
    pub confidence: u32,
    /// What it rests on.
    pub evidence: Vec<String>,
    /// Whether it was there before the change.
    pub pre_existing: bool,
    /// What to do.
    #[serde(default)]
    pub suggested_fix: Option<String>,
    /// What the reviewer would do with it.
    #[serde(default)]
    pub recommended_action: Option<Action>,
}

/// What to do with a finding, the word that wins first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Action {
    /// Leave it.
    Skip,
    /// Later.
    Defer,
    /// Do it.
    Apply,
    /// Say that it was seen.
    Acknowledge,
}

/// A return that could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Return {
    /// Who.
    pub reviewer: String,
    /// What, without the bad ones.
    pub findings: Vec<Finding>,
    /// Why the bad ones were dropped.
    pub dropped: Vec<String>,
    /// What may still go wrong.
    pub residual_risks: Vec<String>,
    /// What no test covers.
    pub testing_gaps: Vec<String>,
}

/// Reads one return; `anchored` where confidence is an anchor from 0 to 100.
///
/// # Errors
/// Why the whole return is dropped.
pub fn read(value: &Value, anchored: bool) -> Result<Return, String> {
    let object = value.as_object().ok_or("it is no object")?;
    let text = |key: &str| object.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let reviewer = text("reviewer").ok_or("`reviewer` is missing")?.to_owned();
    let list = |key: &str| -> Result<Vec<String>, String> {
        let items = object.get(key).and_then(Value::as_array).ok_or(format!("`{key}` is missing"))?;
        let text = |item: &Value| item.as_str().map_or_else(|| item.to_string(), str::to_owned);
        Ok(items.iter().map(text).collect())
    };
    let (residual_risks, testing_gaps) = (list("residual_risks")?, list("testing_gaps")?);
    let found = object.get("findings").and_then(Value::as_array).ok_or("`findings` is missing")?;
    let (mut findings, mut dropped) = (Vec::new(), Vec::new());
    for (at, value) in found.iter().enumerate() {
        match finding(value, anchored) {
            Ok(finding) => findings.push(finding),
            Err(reason) => dropped.push(format!("{reviewer}, finding {}: {reason}", at + 1)),
        }
    }
    Ok(Return { reviewer, findings, dropped, residual_risks, testing_gaps })
}

fn finding(value: &Value, anchored: bool) -> Result<Finding, String> {
    let mut finding = Finding::deserialize(value).map_err(|error| error.to_string())?;
    let confidence = value.get("confidence").and_then(Value::as_f64).ok_or("`confidence` is no number")?;
    finding.confidence = hundredths(confidence, anchored).ok_or_else(|| {
        let wanted = if anchored { "none of 0, 25, 50, 75 and 100" } else { "not from 0 to 1" };
        format!("`confidence` is {confidence}, {wanted}")
    })?;
    if finding.title.trim().is_empty() || finding.title.chars().count() > 100 {
        return Err("`title` has none or more than 100 characters".to_owned());
    }
    if finding.line == 0 {
        return Err("`line` is 0".to_owned());
    }
    if finding.file.trim().is_empty() {
        return Err("`file` is empty".to_owned());
    }
    if finding.evidence.is_empty() {
        return Err("`evidence` is empty".to_owned());
    }
    Ok(finding)
}

/// A share from 0 to 1, or an anchor, in hundredths.
fn hundredths(confidence: f64, anchored: bool) -> Option<u32> {
    if anchored {
        return [0, 25, 50, 75, 100].into_iter().find(|anchor| f64::from(*anchor) == confidence);
    }
    ((0.0..=1.0).contains(&confidence)).then(|| (confidence * 100.0).round() as u32)
}

/// A path without `./` in front and doubled slashes.
pub fn plain_path(path: &str) -> String {
    let parts = path.trim().split('/').enumerate();
    let kept =
        parts.filter(|(at, part)| *part != "." && (*at == 0 || !part.is_empty())).map(|(_, part)| part);
    kept.collect::<Vec<_>>().join("/")
}

/// A title without case, punctuation and doubled spaces.
pub fn plain_title(title: &str) -> String {
    let lower = title.to_lowercase();
    let kept: String =
        lower.chars().map(|c| if c.is_alphanumeric() || c.is_whitespace() { c } else { '\0' }).collect();
    let kept = kept.replace('\0', "");
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_titles_are_compared_plainly() {
        assert_eq!(plain_path("./src//a.rs"), "src/a.rs");
        assert_eq!(plain_path("/etc/./x"), "/etc/x");
        assert_eq!(plain_title("Missing `nil`  check."), plain_title("missing nil check"));
        assert_eq!(plain_title("Größe: Ö"), "größe ö");
    }

    #[test]
    fn confidence_is_counted_in_hundredths() {
        assert_eq!([0.55, 0.1, 1.0].map(|c| hundredths(c, false)), [Some(55), Some(10), Some(100)]);
        assert_eq!([-0.1, 1.5, 75.0, f64::NAN].map(|c| hundredths(c, false)), [None; 4]);
        assert_eq!([75.0, 0.0, 60.0, 0.75].map(|c| hundredths(c, true)), [Some(75), Some(0), None, None]);
    }
}
