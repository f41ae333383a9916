//! Parses one finding from what a reviewer wrote: unusual values are understood if possible, and each correction is
//! reported.

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::UnreadFinding;
use crate::runtime::review::findings::{Finding, FindingAction, FindingOwner, FindingSeverity, RepairClass};

/// The longest title.
const TITLE: usize = 100;
/// The confidence of a finding without one: enough to be reported.
const DEFAULT_CONFIDENCE: u32 = 60;

/// The accepted names of a finding's fields, the form's own first.
const TITLE_KEYS: [&str; 5] = ["title", "summary", "name", "issue", "problem"];
const SEVERITY_KEYS: [&str; 2] = ["severity", "priority"];
const WHY_KEYS: [&str; 6] = ["why_it_matters", "why", "description", "body", "message", "details"];
const FILE_KEYS: [&str; 4] = ["file", "path", "filename", "location"];
const FIX_KEYS: [&str; 4] = ["suggested_fix", "fix", "suggestion", "recommendation"];
/// Other fields that are read.
const KNOWN: [&str; 8] = [
    "line",
    "autofix_class",
    "owner",
    "requires_verification",
    "confidence",
    "evidence",
    "pre_existing",
    "recommended_action",
];

/// The findings of a reply, those that cannot be read, and in `repaired` what had to be corrected.
pub(super) fn findings(
    reviewer: &str,
    items: &[Value],
    anchored: bool,
    repaired: &mut Vec<String>,
) -> (Vec<Finding>, Vec<UnreadFinding>) {
    let (mut findings, mut unread) = (Vec::new(), Vec::new());
    for (at, item) in items.iter().enumerate() {
        let number = at + 1;
        if is_form(item) {
            repaired.push(format!("{reviewer}, finding {number}: it is a template that was not filled in"));
            continue;
        }
        match finding(item, anchored) {
            Ok((finding, repairs)) => {
                findings.push(finding);
                let named = |repair| format!("{reviewer}, finding {number}: {repair}");
                repaired.extend(repairs.into_iter().map(named));
            }
            Err((severity, reason)) => unread.push(UnreadFinding {
                reviewer: reviewer.to_owned(),
                severity: Some(severity),
                reason: format!("finding {number}: {reason}"),
            }),
        }
    }
    (findings, unread)
}

/// A finding with its corrections; or its severity, and why it cannot be understood.
type RepairedFinding = Result<(Finding, Vec<String>), (FindingSeverity, String)>;

fn finding(value: &Value, anchored: bool) -> RepairedFinding {
    let mut repairs = Vec::new();
    let text = |keys: &[&str]| keys.iter().find_map(|key| sentence_of(value.get(*key)?));
    let title = text(&TITLE_KEYS);
    let severity = worst_severity(value, &mut repairs);
    let why = text(&WHY_KEYS);
    let Some(whole) = title.clone().or_else(|| why.clone()) else {
        let text = sentence_of(value).unwrap_or_else(|| value.to_string());
        return Err((severity, format!("it has neither a title nor a reason: {text}")));
    };
    if title.is_none() {
        repairs.push("the title is missing: taken from the reason".to_owned());
    }
    let title = match whole.chars().count() > TITLE {
        true => {
            repairs.push("the title is shortened".to_owned());
            whole.chars().take(TITLE - 1).chain(['…']).collect()
        }
        false => whole.clone(),
    };
    // The full title is kept in the reason.
    let why = why.unwrap_or_else(|| if title == whole { String::new() } else { whole.clone() });
    let file = text(&FILE_KEYS).unwrap_or_else(|| {
        repairs.push("no file is named".to_owned());
        String::new()
    });
    let (line, plain) = line(value.get("line"));
    if !plain {
        repairs.push(format!("line {} read as {line}", shown(value.get("line"))));
    }
    let sure = value.get("confidence").map(readings).unwrap_or_default();
    let (confidence, plain) =
        sure.iter().map(|one| confidence(Some(one), anchored)).max().unwrap_or((DEFAULT_CONFIDENCE, false));
    let plain = plain && sure.len() == 1;
    if !plain {
        let read = format!("{}.{:02}", confidence / 100, confidence % 100);
        repairs.push(format!("confidence {} read as {read}", shown(value.get("confidence"))));
    }
    let mut evidence = match value.get("evidence") {
        Some(Value::Object(fields)) => fields.iter().filter_map(|(key, value)| line_of(key, value)).collect(),
        other => texts(other).unwrap_or_default(),
    };
    if evidence.is_empty() {
        repairs.push("there is no evidence".to_owned());
    }
    evidence.extend(Some(format!("title: {whole}")).filter(|_| title != whole && why != whole));
    evidence.extend(other_fields(value));
    let autofix_class = value.get("autofix_class").and_then(Value::as_str).and_then(class);
    if autofix_class.is_none() {
        repairs.push(format!("class {} read as manual", shown(value.get("autofix_class"))));
    }
    let owner = value.get("owner").and_then(Value::as_str).and_then(owner);
    if owner.is_none() {
        repairs.push(format!("owner {} read as human", shown(value.get("owner"))));
    }
    // By default a repair is verified, and a finding is new.
    let flag = |key: &str, unsaid: bool| match value.get(key) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(flag)) => flag.eq_ignore_ascii_case("true"),
        _ => unsaid,
    };
    let finding = Finding {
        title,
        severity,
        file,
        line,
        why_it_matters: why,
        autofix_class: autofix_class.unwrap_or(RepairClass::Manual),
        owner: owner.unwrap_or(FindingOwner::Human),
        requires_verification: flag("requires_verification", true),
        confidence,
        evidence,
        pre_existing: flag("pre_existing", false),
        suggested_fix: text(&FIX_KEYS),
        recommended_action: value.get("recommended_action").and_then(Value::as_str).and_then(action),
        misplaced: None,
        protected: false,
    };
    Ok((finding, repairs))
}

/// The severity of a finding. Of several readings, the one that hides less: the highest severity, and confidence. The
/// same applies to unknown values.
fn worst_severity(value: &Value, repairs: &mut Vec<String>) -> FindingSeverity {
    let written = SEVERITY_KEYS.iter().find_map(|key| value.get(*key));
    let severities = written.map(readings).unwrap_or_default();
    let known: Vec<(FindingSeverity, bool)> = severities.iter().filter_map(severity).collect();
    let is_none =
        |one: &Value| one.as_str().is_some_and(|word| matches!(plain(word).as_str(), "none" | "na"));
    let unknown = if !severities.is_empty() && severities.iter().all(is_none) {
        FindingSeverity::P3
    } else {
        FindingSeverity::P1
    };
    let worst = known
        .iter()
        .min()
        .filter(|(worst, _)| *worst <= FindingSeverity::P1 || known.len() == severities.len());
    let (severity, plain) =
        worst.map_or((unknown, false), |(worst, plain)| (*worst, *plain && known.len() == 1));
    if !plain {
        repairs.push(format!("severity {} read as {}", shown(written), severity.word()));
    }
    severity
}

/// The text of a value: all items of a list, or each field of an object, line by line.
pub(super) fn sentence_of(value: &Value) -> Option<String> {
    let lines: Vec<String> = match value {
        Value::String(text) => vec![text.trim().to_owned()],
        Value::Array(items) => items.iter().filter_map(sentence_of).collect(),
        Value::Object(fields) => fields.iter().filter_map(|(key, value)| line_of(key, value)).collect(),
        Value::Number(number) => vec![number.to_string()],
        Value::Bool(_) | Value::Null => Vec::new(),
    };
    Some(lines.join("\n")).filter(|text| !text.is_empty())
}

/// One field as a line.
fn line_of(key: &str, value: &Value) -> Option<String> {
    sentence_of(value).map(|text| format!("{key}: {text}"))
}

/// The texts of unknown fields, and of the second of two synonymous ones.
fn other_fields(value: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Array(items) if items.iter().any(|item| !is_finding(item)) => Some(value.to_string()),
        Value::Object(fields) if !fields.is_empty() && !is_finding(value) => Some(value.to_string()),
        _ => None,
    };
    let mut found = Vec::new();
    let read = [&TITLE_KEYS[..], &SEVERITY_KEYS, &WHY_KEYS, &FILE_KEYS, &FIX_KEYS]
        .map(|keys| keys.iter().find(|key| value.get(**key).is_some_and(|value| text(value).is_some())));
    for (key, value) in value.as_object().into_iter().flatten() {
        if !KNOWN.contains(&key.as_str()) && !read.iter().flatten().any(|one| **one == key.as_str()) {
            let sentence = text(value).filter(|text| !text.is_empty());
            found.extend(sentence.map(|text| format!("{key}: {text}")));
        }
    }
    found
}

/// The values of a field: several for a list, such as from a duplicate key.
fn readings(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

/// Whether a value is meant as a finding.
pub(super) fn is_finding(value: &Value) -> bool {
    value.get("title").is_some() && value.get("severity").is_some()
}

/// Whether a finding is an unfilled template.
fn is_form(value: &Value) -> bool {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().trim();
    let is_dots = |text: &str| matches!(text, "..." | "…");
    let inner = text("title").strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let is_open = inner.is_some_and(|inner| !inner.contains(['<', '>'])) || is_dots(text("title"));
    is_open && (is_dots(text("severity")) || text("severity").contains(['|', '<']))
}

/// A value for a message, shortened.
pub(super) fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "(none)".to_owned(),
        Some(value) => format!("`{}`", value.to_string().chars().take(40).collect::<String>()),
    }
}

/// A list of texts, or one text.
pub(super) fn texts(value: Option<&Value>) -> Option<Vec<String>> {
    let text = |item: &Value| item.as_str().map_or_else(|| item.to_string(), str::to_owned);
    match value? {
        Value::Array(items) => Some(items.iter().map(text).collect()),
        Value::String(one) => Some(vec![one.clone()]),
        _ => None,
    }
}

/// A word in lower case, with letters and digits only.
pub(in crate::runtime::review) fn plain(word: &str) -> String {
    word.trim().to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A severity, and whether it is in the expected form.
pub(super) fn severity(value: &Value) -> Option<(FindingSeverity, bool)> {
    let word = match value {
        Value::String(word) if word.trim().parse::<u8>().is_ok() => format!("p{}", word.trim()),
        Value::String(word) => word.to_lowercase(),
        Value::Number(number) => format!("p{number}"),
        Value::Object(fields) => {
            return fields.values().filter_map(severity).min().map(|(found, _)| (found, false));
        }
        _ => return None,
    };
    // Of several words, the most severe; a negated one counts as P3.
    let words: Vec<&str> = word.split(|c: char| !c.is_alphanumeric()).collect();
    let is_denied = |at: usize| at > 0 && matches!(words[at - 1], "non" | "not");
    let each = words.iter().enumerate().filter_map(|(at, word)| {
        severity_from_word(word).map(|found| if is_denied(at) { FindingSeverity::P3 } else { found })
    });
    let found = severity_from_word(&plain(&word)).or_else(|| each.min())?;
    Some((found, value.as_str() == Some(found.word())))
}

/// The severity of one word in lower case: `p0`, `s0` and `sev0` are the same.
fn severity_from_word(word: &str) -> Option<FindingSeverity> {
    let kinds = ["p", "s", "sev", "severity", "prio", "priority"];
    let level = kinds.iter().filter_map(|kind| word.strip_prefix(kind)).find(|level| level.len() == 1);
    Some(match level.unwrap_or(word) {
        "0" if level.is_some() => FindingSeverity::P0,
        "1" if level.is_some() => FindingSeverity::P1,
        "2" if level.is_some() => FindingSeverity::P2,
        "3" | "4" | "5" if level.is_some() => FindingSeverity::P3,
        _ => match word {
            "blocker" | "blocking" | "critical" | "fatal" | "severe" | "emergency" | "urgent" => {
                FindingSeverity::P0
            }
            "high" | "major" | "error" | "serious" => FindingSeverity::P1,
            "medium" | "moderate" | "warning" => FindingSeverity::P2,
            "low" | "minor" | "info" | "informational" | "nit" | "nitpick" | "trivial" | "suggestion"
            | "note" | "style" | "cosmetic" | "optional" | "negligible" => FindingSeverity::P3,
            // `non-blocking`
            _ => return word.strip_prefix("non").and_then(severity_from_word).map(|_| FindingSeverity::P3),
        },
    })
}

fn class(word: &str) -> Option<RepairClass> {
    [RepairClass::SafeAuto, RepairClass::GatedAuto, RepairClass::Manual, RepairClass::Advisory]
        .into_iter()
        .find(|class| plain(class.word()) == plain(word))
}

fn owner(word: &str) -> Option<FindingOwner> {
    [FindingOwner::ReviewFixer, FindingOwner::DownstreamResolver, FindingOwner::Human, FindingOwner::Release]
        .into_iter()
        .find(|owner| plain(owner.word()) == plain(word))
}

fn action(word: &str) -> Option<FindingAction> {
    let actions =
        [FindingAction::Skip, FindingAction::Defer, FindingAction::Apply, FindingAction::Acknowledge];
    actions.into_iter().find(|action| action.word().eq_ignore_ascii_case(word.trim()))
}

/// The first line of a number, `12-14` or `L12`; 0 if there is none; and whether it is a number.
fn line(value: Option<&Value>) -> (u64, bool) {
    match value {
        Some(Value::Number(number)) => match number.as_f64() {
            Some(line) if line >= 1.0 => (line as u64, true),
            _ => (0, false),
        },
        Some(Value::String(text)) => {
            let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            (digits[..end].parse().unwrap_or(0), false)
        }
        _ => (0, false),
    }
}

/// Confidence in hundredths, never rounded up, and whether it is in the expected form.
fn confidence(value: Option<&Value>, anchored: bool) -> (u32, bool) {
    let (text, number) = match value {
        Some(Value::Number(number)) => (number.to_string(), true),
        Some(Value::String(text)) => (text.trim().to_owned(), false),
        _ => return (DEFAULT_CONFIDENCE, false),
    };
    match text.to_lowercase().as_str() {
        "high" | "certain" => return (80, false),
        "medium" | "moderate" => return (60, false),
        "low" => return (30, false),
        _ => {}
    }
    let (text, percent) = match text.strip_suffix('%') {
        Some(text) => (text.trim_end().to_owned(), true),
        None => (text, false),
    };
    let Some(share) = text.parse::<f64>().ok().filter(|share| (0.0..=100.0).contains(share)) else {
        return (DEFAULT_CONFIDENCE, false);
    };
    let hundredths = match share {
        _ if percent || share > 10.0 => share.floor() as u32,
        // Out of ten, out of five, or too large: too vague to drop a finding.
        _ if share > 1.0 && share < 6.0 => DEFAULT_CONFIDENCE,
        _ if share > 1.0 => decimals(share) / 10,
        _ => decimals(share),
    };
    if anchored {
        let anchor = [100, 75, 50, 25, 0].into_iter().find(|anchor| *anchor <= hundredths).unwrap_or(0);
        return (anchor, number && share == f64::from(anchor));
    }
    (hundredths, number && share <= 1.0)
}

/// A share in hundredths by its decimal digits: 0.595 is 59, and 0.57 is 57, which multiplying by 100 would miss.
fn decimals(share: f64) -> u32 {
    let text = format!("{share}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let digits: String = rest.chars().chain(['0', '0']).take(2).collect();
    whole.parse::<u32>().unwrap_or(0) * 100 + digits.parse::<u32>().unwrap_or(0)
}
