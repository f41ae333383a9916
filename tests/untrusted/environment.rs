//! 13: what the environment does not give is named: a full output, a missing folder for temporary files.

use super::demo;
use crate::support::git::committed;
use crate::support::print_line;
use crate::support::run::Plugcast;

#[test]
fn case_13_an_unusable_folder_for_temporary_files_is_named() {
    let folder = committed(&demo());
    let arguments = ["verify", "in", "--to", "codex"];
    let finished = Plugcast::new(folder.path(), &arguments).env("TMPDIR", "/none/such").run().expect_code(2);
    for expected in ["error: the folder for temporary files, `/none/such`, cannot be used", "set `TMPDIR` to"]
    {
        assert!(finished.stderr.contains(expected), "`{expected}` is missing: {}", finished.stderr);
    }
    assert!(!finished.stderr.contains("git"), "{}", finished.stderr);
}

#[test]
fn case_13_what_needs_no_temporary_file_works_without_a_folder_for_them() {
    let folder = committed(&demo());
    for arguments in [
        &["check", "in", "--since", "HEAD"][..],
        &["diff", "HEAD:in", "in", "--to", "codex"],
        &["release", "check", "in", "--base", "HEAD"],
    ] {
        Plugcast::new(folder.path(), arguments).env("TMPDIR", "/none/such").run().expect_code(0);
    }
}

/// A folder of 64 KiB in a separate namespace; where that is not allowed, nothing is shown.
#[test]
fn case_16_a_full_folder_for_temporary_files_is_named() {
    let folder = committed(&demo().file("small/empty", ""));
    let script = "mount -t tmpfs -o size=64k,mode=755 tmpfs small || exit 77
        head -c 70000 /dev/zero > small/full 2>/dev/null
        TMPDIR=$PWD/small; export TMPDIR
        exec \"$0\" \"$@\"";
    let run = Plugcast::new(folder.path(), &["verify", "in", "--to", "codex", "--host-bin", "codex=sh"]);
    let finished = run.below("unshare", &["--user", "--map-root-user", "--mount", "sh", "-c", script]).run();
    if finished.stderr.contains("unshare") || finished.code == Some(77) {
        print_line("left out, because a namespace is not allowed here: a full folder for temporary files");
        return;
    }
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    for expected in ["/small", "No space left on device", "free some space there, or set `TMPDIR`"] {
        assert!(finished.stderr.contains(expected), "`{expected}`: {}", finished.stderr);
    }
    assert!(!finished.stderr.contains("git work tree"), "{}", finished.stderr);
}
