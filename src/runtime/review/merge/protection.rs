//! Findings that ask to delete or ignore protected files: plans, ideas, solutions. Minor ones are dropped and listed by
//! title; severe ones count, but no fixer is sent.

use crate::runtime::review::findings::{Finding, plain_path};

/// The risk of a repair to protected files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RepairCost {
    None,
    /// A protected folder and a deletion are mentioned.
    Mentioned,
    /// It asks to delete or ignore something protected.
    Asked,
}

/// Stems of words for deleting or ignoring.
const STEMS: [&str; 5] = ["delet", "remov", "ignor", "untrack", "gitignore"];
/// Words that may stand between such a word and its object.
const WORDS_BETWEEN: [&str; 34] = [
    "the",
    "this",
    "these",
    "all",
    "any",
    "whole",
    "old",
    "stale",
    "unused",
    "file",
    "files",
    "folder",
    "folders",
    "directory",
    "plan",
    "plans",
    "document",
    "documents",
    "under",
    "in",
    "below",
    "from",
    "of",
    "and",
    "should",
    "must",
    "can",
    "be",
    "is",
    "are",
    "not",
    "to",
    "git",
    "it",
];

/// What a finding asks for, by its file, its title and its suggested fix.
pub(super) fn loss(finding: &Finding, protect: &[String]) -> RepairCost {
    let protect: Vec<String> = protect
        .iter()
        .map(|path| path.trim_end_matches('/').to_lowercase())
        .filter(|path| !path.is_empty())
        .collect();
    let is_below = |path: &str| {
        let rest = |folder: &String| path.strip_prefix(folder.as_str()).map(str::to_owned);
        protect.iter().filter_map(rest).any(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let text = format!("{}\n{}", finding.title, finding.suggested_fix.as_deref().unwrap_or_default());
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().map(bare_word).filter(|word| !word.is_empty()).collect();
    let is_verb = |word: &&str| *word == "rm" || STEMS.iter().any(|stem| word.starts_with(stem));
    if !words.iter().any(is_verb) {
        return RepairCost::None;
    }
    let is_object = |word: &&str| is_below(&plain_path(word));
    let told: Vec<&str> = words.iter().copied().filter(|word| !WORDS_BETWEEN.contains(word)).collect();
    let asks = told
        .windows(2)
        .any(|pair| (is_verb(&pair[0]) && is_object(&pair[1])) || (is_object(&pair[0]) && is_verb(&pair[1])));
    match asks || is_below(&plain_path(&finding.file).to_lowercase()) {
        true => RepairCost::Asked,
        false if protect.iter().any(|folder| text.contains(folder.as_str())) => RepairCost::Mentioned,
        false => RepairCost::None,
    }
}

/// A word without surrounding punctuation.
fn bare_word(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/').trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::review::findings::{FindingOwner, FindingSeverity, RepairClass};

    fn finding(file: &str, title: &str, fix: &str) -> Finding {
        Finding {
            title: title.to_owned(),
            severity: FindingSeverity::P2,
            file: file.to_owned(),
            line: 1,
            why_it_matters: String::new(),
            autofix_class: RepairClass::Manual,
            owner: FindingOwner::Human,
            requires_verification: false,
            confidence: 90,
            evidence: Vec::new(),
            pre_existing: false,
            suggested_fix: Some(fix.to_owned()),
            recommended_action: None,
            misplaced: None,
            protected: false,
        }
    }

    #[test]
    fn what_is_to_be_deleted_decides() {
        let folders = ["docs/plans/".to_owned()];
        for (file, title, fix, wanted) in [
            ("./docs/plans/x.md", "Stale: delete it", "", RepairCost::Asked),
            (".gitignore", "Plans are tracked", "Add `docs/plans/` to .gitignore", RepairCost::Asked),
            ("a.py", "Old plans", "remove all files in `docs/plans`.", RepairCost::Asked),
            ("a.py", "Old plans", "git rm -r docs/plans", RepairCost::Mentioned),
            (
                "a.py",
                "SQL injection",
                "bind it; also delete the copy of it in docs/plans/p.md",
                RepairCost::Mentioned,
            ),
            ("a.py", "Dead code", "remove it, as docs/plans/p.md says", RepairCost::Mentioned),
            ("a.py", "Dead code", "remove docs/plans2", RepairCost::Mentioned),
            ("a.py", "Dead code", "remove it", RepairCost::None),
            ("docs/plans/x.md", "Typo", "", RepairCost::None),
            ("a.py", "Differs from docs/plans/p.md", "", RepairCost::None),
        ] {
            assert_eq!(loss(&finding(file, title, fix), &folders), wanted, "{title}: {fix}");
        }
    }
}
