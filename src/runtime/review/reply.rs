//! What an agent returned, read as far as it can be understood: the last JSON value that fits, wherever it stands.
//! Values that had to be corrected are reported as repaired; a reply that cannot be read is named with why, and costs its
//! agent only.

mod json;
mod repair;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::findings::{Finding, Severity};
use schemars::JsonSchema;

/// A reply that could be read.
#[derive(Debug)]
pub struct Reply {
    /// Whose it is: by the name of its file, where it has one.
    pub reviewer: String,
    /// How it calls its reviewer itself.
    pub named: Option<String>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Findings that cannot be read.
    pub unread: Vec<Unread>,
    /// Values that had to be corrected.
    pub repaired: Vec<String>,
    /// What may still go wrong.
    pub residual_risks: Vec<String>,
    /// What no test covers.
    pub testing_gaps: Vec<String>,
    /// What became of findings that were repaired.
    pub rechecked: Vec<Recheck>,
    /// The document itself.
    pub value: Value,
}

/// A finding that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unread {
    /// Whose it is.
    pub reviewer: String,
    /// How bad it is, where that can be read.
    pub severity: Option<Severity>,
    /// Its title, where that can be read.
    pub title: Option<String>,
    /// Why.
    pub reason: String,
}

/// What a reviewer says of a finding that was repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recheck {
    /// The finding.
    pub id: String,
    /// Whether the repair holds.
    pub holds: bool,
    /// Why.
    pub reason: String,
    /// Who says so.
    pub reviewer: String,
    /// In which round.
    pub round: u32,
}

impl Unread {
    /// Whether it may hide what stands in the way of the best verdict.
    pub fn is_grave(&self) -> bool {
        self.severity.is_none_or(|severity| severity <= Severity::P1)
    }
}

/// Reads the text of a reply; `anchored` where confidence is an anchor from 0 to 100.
///
/// # Errors
/// Why nothing of it can be used.
pub fn read(reviewer: &str, text: &str, anchored: bool) -> Result<Reply, String> {
    let found = json::last(text, "findings", &|value| list_of(value).is_some())?;
    Ok(of_value(reviewer, found.value, found.repairs, anchored))
}

/// Reads a reply that is a document already.
///
/// # Errors
/// When it is no list of findings.
pub fn read_value(reviewer: &str, value: Value, anchored: bool) -> Result<Reply, String> {
    if list_of(&value).is_none() {
        return Err("there is no list `findings`".to_owned());
    }
    Ok(of_value(reviewer, value, Vec::new(), anchored))
}

/// The ids that the fixer says it repaired.
///
/// # Errors
/// Why the reply cannot be used.
pub fn applied(text: &str) -> Result<Vec<String>, String> {
    let found = json::last(text, "applied", &|value| value.get("applied").is_some_and(Value::is_array))?;
    let items = found.value["applied"].as_array().cloned().unwrap_or_default();
    let id = |item: &Value| item.as_str().or_else(|| item.get("id")?.as_str()).map(str::to_owned);
    items.iter().map(|item| id(item).ok_or_else(|| format!("`applied` holds {item}"))).collect()
}

/// The findings of a reply: the value of `findings`, or the list itself.
fn list_of(value: &Value) -> Option<&Vec<Value>> {
    match value {
        Value::Object(object) => object.get("findings")?.as_array(),
        Value::Array(items) => {
            let finding = |item: &Value| item.get("title").is_some() && item.get("severity").is_some();
            (!items.is_empty() && items.iter().all(finding)).then_some(items)
        }
        _ => None,
    }
}

fn of_value(reviewer: &str, value: Value, repairs: Vec<String>, anchored: bool) -> Reply {
    let mut object = match value {
        Value::Object(object) => object,
        list => Map::from_iter([("findings".to_owned(), list)]),
    };
    let named = object.get("reviewer").and_then(Value::as_str).map(str::to_owned);
    object.insert("reviewer".to_owned(), Value::from(reviewer));
    let mut repaired: Vec<String> =
        repairs.into_iter().map(|repair| format!("{reviewer}: {repair}")).collect();
    let (mut findings, mut unread) = (Vec::new(), Vec::new());
    let items = object.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
    for (at, item) in items.iter().enumerate() {
        match repair::finding(item, anchored) {
            Ok((finding, repairs)) => {
                findings.push(finding);
                let named = |repair| format!("{reviewer}, finding {}: {repair}", at + 1);
                repaired.extend(repairs.into_iter().map(named));
            }
            Err((severity, title, reason)) => {
                let reason = format!("finding {}: {reason}", at + 1);
                unread.push(Unread { reviewer: reviewer.to_owned(), severity, title, reason });
            }
        }
    }
    let mut list = |key: &str| {
        repair::texts(object.get(key)).unwrap_or_else(|| {
            repaired.push(format!("{reviewer}: `{key}` is missing"));
            Vec::new()
        })
    };
    let (residual_risks, testing_gaps) = (list("residual_risks"), list("testing_gaps"));
    let rechecked = object.get("rechecked").and_then(Value::as_array).into_iter().flatten();
    let recheck = |item: &Value| {
        Some(Recheck {
            id: item.get("id")?.as_str()?.to_owned(),
            // What is not said to hold does not.
            holds: item.get("holds").and_then(Value::as_bool).unwrap_or(false),
            reason: item.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned(),
            reviewer: reviewer.to_owned(),
            round: 0,
        })
    };
    Reply {
        reviewer: reviewer.to_owned(),
        named,
        findings,
        unread,
        rechecked: rechecked.filter_map(recheck).collect(),
        residual_risks,
        testing_gaps,
        repaired,
        value: Value::Object(object),
    }
}
