//! Checks that a folder is the working tree of the repository that was found: the configuration of a repository may
//! name any other folder.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs;
use std::path::Path;

use super::reader::{self, SizeLimit};

/// Whether `top` contains the repository at `repository`: as its `.git` folder, or as the target of its `.git` file.
pub fn is_work_tree_of(top: &Path, repository: &Path) -> bool {
    let named = top.join(".git");
    let Ok(repository) = fs::canonicalize(repository) else { return false };
    let is_it = |path: &Path| fs::canonicalize(path).is_ok_and(|path| path == repository);
    if is_it(&named) {
        return true;
    }
    let text = reader::read(&named, SizeLimit::Settings).ok().flatten();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    text.strip_prefix("gitdir: ").is_some_and(|path| is_it(&top.join(path.trim_end_matches(['\n', '\r']))))
}

/// Whether a folder is the top of a working tree, or a bare repository.
pub fn is_repository(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    has(".git") || has("HEAD") && has("objects") && has("refs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_above_is_not_a_work_tree_and_a_linked_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["outer/.git", "outer/inner/.git/worktrees/w", "linked"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        fs::write(at("linked/.git"), "gitdir: ../outer/inner/.git/worktrees/w\n").unwrap();
        assert!(is_work_tree_of(&at("outer/inner"), &at("outer/inner/.git")));
        assert!(is_work_tree_of(&at("linked"), &at("outer/inner/.git/worktrees/w")));
        for (top, repository) in
            [("outer", "outer/inner/.git"), ("linked", "outer/inner/.git"), ("", "outer/.git")]
        {
            assert!(!is_work_tree_of(&at(top), &at(repository)), "{top}");
        }
    }
}
