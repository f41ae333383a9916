//! `--since`: what changed, and what that caused elsewhere, by the real git.

use std::fs;

use super::{THREE, TWO, found, json, plugin, run, skill};
use crate::support::git::{committed, git};
use crate::support::tree::Tree;

const SINCE: [&str; 3] = ["src", "--since", "HEAD"];

/// A skill that calls `two` and has another fault.
fn caller() -> Tree {
    let text = "---\nname: uses\ndescription: Does a thing when it is asked for.\n---\nRead [it](../two/how.md), then run `/demo:two`.\n";
    plugin().file("src/skills/four/SKILL.md", text).file("src/skills/two/how.md", "How.\n")
}

#[test]
fn only_files_that_changed_are_reported() {
    let folder = committed(&caller());
    assert_eq!(found(&folder, &SINCE), [""; 0]);
    fs::write(folder.path().join("src/skills/two/SKILL.md"), skill("second") + "More.\n").unwrap();
    assert_eq!(found(&folder, &SINCE), [TWO], "who names it has not changed");
    git(folder.path(), &["add", "-A"]);
    assert_eq!(found(&folder, &SINCE), [TWO], "staged");
    git(folder.path(), &["commit", "-qm", "second"]);
    assert_eq!(found(&folder, &SINCE), [""; 0]);
    assert_eq!(found(&folder, &["src", "--since", "HEAD~1"]), [TWO], "committed");
    fs::write(folder.path().join("src/skills/three/it's \n new.md"), "x\n").unwrap();
    fs::create_dir(folder.path().join("src/skills/five")).unwrap();
    fs::write(folder.path().join("src/skills/five/SKILL.md"), skill("six")).unwrap();
    let added = ["skills/five/SKILL.md:2 name-mismatch", "skills/three/it's \n new.md:1 unportable-path"];
    assert_eq!(found(&folder, &SINCE), added, "not yet added");
}

/// Issue 18, point 5: one line in a README gave 13 findings in files that have its name in their texts.
#[test]
fn a_file_that_is_named_elsewhere_causes_nothing_there() {
    let tree = caller().file("src/README.md", "# Demo\n").file("src/skills/four/README.md", "x\n");
    let folder = committed(&tree.file("src/skills/six/SKILL.md", skill("seven") + "Read `README.md`.\n"));
    fs::write(folder.path().join("src/README.md"), "# Demo\n\nMore.\n").unwrap();
    assert_eq!(found(&folder, &SINCE), [""; 0]);
}

#[test]
fn what_a_change_causes_elsewhere_is_reported_and_what_was_there_is_not() {
    let broken = "skills/four/SKILL.md:5 broken-link";
    let folder = committed(&caller());
    git(folder.path(), &["rm", "-qf", "src/skills/two/how.md"]);
    assert_eq!(found(&folder, &SINCE), [broken], "it has lost a file");
    git(folder.path(), &["commit", "-qm", "lost"]);
    fs::write(folder.path().join("src/skills/three/more.md"), "x\n").unwrap();
    assert_eq!(found(&folder, &SINCE), [""; 0], "it was lost before");
    git(folder.path(), &["rm", "-qrf", "src/skills/two"]);
    assert_eq!(found(&folder, &SINCE), ["skills/four/SKILL.md:5 unknown-skill"], "and now its skill");
    let before = ["src", "--since", "HEAD~1", "--fix", "--unsafe-fixes"];
    assert_eq!(found(&folder, &before), [broken, "skills/four/SKILL.md:5 unknown-skill"]);
    let kept = fs::read_to_string(folder.path().join("src/skills/three/SKILL.md")).unwrap();
    assert_eq!(kept, skill("third"), "what is not reported is not mended");
}

/// Of two findings of one rule on a line the new one counts, wherever it stands.
#[test]
fn what_a_change_causes_beside_an_old_fault_on_the_line_is_told_apart() {
    let text = skill("four") + "Read [it](../two/how.md), and [that](none.md).\n";
    let folder = committed(&caller().file("src/skills/four/SKILL.md", text));
    git(folder.path(), &["rm", "-qf", "src/skills/two/how.md"]);
    let answer = json(&run(folder.path(), &[&SINCE[..], &["--format", "json"]].concat()));
    let found: Vec<_> =
        answer["diagnostics"].as_array().expect("findings").iter().map(|found| &found["message"]).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].as_str().expect("text").contains("two/how.md"), "{found:?}");
}

#[test]
fn other_settings_cause_what_they_switch_on() {
    let settings = "[check]\nignore = [\"name-mismatch\"]\n";
    let folder = committed(&plugin().file("src/plugcast.toml", settings));
    fs::write(folder.path().join("src/plugcast.toml"), "[check]\nignore = [\"voice\"]\n").unwrap();
    assert_eq!(found(&folder, &SINCE), [THREE, TWO]);
    git(folder.path(), &["commit", "-qam", "on"]);
    fs::write(folder.path().join("src/plugcast.toml"), "[check]\nignore = []\n").unwrap();
    assert_eq!(found(&folder, &SINCE), [""; 0], "they were found before");
}

#[test]
fn a_baseline_goes_stale_by_the_change_alone() {
    let folder = committed(&plugin());
    run(folder.path(), &["src", "--write-baseline", "src/known.json"]).expect_code(0);
    fs::write(folder.path().join("src/plugcast.toml"), "[check]\nbaseline = \"known.json\"\n").unwrap();
    fs::write(folder.path().join("src/skills/two/SKILL.md"), skill("two")).unwrap();
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-qm", "baseline"]);
    fs::write(folder.path().join("src/skills/three/SKILL.md"), skill("three")).unwrap();
    assert_eq!(found(&folder, &SINCE), ["skills/three/SKILL.md:1 stale-baseline"]);
}

#[test]
fn a_branch_is_held_against_where_it_began() {
    let folder = committed(&plugin());
    git(folder.path(), &["checkout", "-qb", "work"]);
    fs::write(folder.path().join("src/skills/two/SKILL.md"), skill("second") + "More.\n").unwrap();
    git(folder.path(), &["commit", "-qam", "work"]);
    git(folder.path(), &["checkout", "-q", "main"]);
    fs::write(folder.path().join("src/skills/three/SKILL.md"), skill("third") + "More.\n").unwrap();
    git(folder.path(), &["commit", "-qam", "main goes on"]);
    git(folder.path(), &["checkout", "-q", "work"]);
    assert_eq!(found(&folder, &["src", "--since", "main"]), [TWO]);
}

#[test]
fn what_git_does_not_know_is_a_clear_error() {
    let plain = plugin().temporary();
    let refused = json(&run(plain.path(), &["src", "--since", "HEAD", "--format", "json"]).expect_code(2));
    assert!(refused["error"]["message"].as_str().unwrap().contains("is not in a git work tree"), "{refused}");

    let folder = committed(&plugin());
    for reference in ["nowhere", "--output=x", "HEAD:src", ""] {
        let argument = format!("--since={reference}");
        let refused = run(folder.path(), &["src", &argument]).expect_code(2);
        assert!(refused.stderr.contains("unknown commit"), "{reference}: {}", refused.stderr);
        assert!(refused.stderr.contains("help: "), "{}", refused.stderr);
    }
    assert!(!folder.path().join("src/x").exists());

    fs::write(folder.path().join("src/skills/two/SKILL.md"), skill("two")).unwrap();
    git(folder.path(), &["commit", "-qam", "second"]);
    let shallow = Tree::new().temporary();
    let from = format!("file://{}", folder.path().display());
    git(shallow.path(), &["clone", "-q", "--depth", "1", &from, "clone"]);
    let refused = run(&shallow.path().join("clone"), &["src", "--since", "HEAD~1"]).expect_code(2);
    assert!(refused.stderr.contains("this clone is shallow"), "{}", refused.stderr);
}

/// A finding about a sum came back with every change of a part, a smaller one too.
#[test]
fn a_changed_sum_is_not_a_new_finding() {
    let long =
        |words: usize| format!("---\nname: long\ndescription: {}\n---\nDo.\n", "Does it all. ".repeat(words));
    let mut tree = plugin();
    for number in 0..40 {
        tree = tree.file(
            &format!("src/skills/s{number}/SKILL.md"),
            long(80).replace("name: long", &format!("name: s{number}")),
        );
    }
    let folder = committed(&tree);
    let whole = found(&folder, &["src"]);
    assert!(whole.iter().any(|one| one.ends_with("listing-budget")), "{whole:?}");
    let path = folder.path().join("src/skills/s1/SKILL.md");
    fs::write(path, long(60).replace("name: long", "name: s1")).unwrap();
    assert_eq!(found(&folder, &SINCE), [""; 0]);
}
