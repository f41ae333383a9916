//! What the caller says beside the replies, as JSON on standard input: kept in the run, so that later calls need not
//! say it again.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::runtime::answer::{Failure, MALFORMED};
use crate::runtime::document;
use crate::runtime::review::reply;
use crate::runtime::review::run_folder::{REPLIES, RunFolder};

pub(super) const NAME: &str = "context.json";
const KEYS: [&str; 4] = ["intent", "uncertain_intent", "unmet", "reasons"];

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
    #[serde(default, deserialize_with = "texts")]
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
        let hint = "give a JSON object with `intent`, `uncertain_intent`, `unmet` and `reasons`";
        let failed = |error: &serde_json::Error| {
            let failure = document::no_json(error, name, hint);
            let place = (failure.error.line, failure.error.col);
            Failure::new(MALFORMED, "malformed_context", failure.error.message, hint)
                .at(name, place.0, place.1)
        };
        serde_json::from_str(text).or_else(|error| {
            // A model writes fences, prose around and commas too many.
            let value = reply::object(text, &KEYS).ok_or_else(|| failed(&error))?;
            serde_json::from_value(value).map_err(|error| failed(&error))
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
        Ok(folder.document(NAME)?.unwrap_or_default())
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

/// A list of texts, or one text.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        Many(Vec<String>),
        One(String),
    }
    Ok(Option::<Texts>::deserialize(deserializer)?.map(|texts| match texts {
        Texts::Many(many) => many,
        Texts::One(one) => Vec::from_iter(Some(one).filter(|one| !one.trim().is_empty())),
    }))
}
