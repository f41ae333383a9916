//! What the reviewers of the scripted reviews return.

use serde_json::{Value, json};

use super::hand::plain;
use super::{ASKED, EMPTY, LOST, LOST_WORDS};

pub fn finding(title: &str, severity: &str, line: u32, class: &str, owner: &str, confidence: f64) -> Value {
    let (why, evidence) = match title {
        LOST => ("A buyer does not pay for the last item", "range(count - 1)"),
        EMPTY => ("The sum of nothing should be 0", "no test calls it with []"),
        _ => ("Nobody finds the name", "totl = 0"),
    };
    json!({
        "title": title, "severity": severity, "file": "src/price.py", "line": line, "why_it_matters": why,
        "autofix_class": class, "owner": owner, "requires_verification": title == LOST, "confidence": confidence,
        "evidence": [evidence], "pre_existing": false,
    })
}

/// What each of the reviewers returns.
pub fn returns() -> [Value; 5] {
    let correctness = vec![
        finding("The name of the sum is misspelt", "P3", 4, "safe_auto", "review-fixer", 0.95),
        finding(LOST, "P1", 6, "manual", "downstream-resolver", 0.8),
    ];
    let testing = vec![
        finding(LOST, "P1", 7, "manual", "downstream-resolver", 0.7),
        finding(EMPTY, "P3", 1, "advisory", "human", 0.7),
    ];
    let mut found = [correctness, testing].into_iter();
    ASKED.map(|name| {
        let (findings, gaps) = (found.next().unwrap_or_default(), ["an empty list"]);
        json!({ "reviewer": plain(name), "findings": findings, "residual_risks": [], "testing_gaps": gaps })
    })
}

/// What a reviewer says of a fix of finding F2.
pub fn rechecked(holds: bool, reason: &str) -> String {
    let own = json!([{ "id": "F2", "holds": holds, "reason": reason }]);
    let (reviewer, none) = ("correctness", json!([]));
    json!({ "reviewer": reviewer, "findings": none, "residual_risks": none, "testing_gaps": none, "rechecked": own })
        .to_string()
}

pub fn answers() -> [String; 5] {
    returns().map(|own| own.to_string())
}

pub fn lost() -> [String; 5] {
    [(); 5].map(|()| LOST_WORDS.to_owned())
}
