//! 13: what the environment does not give is named: a full output, a folder for temporary files that there is not.

use super::demo;
use crate::support::git::committed;
use crate::support::run::Plugcast;

#[test]
fn case_13_an_unusable_folder_for_temporary_files_is_named() {
    let folder = committed(&demo());
    for arguments in [
        &["diff", "HEAD:in", "in", "--to", "codex"][..],
        &["release", "check", "in", "--base", "HEAD"],
        &["verify", "in", "--to", "codex"],
    ] {
        let finished =
            Plugcast::new(folder.path(), arguments).env("TMPDIR", "/none/such").run().expect_code(2);
        for said in ["error: the folder for temporary files, `/none/such`, cannot be used", "set `TMPDIR` to"]
        {
            assert!(
                finished.stderr.contains(said),
                "`{said}` is missing: {arguments:?}: {}",
                finished.stderr
            );
        }
        assert!(!finished.stderr.contains("git"), "{arguments:?}: {}", finished.stderr);
    }
}

#[test]
fn case_13_what_needs_no_temporary_file_works_without_a_folder_for_them() {
    let folder = committed(&demo());
    let run = Plugcast::new(folder.path(), &["check", "in", "--since", "HEAD"]);
    run.env("TMPDIR", "/none/such").run().expect_code(0);
}
