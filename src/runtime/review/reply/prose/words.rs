//! The words that judge sentences around a form, in lower case.

/// Negations.
pub(super) const NEGATIONS: [&str; 11] =
    ["no", "not", "none", "never", "without", "zero", "nothing", "0", "neither", "nor", "cannot"];
/// Words that turn a sentence: a negation before them does not apply after them.
pub(super) const TURNS: [&str; 5] = ["but", "however", "except", "although", "yet"];
/// What may accompany a negation that follows what it denies: `P0: none found`, `a.rs:2: no issue`.
pub(super) const OBJECTS: [&str; 32] = [
    "a", "all", "and", "any", "at", "bug", "bugs", "concern", "concerns", "defect", "defects", "fault",
    "faults", "finding", "findings", "found", "here", "i", "is", "issue", "issues", "of", "or", "present",
    "problem", "problems", "reported", "risk", "seen", "there", "this", "were",
];
/// Severities as codes, the high ones first.
pub(super) const CODES: [&str; 8] = ["P0", "P1", "Sev0", "Sev1", "P2", "P3", "Sev2", "Sev3"];
/// How many of them are high.
pub(super) const HIGH_COUNT: usize = 4;
/// Words that sound as if a change must wait.
pub(super) const BLOCKS: [&str; 8] =
    ["block", "blocks", "blocked", "blocker", "blocking", "reject", "rejected", "unsafe"];
/// Severities as words, which only count as a label.
pub(super) const LABELS: [&str; 4] = ["critical", "high", "severe", "blocker"];
/// Words that name a fault or a failed attempt, unless they are denied.
pub(super) const FAULTS: [&str; 30] = [
    "backdoor",
    "broke",
    "broken",
    "breaks",
    "corrupts",
    "crash",
    "crashes",
    "dangerous",
    "denied",
    "destroys",
    "exceeded",
    "exploitable",
    "failed",
    "flaw",
    "flawed",
    "flaws",
    "incorrect",
    "incorrectly",
    "insecure",
    "interrupted",
    "leaks",
    "loses",
    "malicious",
    "omitted",
    "refused",
    "truncated",
    "vulnerabilities",
    "vulnerability",
    "vulnerable",
    "wrong",
];
/// What a modal verb and a negation before it forbid.
pub(super) const FORBIDDEN: [&str; 5] = ["approve", "approved", "merge", "merged", "ship"];
/// Verbs for what an agent could not do.
pub(super) const TASK_VERBS: [&str; 23] = [
    "look",
    "looked",
    "check",
    "checked",
    "access",
    "assist",
    "complete",
    "completed",
    "examine",
    "exist",
    "fetch",
    "finish",
    "finished",
    "help",
    "inspect",
    "inspected",
    "load",
    "loaded",
    "open",
    "opened",
    "read",
    "review",
    "reviewed",
];
/// Words for unfinished work.
pub(super) const UNFINISHED_WORDS: [&str; 10] = [
    "aborted",
    "denied",
    "exhausted",
    "incomplete",
    "interrupted",
    "partial",
    "partially",
    "skipped",
    "truncated",
    "unfinished",
];
/// Words after `only` that show an incomplete review.
pub(super) const LITTLE: [&str; 7] = ["first", "half", "one", "part", "some", "two", "three"];
/// Words that question whether a repair holds or exists.
pub(super) const DOUBTS: [&str; 15] = [
    "maybe",
    "missing",
    "partial",
    "partially",
    "partly",
    "perhaps",
    "possibly",
    "presumably",
    "probably",
    "remain",
    "remains",
    "uncertain",
    "unchanged",
    "unclear",
    "unsure",
];
/// Words after `still` that do not object to a repair.
pub(super) const HARMLESS_STATES: [&str; 11] =
    ["compiles", "correct", "fine", "hold", "holds", "pass", "passes", "succeed", "valid", "work", "works"];
/// Verbs that, negated, mean that a repair does not hold.
pub(super) const REPAIR_VERBS: [&str; 8] =
    ["fix", "fixed", "fixes", "hold", "holds", "resolve", "resolved", "work"];
/// Words that mean that a named fault is gone.
pub(super) const REPAIRED_WORDS: [&str; 12] = [
    "corrected",
    "fixed",
    "gone",
    "handled",
    "longer",
    "removed",
    "repaired",
    "replaced",
    "resolved",
    "solved",
    "was",
    "were",
];
