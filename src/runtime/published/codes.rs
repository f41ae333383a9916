//! The values of `error.code` by command, each with its exit code. Codes shared by several commands are listed once.

mod feedback;
mod server;

use crate::order;
use crate::runtime::error_code::ErrorCode;

/// A value of `error.code` with its exit code.
pub type PublishedCode = (ErrorCode, u8);

/// Codes of every command.
pub static EVERY: [PublishedCode; 3] =
    [(ErrorCode::Usage, 2), (ErrorCode::HelperTooOld, 5), (ErrorCode::Interrupted, 130)];
/// Codes of commands that call git in a repository.
pub static GIT: [PublishedCode; 10] = [
    (ErrorCode::NotARepository, 5),
    (ErrorCode::NoFolder, 5),
    (ErrorCode::GitFailed, 5),
    (ErrorCode::GitUnexpected, 5),
    (ErrorCode::GitMissing, 5),
    (ErrorCode::ChildFailed, 5),
    (ErrorCode::TooMuchOutput, 5),
    (ErrorCode::Sandboxed, 5),
    (ErrorCode::FileUnreadable, 5),
    (ErrorCode::Timeout, 7),
];
/// Codes of commands that write to the store.
pub static STORE: [PublishedCode; 6] = [
    (ErrorCode::UntrustedState, 3),
    (ErrorCode::TrackedState, 3),
    (ErrorCode::MalformedJson, 4),
    (ErrorCode::MalformedJournal, 4),
    (ErrorCode::StateUnwritable, 5),
    (ErrorCode::Locked, 6),
];
/// Codes of commands that only read the store.
static STATE: [PublishedCode; 2] = [(ErrorCode::UntrustedState, 3), (ErrorCode::TrackedState, 3)];
/// Codes of commands that open a run.
pub static RUN: [PublishedCode; 6] = [
    (ErrorCode::NoFolder, 5),
    (ErrorCode::NotARun, 2),
    (ErrorCode::NoRun, 4),
    (ErrorCode::Finished, 6),
    (ErrorCode::FileUnreadable, 5),
    (ErrorCode::NotUtf8, 4),
];
/// Codes of commands that ask GitHub.
pub static GITHUB: [PublishedCode; 9] = [
    (ErrorCode::NoRemote, 5),
    (ErrorCode::AmbiguousRemote, 5),
    (ErrorCode::GhMissing, 5),
    (ErrorCode::GhAuth, 5),
    (ErrorCode::GhForbidden, 5),
    (ErrorCode::GhNotFound, 5),
    (ErrorCode::GhFailed, 5),
    (ErrorCode::RateLimited, 5),
    (ErrorCode::FetchFailed, 5),
];
/// Codes of commands that read standard input.
pub static INPUT: [PublishedCode; 2] = [(ErrorCode::InputUnreadable, 5), (ErrorCode::NotUtf8, 4)];
/// Codes of parsing the user's words.
static WORDS: [PublishedCode; 5] = [
    (ErrorCode::UnknownMode, 2),
    (ErrorCode::ConflictingModes, 2),
    (ErrorCode::UnknownToken, 2),
    (ErrorCode::BadValue, 2),
    (ErrorCode::AmbiguousTarget, 2),
];
static BASE_WORDS: [PublishedCode; 1] = [(ErrorCode::BaseWithTarget, 2)];
/// Codes of finding what to review.
static SCOPE: [PublishedCode; 7] = [
    (ErrorCode::NoScope, 3),
    (ErrorCode::SharedCheckout, 3),
    (ErrorCode::Dirty, 3),
    (ErrorCode::UntrackedInTheWay, 3),
    (ErrorCode::BranchNotOurs, 3),
    (ErrorCode::BaseUnresolved, 5),
    (ErrorCode::BadRef, 5),
];
/// Codes of finding what to polish.
static ACQUIRE: [PublishedCode; 11] = [
    (ErrorCode::PrNotOpen, 3),
    (ErrorCode::OnBase, 3),
    (ErrorCode::Detached, 3),
    (ErrorCode::Dirty, 3),
    (ErrorCode::UntrackedInTheWay, 3),
    (ErrorCode::SharedCheckout, 3),
    (ErrorCode::BranchNotOurs, 3),
    (ErrorCode::BaseUnresolved, 5),
    (ErrorCode::BadRef, 5),
    (ErrorCode::NoPlan, 5),
    (ErrorCode::StateViolation, 6),
];
static RUN_MOVED: [PublishedCode; 1] = [(ErrorCode::RunMoved, 6)];
/// Codes of a polish whose user may have committed, amended or rebased since.
static POLISHED: [PublishedCode; 3] =
    [(ErrorCode::RunMoved, 6), (ErrorCode::CommitsAdded, 6), (ErrorCode::HistoryRewritten, 6)];
static GATED: [PublishedCode; 1] = [(ErrorCode::GateNotPassed, 3)];
static FINDINGS: [PublishedCode; 2] = [(ErrorCode::NoFindings, 4), (ErrorCode::UnknownSchema, 4)];
static APPLIED: [PublishedCode; 2] = [(ErrorCode::UnknownFinding, 4), (ErrorCode::MalformedApplied, 4)];
static MERGE: [PublishedCode; 3] =
    [(ErrorCode::NotNear, 2), (ErrorCode::UnknownFinding, 4), (ErrorCode::NoReplies, 4)];
static APPROVE: [PublishedCode; 1] = [(ErrorCode::NotAllowed, 3)];
static TREE_TAKEN: [PublishedCode; 1] = [(ErrorCode::Taken, 6)];
static ROUND_BOUND: [PublishedCode; 1] = [(ErrorCode::Bound, 6)];

/// A command with its groups of codes.
type CodeRow = (&'static str, &'static [&'static [PublishedCode]]);

/// Codes of a path given by the caller.
static PATHS: [PublishedCode; 2] = [(ErrorCode::OutsideRepository, 2), (ErrorCode::FileUnreadable, 5)];
/// Codes of a checklist that the user edited.
static CHECKLIST_FAULTS: [PublishedCode; 10] = [
    (ErrorCode::BadHeader, 4),
    (ErrorCode::DuplicateId, 4),
    (ErrorCode::DuplicateField, 4),
    (ErrorCode::MissingAction, 4),
    (ErrorCode::UnknownAction, 4),
    (ErrorCode::UnknownStatus, 4),
    (ErrorCode::StrayLine, 4),
    (ErrorCode::BadPath, 4),
    (ErrorCode::Pinned, 4),
    (ErrorCode::Renumbered, 4),
];
static CHECKLIST: [PublishedCode; 1] = [(ErrorCode::NoChecklist, 5)];
/// Codes of one configuration of `.claude/launch.json`.
static LAUNCH: [PublishedCode; 6] = [
    (ErrorCode::MalformedJson, 4),
    (ErrorCode::MalformedConfig, 4),
    (ErrorCode::DuplicateName, 4),
    (ErrorCode::NotUtf8, 4),
    (ErrorCode::NoConfig, 5),
    (ErrorCode::PublicHost, 3),
];
/// Codes of sizes with thresholds.
static SIZES: [PublishedCode; 5] = [
    (ErrorCode::MalformedJson, 4),
    (ErrorCode::MalformedToml, 4),
    (ErrorCode::BadThreshold, 4),
    (ErrorCode::MalformedItem, 4),
    (ErrorCode::BadRef, 5),
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
            &[
                (ErrorCode::Headless, 3),
                (ErrorCode::Dirty, 3),
                (ErrorCode::GateNotPassed, 3),
                (ErrorCode::NoMergeBase, 5),
            ],
        ],
    ),
    ("doctor", &[]),
    ("gc", &[&STORE, &GIT, &[(ErrorCode::FileUnreadable, 5)]]),
    ("launch read", &[&GIT, &LAUNCH]),
    (
        "launch write",
        &[
            &GIT,
            &INPUT,
            &[
                (ErrorCode::UntrustedState, 3),
                (ErrorCode::Headless, 3),
                (ErrorCode::PublicHost, 3),
                (ErrorCode::MalformedJson, 4),
                (ErrorCode::MalformedConfig, 4),
                (ErrorCode::DuplicateName, 4),
                (ErrorCode::StateUnwritable, 5),
                (ErrorCode::NoCommand, 5),
                (ErrorCode::OutsideRepository, 2),
                (ErrorCode::Exists, 6),
                (ErrorCode::Locked, 6),
            ],
        ],
    ),
    ("polish acquire", &[&WORDS, &ACQUIRE, &TREE_TAKEN, &INPUT, &RUN, &RUN_MOVED, &STORE, &GIT, &GITHUB]),
    ("polish args", &[&WORDS, &INPUT]),
    ("polish cancel", &[&RUN, &STORE, &GIT]),
    (
        "polish checklist parse",
        &[
            &RUN,
            &STATE,
            &POLISHED,
            &GIT,
            &SIZES,
            &CHECKLIST_FAULTS,
            &CHECKLIST,
            &[(ErrorCode::NoMergeBase, 5)],
        ],
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
            &[(ErrorCode::NoMergeBase, 5), (ErrorCode::UnknownItem, 4), (ErrorCode::Stale, 6)],
        ],
    ),
    (
        "polish checklist write",
        &[
            &RUN,
            &STORE,
            &POLISHED,
            &GIT,
            &SIZES,
            &INPUT,
            &GATED,
            &[(ErrorCode::NoMergeBase, 5), (ErrorCode::Exists, 6)],
        ],
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
                (ErrorCode::Interactive, 3),
                (ErrorCode::WhichConfig, 3),
                (ErrorCode::ProjectType, 3),
                (ErrorCode::StartCommand, 3),
                (ErrorCode::KillConfirmation, 3),
                (ErrorCode::PublicHost, 3),
                (ErrorCode::NoMergeBase, 5),
                (ErrorCode::OpenItems, 6),
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
                (ErrorCode::ForkUntrusted, 3),
                (ErrorCode::PrNotOpen, 3),
                (ErrorCode::NoReview, 3),
                (ErrorCode::ReviewStale, 3),
                (ErrorCode::ReviewDiverged, 3),
                (ErrorCode::NotReady, 3),
                (ErrorCode::CiFailed, 3),
                (ErrorCode::CiPending, 3),
                (ErrorCode::CiNone, 3),
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
                (ErrorCode::Headless, 3),
                (ErrorCode::NoConsent, 3),
                (ErrorCode::Dirty, 3),
                (ErrorCode::UntrackedInTheWay, 3),
                (ErrorCode::Conflict, 3),
                (ErrorCode::BaseUnresolved, 5),
                (ErrorCode::FetchFailed, 5),
                (ErrorCode::StateViolation, 6),
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
            &[(ErrorCode::Headless, 3), (ErrorCode::NoMergeBase, 5)],
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
            &[(ErrorCode::NoMergeBase, 5), (ErrorCode::NoChecklist, 5)],
        ],
    ),
    ("repo base", &[&GIT, &GITHUB, &[(ErrorCode::BaseUnresolved, 5), (ErrorCode::BadRef, 5)]]),
    ("repo ide", &[]),
    ("repo package-manager", &[&GIT, &PATHS, &[(ErrorCode::MalformedJson, 4), (ErrorCode::NotUtf8, 4)]]),
    (
        "repo port",
        &[
            &GIT,
            &PATHS,
            &[
                (ErrorCode::MalformedJson, 4),
                (ErrorCode::MalformedYaml, 4),
                (ErrorCode::NotUtf8, 4),
                (ErrorCode::NoFreePort, 5),
            ],
        ],
    ),
    ("repo project", &[&GIT, &PATHS]),
    (
        "repo size batch",
        &[&GIT, &SIZES, &INPUT, &[(ErrorCode::NothingToPolish, 3), (ErrorCode::FileUnreadable, 5)]],
    ),
    ("repo size item", &[&GIT, &SIZES, &INPUT, &[(ErrorCode::EmptyItem, 4), (ErrorCode::FileUnreadable, 5)]]),
    ("repo surfaces", &[&GIT, &[(ErrorCode::BadRef, 5), (ErrorCode::NoMergeBase, 5)]]),
    ("review abandon", &[&RUN, &STORE, &GIT]),
    ("review approve", &[&APPROVE, &FINDINGS, &RUN_MOVED, &RUN, &STORE, &GIT]),
    ("review args", &[&WORDS, &BASE_WORDS, &INPUT, &GIT]),
    ("review begin", &[&WORDS, &BASE_WORDS, &SCOPE, &TREE_TAKEN, &INPUT, &STORE, &GIT, &GITHUB]),
    ("review finish", &[&FINDINGS, &APPLIED, &RUN_MOVED, &INPUT, &RUN, &STORE, &GIT]),
    (
        "review merge",
        &[&MERGE, &ROUND_BOUND, &RUN_MOVED, &INPUT, &RUN, &STORE, &GIT, &[(ErrorCode::BadRef, 5)]],
    ),
    ("review render", &[&FINDINGS, &APPLIED, &ROUND_BOUND, &INPUT, &RUN, &STORE, &RUN_MOVED, &GIT]),
    ("review scope", &[&SCOPE, &ROUND_BOUND, &RUN_MOVED, &RUN, &STORE, &GIT, &GITHUB]),
    ("review start", &[&TREE_TAKEN, &STORE, &GIT, &[(ErrorCode::BadRef, 5)]]),
    ("schema", &[]),
];

/// The codes of a command, sorted.
pub fn command_codes(command: &str) -> Vec<PublishedCode> {
    let groups = ROWS
        .iter()
        .chain(&feedback::ROWS)
        .chain(&server::ROWS)
        .find(|(own, _)| *own == command)
        .map_or(&[][..], |(_, groups)| *groups);
    let mut codes: Vec<PublishedCode> =
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
