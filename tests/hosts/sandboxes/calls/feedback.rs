//! The calls of `feedback`. All share one GitHub: `T1` is replied to, `T2` is resolved, and `T3` stays as it is.

use super::{Call, PLAIN};

/// A run for pull request 7 with its comments.
const FETCHED: &str = r#"echo 7 | "$RUN" feedback begin --stdin | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; "$RUN" feedback fetch --run "$(cat ../run)" > ../fetched"#;
/// The same with a reply to `T2`.
const REPLIED: &str = r#"echo 7 | "$RUN" feedback begin --stdin | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; "$RUN" feedback fetch --run "$(cat ../run)" > ../fetched; echo Done. | "$RUN" feedback reply --run "$(cat ../run)" --item T2 --stdin > ../replied"#;

/// Every call.
pub const CALLS: &[Call] = &[
    Call {
        command: "feedback abandon",
        words: &["feedback", "abandon", "--run", "{run}"],
        needs: &["write"],
        setup: FETCHED,
        wanted: r#"{"status":"abandoned"}"#,
        ..PLAIN
    },
    Call {
        command: "feedback begin",
        words: &["feedback", "begin", "--stdin"],
        input: "7",
        needs: &["write", "git_write", "network"],
        wanted: r#"{"status":"started","branch":"pr-7"}"#,
        ..PLAIN
    },
    Call {
        command: "feedback cluster",
        words: &["feedback", "cluster", "--run", "{run}"],
        setup: FETCHED,
        wanted: r#"{"status":"none"}"#,
        ..PLAIN
    },
    Call {
        command: "feedback dispatch",
        words: &["feedback", "dispatch", "--run", "{run}"],
        needs: &["write"],
        setup: FETCHED,
        ..PLAIN
    },
    Call {
        command: "feedback dispatch",
        words: &["feedback", "dispatch", "--run", "{run}"],
        setup: r#"echo https://github.com/owner/tool/pull/7#issuecomment-9 | "$RUN" feedback begin --stdin | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; "$RUN" feedback fetch --run "$(cat ../run)" > ../fetched; put "$(cat ../run)/triage.json" '[{"id":"A","state":"handled","reason":"done"}]'"#,
        wanted: r#"{"status":"nothing"}"#,
        ..PLAIN
    },
    Call {
        command: "feedback fetch",
        words: &["feedback", "fetch", "7"],
        needs: &["network"],
        wanted: r#"{"status":"ok","items":{"$has":{"id":"T3"}}}"#,
        ..PLAIN
    },
    Call {
        command: "feedback fetch",
        words: &["feedback", "fetch", "--run", "{run}"],
        needs: &["write", "network"],
        setup: FETCHED,
        wanted: r#"{"status":"ok","round":1}"#,
        ..PLAIN
    },
    Call {
        command: "feedback finish",
        words: &["feedback", "finish", "--run", "{run}"],
        needs: &["write"],
        setup: FETCHED,
        wanted: r#"{"status":"partial","open":{"$has":"T3"}}"#,
        ..PLAIN
    },
    Call {
        command: "feedback gates",
        words: &["feedback", "gates", "--run", "{run}"],
        setup: FETCHED,
        wanted: r#"{"new":{"$has":"T3"}}"#,
        ..PLAIN
    },
    Call {
        command: "feedback reply",
        words: &["feedback", "reply", "--run", "{run}", "--item", "T1", "--stdin"],
        input: "Done.",
        needs: &["write", "network"],
        setup: FETCHED,
        wanted: r#"{"status":"posted","replies":[{"id":"T1","was_posted":false}]}"#,
        ..PLAIN
    },
    Call {
        command: "feedback resolve",
        words: &["feedback", "resolve", "--run", "{run}", "--item", "T2"],
        needs: &["write", "network"],
        setup: REPLIED,
        wanted: r#"{"status":"resolved","resolved":["T2"]}"#,
        ..PLAIN
    },
    Call {
        command: "feedback thread-for",
        words: &["feedback", "thread-for", "https://github.com/owner/tool/pull/7#discussion_r3"],
        needs: &["network"],
        wanted: r#"{"status":"found","item":{"id":"T3"}}"#,
        ..PLAIN
    },
];
