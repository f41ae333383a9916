//! A commit as files in a temporary folder: the folder that was asked for with everything below it, and
//! the configuration that lies above it. The repository it comes from is only read.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Git, GitError, answered, not_run};
use crate::disk::scratch::{self, Scratch};
use crate::process::temporary;
use crate::source::MOST_BYTES;

/// How many bytes the names of a tree may take, as git lists them.
const MOST_NAMES: usize = 64 * 1024 * 1024;

/// One folder of one commit, removed from the disk when dropped.
#[derive(Debug)]
pub struct Snapshot {
    scratch: Scratch,
    folder: PathBuf,
    left_out: LeftOut,
    laid_out: LaidOut,
}

/// Where the content of an object lies, by the object and whether the file may be executed. Another file of the same
/// content is a second name of it: a commit has few files that its neighbour does not have.
type LaidOut = BTreeMap<(String, bool), PathBuf>;

/// What of a commit is laid out nowhere, since git itself would write no such entry.
#[derive(Debug, Default)]
struct LeftOut {
    /// The first of it, for a sentence.
    first: Option<String>,
    count: usize,
}

impl LeftOut {
    fn add(&mut self, path: &[u8]) {
        self.first.get_or_insert_with(|| String::from_utf8_lossy(path).into_owned());
        self.count += 1;
    }
}

/// A file of a commit.
struct Entry {
    path: Utf8PathBuf,
    mode: String,
    object: String,
    size: u64,
}

impl Entry {
    fn is_link(&self) -> bool {
        self.mode == "120000"
    }

    /// What another file must share to be the same.
    fn key(&self) -> (String, bool) {
        (self.object.clone(), self.mode == "100755")
    }
}

impl Snapshot {
    /// Takes `folder`, which counts from the repository's top, out of `commit`. Files named `above` are
    /// taken from the folders above it, too. What is the same in `other`, which only this program has, is not laid out
    /// twice.
    ///
    /// # Errors
    /// When the commit has no such folder, or the files cannot be had or written.
    pub fn of(
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
        let mut left_out = LeftOut::default();
        let mut entries = entries(&listed, folder, &mut left_out);
        for parent in folder.ancestors().skip(1) {
            let path = parent.join(above);
            let listed = listing(git, &[commit, path.as_str()], reference)?;
            entries.extend(self::entries(&listed, Utf8Path::new(""), &mut left_out));
        }
        must_be_tree(&entries, reference)?;
        must_fit(&entries, reference)?;
        // Each once, however many files have this content.
        let mut laid_out = other.map(|other| other.laid_out.clone()).unwrap_or_default();
        let (known, new): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| !entry.is_link() && laid_out.contains_key(&entry.key()));
        let objects: BTreeMap<&str, u64> =
            new.iter().map(|entry| (entry.object.as_str(), entry.size)).collect();
        let input: String = objects.keys().map(|object| format!("{object}\n")).collect();
        let most = objects.iter().map(|(object, size)| size + object.len() as u64 + HEAD).sum::<u64>();
        let batch = git.command(&["cat-file", "--batch"])?.input(input);
        let batch = git.ended(&batch, usize::try_from(most).unwrap_or(usize::MAX))?;
        let contents = answered(&batch)?;
        let objects = split(&contents, &new)?;
        let scratch = Scratch::new().map_err(not_made)?;
        let mut links = Vec::new();
        for entry in known.iter().chain(&new) {
            let path = scratch.path().join(&entry.path);
            match objects.get(entry.object.as_str()) {
                // The mode is what the tree says of an object; what it is, the object itself says.
                Some(object) if object.kind != "blob" => left_out.add(entry.path.as_str().as_bytes()),
                Some(object) if entry.is_link() => links.push((path, object.bytes)),
                object => lay_out(entry, object.map(|object| object.bytes), path, &mut laid_out)?,
            }
        }
        // Last of all, so that no file is written through one, whatever the file system takes for the same name.
        for (path, target) in links {
            let target = String::from_utf8_lossy(target).into_owned();
            scratch::link(&path, Path::new(&target)).map_err(|error| failed(&error))?;
        }
        // The top of a repository: nobody looks for configuration above it.
        scratch.folder(".git").map_err(|error| failed(&error))?;
        let folder = scratch.folder(folder.as_str()).map_err(|error| failed(&error))?;
        Ok(Self { scratch, folder, left_out, laid_out })
    }

    /// Says what of the commit was left out, where something was.
    pub fn remark(&self, reference: &str) -> Option<String> {
        let first = self.left_out.first.as_ref()?;
        let more = match self.left_out.count {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        Some(format!(
            "warning: the tree of `{reference}` has entries that git checks out nowhere, and they are left out: `{first}`{more}"
        ))
    }

    /// Where the top of the repository is laid out.
    pub fn top(&self) -> &Path {
        self.scratch.path()
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
    let folder = temporary::folder();
    GitError::new(
        format!("the files of a commit cannot be laid out in `{}`: {error}", folder.display()),
        temporary::FULL,
    )
}

/// What git says before and behind each object besides its id: its kind, its size, and the ends of lines.
const HEAD: u64 = 64;

/// What `ls-tree` says of a part of a commit.
pub(super) fn listing(git: &Git, of: &[&str], reference: &str) -> Result<Vec<u8>, GitError> {
    let words = [&["ls-tree", "-l", "-z", "--full-tree"], of].concat();
    match git.command(&words)?.run_piped(MOST_NAMES) {
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(GitError::new(
            format!("the tree of `{reference}` has too many files: their names take more than 64 MiB"),
            SMALLER,
        )),
        ended => answered(&ended.map_err(not_run)?),
    }
}

const SMALLER: &str = "name a folder of it, such as `REF:path/to/plugin`";

/// Sees that the files of a commit can be laid out.
fn must_fit(entries: &[Entry], reference: &str) -> Result<(), GitError> {
    // The same content counts as often as it is there.
    let bytes = entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.size));
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(GitError::new(format!("the files of `{reference}` are larger than 512 MiB together"), SMALLER))
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

/// The files and links of `ls-tree -l -z`, below `base`; what another repository holds is passed over.
fn entries(listed: &[u8], base: &Utf8Path, left_out: &mut LeftOut) -> Vec<Entry> {
    let line = |line: &[u8]| {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let (head, bytes) = (std::str::from_utf8(&line[..tab]).ok()?, &line[tab + 1..]);
        let mut words = head.split_whitespace();
        let (mode, kind, object) = (words.next()?, words.next()?, words.next()?);
        // An object that git does not have has no size, and is missed when it is asked for.
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
        Some(Entry { path: base.join(path), mode: mode.to_owned(), object: object.to_owned(), size })
    };
    listed.split(|byte| *byte == 0).filter_map(line).collect()
}

/// What git has under one id.
struct Object<'a> {
    /// `blob`, `tree`, `commit` or `tag`.
    kind: &'a str,
    bytes: &'a [u8],
}

/// What `cat-file --batch` printed, by the object.
fn split<'a>(contents: &'a [u8], entries: &[Entry]) -> Result<BTreeMap<&'a str, Object<'a>>, GitError> {
    let (mut rest, mut found) = (contents, BTreeMap::new());
    while !rest.is_empty() {
        let object = |rest: &'a [u8]| {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let mut words = std::str::from_utf8(&rest[..end]).ok()?.split(' ');
            let (object, kind) = (words.next()?, words.next()?);
            let size = words.next()?.parse::<usize>().ok()?;
            let next = rest.get(end.checked_add(size)?.checked_add(2)?..)?;
            Some((object, Object { kind, bytes: &rest[end + 1..end + 1 + size] }, next))
        };
        // What is missing has no size.
        let Some((id, object, next)) = object(rest) else { break };
        found.insert(id, object);
        rest = next;
    }
    match entries.iter().find(|entry| !found.contains_key(entry.object.as_str())) {
        Some(entry) => {
            let message = format!("git does not have the content of `{}`", entry.path);
            Err(GitError::new(message, "fetch the whole history, without a filter"))
        }
        None => Ok(found),
    }
}

/// Lays a file of a commit out at `path`: as a second name of the same content, or with its `bytes`.
fn lay_out(
    entry: &Entry,
    bytes: Option<&[u8]>,
    path: PathBuf,
    laid_out: &mut LaidOut,
) -> Result<(), GitError> {
    if let Some(same) = laid_out.get(&entry.key()) {
        return scratch::name_again(same, &path).map_err(|error| failed(&error));
    }
    scratch::create(&path, bytes.unwrap_or_default(), entry.mode == "100755")
        .map_err(|error| failed(&error))?;
    laid_out.insert(entry.key(), path);
    Ok(())
}
