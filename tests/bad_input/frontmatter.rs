//! Frontmatter that cannot be read, or that says something else than its author meant.

use super::source::{BadSource, skill};
use crate::support::tree::Tree;

fn with_skill(content: impl AsRef<[u8]>) -> BadSource {
    BadSource::plugin(Tree::new().file("skills/x/SKILL.md", content))
}

#[test]
fn a_skill_that_is_not_utf8_is_read_as_its_host_shows_it() {
    let built = with_skill(b"---\nname: x\ndescription: caf\xe9\n---\nBody.\n").build();
    built.expect(
        0,
        &["warning not-utf8 skills/x/SKILL.md:3:17 the file is not valid UTF-8: invalid byte at offset 28, read as U+FFFD | save it as UTF-8"],
    );
    for host in ["claude-code", "codex", "opencode"] {
        let text = built.emitted(host, "skills/x/SKILL.md");
        assert!(text.contains("caf\u{fffd}") && text.ends_with("Body.\n"), "{host}: {text}");
        let row = built.row(host, |row| row["kind"] == "file" && row["path"] == "skills/x/SKILL.md");
        assert_eq!(row["outcome"], "mapped");
        assert!(row["reason"].as_str().is_some_and(|why| why.contains("become U+FFFD")), "{row}");
    }
}

#[test]
fn a_byte_order_mark_is_repaired() {
    let built = with_skill("\u{feff}---\nname: x\ndescription: d\n---\nBody.\n").build();
    built.expect(
        0,
        &["warning byte-order-mark skills/x/SKILL.md:1:1 the file starts with a byte order mark | save it as UTF-8 without BOM"],
    );
    assert!(built.emitted("codex", "skills/x/SKILL.md").starts_with("---\nname: x\n"));
    assert!(built.emitted("claude-code", "skills/x/SKILL.md").starts_with("---\nname: x\n"));
}

#[test]
fn windows_line_endings_are_kept_with_a_warning() {
    let text = "---\r\nname: x\r\ndescription: d\r\n---\r\nUse TodoWrite.\r\n";
    let built = with_skill(text).build();
    built.expect(
        0,
        &["warning windows-line-endings skills/x/SKILL.md:1:4 the file has Windows line endings | save it with LF line endings; a build does not change them"],
    );
    assert_eq!(built.emitted("claude-code", "skills/x/SKILL.md"), text);
    let text = built.emitted("codex", "skills/x/SKILL.md");
    assert!(!text.replace("\r\n", "").contains('\n'), "every line ends alike: {text:?}");
}

#[test]
fn a_tab_that_makes_frontmatter_unreadable_is_named() {
    let built = with_skill(skill("\tname: x\ndescription: Plans.")).build();
    built.expect(
        0,
        &["warning yaml-syntax skills/x/SKILL.md:2:1 invalid YAML, because a tab indents a line: the source host reads none of the fields, and keeps the text | indent with spaces"],
    );
}

#[test]
fn broken_yaml_costs_the_fields_and_not_the_text() {
    let built = with_skill(skill("name: x\ndescription: \"never closed")).build();
    built.expect(
        0,
        &["warning yaml-syntax skills/x/SKILL.md:3:14 invalid YAML: invalid indentation in multiline quoted scalar: the source host reads none of the fields, and keeps the text | put the value in double quotes, or fix the indentation"],
    );
    for host in super::EVERY_HOST {
        assert_eq!(built.count(host, "skills"), 2, "{host}");
        let text = built.emitted(host, "skills/x/SKILL.md");
        assert!(text.ends_with("Body.\n") && !text.contains("never closed"), "{host}: {text}");
    }
    let row = built.row("codex", |row| row["path"] == "skills/x/SKILL.md" && row["name"] == "description");
    assert_eq!(row["outcome"], "dropped", "{row}");
}

#[test]
fn yaml_that_the_source_host_rescues_is_rescued() {
    let built = with_skill(skill("name: x\ndescription: Use when: asked")).build();
    built.expect(
        0,
        &["warning yaml-dialect skills/x/SKILL.md:3:14 this value is not valid YAML and is read as text | put the value in double quotes, or fix the indentation"],
    );
    assert!(built.emitted("codex", "skills/x/SKILL.md").contains("description: \"Use when: asked\"\n"));
}

#[test]
fn frontmatter_that_never_ends_is_text() {
    let text = "---\nname: x\ndescription: d\nBody.\n";
    let built = with_skill(text).build();
    built.expect(
        0,
        &["warning frontmatter-unclosed skills/x/SKILL.md:1:1 frontmatter is never closed | add a line `---` after the last field"],
    );
    assert_eq!(built.emitted("claude-code", "skills/x/SKILL.md"), text);
    assert!(built.emitted("codex", "skills/x/SKILL.md").ends_with(text));
}

#[test]
fn of_duplicate_keys_the_last_counts() {
    let built = with_skill(skill("name: x\ndescription: a\ndescription: b")).build();
    built.expect(
        0,
        &["warning duplicate-key skills/x/SKILL.md:4:1 duplicate key `description`; the last value is used | keep one of them"],
    );
    let related = &built.answer()["diagnostics"][0]["related"][0];
    assert_eq!((&related["line"], &related["message"]), (&3.into(), &"first value".into()));
    let text = built.emitted("codex", "skills/x/SKILL.md");
    assert!(text.contains("description: b\n") && !text.contains("description: a\n"), "{text}");
}

/// One file with every wrong type does not stop the others, nor itself where the host has a default.
#[test]
fn wrong_types_are_named_and_do_not_stop_the_build() {
    let source = Tree::new()
        .file(
            "skills/x/SKILL.md",
            skill("name: [a]\ndescription: { a: b }\ndisable-model-invocation: maybe\nallowed-tools: 5"),
        )
        .file("agents/a.md", skill("name: a\ndescription: [b]\nmaxTurns: -3"));
    let built = BadSource::plugin(source).build();
    built.expect(
        0,
        &[
            "warning field-type agents/a.md:3:14 `description` must be text, found a list | write `description: \"…\"` on one line",
            "warning field-type skills/x/SKILL.md:2:7 `name` must be text, found a list | write `name: \"…\"` on one line",
            "warning field-type skills/x/SKILL.md:3:14 `description` must be text, found a mapping | write `description: \"…\"` on one line",
        ],
    );
    for host in super::EVERY_HOST {
        assert_eq!((built.count(host, "skills"), built.count(host, "agents")), (2, 1), "{host}");
    }
    assert!(!built.emitted("codex", "skills/x/SKILL.md").contains("[a]"));
}

#[test]
fn a_nul_byte_in_frontmatter_is_found_and_keeps_the_text() {
    let built = with_skill("---\nname: x\ndescription: \"a\0b\"\n---\nBody.\n").build();
    let found = built.findings();
    assert_eq!(found.len(), 2, "{found:?}");
    for (found, start) in found.iter().zip(["warning hidden-unicode", "warning yaml-syntax"]) {
        assert!(found.starts_with(&format!("{start} skills/x/SKILL.md:3:16 ")), "{found}");
    }
}

#[test]
fn deep_nesting_is_survived() {
    let built = with_skill(skill(&format!("name: x\ndescription: {}", "[".repeat(3000)))).build();
    assert!(
        built.findings().iter().all(|finding| finding.contains(" skills/x/SKILL.md:3:14 ")),
        "{:?}",
        built.findings()
    );
}
