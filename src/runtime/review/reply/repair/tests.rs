//! Findings as reviewers write them.

use super::*;
use serde_json::json;

#[test]
fn confidence_is_counted_in_hundredths_and_never_rounded_up() {
    let read = |value: Value| confidence(Some(&value), false);
    for (value, wanted) in [
        (json!(0.595), 59),
        (json!(0.57), 57),
        (json!(0.6), 60),
        (json!(1), 100),
        (json!(0.1), 10),
        (json!(1e-7), 0),
    ] {
        assert_eq!(read(value.clone()), (wanted, true), "{value}");
    }
    for (value, wanted) in [
        (json!(90), 90),
        (json!(9), 90),
        (json!(8.5), 85),
        (json!(8.57), 85),
        (json!(10), 100),
        (json!(1.01), 60),
        (json!(1.5), 60),
        (json!(2), 60),
        (json!(4), 60),
        (json!("4"), 60),
        (json!("10.5"), 10),
        (json!("9%"), 9),
        (json!("0.9"), 90),
        (json!("90%"), 90),
        (json!("high"), 80),
        (json!(-1), 60),
        (json!(null), 60),
    ] {
        assert_eq!(read(value.clone()), (wanted, false), "{value}");
    }
    let anchors = [json!(75), json!(60), json!(0), json!(0.9), json!(9), json!(1)];
    let read = anchors.map(|value| confidence(Some(&value), true));
    assert_eq!(read, [(75, true), (50, false), (0, true), (75, false), (75, false), (100, false)]);
}

/// Steps and places in a list or an object are all kept.
#[test]
fn a_list_is_read_to_its_end() {
    let one = json!({
        "title": "a", "severity": "P2", "why_it_matters": {"who": "all", "how": ["b", "c"]},
        "suggested_fix": ["first", "then"], "evidence": {"a.rs:3": "token"},
    });
    let (found, repairs) = finding(&one, false).unwrap();
    assert_eq!(found.why_it_matters, "who: all\nhow: b\nc");
    assert_eq!(found.suggested_fix.as_deref(), Some("first\nthen"));
    assert_eq!(found.evidence, ["a.rs:3: token"]);
    assert!(!repairs.iter().any(|one| one.contains("no evidence")), "{repairs:?}");
}

/// `no_text_of_a_finding_is_lost`: unknown fields are kept with the evidence.
#[test]
fn no_text_of_a_finding_is_lost() {
    let one = json!({
        "title": "a", "summary": "b", "severity": "P2", "evidence": ["c"], "also_at": "b.rs:3", "why": "d",
        "body": "e", "id": 7, "cwe": ["x"], "recommended_action": "Apply", "empty": "",
    });
    let (found, _) = finding(&one, false).unwrap();
    assert_eq!(found.evidence, ["c", "summary: b", "also_at: b.rs:3", "body: e", "cwe: [\"x\"]"]);
}

/// `unread-finding-text-lost`: an unknown severity counts as high, and fields have several names.
#[test]
fn a_finding_in_other_words_is_one() {
    for severity in [json!(null), json!("important"), json!("kritisch"), json!(7)] {
        let one = json!({"title": "a", "severity": severity, "why_it_matters": "b"});
        assert_eq!(finding(&one, false).unwrap().0.severity, FindingSeverity::P1, "{one}");
    }
    let one = json!({
        "issue": "a", "priority": "P0", "location": "a.rs:3", "description": "b", "recommendation": "c", "impact": "d",
    });
    let (found, _) = finding(&one, false).unwrap();
    assert_eq!(
        (found.title.as_str(), found.severity, found.file.as_str()),
        ("a", FindingSeverity::P0, "a.rs:3")
    );
    assert_eq!((found.why_it_matters.as_str(), found.suggested_fix.as_deref()), ("b", Some("c")));
    assert_eq!(found.evidence, ["impact: d"]);
    let (_, why) = finding(&json!({"note": "eval", "at": ["a.rs"]}), false).unwrap_err();
    assert_eq!(why, "it has neither a title nor a reason: note: eval\nat: a.rs");
}

#[test]
fn lines_and_severities_are_understood() {
    let lines = [json!("12-14"), json!("L12"), json!(12.0), json!(0), json!("x")];
    assert_eq!(lines.map(|value| line(Some(&value)).0), [12, 12, 12, 0, 0]);
    let read = |word: &str| severity(&json!(word)).map(|(found, _)| found);
    assert_eq!(read("HIGH"), Some(FindingSeverity::P1));
    assert_eq!(
        [read("blocker"), read("p1"), read("Nit")],
        [Some(FindingSeverity::P0), Some(FindingSeverity::P1), Some(FindingSeverity::P3)]
    );
    for (word, wanted) in [
        ("P0 (critical)", FindingSeverity::P0),
        ("P1/P0", FindingSeverity::P0),
        ("Sev0", FindingSeverity::P0),
        ("S1", FindingSeverity::P1),
        ("severe", FindingSeverity::P0),
        ("severity: 2", FindingSeverity::P2),
        ("low to medium", FindingSeverity::P2),
    ] {
        assert_eq!(read(word), Some(wanted), "{word}");
    }
    assert_eq!([read("bogus"), read("kritisch"), read("")], [None, None, None]);
}
