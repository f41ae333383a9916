//! Indexes of the ledger and the hooks for verdicts: a bundle may lack thousands of files, and each of them is looked
//! up.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::declaring_files::DeclaringFiles;
use crate::ledger::{Ledger, LedgerRow, RowOutcome};
use crate::model::plugin::Plugin;
use crate::model::project::Project;
use crate::source::{SourceFile, Span};

/// Rows and hooks by path.
#[derive(Debug, Default)]
pub(super) struct RowLookup<'a> {
    /// The first row with a loss of each path that was dropped.
    losses: BTreeMap<&'a str, &'a LedgerRow>,
    /// The first row of each file or folder that was dropped, with its index.
    wholes: BTreeMap<&'a str, (usize, &'a LedgerRow)>,
    /// The spans of hooks, by plugin and file, in order.
    hooks: BTreeMap<(&'a str, &'a str), Vec<Span>>,
    /// The declaring files of each plugin.
    declared: BTreeMap<&'a str, DeclaringFiles<'a>>,
}

impl<'a> RowLookup<'a> {
    pub(super) fn new(project: &'a Project, ledger: &'a Ledger) -> Self {
        let mut lookup = Self::default();
        let dropped = ledger.rows.iter().filter(|row| row.outcome == RowOutcome::Dropped);
        for (at, row) in dropped.enumerate() {
            if row.loss.is_some() {
                lookup.losses.entry(&row.path).or_insert(row);
            }
            if row.pointer.is_none() {
                lookup.wholes.entry(&row.path).or_insert((at, row));
            }
        }
        for plugin in &project.plugins {
            let manifest = plugin.manifest.iter().map(|manifest| &manifest.path);
            let mut known = BTreeSet::new();
            let paths = manifest.chain(plugin.others.iter().map(|other| &other.path));
            let files = paths.filter(|path| known.insert(*path)).filter_map(|path| project.tree.get(path));
            let manifest = plugin.manifest.as_ref().map(|manifest| &manifest.node);
            lookup.declared.insert(&plugin.name, DeclaringFiles::new(files.collect(), manifest));
            for (other, _) in plugin.hooks() {
                let spans = lookup.hooks.entry((&plugin.name, other.path.as_str())).or_default();
                spans.extend(other.span);
            }
        }
        lookup.hooks.values_mut().for_each(|spans| spans.sort());
        lookup
    }

    /// The ledger's row of the file or folder at `path` of the source, if it was dropped.
    pub(super) fn dropped_row(&self, path: &Utf8Path) -> Option<&'a LedgerRow> {
        let whole = || {
            let rows = path.ancestors().filter_map(|above| self.wholes.get(above.as_str()));
            rows.min_by_key(|(at, _)| *at).map(|(_, row)| *row)
        };
        self.losses.get(path.as_str()).copied().or_else(whole)
    }

    /// Where `plugin` declares `written`: in the file of `beside` from its offset on, else its first occurrence.
    pub(super) fn declared(
        &self,
        plugin: &Plugin,
        written: &str,
        beside: Option<(&'a SourceFile, usize)>,
    ) -> Option<(&'a SourceFile, Span)> {
        self.declared.get(plugin.name.as_str())?.find(written, beside)
    }

    /// Where else `plugin` declares `written` in the same way as at `first`.
    pub(super) fn other_declarations(
        &self,
        plugin: &Plugin,
        written: &str,
        first: (&'a SourceFile, Span),
    ) -> impl Iterator<Item = (&'a SourceFile, Span)> {
        let files = self.declared.get(plugin.name.as_str());
        files.into_iter().flat_map(move |files| files.other_occurrences(written, first))
    }

    /// Whether the manifest of `plugin` names the document at `inner` of its folder.
    pub(super) fn is_named(&self, plugin: &Plugin, inner: &Utf8Path) -> bool {
        self.declared.get(plugin.name.as_str()).is_some_and(|declared| declared.is_named(inner.as_str()))
    }

    /// Whether `span` of `file` is in a hook of `plugin`.
    pub(super) fn is_in_hook(&self, plugin: &Plugin, file: &SourceFile, span: Span) -> bool {
        let spans = self.hooks.get(&(plugin.name.as_str(), file.path.as_str()));
        spans.is_some_and(|spans| {
            let begun = spans.partition_point(|hook| hook.start <= span.start);
            begun > 0 && span.end <= spans[begun - 1].end
        })
    }
}
