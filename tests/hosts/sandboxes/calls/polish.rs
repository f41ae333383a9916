//! The calls of `polish` and of the groups that are beside it.

use super::super::fixtures::{
    CHOSEN, EMPTIED, ITEMS, LISTED, POLISHED, REPLANNED, REVIEWED, SERVED, STACKED,
};
use super::{Call, Fresh, PLAIN};

/// Every call.
pub const CALLS: &[Call] = &[
    Call {
        command: "dispatch plan",
        words: &["dispatch", "plan", "--run", "{run}"],
        setup: LISTED,
        wanted: r#"{"status":"nothing"}"#,
        ..PLAIN
    },
    Call {
        command: "dispatch plan",
        words: &["dispatch", "plan", "--run", "{run}"],
        needs: &["write"],
        setup: CHOSEN,
        wanted: r#"{"status":"ok","groups":[{"items":[1]}]}"#,
        ..PLAIN
    },
    Call {
        command: "polish seed replan",
        words: &["polish", "seed", "replan", "--run", "{run}"],
        needs: &["write"],
        setup: REPLANNED,
        wanted: r#"{"status":"written","escalation":"replan-required"}"#,
        ..PLAIN
    },
    Call {
        command: "polish seed stacked",
        words: &["polish", "seed", "stacked", "--run", "{run}"],
        needs: &["write"],
        setup: STACKED,
        wanted: r#"{"status":"written","seeds":[{"number":1}]}"#,
        ..PLAIN
    },
    Call {
        command: "polish acquire",
        words: &["polish", "acquire"],
        wanted: r#"{"status":"planned","action":"none"}"#,
        ..PLAIN
    },
    Call {
        command: "polish acquire",
        words: &["polish", "acquire", "--apply", "--take-over"],
        needs: &["write"],
        fresh: Fresh::Tried,
        wanted: r#"{"status":"acquired","branch":"feat"}"#,
        ..PLAIN
    },
    Call {
        command: "polish acquire",
        words: &["polish", "acquire", "feat", "--apply", "--take-over"],
        needs: &["write", "git_write"],
        fresh: Fresh::Tried,
        setup: "git switch -q main",
        wanted: r#"{"status":"acquired","branch":"feat"}"#,
        ..PLAIN
    },
    Call {
        command: "polish acquire",
        words: &["polish", "acquire", "--apply", "--continue", "{run}"],
        needs: &["write"],
        setup: LISTED,
        wanted: r#"{"status":"acquired","action":"none","fetched":false}"#,
        ..PLAIN
    },
    Call {
        command: "polish args",
        words: &["polish", "args", "--stdin"],
        input: "mode:headless",
        wanted: r#"{"mode":"headless"}"#,
        ..PLAIN
    },
    Call {
        command: "polish cancel",
        words: &["polish", "cancel", "--run", "{run}"],
        needs: &["write"],
        setup: LISTED,
        wanted: r#"{"status":"partial","items":{"kept":1}}"#,
        ..PLAIN
    },
    Call {
        command: "polish checklist parse",
        words: &["polish", "checklist", "parse", "--run", "{run}"],
        setup: LISTED,
        wanted: r#"{"status":"ok","items":[{"action":"keep"}]}"#,
        ..PLAIN
    },
    Call {
        command: "polish checklist rewrite",
        words: &[
            "polish",
            "checklist",
            "rewrite",
            "--run",
            "{run}",
            "--results",
            "../results.json",
            "--seen",
            // The sha256 of nothing.
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ],
        needs: &["write"],
        setup: EMPTIED,
        wanted: r#"{"status":"written","results":[]}"#,
        ..PLAIN
    },
    Call {
        command: "polish checklist write",
        words: &["polish", "checklist", "write", "--run", "{run}"],
        input: ITEMS,
        needs: &["write"],
        setup: POLISHED,
        wanted: r#"{"status":"written","items":1}"#,
        ..PLAIN
    },
    Call {
        command: "polish envelope",
        words: &["polish", "envelope", "--run", "{run}"],
        needs: &["write"],
        setup: LISTED,
        wanted: r#"{"status":"complete","items":{"kept":1}}"#,
        ..PLAIN
    },
    Call {
        command: "polish gate",
        words: &["polish", "gate", "--run", "{run}"],
        needs: &["write", "network"],
        setup: REVIEWED,
        wanted: r#"{"status":"pass","ci":{"signal":"pass"}}"#,
        ..PLAIN
    },
    Call {
        command: "polish merge-base",
        words: &["polish", "merge-base", "--run", "{run}", "--consent"],
        needs: &["write", "git_write", "network"],
        setup: POLISHED,
        wanted: r#"{"status":"merged","base_ref":"origin/main"}"#,
        ..PLAIN
    },
    Call {
        command: "server owner",
        words: &["server", "owner", "--port", "1"],
        needs: &["listen"],
        wanted: r#"{"status":"none"}"#,
        ..PLAIN
    },
    Call {
        command: "server probe",
        words: &["server", "probe", "--port", "1"],
        needs: &["network"],
        wanted: r#"{"status":"unreachable"}"#,
        ..PLAIN
    },
    Call {
        command: "server start",
        words: &["server", "start", "--run", "{run}", "--port", "41998"],
        setup: SERVED,
        needs: &["write", "network", "listen", "background"],
        wanted: r#"{"status":"started","http_status":200}"#,
        ..PLAIN
    },
    Call {
        command: "server status",
        words: &["server", "status", "--run", "{run}"],
        setup: POLISHED,
        wanted: r#"{"status":"none"}"#,
        ..PLAIN
    },
    Call {
        command: "server stop",
        words: &[
            "server",
            "stop",
            "--run",
            "{run}",
            "--port",
            "1",
            "--confirm-pid",
            "1",
            "--start-time",
            "1",
        ],
        setup: POLISHED,
        needs: &["listen"],
        wanted: r#"{"status":"none"}"#,
        ..PLAIN
    },
];
