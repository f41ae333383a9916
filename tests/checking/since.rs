//! `--since`: what changed with what depends on it, by the real git.

use std::fs;

use super::{THREE, TWO, found, json, plugin, run, skill};
use crate::support::git::{committed, git};
use crate::support::tree::Tree;

#[test]
fn only_what_changed_and_what_depends_on_it_is_said() {
    let other = "---\nname: uses\ndescription: Does a thing when it is asked for.\n---\nRead `skills/two/SKILL.md`.\n";
    let folder = committed(&plugin().file("src/skills/four/SKILL.md", other));
    let since = ["src", "--since", "HEAD"];
    assert_eq!(found(&folder, &since), [""; 0]);
    fs::write(folder.path().join("src/skills/two/SKILL.md"), skill("second") + "More.\n").unwrap();
    let four = "skills/four/SKILL.md:2 name-mismatch";
    assert_eq!(found(&folder, &since), [four, TWO], "one changed, another one names it");
    git(folder.path(), &["add", "-A"]);
    assert_eq!(found(&folder, &since), [four, TWO], "staged");
    git(folder.path(), &["commit", "-qm", "second"]);
    assert_eq!(found(&folder, &since), [""; 0]);
    assert_eq!(found(&folder, &["src", "--since", "HEAD~1"]), [four, TWO], "committed");
    fs::write(folder.path().join("src/skills/three/it's \n new.md"), "x\n").unwrap();
    fs::create_dir(folder.path().join("src/skills/five")).unwrap();
    fs::write(folder.path().join("src/skills/five/SKILL.md"), skill("six")).unwrap();
    assert_eq!(found(&folder, &since), ["skills/five/SKILL.md:2 name-mismatch"], "not yet added");
    git(folder.path(), &["rm", "-qf", "src/skills/two/SKILL.md"]);
    assert!(found(&folder, &since).contains(&four.to_owned()), "gone");
    fs::write(folder.path().join("src/plugcast.toml"), "[check]\nignore = []\n").unwrap();
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-qm", "third"]);
    fs::write(folder.path().join("src/plugcast.toml"), "[check]\nselect = []\n").unwrap();
    assert!(found(&folder, &since).contains(&THREE.to_owned()), "other settings count for everything");
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
