//! Parses what an agent returned as far as possible: all JSON values that fit, wherever they are. Corrected values are
//! reported as repaired; a part that looks like findings but cannot be read is reported; and a completely unreadable
//! reply is reported with the reason, and only affects its agent.

mod fields;
mod ids;
mod json;
mod leftover;
mod parts;
mod prose;
mod repair;
mod rows;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::parts::ReplyParts;
use super::findings::{Finding, FindingSeverity};
pub(super) use ids::id;
pub use ids::{FixerReply, FixerScope, SentenceAnswer, applied};
pub(super) use prose::{contradicts_repair, doubtful};
pub(super) use repair::plain;
pub use rows::{objects, rows};

/// A reply that could be read.
#[derive(Debug)]
pub struct ReviewerReply {
    /// The reviewer, by the name of the file if there is one.
    pub reviewer: String,
    /// The reviewer that it names itself.
    pub named: Option<String>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Findings that cannot be read.
    pub unread: Vec<UnreadFinding>,
    /// Values that had to be corrected.
    pub repaired: Vec<String>,
    /// What may still go wrong.
    pub residual_risks: Vec<String>,
    /// What no test covers.
    pub testing_gaps: Vec<String>,
    /// Judgements of repaired findings.
    pub rechecked: Vec<Recheck>,
    /// The text around the form, and in its unknown fields.
    pub prose: String,
    /// Sentences in its fields to ask its writer about.
    pub asked: Vec<AskedSentence>,
    /// Its answers to sentences of an earlier reply, by id.
    pub answers: BTreeMap<String, SentenceAnswer>,
    /// Invalid answers, unmodified.
    pub no_answers: Vec<String>,
    /// The reasons for its answers, with the ids.
    pub reasons: Vec<String>,
    /// The parsed document.
    pub value: Value,
}

/// A sentence whose writer must say whether it reports a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedSentence {
    /// The sentence.
    pub text: String,
    /// Whether it names a high severity, or forbids the merge: only a finding can settle it then.
    pub firm: bool,
}

impl AskedSentence {
    /// A question about one sentence.
    pub fn from_text(text: &str) -> Self {
        Self { text: text.trim().to_owned(), firm: prose::is_conclusive(text) }
    }

    /// A question about a whole unreadable reply.
    pub fn unreadable(text: &str) -> Self {
        let text = text.trim();
        let firm = prose::has_blocking_severity(text) || leftover::has_key(text, "severity");
        Self { text: text.chars().take(KEPT_CHARACTERS).collect(), firm }
    }
}

/// How much of an unreadable reply is kept, in characters.
const KEPT_CHARACTERS: usize = 1000;

/// A finding that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadFinding {
    /// The reviewer.
    pub reviewer: String,
    /// The severity, if it can be read.
    pub severity: Option<FindingSeverity>,
    /// Why.
    pub reason: String,
}

/// A reviewer's judgement of a repaired finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recheck {
    /// The finding.
    pub id: String,
    /// Whether the repair holds.
    pub holds: bool,
    /// Why.
    pub reason: String,
    /// What remains of the fault, if the reviewer says so; its writer is asked about it.
    #[serde(skip)]
    pub remaining: Option<String>,
    /// Other values next to it that are not sentences; its writer is asked about them.
    #[serde(skip)]
    pub flags: Vec<String>,
    /// The reviewer.
    pub reviewer: String,
    /// The round.
    pub round: u32,
}

/// The terms for parsing replies.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplyTerms<'a> {
    /// Whether confidence is an anchor from 0 to 100.
    pub anchored: bool,
    /// The id that agents were told to return, if any.
    pub review: Option<&'a str>,
    /// The text around the form of an earlier reply, if this reply answers questions about it and needs no findings.
    pub before: Option<&'a str>,
}

impl UnreadFinding {
    /// Whether it may hide a problem that prevents the best verdict.
    pub fn is_grave(&self) -> bool {
        self.severity.is_none_or(|severity| severity <= FindingSeverity::P1)
    }
}

/// Reads the text of a reply.
///
/// # Errors
/// Why nothing of it can be used.
pub fn read(reviewer: &str, text: &str, terms: ReplyTerms<'_>) -> Result<ReviewerReply, String> {
    let mut parts = ReplyParts::default();
    let scan = json::scan(text, "findings", &mut |value, repairs| {
        let fits = parts.add_value(value);
        parts.repairs.extend(repairs.into_iter().filter(|_| fits));
        fits
    });
    let only_answers = terms.before.is_some() && !parts.answers.is_empty();
    if parts.findings.is_none() && !only_answers {
        return Err(unreadable("findings", scan.broken));
    }
    match scan.broken {
        Some(broken) => parts.add_unreadable(&format!("a part of the reply is not valid JSON: {broken}")),
        None if leftover::looks_like_findings(&scan.rest) => {
            parts.add_unreadable("a part of the reply looks like findings and is not valid JSON");
        }
        None => {}
    }
    parts.prose.push(scan.rest);
    from_parts(reviewer, parts, terms)
}

/// Reads a reply that is already a parsed document.
///
/// # Errors
/// When it has no list of findings.
pub fn read_value(reviewer: &str, value: Value, terms: ReplyTerms<'_>) -> Result<ReviewerReply, String> {
    let mut parts = ReplyParts::default();
    parts.add_value(value);
    if parts.findings.is_none() {
        return Err("missing list `findings`".to_owned());
    }
    from_parts(reviewer, parts, terms)
}

/// Parses a text that is one document; duplicate keys lose nothing.
pub fn document(text: &str) -> Option<Value> {
    json::parse_exact(text)
}

/// Why no value with a key was found.
fn unreadable(key: &str, broken: Option<&str>) -> String {
    broken.map_or_else(|| format!("no JSON object with `{key}`"), |why| format!("no JSON: {why}"))
}

/// What a reply reports about repairs. One that denies itself does not hold.
fn read_rechecks(
    reviewer: &str,
    given: &[Value],
    parts: &mut ReplyParts,
    repaired: &mut Vec<String>,
) -> Vec<Recheck> {
    let mut rechecked: Vec<Recheck> = Vec::new();
    for value in given {
        let (more, is_read) = ids::rechecked(value, reviewer);
        rechecked.extend(more);
        if !is_read {
            parts.add_unreadable("`rechecked` cannot be read");
        }
    }
    for one in rechecked.iter_mut().filter(|one| one.holds) {
        if let Some(why) = prose::denial(&one.reason) {
            one.holds = false;
            repaired.push(format!("{reviewer}: `{}` is reported to hold, but its reason {why}", one.id));
        } else {
            parts.prose.extend(one.remaining.clone());
        }
    }
    let several = parts.count > 1 && rechecked.iter().any(|one| one.holds);
    if several {
        // One of them may quote another reply.
        rechecked.retain(|one| !one.holds);
        repaired.push(format!(
            "{reviewer}: several JSON objects: repairs that they report as holding do not count"
        ));
    }
    rechecked
}

fn from_parts(reviewer: &str, mut parts: ReplyParts, terms: ReplyTerms<'_>) -> Result<ReviewerReply, String> {
    parts.compare(reviewer)?;
    parts.compare_review(terms.review)?;
    if parts.count > 1 {
        parts.repairs.push(format!("{} JSON objects: all of them count", parts.count));
    }
    let mut repaired: Vec<String> = parts.repairs.iter().map(|one| format!("{reviewer}: {one}")).collect();
    let items = parts.findings.take().unwrap_or_default();
    let (findings, mut unread) = repair::findings(reviewer, &items, terms.anchored, &mut repaired);
    let answers_given = std::mem::take(&mut parts.rechecked);
    let rechecked = read_rechecks(reviewer, &answers_given, &mut parts, &mut repaired);
    let whole = |reason| UnreadFinding { reviewer: reviewer.to_owned(), severity: None, reason };
    unread.extend(parts.unread.into_iter().map(whole));
    let severities =
        findings.iter().map(|one| one.severity).chain(unread.iter().filter_map(|one| one.severity));
    let severities: Vec<FindingSeverity> = severities.collect();
    let is_open = |leaf: &&fields::ExtraField| !leaf.is_harmless(&severities);
    let mut asked: Vec<AskedSentence> =
        parts.leaves.iter().filter(is_open).map(|leaf| AskedSentence::from_text(&leaf.text)).collect();
    asked.extend(
        rechecked
            .iter()
            .filter(|one| one.holds)
            .flat_map(|one| &one.flags)
            .map(|text| AskedSentence::from_text(text)),
    );
    for text in std::mem::take(&mut parts.sentences) {
        if prose::objection(&text).is_some() {
            asked.push(AskedSentence::from_text(&text));
        }
    }
    let mut answers = BTreeMap::new();
    let (mut no_answers, mut reasons) = (Vec::new(), Vec::new());
    let is_grave = severities.iter().any(|one| *one <= FindingSeverity::P1);
    for value in &parts.answers {
        let (answered_ids, why, strange) = ids::answers(value, is_grave, terms.before.unwrap_or_default());
        no_answers.extend(strange);
        reasons.extend(why);
        for (id, answered) in answered_ids {
            let known = answers.entry(id).or_insert(answered);
            *known = answered.max(*known);
        }
    }
    let prose = parts.prose.join("\n");
    let residual_risks = parts.residual_risks.unwrap_or_default();
    let testing_gaps = parts.testing_gaps.unwrap_or_default();
    let mut document = parts.document;
    document.insert("reviewer".to_owned(), Value::from(reviewer));
    document.insert("findings".to_owned(), Value::from(items));
    document.insert("residual_risks".to_owned(), Value::from(residual_risks.clone()));
    document.insert("testing_gaps".to_owned(), Value::from(testing_gaps.clone()));
    document.insert("rechecked".to_owned(), Value::from(answers_given));
    Ok(ReviewerReply {
        reviewer: reviewer.to_owned(),
        named: parts.names.into_iter().flatten().next(),
        findings,
        unread,
        rechecked,
        residual_risks,
        testing_gaps,
        repaired,
        prose,
        asked,
        answers,
        no_answers,
        reasons,
        value: Value::Object(document),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> (Vec<String>, usize) {
        let reply = read("security", text, ReplyTerms::default()).unwrap();
        (reply.findings.into_iter().map(|one| one.title).collect(), reply.unread.len())
    }

    fn finding(title: &str, more: &str) -> String {
        format!(r#"{{"title":"{title}","severity":"P0"{more}}}"#)
    }

    /// `last-object-hides-P0`: whatever the form is, a finding counts, or something that cannot be read is named.
    #[test]
    fn no_finding_is_lost_in_silence() {
        let (one, two) = (finding("one", ""), finding("two", ""));
        for text in [
            format!(r#"{{"findings":[{one}]}} {{"findings":[]}}"#),
            format!(r#"{{"findings":[]}} {one}"#),
            format!(r#"{{"findings":[]}} [{one}]"#),
            format!(r#"{{"result":{{"answer":{{"findings":[{one}]}}}}}}"#),
            format!(r#"{{"findings":[],"Critical":{one}}}"#),
            format!(r#"{{"findings":[],"residual_risks":[{one}]}}"#),
            format!(r#"{{"Findings":[{one}],"findings":[]}}"#),
            r#"{"title":"one","severity":"P0","findings":[]}"#.to_owned(),
        ] {
            assert_eq!(titles(&text), (vec!["one".to_owned()], 0), "{text}");
        }
        let nested = finding("one", &format!(r#","related":[{two}]"#));
        assert_eq!(titles(&format!(r#"{{"findings":[{nested},{nested}]}}"#)).0, ["one", "two"]);
        for text in [
            r#"{"findings":["eval"]}"#.to_owned(),
            r#"{"findings":[],"findings":{"P0":["eval"]}}"#.to_owned(),
            r#"{"findings":[]} {"findings":{"P0":["eval"]}}"#.to_owned(),
            r#"{"a":{"findings":[]},"b":"{\"findings\":[1]}"}"#.to_owned(),
            r#"{"findings":[],"summary":"Title: eval. Severity: P0"}"#.to_owned(),
            r#"{"findings":[]} {"rechecked":"no"}"#.to_owned(),
            r#"{"findings":[]} {"findings":[{"title":"eval"#.to_owned(),
        ] {
            let (titles, unread) = titles(&text);
            assert!(titles.is_empty() && unread > 0, "{text}");
        }
        for text in [
            r#""issues":["eval"]"#,
            r#""bugs":{"b.rs":[3]}"#,
            r#""residual_risks":3"#,
            r#""p0 at a.rs":true"#,
        ] {
            let reply =
                read("security", &format!(r#"{{"findings":[],{text}}}"#), ReplyTerms::default()).unwrap();
            assert_eq!(reply.asked.len(), 1, "{text}");
        }
        let form = r#"{"findings":[{"title":"<short title>","severity":"P0|P1|P2|P3"}]}"#;
        assert_eq!(titles(form), (Vec::new(), 0));
        assert_eq!(titles(&form.replace("P0|P1|P2|P3", "P1")).0, ["<short title>"]);
    }

    #[test]
    fn a_quotation_of_another_reply_drops_none() {
        let of = |name: &str| format!(r#"{{"reviewer":"{name}","findings":[{}]}} "#, finding(name, ""));
        assert!(
            read("security", &of("Testing Reviewer"), ReplyTerms::default())
                .unwrap_err()
                .contains("`testing`")
        );
        assert_eq!(titles(&(of("review:security") + &of("testing"))).1, 0);
        assert_eq!(
            titles(&(of("Frank") + &of("testing"))),
            (vec!["Frank".to_owned(), "testing".to_owned()], 1)
        );
        assert_eq!(titles(&of("Frank")).1, 0);
    }

    #[test]
    fn hostile_replies_cost_little() {
        let many = |item: fn(usize) -> String| (0..100_000).map(item).collect::<Vec<_>>().join(",");
        let keys = format!(r#"{{"findings":[],{}}}"#, many(|at| format!(r#""k{at}":[1],"k{at}":[2]"#)));
        let held = many(|at| format!(r#"{{"id":"F{at}","holds":true}}"#));
        let held = format!(r#"{{"findings":[],"rechecked":[{held}]}}"#);
        for text in
            [keys, held, r#"{"rechecked":1,"findings":[]}"#.repeat(50_000), "\"findings\"".repeat(100_000)]
        {
            let _ = read("security", &text, ReplyTerms::default());
            let _ = applied(
                &text.replace("findings", "applied").replace("rechecked", "skipped"),
                None,
                FixerScope::default(),
            );
        }
    }
}
