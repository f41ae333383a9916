//! The ledger: one row for every component, file, field and reference of a source, with its outcome on one host.
//! Nothing disappears without a row.

mod loss_id;

use std::cmp::Reverse;

use globset::Glob;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use loss_id::{LossId, axis_in_glob, plugin_in_glob};

use crate::diagnostic::HostId;
pub use crate::diagnostic::LossClass;
use crate::model::config::AcceptLoss;
pub use crate::source::ComponentKind;

/// The document written to `.plugcast/ledger.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Ledger {
    /// `plugcast.ledger/1`.
    pub schema: String,
    /// Every row, ordered by plugin, path, position and pointer.
    pub rows: Vec<LedgerRow>,
    /// Counts over `rows`.
    pub summary: LedgerSummary,
}

/// The outcome of one part of the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LedgerRow {
    /// Unique within the ledger: plugin, path, span and pointer; also the kind if another row has the same four.
    pub id: String,
    /// The plugin's name; empty for a row of the whole source.
    pub plugin: String,
    /// The kind of the part.
    pub kind: ComponentKind,
    /// The qualified name of a component, the name of a field, or the text of a reference.
    pub name: String,
    /// The source file, relative to SRC, with `/`.
    pub path: String,
    /// Where in the file, if the row is about a part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<RowSpan>,
    /// A JSON pointer into frontmatter or a JSON file, for a field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The outcome.
    pub outcome: RowOutcome,
    /// Its destination: an emitted path relative to the bundle, or the form that replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What the user of this host loses, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Why, in one sentence; always present unless the outcome is `kept`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the row comes and goes without a change of the source, as that of an ignored file does. Ledgers that
    /// differ only in such rows are equivalent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub transient: bool,
}

/// A byte range with the position of its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RowSpan {
    /// Byte offset of the first byte.
    pub start: usize,
    /// Byte offset after the last byte.
    pub end: usize,
    /// 1-based line of `start`.
    pub line: usize,
    /// 1-based column of `start`, in Unicode code points.
    pub column: usize,
}

/// The outcome of a part of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RowOutcome {
    /// It is in the bundle, unchanged.
    Kept,
    /// It is in the bundle in the host's own form, with the same effect.
    Mapped,
    /// It is in the bundle with a smaller effect.
    Degraded,
    /// It is not in the bundle.
    Dropped,
}

/// A loss and its class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Loss {
    /// `<axis>/<plugin>/<kind>/<name>[/<field or construct>]`, without positions.
    #[schemars(with = "String")]
    pub id: LossId,
    /// The class of the loss.
    pub class: LossClass,
    /// Accepted by the author in `plugcast.toml`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
}

/// Counts over the rows of a ledger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LedgerSummary {
    /// Rows with outcome `kept`.
    pub kept: usize,
    /// Rows with outcome `mapped`.
    pub mapped: usize,
    /// Rows with outcome `degraded`.
    pub degraded: usize,
    /// Rows with outcome `dropped`.
    pub dropped: usize,
    /// Distinct loss ids by class.
    pub losses: LossCounts,
}

/// Distinct losses by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LossCounts {
    /// Losses of class `security`.
    pub security: usize,
    /// Losses of class `behavior`.
    pub behavior: usize,
    /// Losses of class `cosmetic`.
    pub cosmetic: usize,
}

impl Ledger {
    /// Sorts `rows`, makes their ids unique and counts them. Of two rows about the same part, the one with the smaller
    /// effect is kept, regardless of the order of `rows`.
    pub fn new(mut rows: Vec<LedgerRow>) -> Self {
        let effect = |row: &LedgerRow| (row.outcome, row.loss.as_ref().map(|loss| Reverse(loss.class)));
        rows.sort_by(|a, b| {
            let places = a.place().cmp(&b.place());
            places.then_with(|| (effect(b), &b.reason, &b.to).cmp(&(effect(a), &a.reason, &a.to)))
        });
        rows.dedup_by(|a, b| a.id == b.id && a.kind == b.kind && a.name == b.name);
        // A file may be both an agent and a command.
        let mut last = String::new();
        for row in &mut rows {
            let id = row.id.clone();
            if id == last {
                row.id = format!("{id}:{}", row.kind.id());
            }
            last = id;
        }
        let summary = LedgerSummary::from_rows(&rows);
        Self { schema: crate::schema::LEDGER.tag(), rows, summary }
    }
}

impl Ledger {
    /// Marks the losses of `host` that the author accepts.
    pub fn accept(&mut self, host: &HostId, accepted: &[AcceptLoss]) {
        let here =
            |accept: &&AcceptLoss| accept.hosts.is_empty() || accept.hosts.iter().any(|name| name == host);
        for accept in accepted.iter().filter(here) {
            // The globs were validated when the configuration was read.
            let Ok(glob) = Glob::new(&accept.id).map(|glob| glob.compile_matcher()) else { continue };
            for loss in self.rows.iter_mut().filter_map(|row| row.loss.as_mut()) {
                loss.accepted |= glob.is_match(loss.id.as_str());
            }
        }
    }
}

impl LedgerRow {
    fn place(&self) -> (&str, &str, usize, usize, &Option<String>, ComponentKind, &str) {
        let (start, end) = self.span.map_or((0, 0), |span| (span.start + 1, span.end));
        (&self.plugin, &self.path, start, end, &self.pointer, self.kind, &self.name)
    }
}

impl LedgerSummary {
    /// Counts `rows`; a loss that several rows share counts once.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a LedgerRow>) -> Self {
        let mut summary = Self::default();
        let mut losses = std::collections::BTreeMap::new();
        for row in rows {
            match row.outcome {
                RowOutcome::Kept => summary.kept += 1,
                RowOutcome::Mapped => summary.mapped += 1,
                RowOutcome::Degraded => summary.degraded += 1,
                RowOutcome::Dropped => summary.dropped += 1,
            }
            if let Some(loss) = &row.loss {
                losses.insert(&loss.id, loss.class);
            }
        }
        for class in losses.into_values() {
            match class {
                LossClass::Security => summary.losses.security += 1,
                LossClass::Behavior => summary.losses.behavior += 1,
                LossClass::Cosmetic => summary.losses.cosmetic += 1,
            }
        }
        summary
    }
}
