//! The short names of errors, which callers and skills compare.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// A value of `error.code`; the variants are in the order of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "each variant is the name in the answer, and `published::codes` lists its commands"
)]
pub enum ErrorCode {
    AmbiguousRemote,
    AmbiguousTarget,
    BadHeader,
    BadPath,
    BadRef,
    BadThreshold,
    BadValue,
    BaseUnresolved,
    BaseWithTarget,
    Bound,
    BranchNotOurs,
    ChildFailed,
    CiFailed,
    CiNone,
    CiPending,
    CommandMissing,
    CommitsAdded,
    Conflict,
    ConflictingModes,
    Detached,
    Dirty,
    DuplicateField,
    DuplicateId,
    DuplicateName,
    EmptyItem,
    EmptyReply,
    Exists,
    FetchFailed,
    FileUnreadable,
    Finished,
    ForkUntrusted,
    GateNotPassed,
    GhAuth,
    GhFailed,
    GhForbidden,
    GhMissing,
    GhNotFound,
    GitFailed,
    GitMissing,
    GitUnexpected,
    Headless,
    HelperMissing,
    HelperTooOld,
    HistoryRewritten,
    Inconsistent,
    InputUnreadable,
    Interactive,
    Interrupted,
    KillConfirmation,
    Locked,
    MalformedApplied,
    MalformedConfig,
    MalformedItem,
    MalformedJournal,
    MalformedJson,
    MalformedToml,
    MalformedTriage,
    MalformedYaml,
    MissingAction,
    NoChecklist,
    NoCommand,
    NoConfig,
    NoConsent,
    NoFindings,
    NoFolder,
    NoFreePort,
    NoMergeBase,
    NoPlan,
    NoPort,
    NoPullRequest,
    NoRemote,
    NoReplies,
    NoReview,
    NoRun,
    NoScope,
    NoServer,
    NoThread,
    NotARepository,
    NotARun,
    NotAllowed,
    NotFetched,
    NotNear,
    NotReady,
    NotReplied,
    NotResolved,
    NotStarted,
    NotUtf8,
    NothingToPolish,
    OnBase,
    OpenItems,
    OutsideRepository,
    OwnerChanged,
    PendingAfterPost,
    PendingReview,
    Pinned,
    PortInUse,
    PrNotFound,
    PrNotOpen,
    ProjectType,
    PublicHost,
    RateLimited,
    Renumbered,
    ReplyRefused,
    ResolvedItem,
    ReviewDiverged,
    ReviewStale,
    RunMoved,
    Running,
    Sandboxed,
    ServerEnded,
    SeveralConfigs,
    SharedCheckout,
    SignalRefused,
    Stale,
    StartCommand,
    StateUnwritable,
    StateViolation,
    StillRunning,
    StrayLine,
    Taken,
    Timeout,
    TooLong,
    TooManyItems,
    TooMuchOutput,
    TrackedState,
    UnknownAction,
    UnknownFinding,
    UnknownItem,
    UnknownMode,
    UnknownSchema,
    UnknownStatus,
    UnknownToken,
    UntrackedInTheWay,
    UntrustedState,
    Usage,
    WhichConfig,
    WrongPr,
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A text in schemas: which codes a command has is listed beside its answer.
impl JsonSchema for ErrorCode {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}
