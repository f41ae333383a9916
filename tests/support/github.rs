//! A GitHub of our own for the real `gh`: `tests/github/server.mjs` on a Unix socket, which holds what a
//! test gives it, and answers only what the schema that GitHub publishes allows. `gh` reaches it by its
//! own setting `http_unix_socket`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{fetch, root, tools};

/// What `gh` signs in with.
pub const TOKEN: &str = "a-token";

/// The file with what the server holds.
const STATE: &str = "state.json";
/// The file in which the server notes what it is asked.
const REQUESTS: &str = "requests.jsonl";

/// A request that `gh` made.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Request {
    /// The host that it is for.
    pub host: String,
    /// Method and path.
    pub call: String,
    /// The body.
    pub text: String,
}

/// What GitHub knows of `github.com/owner/tool` with one pull request, 7, from a separate branch.
pub fn tool(branch: &str) -> Value {
    let at = "https://github.com/owner/tool";
    let thread = |number: u32| {
        let comment = json!({
            "__typename": "PullRequestReviewComment", "id": format!("C{number}"), "databaseId": number, "body": "Why?",
            "url": format!("{at}/pull/7#discussion_r{number}"), "createdAt": "2026-01-01T00:00:00Z",
            "author": { "__typename": "User", "login": "bob" },
        });
        json!({
            "__typename": "PullRequestReviewThread", "id": format!("T{number}"), "isResolved": false, "isOutdated": false,
            "path": format!("src/{number}.py"), "line": 1, "originalLine": 1, "startLine": null, "comments": [comment],
        })
    };
    let remark = json!({
        "__typename": "IssueComment", "id": "A", "databaseId": 9, "body": "Why?", "createdAt": "2026-01-01T00:00:00Z",
        "url": format!("{at}/pull/7#issuecomment-9"), "author": { "__typename": "User", "login": "bob" },
    });
    let request = json!({
        "author": { "__typename": "User", "login": "alice" }, "comments": [remark], "reviews": [],
        "reviewThreads": [thread(1), thread(2), thread(3)],
        "__typename": "PullRequest", "id": "PR_7", "number": 7, "title": "Change the price", "body": "",
        "state": "OPEN", "url": format!("{at}/pull/7"), "baseRefName": "main", "baseRepository": { "url": at },
        "headRefName": branch, "headRefOid": "0", "isCrossRepository": false, "headRepository": { "nameWithOwner": "owner/tool" },
    });
    json!({
        "viewer": { "__typename": "User", "login": "ann" },
        "repositories": [{
            "__typename": "Repository", "name": "tool", "url": at,
            "owner": { "__typename": "User", "login": "owner" },
            "defaultBranchRef": { "__typename": "Ref", "name": "main" },
            "branches": ["main", branch], "pullRequests": [request],
            "checks": [{ "__typename": "StatusContext", "context": "lint", "state": "SUCCESS", "createdAt": "2026-01-01T00:00:00Z" }],
        }],
    })
}

/// A running server, ended when it is dropped.
pub struct GitHub {
    server: Child,
    folder: TempDir,
    /// Where the files are that the server reads and writes.
    held: PathBuf,
    /// The folder of `gh`.
    gh: PathBuf,
}

impl GitHub {
    /// Starts one that holds `state`: `viewer`, `repositories`, `faults`, as the server reads them.
    ///
    /// # Panics
    /// With one line that says how to get what is missing.
    pub fn with_state(state: &Value) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let held = folder.path().to_owned();
        Self::start(folder, held, state)
    }

    /// Starts one for a case: what it holds is in `state.json` of a folder, and what it is asked in `requests.jsonl`.
    ///
    /// # Panics
    /// As [`GitHub::with_state`].
    pub fn in_folder(folder: &Path) -> Self {
        Self::start(tempfile::tempdir().expect("a temporary folder"), folder.to_owned(), &json!({}))
    }

    fn start(folder: TempDir, held: PathBuf, state: &Value) -> Self {
        let gh = tools::gh().unwrap_or_else(|missing| panic!("{missing}"));
        let modules = fetch::modules("github").unwrap_or_else(|missing| panic!("{missing}"));
        let socket = folder.path().join("socket");
        let state_file = held.join(STATE);
        std::fs::write(&state_file, state.to_string()).expect("it can be written");
        let settings = format!("http_unix_socket: {}\n", socket.display());
        std::fs::write(folder.path().join("config.yml"), settings).expect("it can be written");
        let mut server = Command::new("node")
            .arg(root().join("tests/github/server.mjs"))
            .args([&socket, &state_file, &modules, &held.join(REQUESTS)])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("`node` can be started; install Node.js 20 or newer");
        let first = BufReader::new(server.stdout.take().expect("a pipe")).lines().next();
        let first = first.and_then(Result::ok);
        assert_eq!(first.as_deref(), Some("ready"), "the server of tests/github does not start");
        Self { server, folder, held, gh }
    }

    /// Gives it another state.
    pub fn hold(&self, state: &Value) {
        std::fs::write(self.held.join(STATE), state.to_string()).expect("it can be written");
    }

    /// What a child needs so that its `gh` comes here, signed in.
    pub fn variables(&self) -> BTreeMap<String, String> {
        self.variables_with(&std::env::var("PATH").unwrap_or_default())
    }

    /// The same with another search path.
    pub fn variables_with(&self, path: &str) -> BTreeMap<String, String> {
        let path = format!("{}:{path}", self.gh.display());
        let configuration = self.folder.path().display().to_string();
        let pairs = [
            ("PATH", path.as_str()),
            ("GH_CONFIG_DIR", &configuration),
            ("GH_TOKEN", TOKEN),
            ("GH_ENTERPRISE_TOKEN", TOKEN),
            // The token is for this host alone.
            ("GH_HOST", "ghe.corp"),
        ];
        pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    /// What was asked so far. A request is noted before it is answered.
    pub fn requests(&self) -> Vec<Request> {
        let noted = std::fs::read_to_string(self.held.join(REQUESTS)).unwrap_or_default();
        noted.lines().map(|line| serde_json::from_str(line).expect("a line of JSON a request")).collect()
    }

    /// What `gh` itself answers: exit code and standard output.
    pub fn gh(&self, home: &Path, arguments: &[&str]) -> (Option<i32>, String) {
        let ended = Command::new("gh")
            .args(arguments)
            .current_dir(home)
            .env_clear()
            .envs(self.variables())
            .env("HOME", home)
            .output()
            .expect("`gh` can be started");
        (ended.status.code(), String::from_utf8_lossy(&ended.stdout).into_owned())
    }
}

impl Drop for GitHub {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
