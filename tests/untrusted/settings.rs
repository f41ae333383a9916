//! 5: a `plugcast.toml` and what release automation is told read and write nothing outside of the source.

use std::fs;

use super::demo;
use crate::support::git::{commit, committed, git};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// What is refused, with its place; and that nothing was read or written outside.
#[track_caller]
fn refused(settings: &str, arguments: &[&str], place: &str, expected: &str) {
    let outside = "---\nname: secret\n---\n";
    let folder = demo()
        .file("in/plugcast.toml", settings)
        .file("id_rsa", outside)
        .link("in/linked", "../id_rsa")
        .temporary();
    let before = Tree::read(folder.path());
    let finished = Plugcast::new(folder.path(), arguments).run().expect_code(2);
    for expected in [place, expected] {
        assert!(finished.stderr.contains(expected), "`{expected}` is missing in {}", finished.stderr);
    }
    assert_eq!(Tree::read(folder.path()), before);
}

#[test]
fn case_5_programs_of_a_bundle_lie_in_the_source() {
    for path in ["/etc/shadow", "../id_rsa", "linked", "skills/../../id_rsa"] {
        let settings = format!("[runtime.bin.tool]\nlinux-x86_64 = \"{path}\"\n");
        let expected = format!("`runtime.bin.tool` names `{path}`, which is outside of the source");
        refused(
            &settings,
            &["build", "in", "--to", "codex", "--out", "out"],
            "plugcast.toml:2:16",
            &expected,
        );
    }
}

#[test]
fn case_5_the_output_folder_of_settings_lies_in_the_source() {
    for path in ["../out", "/tmp/plugcast-untrusted-out", "a/../../out"] {
        let settings = format!("[build]\nto = [\"codex\"]\nout = \"{path}\"\n");
        let expected = "or pass this path with `--out`";
        refused(&settings, &["build", "in"], "plugcast.toml:3:7", expected);
        refused(&settings, &["check", "in"], "plugcast.toml:3:7", expected);
    }
}

#[test]
fn case_5_an_output_folder_that_is_a_link_elsewhere_is_refused() {
    let folder = demo()
        .file("in/plugcast.toml", "[build]\nto = [\"codex\"]\nout = \"made\"\n")
        .link("in/made", "../elsewhere")
        .temporary();
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    let finished = Plugcast::new(folder.path(), &["build", "in"]).run().expect_code(2);
    assert!(finished.stderr.contains("`build.out` names `made`"), "{}", finished.stderr);
    assert_eq!(fs::read_dir(folder.path().join("elsewhere")).unwrap().count(), 0);
    Plugcast::new(folder.path(), &["build", "in", "--out", "other"]).run().expect_code(2);
}

#[test]
fn case_5_the_command_line_may_name_a_folder_outside() {
    let folder = demo().temporary();
    Plugcast::new(&folder.path().join("in"), &["build", "--to", "codex", "--out", "../out"])
        .run()
        .expect_code(0);
    assert!(folder.path().join("out/codex").is_dir());
}

#[test]
fn case_5_the_baseline_of_settings_lies_in_the_source() {
    let expected = "or pass this path with `--baseline`";
    for path in ["../id_rsa", "linked", "/etc/shadow"] {
        refused(
            &format!("[check]\nbaseline = \"{path}\"\n"),
            &["check", "in"],
            "plugcast.toml:2:12",
            expected,
        );
    }
}

#[test]
fn case_5_extra_files_of_a_release_lie_in_the_repository() {
    let outside = tempfile::NamedTempFile::new().unwrap();
    fs::write(outside.path(), "{ \"version\": \"9.9.9\" }").unwrap();
    let outside = outside.path().to_str().unwrap();
    let climbing = format!("{}{}", "../".repeat(12), outside.trim_start_matches('/'));
    let told =
        format!("{{ \"packages\": {{ \".\": {{ \"extra-files\": [\n\"{climbing}\",\n\"linked\"] }} }} }}\n");
    let tree = demo().below("in").link("linked", outside).file("release-please-config.json", told);
    let folder = committed(&tree.file("CHANGELOG.md", "# Changelog\n"));
    let finished = Plugcast::new(folder.path(), &["release", "check", "--format", "json"]).run();
    let text = &finished.stdout;
    for expected in [
        format!("`{climbing}` leads out of the repository"),
        "`linked` leads out of the repository".to_owned(),
    ] {
        assert!(text.contains(&expected), "`{expected}` is missing in {text}{}", finished.stderr);
    }
    assert!(
        text.contains("\"line\": 2") && text.contains("\"line\": 3") && !text.contains("9.9.9"),
        "{text}"
    );
}

#[test]
fn case_5_the_output_folder_of_settings_must_not_be_in_the_source_or_git() {
    for (path, expected) in [
        ("", "which is the source folder itself"),
        (".", "which is the source folder itself"),
        ("././", "which is the source folder itself"),
        (".git", "which is in git's data folder"),
        (".GIT/x", "which is in git's data folder"),
        ("a/.git/x", "which is in git's data folder"),
    ] {
        let settings = format!("[build]\nto = [\"codex\"]\nout = \"{path}\"\n");
        for arguments in [&["build", "in"][..], &["check", "in"]] {
            refused(&settings, arguments, "plugcast.toml:3:7", expected);
        }
    }
}

#[test]
fn case_5_the_files_of_a_release_lie_in_the_source() {
    for (expected, place) in [
        ("versions = [\"../id_rsa\"]", "plugcast.toml:2:13"),
        ("versions = [\"docs/VERSION\",\n\"../id_rsa#name\"]", "plugcast.toml:3:1"),
        ("versions = [\"linked\"]", "plugcast.toml:2:13"),
        ("versions = [\"/etc/passwd#x\"]", "plugcast.toml:2:13"),
        ("versions = [\"{plugin}/../../id_rsa\"]", "plugcast.toml:2:13"),
        ("changelog = \"../id_rsa\"", "plugcast.toml:2:13"),
        ("changelog = \"linked\"", "plugcast.toml:2:13"),
    ] {
        let key = expected.split(' ').next().unwrap_or_default();
        for arguments in [&["build", "in", "--to", "codex", "--out", "out"][..], &["check", "in"]] {
            refused(&format!("[release]\n{expected}\n"), arguments, place, &format!("`release.{key}` names"));
        }
    }
}

#[test]
fn case_5_the_files_of_a_release_are_read_and_fixed_within_the_repository_alone() {
    let settings = |path: &str| format!("[release]\nversions = [\"{path}\"]\nchangelog = \"../NEWS.md\"\n");
    let tree = demo()
        .file("in/plugcast.toml", settings("../VERSION"))
        .file("VERSION", "0.9.0\n")
        .file("NEWS.md", "# News\n\n## 1.0.0\n\n- The first\n");
    let folder = committed(&tree);
    for _ in 0..2 {
        Plugcast::new(folder.path(), &["release", "check", "in", "--fix"]).run().expect_code(0);
        assert_eq!(fs::read_to_string(folder.path().join("VERSION")).unwrap(), "1.0.0\n");
    }
    fs::write(folder.path().join("in/plugcast.toml"), settings("../../VERSION")).unwrap();
    for arguments in [&["release", "check", "in"][..], &["release", "check", "in", "--fix"]] {
        let finished = Plugcast::new(folder.path(), arguments).run().expect_code(2);
        let expected = "`release.versions` names `../../VERSION`, which is outside of the repository";
        assert!(
            finished.stderr.contains(expected) && finished.stderr.contains("plugcast.toml:2:13"),
            "{}",
            finished.stderr
        );
    }
}

/// Settings of a past commit are nobody's to mend: the release gate would stay shut until there is another release.
#[test]
fn case_5_settings_of_a_past_commit_that_cannot_be_used_count_for_nothing() {
    for (settings, expected) in [
        (&b"[chekc]\n"[..], "is ignored: line 1, column 2: unknown field `chekc`"),
        (b"[build]\nname = \"\xe9\"\n", "is ignored: line 2, column 9: not valid UTF-8"),
        (b"[build]\nout = \"../out\"\n", "is ignored: line 2, column 7: `build.out` names `../out`"),
        (b"[targets.codex.rename]\n\"skill:nowhere\" = \"x\"\n", "is ignored: line 2, column 1"),
        (b"[build]\nto = [\"codex\", \"nope\"]\n", "builds for the host `nope`, which is unknown now"),
    ] {
        let folder = committed(&demo().file("in/plugcast.toml", settings));
        git(folder.path(), &["tag", "v1.0.0"]);
        fs::write(folder.path().join("in/plugcast.toml"), "").unwrap();
        commit(folder.path(), "mended");
        for arguments in [
            &["diff", "v1.0.0:in", "in"][..],
            &["release", "check", "in"],
            &["release", "check", "in", "--base", "v1.0.0"],
        ] {
            let finished = Plugcast::new(folder.path(), arguments).run().expect_code(0);
            let warned = format!("warning: `v1.0.0:in/plugcast.toml` {expected}");
            assert!(finished.stderr.contains(&warned), "{arguments:?}: {}", finished.stderr);
        }
    }
}

/// `check --since` took a commit with such settings for one without a source: everything was new.
#[test]
fn case_5_settings_of_a_past_commit_make_no_finding_new() {
    for settings in [
        "[chekc]\n",
        "[build]\nto = [\"nope\"]\n",
        "[check]\nselect = [\"nope\"]\n",
        "[targets.codex.rename]\n\"skill:nowhere\" = \"x\"\n",
    ] {
        let text = "---\nname: t\ndescription: Says it\n---\n\nRead [it](missing.md).\n";
        let tree = demo().file("in/plugcast.toml", settings).file("in/skills/t/SKILL.md", text);
        let folder = committed(&tree);
        git(folder.path(), &["tag", "v1.0.0"]);
        fs::write(folder.path().join("in/plugcast.toml"), "").unwrap();
        commit(folder.path(), "mended");
        let all = Plugcast::new(folder.path(), &["check", "in"]).run();
        assert!(all.stdout.contains("missing.md"), "{settings}: {}", all.stdout);
        let since = Plugcast::new(folder.path(), &["check", "in", "--since", "v1.0.0"]).run().expect_code(0);
        assert!(!since.stdout.contains("missing.md"), "{settings}: {}", since.stdout);
        assert!(since.stderr.contains("warning: `v1.0.0:"), "{settings}: {}", since.stderr);
    }
}
