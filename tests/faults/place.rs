//! Output folders that cannot be written, or cannot hold a bundle: one sentence with the
//! path, what to do, exit code 2, and nothing is changed.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use super::error;
use super::fixture::source;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

fn build(folder: &Path, src: &str, out: &str) -> FinishedRun {
    let arguments = ["build", src, "--to", "codex", "--out", out, "--name", "p", "--format", "json"];
    without_root(Plugcast::new(folder, &arguments)).run()
}

/// Root may write anywhere, unless it gives that right away.
pub fn without_root(run: Plugcast) -> Plugcast {
    if rustix::process::geteuid().is_root() {
        return run.below("setpriv", &["--bounding-set=-dac_override,-dac_read_search,-fowner", "--"]);
    }
    run
}

/// Runs a build that must be refused, and checks that it changed nothing.
#[track_caller]
fn refused(folder: &Path, src: &str, out: &str, message: &str, help: &str) {
    let before = Tree::read(folder);
    let finished = build(folder, src, out).expect_code(2);
    let error = error(&finished);
    assert_eq!((error["message"].as_str(), error["help"].as_str()), (Some(message), Some(help)));
    assert_eq!(Tree::read(folder), before, "something was changed");
}

#[test]
fn a_folder_that_may_not_be_written_is_named() {
    let folder = source().temporary();
    let out = folder.path().join("out");
    let help = "make the folder writable, or pass another one with `--out`";
    fs::create_dir(&out).unwrap();
    fs::set_permissions(&out, Permissions::from_mode(0o555)).unwrap();
    refused(
        folder.path(),
        "src",
        "out",
        "cannot lock `out/.plugcast.lock`: Permission denied (os error 13)",
        help,
    );
    refused(
        folder.path(),
        "src",
        "out/new",
        "cannot create `out/new`: Permission denied (os error 13)",
        help,
    );

    // What is there stays, too.
    fs::set_permissions(&out, Permissions::from_mode(0o755)).unwrap();
    build(folder.path(), "src", "out").expect_code(0);
    fs::write(folder.path().join("src/skills/a/new.txt"), "new\n").unwrap();
    fs::set_permissions(&out, Permissions::from_mode(0o555)).unwrap();
    refused(
        folder.path(),
        "src",
        "out",
        "cannot lock `out/.plugcast.lock`: Permission denied (os error 13)",
        help,
    );
    fs::set_permissions(&out, Permissions::from_mode(0o755)).unwrap();
    build(folder.path(), "src", "out").expect_code(0);
}

#[test]
fn read_only_files_and_folders_do_not_block_a_build() {
    let folder = source().temporary();
    build(folder.path(), "src", "out").expect_code(0);
    let out = folder.path().join("out/codex");
    Tree::new().file("closed/mine", "mine\n").write(&out);
    for path in ["plugins/p/skills/a/SKILL.md", "closed/mine"] {
        fs::set_permissions(out.join(path), Permissions::from_mode(0o444)).unwrap();
    }
    fs::set_permissions(out.join("closed"), Permissions::from_mode(0o555)).unwrap();
    fs::write(folder.path().join("src/skills/a/new.txt"), "new\n").unwrap();
    build(folder.path(), "src", "out").expect_code(0);
    let mode = |path: &str| fs::metadata(out.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("closed"), mode("closed/mine")), (0o555, 0o444), "modes of others stay");
    assert_eq!(mode("plugins/p/skills/a/SKILL.md"), 0o644);
    assert_eq!(super::fixture::siblings(folder.path()), ["codex"]);
    fs::set_permissions(out.join("closed"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_file_or_a_dangling_link_is_refused_as_output_folder() {
    let folder = source().temporary();
    fs::write(folder.path().join("out"), "mine\n").unwrap();
    let elsewhere = "pass another folder with `--out`";
    refused(folder.path(), "src", "out", "`out` is a file, not a folder", elsewhere);
    let help = "move it away, or pass another folder with `--out`";
    let below = "cannot create `out/below`: Not a directory (os error 20)";
    refused(folder.path(), "src", "out/below", below, help);
    symlink("nowhere", folder.path().join("link")).unwrap();
    refused(folder.path(), "src", "link", "`link` is a link whose target is not a folder", elsewhere);
    fs::create_dir(folder.path().join("dist")).unwrap();
    fs::write(folder.path().join("dist/codex"), "mine\n").unwrap();
    let help = "move it away, or pass another folder with `--out`";
    refused(folder.path(), "src", "dist", "`dist/codex` is a file, not a folder", help);
}

#[test]
fn a_link_is_followed_to_the_output_folder_and_not_beyond() {
    let folder = source().temporary();
    fs::create_dir_all(folder.path().join("real/codex")).unwrap();
    fs::write(folder.path().join("real/codex/mine"), "mine\n").unwrap();
    symlink("real", folder.path().join("out")).unwrap();
    build(folder.path(), "src", "out").expect_code(0);
    assert!(folder.path().join("real/codex/plugins/p").is_dir());
    assert!(fs::symlink_metadata(folder.path().join("out")).unwrap().is_symlink());

    fs::create_dir(folder.path().join("dist")).unwrap();
    symlink("../real/codex", folder.path().join("dist/codex")).unwrap();
    refused(
        folder.path(),
        "src",
        "dist",
        "`dist/codex` is a link, and plugcast writes only inside the output folder",
        "remove the link, or pass the folder above its target with `--out`",
    );
}

#[test]
fn the_source_may_hold_the_output_and_never_the_other_way_round() {
    let folder = source().temporary();
    let src = folder.path().join("src");
    for out in [".", "deep/in/the/source"] {
        build(&src, ".", out).expect_code(0);
        let before = Tree::read(&src);
        build(&src, ".", out).expect_code(0);
        assert!(Tree::read(&src) == before, "`--out {out}` was read as a source");
    }
    fs::rename(&src, folder.path().join("codex")).unwrap();
    let elsewhere = "pass another folder with `--out`";
    refused(folder.path(), "codex", ".", "`./codex` contains the source", elsewhere);
    refused(folder.path(), "codex/skills/a", ".", "`./codex` contains the source", elsewhere);
}

#[test]
fn folders_above_the_output_are_made() {
    let folder = source().temporary();
    build(folder.path(), "src", "a/b/c").expect_code(0);
    assert!(folder.path().join("a/b/c/codex/plugins/p").is_dir());
}

/// A disk of 64 KiB in a separate namespace; where that is not allowed, the walks stand for it.
#[test]
fn a_disk_that_is_really_full_leaves_the_old_bundle() {
    let folder = source().temporary();
    fs::create_dir(folder.path().join("disk")).unwrap();
    let script = "set -e
        mount -t tmpfs -o size=64k,mode=755 tmpfs disk || exit 77
        build() { \"$0\" build src --to codex --out disk/out --format json; }
        build > first
        cp -r disk/out before
        head -c 60000 /dev/zero > src/skills/a/big.bin
        if build > second; then exit 1; else echo $? > code; fi
        cp -r disk/out after
        ls -A disk > left";
    let mut command = Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        script,
        env!("CARGO_BIN_EXE_plugcast"),
    ]);
    let Ok(output) = command.current_dir(folder.path()).output() else { return };
    let refused = String::from_utf8_lossy(&output.stderr).contains("unshare");
    if refused || output.status.code() == Some(77) {
        crate::support::print_line("left out, because a namespace is not allowed here: a really full disk");
        return;
    }
    assert!(output.status.success(), "{output:?}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!((read("code").as_str(), read("left").as_str()), ("2\n", "out\n"));
    let tree = |name: &str| Tree::read(&folder.path().join(name));
    assert!(tree("before") == tree("after"), "the old bundle was changed");
    let answer: serde_json::Value = serde_json::from_str(&read("second")).unwrap();
    let message =
        "cannot write `disk/out/codex/plugins/p/skills/a/big.bin`: No space left on device (os error 28)";
    assert_eq!(answer["error"]["message"], message);
    assert_eq!(answer["error"]["help"], "free some space, or pass another folder with `--out`");
}
