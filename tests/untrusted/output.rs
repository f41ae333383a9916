//! 10: no name or text of a repository writes a control character, a change of direction or a command of a forge to an
//! output, in any command and format; `verbs` has every command and every value that it takes.

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;
use tempfile::TempDir;

use super::demo;
use crate::support::git::{commit, committed, git};
use crate::support::run::Plugcast;

/// What a hostile name holds: a separate line that GitHub would obey, a link that a terminal would show, a change of
/// direction, a carriage return, and a control character of eight bits.
pub(super) const EVIL: &str =
    "x\n::stop-commands::y\n \t::error::z\r\u{1b}]8;;http:e\u{7}\u{202e}q\u{9b}2J\u{2028}##[group]w";

/// `EVIL` as a quoted text of JSON and YAML.
fn quoted() -> String {
    json!(EVIL)
        .to_string()
        .replace('\u{9b}', "\\u009b")
        .replace('\u{202e}', "\\u202e")
        .replace('\u{2028}', "\\u2028")
}

/// Hostile names wherever a source has names, and a bundle of the same kind.
fn fixture() -> TempDir {
    let name = quoted();
    // A file's name has no slash.
    let file = EVIL.replace('/', "");
    let server = json!({ "command": "node", "args": [format!("${{{EVIL}}}"), format!("${{CLAUDE_PLUGIN_ROOT}}/{EVIL}")] });
    let hook = json!([{ "matcher": EVIL, "hooks": [{ "type": EVIL, "command": format!("${{CLAUDE_PLUGIN_ROOT}}/{EVIL}.sh") }] }]);
    let body = format!(
        "# {EVIL}\n\nRead [{EVIL}](<{file}.md>) and `{file}.sh`.\n\n::stop-commands::y\n\n## Same ::error::z\n\nDispatch `demo:{file}`. \
         <!-- plugcast-allow {file}: r -->\n"
    );
    let skill = format!(
        "---\nname: {name}\ndescription: {name}\n{name}: {name}\nallowed-tools: [{name}]\n---\n\n{body}"
    );
    let tree = demo()
        .file("in/plugcast.toml", "[build]\nto = [\"codex\"]\n")
        .file(
            "in/.claude-plugin/plugin.json",
            json!({ "name": "demo", "version": EVIL, "description": EVIL, EVIL: EVIL, "author": { "name": EVIL } }).to_string(),
        )
        .file(
            "in/.claude-plugin/marketplace.json",
            json!({ "name": EVIL, "owner": { "name": EVIL }, EVIL: 1, "plugins": [
                { "name": EVIL, "source": EVIL }, { "name": "demo", "source": "./", "category": EVIL }
            ] })
            .to_string(),
        )
        .file("in/.mcp.json", json!({ "mcpServers": { EVIL: server, "b": { "command": 1 } } }).to_string())
        .file("in/hooks/hooks.json", json!({ "hooks": { EVIL: hook, "Stop": hook } }).to_string())
        .file("in/skills/evil/SKILL.md", &skill)
        .file(&format!("in/skills/{file}/SKILL.md"), skill.replace("demo:", "other:"))
        .file(&format!("in/skills/{file}/{file}.md"), &body)
        .file(&format!("in/agents/{file}.md"), skill.replace("Read", "Open"))
        .file(&format!("in/commands/{file}.md"), skill.replace("Read", "Run"))
        .file(
            "in/skills/t-beta/SKILL.md",
            format!("---\nname: t-beta\ndescription: \"[BETA] Says it\"\n---\n\n{body}\nUse `demo:t-beta`.\n"),
        )
        .file("in/README.md", format!("# Demo\n\nTry `/demo:t-beta`.\n\n{body}"))
        .file("in/CHANGELOG.md", format!("# {EVIL}\n\n## 1.0.0 {EVIL}\n\n- {EVIL}\n"))
        .link(&format!("in/skills/s/{file}"), "../../../../outside")
        .file("labelled/broken-link/one/expected.json", json!([{ "rule": EVIL, "path": EVIL, "line": 5 }]).to_string())
        .file("labelled/broken-link/one/in/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }")
        .file("labelled/broken-link/one/in/skills/p/SKILL.md", &skill)
        .script(
            "codex",
            format!(
                "#!/bin/sh
[ \"$1\" = --version ] && echo codex-cli 0.169.0 && exit
printf '%s' '{EVIL}'
printf '%s' '{EVIL}' >&2
exit 1
"
            ),
        );
    let folder = committed(&tree);
    fs::write(folder.path().join("in/skills/evil/SKILL.md"), skill.replace("## Same", "## Other")).unwrap();
    fs::write(folder.path().join(format!("in/skills/s/{file}.md")), &body).unwrap();
    commit(folder.path(), EVIL);
    // A sound bundle of a part of it, which verify and explain can read.
    fs::write(folder.path().join("in/skills/s/notes.md"), body).unwrap();
    folder
}

/// Every command with each of its formats, on the fixture; what writes comes last.
pub(super) const RUNS: &[&[&str]] = &[
    &["build", "in", "--to", "all", "--out", "out"],
    &["build", "in", "--to", "all", "--out", "out", "--format", "json"],
    &["build", "in", "--to", "all", "--out", "out", "--diff"],
    &["build", "in", "--to", "codex", "--out", "out", "--check", "--deny-new-losses"],
    &["build", "in", "--to", "codex", "--out", "out", "--verbose", "--color", "never"],
    &["check", "in", "--to", "all", "--verbose"],
    &["check", "in", "--to", "all", "--format", "json"],
    &["check", "in", "--to", "all", "--format", "sarif"],
    &["check", "in", "--to", "all", "--format", "github"],
    &["check", "in", "--to", "all", "--format", "agent"],
    &["check", "in", "--statistics"],
    &["check", "in", "--fix", "--diff"],
    &["check", "in", "--since", "HEAD~1", "--format", "github"],
    &["diff", "HEAD~1:in", "in", "--to", "all"],
    &["diff", "HEAD~1:in", "in", "--to", "all", "--format", "json"],
    &["diff", "HEAD~1:in", "in", "--to", "all", "--format", "markdown"],
    &["release", "check", "in", "--base", "HEAD~1"],
    &["release", "check", "in", "--base", "HEAD~1", "--format", "json"],
    &["release", "check", "in", "--base", "HEAD~1", "--format", "github"],
    &["verify", "out", "--host-bin", "codex=codex", "--to", "codex"],
    &["verify", "out", "--host-bin", "codex=codex", "--to", "codex", "--format", "json"],
    &["verify", "in", "--host-bin", "codex=codex", "--to", "codex"],
    &["doctor", "--host-bin", "codex=codex"],
    &["doctor", "--host-bin", "codex=codex", "--format", "json"],
    &["explain", "hidden-unicode"],
    &["explain", "out/codex/plugins/demo/skills/t-beta/SKILL.md:9"],
    &["explain", EVIL],
    &["promote", "t-beta", "in", "--dry-run"],
    &["promote", "t-beta", "in", "--dry-run", "--format", "json"],
    &["promote", "nothing", "in"],
    &["targets"],
    &["targets", "--format", "json"],
    &["rules"],
    &["rules", "--format", "json"],
    &["eval", "labelled"],
    &["eval", "labelled", "--format", "json"],
    &["schema", "check"],
    &["completions", "bash"],
    &["man"],
    &["help"],
    &["--version"],
];

/// What nobody may print: control characters but line feeds, and what hides or turns text.
pub(super) fn is_unsafe(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a forge would obey the line: GitHub takes blanks before `::`, and `##[` anywhere.
pub(super) fn is_obeyed(line: &str, ours: bool) -> bool {
    let line = line.trim_start();
    let own = ours && ["::error ", "::warning ", "::notice "].iter().any(|start| line.starts_with(start));
    !own && (line.starts_with("::") || line.contains("##["))
}

#[test]
fn case_10_no_text_of_a_repository_steers_a_terminal_or_a_forge() {
    let folder = fixture();
    let mut wrong = Vec::new();
    let mut told = BTreeSet::new();
    for arguments in RUNS {
        for colour in ["never", "always"] {
            let arguments =
                [*arguments, if colour == "always" { &["--color", "always"] } else { &[] }].concat();
            if arguments.iter().filter(|word| **word == "--color").count() > 1 {
                continue;
            }
            let finished = Plugcast::new(folder.path(), &arguments).run();
            if (finished.stdout.clone() + &finished.stderr).contains("stop-commands") {
                told.insert(arguments[0]);
            }
            for (stream, text) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
                let plain = uncoloured(text, colour == "always");
                let github = stream == "stdout" && arguments.contains(&"github");
                wrong.extend(
                    plain.chars().find(|c| is_unsafe(*c)).map(|c| format!("{arguments:?} {stream}: {c:?}")),
                );
                let lines = plain.split('\n').filter(|line| is_obeyed(line, github));
                wrong.extend(lines.map(|line| format!("{arguments:?} {stream}: {line}")));
            }
        }
    }
    // The fixture reaches them.
    let reached = ["build", "check", "diff", "explain", "promote", "release", "verify"];
    assert_eq!(told.into_iter().collect::<Vec<_>>(), reached);
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

/// The text without the sequences that set colours.
fn uncoloured(text: &str, coloured: bool) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !(c.is_ascii_digit() || c == ';')).unwrap_or(part.len());
        match part[end..].strip_prefix('m').filter(|_| coloured) {
            Some(rest) => out += rest,
            None => out = out + "\u{1b}[" + part,
        }
    }
    out
}

/// A name with line breaks and escapes: a forged line, a forged patch, and a code that hides the rest.
const FORGED: &str = "x\n--- /dev/null\n+++ b/run-me.sh\n@@ -0,0 +1 @@\n+FORGED \u{1b}[8m";

/// Nothing of a source begins a line, colours one, or hides one.
#[track_caller]
fn is_plain(text: &str) {
    assert!(!text.contains('\u{1b}'), "{text}");
    let forged = text.lines().find(|line| {
        let line = line.trim_start();
        line.starts_with("FORGED") || line.starts_with("+++ b/run-me.sh") || line.starts_with("+FORGED")
    });
    assert_eq!(forged, None, "{text}");
}

#[test]
fn case_10_names_are_one_line_in_differences_for_people_and_for_notes() {
    let text = |text: &str| serde_json::to_string(text).expect("JSON");
    let hooks = format!(
        "{{ \"hooks\": {{ {}: [{{ \"hooks\": [{{ \"type\": \"command\", \"command\": \"true\" }}] }}] }} }}",
        text(FORGED)
    );
    let servers = format!("{{ \"mcpServers\": {{ {}: {{ \"command\": \"x\" }} }} }}", text(FORGED));
    let folder = demo()
        .file(
            "new/.claude-plugin/plugin.json",
            format!("{{ \"name\": \"demo\", \"version\": {} }}", text(FORGED)),
        )
        .file("new/hooks/hooks.json", hooks)
        .file("new/.mcp.json", servers)
        .temporary();
    for format in ["human", "markdown"] {
        let diff = ["diff", "in", "new", "--to", "all", "--format", format];
        let shown = Plugcast::new(folder.path(), &diff).run();
        assert!(shown.stdout.contains("FORGED"), "{}{}", shown.stdout, shown.stderr);
        is_plain(&format!("{}{}", shown.stdout, shown.stderr));
    }
}

#[test]
fn case_10_a_file_name_puts_no_patch_into_a_patch() {
    let beta = "---\nname: plan-beta\ndescription: \"[BETA] Plans it\"\ndisable-model-invocation: true\n---\n\nPlan.\n";
    let folder = demo()
        .file("in/skills/plan-beta/SKILL.md", beta)
        .file(&format!("in/docs/{FORGED}/a.md"), "Run `/demo:plan-beta`.\n")
        .file(
            &format!("in/skills/{FORGED}/SKILL.md"),
            "---\nname: t\ndescription: Says it\nallowed-tools: Read, Read\n---\n\nSay\u{200b} it.  \n",
        )
        .temporary();
    let at = folder.path();
    let patch = Plugcast::new(at, &["promote", "plan-beta", "in", "--dry-run"]).run().expect_code(0).stdout;
    assert!(patch.contains("+++ \"b/docs/x\\n--- /dev/null\\n+++ b/run-me.sh"), "{patch}");
    is_plain(&patch);
    fs::write(at.join("patch"), &patch).expect("it can be written");
    git(&at.join("in"), &["init", "-q"]);
    git(&at.join("in"), &["apply", "../patch"]);
    assert!(!at.join("in/run-me.sh").exists() && at.join("in/skills/plan").exists());
}

#[test]
fn case_10_a_check_with_fixes_names_a_file_on_one_line_whatever_it_is_called() {
    // The frontmatter cannot hold the name of the folder, so no fix writes it.
    let skill = "---\nname: sk\ndescription: Does it. Use when asked.\n---\n\nUse /demo:s here.\n";
    let path = "in/skills/x\nFORGED \u{1b}[8my/SKILL.md";
    let folder = demo().file(path, skill).temporary();
    let at = folder.path();
    let file = at.join(path);
    for arguments in [
        &["check", "in", "--fix", "--unsafe-fixes", "--diff"][..],
        &["check", "in", "--fix", "--unsafe-fixes"],
        &["check", "in", "--fix"],
    ] {
        let shown = Plugcast::new(at, arguments).run();
        let text = format!("{}{}", shown.stdout, shown.stderr);
        is_plain(&text);
        let names_it = text.contains("skills/x\\nFORGED \\u{1b}[8my/SKILL.md");
        assert!(names_it || arguments.contains(&"--diff"), "{text}");
        assert_eq!(fs::read_to_string(&file).expect("the skill"), skill);
    }
}

/// They passed for colours of ours, and hid lines of a diff from its reader.
#[test]
fn case_10_colours_of_a_file_are_spelled_out_in_every_diff() {
    let hides = "\u{1b}[8mhidden\u{1b}[0m";
    let beta = "---\nname: b-beta\ndescription: \"[BETA] Says it\"\n---\n\n";
    let folder = demo()
        .file(
            "in/skills/s/SKILL.md",
            format!("---\nname: s\ndescription: Says it\ndisable-model-invokation: true\n---\n{hides}\nUse b-beta.\n"),
        )
        .file("in/skills/b-beta/SKILL.md", format!("{beta}{hides} b-beta\n"))
        .temporary();
    let source = folder.path().join("in");
    for arguments in [
        &["check", "--fix", "--unsafe-fixes", "--diff"][..],
        &["build", "--to", "codex", "--diff"],
        &["promote", "b-beta", "--dry-run"],
    ] {
        let finished = Plugcast::new(&source, arguments).run();
        let told = finished.stdout + &finished.stderr;
        assert!(!told.contains('\u{1b}'), "{arguments:?}: {told:?}");
        assert!(told.contains("\\u{1b}[8mhidden"), "{arguments:?}: {told}");
    }
}
