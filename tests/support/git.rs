//! The real git in a test's own folder: nothing of the user's configuration counts, and who commits, and
//! when, is always the same.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::tree::Tree;

/// Runs git in a folder and returns what it prints.
///
/// # Panics
/// When it fails.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let ended = command(folder, arguments).output().expect("git can be started");
    assert!(ended.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"])
        .args(["-c", "commit.gpgSign=false", "-c", "tag.gpgSign=false"])
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Ann")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "ann@example.org")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_DATE"), "2024-01-01T00:00:00Z")));
    command
}

/// A repository whose first commit holds `tree`.
pub fn committed(tree: &Tree) -> tempfile::TempDir {
    let folder = tree.temporary();
    git(folder.path(), &["init", "-q"]);
    commit(folder.path(), "first");
    folder
}

/// Commits everything that is there.
pub fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", message]);
}

/// Writes one file, with the folders above it.
pub fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be written");
}

/// Everything that a command must leave alone: the work tree, and what git knows.
pub fn state(folder: &Path) -> (Tree, String) {
    let tree = Tree::read(folder).without(".git/");
    let refs = git(folder, &["for-each-ref"]) + &git(folder, &["status", "--porcelain=v2", "--branch"]);
    (tree, refs + &git(folder, &["worktree", "list"]) + &git(folder, &["stash", "list"]))
}
