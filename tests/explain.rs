//! What is behind a line of a bundle, and what a loss means.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::none_left;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;
use crate::tidy::files::{SourceFile, rust_files, tracked};

const SKILL: &str = "---\ndescription: Plans.\ndescription: Plans things.\nallowed-tools: Read\n---\n\nFirst.\n\nRun `${CLAUDE_SKILL_DIR}/go.sh`.\n";

fn run(folder: &Path, arguments: &[&str]) -> FinishedRun {
    Plugcast::new(folder, arguments).run()
}

#[test]
fn every_unedited_line_is_traced_to_its_line_in_the_source() {
    let folder =
        Tree::new().file("in/skills/plan/SKILL.md", SKILL).file("in/notes.txt", "a\nb\n").temporary();
    run(folder.path(), &["build", "in", "--name", "kit", "--to", "codex"]).expect_code(0);
    let file = "dist/codex/plugins/kit/skills/plan/SKILL.md";
    let emitted = std::fs::read_to_string(folder.path().join(file)).expect("emitted");
    let mut unchanged = 0;
    for (at, line) in emitted.lines().enumerate() {
        let place = format!("{file}:{}", at + 1);
        let text = run(folder.path(), &["explain", &place]).expect_code(0).stdout;
        let source_line: usize =
            text.lines().next().and_then(|first| first.rsplit(':').next()?.parse().ok()).expect("a line");
        if text.contains("  unchanged\n") {
            assert_eq!(SKILL.lines().nth(source_line - 1), Some(line), "{place}: {text}");
            unchanged += 1;
        }
    }
    assert!(unchanged >= 5, "{unchanged} of {emitted}");
    let shell = emitted.lines().position(|line| line.starts_with("Run ")).expect("the edited line") + 1;
    let text = run(folder.path(), &["explain", &format!("{file}:{shell}")]).stdout;
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [
            format!("plugins/kit/skills/plan/SKILL.md:{shell} comes from skills/plan/SKILL.md:9"),
            "  variable: it becomes a path relative to this file".to_owned(),
        ]
    );
    let copied = run(folder.path(), &["explain", "dist/codex/plugins/kit/notes.txt:2"]).expect_code(0).stdout;
    assert_eq!(copied, "plugins/kit/notes.txt:2 is notes.txt:2, byte for byte\n");
}

#[test]
fn what_a_plugcast_toml_says_for_a_host_is_named_with_its_place() {
    let agent = "---\nname: one\ndescription: d\nmodel: opus\n---\n\nHelp.\n";
    let skill = "---\nname: plan\ndescription: Plans.\n---\n\nThe `one` agent helps.\n";
    let config = "[targets.codex.rename]\none = \"two\"\n\n[targets.codex.frontmatter.plan]\ndescription = \"Plans here.\"\n\n[targets.codex.models]\nopus = \"big\"\n\n[targets.opencode.frontmatter.one]\nsteps = 3\n";
    let folder = Tree::new()
        .file("in/skills/plan/SKILL.md", skill)
        .file("in/agents/one.md", agent)
        .file("in/plugcast.toml", config)
        .temporary();
    run(folder.path(), &["build", "in", "--name", "kit", "--to", "codex,opencode"]).expect_code(0);
    for (file, line, from, why) in [
        (
            "codex/plugins/kit/skills/plan/SKILL.md",
            "description:",
            "skills/plan/SKILL.md:3",
            "`plugcast.toml:5` sets it for this host",
        ),
        (
            "codex/plugins/kit/skills/plan/SKILL.md",
            "The `two` agent",
            "skills/plan/SKILL.md:6",
            "`plugcast.toml:2` renames `one` to `two` for this host",
        ),
        (
            "codex/agents/kit/two.toml",
            "name = \"kit:two\"",
            "agents/one.md:2",
            "`plugcast.toml:2` renames `one` to `two` for this host",
        ),
        (
            "codex/agents/kit/two.toml",
            "model = \"big\"",
            "plugcast.toml:8",
            "`plugcast.toml:8` sets it for this host",
        ),
        (
            "opencode/plugins/kit/plugcast.plugin.json",
            "\"steps\": 3",
            "plugcast.toml:11",
            "`plugcast.toml:11` sets it for this host",
        ),
    ] {
        let emitted = std::fs::read_to_string(folder.path().join("dist").join(file)).expect("emitted");
        let at = emitted.lines().position(|text| text.trim().starts_with(line)).expect(line) + 1;
        let text = run(folder.path(), &["explain", &format!("dist/{file}:{at}")]).expect_code(0).stdout;
        assert!(text.contains(&format!(" comes from {from}\n")) && text.contains(why), "{file}:{at}: {text}");
    }
}

#[test]
fn a_loss_is_shown_for_every_host_with_its_place_and_what_to_do() {
    let folder = Tree::new().file("in/skills/plan/SKILL.md", SKILL).temporary();
    run(folder.path(), &["build", "in", "--name", "kit", "--to", "codex,opencode"]).expect_code(0);
    let text =
        run(folder.path(), &["explain", "tool-grants/kit/skill/plan/allowed-tools"]).expect_code(0).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[1].starts_with("codex: skills/plan/SKILL.md:4:1: ") && lines[1].ends_with(" (behavior)"),
        "{text}"
    );
    assert!(
        lines[0].starts_with("tool-grants: ")
            && lines[2].starts_with("opencode: ")
            && lines[3].starts_with("what to do: "),
        "{text}"
    );
}

#[test]
fn what_is_not_there_is_said_with_the_next_step() {
    let folder = Tree::new().file("in/skills/plan/SKILL.md", SKILL).temporary();
    run(folder.path(), &["build", "in", "--name", "kit", "--to", "codex"]).expect_code(0);
    let file = "dist/codex/plugins/kit/skills/plan/SKILL.md";
    for (what, message) in [
        ("nothing/such".to_owned(), "unknown rule or loss `nothing/such`"),
        (format!("{file}:99"), "lines, not 99"),
        (format!("{file}:0"), "lines, not 0"),
        ("in/skills/plan/SKILL.md:99".to_owned(), "lines, not 99"),
        ("absent.md:1".to_owned(), "the file `absent.md` does not exist"),
    ] {
        let finished = run(folder.path(), &["explain", &what]).expect_code(2);
        assert!(
            finished.stderr.contains(message) && finished.stderr.contains("help: "),
            "{what}: {}",
            finished.stderr
        );
    }
}

/// What `explain` says of the first line of an emitted file that holds `word`.
fn explanation(folder: &Path, file: &str, word: &str) -> String {
    let file = format!("dist/{file}");
    let emitted = std::fs::read_to_string(folder.join(&file)).expect("emitted");
    let line =
        emitted.lines().position(|line| line.contains(word)).unwrap_or_else(|| panic!("{word}: {emitted}"));
    let place = format!("{file}:{}", line + 1);
    let text = run(folder, &["explain", &place]).expect_code(0).stdout;
    let (place, inner) = (format!(":{} ", line + 1), file.split('/').skip(2).collect::<Vec<_>>().join("/"));
    text.trim_end().replacen(&format!("{inner}{place}"), "", 1).replace("\n  ", "; ")
}

#[test]
fn lines_about_hooks_and_servers_lead_to_their_place_in_the_source() {
    let hooks = "{\"hooks\":{\n\"PreToolUse\":[{\"matcher\":\"NotebookEdit\",\"hooks\":[\n{\"type\":\"command\",\"command\":\"echo never\"}]},\n{\"matcher\":\"Write|Task\",\n\"hooks\":[\n{\"type\":\"prompt\",\"prompt\":\"Sure?\"},\n{\"type\":\"command\",\"command\":\"echo guard\"}]}],\n\"SessionEnd\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"echo bye\",\n\"timeout\":60}]}]}}\n";
    let servers = "{\"mcpServers\":{\n\"far\":{\"type\":\"http\",\"url\":\"https://e.org\",\n\"headers\":{\"X-Far\":\"a ${FAR}\"}},\n\"tide\":{\"command\":\"tide\",\n\"env\":{\"far\":\"a ${SIDE:-b}\"}}}}\n";
    let manifest = "{\"name\":\"kit\",\n\"hooks\":{\"PreToolUse\":[{\"hooks\":[\n{\"type\":\"command\",\"command\":\"echo inline\"}]}]}}\n";
    let words = "{\n\"notes\":{\"command\":\"notes-server\",\"extensionToLanguage\":{\".txt\":\"text\"}}}\n";
    let folder = Tree::new()
        .file("in/.claude-plugin/plugin.json", manifest)
        .file("in/skills/plan/SKILL.md", SKILL)
        .file("in/hooks/hooks.json", hooks)
        .file("in/.mcp.json", servers)
        .file("in/.lsp.json", words)
        .temporary();
    run(folder.path(), &["build", "in", "--to", "codex,opencode"]).expect_code(0);
    let (hooks, servers, data) = (
        "codex/plugins/kit/hooks/hooks.json",
        "codex/plugins/kit/.mcp.json",
        "opencode/plugins/kit/plugcast.plugin.json",
    );
    for (file, word, wanted) in [
        (hooks, "echo guard", "comes from hooks/hooks.json:7; generated: the hook `PreToolUse/Write|Task/2`"),
        (
            hooks,
            "\"matcher\"",
            "comes from hooks/hooks.json:4; generated: the field `/hooks/PreToolUse/1/matcher`: tools have other names",
        ),
        (
            hooks,
            "echo inline",
            "comes from .claude-plugin/plugin.json:3; generated: the hook `PreToolUse/*/1`",
        ),
        (hooks, "echo bye", "comes from hooks/hooks.json:8; generated: the hook `SessionEnd/*/1`"),
        (
            hooks,
            "\"timeout\"",
            "comes from hooks/hooks.json:9; generated: the field `/hooks/SessionEnd/0/hooks/0/timeout`: the host ends",
        ),
        (servers, "e.org", "comes from .mcp.json:2; generated: the mcp-server `far`"),
        (
            servers,
            "a b",
            "comes from .mcp.json:5; generated: the field `/mcpServers/tide/env/far`: the host does not expand variables",
        ),
        (servers, "\"tide\"", "comes from .mcp.json:4; generated: the mcp-server `tide`"),
        (
            data,
            "echo never",
            "comes from hooks/hooks.json:3; generated: the hook `PreToolUse/NotebookEdit/1`",
        ),
        (data, "echo guard", "comes from hooks/hooks.json:7; generated: the hook `PreToolUse/Write|Task/2`"),
        (
            data,
            "echo inline",
            "comes from .claude-plugin/plugin.json:3; generated: the hook `PreToolUse/*/1`",
        ),
        (data, "e.org", "comes from .mcp.json:2; generated: the mcp-server `far`"),
        (data, "plugin:kit:tide", "comes from .mcp.json:4; generated: the mcp-server `tide`"),
        (data, "notes-server", "comes from .lsp.json:2; generated: the lsp-server `notes`"),
        (data, "\"schema\"", "is generated: the module needs it to read what it registers"),
        (
            "opencode/plugins/kit/plugcast.plugin.js",
            "import",
            "is generated: it is the module that registers a plugin's components on the host; it is the same for every plugin",
        ),
        (
            "opencode/plugins/kit/plugcast.handlers.js",
            "spawn",
            "is generated: it is the module that registers a plugin's components on the host; it is the same for every plugin",
        ),
    ] {
        let found = explanation(folder.path(), file, word);
        assert!(found.starts_with(wanted), "{file}: {word}: {found}");
    }
}

/// The findings of `release check` had no page, and one of a build that nobody had listed would have had none either.
#[test]
fn every_finding_is_explained() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let expected = |file: &SourceFile| {
        ["tests/cases/", "tests/labelled/", "tests/gallery/"].iter().any(|place| file.path.starts_with(place))
    };
    let mut ids = BTreeSet::new();
    for file in rust_files(&["src"]) {
        let before_tests = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        let constants = before_tests.split("RuleId::").skip(1);
        let names = constants.filter_map(|rest| {
            let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            rest.split(|c: char| !is_part(c)).next().filter(|name| !name.is_empty())
        });
        ids.extend(names.map(|name| name.to_lowercase().replace('_', "-")));
    }
    // What a build refuses is in no expected output but these.
    for file in rust_files(&["tests/bad_input"]) {
        for part in ["\"error ", "\"warning "] {
            let words = file.text.split(part).skip(1).filter_map(|rest| rest.split_once(' '));
            ids.extend(words.filter_map(|(word, _)| literal(&format!("\"{word}\""))));
        }
    }
    // What expected output holds was emitted.
    for file in tracked().into_iter().filter(expected) {
        ids.extend(file.text.split("\"rule\": ").skip(1).filter_map(literal));
    }
    assert!(ids.contains("version-differs") && ids.contains("denied-loss") && ids.contains("yaml-syntax"));
    let mut missing = Vec::new();
    for id in ids {
        let answer = run(folder.path(), &["explain", &id]);
        if answer.code != Some(0) || !answer.stdout.starts_with(&format!("# {id}\n\n")) {
            missing.push(id);
        }
    }
    none_left("findings without a page", &missing);
}

/// The text in kebab-case that `text` begins with, in quotes.
fn literal(text: &str) -> Option<String> {
    let (word, _) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    let is_id = |c: char| c.is_ascii_lowercase() || c == '-';
    (word.len() > 3 && word.chars().all(is_id)).then(|| word.to_owned())
}

#[test]
fn a_line_of_a_source_says_what_becomes_of_it_on_each_host() {
    let folder = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"kit\" }\n")
        .file(
            "in/skills/plan/SKILL.md",
            "---\nname: plan\ndescription: Plans.\nallowed-tools: Read\n---\n\nFirst.\n",
        )
        .temporary();
    let explain = |place: &str| run(folder.path(), &["explain", place]).expect_code(0).stdout;
    let grant = explain("in/skills/plan/SKILL.md:4");
    assert!(
        grant.starts_with("skills/plan/SKILL.md:4\n  claude-code: field `allowed-tools` kept"),
        "{grant}"
    );
    assert!(grant.contains("\n  codex: field `allowed-tools` dropped"), "{grant}");
    assert!(grant.contains("[tool-grants/kit/skill/plan/allowed-tools]\n"), "{grant}");
    let body = explain("in/skills/plan/SKILL.md:7");
    assert!(body.contains("  codex: skill `kit:plan` "), "{body}");
    let beyond = run(folder.path(), &["explain", "in/skills/plan/SKILL.md:70"]).expect_code(2);
    assert!(beyond.stderr.contains("has 7 lines, not 70"), "{}", beyond.stderr);
}

/// Only the line of the bundle told that a build had edited it.
#[test]
fn an_edit_of_a_line_of_a_source_is_told_for_the_hosts_that_have_it() {
    let folder = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"kit\" }\n")
        .file("in/docs/how.md", "How.\n")
        .file(
            "in/skills/plan/SKILL.md",
            "---\nname: plan\ndescription: Plans.\n---\n\nFirst.\nRead `${CLAUDE_PLUGIN_ROOT}/docs/how.md`.\n",
        )
        .temporary();
    let explain = |place: &str| run(folder.path(), &["explain", place]).expect_code(0).stdout;
    let line = explain("in/skills/plan/SKILL.md:7");
    assert!(line.contains("\n  codex: variable edited -> `../..`"), "{line}");
    assert!(!line.contains("claude-code: variable edited"), "{line}");
    let other = explain("in/skills/plan/SKILL.md:6");
    assert!(!other.contains(" edited -> "), "{other}");
}
