//! `--fix`: what it changes, what it must never change, and that its counts are true.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use plugcast::check::rules::RULES;

use super::{json, plugin, run, skill};
use crate::rules::{examples, write};
use crate::support::tree::Tree;

#[test]
fn a_fix_changes_its_bytes_and_nothing_else() {
    let folder = plugin().temporary();
    let file = folder.path().join("src/skills/two/SKILL.md");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let safe = run(folder.path(), &["src", "--fix"]).expect_code(0);
    assert!(safe.stdout.ends_with("; 2 fixable with `--fix --unsafe-fixes`\n"), "{}", safe.stdout);
    assert_eq!(fs::read_to_string(&file).unwrap(), skill("second"));
    let shown = run(folder.path(), &["src", "--fix", "--unsafe-fixes", "--diff"]).expect_code(0);
    assert!(shown.stdout.contains("-name: second  # short\n+name: two  # short\n"), "{}", shown.stdout);
    assert_eq!(fs::read_to_string(&file).unwrap(), skill("second"), "`--diff` writes nothing");

    let fixed = run(folder.path(), &["src", "--fix", "--unsafe-fixes"]).expect_code(0);
    assert_eq!(fixed.stderr, "fixed 2 findings in 2 files\n");
    let expected = plugin()
        .file("src/skills/two/SKILL.md", skill("two"))
        .file("src/skills/three/SKILL.md", skill("three"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o640);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(Tree::read(folder.path()).text(), expected.text());
    let again = run(folder.path(), &["src", "--fix", "--unsafe-fixes"]).expect_code(0);
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("nothing found in 4 files\n", ""));
}

#[test]
fn nothing_is_changed_through_a_link() {
    let folder = plugin().link("src/skills/four", "../real/five").temporary();
    let real = folder.path().join("src/real/five");
    fs::create_dir_all(&real).unwrap();
    fs::write(real.join("SKILL.md"), skill("x")).unwrap();
    let counted = json(&run(folder.path(), &["src", "--format", "json"]));
    let found = counted["diagnostics"].as_array().unwrap();
    assert!(found.iter().any(|found| found["path"] == "skills/four/SKILL.md"), "{counted:#}");
    assert_eq!(counted["summary"]["unsafe_fixable"], 2, "{:#}", counted["summary"]);
    let left = json(&run(folder.path(), &["src", "--fix", "--unsafe-fixes", "--format", "json"]));
    assert_eq!(left["summary"]["fixed"], 2);
    assert_eq!(fs::read_to_string(real.join("SKILL.md")).unwrap(), skill("x"));
}

#[test]
fn a_file_that_cannot_be_written_stays_and_is_named() {
    let folder = plugin().temporary();
    let at = folder.path().join("src/skills/two");
    // A folder in the place of the new file fails for every user.
    fs::create_dir_all(at.join(".SKILL.md.plugcast-new/x")).unwrap();
    let failed = run(folder.path(), &["src", "--fix", "--unsafe-fixes"]).expect_code(2);
    assert!(failed.stderr.contains("cannot change `"), "{}", failed.stderr);
    assert_eq!(fs::read_to_string(at.join("SKILL.md")).unwrap(), skill("second"));
}

/// What is counted as fixable is what fixes take away, and fixing twice changes nothing; held for the
/// examples on the page of every rule.
#[test]
fn counts_are_true_and_fixes_are_idempotent() {
    for rule in RULES {
        for files in examples(rule.page, "fails") {
            let folder = write(&files);
            let all = ["demo", "--to", "all", "--format", "json"];
            let before = json(&run(folder.path(), &all));
            let count =
                |shown: &serde_json::Value, key: &str| shown["summary"][key].as_u64().unwrap_or_default();
            // A fix may bring to light what has none: what counts is how many findings with one are left.
            let number = |shown: &serde_json::Value, flags: &[&str]| {
                let kinds = if flags.len() > 1 { &["safe", "unsafe"][..] } else { &["safe"][..] };
                let findings = shown["diagnostics"].as_array().unwrap().iter();
                let fixable = |found: &&serde_json::Value| {
                    found["fix"]["applicability"].as_str().is_some_and(|kind| kinds.contains(&kind))
                };
                findings.filter(fixable).count() as u64
            };
            let (safe, more) = (count(&before, "fixable"), count(&before, "unsafe_fixable"));
            for (flags, expected) in [(&["--fix"][..], safe), (&["--fix", "--unsafe-fixes"][..], more)] {
                let then = json(&run(folder.path(), &all));
                let after = json(&run(folder.path(), &[&all[..], flags].concat()));
                assert_eq!(
                    number(&then, flags) - number(&after, flags),
                    expected,
                    "{}: {flags:?}: {then:#}",
                    rule.name
                );
                assert_eq!(count(&after, "fixed"), expected, "{}: {flags:?}", rule.name);
                let tree = Tree::read(folder.path());
                let again = json(&run(folder.path(), &[&all[..], flags].concat()));
                assert_eq!(count(&again, "fixed"), 0, "{}: {flags:?}: a second time", rule.name);
                assert_eq!(tree, Tree::read(folder.path()), "{}: {flags:?}: a second time", rule.name);
            }
        }
    }
}

/// Issue 18, attack 19: of a compound command the help named the grant that was there.
#[test]
fn the_grant_that_the_help_names_is_the_one_that_is_missing() {
    let text = |grants: &str| {
        format!(
            "---\nname: one\ndescription: Does a thing when it is asked for.\nallowed-tools: {grants}\n---\n!`git status && npm test`\n"
        )
    };
    let folder = plugin().file("src/skills/one/SKILL.md", text("Bash(git:*)")).temporary();
    let lines = || run(folder.path(), &["src", "--select", "ungranted-command", "--format", "agent"]).stdout;
    let line = lines();
    assert!(line.contains("; add `Bash(npm *)` to `allowed-tools`\n"), "{line}");
    fs::write(folder.path().join("src/skills/one/SKILL.md"), text("Bash(git:*), Bash(npm *)")).unwrap();
    assert_eq!(lines(), "");
}

/// A link to a template was led to a page about something else of the same name.
#[test]
fn a_link_is_not_led_to_one_of_two_files_of_its_name() {
    let style = "# Style\n\n[Board](markdown_templates/kanban.md)\n";
    let folder = plugin()
        .file("src/skills/two/references/style.md", style)
        .file("src/skills/two/references/diagrams/kanban.md", "# Diagram\n")
        .file("src/skills/two/layouts/kanban.md", "# Template\n")
        .temporary();
    run(folder.path(), &["src", "--fix", "--unsafe-fixes"]).expect_code(1);
    let kept = fs::read_to_string(folder.path().join("src/skills/two/references/style.md")).unwrap();
    assert_eq!(kept, style);
}

#[test]
fn a_call_that_is_right_under_the_new_name_stays() {
    let named = |name: &str| {
        format!(
            "---\nname: {name}\ndescription: Does a thing when it is asked for.\n---\nRun `/demo:send`, then `/demo:demo:send`.\n"
        )
    };
    let tree = |name: &str| {
        Tree::new()
            .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
            .file("src/skills/send/SKILL.md", named(name))
    };
    let folder = tree("demo:send").temporary();
    run(folder.path(), &["src", "--select", "name-mismatch", "--fix", "--unsafe-fixes"]);
    let fixed = fs::read_to_string(folder.path().join("src/skills/send/SKILL.md")).unwrap();
    assert_eq!(fixed, named("send").replace("demo:demo:send", "demo:send"));
}

#[test]
fn a_link_to_a_heading_that_may_be_another_one_is_left_to_its_author() {
    let text = |links: &str| {
        format!(
            "---\nname: one\ndescription: Does a thing when it is asked for.\n---\n{links}\n\n## Fetch files\n\n### Fetch one\n\n## Git analysis patterns\n"
        )
    };
    let links = "[a](#fetch-files-fetch-one), [b](#fetch), [c](#git-analysis)";
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/skills/one/SKILL.md", text(links))
        .temporary();
    run(folder.path(), &["src", "--fix", "--unsafe-fixes"]);
    let fixed = fs::read_to_string(folder.path().join("src/skills/one/SKILL.md")).unwrap();
    assert_eq!(fixed, text(&links.replace("#git-analysis", "#git-analysis-patterns")));
}
