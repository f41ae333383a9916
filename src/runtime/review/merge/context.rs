//! What the caller says beside the replies, as JSON on standard input: kept in the run, so that later calls need not
//! say it again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::runtime::answer::{Failure, MALFORMED};
use crate::runtime::document;
use crate::runtime::review::run_folder::{REPLIES, RunFolder, parsed};

pub(super) const NAME: &str = "context.json";

/// What the caller says.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Context {
    /// What the change is for.
    #[serde(default)]
    pub(super) intent: Option<String>,
    /// What is unclear about that.
    #[serde(default)]
    pub(super) uncertain_intent: Option<String>,
    /// Requirements of the plan that the change does not meet.
    #[serde(default)]
    pub(super) unmet: Option<Vec<String>>,
    /// Why reviewers were chosen.
    #[serde(default)]
    pub(super) reasons: Option<BTreeMap<String, String>>,
    /// Findings that mean the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) joins: Vec<Vec<String>>,
}

impl Context {
    /// Reads a text; one without anything says nothing.
    ///
    /// # Errors
    /// `malformed_context`.
    pub(super) fn parse(text: &str, name: &str) -> Result<Self, Failure> {
        let text = text.trim_start_matches('\u{feff}');
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_str(text).map_err(|error| {
            let hint = "give a JSON object with `intent`, `uncertain_intent`, `unmet` and `reasons`";
            let failure = document::no_json(&error, name, hint);
            let place = (failure.error.line, failure.error.col);
            Failure::new(MALFORMED, "malformed_context", failure.error.message, hint)
                .at(name, place.0, place.1)
        })
    }

    /// What the caller wrote beside the replies, where a host asks about every command that holds JSON.
    ///
    /// # Errors
    /// `malformed_context`.
    pub(super) fn written(folder: &RunFolder) -> Result<Self, Failure> {
        let path = folder.path.join(REPLIES).join(NAME);
        let name = path.display().to_string();
        let text = folder.store.text(&path).map_err(|failure| {
            let reason = failure.error.message;
            Failure::new(MALFORMED, "malformed_context", reason, "write it again").at(&name, None, None)
        })?;
        text.map_or_else(|| Ok(Self::default()), |text| Self::parse(&text, &name))
    }

    /// What a run keeps.
    pub(super) fn stored(folder: &RunFolder) -> Result<Self, Failure> {
        Ok(parsed(&folder.store, &folder.path.join(NAME))?.unwrap_or_default())
    }

    /// The same with what is said now in front of what was said before.
    pub(super) fn over(self, before: Self) -> Self {
        let mut joins = before.joins;
        joins.extend(self.joins);
        Self {
            intent: self.intent.or(before.intent),
            uncertain_intent: self.uncertain_intent.or(before.uncertain_intent),
            unmet: self.unmet.or(before.unmet),
            reasons: self.reasons.or(before.reasons),
            joins,
        }
    }
}
