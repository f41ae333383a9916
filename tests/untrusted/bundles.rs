//! 3: `verify` without `--allow-exec` starts no host with a bundle that is not what its manifest lists, and takes no
//! bundle that is in a source for what the source builds.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;

use super::demo;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

/// A host that says its version, and leaves a file when it is asked anything else.
const PLAYED: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo codex-cli 0.169.0 && exit\ntouch \"${0%/*}/started\"\nexit 1\n";

fn fixture() -> TempDir {
    let folder = demo().script("codex", PLAYED).temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "out"]).run().expect_code(0);
    folder
}

fn verify(folder: &Path, what: &str, more: &[&str]) -> FinishedRun {
    let arguments = ["verify", what, "--host-bin", "codex=codex"];
    let arguments: Vec<&str> = arguments.iter().chain(more).copied().collect();
    Plugcast::new(folder, &arguments).run()
}

#[test]
fn case_3_a_bundle_is_compared_before_its_host_starts() {
    let skill = "out/codex/plugins/demo/skills/s/SKILL.md";
    type Damage = fn(&Path);
    let damages: [(Damage, &str); 5] = [
        (
            |at| fs::write(at.join("out/codex/plugins/demo/skills/s/SKILL.md"), "other").unwrap(),
            "does not match the manifest",
        ),
        (
            |at| fs::remove_file(at.join("out/codex/plugins/demo/skills/s/SKILL.md")).unwrap(),
            "does not match the manifest",
        ),
        (
            |at| {
                let file = at.join("out/codex/plugins/demo/skills/s/SKILL.md");
                fs::rename(&file, at.join("elsewhere")).unwrap();
                symlink(at.join("elsewhere"), file).unwrap();
            },
            "does not match the manifest",
        ),
        (
            |at| {
                fs::rename(at.join("out/codex/plugins/demo/skills"), at.join("skills")).unwrap();
                symlink(at.join("skills"), at.join("out/codex/plugins/demo/skills")).unwrap();
            },
            "`plugins/demo/skills` is not in the manifest; move it away",
        ),
        (
            |at| {
                fs::create_dir(at.join("out/codex/plugins/demo/hooks")).unwrap();
                fs::write(at.join("out/codex/plugins/demo/hooks/hooks.json"), "{}").unwrap();
            },
            "`plugins/demo/hooks` is not in the manifest; move it away",
        ),
    ];
    for (damage, expected) in damages {
        let folder = fixture();
        damage(folder.path());
        let finished = verify(folder.path(), "out", &[]).expect_code(1);
        assert!(finished.stdout.contains(expected), "`{expected}` is missing in {}", finished.stdout);
        assert!(finished.stdout.contains("the host was not started"), "{}", finished.stdout);
        assert!(!folder.path().join("started").exists(), "{expected}: {skill}");
    }
}

#[test]
fn case_3_paths_of_a_manifest_stay_in_the_bundle() {
    let folder = fixture();
    fs::write(folder.path().join("secret"), "s").unwrap();
    let manifest = folder.path().join("out/codex/.plugcast/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("plugins/demo/skills/s/SKILL.md\", \"mode", "../../secret\", \"mode"))
        .unwrap();
    let finished = verify(folder.path(), "out", &["--allow-exec"]).expect_code(2);
    assert!(
        finished.stderr.contains("`../../secret`, which is not a path in the bundle"),
        "{}",
        finished.stderr
    );
    assert!(!folder.path().join("started").exists());
}

#[test]
fn case_3_a_bundle_inside_of_a_source_is_not_what_it_builds() {
    let folder = fixture();
    let planted = Tree::read(&folder.path().join("out/codex"));
    planted.write(&folder.path().join("in/codex"));
    let skill = folder.path().join("in/codex/plugins/demo/skills/s/SKILL.md");
    fs::write(skill, "planted").unwrap();
    // What the source builds is whole, so that the host starts, and nothing is left in the source.
    verify(folder.path(), "in", &["--to", "codex"]);
    assert!(folder.path().join("started").exists());
    assert_eq!(Tree::read(&folder.path().join("in/codex")).entries().count(), planted.entries().count());
}

#[test]
fn case_4_leftovers_of_a_killed_build_are_not_verified() {
    let folder = demo().temporary();
    let build = ["build", "in", "--to", "codex", "--out", "out"];
    Plugcast::new(folder.path(), &build).run().expect_code(0);
    let out = folder.path().join("out");
    fs::rename(out.join("codex"), out.join(".codex.plugcast-old")).expect("it can be renamed");
    let before = Tree::read(folder.path());
    let finished = Plugcast::new(folder.path(), &["verify", "out", "--host-bin", "codex=true"]).run();
    assert_eq!(finished.code, Some(2), "{}{}", finished.stdout, finished.stderr);
    assert_eq!(Tree::read(folder.path()), before);
}

#[test]
fn case_4_what_no_build_has_written_is_neither_removed_nor_moved() {
    let build = ["build", "in", "--to", "codex", "--out", "out"];
    let mine = Tree::new().file("deep/notes.md", "mine").link("link", "deep/notes.md");
    for built in [false, true] {
        for (what, others) in [("new", &[][..]), ("new", &["swap"]), ("old", &["swap"]), ("swap", &[])] {
            let folder = demo().temporary();
            let out = folder.path().join("out");
            if built {
                Plugcast::new(folder.path(), &build).run().expect_code(0);
                fs::write(folder.path().join("in/skills/s/more.md"), "More.\n").unwrap();
            }
            fs::create_dir_all(&out).unwrap();
            mine.write(&out.join(format!(".codex.plugcast-{what}")));
            others
                .iter()
                .for_each(|other| fs::write(out.join(format!(".codex.plugcast-{other}")), "").unwrap());
            let before = Tree::read(folder.path());
            let finished = Plugcast::new(folder.path(), &build).run().expect_code(2);
            for expected in
                [&format!(".codex.plugcast-{what}`: no build has written its content"), "move it away"]
            {
                assert!(finished.stderr.contains(expected), "`{expected}` is missing in {}", finished.stderr);
            }
            assert_eq!(Tree::read(folder.path()), before, "{built} {what} {others:?}");
        }
    }
    let folder = demo().file("out/.codex.plugcast-new", "mine").temporary();
    Plugcast::new(folder.path(), &build).run().expect_code(2);
    assert_eq!(fs::read_to_string(folder.path().join("out/.codex.plugcast-new")).unwrap(), "mine");
}

/// Others had files in the folder before the first build, which was killed after its bundle took that place.
#[test]
fn case_4_what_a_killed_build_has_kept_in_the_bundle_is_removed() {
    let build = ["build", "in", "--to", "codex", "--out", "out"];
    let folder =
        demo().file("out/codex/mine/notes.md", "mine").link("out/codex/mine/link", "notes.md").temporary();
    Plugcast::new(folder.path(), &build).run().expect_code(0);
    let (bundle, left) =
        (folder.path().join("out/codex/mine"), folder.path().join("out/.codex.plugcast-new"));
    fs::create_dir_all(left.join("mine/empty")).unwrap();
    fs::hard_link(bundle.join("notes.md"), left.join("mine/notes.md")).unwrap();
    std::os::unix::fs::symlink("notes.md", left.join("mine/link")).unwrap();
    Plugcast::new(folder.path(), &build).run().expect_code(0);
    assert!(!left.exists() && bundle.join("notes.md").is_file());
    // The same name is not the same file.
    fs::create_dir_all(left.join("mine")).unwrap();
    fs::write(left.join("mine/notes.md"), "other").unwrap();
    Plugcast::new(folder.path(), &build).run().expect_code(2);
    assert_eq!(fs::read_to_string(left.join("mine/notes.md")).unwrap(), "other");
}
