//! What each command of the helper says that it needs, seen in the real sandbox of Codex, from the strictest setting
//! to the widest: with everything that it needs a command answers, without it is refused in words that name the
//! setting, and nothing has changed. The list of commands is the helper's own.

mod calls;
mod fixtures;
mod shelf;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use self::calls::{Call, Fresh};
use self::shelf::Shelf;
use crate::runtime::fixture::{self, HELPER};
use crate::runtime::subset;
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;
use crate::support::{found_in_each, none_left};

/// One setting of the sandbox.
struct Sandbox {
    name: &'static str,
    /// What it grants, in the words of the schemas.
    grants: &'static [&'static str],
}

/// What the host's command for a sandbox can be set to, the strictest first. The first one is its default.
const SANDBOXES: [Sandbox; 5] = [
    Sandbox { name: "read-only", grants: &[] },
    Sandbox { name: "workspace", grants: &["write"] },
    Sandbox { name: "workspace and network", grants: &["write", "network", "listen"] },
    Sandbox { name: "workspace and `.git`", grants: &["write", "git_write"] },
    Sandbox { name: "workspace, `.git` and network", grants: &["write", "git_write", "network", "listen"] },
];

/// What the words of a refusal name for each need.
const SETTINGS: [(&str, &str); 5] = [
    ("write", "`--sandbox workspace-write`"),
    ("git_write", "--add-dir"),
    ("network", "sandbox_workspace_write.network_access=true"),
    ("listen", "sandbox_workspace_write.network_access=true"),
    // No sandbox grants it.
    ("background", "`--sandbox danger-full-access`"),
];

impl Sandbox {
    fn grants(&self, needs: &[&str]) -> bool {
        needs.iter().all(|need| self.grants.contains(need))
    }

    /// The options of the host. Temporary folders are outside the workspace, because the fixture is in one.
    fn options(&self, git: &str) -> Vec<String> {
        let mut settings = Vec::new();
        if !self.grants.is_empty() {
            settings.push("sandbox_mode=workspace-write".to_owned());
            for folder in ["slash_tmp", "tmpdir_env_var"] {
                settings.push(format!("sandbox_workspace_write.exclude_{folder}=true"));
            }
        }
        if self.grants(&["git_write"]) {
            settings.push(format!("sandbox_workspace_write.writable_roots=[{git:?}]"));
        }
        if self.grants(&["network"]) {
            settings.push("sandbox_workspace_write.network_access=true".to_owned());
        }
        settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]).collect()
    }
}

/// A repository with a remote on loopback, and what a command finds around it.
struct Fixture {
    folder: TempDir,
    home: TempDir,
    variables: BTreeMap<String, String>,
    codex: PathBuf,
    /// Kept for as long as the fixture is.
    _remote: Shelf,
}

impl Fixture {
    fn new(call: &Call, hosts: &Hosts, github: &GitHub) -> Self {
        let (folder, home) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a home"));
        let remote = Shelf::new(folder.path().join("origin.git"));
        let connect = home.path().join("connect");
        remote.command(&connect);
        let mut variables = fixture::environment(folder.path(), home.path());
        variables.extend(github.variables());
        let more = [
            ("ORIGIN", "ssh://localhost/origin.git".to_owned()),
            ("GIT_SSH_COMMAND", connect.display().to_string()),
            ("GIT_SSH_VARIANT", "simple".to_owned()),
            ("GIT_ALLOW_PROTOCOL", "file:ssh".to_owned()),
        ];
        variables.extend(more.map(|(key, value)| (key.to_owned(), value)));
        let script = format!("{}{}\n{}", fixture::WORDS, fixtures::REPOSITORY, call.setup);
        fixture::shell(&script, folder.path(), &variables)
            .unwrap_or_else(|error| panic!("{call:?}: {error}"));
        Self { folder, home, variables, codex: hosts.codex.clone(), _remote: remote }
    }

    /// Everything that a command could change.
    fn tree(&self) -> Tree {
        Tree::read(self.folder.path())
    }

    /// Runs a command of the helper in the sandbox: exit code and answer.
    fn run(&self, sandbox: &Sandbox, call: &Call) -> (Option<i32>, Value) {
        let Call { words, input, folder, .. } = call;
        let git = self.folder.path().join("work/.git");
        let run = std::fs::read_to_string(self.folder.path().join("run")).unwrap_or_default();
        let mut child = Command::new(&self.codex)
            .arg("sandbox")
            .args(sandbox.options(&git.display().to_string()))
            .args(["--", HELPER])
            .args(words.iter().map(|word| word.replace("{run}", run.trim_end())))
            .current_dir(self.folder.path().join(folder))
            .env_clear()
            .envs(&self.variables)
            .env("CODEX_HOME", self.home.path())
            // What the host's tool for commands sets as well, in every sandbox.
            .env("CODEX_THREAD_ID", "a-thread")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the host can be started");
        // A command that reads nothing closes its input.
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), input.as_bytes());
        let ended = child.wait_with_output().expect("it ends");
        let answer = serde_json::from_slice(&ended.stdout);
        (ended.status.code(), answer.unwrap_or_else(|error| panic!("{words:?}: {error}: {ended:?}")))
    }
}

/// What is wrong with a call in one sandbox after the other.
fn findings(call: &Call, hosts: &Hosts, github: &GitHub) -> Vec<String> {
    let fixture = Fixture::new(call, hosts, github);
    let before = fixture.tree();
    let mut findings = Vec::new();
    let mut changed = false;
    for sandbox in &SANDBOXES {
        // What has happened once cannot be asked for again.
        if changed && call.fresh == Fresh::Unasked {
            break;
        }
        let (code, answer) = fixture.run(sandbox, call);
        let mut wrong = Vec::new();
        if sandbox.grants(call.needs) {
            answered(call, sandbox, code, &answer, &mut wrong);
            changed |= !call.needs.is_empty();
        } else {
            refused(call, sandbox, code, &answer, &mut wrong);
        }
        let fetches = call.fresh == Fresh::Tried && sandbox.grants(&["git_write", "network"]);
        // A run that could not begin is on record as given up, where a record may be written.
        let begins = [["review", "begin"], ["polish", "acquire"], ["feedback", "begin"]];
        let recorded = begins.iter().any(|own| call.words.starts_with(own)) && sandbox.grants(&["write"]);
        if !changed && !fetches && !recorded && fixture.tree() != before {
            wrong.push("something has changed".to_owned());
        }
        let place = format!("`{}` {:?} of `{}` in `{}`", call.command, call.words, call.folder, sandbox.name);
        findings.extend(wrong.into_iter().map(|what| format!("{place}: {what}: {answer}")));
    }
    findings
}

fn answered(call: &Call, sandbox: &Sandbox, code: Option<i32>, answer: &Value, wrong: &mut Vec<String>) {
    if code != Some(0) {
        wrong.push(format!("it has all that it needs, and ends with {code:?}"));
        return;
    }
    let wanted: Value = serde_json::from_str(call.wanted).expect("the table holds JSON");
    subset::differences(&wanted, Some(answer), "", wrong);
    wrong.extend(fixture::misfit(answer, code));
    if call.fresh == Fresh::Tried {
        let fetched = sandbox.grants(&["git_write", "network"]);
        let error = &answer["fetch_error"]["code"];
        if answer["fetched"] != fetched || (*error == "sandboxed") == fetched {
            wrong.push("it does not say whether it fetched".to_owned());
        }
    }
}

fn refused(call: &Call, sandbox: &Sandbox, code: Option<i32>, answer: &Value, wrong: &mut Vec<String>) {
    let error = &answer["error"];
    if (code, &error["code"]) != (Some(5), &Value::from("sandboxed")) {
        wrong.push(format!("it lacks something, and ends with {code:?}"));
        return;
    }
    wrong.extend(fixture::misfit(answer, code));
    let hint = error["hint"].as_str().unwrap_or_default();
    let lacking = call.needs.iter().filter(|need| !sandbox.grants.contains(need));
    let setting =
        |need: &str| SETTINGS.iter().find(|(own, _)| *own == need).expect("each need has a setting").1;
    let named: Vec<&str> = lacking.map(|need| setting(need)).collect();
    // What it meets first is what it names.
    if !named.iter().any(|setting| hint.contains(setting)) {
        wrong.push(format!("its hint names none of {named:?}"));
    }
}

#[test]
fn each_command_needs_what_it_says() {
    let hosts = real_hosts!();
    let github = GitHub::with_state(&github::tool("feat"));
    let found = found_in_each(&calls::all(), |call| findings(call, &hosts, &github));
    none_left("commands in the sandbox", &found);
}

/// The commands that the helper lists, asked in the strictest sandbox, are those of the table, and the calls of each
/// need together what its schema says.
#[test]
fn every_command_of_the_list_is_tried() {
    let hosts = real_hosts!();
    let github = GitHub::with_state(&github::tool("feat"));
    let listing =
        calls::all().into_iter().find(|call| call.words == ["schema"]).expect("the list is one of the calls");
    let (_, answer) = Fixture::new(listing, &hosts, &github).run(&SANDBOXES[0], listing);
    let words = |value: &Value| -> BTreeSet<String> {
        value.as_array().into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let commands = answer["commands"].as_array().map(Vec::as_slice).unwrap_or_default();
    let listed: BTreeMap<String, BTreeSet<String>> = commands
        .iter()
        .map(|row| (row["command"].as_str().unwrap_or_default().to_owned(), words(&row["needs"])))
        .collect();
    let mut tried: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for call in calls::all() {
        let needs = tried.entry(call.command.to_owned()).or_default();
        needs.extend(call.needs.iter().map(|need| (*need).to_owned()));
        if call.fresh == Fresh::Tried {
            needs.extend(["git_write", "network"].map(str::to_owned));
        }
    }
    assert!(listed.len() > 10, "{answer}");
    assert_eq!(tried, listed, "the calls on the left, the schemas on the right");
}

/// The permission profile that a plugin's notes offer, as the user would adopt it.
#[test]
fn the_profile_in_the_notes_opens_git_and_no_more() {
    let hosts = real_hosts!();
    let skill = "---\nname: plan\ndescription: Commits and fetches when asked to.\n---\n\n```sh\ngit commit -m x\ncurl -O https://example.org\n```\n";
    let folder = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"kit\", \"version\": \"1.0.0\" }\n")
        .file("in/skills/plan/SKILL.md", skill)
        .file("project/notes.txt", "a\n")
        .file("project/.git/hooks/keep", "")
        .file("project/.git/config", "")
        .temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "codex"]).run().expect_code(0);
    let notes = std::fs::read_to_string(folder.path().join("dist/codex/plugins/kit/ON-THIS-HOST.md"));
    let notes = notes.expect("notes");
    let profile =
        notes.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a profile");
    let home = Tree::new().file("config.toml", profile).temporary();
    let script = "for path in notes.txt .git/index .git/config .git/hooks/new; do (echo x > $path) 2> /dev/null && echo $path; done";
    let output = Command::new(&hosts.codex)
        .args(["sandbox", "sh", "-c", script])
        .current_dir(folder.path().join("project"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.path())
        .env("CODEX_HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .expect("the host runs");
    let written = String::from_utf8_lossy(&output.stdout).into_owned();
    let written: Vec<&str> = written.lines().collect();
    assert_eq!(written, ["notes.txt", ".git/index"], "{}", String::from_utf8_lossy(&output.stderr));
    assert!(profile.contains("enabled = true"), "{profile}");
}
