//! Parses ids of findings in agents' spelling: reviewers' judgements of repairs, and the fixer's list of repairs.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Recheck, fields, json, leftover, parts, prose, repair};
use crate::order;

/// Normalises an id: `f1`, `[F1]` and ` F1.` are `F1`.
pub(in crate::runtime::review) fn id(text: &str) -> Option<String> {
    let word = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let (kind, number) = word.split_at_checked(1)?;
    let kind =
        kind.chars().next().map(|c| c.to_ascii_uppercase()).filter(|kind| matches!(kind, 'F' | 'U'))?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse::<u32>().ok().filter(|_| is_number)?;
    Some(format!("{kind}{number}"))
}

/// A reviewer's judgements of repairs: a list of objects, one object, or an object keyed by id; and whether all of it
/// could be read.
pub(super) fn rechecked(value: &Value, reviewer: &str) -> (Vec<Recheck>, bool) {
    let (mut found, mut is_read) = (Vec::new(), true);
    match value {
        Value::Null => {}
        Value::String(text) if text.trim().is_empty() => {}
        Value::Array(items) => {
            for item in items {
                let (more, is_object) = (rechecked(item, reviewer), item.is_object());
                is_read &= is_object && more.1;
                found.extend(more.0);
            }
        }
        Value::Object(object) => {
            let named = object.get("id").map(|name| (name.as_str().unwrap_or_default(), value));
            let several = object.iter().filter(|_| named.is_none()).map(|(id, given)| (id.as_str(), given));
            for (name, given) in named.into_iter().chain(several) {
                let holds = repair_holds(given.get("holds").unwrap_or(given));
                let id = id(name);
                is_read &= id.is_some() && holds.is_some();
                let left = remaining_fault(given);
                let (texts, flags) = other_fields(given, &["id", "holds", "remaining"]);
                let reason = left.iter().chain(&texts).chain(&flags).cloned().collect::<Vec<_>>().join(". ");
                found.extend(id.map(|id| Recheck {
                    remaining: left.map(|left| format!("{id}: {left}")),
                    flags: flags.iter().map(|flag| format!("{id}: {flag}")).collect(),
                    id,
                    // A repair only holds if the reviewer says so.
                    holds: holds.unwrap_or(false),
                    reason,
                    reviewer: reviewer.to_owned(),
                    round: 0,
                }));
            }
        }
        _ => is_read = false,
    }
    (found, is_read)
}

/// What is reported to remain of a repaired fault.
fn remaining_fault(given: &Value) -> Option<String> {
    let left = given.get("remaining").filter(|left| !left.is_null())?;
    let text = left.as_str().map_or_else(|| left.to_string(), str::to_owned);
    (!is_nothing(&text)).then_some(text)
}

/// Whether a text means "none".
pub(super) fn is_nothing(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| c.is_alphabetic()).collect();
    matches!(plain.to_lowercase().as_str(), "" | "none" | "nothing" | "no" | "na" | "false" | "null")
        && !text.bytes().any(|byte| byte.is_ascii_digit() && byte != b'0')
}

/// All texts next to an answer, and other values that are not harmless, so that nothing is overlooked.
fn other_fields(given: &Value, form: &[&str]) -> (Vec<String>, Vec<String>) {
    let (mut texts, mut flags) = (Vec::new(), Vec::new());
    let fields = given.as_object().into_iter().flatten();
    for (key, value) in fields.filter(|(key, _)| !form.contains(&key.as_str())) {
        let listed = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        if listed.iter().all(Value::is_string) {
            texts.extend(listed.iter().filter_map(Value::as_str).map(|text| text.trim().to_owned()));
            continue;
        }
        let (leaves, more) = fields::read(key, value);
        texts.extend(more);
        flags.extend(leaves.into_iter().filter(|leaf| !leaf.is_harmless(&[])).map(|leaf| leaf.text));
    }
    texts.retain(|text| !text.is_empty());
    (texts, flags)
}

/// A writer's answer about a sentence next to its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SentenceAnswer {
    /// It reports no fault.
    NoFault,
    /// It reports a fault, which is now among the findings.
    Fault,
    /// Something was not reviewed; any other answer counts as this.
    NotReviewed,
}

/// Normalises the id of a sentence.
pub(super) fn sentence(text: &str) -> Option<String> {
    let word = text.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_uppercase();
    word.strip_prefix('S')?.parse::<u32>().ok().map(|number| format!("S{number}"))
}

/// The word of an answer, and the text after it: `no_fault: it only says what I read`.
fn answer(text: &str) -> (Option<SentenceAnswer>, &str) {
    let is_end = |c: char| ":(-,.;–—\n".contains(c);
    let ends = text.match_indices(is_end).map(|(at, _)| at).chain(Some(text.len()));
    for end in ends {
        let answered = match super::plain(&text[..end]).as_str() {
            "nofault" | "nofaults" => SentenceAnswer::NoFault,
            "fault" => SentenceAnswer::Fault,
            "notreviewed" => SentenceAnswer::NotReviewed,
            _ => continue,
        };
        let is_sign = |c: char| is_end(c) || c.is_whitespace() || c == ')';
        let rest = text[end..].trim_matches(is_sign);
        let of_choice =
            |word: &str| ["or", "and", "fault", "nofault", "notreviewed", ""].contains(&&*super::plain(word));
        let is_choice = !rest.is_empty() && rest.split([' ', ',', '/', '|', '-']).all(of_choice);
        return if is_choice || text.ends_with('?') { (None, text) } else { (Some(answered), rest) };
    }
    (None, text)
}

/// Answers to sentences, from an object keyed by id or a list of objects; their reasons; and invalid answers,
/// unmodified. An answer whose reason objects is invalid, unless it reports a fault that a severe finding reports as
/// well; quotes from the earlier reply, `before`, are not reasons.
pub(super) fn answers(
    value: &Value,
    is_grave: bool,
    before: &str,
) -> (Vec<(String, SentenceAnswer)>, Vec<String>, Vec<String>) {
    let (mut found, mut reasons, mut strange) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |name: &str, given: &Value, whole: &Value| {
        // Under any key.
        let is_answer =
            |(_, value): &(&String, &Value)| value.as_str().is_some_and(|text| answer(text).0.is_some());
        let mut fields = given.as_object().into_iter().flatten();
        let key = fields.find(is_answer).map_or("answer", |(key, _)| key.as_str());
        let (answered, rest) = answer(given.get(key).unwrap_or(given).as_str().unwrap_or_default());
        let (mut why, mut flags) = other_fields(given, &["id", key]);
        let echoed = ["text", "sentence"].iter().filter_map(|key| given.get(key)?.as_str());
        flags.extend(echoed.filter(|text| !before.contains(text.trim())).map(str::to_owned));
        // Drops the quoted sentence itself.
        why.retain(|text| !before.contains(text.as_str()));
        why.extend(Some(rest.to_owned()).filter(|rest| !rest.is_empty()));
        let why = why.join(". ");
        let is_against = match answered {
            Some(SentenceAnswer::NoFault) => prose::objection(&why).or_else(|| prose::denial(&why)).is_some(),
            Some(SentenceAnswer::Fault) => !is_grave && prose::is_conclusive(&why),
            Some(SentenceAnswer::NotReviewed) | None => false,
        };
        if answered.is_none() || sentence(name).is_none() || is_against || !flags.is_empty() {
            strange
                .push(format!("{name}: {}", whole.as_str().map_or_else(|| whole.to_string(), str::to_owned)));
        } else if !why.is_empty() {
            reasons.push(format!("{name}: {why}"));
        }
        found.extend(sentence(name).map(|id| (id, answered.unwrap_or(SentenceAnswer::NotReviewed))));
    };
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let mut none = Vec::new();
    for item in items {
        match (item.get("id").and_then(Value::as_str), item) {
            (Some(id), item) => add(id, item, item),
            (None, Value::Object(fields)) => fields.iter().for_each(|(name, given)| add(name, given, given)),
            (None, Value::Null) => {}
            (None, Value::String(text)) => none.push(text.clone()),
            (None, other) => none.push(other.to_string()),
        }
    }
    strange.append(&mut none);
    (found, reasons, strange)
}

fn repair_holds(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(holds) => Some(*holds),
        Value::String(word) => match word.trim().to_ascii_lowercase().as_str() {
            "yes" | "true" => Some(true),
            "no" | "false" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// The fixer's reply.
#[derive(Debug, PartialEq, Eq)]
pub struct FixerReply {
    /// The ids that it repaired.
    pub ids: Vec<String>,
    /// Sentences next to the form that say more than that the work is done.
    pub other_ids: Vec<String>,
    /// The reasons for skipped findings.
    pub skipped: Vec<String>,
}

/// What the fixer may mention: the ids of the findings, and their files.
#[derive(Debug, Clone, Copy, Default)]
pub struct FixerScope<'a> {
    /// `F1`, `F2`, …
    pub ids: &'a [String],
    /// Relative to the repository's top.
    pub files: &'a [String],
}

/// The repairs in the fixer's reply: listed in one of its objects, and not skipped in any. A reply to a review other
/// than `review` does not count.
///
/// # Errors
/// Why the reply cannot be used.
pub fn applied(text: &str, review: Option<&str>, known: FixerScope<'_>) -> Result<FixerReply, String> {
    let mut reviews: Vec<String> = Vec::new();
    let (mut lists, mut skipped): (Vec<Vec<Value>>, BTreeSet<String>) = Default::default();
    let mut reasons: Vec<String> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    let scan = json::scan(text, "applied", &mut |value, _| {
        let inner = value.as_object().into_iter().flat_map(|object| object.values());
        let is_reply = |one: &&Value| one.get("applied").is_some_and(Value::is_array);
        let Some(reply) = std::iter::once(&value).chain(inner).find(is_reply) else { return false };
        lists.extend(reply["applied"].as_array().cloned());
        skipped.extend(reply.get("skipped").map(named_ids).unwrap_or_default());
        // A skipped item that is not a finding is about something else.
        for item in reply
            .get("skipped")
            .map_or(&[][..], |all| all.as_array().map_or(std::slice::from_ref(all), Vec::as_slice))
        {
            match named_ids(item).iter().any(|id| known.ids.contains(id)) {
                true => reasons.extend(repair::sentence_of(item)),
                false => note("skipped", item, &mut texts),
            }
        }
        let fields = reply.as_object().into_iter().flatten();
        let others = fields.filter(|(key, _)| !matches!(key.as_str(), "applied" | "skipped" | "run"));
        others.for_each(|(key, value)| note(key, value, &mut texts));
        let notes = reply["applied"].as_array().into_iter().flatten().filter_map(Value::as_object).flatten();
        notes.filter(|(key, _)| key.as_str() != "id").for_each(|(key, value)| note(key, value, &mut texts));
        reviews.extend(reply.get("run").and_then(Value::as_str).map(str::to_owned));
        true
    });
    if lists.is_empty() || scan.broken.is_some() {
        return Err(super::unreadable("applied", scan.broken));
    }
    if let Some((reason, _)) = review.and_then(|own| parts::another_reviewer(&reviews, own)) {
        return Err(reason);
    }
    if ["applied", "skipped"].iter().any(|key| leftover::has_key(&scan.rest, key)) {
        return Err("a part of it is not valid JSON".to_owned());
    }
    let mut applied: BTreeSet<String> = BTreeSet::new();
    for list in lists {
        let own = |item: &Value| item.as_str().or_else(|| item.get("id")?.as_str()).and_then(id);
        let ids = list.iter().map(|item| own(item).ok_or_else(|| format!("`applied` holds {item}")));
        let ids = order::set(ids.collect::<Result<Vec<String>, String>>()?);
        // One object for each repair, or one for all: they add up, unless the last one is empty and retracts all.
        applied = if ids.is_empty() { ids } else { &applied | &ids };
    }
    let ids = applied.into_iter().filter(|id| !skipped.contains(id)).collect();
    texts.push(scan.rest);
    let beside = prose::doubtful(&texts.join("\n"), &known.files.iter().map(String::as_str).collect(), 0);
    Ok(FixerReply { ids, other_ids: beside, skipped: reasons })
}

/// Records an optional field of the fixer's reply: a text unchanged, any other value with its name.
fn note(key: &str, value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) if items.is_empty() => {}
        Value::Object(fields) if fields.is_empty() => {}
        other => texts.push(format!("{key}: {other}")),
    }
}

/// The ids in a value: as strings, objects or words.
fn named_ids(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => text.split_whitespace().filter_map(id).collect(),
        Value::Array(items) => items.iter().flat_map(named_ids).collect(),
        Value::Object(object) => match object.get("id") {
            Some(one) => named_ids(one),
            None => object.keys().filter_map(|name| id(name)).collect(),
        },
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_understood() {
        assert_eq!(["f1", "[F1]", " F1.", "F01"].map(id), [(); 4].map(|()| Some("F1".to_owned())));
        assert_eq!(["1", "F", "finding", "F+1", "", "é1"].map(id), [(); 6].map(|()| None));
    }

    /// `re-review-fails-open`: judgements of repairs in other forms than asked for.
    #[test]
    fn answers_about_repairs_count_in_any_form() {
        let read = |value: Value| {
            let (found, is_read) = rechecked(&value, "x");
            (found.into_iter().map(|one| (one.id, one.holds)).collect::<Vec<_>>(), is_read)
        };
        let one = |holds: bool| vec![("F1".to_owned(), holds)];
        for (value, wanted) in [
            (json!([{"id": "f1", "holds": false}]), (one(false), true)),
            (json!({"id": "[F1]", "holds": "No"}), (one(false), true)),
            (json!({"F1": true}), (one(true), true)),
            (json!([{"F1": {"holds": "yes", "reason": "r"}}]), (one(true), true)),
            (json!([{"id": "F1"}]), (one(false), false)),
            (json!([{"id": "F1", "holds": "partly"}]), (one(false), false)),
            (json!([{"id": 1, "holds": true}]), (vec![], false)),
            (json!(["F1 does not hold"]), (vec![], false)),
            (json!("F1 does not hold"), (vec![], false)),
            (json!([]), (vec![], true)),
            (json!(null), (vec![], true)),
        ] {
            assert_eq!(read(value.clone()), wanted, "{value}");
        }
    }

    /// `no_field_of_an_answer_is_lost`: what remains of a fault, and answers to sentences.
    #[test]
    fn no_field_of_an_answer_is_lost() {
        let holds = |more: &str| {
            let value = serde_json::from_str(&format!(r#"{{"id": "F1", "holds": true{more}}}"#)).unwrap();
            let (found, _) = rechecked(&value, "x");
            (found[0].holds, found[0].reason.clone())
        };
        for more in [
            "",
            r#","remaining":"""#,
            r#","remaining":"None.""#,
            r#","remaining":[]"#,
            r#","remaining":null"#,
        ] {
            assert_eq!(holds(more), (true, String::new()), "{more}");
        }
        let left = r#","remaining":"line 3 is as it was","reason":"r""#;
        assert_eq!(holds(left), (true, "line 3 is as it was. r".to_owned()));
        assert_eq!(holds(r#","note":"a","reason":"b""#), (true, "a. b".to_owned()));
        let read = |text: &str| answers(&serde_json::from_str(text).unwrap(), false, "").0;
        let (no, fault, open) = (SentenceAnswer::NoFault, SentenceAnswer::Fault, SentenceAnswer::NotReviewed);
        let two = |one, other| vec![("S1".to_owned(), one), ("S2".to_owned(), other)];
        assert_eq!(read(r#"{"S1":"no_fault","s2":"No fault"}"#), two(no, no));
        assert_eq!(read(r#"[{"id":"S1","answer":"fault"},{"id":"[S2]","answer":"fine"}]"#), two(fault, open));
        assert_eq!(read(r#"{"S1":{"answer":"no_fault"},"S2":true,"F1":"no_fault"}"#), two(no, open));
        let strange = |text: &str| answers(&serde_json::from_str(text).unwrap(), false, "").2;
        assert_eq!(strange(r#"{"S1":"no_fault","S2":{"answer":"fault"},"S3":"not reviewed"}"#), [""; 0]);
        for text in
            [r#""P0: x""#, r#"["P0: x"]"#, r#"{"S1":"P0: x"}"#, r#"[{"id":"F1","answer":"fault"}]"#, "[[1]]"]
        {
            assert_eq!(strange(text).len(), 1, "{text}");
        }
    }

    /// `applied-without-an-edit`: an id in both lists.
    #[test]
    fn what_the_fixer_skipped_is_not_repaired() {
        let (ids, files) = (["F1", "F2", "F3"].map(str::to_owned), ["src/a_b.py".to_owned()]);
        let known = FixerScope { ids: &ids, files: &files };
        let read = |text: &str| applied(text, None, known).map(|fixed| fixed.ids.join(" "));
        for (text, wanted) in [
            (r#"{"applied": ["f1", {"id": "[F2]"}], "skipped": [{"id": "F3", "reason": "as F1"}]}"#, "F1 F2"),
            (r#"{"applied": ["F1", "F2"], "skipped": [{"id": "f1"}]}"#, "F2"),
            (r#"{"applied": ["F1", "F2", "F3"], "skipped": {"F1": "no", "F3": "no"}}"#, "F2"),
            (r#"{"applied": ["F1"]} or {"applied": ["F1", "F2"], "skipped": "F1 was wrong"}"#, "F2"),
            (r#"{"applied": ["F1"]} and {"applied": ["F2"]}"#, "F1 F2"),
            (r#"{"applied": ["F1"]}, taken back: {"applied": []}"#, ""),
            (r#"{"result": {"applied": ["F1"]}}"#, "F1"),
        ] {
            assert_eq!(read(text), Ok(wanted.to_owned()), "{text}");
        }
        for (text, is_more) in [
            ("I fixed F1 in src/a_b.py. {\"applied\": [\"F1\"]} Done.", false),
            ("{\"applied\": [\"F1\"], \"skipped\": [{\"id\": \"F2\", \"reason\": \"it is right\"}]}", false),
            ("{\"applied\": [\"F1\"], \"skipped\": [{\"id\": \"F9\", \"reason\": \"P0: eval\"}]}", true),
            ("{\"applied\": [\"F1\"], \"skipped\": [\"a.rs:3 runs eval\"]}", true),
            ("{\"applied\": [\"F1\"], \"failed\": [], \"status\": \"done\"}", false),
            ("{\"applied\": [\"F1\"], \"failed\": [\"F2\"]}", true),
            ("{\"applied\": [{\"id\": \"F1\", \"note\": \"in part\"}]}", true),
            ("{\"applied\": [\"F1\"]}\n12 of 14 tests fail after this fix.", true),
        ] {
            assert_eq!(!applied(text, None, known).unwrap().other_ids.is_empty(), is_more, "{text}");
        }
        for text in [r#"{"applied": ["all"]}"#, r#"{"applied": ["F1"]} {"applied": ["F1", "#, "done"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
