//! Text changes by byte range: line ends, marks, quotes, comments and modes stay as they were.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{plugin, promoted, run, stable};
use crate::support::tree::Tree;

#[test]
fn lines_keep_their_ends() {
    let windows = |text: &str| text.replace('\n', "\r\n");
    let readme = "# Demo\n\nRun `/demo:plan-beta` first.\n";
    let skill = super::beta("plan");
    let before = plugin()
        .file("src/skills/plan-beta/SKILL.md", windows(&skill))
        .file("src/README.md", windows(readme));
    let after = promoted(&before);
    let text = |path: &str| after.get(path).map(crate::support::tree::Entry::text);
    assert_eq!(text("src/skills/plan/SKILL.md"), Some(windows(&stable("plan"))));
    assert_eq!(text("src/README.md"), Some(windows("# Demo\n\nRun `/demo:plan` first.\n")));
}

/// Frontmatter of a beta, and what is left of it.
#[test]
fn each_form_of_a_mark_goes_and_nothing_else() {
    for (before, after) in [
        (
            "name: \"plan-beta\"  # short\ndescription: '[beta]  Plans it: all.'\ndisable-model-invocation: yes # trial\nmodel: opus",
            "name: \"plan\"  # short\ndescription: 'Plans it: all.'\nmodel: opus",
        ),
        (
            "description: |\n  [BETA] Plans.\n  All of it.\nname: plan-beta\ndisable-model-invocation: 'true'",
            "description: |\n  Plans.\n  All of it.\nname: plan",
        ),
        (
            "name: plan-beta\ndescription: \"[BETA] Plans\"\ndisable-model-invocation: false",
            "name: plan\ndescription: \"Plans\"\ndisable-model-invocation: false",
        ),
        (
            "name: plan-beta\ndescription: [BETA] Plans: and so on\ndisable-model-invocation: true",
            "name: plan\ndescription: \"Plans: and so on\"",
        ),
        ("name: plan\ndescription: Plans.", "name: plan\ndescription: Plans."),
        ("description: Plans, and is no [BETA] thing.", "description: Plans, and is no [BETA] thing."),
        (
            "{ name: plan-beta, description: \"[BETA] Plans.\", disable-model-invocation: true }",
            "{ name: plan, description: \"Plans.\", disable-model-invocation: false }",
        ),
    ] {
        let text = |fields: &str| format!("---\n{fields}\n---\nDo it.\n");
        let after = Tree::new()
            .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
            .file("src/skills/plan/SKILL.md", text(after));
        let made = promoted(&plugin().file("src/skills/plan-beta/SKILL.md", text(before)));
        assert_eq!(made.text(), after.text(), "{before}");
    }
}

#[test]
fn modes_binary_files_and_links_inside_move_along() {
    let tree = plugin()
        .script("src/skills/plan-beta/scripts/run.sh", "#!/bin/sh\necho plan-beta\n")
        .file("src/skills/plan-beta/assets/plan-beta.bin", [0, 159, 146, 150])
        .link("src/skills/plan-beta/notes.md", "references/notes.md")
        .file("src/skills/plan-beta/references/notes.md", "# Notes\n");
    let folder = tree.temporary();
    let script = folder.path().join("src/skills/plan-beta/scripts/run.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).unwrap();
    run(folder.path(), &["plan-beta", "src"]).expect_code(0);
    let after = Tree::read(&folder.path().join("src/skills/plan"));
    assert_eq!(after.get("scripts/run.sh").unwrap().mode(), "0750");
    assert_eq!(after.get("scripts/run.sh").unwrap().text(), "#!/bin/sh\necho plan\n");
    assert_eq!(after.get("assets/plan-beta.bin"), tree.get("src/skills/plan-beta/assets/plan-beta.bin"));
    assert_eq!(after.get("notes.md"), tree.get("src/skills/plan-beta/notes.md"));
    assert!(!folder.path().join("src/skills/plan-beta").exists());
}

#[test]
fn a_comment_that_calls_it_a_copy_of_the_stable_skill_goes() {
    let body = "<!-- copy of plan -->\n\nDo it.\n";
    let (beta, stable) = (super::beta("plan"), stable("plan"));
    let tree = plugin().file("src/skills/plan-beta/SKILL.md", beta.replace("Do it.\n", body));
    let after = promoted(&tree);
    assert_eq!(
        after.get("src/skills/plan/SKILL.md").unwrap().text(),
        stable.replace("Do it.\n", "\nDo it.\n")
    );
}
