//! The values of `error.code` by command, each with the exit code that it comes with. What several commands share stands
//! once. A command that has no row here has none published yet.

/// A value of `error.code` with its exit code.
pub type Code = (&'static str, u8);

/// Of every command.
pub static EVERY: [Code; 3] = [("usage", 2), ("helper_too_old", 5), ("interrupted", 130)];
/// Of commands that ask git in a repository.
pub static GIT: [Code; 9] = [
    ("not_a_repository", 5),
    ("no_folder", 5),
    ("git_failed", 5),
    ("git_unexpected", 5),
    ("git_missing", 5),
    ("child_failed", 5),
    ("too_much_output", 5),
    ("sandboxed", 5),
    ("timeout", 7),
];
/// Of commands that write to the store.
pub static STORE: [Code; 6] = [
    ("untrusted_state", 3),
    ("tracked_state", 3),
    ("malformed_json", 4),
    ("malformed_journal", 4),
    ("state_unwritable", 5),
    ("locked", 6),
];
/// Of commands that open a run.
pub static RUN: [Code; 6] = [
    ("no_folder", 5),
    ("not_a_run", 2),
    ("no_run", 4),
    ("finished", 6),
    ("file_unreadable", 5),
    ("not_utf8", 4),
];
/// Of commands that ask GitHub.
pub static GITHUB: [Code; 8] = [
    ("no_remote", 5),
    ("gh_missing", 5),
    ("gh_auth", 5),
    ("gh_forbidden", 5),
    ("gh_not_found", 5),
    ("gh_failed", 5),
    ("rate_limited", 5),
    ("fetch_failed", 5),
];
/// Of commands that read standard input.
pub static INPUT: [Code; 2] = [("input_unreadable", 5), ("not_utf8", 4)];
/// Of the words of a user.
static WORDS: [Code; 6] = [
    ("unknown_mode", 2),
    ("conflicting_modes", 2),
    ("unknown_token", 2),
    ("bad_value", 2),
    ("ambiguous_target", 2),
    ("base_with_target", 2),
];
/// Of finding what is looked at.
static SCOPE: [Code; 6] = [
    ("no_scope", 3),
    ("shared_checkout", 3),
    ("dirty", 3),
    ("branch_not_ours", 3),
    ("base_unresolved", 5),
    ("bad_ref", 5),
];
static MOVED: [Code; 1] = [("run_moved", 6)];
static FINDINGS: [Code; 2] = [("no_findings", 4), ("unknown_schema", 4)];
static APPLIED: [Code; 2] = [("unknown_finding", 4), ("malformed_applied", 4)];
static MERGE: [Code; 4] =
    [("not_near", 2), ("unknown_finding", 4), ("malformed_context", 4), ("no_replies", 4)];
static APPROVE: [Code; 1] = [("not_allowed", 3)];
static TAKEN: [Code; 1] = [("taken", 6)];
static BOUND: [Code; 1] = [("bound", 6)];

/// A command with its groups of codes.
type Row = (&'static str, &'static [&'static [Code]]);

static ROWS: [Row; 9] = [
    ("review abandon", &[&RUN, &STORE, &[("sandboxed", 5)]]),
    ("review approve", &[&APPROVE, &FINDINGS, &MOVED, &RUN, &STORE, &GIT]),
    ("review args", &[&WORDS, &INPUT]),
    ("review begin", &[&WORDS, &SCOPE, &TAKEN, &INPUT, &STORE, &GIT, &GITHUB]),
    ("review finish", &[&FINDINGS, &APPLIED, &MOVED, &INPUT, &RUN, &STORE, &GIT]),
    ("review merge", &[&MERGE, &MOVED, &INPUT, &RUN, &STORE, &GIT, &[("bad_ref", 5)]]),
    ("review render", &[&FINDINGS, &APPLIED, &INPUT, &RUN, &STORE, &MOVED, &GIT]),
    ("review scope", &[&SCOPE, &BOUND, &MOVED, &RUN, &STORE, &GIT, &GITHUB]),
    ("review start", &[&TAKEN, &STORE, &GIT, &[("bad_ref", 5)]]),
];

/// The codes of a command, sorted; none where they are not published.
pub fn of(command: &str) -> Option<Vec<Code>> {
    let (_, groups) = ROWS.iter().find(|(own, _)| *own == command)?;
    let mut codes: Vec<Code> = groups.iter().flat_map(|group| group.iter()).chain(&EVERY).copied().collect();
    codes.sort_unstable();
    codes.dedup();
    Some(codes)
}
