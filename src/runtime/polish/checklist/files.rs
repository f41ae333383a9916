//! The files of an item, each under its one name in git, however the user or a model spells it: in backquotes, as a link,
//! or with a line.

use std::collections::BTreeSet;
use std::path::Path;

use super::markup::bare;
use crate::disk::{self, FileKind};
use crate::printable::line as one_line;
use crate::read::markdown::destination_parts;
use crate::read::path_words::without_lines;
use crate::runtime::place;
use crate::runtime::repo::size::{ChangeSizes, MeasuredSize, Thresholds, measure};

/// The most words of an entry that are looked up.
const WORDS: usize = 64;

/// The files of one item.
#[derive(Debug, Default)]
pub(super) struct ItemFiles {
    /// Relative to the tree's top.
    pub(super) paths: Vec<String>,
    /// Where links among them lead.
    targets: Vec<String>,
    /// Whether each of them is a file of the tree or covers changed ones, and there is one.
    pub(super) is_known: bool,
    /// What a reader should know of those that did not change.
    pub(super) warnings: Vec<String>,
}

/// The entries of a list with commas; one in quotes is JSON text.
///
/// # Errors
/// What is wrong with the list.
pub(super) fn entries(list: &str) -> Result<Vec<String>, &'static str> {
    let list = list.trim();
    let inner = list.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
    let mut rest =
        inner.filter(|inner| !inner.contains(['[', ']'])).filter(|inner| inner.contains(',')).unwrap_or(list);
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let end = if rest.starts_with('"') {
            let mut words = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            match words.next() {
                Some(Ok(file)) => entries.push(file),
                _ => return Err("a file in quotes does not end, or is not JSON text"),
            }
            words.byte_offset()
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            entries.push(rest[..end].trim().to_owned());
            end
        };
        rest = rest[end..].trim_start().trim_start_matches(',').trim_start();
    }
    entries.retain(|file| !file.is_empty());
    Ok(entries)
}

impl ItemFiles {
    /// The files that entries of a list mean.
    ///
    /// # Errors
    /// Why one of them is refused.
    pub(super) fn resolve(entries: &[String], top: &Path, changed: &ChangeSizes) -> Result<Self, String> {
        let (mut files, mut seen) = (Self { is_known: true, ..Self::default() }, BTreeSet::new());
        let separate = entries.iter().flat_map(|entry| separated(entry, top, changed));
        for entry in &separate.collect::<Vec<_>>() {
            let path = path(entry, top, changed)?;
            if !seen.insert(path.clone()) {
                continue;
            }
            if !is_whole(entry, &path, top) {
                files.warnings.push(format!("`{}` is read as `{}`", one_line(entry), one_line(&path)));
            }
            let target = place::resolve_links(&path, top)?;
            let (kind, is_changed) = (disk::kind(&top.join(&target)), changed.covers(&path));
            if is_changed {
                files.targets.push(path.clone());
            }
            let is_unknown = match is_changed {
                true => kind.is_none() && changed.contains(&path),
                false => !changed.covers(&target),
            };
            if is_unknown {
                let shown = one_line(&path);
                files.is_known &= kind == Some(FileKind::File);
                files.warnings.push(match kind {
                    None => format!("`{shown}` is not in the working tree"),
                    Some(FileKind::Folder) => {
                        format!("nothing changed in the folder `{shown}`: name its files")
                    }
                    _ => format!("`{shown}` did not change since the base"),
                });
            }
            files.paths.push(path);
            files.targets.push(target);
        }
        files.is_known &= !files.paths.is_empty();
        Ok(files)
    }

    /// Their size.
    pub(super) fn measure(&self, changed: &ChangeSizes, thresholds: &Thresholds) -> MeasuredSize {
        measure(changed, &self.targets, thresholds)
    }
}

/// The entries in one of a list that names several with commas. A name with a comma is one, as is a text of which no part
/// is known.
fn separated(entry: &str, top: &Path, changed: &ChangeSizes) -> Vec<String> {
    let is_known = |entry: &str| {
        let entry = plain(entry);
        existing(&entry, top, changed).is_some() || changed.has_matches(&entry)
    };
    let several = if entry.contains(',') && !is_known(entry) { entries(entry).ok() } else { None };
    let several = several.filter(|several| several.iter().any(|one| is_known(one)));
    several.unwrap_or_else(|| vec![entry.to_owned()])
}

/// The path that an entry means. If only one word of it is in the tree, that is the file, and the rest a remark.
fn path(entry: &str, top: &Path, changed: &ChangeSizes) -> Result<String, String> {
    let meant =
        |entry: &str| [entry, &*plain(entry)].into_iter().find_map(|path| existing(path, top, changed));
    if let Some(path) = meant(entry) {
        return Ok(path);
    }
    let words = entry.split(|c: char| c == ';' || c.is_whitespace()).take(WORDS);
    let pattern = |word: &str| {
        let path = place::confined_path(&plain(word), top).ok()?;
        changed.has_matches(&path).then_some(path)
    };
    let words = words.map(|word| word.trim_end_matches(':'));
    let mut found = words.filter_map(|word| Some((word, meant(word).or_else(|| pattern(word))?)));
    match (found.next(), found.next()) {
        // Counted as one file, several would hide how large the item is.
        (Some(_), Some(_)) => {
            Err(format!("`{}` names several files: separate them with commas", one_line(entry)))
        }
        (Some((word, path)), None) if word.contains(['/', '.']) => Ok(path),
        _ => match place::confined_path(entry, top) {
            Ok(pattern) if changed.covers(&pattern) => Ok(pattern),
            _ => place::confined_path(&plain(entry), top),
        },
    }
}

/// A path if it is in the tree, or in the change.
fn existing(path: &str, top: &Path, changed: &ChangeSizes) -> Option<String> {
    let path = place::confined_path(path, top).ok()?;
    (changed.contains(&path) || disk::kind(&top.join(&path)).is_some()).then_some(path)
}

/// Whether a path is all that an entry names, and not one of its words.
fn is_whole(entry: &str, path: &str, top: &Path) -> bool {
    [entry, &plain(entry)].iter().any(|own| place::normalized(own, top).is_ok_and(|own| own == path))
}

/// An entry without Markdown and without lines of the file.
fn plain(entry: &str) -> String {
    let mut path = bare(entry);
    if let Some((_, target)) =
        path.strip_suffix(')').and_then(|link| link.strip_prefix('[')?.split_once("]("))
    {
        path = destination_parts(bare(target)).0;
    }
    path = path.strip_prefix('[').and_then(|listed| listed.strip_suffix(']')).unwrap_or(path);
    let path = path.strip_prefix('@').unwrap_or(path);
    let is_line = |anchor: &str| anchor.starts_with(|c: char| c.is_ascii_digit());
    let path = path.split_once("#L").filter(|(_, line)| is_line(line)).map_or(path, |(path, _)| path);
    without_lines(without_lines(path)).replace('\\', "/")
}
