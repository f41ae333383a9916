//! 8: a named pipe is refused at once, and an endless device takes no memory, wherever a command opens what a repository, a
//! bundle or the command line names.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::demo;
use crate::support::git::{commit, committed};
use crate::support::run::Plugcast;

/// What is in the place of a regular file.
#[derive(Debug, Clone, Copy)]
enum Special {
    Pipe,
    Endless,
}

fn put(special: Special, path: &Path) {
    let _ = fs::remove_file(path);
    match special {
        Special::Pipe => {
            assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo can be started").success());
        }
        Special::Endless => symlink("/dev/zero", path).expect("a link can be made"),
    }
}

fn fixture() -> TempDir {
    let played = "#!/bin/sh\n[ \"$1\" = --version ] && echo codex-cli 0.169.0 && exit\nexit 1\n";
    let folder = committed(
        &demo()
            .file("in/plugcast.toml", "[build]\nto = [\"codex\"]\n")
            .file("in/CHANGELOG.md", "# Changelog\n\n## 1.0.0\n\n- First.\n")
            .file(
                "release-please-config.json",
                "{ \"packages\": { \"in\": { \"extra-files\": [\"version.txt\"] } } }",
            )
            .file(".release-please-manifest.json", "{ \"in\": \"1.0.0\" }")
            .file("in/version.txt", "1.0.0\n")
            .script("codex", played),
    );
    commit_second(folder.path());
    Plugcast::new(folder.path(), &["build", "in", "--to", "codex", "--out", "out"]).run().expect_code(0);
    folder
}

fn commit_second(folder: &Path) {
    fs::write(folder.join("note"), "second").expect("a file can be written");
    commit(folder, "second");
}

/// Where the special file stands, and what is run.
const PLACES: &[(&str, &[&str])] = &[
    ("in/plugcast.toml", &["build", "in", "--to", "codex", "--out", "out"]),
    ("in/plugcast.toml", &["check", "in"]),
    ("in/plugcast.toml", &["release", "check", "in"]),
    ("baseline.json", &["check", "in", "--baseline", "baseline.json"]),
    ("in/.claude-plugin/plugin.json", &["build", "in", "--to", "codex", "--out", "out"]),
    ("in/skills/s/SKILL.md", &["check", "in"]),
    ("in/README.md", &["check", "in"]),
    ("in/.gitignore", &["check", "in"]),
    ("out/codex/.plugcast/manifest.json", &["build", "in", "--to", "codex", "--out", "out"]),
    (
        "out/codex/.plugcast/ledger.json",
        &["build", "in", "--to", "codex", "--out", "out", "--deny-new-losses"],
    ),
    ("out/codex/.plugcast/record.json", &["build", "in", "--to", "codex", "--out", "out"]),
    ("out/codex/.plugcast/verified.json", &["build", "in", "--to", "codex", "--out", "out"]),
    ("out/codex/.plugcast/sourcemap.json", &["explain", "out/codex/plugins/demo/skills/s/SKILL.md:1"]),
    (
        "out/codex/plugins/demo/skills/s/SKILL.md",
        &["build", "in", "--to", "codex", "--out", "out", "--check"],
    ),
    ("out/codex/plugins/demo/skills/s/SKILL.md", &["build", "in", "--to", "codex", "--out", "out", "--diff"]),
    ("out/codex/plugins/demo/skills/s/SKILL.md", &["explain", "out/codex/plugins/demo/skills/s/SKILL.md:1"]),
    ("out/codex/plugins/demo/skills/s/SKILL.md", &["verify", "out", "--host-bin", "codex=codex"]),
    ("out/codex/plugins/demo/skills/s/SKILL.md", &["diff", "out", "out"]),
    ("out/codex/.plugcast/manifest.json", &["verify", "out", "--host-bin", "codex=codex"]),
    ("out/codex/.plugcast/ledger.json", &["verify", "out", "--host-bin", "codex=codex"]),
    ("out/codex/.plugcast/manifest.json", &["diff", "out", "out"]),
    ("out/.plugcast.lock", &["build", "in", "--to", "codex", "--out", "out"]),
    ("in/CHANGELOG.md", &["release", "check", "in", "--base", "HEAD~1"]),
    ("release-please-config.json", &["release", "check", "in", "--base", "HEAD~1"]),
    (".release-please-manifest.json", &["release", "check", "in", "--base", "HEAD~1"]),
    ("in/version.txt", &["release", "check", "in", "--base", "HEAD~1"]),
    (".plugcast-promote.json", &["promote", "s-beta"]),
    ("in/.plugcast-promote.json", &["promote", "s-beta", "in"]),
    ("hosts/codex/target.toml", &["targets", "--targets-dir", "hosts"]),
    ("expected.json", &["eval", "."]),
    ("program", &["build", "in", "--to", "codex", "--out", "out", "--helper", "linux-x86_64=program"]),
    ("text", &["check", "text"]),
    ("text", &["build", "text", "--to", "codex", "--out", "out"]),
];

#[test]
fn case_8_special_files_neither_hang_nor_fill_the_memory() {
    for special in [Special::Pipe, Special::Endless] {
        for (place, arguments) in PLACES {
            let folder = fixture();
            let path = folder.path().join(place);
            fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder can be made");
            put(special, &path);
            // The watchdog ends its own child alone; what needs more than this memory is refused it.
            let line = "ulimit -v 4000000; exec timeout -k 1 60 \"$0\" \"$@\"";
            let finished = Plugcast::new(folder.path(), arguments).below("sh", &["-c", line]).run();
            assert!(
                matches!(finished.code, Some(0..=2)),
                "{special:?} at {place}: {arguments:?} ended with {:?}: {}",
                finished.code,
                finished.stderr
            );
        }
    }
}

/// What git reads in the repository of [`fixture`], besides the objects.
const READ_BY_GIT: [&str; 11] = [
    ".gitignore",
    "in/.gitattributes",
    "in/skills/.gitignore",
    ".git/info/exclude",
    ".git/info/attributes",
    ".git/packed-refs",
    ".git/HEAD",
    ".git/commondir",
    ".git/shallow",
    ".git/config",
    ".git/included",
];

#[test]
fn case_6_a_pipe_that_git_reads_is_named_and_holds_nobody() {
    let since: &[&str] = &["check", "in", "--since", "HEAD"];
    let calls = READ_BY_GIT.map(|place| (place, since)).into_iter().chain([
        (".gitignore", &["release", "check", "in", "--base", "HEAD~1"][..]),
        (".git/HEAD", &["release", "check", "in", "--base", "HEAD~1"]),
        (".git/packed-refs", &["diff", "HEAD~1", "in"]),
    ]);
    std::thread::scope(|scope| {
        for (place, arguments) in calls {
            scope.spawn(move || {
                let folder = fixture();
                let path = folder.path().join(place);
                fs::create_dir_all(path.parent().expect("a file has a folder"))
                    .expect("a folder can be made");
                if place == ".git/included" {
                    let config = folder.path().join(".git/config");
                    let text = fs::read_to_string(&config).expect("a configuration");
                    fs::write(&config, format!("{text}[include]\n\tpath = included\n")).expect("written");
                }
                put(Special::Pipe, &path);
                // Beside an index that is older than every file git compares what they hold, and asks for attributes.
                let index = fs::File::options().write(true).open(folder.path().join(".git/index"));
                let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
                index.and_then(|index| index.set_modified(long_ago)).expect("an index");
                let finished =
                    Plugcast::new(folder.path(), arguments).below("timeout", &["-k", "1", "60"]).run();
                let name = path.file_name().expect("a name").to_string_lossy();
                let expected = format!("{name}` is not a regular file of at most 100 MiB, and git reads it");
                assert!(
                    finished.code.is_some_and(|code| code <= 2)
                        && format!("{}{}", finished.stdout, finished.stderr).contains(&expected),
                    "{place}: {arguments:?} ended with {:?}: {}{}",
                    finished.code,
                    finished.stdout,
                    finished.stderr
                );
            });
        }
    });
}

/// Git took 8 GiB of a `.gitignore` into memory, and 15 seconds.
#[test]
fn case_6_a_gitignore_that_git_cannot_hold_is_named() {
    let folder = fixture();
    let ignored = folder.path().join(".gitignore");
    fs::File::create(&ignored).expect("a file").set_len(8 << 30).expect("a sparse file");
    let finished = Plugcast::new(folder.path(), &["check", "in", "--since", "HEAD"]).run().expect_code(2);
    let expected = ".gitignore` is not a regular file of at most 100 MiB, and git reads it";
    assert!(finished.stderr.contains(expected), "{}", finished.stderr);
}
