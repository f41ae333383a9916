//! A commit as files in a temporary folder: the folder that was asked for with everything below it, and
//! the configuration that lies above it. The repository it comes from is only read.

use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Git, GitError, answered, not_started};
use crate::disk::scratch::{self, Scratch};
use crate::process::temporary;

/// One folder of one commit, removed from the disk when dropped.
#[derive(Debug)]
pub struct Snapshot {
    _scratch: Scratch,
    folder: PathBuf,
}

/// A file of a commit.
struct Entry {
    path: Utf8PathBuf,
    mode: String,
    object: String,
}

impl Snapshot {
    /// Takes `folder`, which counts from the repository's top, out of `commit`. Files named `above` are
    /// taken from the folders above it, too.
    ///
    /// # Errors
    /// When the commit has no such folder, or the files cannot be had or written.
    pub fn of(
        git: &Git,
        (commit, reference): (&str, &str),
        folder: &Utf8Path,
        above: &str,
    ) -> Result<Self, GitError> {
        let tree = format!("{commit}:{folder}");
        if !git.has_folder(commit, folder)? {
            let message = format!("`{reference}` has no folder `{folder}`");
            return Err(GitError::new(message, "name a folder that it has, such as `REF:path/to/plugin`"));
        }
        let listed = git.answer(&["ls-tree", "-r", "-z", "--full-tree", &tree])?;
        let mut entries = entries(&listed, folder);
        for parent in folder.ancestors().skip(1) {
            let path = parent.join(above);
            let listed = git.answer(&["ls-tree", "-z", "--full-tree", commit, path.as_str()])?;
            entries.extend(self::entries(&listed, Utf8Path::new("")));
        }
        must_be_tree(&entries, reference)?;
        let input: String = entries.iter().map(|entry| format!("{}\n", entry.object)).collect();
        let batch = git.command(&["cat-file", "--batch"])?.input(input).run().map_err(not_started)?;
        let contents = answered(&batch)?;
        let scratch = Scratch::new().map_err(not_made)?;
        write(&entries, &contents, scratch.path())?;
        // The top of a repository: nobody looks for configuration above it.
        scratch.folder(".git").map_err(|error| failed(&error))?;
        let folder = scratch.folder(folder.as_str()).map_err(|error| failed(&error))?;
        Ok(Self { _scratch: scratch, folder })
    }

    /// The folder that was asked for.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

fn not_made(error: std::io::Error) -> GitError {
    if temporary::is_unusable(&error) {
        GitError::new(error.to_string(), temporary::HELP)
    } else {
        failed(&error)
    }
}

fn failed(error: &dyn std::fmt::Display) -> GitError {
    GitError::new(
        format!("the files of a commit cannot be laid out in a temporary folder: {error}"),
        "free some space in the folder for temporary files",
    )
}

/// Sees that no path of a commit is there twice, or leads through a file or a link of the same commit: git writes no
/// such tree, and laying one out would write wherever the link leads.
fn must_be_tree(entries: &[Entry], reference: &str) -> Result<(), GitError> {
    let mut paths: Vec<&Utf8Path> = entries.iter().map(|entry| entry.path.as_path()).collect();
    paths.sort();
    let bad = paths.windows(2).find(|pair| pair[1].starts_with(pair[0]));
    let Some(path) = bad.and_then(|pair| pair.first()) else { return Ok(()) };
    let message = format!("the tree of `{reference}` has two entries at `{path}`");
    Err(GitError::new(message, "`git fsck` names the tree; commit the files again without it"))
}

/// The files and links of `ls-tree -z`, below `base`; what another repository holds is passed over.
fn entries(listed: &[u8], base: &Utf8Path) -> Vec<Entry> {
    let line = |line: &[u8]| {
        let (head, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
        let mut words = head.split(' ');
        let (mode, kind, object) = (words.next()?, words.next()?, words.next()?);
        let is_plain = |part: camino::Utf8Component| matches!(part, camino::Utf8Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
        let plain = Utf8Path::new(path).components().all(is_plain);
        (kind == "blob" && plain).then(|| Entry {
            path: base.join(path),
            mode: mode.to_owned(),
            object: object.to_owned(),
        })
    };
    listed.split(|byte| *byte == 0).filter_map(line).collect()
}

/// Writes what `cat-file --batch` printed for `entries`, in their order.
fn write(entries: &[Entry], contents: &[u8], top: &Path) -> Result<(), GitError> {
    let (mut rest, mut links) = (contents, Vec::new());
    for entry in entries {
        let missing = || {
            let message = format!("git does not have the content of `{}`", entry.path);
            GitError::new(message, "fetch the whole history, without a filter")
        };
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(missing)?;
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let size: usize = head.rsplit(' ').next().and_then(|size| size.parse().ok()).ok_or_else(missing)?;
        let bytes = rest.get(end + 1..end + 1 + size).ok_or_else(missing)?;
        rest = rest.get(end + 2 + size..).ok_or_else(missing)?;
        let path = top.join(&entry.path);
        if entry.mode == "120000" {
            links.push((path, String::from_utf8_lossy(bytes).into_owned()));
        } else {
            scratch::write(&path, bytes, entry.mode == "100755").map_err(|error| failed(&error))?;
        }
    }
    // Last of all, so that no file is written through one, whatever the file system takes for the same name.
    for (path, target) in links {
        scratch::link(&path, Path::new(&target)).map_err(|error| failed(&error))?;
    }
    Ok(())
}
