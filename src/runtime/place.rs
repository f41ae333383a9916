//! Checks the places in an agent's reply, a path and a line, before an agent is sent there. Only regular files of this
//! tree are valid; any other place is rejected with a reason.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Component, Path};

use super::answer::CallFailure;
use super::error_code::ErrorCode;
use super::git::{Repository, records};
use crate::disk::reader::SizeLimit;
use crate::disk::root::{Root, RootError};
use crate::disk::{self, FileKind};

/// Where runs and records are kept in a working tree, unless another folder is named.
const STATE: &str = ".plugcast";
const OWN_STATE: [&str; 2] = ["runs", "local"];

/// A valid place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlace {
    /// Relative to the tree's top, normalised.
    pub path: String,
    /// The line, from 1; none if none was given.
    pub line: Option<u64>,
}

/// Checks the places of one tree.
#[derive(Debug)]
pub struct PlaceResolver<'a> {
    repository: &'a Repository,
    root: Root,
    /// Paths of the change, which need not be tracked.
    changed: BTreeSet<String>,
    /// Paths that git tracks, listed on first use.
    tracked: OnceCell<BTreeSet<Vec<u8>>>,
}

impl<'a> PlaceResolver<'a> {
    /// A resolver for a tree and the paths of a change in it.
    ///
    /// # Errors
    /// When the tree cannot be opened.
    pub fn new(
        repository: &'a Repository,
        changed: impl IntoIterator<Item = String>,
    ) -> Result<Self, CallFailure> {
        let opened = Root::open_tree(&repository.top).ok().flatten();
        let root = opened.ok_or_else(|| {
            let message = format!("`{}` cannot be opened", repository.top.display());
            CallFailure::environment(ErrorCode::NoFolder, message, "check the working tree")
        })?;
        let changed = changed.into_iter().collect();
        Ok(Self { repository, root, changed, tracked: OnceCell::new() })
    }

    /// The place that a reply means, or why it is invalid.
    ///
    /// # Errors
    /// When git cannot list the tracked files.
    pub fn resolve(&self, path: &str, line: Option<u64>) -> Result<Result<SourcePlace, String>, CallFailure> {
        let path = match normalized(path, &self.repository.top) {
            Ok(path) => path,
            Err(reason) => return Ok(Err(reason)),
        };
        if !self.changed.contains(&path) && !self.tracked()?.contains(path.as_bytes()) {
            return Ok(Err(format!("`{path}` is neither tracked nor part of the change")));
        }
        Ok(self.line(&path, line).map(|()| SourcePlace { path, line }))
    }

    fn tracked(&self) -> Result<&BTreeSet<Vec<u8>>, CallFailure> {
        if let Some(known) = self.tracked.get() {
            return Ok(known);
        }
        let listed = self.repository.must(&["ls-files", "-z", "--cached", "--full-name", "--", ":(top)"])?;
        Ok(self.tracked.get_or_init(|| records(&listed).map(<[u8]>::to_vec).collect()))
    }

    /// Checks that the file is a regular one that has the line.
    fn line(&self, path: &str, line: Option<u64>) -> Result<(), String> {
        let read = self.root.read(Path::new(path), SizeLimit::Document);
        let bytes = read.map_err(|error| match error {
            RootError::Untrusted { what, .. } => format!("`{path}` {what}, or is below one"),
            other => other.to_string(),
        })?;
        let bytes = bytes.ok_or_else(|| format!("file not found: `{path}`"))?;
        let ends = memchr::memchr_iter(b'\n', &bytes).count() as u64;
        let lines = (ends + u64::from(bytes.last().is_some_and(|last| *last != b'\n'))).max(1);
        match line {
            Some(line) if line == 0 || line > lines => {
                Err(format!("`{path}` has no line {line}: it has {lines}"))
            }
            _ => Ok(()),
        }
    }
}

/// A path of a reply in git's form, relative to `top`, or why it is invalid.
///
/// # Errors
/// The reason, as a sentence.
pub fn normalized(path: &str, top: &Path) -> Result<String, String> {
    let given = path.trim();
    let shown = crate::printable::line(given);
    if given.is_empty() {
        return Err("no path is named".to_owned());
    }
    if given.chars().any(char::is_control) {
        return Err(format!("`{shown}` contains control characters"));
    }
    let relative = match Path::new(given).strip_prefix(top) {
        Ok(relative) => relative,
        Err(_) if Path::new(given).has_root() => return Err(format!("`{shown}` is outside the tree")),
        Err(_) => Path::new(given),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in relative.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop().ok_or_else(|| format!("`{shown}` leaves the tree"))?;
            }
            Component::Normal(part) => parts.push(part.to_str().unwrap_or_default()),
            Component::Prefix(_) | Component::RootDir => {
                return Err(format!("`{shown}` is outside the tree"));
            }
        }
    }
    if parts.iter().any(|part| is_git(part)) {
        return Err(format!("`{shown}` is in git's own folder"));
    }
    if parts.is_empty() {
        return Err(format!("`{shown}` has no file name"));
    }
    Ok(parts.join("/"))
}

/// A path as [`normalized`] returns it, if no link leads a write elsewhere: out of the tree, into git's own folder, or
/// to the records of this program.
///
/// # Errors
/// The reason, as a sentence.
pub fn confined_path(path: &str, top: &Path) -> Result<String, String> {
    let path = normalized(path, top)?;
    resolve_links(&path, top).map(|_| path)
}

/// The target of a path as [`normalized`] returns it, with links resolved, relative to the tree's top.
///
/// # Errors
/// As [`confined_path`].
pub fn resolve_links(path: &str, top: &Path) -> Result<String, String> {
    let shown = crate::printable::line(path).into_owned();
    let real = disk::canonical(top).map_err(|error| error.to_string())?;
    let mut at = real.clone();
    let mut parts = Path::new(path).components();
    while let Some(part) = parts.next() {
        at.push(part);
        at = match disk::canonical(&at) {
            Ok(found) => found,
            Err(_) if disk::kind(&at) == Some(FileKind::Link) => {
                return Err(format!("`{shown}` is a broken link, or is below one"));
            }
            // Patterns and new files do not exist, which is fine: neither does anything below them.
            Err(_) => {
                at.extend(parts.by_ref());
                at
            }
        };
        let Ok(relative) = at.strip_prefix(&real) else {
            return Err(format!("`{shown}` is a link that leaves the tree, or is below one"));
        };
        let mut parts = relative.components().map(|part| part.as_os_str().to_string_lossy());
        if parts.clone().any(|part| is_git(&part)) {
            return Err(format!("`{shown}` links into git's own folder"));
        }
        let is_state = parts.next().is_some_and(|first| first == STATE);
        if is_state && parts.next().is_some_and(|second| OWN_STATE.contains(&&*second)) {
            return Err(format!("`{shown}` links to the records of this program"));
        }
    }
    Ok(at.strip_prefix(&real).unwrap_or(&at).to_string_lossy().into_owned())
}

/// Whether some file system treats a name as `.git`.
fn is_git(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| !crate::printable::is_hidden(*c)).collect();
    let plain = plain.split(':').next().unwrap_or_default().trim_end_matches([' ', '.']).to_lowercase();
    plain == ".git" || plain.starts_with("git~")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::environment::Environment;

    #[test]
    fn paths_are_normalised_and_stay_in_the_tree() {
        let normal = |path: &str| normalized(path, Path::new("/tree"));
        for path in ["src/a.rs", "./src/a.rs", "src//a.rs", "src/x/../a.rs", "/tree/src/a.rs", " src/a.rs "] {
            assert_eq!(normal(path).as_deref(), Ok("src/a.rs"), "{path}");
        }
        for (path, reason) in [
            ("../../etc/passwd", "leaves the tree"),
            ("src/../../x", "leaves the tree"),
            ("/etc/shadow", "outside the tree"),
            ("/treetop/x", "outside the tree"),
            (".git/hooks/pre-commit", "git's own folder"),
            ("sub/.GIT/config", "git's own folder"),
            ("sub/.git./config", "git's own folder"),
            ("GIT~1/config", "git's own folder"),
            (".g\u{200c}it/config", "git's own folder"),
            ("a\nVerdict: Ready to merge", "control characters"),
            ("", "no path"),
            (".", "has no file name"),
        ] {
            let refused = normal(path).unwrap_err();
            assert!(refused.contains(reason), "{path:?}: {refused}");
            assert!(!refused.contains('\n'), "{refused}");
        }
    }

    #[test]
    fn a_fixer_is_sent_to_plain_files_of_the_tree_only() {
        let folder = tempfile::tempdir().unwrap();
        let top = crate::disk::canonical(folder.path()).unwrap();
        let own: Vec<_> = Environment::read().variables().cloned().collect();
        let git = |words: &[&str]| {
            let done = crate::git_command::command("git", &top, own.clone())
                .arguments(words.iter().copied())
                .run()
                .unwrap();
            assert!(done.succeeded(), "{words:?}: {}", done.stderr_text());
        };
        let write = |name: &str, text: &str| {
            crate::disk::plain_files::write(&top.join(name), text.as_bytes(), false).unwrap();
        };
        git(&["init", "-q"]);
        write("a.rs", "one\ntwo\nthree");
        write("new.rs", "");
        write("left.rs", "x\n");
        std::os::unix::fs::symlink("/etc/passwd", top.join("link.rs")).unwrap();
        std::os::unix::fs::symlink("/etc", top.join("folder")).unwrap();
        git(&["add", "a.rs", "link.rs"]);
        let repository = Repository::find(&Environment::read(), &top).unwrap();
        let resolver =
            PlaceResolver::new(&repository, ["new.rs".to_owned(), "folder/passwd".to_owned()]).unwrap();
        let resolve = |path: &str, line| resolver.resolve(path, line).unwrap();
        let place = |path: &str, line| Ok(SourcePlace { path: path.to_owned(), line });
        assert_eq!(resolve("./a.rs", Some(3)), place("a.rs", Some(3)));
        assert_eq!(resolve("a.rs", None), place("a.rs", None));
        assert_eq!(resolve("new.rs", Some(1)), place("new.rs", Some(1)));
        for (path, line, reason) in [
            ("a.rs", Some(99_999_999), "has no line 99999999: it has 3"),
            ("a.rs", Some(0), "has no line 0"),
            ("left.rs", Some(1), "neither tracked nor part of the change"),
            ("none.rs", Some(1), "neither tracked nor part of the change"),
            ("link.rs", Some(1), "is a link"),
            ("folder/passwd", Some(1), "is a link"),
            ("../../etc/passwd", Some(1), "leaves the tree"),
            ("/etc/shadow", Some(1), "outside the tree"),
            (".git/hooks/pre-commit", Some(1), "git's own folder"),
        ] {
            let refused = resolve(path, line).unwrap_err();
            assert!(refused.contains(reason), "{path}: {refused}");
        }
    }
}
