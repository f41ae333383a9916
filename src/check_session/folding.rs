//! Joins the findings of a check that have one cause, as each form of output shows them.

use super::CheckedSource;
use crate::check::fold;
use crate::diagnostic::Diagnostic;
use crate::model::project::Project;
use crate::source::is_inside;

/// The findings of a check, folded.
#[derive(Debug)]
#[non_exhaustive]
pub struct FoldedSource {
    /// The source, with one finding for each cause in a plugin.
    pub examined: CheckedSource,
    /// Every place of every finding.
    pub places: Vec<Diagnostic>,
}

impl CheckedSource {
    /// Joins the findings of one cause.
    pub fn fold(mut self) -> FoldedSource {
        let places = fold::fold_hosts(std::mem::take(&mut self.findings.diagnostics));
        let of_plugins = fold::fold_places(&places, |found| plugin_of(&self.project, found));
        self.findings.diagnostics = fold::fold_conventions(fold::fold_characters(&of_plugins));
        FoldedSource { examined: self, places }
    }

    /// The plugin that a finding is about, by its folder; empty if there is none.
    pub fn plugin_of(&self, found: &Diagnostic) -> String {
        plugin_of(&self.project, found)
    }

    /// `found` for a reader: frequent findings that differ only in names are joined, too.
    pub fn patterns(&self, found: &[Diagnostic]) -> Vec<Diagnostic> {
        fold::fold_patterns(found, |found| self.plugin_of(found))
    }
}

/// One finding for each cause in a file, from `places`.
pub fn fold_files(places: &[Diagnostic]) -> Vec<Diagnostic> {
    fold::fold_characters(&fold::fold_places(places, |found| found.path.clone()))
}

fn plugin_of(project: &Project, found: &Diagnostic) -> String {
    let roots = project.plugins.iter().map(|plugin| &plugin.root);
    let own = roots.filter(|root| is_inside(&found.path, root.as_str()));
    own.max_by_key(|root| root.as_str().len()).map(ToString::to_string).unwrap_or_default()
}
