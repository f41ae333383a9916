//! THE table of calls that are made in the sandboxes: at least one a command, and one a way in which a command needs
//! something else.

mod feedback;
mod polish;

use super::fixtures::ITEM;

/// One call.
#[derive(Debug)]
pub struct Call {
    /// The words of the command.
    pub command: &'static str,
    /// All words of the call; `{run}` is the folder of the fixture's review.
    pub words: &'static [&'static str],
    /// The working directory, which is the sandbox's workspace.
    pub folder: &'static str,
    /// Standard input.
    pub input: &'static str,
    /// Without any of these it is refused, in the words of the schemas.
    pub needs: &'static [&'static str],
    /// Whether it fetches for the sake of freshness alone.
    pub fresh: Fresh,
    /// What the fixture has beside its repository: a script.
    pub setup: &'static str,
    /// A part of the answer.
    pub wanted: &'static str,
}

/// Whether a call fetches what it could do without.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fresh {
    /// It does not.
    Unasked,
    /// It does, and says so where it could not.
    Tried,
}

/// A call that needs nothing.
const PLAIN: Call = Call {
    command: "",
    words: &[],
    folder: "work",
    input: "",
    needs: &[],
    fresh: Fresh::Unasked,
    setup: "",
    wanted: r#"{"status":"ok"}"#,
};

/// Every call.
pub fn all() -> Vec<&'static Call> {
    CALLS.iter().chain(feedback::CALLS).chain(polish::CALLS).collect()
}

const CALLS: &[Call] = &[
    Call { command: "doctor", words: &["doctor"], wanted: r#"{"host":"codex"}"#, ..PLAIN },
    Call {
        command: "gc",
        words: &["gc", "--older-than", "0s"],
        needs: &["write"],
        setup: "start headless; merged; \"$RUN\" review finish --run \"$(cat ../run)\"",
        wanted: r#"{"status":"removed","removed":{"$len":1}}"#,
        ..PLAIN
    },
    Call {
        command: "gc",
        words: &["gc", "--older-than", "0s", "--dry-run"],
        setup: "start headless; merged; \"$RUN\" review finish --run \"$(cat ../run)\"",
        wanted: r#"{"status":"would_remove","removed":{"$len":1}}"#,
        ..PLAIN
    },
    Call {
        command: "repo base",
        words: &["repo", "base"],
        fresh: Fresh::Tried,
        wanted: r#"{"status":"ok","base_ref":"origin/main"}"#,
        ..PLAIN
    },
    Call {
        command: "repo base",
        words: &["repo", "base", "--base", "main", "--require-fresh"],
        needs: &["git_write", "network"],
        wanted: r#"{"status":"ok","fetched":true,"base_ref":"origin/main"}"#,
        ..PLAIN
    },
    Call {
        command: "repo base",
        words: &["repo", "base", "--pr", "7"],
        needs: &["network"],
        wanted: r#"{"status":"ok","source":"pull_request"}"#,
        ..PLAIN
    },
    Call { command: "repo ide", words: &["repo", "ide"], wanted: r#"{"ide":"codex"}"#, ..PLAIN },
    Call { command: "launch read", words: &["launch", "read"], wanted: r#"{"status":"none"}"#, ..PLAIN },
    Call {
        command: "launch write",
        words: &["launch", "write"],
        input: r#"{"name":"web","runtimeExecutable":"npm"}"#,
        needs: &["write"],
        wanted: r#"{"status":"written"}"#,
        ..PLAIN
    },
    Call {
        command: "repo package-manager",
        words: &["repo", "package-manager"],
        wanted: r#"{"pm":"npm","script":"dev"}"#,
        ..PLAIN
    },
    Call { command: "repo port", words: &["repo", "port"], wanted: r#"{"port":4000}"#, ..PLAIN },
    Call {
        command: "repo port",
        words: &["repo", "port", "--port", "1", "--check"],
        needs: &["listen"],
        wanted: r#"{"port":1,"in_use":null}"#,
        ..PLAIN
    },
    Call {
        command: "repo port",
        words: &["repo", "port", "--free"],
        needs: &["listen"],
        wanted: r#"{"source":"free"}"#,
        ..PLAIN
    },
    Call { command: "repo project", words: &["repo", "project"], wanted: r#"{"hits":[]}"#, ..PLAIN },
    Call {
        command: "repo size batch",
        words: &["repo", "size", "batch", "--base", "origin/main"],
        wanted: r#"{"status":"ok","files":1,"lines":2}"#,
        ..PLAIN
    },
    Call {
        command: "repo size item",
        words: &["repo", "size", "item", "--base", "origin/main"],
        input: ITEM,
        wanted: r#"{"status":"manageable","diff_lines":2}"#,
        ..PLAIN
    },
    Call {
        command: "repo surfaces",
        words: &["repo", "surfaces", "--base", "origin/main"],
        wanted: r#"{"totals":{"files":1,"lines":2}}"#,
        ..PLAIN
    },
    Call {
        command: "review args",
        words: &["review", "args", "--stdin"],
        input: "mode:headless",
        wanted: r#"{"mode":"headless"}"#,
        ..PLAIN
    },
    Call {
        command: "review begin",
        words: &["review", "begin", "--stdin"],
        input: "mode:report-only",
        fresh: Fresh::Tried,
        wanted: r#"{"status":"untraced","files":[{"path":"src/price.py"}]}"#,
        ..PLAIN
    },
    Call {
        command: "review begin",
        words: &["review", "begin", "--stdin", "--take-over"],
        input: "mode:headless",
        needs: &["write"],
        fresh: Fresh::Tried,
        wanted: r#"{"status":"started","diff_path":{"$is":"text"}}"#,
        ..PLAIN
    },
    Call {
        command: "review begin",
        words: &["review", "begin", "--stdin"],
        input: "7",
        needs: &["write", "git_write", "network"],
        setup: "git switch -q main; git branch -q -D feat",
        wanted: r#"{"status":"started","branch":"pr-7","pr":{"number":7},"fetched":true}"#,
        ..PLAIN
    },
    Call {
        command: "review start",
        words: &["review", "start", "--mode", "headless"],
        needs: &["write"],
        wanted: r#"{"status":"started"}"#,
        ..PLAIN
    },
    // Where the folder of the main working tree cannot be written, the run is in the workspace.
    Call {
        command: "review start",
        words: &["review", "start", "--mode", "headless"],
        folder: "work/src",
        needs: &["write"],
        wanted: r#"{"status":"started","state_root":{"$has":"/src/.plugcast"}}"#,
        ..PLAIN
    },
    Call {
        command: "review start",
        words: &["review", "start", "--mode", "headless"],
        folder: "tree",
        needs: &["write"],
        setup: "git worktree add -q -b other ../tree",
        wanted: r#"{"status":"started","state_root":{"$has":"/tree/.plugcast"}}"#,
        ..PLAIN
    },
    // Its readers find it there.
    Call {
        command: "gc",
        words: &["gc", "--older-than", "0s", "--dry-run"],
        folder: "tree",
        setup: "git worktree add -q -b other ../tree; cd ../tree\n\
                \"$RUN\" --root \"$PWD/.plugcast\" review start --mode headless > ../started\n\
                \"$RUN\" review abandon --run .plugcast/runs/review/*",
        wanted: r#"{"status":"would_remove","removed":{"$len":1}}"#,
        ..PLAIN
    },
    Call {
        command: "review start",
        words: &["review", "start", "--mode", "report-only"],
        wanted: r#"{"status":"untraced"}"#,
        ..PLAIN
    },
    Call {
        command: "review scope",
        words: &["review", "scope", "--mode", "report-only"],
        fresh: Fresh::Tried,
        wanted: r#"{"status":"ok","files":[{"path":"src/price.py"}]}"#,
        ..PLAIN
    },
    Call {
        command: "review scope",
        words: &["review", "scope", "--mode", "headless", "--run", "{run}"],
        needs: &["write"],
        fresh: Fresh::Tried,
        setup: "start headless",
        wanted: r#"{"status":"ok","diff_path":{"$is":"text"}}"#,
        ..PLAIN
    },
    Call {
        command: "review scope",
        words: &["review", "scope", "--mode", "autofix", "--target", "feat", "--run", "{run}"],
        needs: &["write", "git_write"],
        setup: "git switch -q main; start autofix",
        wanted: r#"{"status":"ok","branch":"feat"}"#,
        ..PLAIN
    },
    Call {
        command: "review scope",
        words: &["review", "scope", "--mode", "autofix", "--target", "7", "--run", "{run}"],
        needs: &["write", "git_write", "network"],
        setup: "git switch -q main; git branch -q -D feat; start autofix",
        wanted: r#"{"status":"ok","branch":"pr-7","pr":{"number":7},"fetched":true}"#,
        ..PLAIN
    },
    Call {
        command: "review merge",
        words: &["review", "merge", "../returns"],
        wanted: r#"{"status":"ok","findings":[{"id":"F1"}]}"#,
        ..PLAIN
    },
    Call {
        command: "review merge",
        words: &["review", "merge", "--run", "{run}", "../returns"],
        needs: &["write"],
        setup: "start headless",
        wanted: r#"{"status":"ok","findings":[{"id":"F1"}]}"#,
        ..PLAIN
    },
    Call {
        command: "review approve",
        words: &["review", "approve", "--run", "{run}", "--safe"],
        needs: &["write"],
        setup: "start interactive; merged",
        wanted: r#"{"status":"ok","ids":["F1"]}"#,
        ..PLAIN
    },
    Call {
        command: "review abandon",
        words: &["review", "abandon", "--run", "{run}"],
        needs: &["write"],
        setup: "start headless",
        wanted: r#"{"status":"abandoned"}"#,
        ..PLAIN
    },
    Call {
        command: "review render",
        words: &["review", "render", "--run", "{run}", "--headless", "--scope", "s", "--intent", "i"],
        needs: &["write"],
        setup: "start headless; merged",
        wanted: r#"{"status":"ok"}"#,
        ..PLAIN
    },
    Call {
        command: "review finish",
        words: &["review", "finish", "--run", "{run}", "--applied", "-"],
        input: r#"["F1"]"#,
        needs: &["write"],
        setup: "start autofix; merged",
        wanted: r#"{"status":"done","applied":1}"#,
        ..PLAIN
    },
    Call { command: "schema", words: &["schema"], ..PLAIN },
];
