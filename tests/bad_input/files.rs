//! Files that cannot be read, and links that lead somewhere else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::source::{BadSource, skill};
use crate::support::helper::install;
use crate::support::tree::Tree;

const HELP: &str =
    "replace it with a regular file inside the source, or exclude it under `[build]` in `plugcast.toml`";

fn left_out(path: &str, why: &str) -> String {
    let rule = if why == "the link leaves the source" { "symlink-escape" } else { "unreadable-file" };
    format!("error {rule} {path}:1:1 `{path}` is skipped: {why} | {HELP}")
}

/// Runs as another user where the test's own may read everything.
#[test]
fn an_unreadable_file_is_left_out() {
    let folder =
        BadSource::plugin(Tree::new().file("skills/x/SKILL.md", skill("name: x\ndescription: d"))).written();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(folder.path().join("src/skills/x/SKILL.md"), fs::Permissions::from_mode(0o000))
        .unwrap();
    // The user may not reach the build folder: the program comes along.
    let program = folder.path().join("plugcast");
    install(Path::new(env!("CARGO_BIN_EXE_plugcast")), &program);
    let readable = fs::read(folder.path().join("src/skills/x/SKILL.md")).is_ok();
    let mut command = if readable {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        command
    } else {
        Command::new(&program)
    };
    command
        .args(["build", "src", "--to", "codex", "--out", "out", "--format", "json"])
        .current_dir(folder.path());
    let output = command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).output();
    let output = output.expect("`setpriv` of util-linux, where the tests run as root");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&output.stderr)));
    let found = answer["diagnostics"].as_array().expect("findings");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["rule"], "unreadable-file");
    assert_eq!(found[0]["path"], "skills/x/SKILL.md");
    assert_eq!(
        found[0]["message"],
        "`skills/x/SKILL.md` is skipped: cannot be read: Permission denied (os error 13)"
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(folder.path().join("out/codex/plugins/bad/skills/ok/SKILL.md").is_file());
}

#[test]
fn a_pipe_is_left_out() {
    let built = BadSource::plugin(Tree::new()).build_after(|src| {
        let made = Command::new("mkfifo").arg(src.join("skills/ok/pipe")).status();
        assert!(made.expect("`mkfifo`").success());
    });
    built.expect(1, &[&left_out("skills/ok/pipe", "it is neither a file nor a folder")]);
}

#[test]
fn links_out_of_the_source_and_broken_links_are_left_out() {
    let source = Tree::new()
        .link("skills/ok/a", "b")
        .link("skills/ok/b", "a")
        .link("skills/ok/broken", "../../nowhere")
        .link("skills/ok/inside.md", "SKILL.md")
        .link("skills/ok/leaves", "../../../secret.txt")
        .link("skills/ok/loop", "..");
    let built = BadSource::plugin(source).beside(Tree::new().file("secret.txt", "secret\n")).build();
    built.expect(
        1,
        &[
            &left_out(
                "skills/ok/a",
                "the link cannot be followed: Too many levels of symbolic links (os error 40)",
            ),
            &left_out(
                "skills/ok/b",
                "the link cannot be followed: Too many levels of symbolic links (os error 40)",
            ),
            &left_out(
                "skills/ok/broken",
                "the link cannot be followed: No such file or directory (os error 2)",
            ),
            &left_out("skills/ok/leaves", "the link leaves the source"),
            &left_out("skills/ok/loop", "the link leads back into a folder above it"),
        ],
    );
    for host in super::EVERY_HOST {
        let inside = built.path(&format!("out/{host}/plugins/bad/skills/ok/inside.md"));
        let meta = fs::symlink_metadata(&inside).expect("a link inside the source becomes the file");
        assert!(meta.is_file(), "{host}");
        assert!(!Tree::read(&built.path("out")).text().contains("secret\n"));
    }
}

#[test]
fn a_folder_behind_a_link_out_of_the_source_is_left_out() {
    let source = Tree::new().link("skills/away", "../../other");
    let other = Tree::new().file("other/SKILL.md", skill("name: away\ndescription: d"));
    let built = BadSource::plugin(source).beside(other).build();
    built.expect(1, &[&left_out("skills/away", "the link leaves the source")]);
}
