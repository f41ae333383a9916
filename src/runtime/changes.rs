//! What changed between two commits, or a commit and the working tree, file by file, and the diff. Both come from one
//! call of git, since comparing is the expensive part.

mod file_list;
mod filtered_files;
pub mod index_entries;
mod lines;
mod parts;

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::thread;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::CallFailure;
use super::git::{ATTRIBUTES_VERSION, Repository, records};
use crate::order;
use file_list::FileListEntry;

pub use filtered_files::FilteredFiles;
pub use parts::DiffSink;

/// One changed file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedFile {
    /// Relative to the repository's top; `�` if a name is not valid UTF-8.
    pub path: String,
    /// The name's bytes in base64, if they are not valid UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_b64: Option<String>,
    /// `A` added, `M` changed, `D` deleted, `R` renamed, `C` copied, `T` type changed, `U` in conflict.
    pub status: char,
    /// Lines added; 0 for binaries and submodules.
    pub added: u64,
    /// Lines deleted; 0 for binaries and submodules.
    pub deleted: u64,
    /// Whether git treats it as binary.
    pub binary: bool,
    /// Whether it is a submodule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub submodule: bool,
    /// The name before a rename or copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
}

/// The two sides to compare.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRequest<'a> {
    /// The commit on the old side.
    pub from: &'a str,
    /// The commit on the new side; none for the working tree.
    pub to: Option<&'a str>,
    /// Whether the diff is read; otherwise its lines are only counted.
    pub shown: bool,
    /// Pathspecs that exclude files.
    pub without: &'a [String],
    /// Whether binary files count as text.
    pub as_text: bool,
}

/// What differs.
#[derive(Debug, Default)]
pub struct TreeDifference {
    /// File by file, in git's order.
    pub changes: Vec<ChangedFile>,
    /// The size of the diff.
    pub bytes: u64,
    /// Pathspecs of working tree files that git reports as changed although they are unchanged.
    pub without: Vec<String>,
    /// Files that git reports as changed, but whose filter was not run: they may be unchanged.
    pub unproven: Vec<String>,
}

impl ChangeRequest<'_> {
    /// The arguments of `git diff`.
    pub fn words(&self) -> Vec<String> {
        // For a binary file, the diff has only its hash.
        let around = if self.shown { ["-U10", "--abbrev=12"] } else { ["-U1", "--full-index"] };
        let fixed =
            ["-M", "--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty"];
        let prefixes = ["--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", self.from];
        let text: &[&str] = if self.as_text { &["--text"] } else { &[] };
        let words =
            ["diff"].iter().chain(text).chain(&around).chain(&fixed).chain(&prefixes).chain(self.to.iter());
        let words = words.chain(&["--"]).map(|word| (*word).to_owned());
        words.chain(self.without.iter().cloned()).collect()
    }

    /// The same with the list of files first, or starting at the file `begin`.
    fn arguments(&self, begin: Option<&str>) -> Vec<String> {
        let mut words = self.words();
        let more = match begin {
            Some(begin) => vec![format!("--skip-to={begin}")],
            None => ["--raw", "--no-abbrev"].map(str::to_owned).to_vec(),
        };
        words.splice(1..1, ["--patch".to_owned()].into_iter().chain(more));
        words
    }
}

/// What differs between the two sides; the diff goes to `sink`. Returns `None` if `wanted`, called before the first
/// piece, returns false.
///
/// # Errors
/// When git fails, or `sink`.
fn difference(
    repository: &Repository,
    question: &ChangeRequest<'_>,
    sink: Option<&mut DiffSink<'_>>,
    wanted: &mut dyn FnMut() -> bool,
) -> Result<Option<TreeDifference>, CallFailure> {
    // What is compared must not decide itself what counts as binary.
    let repository = &repository.with_attributes_of(question.from);
    let Some(whole) = parts::read(repository, question, sink, wanted)? else { return Ok(None) };
    let mut changes: Vec<ChangedFile> = whole.listed.iter().map(FileListEntry::change).collect();
    let mut silent = BTreeMap::new();
    for (at, (change, count)) in changes.iter_mut().zip(&whole.counts).enumerate() {
        // A diff omits equal contents, and shows a type change as two files.
        if change.submodule || change.status == 'U' {
            continue;
        }
        if count.is_known && change.status != 'T' {
            change.binary = count.binary;
            (change.added, change.deleted) = if count.binary { (0, 0) } else { (count.added, count.deleted) };
        } else {
            let name = whole.listed[at].bytes();
            silent.insert(name, at);
        }
    }
    if !silent.is_empty() {
        numbers(repository, question, &silent, &mut changes)?;
    }
    let sets_attributes = |change: &ChangedFile| change.path.rsplit('/').next() == Some(".gitattributes");
    if !question.as_text
        && changes.iter().any(|change| change.binary)
        && changes.iter().any(sets_attributes)
        && repository.version().is_some_and(|version| version < ATTRIBUTES_VERSION)
    {
        let question = ChangeRequest { as_text: true, ..*question };
        let as_text = difference(repository, &question, None, &mut || true)?.unwrap_or_default();
        for (change, text) in changes.iter_mut().zip(as_text.changes).filter(|(change, _)| change.binary) {
            (change.added, change.deleted) = (text.added, text.deleted);
        }
    }
    Ok(Some(TreeDifference { changes, bytes: whole.bytes, ..TreeDifference::default() }))
}

/// Up to this many files are named in the call; beyond that, they are selected by status.
const MOST_NAMED: usize = 256;

/// Asks git for the line counts that the diff does not contain, for example whether a renamed file is binary.
fn numbers(
    repository: &Repository,
    question: &ChangeRequest<'_>,
    silent: &BTreeMap<Vec<u8>, usize>,
    changes: &mut [ChangedFile],
) -> Result<(), CallFailure> {
    let mut words = question.words();
    let mut options = vec!["--numstat".to_owned(), "-z".to_owned()];
    let names: Option<Vec<&str>> = silent.keys().map(|name| std::str::from_utf8(name).ok()).collect();
    let names = names.filter(|names| names.len() <= MOST_NAMED);
    if names.is_none() {
        let kinds = order::set(silent.values().map(|at| changes[*at].status));
        options.push(format!("--diff-filter={}", String::from_iter(kinds)));
    } else {
        options.push("--no-renames".to_owned());
        words.extend(names.into_iter().flatten().map(|name| format!(":(literal){name}")));
    }
    words.splice(1..1, options);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let counted = repository.must(&words)?;
    let mut fields = counted.split(|byte| *byte == 0);
    while let Some(field) = fields.next() {
        let mut parts = field.splitn(3, |byte| *byte == b'\t');
        let (Some(added), Some(deleted), Some(mut name)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        if name.is_empty() {
            // For a rename, both names follow as separate fields.
            name = fields.nth(1).unwrap_or_default();
        }
        if let Some(at) = silent.get(name) {
            let number = |part: &[u8]| std::str::from_utf8(part).ok()?.parse().ok();
            // This call detects no renames, so only the counts of type changes are right.
            let change = &mut changes[*at];
            change.binary = added == b"-";
            if change.status == 'T' {
                (change.added, change.deleted) = (number(added).unwrap_or(0), number(deleted).unwrap_or(0));
            }
        }
    }
    Ok(())
}

/// What is not committed.
#[derive(Debug, Default)]
pub struct UncommittedChanges {
    /// Whether there is nothing but untracked files.
    pub clean: bool,
    /// Files that git does not track, by name.
    pub untracked: Vec<String>,
    /// What the index holds that differs from the working tree.
    pub index: IndexState,
}

/// Files whose state in the index is not visible in the working tree, by name.
#[derive(Debug, Default)]
pub struct IndexState {
    /// Files staged with content that differs from the working tree.
    pub staged: Vec<String>,
    /// Files with unresolved merge conflicts.
    pub unmerged: Vec<String>,
}

/// What is not committed, in one pass over all files.
///
/// # Errors
/// When git fails.
fn uncommitted(repository: &Repository, without: &[String]) -> Result<UncommittedChanges, CallFailure> {
    let words = ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty"];
    let without: Vec<&str> = without.iter().map(String::as_str).collect();
    let listed = repository.must(&[&words[..], &["--no-renames", "--"], &without].concat())?;
    let mut found = UncommittedChanges { clean: true, ..UncommittedChanges::default() };
    for record in records(&listed) {
        match record.strip_prefix(b"? ") {
            Some(name) => found.untracked.push(String::from_utf8_lossy(name).into_owned()),
            None => {
                found.clean = false;
                found.index.staged.extend(staged_apart(record));
                found.index.unmerged.extend(unmerged(record));
            }
        }
    }
    Ok(found)
}

/// The name of a tracked file whose index differs from HEAD and from the working tree: `1 XY SUB MODE MODE MODE HASH
/// HASH NAME`.
fn staged_apart(record: &[u8]) -> Option<String> {
    let mut fields = record.splitn(9, |byte| *byte == b' ');
    let (b"1", Some([index, tree])) = (fields.next()?, fields.next()) else { return None };
    let name = fields.nth(6)?;
    (*index != b'.' && *tree != b'.').then(|| String::from_utf8_lossy(name).into_owned())
}

/// The name of a file with conflicts: `u XY SUB MODE MODE MODE MODE HASH HASH HASH NAME`.
fn unmerged(record: &[u8]) -> Option<String> {
    let name = record.strip_prefix(b"u ")?.splitn(10, |byte| *byte == b' ').nth(9)?;
    Some(String::from_utf8_lossy(name).into_owned())
}

/// Everything that changed since the commit `from`: up to HEAD, or including uncommitted changes.
///
/// # Errors
/// When git fails.
pub fn changes_since(
    repository: &Repository,
    from: &str,
    worktree: bool,
) -> Result<TreeDifference, CallFailure> {
    if worktree {
        return uncommitted_since(repository, from, false, None).map(|(difference, _)| difference);
    }
    let question = ChangeRequest { from, to: Some(HEAD), shown: false, without: &[], as_text: false };
    Ok(difference(repository, &question, None, &mut || true)?.unwrap_or_default())
}

/// Everything that changed since the commit `from`, committed or not; and what is not committed. Most working trees are
/// clean or small, so HEAD is compared while `git status` still runs, and the working tree only if it differs.
///
/// # Errors
/// When git fails, or `sink`, which receives the diff if `shown`.
pub fn uncommitted_since(
    repository: &Repository,
    from: &str,
    shown: bool,
    mut sink: Option<&mut DiffSink<'_>>,
) -> Result<(TreeDifference, UncommittedChanges), CallFailure> {
    let question = ChangeRequest { from, to: Some(HEAD), shown, without: &[], as_text: false };
    let (quick, looked) = thread::scope(|scope| {
        let mut looking = Some(scope.spawn(|| uncommitted(repository, &[])));
        let mut looked = None;
        let mut clean = || {
            let ended =
                looking.take().map(|looking| looking.join().unwrap_or_else(|panic| resume_unwind(panic)));
            looked = ended.or(looked.take());
            matches!(&looked, Some(Ok(found)) if found.clean)
        };
        let quick = difference(repository, &question, sink.as_deref_mut().map(|sink| sink as _), &mut clean);
        clean();
        (quick, looked)
    });
    let mut looked = looked.unwrap_or_else(|| Ok(UncommittedChanges::default()))?;
    if let Some(quick) = quick? {
        return Ok((quick, looked));
    }
    let smudged = FilteredFiles::find(repository)?;
    let excluded = smudged.exclusion_pathspecs();
    if !excluded.is_empty() {
        looked = uncommitted(repository, &excluded)?;
    }
    let without = smudged.excluded_since(repository, from)?;
    let question = match looked.clean {
        true => question,
        false => ChangeRequest { to: None, without: &without, ..question },
    };
    let found = difference(repository, &question, sink, &mut || true)?.unwrap_or_default();
    Ok((TreeDifference { without, unproven: smudged.unproven, ..found }, looked))
}

const HEAD: &str = "HEAD";
