//! Plays one case: makes its scene in a fresh folder, runs the built helper there in a clean environment, and
//! compares.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use serde_json::Value;

use super::case::Case;
use super::subset;

/// The helper.
pub const HELPER: &str = env!("CARGO_BIN_EXE_plugcast-run");

/// What every scene may use.
pub const WORDS: &str = r#"
repo() { git init -q -b main .; commit start; }
commit() { git add -A && git commit -q --allow-empty -m "$1"; }
put() { mkdir -p "$(dirname "$1")"; shift_path=$1; shift; printf '%s\n' "$@" > "$shift_path"; }
lines() { mkdir -p "$(dirname "$1")"; awk -v n="$2" 'BEGIN { for (i = 1; i <= n; i++) print "line " i }' > "$1"; }
program() { mkdir -p "$SCENE/.bin"; cat > "$SCENE/.bin/$1"; chmod +x "$SCENE/.bin/$1"; }
"#;

/// What differs from what the case says.
pub fn play(case: &Case) -> Vec<String> {
    let scene = tempfile::tempdir().expect("a temporary folder");
    let home = tempfile::tempdir().expect("a temporary home");
    let at = std::fs::canonicalize(scene.path()).expect("it is there");
    let finding = |text: String| format!("{} {}: {text}", case.id, case.name);
    let mut variables = environment(&at, home.path());
    let made = shell(&format!("{WORDS}\n{}", case.scene), &at, &variables);
    if let Err(error) = made {
        return vec![finding(format!("its scene fails: {error}"))];
    }
    let fill = |text: &str| text.replace("{scene}", &at.display().to_string());
    variables.extend(case.env.iter().map(|(key, value)| (key.clone(), fill(value))));
    let mut child = Command::new(HELPER)
        .args(case.argv.iter().map(|word| fill(word)))
        .current_dir(at.join(&case.folder))
        .env_clear()
        .envs(&variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the built helper can be started");
    // A command that reads nothing closes its input.
    let _ = child.stdin.take().expect("a pipe").write_all(case.stdin.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let stdout = String::from_utf8_lossy(&output.stdout).replace(&at.display().to_string(), "{scene}");
    let mut findings = Vec::new();
    if output.status.code() != case.exit {
        let stderr = String::from_utf8_lossy(&output.stderr);
        findings.push(finding(format!(
            "exit code {:?}, wanted {:?}: {stdout}{stderr}",
            output.status.code(),
            case.exit
        )));
    }
    if let Some(wanted) = &case.json {
        findings.extend(answered(wanted, &stdout, output.status.code()).into_iter().map(finding));
    }
    if let Some(wanted) = &case.stdout
        && *wanted != stdout
    {
        findings.push(finding(format!("wanted\n{wanted}\nfound\n{stdout}")));
    }
    if !case.after.is_empty() {
        let answer = home.path().join("answer");
        std::fs::write(&answer, &output.stdout).expect("the home can be written");
        variables.insert("OUT".to_owned(), answer.display().to_string());
        if let Err(error) = shell(&format!("{WORDS}\n{}", case.after), &at, &variables) {
            findings.push(finding(format!("afterwards: {error}\n{stdout}")));
        }
    }
    findings
}

/// The environment of scenes and of the helper: nothing of the user's, and a fixed identity for git.
pub fn environment(scene: &Path, home: &Path) -> BTreeMap<String, String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut variables = vec![
        ("PATH".to_owned(), format!("{}:{path}", scene.join(".bin").display())),
        ("HOME".to_owned(), home.display().to_string()),
        ("SCENE".to_owned(), scene.display().to_string()),
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
        return (id != "rt.error/1").then(|| format!("`{id}` is no published schema"));
    };
    let exits = row.exits.iter().map(|exit| i32::from(*exit)).chain([5, 7, 130]);
    if !exits.into_iter().any(|exit| code == Some(exit)) {
        return Some(format!("exit code {code:?} is none of `{}`", row.command));
    }
    let mut validators = VALIDATORS.lock().expect("no validator panics");
    let validator = validators
        .entry(id.to_owned())
        .or_insert_with(|| jsonschema::validator_for(&row.schema()).expect("a schema"));
    validator.iter_errors(found).next().map(|error| format!("{}: {error}", error.instance_path()))
}
