//! The outcome of one source item: decided once, and written as a ledger row after all decisions are made.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use camino::Utf8Path;

use crate::ledger::{ComponentKind, LedgerRow, Loss, LossClass, LossId, RowOutcome, RowSpan};
use crate::model::overrides::ConfigPlace;
use crate::source::{ExclusionReason, SourceFile, Span};
use crate::target::Axis;

/// The outcome of a component, a file, a field or a reference.
#[derive(Debug, Clone)]
pub(super) struct Decision(LedgerRow);

/// Why files cannot be written, by their emitted path and their source.
pub(super) type UnwritableFiles = BTreeMap<(String, String), String>;

impl Decision {
    /// A decision that starts as kept; the other methods change it.
    pub(super) fn new_kept(
        plugin: &str,
        kind: ComponentKind,
        name: impl Into<String>,
        path: &Utf8Path,
    ) -> Self {
        let path = if path.as_str().is_empty() { "." } else { path.as_str() }.to_owned();
        // A span follows in most ids, and a pointer in many.
        let mut id = String::with_capacity(plugin.len() + 1 + path.len() + 16);
        id.extend([plugin, ":", &path]);
        Self(LedgerRow {
            id,
            plugin: plugin.to_owned(),
            kind,
            name: name.into(),
            path,
            span: None,
            pointer: None,
            outcome: RowOutcome::Kept,
            to: None,
            loss: None,
            reason: None,
            transient: false,
        })
    }

    /// The same for the file at `path`.
    pub(super) fn for_file(plugin: &str, path: &Utf8Path) -> Self {
        Self::new_kept(plugin, ComponentKind::File, path.as_str(), path)
    }

    /// About the part of `file` at `span`.
    pub(super) fn in_file(self, file: &SourceFile, span: Span) -> Self {
        let position = file.position(span.start);
        self.at_span(RowSpan {
            start: span.start,
            end: span.end,
            line: position.line,
            column: position.column,
        })
    }

    /// About the setting at `place` in a `plugcast.toml`, or the field of a command in a manifest.
    pub(super) fn at_place(self, place: &ConfigPlace) -> Self {
        let ConfigPlace { span, line, column, .. } = *place;
        self.at_span(RowSpan { start: span.start, end: span.end, line, column }).pointer(&place.pointer)
    }

    fn at_span(mut self, span: RowSpan) -> Self {
        let _ = write!(self.0.id, ":{}-{}", span.start, span.end);
        self.0.span = Some(span);
        self
    }

    /// About a field.
    pub(super) fn pointer(mut self, pointer: impl Into<String>) -> Self {
        let pointer = pointer.into();
        let _ = write!(self.0.id, ":{pointer}");
        self.0.pointer = Some(pointer);
        self
    }

    /// Sets the destination.
    pub(super) fn placed_at(mut self, to: impl Into<String>) -> Self {
        self.0.to = Some(to.into());
        self
    }

    /// Sets the outcome and the reason.
    pub(super) fn with_outcome(mut self, outcome: RowOutcome, reason: impl Into<String>) -> Self {
        self.0.outcome = outcome;
        self.0.reason = Some(reason.into());
        self
    }

    /// About an excluded file or folder.
    pub(super) fn excluded(mut self, reason: &ExclusionReason) -> Self {
        self.0.transient = reason.is_transient();
        self.with_outcome(RowOutcome::Dropped, reason.to_string())
    }

    /// The loss on `axis`, with the lowest class of that axis; `part` is the field or construct, or empty for the
    /// whole.
    pub(super) fn loss(self, axis: Axis, owner: (ComponentKind, &str), part: &str) -> Self {
        self.loss_as(axis, axis.minimum_class(), owner, part)
    }

    /// The same with the given class.
    pub(super) fn loss_as(
        mut self,
        axis: Axis,
        class: LossClass,
        owner: (ComponentKind, &str),
        part: &str,
    ) -> Self {
        let id = LossId::new(axis, &self.0.plugin, owner, part);
        self.0.loss = Some(Loss { id, class, accepted: false });
        self
    }

    /// The kind of its subject.
    pub(super) fn kind(&self) -> ComponentKind {
        self.0.kind
    }

    /// The source file, relative to SRC.
    pub(super) fn path(&self) -> &str {
        &self.0.path
    }

    /// The field that it is about, if it is about one.
    pub(super) fn field(&self) -> Option<&str> {
        self.0.pointer.as_deref()
    }

    /// Whether it concerns the part at `span` with this pointer.
    pub(super) fn is_at(&self, span: Span, pointer: &str) -> bool {
        let is_there = self.0.span.is_some_and(|own| own.start == span.start && own.end == span.end);
        is_there && self.field() == Some(pointer)
    }

    /// The destination, or the reason for which it was dropped.
    pub(super) fn destination(&self) -> Result<&str, &str> {
        match self.0.outcome {
            RowOutcome::Dropped => Err(self.reason()),
            _ => Ok(self.0.to.as_deref().unwrap_or_default()),
        }
    }

    /// The reason.
    pub(super) fn reason(&self) -> &str {
        self.0.reason.as_deref().unwrap_or_default()
    }

    /// Whether the user of the host loses anything.
    pub(super) fn is_loss(&self) -> bool {
        self.0.loss.is_some()
    }

    /// The row of the ledger; anything in a file that cannot be written is dropped.
    pub(super) fn row(self, unwritable: &UnwritableFiles) -> LedgerRow {
        let Self(row) = self;
        let place = row.to.as_ref().filter(|_| !unwritable.is_empty());
        let place = place.map(|to| (to.clone(), row.path.clone()));
        let Some(why) = place.and_then(|place| unwritable.get(&place)) else { return row };
        let id = LossId::new(Axis::Limit, &row.plugin, (row.kind, &row.name), "");
        let loss = Loss { id, class: LossClass::Behavior, accepted: false };
        LedgerRow {
            outcome: RowOutcome::Dropped,
            to: None,
            loss: Some(loss),
            reason: Some(why.clone()),
            ..row
        }
    }
}
