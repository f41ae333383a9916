//! What a finding is: its severity, how it may be repaired, who owns it, and where it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// The severity; reports are in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum FindingSeverity {
    /// Must not be merged.
    P0,
    /// Must be repaired.
    P1,
    /// Should be repaired.
    P2,
    /// Could be better.
    P3,
}

impl FindingSeverity {
    /// As replies and reports write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
        }
    }
}

/// How it may be repaired, the least restricted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepairClass {
    /// By the fixer, without a question.
    SafeAuto,
    /// By a concrete change that alters behaviour, after asking.
    GatedAuto,
    /// By the user or another step.
    Manual,
    /// Not at all: it is only reported.
    Advisory,
}

/// Why no agent is sent to the place of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum Misplacement {
    /// It is about a whole file.
    NoLine,
    /// Its repair may delete or hide a protected file.
    HarmfulRepair,
    /// Its place is not valid in this tree, as the sentence says.
    Invalid(String),
}

impl Misplacement {
    /// The reason in a sentence.
    pub fn words(&self) -> &str {
        match self {
            Misplacement::NoLine => "no line is named",
            Misplacement::HarmfulRepair => "a repair may delete or ignore files of a protected folder",
            Misplacement::Invalid(reason) => reason,
        }
    }
}

/// As its sentence, without a copy of it.
impl Serialize for Misplacement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
    }
}

/// A reason as an answer has it.
impl From<String> for Misplacement {
    fn from(words: String) -> Self {
        let known = [Misplacement::NoLine, Misplacement::HarmfulRepair];
        known.into_iter().find(|one| one.words() == words).unwrap_or(Misplacement::Invalid(words))
    }
}

/// Who owns it, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FindingOwner {
    /// The fixer of this review.
    ReviewFixer,
    /// A later step.
    DownstreamResolver,
    /// The user.
    Human,
    /// The step that makes the release.
    Release,
}

impl RepairClass {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            RepairClass::SafeAuto => "safe_auto",
            RepairClass::GatedAuto => "gated_auto",
            RepairClass::Manual => "manual",
            RepairClass::Advisory => "advisory",
        }
    }

    /// The wording for people.
    pub fn plain(self) -> &'static str {
        match self {
            RepairClass::SafeAuto => "safe",
            RepairClass::GatedAuto => "after approval",
            RepairClass::Manual => "by hand",
            RepairClass::Advisory => "none",
        }
    }

    /// What that means.
    pub fn meaning(self) -> &'static str {
        match self {
            RepairClass::SafeAuto => "changes no behaviour that anybody relies on",
            RepairClass::GatedAuto => "changes behaviour",
            RepairClass::Manual => "needs a decision or more work",
            RepairClass::Advisory => "nothing has to be done",
        }
    }
}

impl FindingOwner {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            FindingOwner::ReviewFixer => "review-fixer",
            FindingOwner::DownstreamResolver => "downstream-resolver",
            FindingOwner::Human => "human",
            FindingOwner::Release => "release",
        }
    }

    /// The wording for people.
    pub fn plain(self) -> &'static str {
        match self {
            FindingOwner::ReviewFixer => "this review",
            FindingOwner::DownstreamResolver => "later step",
            FindingOwner::Human => "you",
            FindingOwner::Release => "release",
        }
    }

    /// What that means.
    pub fn meaning(self) -> &'static str {
        match self {
            FindingOwner::ReviewFixer => "its fixer makes the fix",
            FindingOwner::DownstreamResolver => "a later step or tool makes the fix",
            FindingOwner::Human => "you have to decide",
            FindingOwner::Release => "to be done at the release",
        }
    }
}

/// One finding of one reviewer.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// At most 100 characters.
    pub title: String,
    /// The severity.
    pub severity: FindingSeverity,
    /// Relative to the repository's top.
    pub file: String,
    /// From 1; 0 if none is named.
    pub line: u64,
    /// Why it matters.
    pub why_it_matters: String,
    /// How it may be repaired.
    pub autofix_class: RepairClass,
    /// Who owns it.
    pub owner: FindingOwner,
    /// Whether the repair must be verified.
    pub requires_verification: bool,
    /// How sure the reviewer is, in hundredths.
    pub confidence: u32,
    /// The evidence for it.
    pub evidence: Vec<String>,
    /// Whether it was there before the change.
    pub pre_existing: bool,
    /// What to do.
    pub suggested_fix: Option<String>,
    /// What the reviewer would do with it.
    pub recommended_action: Option<FindingAction>,
    /// Why its place is not valid in this tree.
    pub misplaced: Option<Misplacement>,
    /// Whether repairing it may delete or hide a protected file.
    pub protected: bool,
}

/// What to do with a finding; on disagreement, the first of these wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum FindingAction {
    /// Leave it.
    Skip,
    /// Later.
    Defer,
    /// Do it.
    Apply,
    /// Acknowledge that it was seen.
    Acknowledge,
}

impl FindingAction {
    /// As replies write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Skip => "Skip",
            Self::Defer => "Defer",
            Self::Apply => "Apply",
            Self::Acknowledge => "Acknowledge",
        }
    }
}

/// A path without leading `./` and doubled slashes.
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
}
