//! Names and paths that would leave the output folder, or that some file system cannot hold.

use std::fs;

use super::source::{BadSource, skill};
use crate::support::tree::Tree;

const HELP: &str = "use letters, digits and `-`, such as `my-name`";

fn named(name: &str) -> String {
    skill(&format!("name: {name}\ndescription: d"))
}

#[test]
fn names_that_are_paths_are_refused() {
    let source = Tree::new()
        .file("skills/x/SKILL.md", named("../../pwned"))
        .file("skills/y/SKILL.md", named("a/b"))
        .file("skills/con/SKILL.md", named("z"))
        .file("agents/a.md", named("../../../pwned"))
        .file("commands/fine.md", "---\ndescription: d\n---\nBody.\n");
    let built = BadSource::plugin(source).build();
    built.expect(
        1,
        &[
            &format!("error name-format agents/a.md:2:1 the name `../../../pwned` would leave the output folder | {HELP}"),
            &format!("error name-format skills/con/SKILL.md:2:1 the name `con` is reserved on Windows | {HELP}"),
        ],
    );
    for host in super::EVERY_HOST {
        let counts = ["skills", "agents", "commands"].map(|kind| built.count(host, kind));
        // A skill has its folder's name, whatever its frontmatter says.
        assert_eq!(counts, [3, 0, 1], "{host}");
        let tree = Tree::read(&built.path("out").join(host));
        assert!(!tree.entries().any(|(path, _)| path.contains("pwned")), "{}", tree.text());
    }
}

/// A name that only looks like a path is a name: the host shows it, and files are called otherwise.
#[test]
fn names_that_no_file_can_have_stay_inside() {
    let names = ["UI/UX", "UI-UX", "ui/ux", "/etc/x", "C:\\x", ".hidden", "con", "end.", "a|b?*<>"];
    let mut source = Tree::new().file("agents/.parts/in.md", skill("description: d"));
    for (at, name) in names.iter().enumerate() {
        source = source.file(&format!("agents/a{at}.md"), named(&format!("'{name}'")));
    }
    let built = BadSource::plugin(source).build();
    built.expect(0, &[]);
    for host in super::EVERY_HOST {
        assert_eq!(built.count(host, "agents"), names.len() as u64 + 1, "{host}");
        let row = built.row(host, |row| row["name"] == "bad:UI/UX");
        assert_ne!(row["outcome"], "dropped", "{host}: {row}");
    }
    let files = Tree::read(&built.path("out/codex/agents/bad"));
    let files: Vec<&str> = files.entries().map(|(path, _)| path).collect();
    let wanted = [
        "-etc-x.toml",
        "-hidden.toml",
        "-parts--in.toml",
        "C---x.toml",
        "UI-UX-2.toml",
        "UI-UX.toml",
        "_con.toml",
        "a-b----.toml",
        "end-.toml",
        "ui-ux-3.toml",
    ];
    assert_eq!(files, wanted);
}

#[test]
fn a_plugin_name_that_is_a_path_is_refused_and_nothing_is_written() {
    let source = Tree::new().file(".claude-plugin/plugin.json", "{ \"name\": \"../../pwned\" }\n");
    let built = BadSource::bare(source.file("skills/s/SKILL.md", named("s"))).build();
    built.expect(
        1,
        &["error name-format .claude-plugin/plugin.json:1:11 the plugin name `../../pwned` would leave the output folder | use letters, digits and `-`, such as `my-plugin`"],
    );
    nothing_written(&built);
}

/// A build that carries no plugin leaves what is there alone.
pub fn nothing_written(built: &super::source::BuildResult) {
    for host in super::EVERY_HOST {
        assert!(
            !built.path("out").join(host).join(".plugcast/manifest.json").exists(),
            "{host}: an empty bundle"
        );
    }
}

#[test]
fn of_two_components_with_one_name_the_first_counts() {
    let source = Tree::new()
        .file("skills/a-b/SKILL.md", named("ok"))
        .file("skills/a.b/SKILL.md", named("other"))
        .file("agents/ok.md", named("ok"));
    let built = BadSource::plugin(source).build();
    // Two folders that the source host shows by one name; equal names in frontmatter are none.
    built.expect(
        1,
        &["error duplicate-name skills/a.b/SKILL.md:2:1 duplicate name `bad:a-b`; the other component is used | rename one of them"],
    );
    let related = &built.answer()["diagnostics"][0]["related"][0];
    assert_eq!((&related["path"], &related["line"]), (&"skills/a-b/SKILL.md".into(), &2.into()));
    assert_eq!((built.count("codex", "skills"), built.count("codex", "agents")), (2, 1));
}

#[test]
fn a_name_that_is_too_long_for_one_host_is_left_out_there() {
    let long = "n".repeat(70);
    let path = format!("skills/{long}/SKILL.md");
    let built = BadSource::plugin(Tree::new().file(&path, named("long"))).build();
    built.expect(
        1,
        &[&format!("error limit {path}:2:1 `bad:{long}` cannot be carried: its name has 70 characters, but Codex allows 64 | shorten the name, or leave this host out for the plugin [codex]")],
    );
    assert_eq!(["claude-code", "codex", "opencode"].map(|host| built.count(host, "skills")), [2, 1, 2]);
    let row = built.row("codex", |row| row["kind"] == "skill" && row["path"] == *path);
    assert_eq!(row["loss"]["id"], format!("limit/bad/skill/{long}"));
}

#[test]
fn files_that_fold_into_one_are_refused() {
    let composed = "docs/caf\u{e9}.md";
    let decomposed = "docs/cafe\u{301}.md";
    let source = Tree::new()
        .file("docs/Notes.md", "a")
        .file("docs/notes.md", "b")
        .file(composed, "a")
        .file(decomposed, "b");
    let built = BadSource::plugin(source).build();
    let collision = |path: &str, other: &str| {
        format!(
            "error path-collision {path}:1:1 `plugins/bad/{path}` cannot be written: it is the same file as `plugins/bad/{other}` where case or accents are folded | rename it in the source"
        )
    };
    built.expect(1, &[&collision(composed, decomposed), &collision("docs/notes.md", "docs/Notes.md")]);
    let row = built.row("codex", |row| row["path"] == "docs/notes.md");
    assert_eq!(row["outcome"], "dropped", "{row}");
    assert_eq!(fs::read(built.path("out/codex/plugins/bad/docs/Notes.md")).unwrap(), b"a");
}

#[test]
fn a_path_that_is_too_long_is_refused() {
    let folder = "a".repeat(100);
    let path = format!("docs/{folder}/{folder}/a-file-with-a-name-that-goes-over-the-limit.txt");
    let bytes = path.len() + "plugins/bad/".len();
    let built = BadSource::plugin(Tree::new().file(&path, "x")).build();
    built.expect(
        1,
        &[&format!("error path-length {path}:1:1 `plugins/bad/{path}` cannot be written: the path has {bytes} bytes, and 240 fit everywhere | rename it in the source")],
    );
    assert_eq!(built.row("opencode", |row| row["path"] == path)["outcome"], "dropped");
}

/// The id named the plugin twice: `limit/bad/agent/bad:aux`, which no documented id accepted.
#[test]
fn the_loss_of_a_component_whose_file_cannot_be_written_has_its_local_name() {
    let built = BadSource::plugin(Tree::new().file("agents/aux.md", named("aux"))).build();
    let row = built.row("claude-code", |row| row["kind"] == "agent" && row["path"] == "agents/aux.md");
    assert_eq!((&row["outcome"], &row["loss"]["id"]), (&"dropped".into(), &"limit/bad/agent/aux".into()));
}

#[test]
fn names_that_windows_cannot_hold_are_refused() {
    let source = Tree::new().file("docs/aux.txt", "a").file("docs/a:b.txt", "b").file("docs/dot.", "c");
    let built = BadSource::plugin(source).build();
    let found = built.findings();
    let places: Vec<&str> = found.iter().filter_map(|finding| finding.split(' ').nth(2)).collect();
    assert_eq!(places, ["docs/a:b.txt:1:1", "docs/aux.txt:1:1", "docs/dot.:1:1"], "{found:#?}");
    assert_eq!(
        found[1],
        "error unportable-path docs/aux.txt:1:1 `plugins/bad/docs/aux.txt` cannot be written: `aux.txt` is reserved on Windows | rename it in the source"
    );
}
