//! The values of `error.code` by command, each with its exit code. Codes shared by several commands are listed once.

mod feedback;
mod server;

use crate::order;

/// A value of `error.code` with its exit code.
pub type ErrorCode = (&'static str, u8);

/// Codes of every command.
pub static EVERY: [ErrorCode; 3] = [("usage", 2), ("helper_too_old", 5), ("interrupted", 130)];
/// Codes of commands that call git in a repository.
pub static GIT: [ErrorCode; 10] = [
    ("not_a_repository", 5),
    ("no_folder", 5),
    ("git_failed", 5),
    ("git_unexpected", 5),
    ("git_missing", 5),
    ("child_failed", 5),
    ("too_much_output", 5),
    ("sandboxed", 5),
    ("file_unreadable", 5),
    ("timeout", 7),
];
/// Codes of commands that write to the store.
pub static STORE: [ErrorCode; 6] = [
    ("untrusted_state", 3),
    ("tracked_state", 3),
    ("malformed_json", 4),
    ("malformed_journal", 4),
    ("state_unwritable", 5),
    ("locked", 6),
];
/// Codes of commands that only read the store.
static STATE: [ErrorCode; 2] = [("untrusted_state", 3), ("tracked_state", 3)];
/// Codes of commands that open a run.
pub static RUN: [ErrorCode; 6] = [
    ("no_folder", 5),
    ("not_a_run", 2),
    ("no_run", 4),
    ("finished", 6),
    ("file_unreadable", 5),
    ("not_utf8", 4),
];
/// Codes of commands that ask GitHub.
pub static GITHUB: [ErrorCode; 9] = [
    ("no_remote", 5),
    ("ambiguous_remote", 5),
    ("gh_missing", 5),
    ("gh_auth", 5),
    ("gh_forbidden", 5),
    ("gh_not_found", 5),
    ("gh_failed", 5),
    ("rate_limited", 5),
    ("fetch_failed", 5),
];
/// Codes of commands that read standard input.
pub static INPUT: [ErrorCode; 2] = [("input_unreadable", 5), ("not_utf8", 4)];
/// Codes of parsing the user's words.
static WORDS: [ErrorCode; 5] = [
    ("unknown_mode", 2),
    ("conflicting_modes", 2),
    ("unknown_token", 2),
    ("bad_value", 2),
    ("ambiguous_target", 2),
];
static BASE_WORDS: [ErrorCode; 1] = [("base_with_target", 2)];
/// Codes of finding what to review.
static SCOPE: [ErrorCode; 7] = [
    ("no_scope", 3),
    ("shared_checkout", 3),
    ("dirty", 3),
    ("untracked_in_the_way", 3),
    ("branch_not_ours", 3),
    ("base_unresolved", 5),
    ("bad_ref", 5),
];
/// Codes of finding what to polish.
static ACQUIRE: [ErrorCode; 11] = [
    ("pr_not_open", 3),
    ("on_base", 3),
    ("detached", 3),
    ("dirty", 3),
    ("untracked_in_the_way", 3),
    ("shared_checkout", 3),
    ("branch_not_ours", 3),
    ("base_unresolved", 5),
    ("bad_ref", 5),
    ("no_plan", 5),
    ("state_violation", 6),
];
static RUN_MOVED: [ErrorCode; 1] = [("run_moved", 6)];
/// Codes of a polish whose user may have committed, amended or rebased since.
static POLISHED: [ErrorCode; 3] = [("run_moved", 6), ("commits_added", 6), ("history_rewritten", 6)];
static GATED: [ErrorCode; 1] = [("gate_not_passed", 3)];
static FINDINGS: [ErrorCode; 2] = [("no_findings", 4), ("unknown_schema", 4)];
static APPLIED: [ErrorCode; 2] = [("unknown_finding", 4), ("malformed_applied", 4)];
static MERGE: [ErrorCode; 3] = [("not_near", 2), ("unknown_finding", 4), ("no_replies", 4)];
static APPROVE: [ErrorCode; 1] = [("not_allowed", 3)];
static TREE_TAKEN: [ErrorCode; 1] = [("taken", 6)];
static ROUND_BOUND: [ErrorCode; 1] = [("bound", 6)];

/// A command with its groups of codes.
type CodeRow = (&'static str, &'static [&'static [ErrorCode]]);

/// Codes of a path given by the caller.
static PATHS: [ErrorCode; 2] = [("outside_repository", 2), ("file_unreadable", 5)];
/// Codes of a checklist that the user edited.
static CHECKLIST_FAULTS: [ErrorCode; 10] = [
    ("bad_header", 4),
    ("duplicate_id", 4),
    ("duplicate_field", 4),
    ("missing_action", 4),
    ("unknown_action", 4),
    ("unknown_status", 4),
    ("stray_line", 4),
    ("bad_path", 4),
    ("pinned", 4),
    ("renumbered", 4),
];
static CHECKLIST: [ErrorCode; 1] = [("no_checklist", 5)];
/// Codes of one configuration of `.claude/launch.json`.
static LAUNCH: [ErrorCode; 6] = [
    ("malformed_json", 4),
    ("malformed_config", 4),
    ("duplicate_name", 4),
    ("not_utf8", 4),
    ("no_config", 5),
    ("public_host", 3),
];
/// Codes of sizes with thresholds.
static SIZES: [ErrorCode; 5] = [
    ("malformed_json", 4),
    ("malformed_toml", 4),
    ("bad_threshold", 4),
    ("malformed_item", 4),
    ("bad_ref", 5),
];

static ROWS: [CodeRow; 34] = [
    (
        "dispatch plan",
        &[
            &RUN,
            &STORE,
            &POLISHED,
            &GIT,
            &SIZES,
            &CHECKLIST_FAULTS,
            &CHECKLIST,
            &[("headless", 3), ("dirty", 3), ("gate_not_passed", 3), ("no_merge_base", 5)],
        ],
    ),
    ("doctor", &[]),
    ("gc", &[&STORE, &GIT, &[("file_unreadable", 5)]]),
    ("launch read", &[&GIT, &LAUNCH]),
    (
        "launch write",
        &[
            &GIT,
            &INPUT,
            &[
                ("untrusted_state", 3),
                ("headless", 3),
                ("public_host", 3),
                ("malformed_json", 4),
                ("malformed_config", 4),
                ("duplicate_name", 4),
                ("state_unwritable", 5),
                ("no_command", 5),
                ("outside_repository", 2),
                ("exists", 6),
                ("locked", 6),
            ],
        ],
    ),
    ("polish acquire", &[&WORDS, &ACQUIRE, &TREE_TAKEN, &INPUT, &RUN, &RUN_MOVED, &STORE, &GIT, &GITHUB]),
    ("polish args", &[&WORDS, &INPUT]),
    ("polish cancel", &[&RUN, &STORE, &GIT]),
    (
        "polish checklist parse",
        &[&RUN, &STATE, &POLISHED, &GIT, &SIZES, &CHECKLIST_FAULTS, &CHECKLIST, &[("no_merge_base", 5)]],
    ),
    (
        "polish checklist rewrite",
        &[
            &RUN,
            &STORE,
            &POLISHED,
            &GIT,
            &SIZES,
            &CHECKLIST_FAULTS,
            &CHECKLIST,
            &[("no_merge_base", 5), ("unknown_item", 4), ("stale", 6)],
        ],
    ),
    (
        "polish checklist write",
        &[&RUN, &STORE, &POLISHED, &GIT, &SIZES, &INPUT, &GATED, &[("no_merge_base", 5), ("exists", 6)]],
    ),
    (
        "polish envelope",
        &[
            &RUN,
            &STORE,
            &POLISHED,
            &GIT,
            &SIZES,
            &CHECKLIST_FAULTS,
            &CHECKLIST,
            &GATED,
            &[
                ("interactive", 3),
                ("which_config", 3),
                ("project_type", 3),
                ("start_command", 3),
                ("kill_confirmation", 3),
                ("public_host", 3),
                ("no_merge_base", 5),
                ("open_items", 6),
            ],
        ],
    ),
    (
        "polish gate",
        &[
            &RUN,
            &STORE,
            &POLISHED,
            &GIT,
            &GITHUB,
            &[
                ("fork_untrusted", 3),
                ("pr_not_open", 3),
                ("no_review", 3),
                ("review_stale", 3),
                ("review_diverged", 3),
                ("not_ready", 3),
                ("ci_failed", 3),
                ("ci_pending", 3),
                ("ci_none", 3),
            ],
        ],
    ),
    (
        "polish merge-base",
        &[
            &RUN,
            &STORE,
            &POLISHED,
            &GIT,
            &[
                ("headless", 3),
                ("no_consent", 3),
                ("dirty", 3),
                ("untracked_in_the_way", 3),
                ("conflict", 3),
                ("base_unresolved", 5),
                ("fetch_failed", 5),
                ("state_violation", 6),
            ],
        ],
    ),
    (
        "polish seed replan",
        &[
            &RUN,
            &STORE,
            &POLISHED,
            &GIT,
            &SIZES,
            &CHECKLIST_FAULTS,
            &CHECKLIST,
            &[("headless", 3), ("no_merge_base", 5)],
        ],
    ),
    (
        "polish seed stacked",
        &[
            &RUN,
            &STORE,
            &POLISHED,
            &GIT,
            &SIZES,
            &CHECKLIST_FAULTS,
            &[("no_merge_base", 5), ("no_checklist", 5)],
        ],
    ),
    ("repo base", &[&GIT, &GITHUB, &[("base_unresolved", 5), ("bad_ref", 5)]]),
    ("repo ide", &[]),
    ("repo package-manager", &[&GIT, &PATHS, &[("malformed_json", 4), ("not_utf8", 4)]]),
    (
        "repo port",
        &[
            &GIT,
            &PATHS,
            &[("malformed_json", 4), ("malformed_yaml", 4), ("not_utf8", 4), ("no_free_port", 5)],
        ],
    ),
    ("repo project", &[&GIT, &PATHS]),
    ("repo size batch", &[&GIT, &SIZES, &INPUT, &[("nothing_to_polish", 3), ("file_unreadable", 5)]]),
    ("repo size item", &[&GIT, &SIZES, &INPUT, &[("empty_item", 4), ("file_unreadable", 5)]]),
    ("repo surfaces", &[&GIT, &[("bad_ref", 5), ("no_merge_base", 5)]]),
    ("review abandon", &[&RUN, &STORE, &GIT]),
    ("review approve", &[&APPROVE, &FINDINGS, &RUN_MOVED, &RUN, &STORE, &GIT]),
    ("review args", &[&WORDS, &BASE_WORDS, &INPUT, &GIT]),
    ("review begin", &[&WORDS, &BASE_WORDS, &SCOPE, &TREE_TAKEN, &INPUT, &STORE, &GIT, &GITHUB]),
    ("review finish", &[&FINDINGS, &APPLIED, &RUN_MOVED, &INPUT, &RUN, &STORE, &GIT]),
    ("review merge", &[&MERGE, &ROUND_BOUND, &RUN_MOVED, &INPUT, &RUN, &STORE, &GIT, &[("bad_ref", 5)]]),
    ("review render", &[&FINDINGS, &APPLIED, &ROUND_BOUND, &INPUT, &RUN, &STORE, &RUN_MOVED, &GIT]),
    ("review scope", &[&SCOPE, &ROUND_BOUND, &RUN_MOVED, &RUN, &STORE, &GIT, &GITHUB]),
    ("review start", &[&TREE_TAKEN, &STORE, &GIT, &[("bad_ref", 5)]]),
    ("schema", &[]),
];

/// The codes of a command, sorted.
pub fn command_codes(command: &str) -> Vec<ErrorCode> {
    let groups = ROWS
        .iter()
        .chain(&feedback::ROWS)
        .chain(&server::ROWS)
        .find(|(own, _)| *own == command)
        .map_or(&[][..], |(_, groups)| *groups);
    let mut codes: Vec<ErrorCode> =
        groups.iter().flat_map(|group| group.iter()).chain(&EVERY).copied().collect();
    order::sort(&mut codes);
    codes.dedup();
    codes
}

/// Commands called by scripts that only know exit code 1 for an unsuitable environment, under `--format sentinel`.
static FOR_SCRIPTS: [&str; 2] = ["repo package-manager", "repo project"];
/// The exit code that replaces 5 there.
pub const OF_SCRIPTS: u8 = 1;

/// Whether the command of a schema ends with [`OF_SCRIPTS`] under `--format sentinel`.
pub fn is_for_scripts(schema: &str) -> bool {
    FOR_SCRIPTS.iter().any(|command| schema == format!("rt.{}/1", command.replace(' ', ".")))
}

/// The exit codes of a command, 0 included, sorted.
pub fn exits(command: &str) -> Vec<u8> {
    let mut exits: Vec<u8> = command_codes(command).into_iter().map(|(_, exit)| exit).chain([0]).collect();
    if FOR_SCRIPTS.contains(&command) {
        exits.push(OF_SCRIPTS);
    }
    order::sort(&mut exits);
    exits.dedup();
    exits
}
