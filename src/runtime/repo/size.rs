//! `repo size`: whether one item of work, or a whole batch of items, is small enough to go on with.

pub mod batch;
pub mod item;

use std::collections::{BTreeMap, BTreeSet};

use clap::Subcommand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::surfaces::{self, File, Surface};
use crate::read::polish::PolishConfig;
use crate::runtime::answer::{Failure, MALFORMED, Said};
use crate::runtime::document;
use crate::runtime::git::Repository;
use crate::runtime::surroundings::Surroundings;

/// The commands of `repo size`.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "the options of each command say it")]
pub enum Verb {
    Item(item::Options),
    Batch(batch::Options),
}

/// Runs the command.
///
/// # Errors
/// As each command says.
pub fn run(verb: &Verb, surroundings: &Surroundings) -> Result<Said, Failure> {
    match verb {
        Verb::Item(options) => item::run(options, surroundings),
        Verb::Batch(options) => batch::run(options, surroundings),
    }
}

/// What is too much; an item or batch may have exactly as much.
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
    /// Items to plan again from which on a person decides; `replans`.
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
    pub fn read(repository: &Repository) -> Result<Self, Failure> {
        const NAME: &str = "plugcast.toml";
        let Some(text) = document::project_text(&repository.top.join(NAME))? else {
            return Ok(Self::default());
        };
        let failed = |code: &str, error: &toml::de::Error, hint: &str| {
            let (line, col) = document::place(&text, error.span().map_or(0, |span| span.start));
            Failure::new(MALFORMED, code, error.message(), hint).at(NAME, Some(line), Some(col))
        };
        let own: Own = toml::from_str(&text).map_err(|error| match toml::from_str::<toml::Table>(&text) {
            Err(error) => failed("malformed_toml", &error, "repair the file"),
            Ok(_) => failed("bad_threshold", &error, "write whole numbers from 0 below `[runtime.polish]`"),
        })?;
        let (own, usual) = (own.runtime.polish, Self::default());
        Ok(Self {
            item_files: own.item_files.unwrap_or(usual.item_files),
            item_surfaces: own.item_surfaces.unwrap_or(usual.item_surfaces),
            item_lines: own.item_lines.unwrap_or(usual.item_lines),
            batch_files: own.batch_files.unwrap_or(usual.batch_files),
            batch_lines: own.batch_lines.unwrap_or(usual.batch_lines),
            replans: own.replans.unwrap_or(usual.replans),
        })
    }
}

/// The part of `plugcast.toml` that is read here.
#[derive(Deserialize)]
struct Own {
    #[serde(default)]
    runtime: OwnRuntime,
}

/// `[runtime]`, of which the compiler reads the rest.
#[derive(Default, Deserialize)]
#[serde(expecting = "the table `[runtime]`")]
struct OwnRuntime {
    #[serde(default)]
    polish: PolishConfig,
}

/// What changed, by path.
pub(super) struct Changed(BTreeMap<String, File>);

impl Changed {
    pub(super) fn since(repository: &Repository, base: &str) -> Result<Self, Failure> {
        let (_, files) = surfaces::since(repository, base, false)?;
        Ok(Self(files.into_iter().map(|file| (file.file.clone(), file)).collect()))
    }

    pub(super) fn files(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn lines(&self) -> u64 {
        self.0.values().map(|file| file.added + file.deleted).sum()
    }
}

/// What some files of a change amount to.
pub(super) struct Measure {
    pub(super) files: u64,
    pub(super) surfaces: u64,
    pub(super) lines: u64,
    pub(super) reasons: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// Measures files; a path twice counts once, one that did not change has no lines.
pub(super) fn measure(changed: &Changed, files: &[String], thresholds: &Thresholds) -> Measure {
    let files: BTreeSet<&str> = files.iter().map(|file| file.trim_start_matches("./")).collect();
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
    Measure { files, surfaces, lines, reasons, warnings }
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

/// What one item amounts to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ItemSize {
    /// Whether it is small enough.
    pub status: ItemStatus,
    /// The item's name, where it has one.
    pub item_id: Option<String>,
    /// Different files.
    pub file_count: u64,
    /// Different surfaces.
    pub surface_count: u64,
    /// Lines added and deleted in them since the base, as committed.
    pub diff_lines: u64,
    /// The first reason, empty for a manageable item.
    pub reason: String,
    /// Every reason.
    pub reasons: Vec<String>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

impl ItemSize {
    pub(super) fn of(id: Option<String>, measure: Measure) -> Self {
        let Measure { files, surfaces, lines, reasons, warnings } = measure;
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
