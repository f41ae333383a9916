//! Paths that texts write, against the files that a source or a bundle holds: what one leads to, and
//! which file was meant by one that leads nowhere.

use camino::{Utf8Path, Utf8PathBuf};

use super::near;

/// `base/path` without dots; `None` when it climbs out of the tree.
pub fn joined(base: &Utf8Path, path: &str) -> Option<Utf8PathBuf> {
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

/// The path among `known` that `wanted` most likely meant: the same name but for case, the same file
/// elsewhere, or a name with a slip.
pub fn meant<'a>(wanted: &Utf8Path, known: impl Iterator<Item = &'a Utf8Path>) -> Option<&'a Utf8Path> {
    let lower = |path: &Utf8Path| {
        // A skill file is known by its folder.
        let own = path.file_stem().is_some_and(|stem| stem.chars().all(|c| !c.is_lowercase()));
        let name = if own { path.parent().and_then(Utf8Path::file_name) } else { path.file_name() };
        name.unwrap_or_default().to_lowercase()
    };
    let name = lower(wanted);
    let score = |path: &Utf8Path| {
        if path.extension() != wanted.extension() {
            return None;
        }
        let same = near::likeness(&lower(path), &name);
        let whole = || near::likeness(path.as_str(), wanted.as_str());
        (same > 0.9).then(|| same * 2.0 + whole())
    };
    let scored = known.filter_map(|path| Some((score(path)?, path)));
    near::best(scored, 0.0)
}

/// The way from the folder `from` to `to`, both in one tree.
pub fn relative(from: &Utf8Path, to: &Utf8Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut parts = vec![".."; from.len() - shared];
    parts.extend(to[shared..].iter().map(|part| part.as_str()));
    parts.join("/")
}

/// Whether every part of `path` is a plain name: no placeholder, glob, address or option.
pub fn plain(path: &str) -> bool {
    let part = |part: &str| {
        let dots = part.len() > 2 && part.bytes().all(|byte| byte == b'.');
        !part.is_empty()
            && !dots
            && !part.starts_with('-')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@'))
    };
    !path.is_empty() && path.trim_end_matches('/').split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_between_folders() {
        assert_eq!(relative("skills/a".into(), "skills/b/x.md".into()), "../b/x.md");
        assert_eq!(relative("".into(), "a/b".into()), "a/b");
        assert_eq!(joined("a/b".into(), "../c/./d.md").unwrap(), "a/c/d.md");
        assert!(joined("a".into(), "../../x").is_none() && joined("a".into(), "/x").is_none());
    }
}
