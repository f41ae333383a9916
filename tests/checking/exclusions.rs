//! What `check` does not read, and `--no-ignore`.

use super::{Plugcast, found, plugin, skill};

#[test]
fn installed_packages_and_ignored_files_are_read_on_request_only() {
    let folder = plugin()
        .file("src/.gitignore", "/skills/three/\n")
        .file("src/skills/one/node_modules/x/package.json", "{}\n")
        .file("src/node_modules/package/skills/x/SKILL.md", skill("y"))
        .file("src/skills/node_modules/SKILL.md", skill("module"))
        .temporary();
    assert_eq!(found(&folder, &["src"]), ["skills/two/SKILL.md:2 name-mismatch"]);
    let all = found(&folder, &["src", "--no-ignore"]);
    let expected = [
        "skills/node_modules/SKILL.md:2 name-mismatch",
        "skills/three/SKILL.md:2 name-mismatch",
        "skills/two/SKILL.md:2 name-mismatch",
    ];
    assert!(expected.iter().all(|one| all.contains(&(*one).to_owned())), "{all:?}");
}

/// An old output folder was read as a part of the plugin around it, and built again.
#[test]
fn build_and_check_skip_a_bundle_below_the_source() {
    let folder = plugin().temporary();
    let run = |arguments: &[&str]| Plugcast::new(folder.path(), arguments).run();
    run(&["build", "src", "--to", "codex", "--out", "src/old"]).expect_code(0);
    let before = found(&folder, &["src"]);
    assert_eq!(before, ["skills/three/SKILL.md:2 name-mismatch", "skills/two/SKILL.md:2 name-mismatch"]);
    assert_eq!(found(&folder, &["src", "--no-ignore"]), before);
    run(&["build", "src", "--to", "codex", "--out", "new"]).expect_code(0);
    let built = std::fs::read_to_string(folder.path().join("new/codex/.plugcast/manifest.json")).unwrap();
    assert!(!built.contains("old/codex"), "{built}");
    // Without a manifest as well, where every folder is looked at.
    std::fs::remove_dir_all(folder.path().join("src/.claude-plugin")).unwrap();
    std::fs::rename(folder.path().join("src/skills"), folder.path().join("src/mine")).unwrap();
    let moved = found(&folder, &["src"]);
    assert_eq!(moved, ["mine/three/SKILL.md:2 name-mismatch", "mine/two/SKILL.md:2 name-mismatch"]);
}
