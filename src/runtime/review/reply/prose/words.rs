//! The words by which sentences beside a form are judged, in lower case.

/// Words that deny.
pub(super) const NEGATIONS: [&str; 11] =
    ["no", "not", "none", "never", "without", "zero", "nothing", "0", "neither", "nor", "cannot"];
/// Words that turn a sentence: what stands before them denies nothing behind them.
pub(super) const TURNS: [&str; 5] = ["but", "however", "except", "although", "yet"];
/// What may stand beside a negation that follows what it denies: `P0: none found`, `a.rs:2: no issue`.
pub(super) const OBJECTS: [&str; 32] = [
    "a", "all", "and", "any", "at", "bug", "bugs", "concern", "concerns", "defect", "defects", "fault",
    "faults", "finding", "findings", "found", "here", "i", "is", "issue", "issues", "of", "or", "present",
    "problem", "problems", "reported", "risk", "seen", "there", "this", "were",
];
/// Severities as codes, the grave ones first.
pub(super) const CODES: [&str; 8] = ["P0", "P1", "Sev0", "Sev1", "P2", "P3", "Sev2", "Sev3"];
/// How many of them are grave.
pub(super) const GRAVE: usize = 4;
/// Words that sound as if a change had to wait.
pub(super) const BLOCKS: [&str; 8] =
    ["block", "blocks", "blocked", "blocker", "blocking", "reject", "rejected", "unsafe"];
/// Severities in words, which count where they stand as a label.
pub(super) const LABELS: [&str; 4] = ["critical", "high", "severe", "blocker"];
/// Words that name a fault, or the end of an attempt, unless they are denied.
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
/// What is forbidden by a modal and a denial before it.
pub(super) const FORBIDDEN: [&str; 5] = ["approve", "approved", "merge", "merged", "ship"];
/// What an agent says that it could not do.
pub(super) const DEEDS: [&str; 23] = [
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
/// Words that say that something was not done to its end.
pub(super) const UNDONE: [&str; 10] = [
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
/// How little of something was looked at, behind `only`.
pub(super) const LITTLE: [&str; 7] = ["first", "half", "one", "part", "some", "two", "three"];
/// Words that leave open whether a repair holds, or say that there was none.
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
/// What a repaired place may still do.
pub(super) const WELL: [&str; 11] =
    ["compiles", "correct", "fine", "hold", "holds", "pass", "passes", "succeed", "valid", "work", "works"];
/// What a repair does not do that does not hold.
pub(super) const HOLDS: [&str; 8] = ["fix", "fixed", "fixes", "hold", "holds", "resolve", "resolved", "work"];
/// Words that say that what is named is gone.
pub(super) const REPAIRED: [&str; 12] = [
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
