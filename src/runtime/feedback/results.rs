//! What resolvers replied, as files in the run: the last verdict about each item that the unit was given. A reply that
//! cannot be read is named with the reason, and costs its unit only.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::outcome::{FeedbackOutcome, FeedbackVerdict};
use super::record::FeedbackRun;
use super::unit::DispatchedUnit;
use crate::printable::{is_hidden, line};
use crate::runtime::answer::CallFailure;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::given_list::words;
use crate::runtime::review::reply::{objects, rows};

/// How a cluster is assessed without earlier threads.
const MODES: [&str; 2] = ["systemic", "coincidental"];
/// How a cluster is assessed beside earlier threads.
const MODES_WITH_PRIORS: [&str; 3] = ["band-aid", "correct-but-incomplete", "sound-and-independent"];

/// A reply, or a part of one, that does not count.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnreadResult {
    /// The unit.
    pub unit: String,
    /// Why.
    pub reason: String,
}

/// What the units of a round replied.
#[derive(Debug, Default)]
pub(super) struct UnitResults {
    /// The outcomes with the texts to post.
    pub(super) outcomes: Vec<(FeedbackOutcome, String)>,
    pub(super) unread: Vec<UnreadResult>,
    /// What the replies lack, though every item has its result.
    pub(super) notes: Vec<String>,
    /// The assessments of clusters, as returned.
    pub(super) assessments: Vec<Value>,
}

impl UnitResults {
    /// Reads the replies to the units of the current round.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn read(run: &FeedbackRun) -> Result<Self, CallFailure> {
        let mut results = Self::default();
        let round = run.record.round;
        for unit in run.record.units.iter().filter(|unit| unit.round == round) {
            let path = run.path.join("replies").join(format!("{}.txt", unit.name));
            match run.store.text(&path) {
                Ok(Some(text)) => results.add(unit, &text),
                Ok(None) => results.refuse(unit, "no reply yet"),
                Err(failure) if failure.error.code == ErrorCode::NotUtf8 => {
                    results.refuse(unit, &failure.error.message)
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(results)
    }

    fn refuse(&mut self, unit: &DispatchedUnit, reason: &str) {
        self.unread.push(UnreadResult { unit: unit.name.clone(), reason: reason.to_owned() });
    }

    fn add(&mut self, unit: &DispatchedUnit, text: &str) {
        let rows = match rows(text, "results", "feedback_id") {
            Ok((rows, _)) => rows,
            Err(reason) => return self.refuse(unit, &reason),
        };
        for id in &unit.items {
            // An earlier one may be a draft, or a quoted comment.
            let Some(row) = rows.iter().rfind(|row| row["feedback_id"].as_str() == Some(id)) else {
                self.refuse(unit, &format!("no result for `{id}`"));
                continue;
            };
            match outcome(unit, id, row) {
                Ok(outcome) => self.outcomes.push(outcome),
                Err(reason) => self.refuse(unit, &format!("`{id}`: {reason}")),
            }
        }
        for row in rows.iter().filter_map(|row| row["feedback_id"].as_str()) {
            if !unit.items.iter().any(|id| id == row) {
                self.refuse(
                    unit,
                    &format!("`{row}` is not an item of this unit, and its result does not count"),
                );
            }
        }
        if unit.is_cluster {
            self.add_assessment(unit, text);
        }
    }

    /// Adds the assessment of a cluster, and notes what is wrong with it.
    fn add_assessment(&mut self, unit: &DispatchedUnit, text: &str) {
        let (found, _) = objects(text, |key| key == "cluster_assessment");
        let found = found.last().map_or(&Value::Null, |object| &object["cluster_assessment"]);
        let name = &unit.name;
        let Some(mode) = found["mode"].as_str() else {
            let what =
                if found.is_null() { "no `cluster_assessment`" } else { "an assessment without `mode`" };
            return self.notes.push(format!("`{name}` has {what}"));
        };
        let mode = mode.trim().to_ascii_lowercase().replace([' ', '_'], "-");
        let modes: &[&str] = if unit.priors.is_empty() { &MODES } else { &MODES_WITH_PRIORS };
        if !modes.contains(&&*mode) {
            let (what, modes) = (line(&mode), modes.join("`, `"));
            self.notes.push(format!("`{name}` has the mode `{what}`, which is not one of `{modes}`"));
        }
        let investigated = found["files_investigated"].as_array();
        if mode == "correct-but-incomplete" && investigated.is_none_or(Vec::is_empty) {
            self.notes
                .push(format!("`{name}` is `correct-but-incomplete`, and names no `files_investigated`"));
        }
        let priors = words(found.get("prior_thread_ids"), "\n").unwrap_or_default();
        for id in priors.lines().filter(|id| !unit.priors.iter().any(|prior| prior == id)) {
            self.notes.push(format!("`{name}` names `{}`, which its brief does not", line(id)));
        }
        self.assessments.push(found.clone());
    }
}

/// The outcome of an item, with the text to post.
fn outcome(unit: &DispatchedUnit, id: &str, row: &Value) -> Result<(FeedbackOutcome, String), String> {
    let word = row["verdict"].as_str().unwrap_or_default();
    let plain = word.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    let verdict = FeedbackVerdict::parse(&plain).ok_or_else(|| format!("unknown verdict `{word}`"))?;
    let text =
        |key: &str| row[key].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let reply = text("reply_text").filter(|text| shows_anything(text)).ok_or("`reply_text` is empty")?;
    let files = words(row.get("files_changed"), "\n").unwrap_or_default();
    let outcome = FeedbackOutcome {
        reason: text("reason").unwrap_or_default(),
        decision_context: text("decision_context"),
        files_changed: files.lines().map(str::to_owned).collect(),
        ..FeedbackOutcome::new(id.to_owned(), unit.round, verdict)
    };
    Ok((outcome, reply))
}

/// Whether a reader of a comment sees anything of it.
pub(super) fn shows_anything(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
    let is_blank =
        |c: char| is_sign(c) || c.is_whitespace() || c.is_control() || is_hidden(c) || c == '\u{2800}';
    let shows = |text: &str| !without_markup(text).chars().all(is_blank);
    let mut parts = text.split("<!--");
    let is_before = parts.next().is_some_and(shows);
    is_before || parts.any(|part| part.split_once("-->").is_some_and(|(_, behind)| shows(behind)))
}

/// How long a tag or an address is at most, in characters.
const LONGEST_MARKUP: usize = 2_000;

/// A text without tags, entities and addresses of links.
fn without_markup(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['<', '&', ']']) {
        let (before, markup) = rest.split_at(at);
        out += before;
        let close = match markup.as_bytes() {
            [b'<', ..] => Some('>'),
            [b']', b'(', ..] => Some(')'),
            [b'&', ..] => Some(';'),
            _ => None,
        };
        let mut signs = markup.char_indices().take(LONGEST_MARKUP);
        let end = close.and_then(|close| signs.find(|(_, sign)| *sign == close));
        rest = &markup[end.map_or(1, |(end, _)| end + 1)..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_of_html_or_of_hidden_characters_shows_nothing() {
        for text in [
            "",
            " \n",
            "<br>",
            "![](x.png)",
            "&#8203; &shy;",
            "> **\u{200b}**",
            "<!-- fixed -->",
            "<!-- a --> <!-- b",
            "\u{200b}",
            "\u{2800}",
            "\u{ad}",
            "&nbsp; \u{a0}",
        ] {
            assert!(!shows_anything(text), "{text:?}");
        }
        for text in ["Done.", "<!-- a --> 1", "a <!--", "\u{1f44d}", "<b>1</b>"] {
            assert!(shows_anything(text), "{text:?}");
        }
    }
}
