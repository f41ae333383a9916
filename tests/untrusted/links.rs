//! 4 and 6: locks, temporary files, recovery and the journal of a promotion never follow a link.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::demo;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

const BUILD: [&str; 6] = ["build", "in", "--to", "codex", "--out", "out"];

#[test]
fn case_4_the_lock_is_not_written_through_a_link() {
    let folder = demo().file("precious", "mine").link("out/.plugcast.lock", "../precious").temporary();
    Plugcast::new(folder.path(), &BUILD).run().expect_code(2);
    assert_eq!(fs::read_to_string(folder.path().join("precious")).unwrap(), "mine");
}

#[test]
fn case_4_the_lock_is_not_written_through_a_hard_link() {
    let folder = demo().file("precious", "mine").file("out/README.md", "").temporary();
    fs::hard_link(folder.path().join("precious"), folder.path().join("out/.plugcast.lock")).unwrap();
    let built = Plugcast::new(folder.path(), &BUILD).run();
    assert!(built.stdout.contains("1 plugin, 1 skill"), "{}", built.stderr);
    assert_eq!(fs::read_to_string(folder.path().join("precious")).unwrap(), "mine");
    assert!(!folder.path().join("out/.plugcast.lock").exists());
}

/// A link is an ordinary file of a repository, and a build in a clone has named no folder.
#[test]
fn case_5_a_default_output_folder_must_not_be_a_link() {
    let arguments = ["build", "--to", "codex"];
    for (settings, link, target) in [
        ("", "dist", "../precious"),
        ("[build]\nout = \"dist\"\n", "dist", "../precious"),
        ("[build]\nout = \"a/dist\"\n", "a", "../precious"),
        ("[build]\nout = \"dist\"\n", "dist", "docs"),
    ] {
        let tree = demo().file("precious/file", "mine").file("in/docs/file", "mine");
        let folder = tree.file("in/plugcast.toml", settings).link(&format!("in/{link}"), target).temporary();
        let before = Tree::read(folder.path());
        let refused = Plugcast::new(&folder.path().join("in"), &arguments).run().expect_code(2);
        assert!(refused.stderr.contains("--out"), "{settings}: {}", refused.stderr);
        assert!(Tree::read(folder.path()) == before, "{settings}");
        if settings.is_empty() {
            let named = [&arguments[..], &["--out", link]].concat();
            let built = Plugcast::new(&folder.path().join("in"), &named).run();
            assert!(built.stdout.contains("1 plugin, 1 skill"), "{}", built.stderr);
        }
    }
}

/// Neither the folder that nobody named nor a bundle in the one that somebody did.
#[test]
fn case_7_a_loss_is_not_looked_up_through_a_link() {
    let folder = demo().file("in/hooks/hooks.json", "{\"hooks\":{\"Stop\":[]}}").temporary();
    let out = &["build", "in", "--to", "codex", "--out", "elsewhere"];
    Plugcast::new(folder.path(), out).run().expect_code(0);
    let ledger = folder.path().join("elsewhere/codex/.plugcast/ledger.json");
    let row = "{\"id\":\"x\",\"plugin\":\"demo\",\"kind\":\"skill\",\"name\":\"s\",\"path\":\"s\",\"outcome\":\"dropped\",\
               \"reason\":\"secret\",\"loss\":{\"id\":\"a/b\",\"class\":\"behavior\"}}";
    let text = fs::read_to_string(&ledger).unwrap().replacen("\"rows\": [", &format!("\"rows\": [{row},"), 1);
    assert!(text.contains("secret"), "{text}");
    fs::write(&ledger, text).unwrap();
    let named = ["explain", "a/b", "--out", "elsewhere"];
    let shown = Plugcast::new(folder.path(), &named).run().expect_code(0);
    assert!(shown.stdout.contains("secret"), "{}", shown.stdout);
    symlink("elsewhere", folder.path().join("dist")).unwrap();
    let refused = Plugcast::new(folder.path(), &["explain", "a/b"]).run().expect_code(2);
    assert!(refused.stderr.contains("is a link"), "{}", refused.stderr);
    fs::create_dir(folder.path().join("out")).unwrap();
    symlink("../elsewhere/codex", folder.path().join("out/codex")).unwrap();
    let refused = Plugcast::new(folder.path(), &["explain", "a/b", "--out", "out"]).run().expect_code(2);
    assert!(!refused.stderr.contains("secret"), "{}", refused.stderr);
}

#[test]
fn case_4_leftovers_of_a_killed_build_must_not_be_links() {
    let folder = demo().file("precious/file", "mine").temporary();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir(at("out")).unwrap();
    for what in ["new", "old"] {
        symlink("../precious", at(&format!("out/.codex.plugcast-{what}"))).unwrap();
    }
    fs::write(at("out/.codex.plugcast-swap"), "").unwrap();
    Plugcast::new(folder.path(), &BUILD).run().expect_code(0);
    assert!(fs::symlink_metadata(at("out/codex")).unwrap().is_dir());
    assert_eq!(Tree::read(&at("precious")).entries().count(), 1);
}

#[test]
fn case_4_a_proof_is_not_written_through_a_link() {
    let played = "#!/bin/sh\n[ \"$1\" = --version ] && echo codex-cli 0.169.0 && exit\nexit 1\n";
    let folder = demo().script("codex", played).file("precious/verified.json", "mine").temporary();
    Plugcast::new(folder.path(), &BUILD).run().expect_code(0);
    let own = folder.path().join("out/codex/.plugcast");
    for document in ["manifest.json", "ledger.json", "sourcemap.json"] {
        fs::rename(own.join(document), folder.path().join("precious").join(document)).unwrap();
    }
    fs::remove_dir_all(&own).unwrap();
    symlink(folder.path().join("precious"), &own).unwrap();
    Plugcast::new(folder.path(), &["verify", "out", "--host-bin", "codex=codex"]).run();
    assert_eq!(fs::read_to_string(folder.path().join("precious/verified.json")).unwrap(), "mine");
}

/// A message once quoted what is in the file that the link leads to.
#[test]
fn case_5_settings_that_lie_elsewhere_are_not_read() {
    let folder = demo().file("elsewhere", "[secret]\n").link("in/plugcast.toml", "../elsewhere").temporary();
    for arguments in [&BUILD[..], &["check", "in"]] {
        let refused = Plugcast::new(folder.path(), arguments).run().expect_code(2);
        assert!(refused.stderr.contains("a link that points outside the source"), "{}", refused.stderr);
        assert!(!refused.stderr.contains("secret"), "{}", refused.stderr);
    }
}

/// Documents of a bundle are those in it.
#[test]
fn case_9_no_document_of_a_bundle_is_read_through_a_link() {
    let folder = demo().file("elsewhere.json", "{\"schema\": \"secret\"}").temporary();
    Plugcast::new(folder.path(), &BUILD).run().expect_code(0);
    for name in ["sourcemap.json", "manifest.json", "ledger.json"] {
        let document = folder.path().join("out/codex/.plugcast").join(name);
        let text = fs::read(&document).unwrap();
        fs::remove_file(&document).unwrap();
        symlink("../../../elsewhere.json", &document).unwrap();
        for arguments in [
            &["explain", "out/codex/plugins/demo/.codex-plugin/plugin.json:1"][..],
            &["verify", "out", "--host-bin", "codex=codex"],
            &["build", "in", "--to", "codex", "--out", "out", "--deny-new-losses"],
        ] {
            let finished = Plugcast::new(folder.path(), arguments).run();
            let printed = finished.stdout + &finished.stderr;
            assert!(!printed.contains("secret"), "{name}: {arguments:?}: {printed}");
        }
        fs::remove_file(&document).unwrap_or_default();
        fs::write(&document, text).unwrap();
    }
}

/// Folders of plugins were once followed wherever they led.
#[test]
fn case_12_a_plugin_that_is_a_link_out_of_the_source_is_not_read() {
    let elsewhere = demo().below("in");
    let mut tree = demo()
        .below("in")
        .entries()
        .fold(Tree::new(), |tree, (path, entry)| tree.with_entry(&format!("in/one/{path}"), entry.clone()));
    for (path, entry) in elsewhere.entries() {
        tree = tree.with_entry(&format!("elsewhere/{path}"), entry.clone());
    }
    let settings = "[build]\nmarketplace = \"m\"\n";
    let tree = tree.file("elsewhere/skills/s/secret.bin", "\0secret").file("in/plugcast.toml", settings);
    let folder = tree.link("in/two", "../elsewhere").temporary();
    Plugcast::new(folder.path(), &BUILD).run().expect_code(0);
    let out = Tree::read(&folder.path().join("out/codex"));
    assert_eq!(out.below("plugins").top(), ["demo"]);
    assert!(out.get(".plugcast/ledger.json").unwrap().text().contains("\"two\""), "it is skipped in silence");
    assert!(out.entries().all(|(path, _)| !path.contains("secret")));
    Plugcast::new(folder.path(), &["build", "in/two", "--to", "codex", "--out", "named"])
        .run()
        .expect_code(0);
}

/// What a journal that somebody planted does to a folder outside.
#[track_caller]
fn promoted(journal: &str, links: &[(&str, &str)]) {
    let mut tree = demo().below("in").file(".plugcast-promote.json", journal);
    for (path, target) in links {
        tree = tree.link(path, target);
    }
    let folder = Tree::new().file("precious/file", "mine").temporary();
    let source = folder.path().join("in");
    tree.write(&source);
    let before = Tree::read(&folder.path().join("precious"));
    let finished = Plugcast::new(&source, &["promote", "s-beta"]).run();
    assert_ne!(finished.code, Some(0), "{}", finished.stdout);
    assert!(finished.stderr.contains("to which a link leads"), "{}", finished.stderr);
    assert_eq!(Tree::read(Path::new(&folder.path().join("precious"))), before);
}

/// `promote` once moved a committed folder to `.git/hooks`.
#[test]
fn case_6_a_journal_that_came_with_a_repository_is_not_completed() {
    let moved = |from: &str, to: &str| {
        format!(
            "{{\"schema\":\"plugcast.promoting/1\",\"what\":\"x\",\"files\":[],\"moves\":[{{\"from\":\"{from}\",\"to\":\"{to}\"}}]}}"
        )
    };
    for (from, to, expected) in [
        ("evil", ".git/hooks", "belongs to version control"),
        ("evil", ".GIT", "belongs to version control"),
        ("evil", "skills/other", "was not written here by you"),
    ] {
        let tree = demo().below("in").file(".plugcast-promote.json", moved(from, to));
        let tree = tree
            .script("evil/post-commit", "#!/bin/sh\n")
            .file("skills/t-beta/SKILL.md", "---\nname: t-beta\ndescription: Says it\n---\n\nSay it.\n");
        let folder = crate::support::git::committed(&tree);
        let before = Tree::read(folder.path());
        let refused = Plugcast::new(folder.path(), &["promote", "t-beta"]).run().expect_code(2);
        assert!(refused.stderr.contains(expected), "{to}: {}", refused.stderr);
        assert!(Tree::read(folder.path()) == before, "{to}");
    }
}

#[test]
fn case_6_a_planted_journal_moves_and_removes_nothing_outside() {
    let journal = |files: &str, moves: &str| {
        format!(
            "{{\"schema\":\"plugcast.promoting/1\",\"what\":\"x\",\"files\":[{files}],\"moves\":[{moves}]}}"
        )
    };
    let moved = |from: &str, to: &str| format!("{{\"from\":\"{from}\",\"to\":\"{to}\"}}");
    promoted(&journal("", &moved("a/file", "b")), &[("a", "../precious")]);
    promoted(&journal("", &moved("skills/s", "a/file")), &[("a", "../precious")]);
    promoted(&journal("", &moved("none", "b")), &[("b", "../precious")]);
    promoted(&journal("\"a/file\"", ""), &[("a", "../precious")]);
    promoted(&journal("\"x\"", ""), &[(".x.plugcast-new", "../precious/file")]);
}

/// `promote` said "make it writable" of a journal that is a link.
#[test]
fn case_6_a_journal_that_is_a_link_is_named_as_one() {
    let folder = demo().file("precious", "{}").link("in/.plugcast-promote.json", "../precious").temporary();
    for more in [&[][..], &["--dry-run"]] {
        let arguments = [&["promote", "s-beta", "in"][..], more].concat();
        let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(2);
        let expected = "cannot be read: it is a link, which is not followed here";
        assert!(finished.stderr.contains(expected), "{}", finished.stderr);
        assert!(finished.stderr.contains("and remove the file"), "{}", finished.stderr);
    }
}
