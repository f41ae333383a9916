//! Sources that are large, deep, unreadable or no text: `check` says what it could not look at, looks at
//! the rest, and ends as it should.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use super::{json, plugin, run, skill};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

const LARGE: usize = 50 << 20;

fn one_plugin() -> Tree {
    Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/skills/one/SKILL.md", skill("one"))
}

/// `line` again and again, up to the size of a large file.
fn large(line: &str) -> String {
    line.repeat(LARGE / line.len())
}

/// `severity rule path:line: message` of each finding.
fn lines(shown: &Value) -> Vec<String> {
    let text = |found: &Value, key: &str| found[key].as_str().unwrap_or_default().to_owned();
    let line = |found: &Value| {
        let place = format!("{}:{}", text(found, "path"), found["line"]);
        format!("{} {} {place}: {}", text(found, "severity"), text(found, "rule"), text(found, "message"))
    };
    shown["diagnostics"].as_array().unwrap_or_else(|| panic!("{shown:#}")).iter().map(line).collect()
}

/// `check` by a user who may not read everything.
fn bounded(folder: &Path) -> Value {
    let mut run = Plugcast::new(folder, &["check", "src", "--format", "json"]);
    if rustix::process::geteuid().is_root() {
        run = run.below("setpriv", &["--bounding-set=-dac_override,-dac_read_search,-fowner", "--"]);
    }
    json(&run.run().expect_code(1))
}

#[test]
fn a_markdown_file_of_fifty_megabytes_is_looked_at() {
    let body = large("Plain words in a line, and more of them until it is long enough for one.\n");
    let folder = one_plugin().file("src/skills/one/SKILL.md", skill("one") + &body).temporary();
    let shown = run(folder.path(), &["src", "--format", "agent"]).expect_code(1).stdout;
    let sentence = "skills/one/SKILL.md:1:1: error[unreadable-file]: the file has more than 1048576 bytes, and the source host skips it";
    assert!(shown.contains(sentence), "{shown}");
    assert_eq!(shown.lines().count(), 1, "{shown}");

    let folder = one_plugin().file("src/skills/one/SKILL.md", skill("one") + &body[..1_000_000]).temporary();
    let shown = run(folder.path(), &["src", "--format", "agent"]).expect_code(0).stdout;
    assert!(shown.contains("skills/one/SKILL.md:5:1: warning[skill-size]: the skill's text has "), "{shown}");
    assert_eq!(shown.lines().count(), 1, "{shown}");
}

#[test]
fn a_json_file_of_fifty_megabytes_is_looked_at() {
    // Few handlers with much in them: a build without optimisation reads these, too.
    let note = "0123456789".repeat(10_000);
    let handler = format!(r#"{{"hooks":[{{"type":"command","command":"echo a","note":"{note}"}}]}},"#);
    let groups = large(&handler);
    let hooks = format!("{{\"hooks\":{{\"Stopp\":[{}]}}}}\n", groups.trim_end_matches(','));
    let folder = one_plugin().file("src/hooks/hooks.json", hooks).temporary();
    let shown = lines(&json(&run(folder.path(), &["src", "--format", "json"]).expect_code(1)));
    assert_eq!(shown, ["error hook-event hooks/hooks.json:1: unknown event `Stopp`; its hooks never run"]);
}

#[test]
fn frontmatter_of_the_largest_size_is_looked_at() {
    let text = format!("---\nname: two\ndescription: {}\n---\nDo it.\n", "word ".repeat(150_000));
    let folder = one_plugin().file("src/skills/two/SKILL.md", text).temporary();
    let shown = lines(&json(&run(folder.path(), &["src", "--format", "json"])));
    assert!(shown.iter().any(|line| line.starts_with("warning description-length skills/two/SKILL.md:3: ")));
    assert!(shown.iter().all(|line| line.len() < 1000), "a message holds the file");

    let keys: String =
        (0..20_000).map(|n| format!("key{n}: a value that is as long as a line of text\n")).collect();
    let folder =
        one_plugin().file("src/skills/two/SKILL.md", format!("---\n{keys}---\nDo it.\n")).temporary();
    let shown = lines(&json(&run(folder.path(), &["src", "--format", "json"]).expect_code(1)));
    assert_eq!(
        shown,
        ["error yaml-syntax skills/two/SKILL.md:2002: invalid YAML: a mapping has more than 2000 keys"]
    );

    let open = format!("---\nname: two\ndescription: Does it.\n{}", "key: [\n".repeat(120_000));
    let folder = one_plugin().file("src/skills/two/SKILL.md", open).temporary();
    let shown = lines(&json(&run(folder.path(), &["src", "--format", "json"])));
    let unclosed = "warning frontmatter-unclosed skills/two/SKILL.md:1: ";
    assert!(shown.iter().any(|line| line.starts_with(unclosed)), "{shown:#?}");
    assert!(shown.iter().all(|line| line.len() < 1000), "a message holds the file");
}

#[test]
fn files_beyond_any_size_are_named_and_not_read() {
    let folder = one_plugin().temporary();
    let file = fs::File::create(folder.path().join("src/skills/one/more.md")).unwrap();
    file.set_len(65 << 20).unwrap();
    let shown = lines(&json(&run(folder.path(), &["src", "--format", "json"])));
    let unsearched = "warning not-utf8 skills/one/more.md:1: the file is larger than 64 MiB";
    assert_eq!(shown, [unsearched], "a file beside a skill may be of any size, but is not searched");
    let file = fs::File::create(folder.path().join("src/skills/one/SKILL.md")).unwrap();
    file.set_len(65 << 20).unwrap();
    let shown = lines(&json(&run(folder.path(), &["src", "--format", "json"]).expect_code(1)));
    assert!(shown.iter().any(|line| line.contains("is larger than 64 MiB")), "{shown:#?}");
}

#[test]
fn unreadable_files_and_folders_are_named_and_the_rest_is_looked_at() {
    let folder = plugin().file("src/skills/four/SKILL.md", skill("four")).temporary();
    let set = |path: &str, mode| {
        fs::set_permissions(folder.path().join(path), Permissions::from_mode(mode)).unwrap();
    };
    set("src/skills/one/SKILL.md", 0);
    set("src/skills/four", 0);
    let shown = lines(&bounded(folder.path()));
    set("src/skills/four", 0o755);
    assert_eq!(
        shown,
        [
            "error unreadable-file skills/four:1: `skills/four` is skipped: cannot be listed: Permission denied (os error 13)",
            "error unreadable-file skills/one/SKILL.md:1: `skills/one/SKILL.md` is skipped: cannot be read: Permission denied (os error 13)",
            "info name-mismatch skills/three/SKILL.md:2: the skill is named `third`, but its folder `three`",
            "info name-mismatch skills/two/SKILL.md:2: the skill is named `second`, but its folder `two`",
        ]
    );
}

#[test]
fn a_source_that_cannot_be_listed_is_a_separate_error() {
    let folder = plugin().temporary();
    fs::set_permissions(folder.path().join("src"), Permissions::from_mode(0o000)).unwrap();
    let mut run = Plugcast::new(folder.path(), &["check", "src", "--format", "json"]);
    if rustix::process::geteuid().is_root() {
        run = run.below("setpriv", &["--bounding-set=-dac_override,-dac_read_search,-fowner", "--"]);
    }
    let refused = json(&run.run().expect_code(2));
    fs::set_permissions(folder.path().join("src"), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(refused["schema"], "plugcast.error/1");
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("/src/") && message.contains("Permission denied"), "{message}");
    assert!(refused["error"]["help"].is_string(), "{refused:#}");
}

#[test]
fn binary_bytes_are_reported_where_text_is_required() {
    let binary = [b"\x7fELF\x02\x01\x01\x00".as_slice(), &[0xff; 64]].concat();
    // Markdown is read as hosts read it, so what else is in it is reported, too.
    let folder = one_plugin()
        .file("src/skills/one/logo.md", &binary)
        .file("src/skills/two/SKILL.md", &binary)
        .file("src/agents/three.md", b"---\nname: three\xe9\n---\n")
        .file("src/hooks/hooks.json", &binary)
        .temporary();
    let shown = lines(&json(&run(folder.path(), &["src", "--format", "json"]).expect_code(1)));
    let named: Vec<&str> = shown.iter().filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(
        named,
        [
            "warning agent-description-missing agents/three.md:1",
            "warning not-utf8 agents/three.md:2",
            "error not-utf8 hooks/hooks.json:1",
            "warning hidden-unicode skills/one/logo.md:1",
            "warning not-utf8 skills/one/logo.md:1",
            "warning frontmatter-missing skills/two/SKILL.md:1",
            "warning hidden-unicode skills/two/SKILL.md:1",
            "warning not-utf8 skills/two/SKILL.md:1",
        ],
        "{shown:#?}"
    );
}

#[test]
fn links_in_a_circle_and_deep_folders_end() {
    let deep = format!("src/skills/one/{}x.md", "d/".repeat(80));
    let folder = one_plugin()
        .link("src/skills/one/again", "..")
        .link("src/skills/one/a", "b")
        .link("src/skills/one/b", "a")
        .file(&deep, "x\n")
        .temporary();
    let shown = lines(&json(&run(folder.path(), &["src", "--format", "json"]).expect_code(1)));
    let sentence = |what: &str| shown.iter().filter(|line| line.contains(what)).count();
    assert_eq!(sentence("the link leads back into a folder above it"), 1, "{shown:#?}");
    assert_eq!(sentence("Too many levels of symbolic links"), 2, "{shown:#?}");
    assert_eq!(sentence("it is more than 64 folders deep"), 1, "{shown:#?}");
    assert_eq!(shown.len(), 4, "{shown:#?}");
}

#[test]
fn texts_that_are_nested_without_end_are_looked_at() {
    let nested = [">".repeat(20_000), "- ".repeat(20_000), "[".repeat(200_000), "*a ".repeat(100_000)];
    let folder = one_plugin()
        .file("src/skills/one/deep.md", nested.join("\n\n"))
        .file(
            "src/skills/two/SKILL.md",
            format!("---\nname: two\ndescription: {}\n---\nx\n", "[".repeat(100_000)),
        )
        .file("src/hooks/hooks.json", "[".repeat(1_000_000))
        .temporary();
    let arguments = ["src", "--to", "claude-code", "--format", "json"];
    let shown = lines(&json(&run(folder.path(), &arguments).expect_code(1)));
    let rules: Vec<&str> = shown.iter().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(rules, ["json-syntax", "description-length"], "{shown:#?}");
    assert!(shown.iter().all(|line| line.len() < 1000), "a message holds the file");
}

/// Matchers of hooks are regular expressions of the author: what would take for ever is still one look.
#[test]
fn expressions_of_the_author_cannot_run_away() {
    let evil = format!("({}){{1000}}{{1000}}|(a+)+$", "(a*)*".repeat(50));
    let hooks = serde_json::json!({ "hooks": { "PreToolUse": [
        { "matcher": evil, "hooks": [{ "type": "command", "command": "echo a" }] },
        { "matcher": "(a|a?)+".repeat(2000), "hooks": [{ "type": "command", "command": "echo a" }] },
        { "matcher": "(".repeat(100_000), "hooks": [{ "type": "command", "command": "echo a" }] },
    ] } });
    let folder = one_plugin().file("src/hooks/hooks.json", hooks.to_string()).temporary();
    let shown = lines(&json(&run(folder.path(), &["src", "--format", "json"])));
    assert!(shown.iter().all(|line| line.contains("hook-matcher hooks/hooks.json:1")), "{shown:#?}");
    assert!(!shown.is_empty());
}
