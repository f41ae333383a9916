//! `plugcast diff`: what changed for the users of each host, between folders, commits and bundles, in real
//! git repositories that stay as they were.

mod bad_input;
mod shipped_files;
mod states;

use std::path::Path;

use serde_json::Value;

use crate::support::git::{commit, committed, git, state, write};
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

fn run(folder: &Path, arguments: &[&str]) -> FinishedRun {
    Plugcast::new(folder, &[&["diff"], arguments].concat()).run()
}

/// The report as JSON.
#[track_caller]
fn json(folder: &Path, arguments: &[&str]) -> Value {
    let finished = run(folder, &[arguments, &["--format", "json"]].concat()).expect_code(0);
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {}", finished.stdout))
}

/// `verb kind name` of every change of one host.
#[track_caller]
fn changes(report: &Value, host: &str) -> Vec<String> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let line = |change: &Value| {
        let before = change["before"].as_str().map_or(String::new(), |before| format!("{before} to "));
        format!("{} {} {before}{}", text(change, "change"), text(change, "kind"), text(change, "name"))
    };
    host_report(report, host)["changes"].as_array().expect("changes").iter().map(line).collect()
}

/// What the report says of one host.
#[track_caller]
fn host_report<'a>(report: &'a Value, host: &str) -> &'a Value {
    let hosts = report["hosts"].as_array().expect("hosts");
    hosts.iter().find(|one| one["host"] == host).unwrap_or_else(|| panic!("no {host}: {report:#}"))
}

/// `field: before -> after` of one change of one host.
#[track_caller]
fn fields(report: &Value, host: &str, name: &str) -> Vec<String> {
    let changes = host_report(report, host)["changes"].as_array().expect("changes");
    let one = changes.iter().find(|change| change["name"] == name);
    let one = one.unwrap_or_else(|| panic!("no {name}: {report:#}"));
    let value = |field: &Value, key: &str| field[key].as_str().unwrap_or("-").to_owned();
    let fields = one["fields"].as_array().cloned().unwrap_or_default();
    let line = |field: &Value| {
        let (topic, name) = (value(field, "topic"), value(field, "field"));
        format!("{topic} {name}: {} -> {}", value(field, "before"), value(field, "after"))
    };
    fields.iter().map(line).collect()
}

fn text(name: &str, description: &str, more: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: {description}\n{more}---\nRead the task, name every step of it, say who \
         does which one, and write the whole plan down before anybody starts.\n"
    )
}

/// A plugin with something of every kind.
fn plugin() -> Tree {
    let hooks = r#"{ "hooks": { "PreToolUse": [
        { "matcher": "Bash", "hooks": [ { "type": "command", "command": "one" }, { "type": "command", "command": "two" } ] } ] } }"#;
    let servers = r#"{ "mcpServers": { "tide": { "command": "npx", "args": ["tide"] } } }"#;
    let checker = "---\nname: checker\ndescription: Checks a text.\ntools: Read\nmodel: haiku\n---\nCheck the text twice.\n";
    let go = "---\ndescription: Goes.\nargument-hint: \"[where]\"\n---\nGo to $ARGUMENTS.\n";
    Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
        .file("skills/plan/SKILL.md", text("plan", "Plans work.", "allowed-tools: Read\n"))
        .file("skills/same/SKILL.md", text("same", "Stays.", ""))
        .file("agents/checker.md", checker)
        .file("commands/go.md", go)
        .file("hooks/hooks.json", hooks)
        .file(".mcp.json", servers)
}

/// The repository of [`plugin`], tagged `v1.0.0`, with a second state that changes all of it.
fn changed() -> tempfile::TempDir {
    let folder = committed(&plugin());
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    git(at, &["mv", "skills/plan", "skills/planning"]);
    let renamed = text("planning", "Plans all the work.", "allowed-tools: Read, Write\n");
    write(at, "skills/planning/SKILL.md", &renamed);
    write(
        at,
        "skills/new/SKILL.md",
        "---\nname: new\ndescription: Is new.\n---\nSing a song about sailors.\n",
    );
    let checker = "---\nname: checker\ndescription: Checks a text.\ntools: Read, Grep\nmodel: opus\n---\nCheck the text twice.\n";
    write(at, "agents/checker.md", checker);
    write(
        at,
        "commands/go.md",
        "---\ndescription: Goes.\nargument-hint: \"[from] [to]\"\n---\nGo to $ARGUMENTS.\n",
    );
    let hooks = r#"{ "hooks": { "PreToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "two" } ] } ],
        "SessionStart": [ { "hooks": [ { "type": "command", "command": "hello" } ] } ] } }"#;
    write(at, "hooks/hooks.json", hooks);
    write(
        at,
        ".mcp.json",
        r#"{ "mcpServers": { "tide": { "command": "npx", "args": ["tide", "--high"] } } }"#,
    );
    write(at, ".claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"2.0.0\" }\n");
    folder
}

#[test]
fn everything_that_changes_for_a_user_is_said_for_each_host() {
    let folder = changed();
    let before = state(folder.path());
    let report = json(folder.path(), &["v1.0.0", "--to", "all"]);
    assert_eq!(state(folder.path()), before, "nothing is written");
    assert_eq!(report["schema"], "plugcast.diff/1");
    assert_eq!(report["impact"], "major");
    for host in ["claude-code", "codex", "opencode"] {
        let found = changes(&report, host);
        for wanted in [
            "renamed skill demo:plan to demo:planning",
            "added skill demo:new",
            "added hook SessionStart/*/1",
            "changed mcp-server tide",
            "changed plugin demo",
        ] {
            assert!(found.iter().any(|line| line == wanted), "{host}: {wanted} in {found:#?}");
        }
        assert!(!found.iter().any(|line| line.contains("demo:same")), "{host}: {found:#?}");
        // What a host does not know changes nothing for its users.
        let has = |line: &str| found.iter().any(|found| found == line);
        assert_eq!(has("changed agent demo:checker"), host != "codex", "{host}: {found:#?}");
        assert_eq!(has("changed command demo:go"), host == "claude-code", "{host}: {found:#?}");
        assert!(found.iter().any(|line| line.starts_with("removed hook PreToolUse/")), "{host}: {found:#?}");
        assert_eq!(fields(&report, host, "demo"), ["version version: 1.0.0 -> 2.0.0"]);
        let renamed = fields(&report, host, "demo:planning");
        let wanted = "description description: Plans work. -> Plans all the work.";
        assert!(renamed.iter().any(|line| line == wanted), "{host}: {renamed:?}");
    }
    assert_eq!(
        fields(&report, "claude-code", "demo:checker"),
        ["tools tools: Read -> Read, Grep", "model model: haiku -> opus"]
    );
    assert_eq!(
        fields(&report, "claude-code", "demo:go"),
        ["arguments argument-hint: [where] -> [from] [to]"]
    );
    let allowed = fields(&report, "claude-code", "demo:planning");
    assert!(allowed.contains(&"tools allowed-tools: Read -> Read, Write".to_owned()), "{allowed:?}");
    assert_eq!(fields(&report, "claude-code", "tide"), ["other args: tide -> tide, --high"]);
    let lost = |kind: &str| {
        let losses = host_report(&report, "codex")[kind].as_array().expect("losses").clone();
        losses.iter().map(|loss| loss["id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
    };
    assert!(
        lost("losses_new").iter().any(|id| id.contains("/demo/hook/SessionStart/*/1")),
        "{:?}",
        lost("losses_new")
    );
    assert!(
        lost("losses_gone").iter().any(|id| id.contains("/demo/hook/PreToolUse/Bash/2")),
        "{:?}",
        lost("losses_gone")
    );
}

#[test]
fn people_and_release_notes_read_one_line_a_change() {
    let folder = changed();
    let shown = run(folder.path(), &["v1.0.0", "--to", "all"]).expect_code(0).stdout;
    assert!(shown.starts_with("v1.0.0 -> .\n\nremoved\n  hook PreToolUse/Bash/1 of demo\n\nrenamed\n  skill demo:plan -> demo:planning ("), "{shown}");
    for part in [
        "\nadded\n  skill demo:new\n    Is new.\n",
        "    tool limits (allowed-tools): Read -> Read, Write (claude-code",
        "    version: 1.0.0 -> 2.0.0\n",
        "\nnew losses\n",
        "for users of claude-code, codex, opencode: major version\n",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let note =
        run(folder.path(), &["v1.0.0", "--to", "claude-code", "--format", "markdown"]).expect_code(0).stdout;
    for part in [
        "## v1.0.0 → .\n",
        "\n### Renamed\n\n- skill `demo:plan` → `demo:planning` (",
        "\n### Added\n\n- skill `demo:new`: Is new.\n",
        "  - model: `haiku` → `opus`\n",
        "- hook `SessionStart/*/1` of `demo`\n",
    ] {
        assert!(note.contains(part), "{part} in {note}");
    }
}

#[test]
fn equal_states_differ_in_nothing() {
    let folder = committed(&plugin());
    let report = json(folder.path(), &["HEAD", "--to", "all"]);
    assert_eq!(report["impact"], "none");
    for host in report["hosts"].as_array().expect("hosts") {
        assert_eq!(host["changes"].as_array().map(Vec::len), Some(0), "{host:#}");
        assert_eq!(host["losses_new"].as_array().map(Vec::len), Some(0), "{host:#}");
    }
    let shown = run(folder.path(), &["HEAD", "--to", "codex"]).expect_code(0).stdout;
    assert_eq!(shown, "HEAD -> .\n\nnothing differs for users of codex\n");
    write(folder.path(), "skills/plan/notes.md", "x\n");
    commit(folder.path(), "a file beside");
    let report = json(folder.path(), &["HEAD~1", "HEAD", "--to", "all"]);
    assert_eq!(
        (&report["impact"], changes(&report, "codex")),
        (&"patch".into(), vec!["changed skill demo:plan".to_owned()])
    );
}
