//! What a change of some files may have made right or wrong elsewhere: the files whose text names a
//! changed file, a component of it, or a folder above it. It is better to name one too many.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, MatchKind};
use camino::{Utf8Path, Utf8PathBuf};

use super::scope::Affected;
use crate::model::project::Project;

/// What `changed` (relative to SRC; files that are gone too) affects in `project`.
pub fn affected(project: &Project, changed: BTreeSet<Utf8PathBuf>) -> Affected {
    let mut dependents = BTreeSet::new();
    let names = names(project, &changed);
    let words: Vec<&String> = names.keys().collect();
    let finder = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&words);
    for file in project.tree.files().filter(|file| !changed.contains(&file.path)) {
        let (Some(text), Ok(finder)) = (file.text(), &finder) else { continue };
        let names_one = finder.find_overlapping_iter(text).any(|hit| {
            let (word, token) = (words[hit.pattern()], token(text, hit.start(), hit.end()));
            names[word].iter().any(|named| named.is_meant(token, word))
        });
        if names_one {
            dependents.insert(file.path.clone());
        }
    }
    // A manifest speaks for its whole plugin, a marketplace for all plugins, and each repeats the other.
    let marketplace = project.marketplace.as_ref().map(|marketplace| &marketplace.path);
    for plugin in &project.plugins {
        let Some(manifest) = plugin.manifest.as_ref().map(|manifest| &manifest.path) else { continue };
        if marketplace.is_some_and(|path| changed.contains(path)) {
            dependents.insert(manifest.clone());
        }
        if changed.contains(manifest) {
            let documents = plugin.files.kept.iter().filter(|path| path.extension() == Some("json"));
            dependents.extend(documents.cloned().chain(marketplace.cloned()));
        }
    }
    dependents.retain(|path| !changed.contains(path));
    Affected { changed, dependents }
}

/// Something that a text may name.
enum Named {
    /// A file, by any end of its path.
    Path(Utf8PathBuf),
    /// A component, by its whole name.
    Word,
}

impl Named {
    /// Whether `token`, around a hit of `word`, can mean it.
    fn is_meant(&self, token: &str, word: &str) -> bool {
        match self {
            Named::Path(path) => {
                let plain = token.trim_start_matches(['.', '/', '$']);
                let plain = plain.rsplit_once('}').map_or(plain, |(_, rest)| rest.trim_start_matches('/'));
                let plain = plain.rsplit_once("../").map_or(plain, |(_, rest)| rest);
                let plain = plain.trim_end_matches(['.', '/', ':']);
                // What ends in the name but is no path of ours is an address or another file.
                path.ends_with(plain)
                    || path.ancestors().any(|above| above.ends_with(plain) && !plain.is_empty())
            }
            Named::Word => token.split(['/', ':', '@', '.']).any(|part| part == word) || token == word,
        }
    }
}

/// The words by which a text may name something of `changed`.
fn names(project: &Project, changed: &BTreeSet<Utf8PathBuf>) -> BTreeMap<String, Vec<Named>> {
    let mut names: BTreeMap<String, Vec<Named>> = BTreeMap::new();
    let mut add = |word: &str, named: Named| {
        if !word.is_empty() {
            names.entry(word.to_owned()).or_default().push(named);
        }
    };
    for path in changed {
        let file = path.file_name().unwrap_or_default();
        add(file, Named::Path(path.clone()));
        // A component that is gone had the name of its folder or its file.
        let is_main = file.eq_ignore_ascii_case("SKILL.md");
        let folder = path.parent().and_then(Utf8Path::file_name).unwrap_or_default();
        if is_main {
            add(folder, Named::Word);
        } else if path.extension() == Some("md") && !path.as_str().contains("/references/") {
            add(path.file_stem().unwrap_or_default(), Named::Word);
        }
    }
    for plugin in &project.plugins {
        for component in &plugin.components {
            if changed.contains(&component.path) {
                for name in [&component.name, &component.qualified] {
                    add(name.rsplit(':').next().unwrap_or(name), Named::Word);
                }
            }
        }
    }
    names
}

/// The run of characters of a path or a name around `start..end`.
fn token(text: &str, start: usize, end: usize) -> &str {
    let part = |c: char| c.is_alphanumeric() || "_-./:@${}".contains(c);
    let from =
        start - text[..start].chars().rev().take_while(|c| part(*c)).map(char::len_utf8).sum::<usize>();
    let to = end + text[end..].chars().take_while(|c| part(*c)).map(char::len_utf8).sum::<usize>();
    &text[from..to]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(path: &str, token: &str) -> bool {
        let word = Utf8Path::new(path).file_name().unwrap();
        Named::Path(path.into()).is_meant(token, word)
    }

    #[test]
    fn a_path_is_meant_by_any_of_its_ends() {
        let path = "skills/a/references/x.md";
        for token in
            ["x.md", "./references/x.md", "../a/references/x.md", "${ROOT}/skills/a/references/x.md."]
        {
            assert!(means(path, token), "{token}");
        }
        for token in ["b/x.md", "xx.md", "references/b/x.md", "x.mdx"] {
            assert!(!means(path, token), "{token}");
        }
        assert!(Named::Word.is_meant("demo:review", "review") && Named::Word.is_meant("/review", "review"));
        assert!(!Named::Word.is_meant("reviewer", "review"));
    }
}
