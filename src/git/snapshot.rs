//! A commit as files in memory: the requested folder with everything below it, and the configuration above it. A commit
//! with bundles, which are read from open folders, is written to a temporary folder. The repository itself is only
//! read.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Git, GitError, not_run, output_of};
use crate::disk::memory::{MemoryNode, MemoryTree};
use crate::disk::{FileSystem, plain_files};
use crate::process::temporary;
use crate::source::MOST_BYTES;
use crate::temp_dir::TempFolder;

/// The maximum size of the names of a tree, as git lists them.
const MOST_NAMES: usize = 64 * 1024 * 1024;

/// One folder of one commit, removed when dropped.
#[derive(Debug)]
pub struct CommitSnapshot {
    place: SnapshotRoot,
    file_system: FileSystem,
    folder: PathBuf,
    left_out: SkippedEntries,
    contents: ObjectContents,
    absent: MissingObjects,
}

/// The location of the files of a commit.
#[derive(Debug)]
enum SnapshotRoot {
    Memory,
    Disk(TempFolder),
}

/// The content of each object by its id. Neighbouring commits share most of them.
type ObjectContents = BTreeMap<String, Arc<[u8]>>;

/// The file at the top of a bundle.
const MANIFEST: &str = ".plugcast/manifest.json";

/// The entries of a commit that are skipped because git itself would not check them out.
#[derive(Debug, Default)]
struct SkippedEntries {
    /// The first of them, for a message.
    first: Option<String>,
    count: usize,
}

impl SkippedEntries {
    fn add(&mut self, path: &[u8]) {
        self.first.get_or_insert_with(|| String::from_utf8_lossy(path).into_owned());
        self.count += 1;
    }
}

/// The files with missing content, and whether it was requested.
type MissingObjects = BTreeMap<Utf8PathBuf, Arc<AtomicBool>>;

fn not_there(path: &Utf8Path) -> GitError {
    let message = format!("git does not have the content of `{path}`");
    GitError::new(message, "run `git fetch --refetch --no-filter`, which fetches what a filter omitted")
}

/// A file of a commit.
struct CommitEntry {
    path: Utf8PathBuf,
    mode: String,
    object: String,
    size: u64,
}

impl CommitEntry {
    fn is_link(&self) -> bool {
        self.mode == "120000"
    }

    fn is_executable(&self) -> bool {
        self.mode == "100755"
    }

    /// Whether it marks its folder as a bundle.
    fn is_manifest(&self) -> bool {
        self.path.ends_with(MANIFEST)
    }
}

impl CommitSnapshot {
    /// Loads `folder`, relative to the repository's top, from `commit`. Files named `above` are also loaded from the
    /// folders above it. Objects in `other`, a commit of the same repository, are not read again.
    ///
    /// # Errors
    /// When the commit has no such folder, or the files cannot be read or written.
    pub fn load(
        git: &Git,
        (commit, reference): (&str, &str),
        folder: &Utf8Path,
        above: &str,
        other: Option<&Self>,
    ) -> Result<Self, GitError> {
        let tree = format!("{commit}:{folder}");
        if !git.has_folder(commit, folder)? {
            let message = format!("`{reference}` has no folder `{folder}`");
            return Err(GitError::new(message, "name a folder that it has, such as `REF:path/to/plugin`"));
        }
        let listed = listing(git, &["-r", &tree], reference)?;
        let mut left_out = SkippedEntries::default();
        let mut entries = entries(&listed, folder, &mut left_out);
        for parent in folder.ancestors().skip(1) {
            let path = parent.join(above);
            let listed = listing(git, &[commit, path.as_str()], reference)?;
            entries.extend(self::entries(&listed, Utf8Path::new(""), &mut left_out));
        }
        // Git has what a commit holds in every clone, so no pattern leaves any of it out.
        entries.retain(|entry| entry.path.file_name() != Some(".gitignore"));
        must_be_tree(&entries, reference)?;
        must_fit(&entries, reference)?;
        // Each object once, however many files have this content.
        let mut contents = other.map(|other| other.contents.clone()).unwrap_or_default();
        let objects: BTreeMap<&str, u64> = entries
            .iter()
            .filter(|entry| !contents.contains_key(&entry.object))
            .map(|entry| (entry.object.as_str(), entry.size))
            .collect();
        let input: String = objects.keys().map(|object| format!("{object}\n")).collect();
        let most = objects.iter().map(|(object, size)| size + object.len() as u64 + HEAD).sum::<u64>();
        let batch = git.command(&["cat-file", "--batch"])?.input(input);
        let batch = git.run_bounded(&batch, usize::try_from(most).unwrap_or(usize::MAX))?;
        let answer = output_of(&batch)?;
        let read = split_objects(&answer);
        // The mode comes from the tree; the type must be checked on the object itself.
        let is_blob =
            |entry: &CommitEntry| read.get(entry.object.as_str()).is_none_or(|object| object.kind == "blob");
        let (entries, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_blob);
        others.iter().for_each(|entry| left_out.add(entry.path.as_str().as_bytes()));
        let blobs = read.into_iter().filter(|(_, object)| object.kind == "blob");
        contents.extend(blobs.map(|(id, object)| (id.to_owned(), Arc::from(object.bytes))));
        let absent: MissingObjects = entries
            .iter()
            .filter(|entry| !contents.contains_key(&entry.object))
            .map(|entry| (entry.path.clone(), Arc::default()))
            .collect();
        let (place, file_system) = match entries.iter().any(CommitEntry::is_manifest) {
            true => match absent.first_key_value() {
                Some((path, _)) => return Err(not_there(path)),
                None => (SnapshotRoot::Disk(on_disk(&entries, &contents, folder)?), FileSystem::default()),
            },
            false => {
                let tree = in_memory(&entries, &contents, &absent, folder);
                (SnapshotRoot::Memory, FileSystem::with_tree(tree))
            }
        };
        let folder = place.path().join(folder);
        Ok(Self { place, file_system, folder, left_out, contents, absent })
    }

    /// Checks that git had the content of every requested file: a partial clone may lack files that no plugin ships.
    ///
    /// # Errors
    /// When content is missing.
    pub fn must_be_whole(&self) -> Result<(), GitError> {
        let asked = self.absent.iter().find(|(_, asked)| asked.load(Ordering::Relaxed));
        asked.map_or(Ok(()), |(path, _)| Err(not_there(path)))
    }

    /// A remark about skipped entries of the commit, if there are any.
    pub fn remark(&self, reference: &str) -> Option<String> {
        let first = self.left_out.first.as_ref()?;
        let more = match self.left_out.count {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        Some(format!(
            "warning: the tree of `{reference}` has entries that git never checks out, and they are skipped: `{first}`{more}"
        ))
    }

    /// The file system with its files.
    pub fn file_system(&self) -> &FileSystem {
        &self.file_system
    }

    /// The top of the repository in that file system.
    pub fn top(&self) -> &Path {
        self.place.path()
    }

    /// Whether it may contain bundles.
    pub fn has_bundles(&self) -> bool {
        matches!(self.place, SnapshotRoot::Disk(_))
    }

    /// Removes a file from this private copy; returns whether it existed.
    pub fn remove(&mut self, path: &Path) -> bool {
        match &self.place {
            SnapshotRoot::Memory => self.file_system.remove(path),
            SnapshotRoot::Disk(_) => path.starts_with(self.top()) && plain_files::remove(path).is_ok(),
        }
    }

    /// The requested folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl SnapshotRoot {
    fn path(&self) -> &Path {
        match self {
            Self::Memory => Path::new(MemoryTree::TOP),
            Self::Disk(scratch) => scratch.path(),
        }
    }
}

/// This folder marks the top of a repository: configuration above it is ignored.
const GIT: &str = ".git";

fn in_memory(
    entries: &[CommitEntry],
    contents: &ObjectContents,
    absent: &MissingObjects,
    folder: &Utf8Path,
) -> MemoryTree {
    let node = |entry: &CommitEntry| {
        if let Some(asked) = absent.get(&entry.path) {
            return MemoryNode::Absent(asked.clone());
        }
        let bytes = contents.get(&entry.object).cloned().unwrap_or_default();
        match entry.is_link() {
            true => MemoryNode::Link(String::from_utf8_lossy(&bytes).into_owned()),
            false => MemoryNode::File { bytes, executable: entry.is_executable() },
        }
    };
    let folders = [Utf8Path::new(GIT), folder].map(|path| (path, MemoryNode::Folder(Vec::new())));
    let folders = folders.into_iter().filter(|(path, _)| !path.as_str().is_empty());
    MemoryTree::new(folders.chain(entries.iter().map(|entry| (entry.path.as_path(), node(entry)))))
}

fn on_disk(
    entries: &[CommitEntry],
    contents: &ObjectContents,
    folder: &Utf8Path,
) -> Result<TempFolder, GitError> {
    let scratch = TempFolder::new().map_err(not_made)?;
    let bytes = |entry: &CommitEntry| contents.get(&entry.object).map_or(&[][..], |bytes| bytes);
    // Links last, so that no file is written through one, even if the file system treats different names as equal.
    let (links, files): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.is_link());
    for entry in files {
        let made =
            plain_files::create(&scratch.path().join(&entry.path), bytes(entry), entry.is_executable());
        made.map_err(|error| failed(&error))?;
    }
    for entry in links {
        let target = String::from_utf8_lossy(bytes(entry)).into_owned();
        let made = plain_files::link(&scratch.path().join(&entry.path), Path::new(&target));
        made.map_err(|error| failed(&error))?;
    }
    for folder in [GIT, folder.as_str()] {
        scratch.folder(folder).map_err(|error| failed(&error))?;
    }
    Ok(scratch)
}

fn not_made(error: std::io::Error) -> GitError {
    if temporary::is_unusable(&error) {
        GitError::new(error.to_string(), temporary::HELP)
    } else {
        failed(&error)
    }
}

fn failed(error: &dyn std::fmt::Display) -> GitError {
    let folder = temporary::folder();
    GitError::new(
        format!("the files of a commit cannot be written to `{}`: {error}", folder.display()),
        temporary::DISK_FULL_HELP,
    )
}

/// The size of git's header and trailer of each object besides its id: its type, its size, and line ends.
const HEAD: u64 = 64;

/// The output of `ls-tree` for a part of a commit.
pub(super) fn listing(git: &Git, of: &[&str], reference: &str) -> Result<Vec<u8>, GitError> {
    let words = [&["ls-tree", "-l", "-z", "--full-tree"], of].concat();
    match git.command(&words)?.run_piped(MOST_NAMES) {
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(GitError::new(
            format!("the tree of `{reference}` has too many files: their names take more than 64 MiB"),
            SMALLER,
        )),
        ended => output_of(&ended.map_err(not_run)?),
    }
}

const SMALLER: &str = "name a folder within it, such as `REF:path/to/plugin`";

/// Checks that the files of a commit are not too large.
fn must_fit(entries: &[CommitEntry], reference: &str) -> Result<(), GitError> {
    // Shared content counts once per file.
    let bytes = entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.size));
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(GitError::new(format!("the files of `{reference}` are larger than 512 MiB in total"), SMALLER))
}

/// Checks that no path of a commit occurs twice, or goes through a file or a link of the same commit: git writes no
/// such tree, and checking one out would write to the target of the link.
fn must_be_tree(entries: &[CommitEntry], reference: &str) -> Result<(), GitError> {
    let mut paths: Vec<&Utf8Path> = entries.iter().map(|entry| entry.path.as_path()).collect();
    paths.sort();
    let bad = paths.windows(2).find(|pair| pair[1].starts_with(pair[0]));
    let Some(path) = bad.and_then(|pair| pair.first()) else { return Ok(()) };
    let message = format!("the tree of `{reference}` has two entries at `{path}`");
    Err(GitError::new(message, "`git fsck` names the tree; commit the files again without it"))
}

/// The files and links of `ls-tree -l -z`, below `base`; submodules are skipped.
fn entries(listed: &[u8], base: &Utf8Path, left_out: &mut SkippedEntries) -> Vec<CommitEntry> {
    let line = |line: &[u8]| {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let (head, bytes) = (std::str::from_utf8(&line[..tab]).ok()?, &line[tab + 1..]);
        let mut words = head.split_whitespace();
        let (mode, kind, object) = (words.next()?, words.next()?, words.next()?);
        // A missing object has no size, and is reported when it is requested.
        let size = words.next().and_then(|size| size.parse().ok()).unwrap_or_default();
        let is_plain = |part: camino::Utf8Component| matches!(part, camino::Utf8Component::Normal(name) if !name.eq_ignore_ascii_case(".git"));
        let path = std::str::from_utf8(bytes).ok().map(Utf8Path::new);
        if kind == "commit" {
            return None;
        }
        let Some(path) = path.filter(|path| kind == "blob" && path.components().all(is_plain)) else {
            left_out.add(bytes);
            return None;
        };
        Some(CommitEntry { path: base.join(path), mode: mode.to_owned(), object: object.to_owned(), size })
    };
    listed.split(|byte| *byte == 0).filter_map(line).collect()
}

/// A git object.
struct GitObject<'a> {
    /// `blob`, `tree`, `commit` or `tag`.
    kind: &'a str,
    bytes: &'a [u8],
}

/// Parses the output of `cat-file --batch`, by object; missing objects are absent.
fn split_objects(answer: &[u8]) -> BTreeMap<&str, GitObject<'_>> {
    fn object(rest: &[u8]) -> Option<(&str, GitObject<'_>, &[u8])> {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let mut words = std::str::from_utf8(&rest[..end]).ok()?.split(' ');
        let (object, kind) = (words.next()?, words.next()?);
        let size = words.next()?.parse::<usize>().ok()?;
        let next = rest.get(end.checked_add(size)?.checked_add(2)?..)?;
        Some((object, GitObject { kind, bytes: &rest[end + 1..end + 1 + size] }, next))
    }
    let (mut rest, mut found) = (answer, BTreeMap::new());
    loop {
        match (object(rest), rest.iter().position(|byte| *byte == b'\n')) {
            (Some((id, object, next)), _) => {
                found.insert(id, object);
                rest = next;
            }
            // A missing object has only one line.
            (None, Some(end)) if rest[..end].ends_with(b" missing") => rest = &rest[end + 1..],
            _ => return found,
        }
    }
}
