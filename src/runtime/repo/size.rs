//! `repo size`: whether one item of work, or a whole batch of items, is small enough to continue.

pub mod batch;
pub mod item;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use toml::de::DeTable;

use super::surfaces::{self, Surface, SurfaceFile};
use crate::order;
use crate::runtime::answer::{CallFailure, MALFORMED, ShownText};
use crate::runtime::document;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::size_limits::PolishConfig;

/// The size limits; an item or batch may reach but not exceed them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Thresholds {
    /// Files of one item; `item-files` in `[runtime.polish]`.
    pub item_files: u64,
    /// Surfaces of one item; `item-surfaces`.
    pub item_surfaces: u64,
    /// Changed lines of one item; `item-lines`.
    pub item_lines: u64,
    /// Files of a batch; `batch-files`.
    pub batch_files: u64,
    /// Changed lines of a batch; `batch-lines`.
    pub batch_lines: u64,
    /// The number of items to plan again at which the user decides; `replans`.
    pub replans: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            item_files: 5,
            item_surfaces: 2,
            item_lines: 300,
            batch_files: 30,
            batch_lines: 1000,
            replans: 4,
        }
    }
}

impl Thresholds {
    /// Those of `[runtime.polish]` in the `plugcast.toml` at the repository's top.
    ///
    /// # Errors
    /// `malformed_toml` or `bad_threshold` with the place.
    pub fn read(repository: &Repository) -> Result<Self, CallFailure> {
        const NAME: &str = "plugcast.toml";
        let Some(text) = document::project_text(&repository.top.join(NAME))? else {
            return Ok(Self::default());
        };
        let failed = |code: ErrorCode, message: &str, at: usize, hint: &str| {
            let (line, col) = document::place(&text, at);
            CallFailure::new(MALFORMED, code, message, hint).in_file(NAME, Some(line), Some(col))
        };
        let document = DeTable::parse(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            failed(ErrorCode::MalformedToml, error.message(), at, "repair the file")
        })?;
        Self::default().overridden(document.get_ref()).map_err(|(message, at)| {
            failed(
                ErrorCode::BadThreshold,
                &message,
                at,
                "write whole numbers from 0 below `[runtime.polish]`",
            )
        })
    }

    /// The same with the values of `[runtime.polish]`.
    fn overridden(mut self, document: &DeTable<'_>) -> Result<Self, DocumentFault> {
        let Some(runtime) = table(document, "runtime", "[runtime]")? else { return Ok(self) };
        let Some(own) = table(runtime, "polish", "[runtime.polish]")? else { return Ok(self) };
        for (key, value) in own {
            let name = key.get_ref();
            let known = PolishConfig::NAMES.iter().position(|known| known == name).ok_or_else(|| {
                let known = PolishConfig::NAMES.map(|known| format!("`{known}`")).join(", ");
                (format!("unknown threshold `{name}`, expected one of {known}"), key.span().start)
            })?;
            let number = value.get_ref().as_integer();
            let number = number.and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
            *self.values()[known] = number.ok_or_else(|| {
                let kind = match value.get_ref().as_integer() {
                    Some(number) => format!("`{number}`"),
                    None => format!("of type {}", value.get_ref().type_str()),
                };
                (format!("`{name}` is {kind}, expected a whole number from 0"), value.span().start)
            })?;
        }
        Ok(self)
    }

    /// The values in the order of their names.
    fn values(&mut self) -> [&mut u64; PolishConfig::NAMES.len()] {
        [
            &mut self.item_files,
            &mut self.item_surfaces,
            &mut self.item_lines,
            &mut self.batch_files,
            &mut self.batch_lines,
            &mut self.replans,
        ]
    }
}

/// What is wrong with a document, and the byte where.
type DocumentFault = (String, usize);

/// A table in a table, if it exists.
fn table<'a>(
    parent: &'a DeTable<'a>,
    key: &str,
    what: &str,
) -> Result<Option<&'a DeTable<'a>>, DocumentFault> {
    let Some(value) = parent.get(key) else { return Ok(None) };
    let wrong = || {
        (format!("`{what}` is of type {}, expected a table", value.get_ref().type_str()), value.span().start)
    };
    value.get_ref().as_table().map(Some).ok_or_else(wrong)
}

/// What changed, by path.
pub(in crate::runtime) struct ChangeSizes(BTreeMap<String, SurfaceFile>);

impl ChangeSizes {
    /// The changed files that a path covers: itself, those below a folder, or those that match a pattern.
    pub(in crate::runtime) fn covered_files<'a>(&'a self, path: &'a str) -> Vec<&'a str> {
        if self.0.contains_key(path) {
            return vec![path];
        }
        let folder = path.trim_end_matches('/');
        let between = |before: &str, after: &str| -> Vec<&'a str> {
            let files = self.0.keys().map(String::as_str);
            files.filter(|file| file.starts_with(before) && file.ends_with(after)).collect()
        };
        let mut meant = between(&format!("{folder}/"), "");
        if meant.is_empty()
            && let Some((first, last)) = wildcards(path)
        {
            meant = between(&path[..first], &path[last..]);
        }
        if meant.is_empty() { vec![path] } else { meant }
    }

    /// Whether a path is a pattern that changed files match.
    pub(in crate::runtime) fn has_matches(&self, path: &str) -> bool {
        wildcards(path).is_some() && self.covers(path)
    }

    pub(in crate::runtime) fn size_since(repository: &Repository, base: &str) -> Result<Self, CallFailure> {
        let (_, files, _) = surfaces::surfaces_since(repository, base, false)?;
        Ok(Self(files.into_iter().map(|file| (file.file.clone(), file)).collect()))
    }

    /// Whether this file changed.
    pub(in crate::runtime) fn contains(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// Whether this file changed, or files below this folder or that match this pattern.
    pub(in crate::runtime) fn covers(&self, path: &str) -> bool {
        self.contains(path) || self.covered_files(path) != [path]
    }

    /// The name of a file before it was renamed.
    pub(in crate::runtime) fn name_before(&self, path: &str) -> Option<&str> {
        self.0.get(path)?.old_path.as_deref()
    }

    pub(in crate::runtime) fn files(&self) -> u64 {
        self.0.len() as u64
    }

    pub(in crate::runtime) fn lines(&self) -> u64 {
        self.0.values().map(|file| file.added + file.deleted).sum()
    }
}

/// Where the first wildcard of a pattern begins, and the last one ends. A name in brackets, as in `[id]`, is none.
fn wildcards(path: &str) -> Option<(usize, usize)> {
    let is_range = |class: &str| {
        let class = class.trim_start_matches(['!', '^']).as_bytes();
        matches!(class, [low, b'-', high, ..] if low < high && low.is_ascii_alphanumeric())
    };
    let mut ends = path.char_indices().filter_map(|(at, c)| match c {
        '*' | '?' => Some((at, at + 1)),
        '[' => {
            let end = at + path[at..].find(']')?;
            is_range(&path[at + 1..end]).then_some((at, end + 1))
        }
        _ => None,
    });
    let (first, end) = ends.next()?;
    Some((first, ends.next_back().map_or(end, |(_, end)| end)))
}

/// The size of some files of a change.
#[derive(Debug, Clone)]
pub(in crate::runtime) struct MeasuredSize {
    pub(in crate::runtime) files: u64,
    pub(in crate::runtime) surfaces: u64,
    pub(in crate::runtime) lines: u64,
    pub(in crate::runtime) reasons: Vec<String>,
    pub(in crate::runtime) warnings: Vec<String>,
}

/// Measures files; a duplicate path counts once, and an unchanged file has no lines. A folder, or a pattern with `*`, `?`
/// or a range in brackets, covers all that changed in it.
pub(in crate::runtime) fn measure(
    changed: &ChangeSizes,
    files: &[String],
    thresholds: &Thresholds,
) -> MeasuredSize {
    let files =
        order::set(files.iter().flat_map(|file| changed.covered_files(file.trim_start_matches("./"))));
    let mut surfaces: BTreeSet<Surface> = BTreeSet::new();
    let (mut lines, mut warnings) = (0, Vec::new());
    for file in &files {
        match changed.0.get(*file) {
            Some(change) => {
                surfaces.insert(change.surface);
                lines += change.added + change.deleted;
            }
            None => {
                surfaces.insert(surfaces::surface(file));
                warnings.push(format!("`{file}` did not change since the base"));
            }
        }
    }
    let (files, surfaces) = (files.len() as u64, surfaces.len() as u64);
    let reasons = [
        ("file_count", files, thresholds.item_files),
        ("surface_count", surfaces, thresholds.item_surfaces),
        ("diff_lines", lines, thresholds.item_lines),
    ];
    let reasons = reasons
        .into_iter()
        .filter(|(_, found, most)| found > most)
        .map(|(name, _, most)| format!("{name} > {most}"))
        .collect();
    MeasuredSize { files, surfaces, lines, reasons, warnings }
}

/// Whether an item is small enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    /// It is.
    Manageable,
    /// It should be split.
    Oversized,
}

/// The size of one item.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ItemSize {
    /// Whether it is small enough.
    pub status: ItemStatus,
    /// The item's name, if it has one.
    pub item_id: Option<String>,
    /// The number of distinct files.
    pub file_count: u64,
    /// The number of distinct surfaces.
    pub surface_count: u64,
    /// Lines added and deleted in them since the base, in commits.
    pub diff_lines: u64,
    /// The first reason, empty for a manageable item.
    pub reason: String,
    /// Every reason.
    pub reasons: Vec<String>,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
}

impl ItemSize {
    pub(super) fn new(id: Option<String>, measure: MeasuredSize) -> Self {
        let MeasuredSize { files, surfaces, lines, reasons, warnings } = measure;
        Self {
            status: if reasons.is_empty() { ItemStatus::Manageable } else { ItemStatus::Oversized },
            item_id: id,
            file_count: files,
            surface_count: surfaces,
            diff_lines: lines,
            reason: reasons.first().cloned().unwrap_or_default(),
            reasons,
            warnings,
        }
    }
}
