//! The codes of `feedback`.

use super::{CodeRow, GIT, GITHUB, INPUT, PublishedCode, RUN, RUN_MOVED, STATE, STORE, TREE_TAKEN};
use crate::runtime::error_code::ErrorCode;

/// Codes of what was fetched, and of its triage.
static TRIAGED: [PublishedCode; 7] = [
    (ErrorCode::NotFetched, 4),
    (ErrorCode::Inconsistent, 4),
    (ErrorCode::MalformedTriage, 4),
    (ErrorCode::UnknownItem, 4),
    (ErrorCode::ResolvedItem, 4),
    (ErrorCode::MalformedJson, 4),
    (ErrorCode::InputUnreadable, 5),
];
/// Codes of fetching comments.
static PAGES: [PublishedCode; 2] = [(ErrorCode::PrNotFound, 5), (ErrorCode::NoThread, 5)];
static ANSWERED: [PublishedCode; 4] = [
    (ErrorCode::NotFetched, 4),
    (ErrorCode::UnknownItem, 4),
    (ErrorCode::WrongPr, 3),
    (ErrorCode::NoThread, 5),
];

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
                (ErrorCode::AmbiguousTarget, 2),
                (ErrorCode::UnknownToken, 2),
                (ErrorCode::Dirty, 3),
                (ErrorCode::BranchNotOurs, 3),
                (ErrorCode::NoPullRequest, 5),
                (ErrorCode::BadRef, 5),
            ],
        ],
    ),
    ("feedback cluster", &[&TRIAGED, &RUN, &STATE, &RUN_MOVED, &GIT]),
    ("feedback dispatch", &[&TRIAGED, &RUN, &STORE, &RUN_MOVED, &GIT]),
    ("feedback fetch", &[&PAGES, &RUN, &STORE, &RUN_MOVED, &GIT, &GITHUB, &[(ErrorCode::TooManyItems, 5)]]),
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
                (ErrorCode::EmptyReply, 2),
                (ErrorCode::PendingReview, 3),
                (ErrorCode::PendingAfterPost, 3),
                (ErrorCode::TooLong, 4),
                (ErrorCode::ReplyRefused, 5),
            ],
        ],
    ),
    (
        "feedback resolve",
        &[
            &ANSWERED,
            &RUN,
            &STORE,
            &RUN_MOVED,
            &GIT,
            &GITHUB,
            &[(ErrorCode::NotReplied, 4), (ErrorCode::NotResolved, 5)],
        ],
    ),
    ("feedback thread-for", &[&PAGES, &GIT, &GITHUB]),
];
