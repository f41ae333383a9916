//! The context from the caller as JSON: kept in the run, so that later calls need not repeat it. A model writes it, so
//! it is parsed as leniently as a reply: only what cannot be understood is left out, and is reported.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ids::KnownFindingId;
use crate::runtime::answer::{CallFailure, MALFORMED};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::review::run_folder::{REPLIES, RunFolder};
use crate::runtime::review::{reply, reviewers};

pub(in crate::runtime::review) const NAME: &str = "context.json";
/// Keys of a requirement or a reason that is an object.
const TEXTS: [&str; 6] = ["requirement", "title", "text", "reason", "why", "description"];
const NAMES: [&str; 3] = ["reviewer", "name", "agent"];

/// The context from the caller.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MergeContext {
    /// What the change is for.
    #[serde(default)]
    pub(super) intent: Option<String>,
    /// What is unclear about the intent.
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
    /// The ids assigned so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) ids: Vec<KnownFindingId>,
    /// What is ignored.
    #[serde(skip)]
    pub(super) ignored: Vec<String>,
    /// What is unreadable but may name the reviewers or an unmet requirement.
    #[serde(skip)]
    pub(super) unread: Vec<String>,
}

impl MergeContext {
    /// Parses a text, which may be empty.
    pub(super) fn parse(text: &str) -> Self {
        let mut context = Self::default();
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text == "{}" {
            return context;
        }
        let (mut objects, rest) = reply::objects(text, |key| resolve_key(key).is_some());
        let Some(Value::Object(last)) = objects.pop() else {
            context.unread.push("it has no JSON object with `intent`".to_owned());
            return context;
        };
        if !objects.is_empty() {
            context.unread.push("it has several JSON objects, but only one is expected".to_owned());
        }
        if let Some(text) = reply::doubtful(&rest, &BTreeSet::new(), 0).first() {
            context.unread.push(format!("it has other text next to the JSON object: `{text}`"));
        } else if rest.chars().any(char::is_alphanumeric)
            && rest.trim_matches(['`', '\0', '\n', ' ']) != "json"
        {
            context.ignored.push("the text around the JSON object".to_owned());
        }
        for (key, value) in last {
            context.add(&key, value);
        }
        context
    }

    fn add(&mut self, key: &str, value: Value) {
        let shown: String = key.chars().take(40).collect();
        let meant = resolve_key(key).unwrap_or_default();
        if !meant.is_empty() && meant != key {
            self.ignored.push(format!("the key `{shown}` read as `{meant}`"));
        }
        match (meant, value) {
            (_, Value::Null) => {}
            ("intent", value) => self.intent = self.sentence(&shown, value),
            ("uncertain_intent", value) => self.uncertain_intent = self.sentence(&shown, value),
            ("unmet", Value::Bool(false)) => self.unmet = Some(Vec::new()),
            ("unmet", value) => self.unmet = self.requirements(value),
            ("reasons", value) => self.reasons = self.reviewers(value),
            (_, value) if is_empty(&value) => self.ignored.push(format!("the key `{shown}`")),
            // An unknown key may report an unmet requirement, or that a reviewer did not reply.
            _ => self.unread.push(format!("it has no key `{shown}`")),
        }
    }

    fn sentence(&mut self, key: &str, value: Value) -> Option<String> {
        let found = text(&value);
        if found.is_none() {
            self.ignored.push(format!("`{key}`, which is not text"));
        }
        found
    }

    fn requirements(&mut self, value: Value) -> Option<Vec<String>> {
        let items = match value {
            Value::Array(items) => items,
            one @ (Value::String(_) | Value::Object(_)) => vec![one],
            _ => {
                self.unread.push("`unmet` is not a list of texts".to_owned());
                return None;
            }
        };
        let sentences: Vec<String> =
            items.iter().map(|item| with_reasons(item).unwrap_or_else(|| item.to_string())).collect();
        if !sentences.is_empty() && sentences.iter().all(|text| text.trim().is_empty()) {
            self.unread.push("`unmet` contains only an empty text".to_owned());
            return None;
        }
        let (none, unmet): (Vec<String>, Vec<String>) = sentences.into_iter().partition(|text| is_none(text));
        let named = none.iter().filter(|text| !text.trim().is_empty());
        self.ignored.extend(named.map(|text| format!("`{text}` in `unmet`")));
        Some(unmet)
    }

    fn reviewers(&mut self, value: Value) -> Option<BTreeMap<String, String>> {
        let reason = |value: &Value| match value {
            Value::Null => String::new(),
            value => text(value).unwrap_or_else(|| value.to_string()),
        };
        let items = match value {
            Value::Object(object) if !NAMES.iter().any(|key| object.contains_key(*key)) => {
                return Some(object.iter().map(|(name, why)| (name.clone(), reason(why))).collect());
            }
            Value::Array(items) => items,
            one => vec![one],
        };
        let mut found = BTreeMap::new();
        for item in items {
            let pair = match &item {
                Value::String(text) => {
                    // A name alone gives no reason.
                    let text = text.trim().strip_prefix("review:").unwrap_or(text);
                    let (name, why) = text.split_once([':', '=']).unwrap_or((text, ""));
                    Some((name.trim().to_owned(), why.trim().to_owned()))
                }
                Value::Object(object) => {
                    let name = NAMES.iter().find_map(|key| object.get(*key)?.as_str());
                    let why = TEXTS.iter().find_map(|key| object.get(*key)).map(reason);
                    name.map(|name| (name.to_owned(), why.unwrap_or_default()))
                }
                _ => None,
            };
            match pair.filter(|(name, _)| reviewers::resolve_name(name).is_some()) {
                Some((name, why)) => drop(found.insert(name, why)),
                None => self.unread.push(format!("`reasons` contains {item}, which is not a reviewer")),
            }
        }
        Some(found)
    }

    /// The context as a file next to the replies, for hosts that ask about every command that contains JSON.
    pub(super) fn from_folder(folder: &RunFolder) -> Self {
        match folder.store.text(&folder.path.join(REPLIES).join(NAME)) {
            Ok(text) => Self::parse(&text.unwrap_or_default()),
            Err(failure) => Self { unread: vec![failure.error.message], ..Self::default() },
        }
    }

    /// The context stored in the run.
    pub(super) fn stored(folder: &RunFolder) -> Result<Self, CallFailure> {
        Ok(folder.document(NAME)?.unwrap_or_default())
    }

    /// Takes findings out of earlier joins.
    ///
    /// # Errors
    /// `unknown_finding` for one that was not joined.
    pub(super) fn separate(&mut self, ids: &[String]) -> Result<(), CallFailure> {
        for id in ids.iter().map(|id| id.trim()) {
            if !self.joins.iter().flatten().any(|own| own == id) {
                let message = format!("`{id}` was joined with no other finding");
                return Err(CallFailure::new(
                    MALFORMED,
                    ErrorCode::UnknownFinding,
                    message,
                    "name an id from `joined`",
                ));
            }
            self.joins.iter_mut().for_each(|own| own.retain(|own| own != id));
        }
        self.joins.retain(|own| own.len() > 1);
        Ok(())
    }

    /// Keeps requirements that were reported as unmet before and are not mentioned now: an omission retracts nothing.
    pub(super) fn keep_unmet(&mut self, before: &Self) {
        let Some(unmet) = &mut self.unmet else { return };
        let sentences = before.unmet.iter().flatten();
        let lost: Vec<String> = sentences.filter(|text| !unmet.contains(text)).cloned().collect();
        self.ignored
            .extend(lost.iter().map(|text| format!("the omission of `{text}`, which is still unmet")));
        unmet.extend(lost);
    }

    /// Combines this context with an earlier one; this one takes precedence.
    pub(super) fn merged_with(self, mut before: Self) -> Self {
        before.joins.extend(self.joins);
        before.ignored.extend(self.ignored);
        before.unread.extend(self.unread);
        Self {
            intent: self.intent.or(before.intent),
            uncertain_intent: self.uncertain_intent.or(before.uncertain_intent),
            unmet: self.unmet.or(before.unmet),
            reasons: self.reasons.or(before.reasons),
            ..before
        }
    }
}

/// The key meant by a name in any spelling.
fn resolve_key(key: &str) -> Option<&'static str> {
    match reply::plain(key).as_str() {
        "intent" => Some("intent"),
        "uncertainintent" => Some("uncertain_intent"),
        "unmet" | "unmetrequirements" => Some("unmet"),
        "reasons" | "reviewers" => Some("reasons"),
        _ => None,
    }
}

/// Whether a value is empty.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => is_none(text),
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
    }
}

/// The text of a string, a list of strings joined, or the text field of an object.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(one) => Some(one.clone()),
        Value::Array(items) => {
            let texts: Option<Vec<String>> = items.iter().map(text).collect();
            texts.map(|texts| texts.join("; "))
        }
        Value::Object(object) => TEXTS.iter().find_map(|key| object.get(*key).and_then(text)),
        _ => None,
    }
}

/// Whether a text in a list means "none".
fn is_none(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| c.is_alphabetic()).collect();
    matches!(plain.to_lowercase().as_str(), "" | "none" | "na" | "nothing" | "no" | "null")
}

/// A requirement with the other texts of its object: why it is unmet, and the evidence.
fn with_reasons(item: &Value) -> Option<String> {
    let requirement = text(item)?;
    let values = item.as_object().into_iter().flat_map(|object| object.values());
    let texts = values.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    let texts = texts.filter_map(Value::as_str).map(str::trim);
    let reasons: Vec<&str> = texts.filter(|text| !text.is_empty() && *text != requirement.trim()).collect();
    Some(if reasons.is_empty() { requirement } else { format!("{requirement}: {}", reasons.join("; ")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_is_read_as_tolerantly_as_a_reply() {
        for (text, wanted) in [
            (r#"{"intent":"x","unmet":["A"],}"#, (Some("x"), Some(vec!["A"]), vec![], 0, 0)),
            ("Here: ```json\n{\"intent\":\"x\"}\n```", (Some("x"), None, vec![], 1, 0)),
            ("```json\n{\"intent\":\"x\"}\n```", (Some("x"), None, vec![], 0, 0)),
            (r#"{"intent":["x","y"],"unmet":"A"}"#, (Some("x; y"), Some(vec!["A"]), vec![], 0, 0)),
            (r#"{"intent":"x","notes":"security timed out"}"#, (Some("x"), None, vec![], 0, 1)),
            (r#"{"intent":"x","notes":"none"}"#, (Some("x"), None, vec![], 1, 0)),
            (r#"{"Unmet":["A"],"unmet_requirements":["A"]}"#, (None, Some(vec!["A"]), vec![], 2, 0)),
            (r#"{"reviewers":{"security":"tokens"}}"#, (None, None, vec!["security=tokens"], 1, 0)),
            ("{\"intent\":\"x\"}\nR2 is not met.", (Some("x"), None, vec![], 0, 1)),
            (r#"{"intent":1,"unmet":null,"reasons":null}"#, (None, None, vec![], 1, 0)),
            (r#"{"unmet":[{"requirement":"A"},"none",""]}"#, (None, Some(vec!["A"]), vec![], 1, 0)),
            (r#"{"unmet":[]}"#, (None, Some(vec![]), vec![], 0, 0)),
            (r#"{"unmet":[""]}"#, (None, None, vec![], 0, 1)),
            (r#"{"reasons":{"security":["a","b"]}}"#, (None, None, vec!["security=a; b"], 0, 0)),
            (
                r#"{"reasons":["security: input","review:go"]}"#,
                (None, None, vec!["go=", "security=input"], 0, 0),
            ),
            (r#"{"reasons":[{"name":"go","reason":"r"}]}"#, (None, None, vec!["go=r"], 0, 0)),
            (r#"{"reasons":[1],"unmet":7}"#, (None, None, vec![], 0, 2)),
            ("no json", (None, None, vec![], 0, 1)),
            ("[]", (None, None, vec![], 0, 1)),
            ("\u{feff}{}", (None, None, vec![], 0, 0)),
        ] {
            let read = MergeContext::parse(text);
            let reasons = read.reasons.clone().unwrap_or_default();
            let reasons: Vec<String> = reasons.iter().map(|(name, why)| format!("{name}={why}")).collect();
            let unmet = read.unmet.as_ref().map(|all| all.iter().map(String::as_str).collect::<Vec<_>>());
            let found = (read.intent.as_deref(), unmet, reasons, read.ignored.len(), read.unread.len());
            let wanted =
                (wanted.0, wanted.1, wanted.2.into_iter().map(str::to_owned).collect(), wanted.3, wanted.4);
            assert_eq!(found, wanted, "{text}: {read:?}");
        }
    }
}
