//! One remaining finding as a file for a later step: what it is, why it matters, how to fix it, and the evidence.

use super::tables::{code, prose};
use super::view::{ReportEntry, printed};

/// The whole file.
pub fn text(one: &ReportEntry, run_id: &str) -> String {
    let mut out = format!(
        "---\nstatus: ready\nseverity: {}\nfile: {}\nowner: {}\nclass: {}\nconfidence: {:.2}\nreviewers: {}\nrun: {run_id}\nfinding: {}\n---\n# {}\n",
        one.severity.word(),
        serde_json::Value::from(one.place()),
        one.owner.word(),
        one.class.word(),
        one.confidence,
        serde_json::Value::from(one.reviewers()),
        one.id,
        printed(&one.title)
    );
    out += &format!(
        "\nFix: {} ({}). Next: {} ({}).\n",
        one.class.plain(),
        one.class.meaning(),
        one.owner.plain(),
        one.owner.meaning()
    );
    if let Some(why) = &one.why {
        out += &format!("\n## Why\n\n  {}\n", prose(why));
    }
    if let Some(fix) = one.suggested_fix.as_deref().filter(|fix| !fix.trim().is_empty()) {
        out += &format!("\n## Suggested fix\n\n  {}\n", code(fix).trim_start());
    }
    let evidence: Vec<String> = one.evidence().map(|text| format!("- {}\n", code(text))).collect();
    if !evidence.is_empty() {
        out += &format!("\n## Evidence\n\n{}", evidence.concat());
    }
    if !one.disagreements.is_empty() {
        out += "\n## Disagreements\n\n";
        one.disagreements.iter().for_each(|text| out += &format!("- {}\n", printed(text)));
    }
    if !one.notes.is_empty() {
        out += "\n## Notes\n\n";
        one.notes.iter().for_each(|text| out += &format!("- {}\n", printed(text)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::view::tests::{hostile, plain};
    use super::*;
    use crate::runtime::review::findings::{FindingOwner, FindingSeverity, RepairClass};

    #[test]
    fn a_todo_has_why_fix_and_evidence() {
        let text = text(
            &plain("F1", FindingSeverity::P1, RepairClass::Manual, FindingOwner::DownstreamResolver),
            "r1",
        );
        let wanted = "---\nstatus: ready\nseverity: P1\nfile: \"src/a.rs:3\"\nowner: downstream-resolver\n\
                      class: manual\nconfidence: 0.90\nreviewers: \"correctness, testing\"\nrun: r1\nfinding: F1\n---\n\
                      # title of F1\n\nFix: by hand (needs a decision or more work). Next: later step (a later step or tool makes the fix).\n\n## Why\n\n  it breaks\n\n## Suggested fix\n\n  ```\n  if a {\n      b();\n  }\n  ```\n\n\
                      ## Evidence\n\n- a.rs: b()\n- no test\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn a_hostile_finding_stays_inside_of_its_file() {
        let text = text(&hostile(), "r1");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        assert_eq!(text.lines().filter(|line| *line == "---").count(), 2, "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("# ")).count(), 1, "{text}");
    }
}
