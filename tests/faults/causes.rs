//! Each reason for which nothing can be written has separate advice, in both programs; and a child that never ends is
//! told as such.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::{binary, error, fixture};
use crate::support::run::Plugcast;

/// What the system says, its advice, and whether it can be a sandbox.
const REASONS: [(&str, &str, &str); 4] = [
    ("ENOSPC", "No space left on device", "free some space"),
    ("EDQUOT", "Disk quota exceeded", "free some of your disk quota"),
    ("EFBIG", "File too large", "raise the limit on the size of a file (`ulimit -f`)"),
    ("EROFS", "Read-only file system", "make the file system writable"),
];

fn helper(folder: &std::path::Path, fault: &str, path: Option<&str>, words: &[&str]) -> Value {
    let state = folder.join("state").display().to_string();
    let mut run =
        Plugcast::with_program(binary::faulty_helper(), folder, words).env("XDG_STATE_HOME", &state);
    if let Some(path) = path {
        run = run.env("PATH", path);
    }
    let finished = run.env(binary::VARIABLE, fault).run();
    let answer: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let mut error = answer["error"].clone();
    error["exit"] = finished.code.into();
    error
}

#[test]
fn the_advice_of_the_helper_fits_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
        let done =
            std::process::Command::new("git").args(identity).args(words).current_dir(folder.path()).output();
        assert!(done.expect("git").status.success(), "{words:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "start"]);
    for (fault, words, advice) in REASONS {
        for step in [1, 4] {
            let start = ["review", "start", "--mode", "headless", "--take-over"];
            let error = helper(folder.path(), &format!("{fault}@{step}"), None, &start);
            let text_of = |key: &str| error[key].as_str().expect("a text").to_owned();
            let code = if fault == "EROFS" { "sandboxed" } else { "state_unwritable" };
            assert_eq!(
                (text_of("code").as_str(), &error["exit"]),
                (code, &5.into()),
                "{fault}@{step}: {error}"
            );
            assert!(text_of("message").contains(words), "{fault}@{step}: {error}");
            assert!(
                text_of("hint").contains(advice) && text_of("hint").contains("`--root`"),
                "{fault}: {error}"
            );
        }
    }
}

#[test]
fn the_advice_of_the_compiler_fits_the_reason() {
    for (fault, words, advice) in REASONS {
        let folder = fixture::source().temporary();
        let build = ["build", "src", "--to", "codex", "--out", "out", "--format", "json"];
        let run = Plugcast::new(folder.path(), &build).binary(binary::faulty());
        let finished = run.env(binary::VARIABLE, &format!("{fault}@3")).run().expect_code(2);
        let error = error(&finished);
        assert!(error["message"].as_str().is_some_and(|text| text.contains(words)), "{fault}: {error}");
        let help = format!("{advice}, or pass another folder with `--out`");
        assert_eq!(error["help"], help, "{fault}");
    }
}

/// Issue 16, case 12: exit 7 of `repo base`, which is declared.
#[test]
fn a_program_that_does_not_end_is_exit_7() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).expect("it can be made");
    let git = programs.join("git");
    fs::write(&git, "#!/bin/sh\nexec /bin/sleep 600\n").expect("it can be written");
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    for words in [&["repo", "base"][..], &["review", "start"], &["gc", "--older-than", "1d"]] {
        let error = helper(folder.path(), "impatient@100", Some(&path), words);
        assert_eq!((&error["code"], &error["exit"]), (&"timeout".into(), &7.into()), "{words:?}: {error}");
        assert_eq!(error["message"], "`git` did not end in time", "{words:?}");
    }
}
