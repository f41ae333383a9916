//! Resolves paths in texts against the files of a source or a bundle, and suggests the intended file if the target is
//! missing.

use camino::{Utf8Path, Utf8PathBuf};

use super::similar_names;

/// `base/path` without dots; `None` if it leaves the tree.
pub fn join(base: &Utf8Path, path: &str) -> Option<Utf8PathBuf> {
    if path.starts_with('/') {
        return None;
    }
    let mut out = String::with_capacity(base.as_str().len() + 1 + path.len());
    out.push_str(base.as_str());
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if out.is_empty() => return None,
            ".." => out.truncate(out.rfind('/').unwrap_or(0)),
            name => {
                if !out.is_empty() {
                    out.push('/');
                }
                out.push_str(name);
            }
        }
    }
    Some(out.into())
}

/// The maximum number of files that are compared: thousands of links may be broken.
const MOST_COMPARED: usize = 500;

/// The path among `known` that `wanted` most likely means: a name that differs only in case, the same file elsewhere,
/// or a misspelt name.
pub fn nearest_path<'a>(
    wanted: &Utf8Path,
    known: impl Iterator<Item = &'a Utf8Path>,
) -> Option<&'a Utf8Path> {
    let lower = |path: Option<&str>| path.unwrap_or_default().to_lowercase();
    let is_own = wanted.file_stem().is_some_and(|stem| stem.chars().all(|c| !c.is_lowercase()));
    let score = |path: &Utf8Path| {
        if path.extension() != wanted.extension() {
            return None;
        }
        // Of files with one name, such as those of skills, each is identified by its folder.
        let by_folder = is_own && file_name(path) == file_name(wanted);
        let name_of = |path: &Utf8Path| {
            lower(if by_folder { folder(path).and_then(file_name) } else { file_name(path) })
        };
        let (own, name) = (name_of(path), name_of(wanted));
        let same = similar_names::similarity(&own, &name);
        // The shared extension and a shared beginning make unrelated names alike.
        let is_near = || similar_names::is_near(&own, &name, 2);
        let whole = || similar_names::similarity(path.as_str(), wanted.as_str());
        (same > 0.9 && is_near()).then(|| same * 2.0 + whole())
    };
    let scored = known.take(MOST_COMPARED).filter_map(|path| Some((score(path)?, path)));
    similar_names::best_match(scored, 0.0)
}

/// The relative path from the folder `from` to `to`, both in one tree.
pub fn relative(from: &Utf8Path, to: &Utf8Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut parts = vec![".."; from.len() - shared];
    parts.extend(to[shared..].iter().map(|part| part.as_str()));
    parts.join("/")
}

/// The number of folders that only one of the two paths has; shared folders must be in the same order.
pub fn distance(a: &Utf8Path, b: &Utf8Path) -> usize {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.as_str().split('/').collect(), b.as_str().split('/').collect());
    // The longest common subsequence of the parts.
    let mut row = vec![0; b.len() + 1];
    for part in &a {
        let mut before = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if part == other { before + 1 } else { above.max(row[at]) };
            before = above;
        }
    }
    a.len() + b.len() - 2 * row[b.len()]
}

/// Whether every part of `path` is a plain name, not a placeholder, glob, address or option.
pub fn is_plain(path: &str) -> bool {
    // The number of characters, and of dots, in the current part.
    let (mut length, mut dots) = (0, 0);
    let named = |length: usize, dots: usize| length > 0 && (dots < length || dots <= 2);
    for c in path.trim_end_matches('/').chars() {
        match c {
            '/' if !named(length, dots) => return false,
            '/' => (length, dots) = (0, 0),
            '-' if length == 0 => return false,
            '.' => (length, dots) = (length + 1, dots + 1),
            '_' | '-' | '+' | '@' => length += 1,
            c if c.is_alphanumeric() => length += 1,
            _ => return false,
        }
    }
    named(length, dots)
}

/// The folder of a plain path: like [`Utf8Path::parent`], but on the string, which is many times cheaper.
pub fn folder(path: &Utf8Path) -> Option<&Utf8Path> {
    let path = path.as_str();
    (!path.is_empty()).then(|| Utf8Path::new(path.rsplit_once('/').map_or("", |(folder, _)| folder)))
}

/// The last name of a plain path: like [`Utf8Path::file_name`], but on the string.
pub fn file_name(path: &Utf8Path) -> Option<&str> {
    path.as_str().rsplit('/').next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::is_inside;

    #[test]
    fn parts_are_plain_names() {
        for path in ["a", "a/b.md", "../a/./b_-+@", "ä/1/", "x..."] {
            assert!(is_plain(path), "{path}");
        }
        for path in ["", "/", "/a", "a//b", "...", "a/.../b", "-a", "a/-b", "a b", "a*", "a:b", "<a>"] {
            assert!(!is_plain(path), "{path}");
        }
    }

    #[test]
    fn a_path_means_one_with_the_same_or_nearly_the_same_name() {
        let found = |wanted: &str, known: &[&str]| {
            nearest_path(wanted.into(), known.iter().map(Utf8Path::new)).map(|path| path.to_string())
        };
        let files = ["skills/plan/SKILL.md", "skills/plan/REFERENCE.md", "hooks/pre-commit.sh"];
        assert_eq!(found("skills/plna/SKILL.md", &files).as_deref(), Some("skills/plan/SKILL.md"));
        assert_eq!(found("REFERENCE.md", &files), None, "a folder of another name");
        assert_eq!(found("skills/plan/CONTRIBUTING.md", &files), None);
        assert_eq!(found("hooks/pre-tool-use.sh", &files), None);
        assert_eq!(found("hooks/pre-comit.sh", &files).as_deref(), Some("hooks/pre-commit.sh"));
    }

    #[test]
    fn folders_that_differ_are_counted_both_ways() {
        let away = |a: &str, b: &str| distance(a.into(), b.into());
        assert_eq!(away("s/a/x.md", "s/a/x.md"), 0);
        assert_eq!(away("s/a/r/x.md", "s/a/x.md"), 1);
        assert_eq!(away("s/a/refs/x.md", "s/a/references/x.md"), 2);
        assert_eq!(away("s/a/refs/old/1/x.md", "s/a/references/x.md"), 4);
    }

    #[test]
    fn folders_are_told_by_text_as_by_parts() {
        for path in ["", "a", "a/b", "a/b/c", "ab/c"].map(Utf8Path::new) {
            assert_eq!(folder(path), path.parent());
            assert_eq!(file_name(path), path.file_name());
            for other in ["", "a", "a/b", "ab", "c"].map(Utf8Path::new) {
                assert_eq!(
                    is_inside(path.as_str(), other.as_str()),
                    path.starts_with(other),
                    "{path} {other}"
                );
            }
        }
    }

    #[test]
    fn walks_between_folders() {
        assert_eq!(relative("skills/a".into(), "skills/b/x.md".into()), "../b/x.md");
        assert_eq!(relative("".into(), "a/b".into()), "a/b");
        assert_eq!(join("a/b".into(), "../c/./d.md").unwrap(), "a/c/d.md");
        assert!(join("a".into(), "../../x").is_none() && join("a".into(), "/x").is_none());
    }
}
