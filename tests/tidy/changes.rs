//! Every change of the file system has one way: a name in an open folder, through the gate of `src/disk/fs_op.rs`. Only the
//! owners below call the system for it, and only they take a path as it is.

use super::files::SourceFile;
use super::hosts::{is_test_file, without_tests};
use super::rust::{Token, tokens};

/// Calls that change something, and who makes them.
const CALLS: [&str; 9] = [
    "CREATE",
    "chmodat",
    "fchmod",
    "linkat",
    "mkdirat",
    "renameat",
    "renameat_with",
    "symlinkat",
    "unlinkat",
];
const CALLERS: [&str; 3] = ["src/disk/fs_op.rs", "src/disk/root/change.rs", "src/disk/root/lock.rs"];

/// Calls of the standard library that change something and take a path: nobody makes them.
const BY_PATH: [(&str, &[&str]); 3] = [
    (
        "fs",
        &[
            "copy",
            "create_dir",
            "create_dir_all",
            "hard_link",
            "remove_dir",
            "remove_dir_all",
            "remove_file",
            "rename",
            "set_permissions",
            "write",
        ],
    ),
    ("File", &["create", "create_new", "options"]),
    ("OpenOptions", &["new"]),
];
/// It opens for reading.
const READER: &str = "src/disk/reader.rs";

/// The working folder as an open one, so that a path counts as it is: to open what somebody named, and in temporary
/// folders of our own.
const WORKING_FOLDER: &str = "CWD";
const BY_NAME: [&str; 5] = [
    "src/disk/open_beneath.rs",
    "src/disk/folder.rs",
    "src/disk/root.rs",
    "src/disk/plain_files.rs",
    "src/disk/fs_op.rs",
];

/// Changes of the file system outside of their owners, unit tests left out.
pub fn unowned_changes(file: &SourceFile) -> Vec<String> {
    let path = file.path.as_str();
    if is_test_file(path) {
        return Vec::new();
    }
    let tokens = without_tests(tokens(&file.text));
    let name = |at: usize| match tokens.get(at) {
        Some((_, Token::Name(name))) => name.as_str(),
        _ => "",
    };
    let is_path =
        |at: usize| [1, 2].iter().all(|next| tokens.get(at + next).is_some_and(|(_, mark)| mark.is(':')));
    let mut found = Vec::new();
    for (at, (line, _)) in tokens.iter().enumerate() {
        let word = name(at);
        let by_path = BY_PATH.iter().find(|(owner, _)| *owner == word && is_path(at));
        let instead = if CALLS.contains(&word) && !CALLERS.contains(&path) {
            "changes belong to src/disk/fs_op.rs"
        } else if word == WORKING_FOLDER && !BY_NAME.contains(&path) {
            "open the folder that was named, and change names in it"
        } else if by_path.is_some_and(|(_, calls)| calls.contains(&name(at + 3))) && path != READER {
            "open the folder that was named, and change names in it by src/disk/fs_op.rs"
        } else {
            continue;
        };
        found.push(format!("{path}:{line}: `{word}`: {instead}"));
    }
    found
}

/// Calls of git and gh that pass by `src/git_command.rs`, and so by the settings and the environment that start no program
/// of a repository.
pub fn bare_git(file: &SourceFile) -> Vec<String> {
    let bare = |line: &str| {
        ["\"git\"", "\"gh\""].iter().any(|name| line.contains(&format!("ChildCommand::new({name}")))
    };
    let lines = file.text.lines().enumerate().filter(|(_, line)| bare(line));
    lines.map(|(at, _)| format!("{}:{}: start it by `git_command::command`", file.path, at + 1)).collect()
}

#[test]
fn a_bare_call_of_git_is_found() {
    let found = |text: &str| bare_git(&SourceFile::new("src/a.rs", text)).len();
    assert_eq!(found("let a = ChildCommand::new(\"git\", folder);"), 1);
    assert_eq!(found("let a = git_command::command(\"git\", folder, own);"), 0);
}

#[test]
fn changes_outside_of_their_owners_are_found() {
    let found = |path: &str, text: &str| unowned_changes(&SourceFile::new(path, text)).len();
    for text in [
        "fn f() { std::fs::write(a, b); }",
        "fn f() { fs::remove_dir_all(a); }",
        "fn f() { File::create(a); }",
        "fn f() { OpenOptions::new(); }",
        "use rustix::fs::{openat, renameat};",
        "fn f() { openat(at, name, OFlags::CREATE, mode) }",
        "fn f() { make_folder(CWD, name) }",
    ] {
        assert_eq!(found("src/disk/edit.rs", text), 1, "{text}");
        assert_eq!(found("src/cli/build.rs", text), 1, "{text}");
    }
    assert_eq!(found("src/disk/fs_op.rs", "use rustix::fs::{fchmod, renameat};"), 0);
    assert_eq!(found("src/disk/plain_files.rs", "fn f() { step::create(CWD, path) }"), 0);
    let tests = "fn a() {}\n#[cfg(test)]\n#[expect(clippy::x, reason = \"a\")]\nmod tests { fn f() { fs::write(a, b) } }";
    assert_eq!(found("src/disk/edit.rs", tests), 0);
    assert_eq!(found("src/disk/edit.rs", "fn f() { fs::read(a); step::rename(a, b); }"), 0);
}
