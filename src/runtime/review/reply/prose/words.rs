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
/// Nouns that name one where the sentence says that it is there.
pub(super) const NOUNS: [&str; 8] =
    ["bug", "bugs", "defect", "defects", "issue", "issues", "problem", "problems"];
/// The words that say so.
pub(super) const PRESENCE: [&str; 9] =
    ["causes", "contains", "exists", "found", "has", "have", "introduces", "remains", "there"];
/// What must not happen, where it is denied.
pub(super) const MERGES: [&str; 8] =
    ["approve", "approved", "merge", "mergeable", "merged", "ready", "ship", "shipped"];
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
/// Words of praise, which turn into a fault behind a denial.
pub(super) const GOOD: [&str; 14] = [
    "clean",
    "clear",
    "correct",
    "correctly",
    "fine",
    "good",
    "ok",
    "okay",
    "right",
    "safe",
    "secure",
    "sound",
    "valid",
    "work",
];
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
/// Words that say nothing of a change by themselves. A sentence of these alone, and of what denies, is harmless; any
/// other word may name a fault, in any language.
pub(super) const PLAIN: [&str; 235] = ["a", "about", "above", "accordingly", "after", "again", "agent", "agentid", "all", "along", "also", "am", "an", "analysed", "analysis", "analyzed", "and", "answer", "answered", "any", "applied", "are", "around", "as", "asked", "assessed", "at", "be", "because", "been", "before", "being", "below", "body", "by", "callees", "caller", "callers", "can", "carefully", "change", "changed", "changes", "check", "checked", "checking", "clean", "clear", "closely", "code", "codebase", "commit", "commits", "complete", "completed", "concerns", "considered", "context", "continue", "correct", "correctly", "correctness", "could", "describe", "described", "did", "diff", "do", "does", "done", "each", "edited", "empty", "every", "examined", "file", "files", "final", "find", "finding", "findings", "fine", "fixed", "following", "for", "form", "format", "found", "from", "full", "fully", "given", "gives", "good", "has", "have", "having", "here", "how", "i", "identified", "if", "in", "inspected", "into", "is", "it", "its", "itself", "json", "just", "lgtm", "line", "lines", "list", "listed", "look", "looked", "looking", "looks", "maintainability", "me", "my", "need", "needed", "now", "object", "of", "ok", "okay", "on", "one", "or", "our", "output", "over", "own", "patch", "per", "performance", "please", "provide", "provided", "pull", "read", "reading", "related", "reliability", "repaired", "reply", "report", "reported", "reporting", "request", "requested", "required", "respond", "response", "result", "results", "resuming", "return", "returned", "returns", "review", "reviewed", "reviewer", "reviewing", "right", "round", "run", "safe", "said", "say", "says", "schema", "scope", "security", "see", "seen", "sendmessage", "session_id", "since", "so", "sound", "standards", "surrounding", "task", "task_id", "testing", "tests", "thank", "thanks", "that", "the", "their", "them", "then", "there", "therefore", "these", "they", "this", "thoroughly", "those", "through", "thus", "to", "under", "up", "updated", "us", "use", "valid", "verified", "verifying", "was", "we", "well", "went", "were", "what", "when", "where", "which", "while", "whole", "will", "with", "within", "would", "yes", "you", "your", "yours"];
