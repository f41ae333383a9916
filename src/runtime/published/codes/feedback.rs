//! The codes of `feedback`.

use super::{CodeRow, ErrorCode, GIT, GITHUB, INPUT, RUN, RUN_MOVED, STATE, STORE, TREE_TAKEN};

/// Codes of what was fetched, and of its triage.
static TRIAGED: [ErrorCode; 7] = [
    ("not_fetched", 4),
    ("inconsistent", 4),
    ("malformed_triage", 4),
    ("unknown_item", 4),
    ("resolved_item", 4),
    ("malformed_json", 4),
    ("input_unreadable", 5),
];
/// Codes of fetching comments.
static PAGES: [ErrorCode; 2] = [("pr_not_found", 5), ("no_thread", 5)];
static ANSWERED: [ErrorCode; 4] =
    [("not_fetched", 4), ("unknown_item", 4), ("wrong_pr", 3), ("no_thread", 5)];

pub(super) static ROWS: [CodeRow; 10] = [
    ("feedback abandon", &[&RUN, &STORE, &GIT]),
    (
        "feedback begin",
        &[
            &TREE_TAKEN,
            &INPUT,
            &STORE,
            &GIT,
            &GITHUB,
            &[
                ("ambiguous_target", 2),
                ("unknown_token", 2),
                ("dirty", 3),
                ("branch_not_ours", 3),
                ("no_pull_request", 5),
                ("bad_ref", 5),
            ],
        ],
    ),
    ("feedback cluster", &[&TRIAGED, &RUN, &STATE, &RUN_MOVED, &GIT]),
    ("feedback dispatch", &[&TRIAGED, &RUN, &STORE, &RUN_MOVED, &GIT]),
    ("feedback fetch", &[&PAGES, &RUN, &STORE, &RUN_MOVED, &GIT, &GITHUB, &[("too_many_items", 5)]]),
    ("feedback finish", &[&TRIAGED, &RUN, &STORE, &RUN_MOVED, &GIT]),
    ("feedback gates", &[&TRIAGED, &RUN, &STATE, &RUN_MOVED, &GIT]),
    (
        "feedback reply",
        &[
            &ANSWERED,
            &RUN,
            &STORE,
            &RUN_MOVED,
            &INPUT,
            &GIT,
            &GITHUB,
            &[
                ("empty_reply", 2),
                ("pending_review", 3),
                ("pending_after_post", 3),
                ("too_long", 4),
                ("reply_refused", 5),
            ],
        ],
    ),
    (
        "feedback resolve",
        &[&ANSWERED, &RUN, &STORE, &RUN_MOVED, &GIT, &GITHUB, &[("not_replied", 4), ("not_resolved", 5)]],
    ),
    ("feedback thread-for", &[&PAGES, &GIT, &GITHUB]),
];
