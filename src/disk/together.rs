//! Changes several files of the user's own tree, and moves a folder, as if at once. Everything new is
//! written beside what it replaces, then a journal says what is to happen, then names change. A run that
//! ends before the journal is there has changed nothing; whoever finds the journal later completes it.
#![expect(clippy::disallowed_methods, reason = "a part of the one owner of files")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit::{self, EditError};
use super::{DiskError, beneath, replace, step};
use crate::schema;

/// The journal, in the folder that the paths count from.
const JOURNAL: &str = ".plugcast-promote.json";
/// How names of staged files end.
const STAGED: &str = ".plugcast-new";

/// A text that a file gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The file, relative to the root, where it lies before anything moves.
    pub path: Utf8PathBuf,
    /// What it must hold.
    pub old: Arc<str>,
    /// What it is to hold.
    pub new: Arc<str>,
}

/// A folder that gets another place; what stands there goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Where it lies, relative to the root.
    #[schemars(with = "String")]
    pub from: Utf8PathBuf,
    /// Where it is to lie.
    #[schemars(with = "String")]
    pub to: Utf8PathBuf,
}

/// What is to happen once everything new is there: `plugcast.promoting/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// `plugcast.promoting/1`.
    pub schema: String,
    /// What the change is called, for the person who finds it half done.
    pub what: String,
    /// Files whose new text lies beside them, relative to the root.
    #[schemars(with = "Vec<String>")]
    pub files: Vec<Utf8PathBuf>,
    /// Folders that move once the files are done.
    pub moves: Vec<Move>,
}

/// Why a change was not made, or not made to its end.
#[derive(Debug, thiserror::Error)]
pub enum TogetherError {
    /// Nothing was changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Nothing was changed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Some names are changed and some are not; the journal stays.
    #[error("{0}; a part of the change is made")]
    Unfinished(DiskError),
    /// The journal is none that this program wrote.
    #[error("`{}` {message}", .path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

/// The change that an earlier run began below `root` and did not end.
///
/// # Errors
/// When there is a journal that cannot be read or trusted.
pub fn unfinished(root: &Path) -> Result<Option<Journal>, TogetherError> {
    let path = root.join(JOURNAL);
    let Some(text) = super::read_text(&path)? else { return Ok(None) };
    let wrong = |message: String| TogetherError::Journal { path: path.clone(), message };
    let journal: Journal =
        serde_json::from_str(&text).map_err(|error| wrong(format!("is no journal: {error}")))?;
    schema::PROMOTING
        .accept(&journal.schema)
        .map_err(|message| wrong(format!("cannot be used: {message}")))?;
    let paths = journal.moves.iter().flat_map(|moved| [&moved.from, &moved.to]).chain(&journal.files);
    let outside = paths.into_iter().find(|path| !beneath::is_inner(path)).cloned();
    if let Some(outside) = outside {
        return Err(wrong(format!("names `{outside}`, which is no path below its folder")));
    }
    match linked(root, &journal) {
        Some(linked) => Err(wrong(format!("names `{linked}`, to which a link leads"))),
        None => Ok(Some(journal)),
    }
}

/// The first path of `journal` that a link leads to, or that is one: nothing is moved or removed there.
fn linked(root: &Path, journal: &Journal) -> Option<Utf8PathBuf> {
    let folders = journal.moves.iter().flat_map(|moved| [&moved.from, &moved.to]);
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    let leads = |path: &&Utf8PathBuf| {
        let full = root.join(path);
        let parent = path.parent().unwrap_or(Utf8Path::new(""));
        beneath::must_be_folder(root, parent).is_err()
            || [full.clone(), staged(&full), replace::sibling(&full, "old")].iter().any(|path| is_link(path))
    };
    folders.chain(&journal.files).find(leads).cloned()
}

/// Makes a change below `root`: every file of `files` gets its new text, then every folder of `moves`
/// its new place.
///
/// # Errors
/// When a file is no plain one or holds something else than was read, or the disk fails. Only
/// [`TogetherError::Unfinished`] leaves a part of the change behind, and the journal with it.
pub fn apply(root: &Path, what: &str, files: &[Rewrite], moves: &[Move]) -> Result<(), TogetherError> {
    for file in files {
        edit::must_hold(root, &file.path, &file.old)?;
    }
    let journal = Journal {
        schema: schema::PROMOTING.tag(),
        what: what.to_owned(),
        files: files.iter().map(|file| file.path.clone()).collect(),
        moves: moves.to_vec(),
    };
    let text = serde_json::to_string_pretty(&journal).unwrap_or_default() + "\n";
    let mut written = Vec::new();
    let begun = files.iter().try_for_each(|file| {
        let full = root.join(&file.path);
        written.push(staged(&full));
        stage(&full, file.new.as_bytes()).map_err(|error| DiskError::new("change", &full, error))
    });
    let path = root.join(JOURNAL);
    let begun = begun.and_then(|()| {
        written.push(staged(&path));
        let begun = stage(&path, text.as_bytes()).and_then(|()| step::rename(&staged(&path), &path));
        begun.map_err(|error| DiskError::new("write", &path, error))
    });
    if let Err(error) = begun {
        // The first error is the one to report.
        written
            .iter()
            .filter(|new| fs::symlink_metadata(new).is_ok())
            .for_each(|new| drop(step::remove_file(new)));
        return Err(error.into());
    }
    complete(root, &journal)
}

/// Does what is left of `journal`, and removes it.
///
/// # Errors
/// When the disk fails; the journal stays then.
pub fn complete(root: &Path, journal: &Journal) -> Result<(), TogetherError> {
    let failed = |verb, path: &Path| {
        let path = path.to_owned();
        move |error| TogetherError::Unfinished(DiskError::new(verb, &path, error))
    };
    if let Some(linked) = linked(root, journal) {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "a link leads there");
        return Err(TogetherError::Unfinished(DiskError::new("change", &root.join(linked), error)));
    }
    for path in &journal.files {
        let full = root.join(path);
        if fs::symlink_metadata(staged(&full)).is_ok() {
            step::rename(&staged(&full), &full).map_err(failed("change", &full))?;
        }
    }
    for moved in &journal.moves {
        let (from, to) = (root.join(&moved.from), root.join(&moved.to));
        let old = replace::sibling(&to, "old");
        if fs::symlink_metadata(&from).is_ok() {
            if fs::symlink_metadata(&to).is_ok() {
                step::rename(&to, &old).map_err(failed("replace", &to))?;
            }
            step::rename(&from, &to).map_err(failed("move", &from))?;
        }
        replace::remove(&old).map_err(TogetherError::Unfinished)?;
    }
    let path = root.join(JOURNAL);
    step::remove_file(&path).map_err(failed("remove", &path))
}

/// Removes what a run left at `path`, if its name is one that only a staged file has.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_staged(root: &Path, path: &Utf8Path) -> Result<(), DiskError> {
    if !is_staged(path) {
        return Ok(());
    }
    let full = root.join(path);
    step::remove_file(&full).map_err(|error| DiskError::new("remove", &full, error))
}

/// Whether `path` is named as only a staged file is.
pub fn is_staged(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| name.starts_with('.') && name.ends_with(STAGED))
}

fn staged(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}{STAGED}"))
}

/// Writes what `path` is to hold beside it, with its mode.
fn stage(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = staged(path);
    // What an earlier run left when it was killed; a link there is removed, never followed.
    if fs::symlink_metadata(&new).is_ok() {
        step::remove_file(&new)?;
    }
    let mode = fs::symlink_metadata(path).map_or(0o644, |meta| edit::mode(&meta));
    let mut file = step::create(&new)?;
    step::write(&mut file, bytes)?;
    step::set_mode(&new, mode)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn rewrite(path: &str, old: &str, new: &str) -> Rewrite {
        Rewrite { path: path.into(), old: Arc::from(old), new: Arc::from(new) }
    }

    #[test]
    fn files_change_and_a_folder_takes_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (path, text) in [("a/x", "ax"), ("b/x", "bx"), ("b/only", ""), ("c", "c")] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        let moves = [Move { from: "a".into(), to: "b".into() }];
        let changed = apply(root, "w", &[rewrite("c", "other", "")], &moves).unwrap_err();
        assert!(matches!(changed, TogetherError::Edit(EditError::Changed(_))), "{changed}");
        apply(root, "w", &[rewrite("a/x", "ax", "new"), rewrite("c", "c", "C")], &moves).unwrap();
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
            assert!(matches!(unfinished(folder.path()), Err(TogetherError::Journal { .. })), "{text}");
        }
        write(journal("a"));
        assert!(unfinished(folder.path()).unwrap().is_some());
    }
}
