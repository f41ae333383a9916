//! The states that `diff` takes: folders, commits, parts of commits, bundles, worktrees, bare and shallow
//! clones.

use super::{changed, changes, json, plugin, run};
use crate::support::git::{commit, committed, git, state, write};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn a_bundle_differs_from_its_source_in_nothing() {
    let folder = committed(&plugin());
    let at = folder.path();
    Plugcast::new(at, &["build", "--to", "all", "--helper", "none", "--out", "dist"]).run().expect_code(0);
    for (old, new) in [("dist", "HEAD"), ("HEAD", "dist"), ("dist", "dist"), ("dist/codex", "HEAD")] {
        let report = json(at, &[old, new]);
        let hosts = report["hosts"].as_array().expect("hosts").clone();
        assert_eq!(hosts.len(), if old == "dist/codex" { 1 } else { 3 }, "{old} {new}");
        for host in hosts {
            assert_eq!(host["changes"].as_array().map(Vec::len), Some(0), "{old} {new}: {host:#}");
            assert_eq!(host["losses_new"].as_array().map(Vec::len), Some(0), "{old} {new}: {host:#}");
        }
    }
    commit(at, "with the bundle");
    write(at, "skills/more/SKILL.md", "---\nname: more\ndescription: Does more.\n---\nDo more of it.\n");
    Plugcast::new(at, &["build", "--to", "all", "--helper", "none", "--out", "dist"]).run().expect_code(0);
    let report = json(at, &["HEAD:dist", "dist"]);
    assert_eq!(changes(&report, "opencode"), ["added skill demo:more"]);
}

#[test]
fn a_commit_alone_means_the_folder_of_the_other_side() {
    let mut tree = Tree::new();
    for name in ["one", "two"] {
        let manifest = format!("{{ \"name\": \"{name}\" }}\n");
        tree = tree.file(&format!("plugins/{name}/.claude-plugin/plugin.json"), manifest).file(
            &format!("plugins/{name}/skills/a/SKILL.md"),
            "---\nname: a\ndescription: Does a.\n---\nA.\n",
        );
    }
    let folder = committed(&tree);
    let at = folder.path();
    for name in ["one", "two"] {
        let skill = "---\nname: b\ndescription: Does b.\n---\nB.\n";
        write(at, &format!("plugins/{name}/skills/b/SKILL.md"), skill);
    }
    let to = ["--to", "claude-code"];
    let one = json(at, &[&["HEAD", "plugins/one"], &to[..]].concat());
    assert_eq!(changes(&one, "claude-code"), ["added skill one:b"]);
    let inside = json(&at.join("plugins/two"), &[&["HEAD"], &to[..]].concat());
    assert_eq!(changes(&inside, "claude-code"), ["added skill two:b"]);
    let named = json(at, &[&["HEAD:plugins/one/", "plugins/one"], &to[..]].concat());
    assert_eq!(changes(&named, "claude-code"), ["added skill one:b"]);
    commit(at, "second");
    let between = json(at, &[&["HEAD~1:plugins/two", "HEAD:plugins/two"], &to[..]].concat());
    assert_eq!(changes(&between, "claude-code"), ["added skill two:b"]);
}

#[test]
fn the_configuration_above_a_folder_counts_for_commits_too() {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Does it.\n---\nDo {name}.\n");
    let tree = Tree::new()
        .file("plugcast.toml", "[build]\nto = [\"codex\"]\nexclude = [\"skills/out/**\"]\n")
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/skills/in/SKILL.md", skill("in"))
        .file("src/skills/out/SKILL.md", skill("out"));
    let folder = committed(&tree);
    let report = json(folder.path(), &["HEAD", "src"]);
    assert_eq!(changes(&report, "codex"), Vec::<String>::new());
    assert_eq!(report["hosts"].as_array().map(Vec::len), Some(1), "{report:#}");
}

#[test]
fn worktrees_and_odd_names_are_read() {
    let folder = changed();
    let at = folder.path();
    commit(at, "second");
    git(at, &["tag", "release/v2.0.0"]);
    let tree = tempfile::tempdir().unwrap();
    let other = tree.path().join("other place");
    git(at, &["worktree", "add", "-q", other.to_str().unwrap(), "v1.0.0"]);
    let before = state(at);
    let report = json(&other, &["release/v2.0.0", "--to", "codex"]);
    let found = changes(&report, "codex");
    assert!(found.contains(&"renamed skill demo:planning to demo:plan".to_owned()), "{found:?}");
    assert_eq!(
        json(at, &["release/v2.0.0", other.to_str().unwrap(), "--to", "codex"])["hosts"],
        report["hosts"]
    );
    assert_eq!(state(at), before);
    write(at, "skills/same/it's a new.md", "x\n");
    commit(at, "third");
    let report = json(at, &["HEAD~1", "HEAD", "--to", "codex"]);
    assert_eq!(changes(&report, "codex"), ["changed skill demo:same"]);
}

#[test]
fn links_of_a_commit_lead_where_they_led_and_never_out_of_it() {
    let folder =
        committed(&plugin().file("shared.md", "Shared.\n").link("skills/plan/shared.md", "../../shared.md"));
    let report = json(folder.path(), &["HEAD", "--to", "codex"]);
    assert_eq!(changes(&report, "codex"), Vec::<String>::new());
    let outside = committed(&plugin().link("skills/plan/out.md", "../../../../../../etc/hostname"));
    let ended = run(outside.path(), &["HEAD", "HEAD", "--to", "codex"]).expect_code(0);
    assert!(ended.stderr.contains("`HEAD` has 1 error"), "{}", ended.stderr);
}

#[test]
fn a_killed_exchange_is_completed_by_a_build_before_bundles_are_compared() {
    let folder = committed(&plugin());
    let at = folder.path();
    let build = || {
        Plugcast::new(at, &["build", "--to", "all", "--helper", "none", "--out", "dist"]).run().expect_code(0)
    };
    build();
    let before = state(at);
    for (old, new) in [("dist", "HEAD"), ("HEAD", "dist"), ("dist/codex", "HEAD"), ("HEAD", "dist/codex")] {
        crate::support::killed_exchange(&at.join("dist/codex"));
        let refused = run(at, &[old, new]).expect_code(2);
        assert!(refused.stderr.contains("an interrupted build"), "{old} {new}: {}", refused.stderr);
        build();
        let report = json(at, &[old, new]);
        assert!(changes(&report, "codex").is_empty(), "{old} {new}: {report:#}");
        assert_eq!(state(at), before, "{old} {new}");
    }
}
