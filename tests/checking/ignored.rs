//! What `check` does not read, and `--no-ignore`.

use super::{found, plugin, skill};

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
