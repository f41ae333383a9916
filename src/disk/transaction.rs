//! Changes several files of the user's tree, and moves a folder, as one transaction. All new content is staged next to
//! the files it replaces, then a journal of the changes is written, then names change. A run that ends before the
//! journal exists has changed nothing; the next run that finds the journal completes it.
mod witness;

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::FileType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit::{self, EditError};
use super::folder::{self, Folder};
use super::missing_name::none_if_missing;
use super::{DiskError, fs_op, open_beneath, replace};
use crate::schema;

pub use witness::JournalWitness;

/// The journal, in the folder to which its paths are relative.
const JOURNAL: &str = ".plugcast-promote.json";
/// The suffix of staged files.
const STAGED_SUFFIX: &str = ".plugcast-new";

/// The new text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextRewrite {
    /// The file, relative to the root, before anything moves.
    pub path: Utf8PathBuf,
    /// The expected current text.
    pub old: Arc<str>,
    /// The new text.
    pub new: Arc<str>,
}

/// The move of a folder; an existing one at the new path is removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FolderMove {
    /// The old path, relative to the root.
    #[schemars(with = "String")]
    pub from: Utf8PathBuf,
    /// The new path.
    #[schemars(with = "String")]
    pub to: Utf8PathBuf,
}

/// The changes to make after all new content is staged: `plugcast.promoting/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransactionJournal {
    /// `plugcast.promoting/1`.
    pub schema: String,
    /// The name of the change, for a user who finds it unfinished.
    pub what: String,
    /// Files whose new text is staged next to them, relative to the root.
    #[schemars(with = "Vec<String>")]
    pub files: Vec<Utf8PathBuf>,
    /// Folders that move after the files are replaced.
    pub moves: Vec<FolderMove>,
}

/// Why a change was not made, or not completed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransactionError {
    /// Nothing was changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Nothing was changed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Some names are changed and some are not; the journal is kept.
    #[error("{0}; a part of the change is made")]
    Unfinished(DiskError),
    /// This program did not write the journal.
    #[error("`{}` {message}", .path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

/// Whether a path is inside of the data of version control.
fn is_private(path: &Utf8Path) -> bool {
    path.components().any(|part| part.as_str().trim_end_matches([' ', '.']).eq_ignore_ascii_case(".git"))
}

/// The unfinished change of an earlier run of this user below `root`.
///
/// # Errors
/// When there is a journal that cannot be read or trusted.
pub fn unfinished_change(
    root: &Folder,
    witness: JournalWitness<'_>,
) -> Result<Option<TransactionJournal>, TransactionError> {
    let path = root.path().join(JOURNAL);
    let wrong = |message: String| TransactionError::Journal { path: path.clone(), message };
    let text = root.read_text(Utf8Path::new(JOURNAL));
    let text = text.map_err(|error| wrong(format!("cannot be read: {}", error.source)))?;
    let Some(text) = text else { return Ok(None) };
    let journal: TransactionJournal =
        serde_json::from_str(&text).map_err(|error| wrong(format!("is not a journal: {error}")))?;
    schema::PROMOTING
        .accept(&journal.schema)
        .map_err(|message| wrong(format!("cannot be used: {message}")))?;
    let paths = journal.moves.iter().flat_map(|moved| [&moved.from, &moved.to]).chain(&journal.files);
    let outside = paths.into_iter().find(|path| !open_beneath::is_inner(path)).cloned();
    if let Some(outside) = outside {
        return Err(wrong(format!("names `{outside}`, which is not a path below its folder")));
    }
    let private = {
        let mut paths = journal.moves.iter().flat_map(|moved| [&moved.from, &moved.to]).chain(&journal.files);
        paths.find(|path| is_private(path)).cloned()
    };
    if let Some(private) = private {
        return Err(wrong(format!("names `{private}`, which belongs to version control")));
    }
    if let Some(linked) = linked(root, &journal) {
        return Err(wrong(format!("names `{linked}`, to which a link leads")));
    }
    if !witness.has_started(root, &text) {
        return Err(wrong("was not written here by you: it may have come with the repository".to_owned()));
    }
    Ok(Some(journal))
}

/// The first path of `journal` that is a link or reached through one: nothing is moved or removed there.
fn linked(root: &Folder, journal: &TransactionJournal) -> Option<Utf8PathBuf> {
    let folders = journal.moves.iter().flat_map(|moved| [&moved.from, &moved.to]);
    let leads = |path: &&Utf8PathBuf| match root.parent_of(path) {
        Err(error) => error.kind() != io::ErrorKind::NotFound,
        Ok((folder, name)) => {
            let names = [name.to_owned(), staged_name(name), replace::sibling(name, "old")];
            names.iter().any(|name| kind(&folder, name) == Some(FileType::Symlink))
        }
    };
    folders.chain(&journal.files).find(leads).cloned()
}

fn kind(folder: &OwnedFd, name: &str) -> Option<FileType> {
    folder::stat(folder, name).map(|stat| folder::kind(&stat))
}

/// Makes a change below `root`: replaces the text of every file of `files`, then moves every folder of `moves`.
///
/// # Errors
/// When a file is not a plain file or has changed since it was read, or the disk fails. Only
/// [`TransactionError::Unfinished`] leaves a part of the change behind, together with the journal.
pub fn apply(
    root: &Folder,
    witness: JournalWitness<'_>,
    what: &str,
    files: &[TextRewrite],
    moves: &[FolderMove],
) -> Result<(), TransactionError> {
    for file in files {
        edit::find_plain(root, &file.path, &file.old)?;
    }
    let journal = TransactionJournal {
        schema: schema::PROMOTING.tag(),
        what: what.to_owned(),
        files: files.iter().map(|file| file.path.clone()).collect(),
        moves: moves.to_vec(),
    };
    let text = serde_json::to_string_pretty(&journal).unwrap_or_default() + "\n";
    witness.remember(root, &text)?;
    let mut written = Vec::new();
    if let Err(error) = begin(root, files, &text, &mut written) {
        // The first error is the one to report.
        for (folder, name) in written.iter().filter_map(|path| root.parent_of(path).ok()) {
            let new = staged_name(name);
            if kind(&folder, &new).is_some() {
                let _ = fs_op::remove_file(folder, new.as_str());
            }
        }
        return Err(error);
    }
    complete(root, witness, &journal)
}

/// Stages every new text next to its file, and then writes the journal. Staged files are added to `written`.
fn begin<'a>(
    root: &Folder,
    files: &'a [TextRewrite],
    journal: &str,
    written: &mut Vec<&'a Utf8Path>,
) -> Result<(), TransactionError> {
    for file in files {
        let failed = |error| DiskError::new("change", &root.path().join(&file.path), error);
        // The file may have changed since.
        let old = edit::find_plain(root, &file.path, &file.old)?;
        written.push(&file.path);
        folder::create_new(&old.folder, &staged_name(old.name), file.new.as_bytes(), old.mode)
            .map_err(failed)?;
    }
    let path = root.path().join(JOURNAL);
    let failed = |error| DiskError::new("write", &path, error);
    folder::replace(root, JOURNAL, journal.as_bytes(), 0o644).map_err(failed)?;
    Ok(())
}

/// Makes the remaining changes of `journal`, and removes it.
///
/// # Errors
/// When the disk fails; the journal is kept then.
pub fn complete(
    root: &Folder,
    witness: JournalWitness<'_>,
    journal: &TransactionJournal,
) -> Result<(), TransactionError> {
    let full = |path: &Utf8Path| root.path().join(path);
    let failed = |verb, path: &Utf8Path| {
        let path = full(path);
        move |error| TransactionError::Unfinished(DiskError::new(verb, &path, error))
    };
    let link = || io::Error::new(io::ErrorKind::InvalidInput, "a link leads there");
    if let Some(linked) = linked(root, journal) {
        return Err(failed("change", &linked)(link()));
    }
    for path in &journal.files {
        let Some((folder, name)) = parent_of(root, path).map_err(failed("change", path))? else { continue };
        let new = staged_name(name);
        match kind(&folder, &new) {
            None => {}
            Some(FileType::RegularFile) => {
                fs_op::rename(&folder, new.as_str(), &folder, name).map_err(failed("change", path))?;
            }
            Some(_) => return Err(failed("change", path)(link())),
        }
    }
    for moved in &journal.moves {
        let from = parent_of(root, &moved.from).map_err(failed("move", &moved.from))?;
        let to = parent_of(root, &moved.to).map_err(failed("replace", &moved.to))?;
        let Some((to, name)) = to else { continue };
        let old = replace::sibling(name, "old");
        if let Some((from, source)) = from
            && let Some(there) = kind(&from, source)
        {
            if there == FileType::Symlink {
                return Err(failed("move", &moved.from)(link()));
            }
            if kind(&to, name).is_some() {
                fs_op::rename(&to, name, &to, old.as_str()).map_err(failed("replace", &moved.to))?;
            }
            fs_op::rename(&from, source, &to, name).map_err(failed("move", &moved.from))?;
        }
        let parent = full(moved.to.parent().unwrap_or(Utf8Path::new("")));
        replace::remove(&to, &old, &parent).map_err(TransactionError::Unfinished)?;
    }
    fs_op::remove_file(root, JOURNAL).map_err(failed("remove", Utf8Path::new(JOURNAL)))?;
    witness.forget(root);
    Ok(())
}

/// The folder that contains `path`, and its name there; `None` if there is no such folder.
fn parent_of<'a>(root: &Folder, path: &'a Utf8Path) -> io::Result<Option<(OwnedFd, &'a str)>> {
    none_if_missing(root.parent_of(path))
}

/// Removes the leftover of a run at `path`, if it has the name of a staged file.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_staged(root: &Folder, path: &Utf8Path) -> Result<(), DiskError> {
    if !is_staged(path) {
        return Ok(());
    }
    root.parent_of(path)
        .and_then(|(folder, name)| fs_op::remove_file(folder, name))
        .map_err(|error| DiskError::new("remove", &root.path().join(path), error))
}

/// Whether `path` has the name of a staged file.
pub fn is_staged(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| name.starts_with('.') && name.ends_with(STAGED_SUFFIX))
}

fn staged_name(name: &str) -> String {
    format!(".{name}{STAGED_SUFFIX}")
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test looks at what was written")]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn open(path: &Path) -> Folder {
        Folder::open(path).unwrap()
    }

    fn rewrite(path: &str, old: &str, new: &str) -> TextRewrite {
        TextRewrite { path: path.into(), old: Arc::from(old), new: Arc::from(new) }
    }

    #[test]
    fn files_change_and_a_folder_takes_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (path, text) in [("a/x", "ax"), ("b/x", "bx"), ("b/only", ""), ("c", "c")] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        let moves = [FolderMove { from: "a".into(), to: "b".into() }];
        let changed =
            apply(&open(root), JournalWitness(None), "w", &[rewrite("c", "other", "")], &moves).unwrap_err();
        assert!(matches!(changed, TransactionError::Edit(EditError::Changed(_))), "{changed}");
        apply(
            &open(root),
            JournalWitness(None),
            "w",
            &[rewrite("a/x", "ax", "new"), rewrite("c", "c", "C")],
            &moves,
        )
        .unwrap();
        assert_eq!(fs::read_to_string(root.join("b/x")).unwrap(), "new");
        assert_eq!(fs::read_to_string(root.join("c")).unwrap(), "C");
        assert!(!root.join("a").exists() && !root.join("b/only").exists());
        assert_eq!(fs::read_dir(root).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn a_journal_that_leads_elsewhere_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: String| fs::write(folder.path().join(JOURNAL), text).unwrap();
        let journal = |from: &str| {
            format!(
                "{{\"schema\":\"plugcast.promoting/1\",\"what\":\"\",\"files\":[],\"moves\":[{{\"from\":\"{from}\",\"to\":\"b\"}}]}}"
            )
        };
        for text in
            [journal("../a"), journal("/etc"), journal(""), "{}".to_owned(), journal("a").replace("/1", "/9")]
        {
            write(text.clone());
            assert!(
                matches!(
                    unfinished_change(
                        &open(folder.path()),
                        JournalWitness(Some(&folder.path().join("state")))
                    ),
                    Err(TransactionError::Journal { .. })
                ),
                "{text}"
            );
        }
        for (from, expected) in
            [("a/.GIT/hooks", "version control"), (".git", "version control"), ("a", "by you")]
        {
            write(journal(from));
            let refused =
                unfinished_change(&open(folder.path()), JournalWitness(None)).unwrap_err().to_string();
            assert!(refused.contains(expected), "{from}: {refused}");
        }
        write(journal("a"));
        let state = folder.path().join("state");
        JournalWitness(Some(&state)).remember(&open(folder.path()), &journal("a")).unwrap();
        assert!(
            unfinished_change(&open(folder.path()), JournalWitness(Some(&folder.path().join("state"))))
                .unwrap()
                .is_some()
        );
    }
}
