//! Plays one case: makes its fixture in a fresh folder, runs the built helper there in a clean environment, and
//! compares.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use serde_json::Value;

use super::case::{Case, Step};
use super::subset;
use crate::support::github::GitHub;
use crate::support::root;

/// The helper.
pub const HELPER: &str = env!("CARGO_BIN_EXE_plugcast-run");

/// What every fixture may use.
pub const WORDS: &str = concat!(
    include_str!("passed.sh"),
    r#"
repo() { git init -q -b main .; commit start; }
commit() { git add -A && git commit -q --allow-empty -m "$1"; }
put() { mkdir -p "$(dirname "$1")"; shift_path=$1; shift; printf '%s\n' "$@" > "$shift_path"; }
lines() { mkdir -p "$(dirname "$1")"; awk -v n="$2" 'BEGIN { for (i = 1; i <= n; i++) print "line " i }' > "$1"; }
github() { node "$GITHUB_STATE" "$FIXTURE/state.json" "$(git -C "$FIXTURE/work" rev-parse feat)" "$1"; }
asked() { test "$(grep -c -- "$1" "$FIXTURE/requests.jsonl")" = "$2" || { grep -- "$1" "$FIXTURE/requests.jsonl"; false; }; }
program() { mkdir -p "$FIXTURE/.bin"; cat > "$FIXTURE/.bin/$1"; chmod +x "$FIXTURE/.bin/$1"; }
"#
);

/// What differs from what the case says.
pub fn play(case: &Case) -> Vec<String> {
    let fixture = tempfile::tempdir().expect("a temporary folder");
    let home = tempfile::tempdir().expect("a temporary home");
    let at = std::fs::canonicalize(fixture.path()).expect("it is there");
    let mut variables = environment(&at, home.path());
    let github = case.github.then(|| GitHub::in_folder(&at));
    if let Some(github) = &github {
        variables.extend(github.variables_with(&variables["PATH"]));
        let words = root().join("tests/github/state.mjs");
        variables.insert("GITHUB_STATE".to_owned(), words.display().to_string());
    }
    let mut played = CaseRun {
        variables,
        captured: BTreeMap::from([("fixture".to_owned(), at.display().to_string())]),
        answer: home.path().join("answer"),
        at,
    };
    let named = |text: String| format!("{} {}: {text}", case.id, case.name);
    if let Err(error) = shell(&format!("{WORDS}\n{}", case.setup), &played.at, &played.variables) {
        return vec![named(format!("its fixture fails: {error}"))];
    }
    for (number, step) in case.steps.iter().enumerate() {
        let findings = played.step(step);
        if !findings.is_empty() {
            // Later steps stand on this one.
            let findings = findings.into_iter();
            return findings.map(|text| named(format!("step {}: {text}", number + 1))).collect();
        }
    }
    Vec::new()
}

/// A fixture in which calls are made.
struct CaseRun {
    at: PathBuf,
    variables: BTreeMap<String, String>,
    /// What stands for `{NAME}`.
    captured: BTreeMap<String, String>,
    /// The file of the last answer.
    answer: PathBuf,
}

impl CaseRun {
    fn fill(&self, text: &str) -> String {
        let fill =
            |text: String, (name, value): (&String, &String)| text.replace(&format!("{{{name}}}"), value);
        self.captured.iter().fold(text.to_owned(), fill)
    }

    fn script(&self, script: &str) -> Result<(), String> {
        if script.is_empty() {
            return Ok(());
        }
        shell(&format!("{WORDS}\n{}", self.fill(script)), &self.at, &self.variables)
    }

    fn step(&mut self, step: &Step) -> Vec<String> {
        if let Err(error) = self.script(&step.before) {
            return vec![format!("before: {error}")];
        }
        for (path, content) in &step.write {
            let path = self.at.join(self.fill(path));
            std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("it can be made");
            std::fs::write(path, self.fill(content)).expect("it can be written");
        }
        let mut variables = self.variables.clone();
        variables.extend(step.env.iter().map(|(key, value)| (key.clone(), self.fill(value))));
        let mut child = Command::new(HELPER)
            .args(step.argv.iter().map(|word| self.fill(word)))
            .current_dir(self.at.join(self.fill(&step.folder)))
            .env_clear()
            .envs(&variables)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the built helper can be started");
        // A command that reads nothing closes its input.
        let _ = child.stdin.take().expect("a pipe").write_all(self.fill(&step.stdin).as_bytes());
        let output = child.wait_with_output().expect("it ends");
        let code = output.status.code();
        let raw = String::from_utf8_lossy(&output.stdout).into_owned();
        let fixture = self.at.display().to_string();
        let stdout = raw.replace(&fixture, "{fixture}");
        let mut findings = Vec::new();
        if code != step.exit {
            let stderr = String::from_utf8_lossy(&output.stderr);
            findings.push(format!("exit code {code:?}, wanted {:?}: {stdout}{stderr}", step.exit));
        }
        if let Some(wanted) = step.wanted(|text| self.fill(text).replace(&fixture, "{fixture}")) {
            findings.extend(answered(&wanted, &stdout, code));
        }
        if let Some(wanted) = step.stdout.as_ref().map(|text| self.fill(text).replace(&fixture, "{fixture}"))
            && wanted != stdout
        {
            findings.push(format!("wanted\n{wanted}\nfound\n{stdout}"));
        }
        std::fs::write(&self.answer, &output.stdout).expect("the home can be written");
        self.variables.insert("OUT".to_owned(), self.answer.display().to_string());
        let answer: Value = serde_json::from_str(&raw).unwrap_or_default();
        for (name, pointer) in &step.capture {
            match answer.pointer(pointer) {
                Some(value) => {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    self.variables.insert(name.clone(), text.clone());
                    self.captured.insert(name.clone(), text);
                }
                None => findings.push(format!("there is no `{pointer}` in {stdout}")),
            }
        }
        if let Err(error) = self.script(&step.after) {
            findings.push(format!("afterwards: {error}\n{stdout}"));
        }
        findings
    }
}

/// The environment of fixtures and of the helper: nothing of the user's, and a fixed identity for git.
pub fn environment(fixture: &Path, home: &Path) -> BTreeMap<String, String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut variables = vec![
        ("PATH".to_owned(), format!("{}:{path}", fixture.join(".bin").display())),
        ("HOME".to_owned(), home.display().to_string()),
        ("FIXTURE".to_owned(), fixture.display().to_string()),
        ("RUN".to_owned(), HELPER.to_owned()),
        ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
        ("GIT_CONFIG_GLOBAL".to_owned(), home.join("gitconfig").display().to_string()),
        ("GIT_ALLOW_PROTOCOL".to_owned(), "file".to_owned()),
    ];
    for who in ["AUTHOR", "COMMITTER"] {
        for (what, value) in [("NAME", "Ann"), ("EMAIL", "ann@example.com"), ("DATE", "2026-01-02T03:04:05Z")]
        {
            variables.push((format!("GIT_{who}_{what}"), value.to_owned()));
        }
    }
    BTreeMap::from_iter(variables)
}

/// Runs a script; both outputs come with its failure.
pub fn shell(script: &str, folder: &Path, variables: &BTreeMap<String, String>) -> Result<(), String> {
    let output = Command::new("/bin/sh")
        .args(["-eu", "-c", script])
        .current_dir(folder)
        .env_clear()
        .envs(variables)
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

/// One line of JSON that fits its published schema and holds what is wanted.
fn answered(wanted: &Value, stdout: &str, code: Option<i32>) -> Vec<String> {
    let found: Value = match serde_json::from_str(stdout) {
        Ok(found) => found,
        Err(error) => return vec![format!("no JSON: {error}: {stdout}")],
    };
    let mut findings = Vec::new();
    if stdout.lines().count() != 1 || !stdout.ends_with('\n') {
        findings.push(format!("not one line: {stdout}"));
    }
    subset::differences(wanted, Some(&found), "", &mut findings);
    if let Some(error) = misfit(&found, code) {
        findings.push(error);
    }
    if !findings.is_empty() {
        findings.push(format!("answered {stdout}"));
    }
    findings
}

/// Why an answer does not fit the schema that it names, or its exit code the command.
pub fn misfit(found: &Value, code: Option<i32>) -> Option<String> {
    static VALIDATORS: LazyLock<Mutex<BTreeMap<String, jsonschema::Validator>>> =
        LazyLock::new(Mutex::default);
    let id = found["schema"].as_str()?;
    let Some(row) = plugcast::runtime::published::COMMANDS.iter().find(|row| row.schema_id() == id) else {
        return (id != "rt.error/1").then(|| format!("unknown schema `{id}`"));
    };
    let exits = plugcast::runtime::published::codes::exits(row.command);
    if !exits.into_iter().any(|exit| code == Some(i32::from(exit))) {
        return Some(format!("exit code {code:?} is none of `{}`", row.command));
    }
    let codes = plugcast::runtime::published::codes::command_codes(row.command);
    if let Some(own) = found["error"]["code"].as_str()
        && !codes.iter().any(|(known, exit)| known.to_string() == own && code == Some(i32::from(*exit)))
    {
        return Some(format!("`{own}` with exit code {code:?} is not published for `{}`", row.command));
    }
    let mut validators = VALIDATORS.lock().expect("no validator panics");
    let validator = validators
        .entry(id.to_owned())
        .or_insert_with(|| jsonschema::validator_for(&row.schema()).expect("a schema"));
    validator.iter_errors(found).next().map(|error| format!("{}: {error}", error.instance_path()))
}
