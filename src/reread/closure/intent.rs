//! Whether a path whose target is missing was meant to name a file of the plugin. Most are examples, placeholders, or
//! files that the text says to create, and a warning must not be a false positive.

use super::claims::ClaimForm;
use crate::read::intent;
use crate::source::Span;

/// A path in a source text.
pub(super) struct SourcePath<'a> {
    /// The whole text.
    pub(super) text: &'a str,
    /// The path, with its variable.
    pub(super) span: Span,
    /// The form in which it is written.
    pub(super) form: ClaimForm,
    /// The path.
    pub(super) path: &'a str,
}

impl SourcePath<'_> {
    /// Whether a file of the plugin is meant. `folder` tells whether the first folder of the path exists, `elsewhere`
    /// whether the text near the path names another skill that has the file, `is_link` whether Markdown parses the path
    /// as a link.
    pub(super) fn names_plugin_file(
        &self,
        folder: &dyn Fn(&str) -> bool,
        elsewhere: &dyn Fn(&str) -> bool,
        is_link: &dyn Fn() -> bool,
    ) -> bool {
        // The cheapest test first: most missing paths are not paths at all.
        let last = self.path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let file = last.contains('.') && !last.starts_with('.');
        let climbs = self.path.starts_with("../");
        if !(file || self.form == ClaimForm::Link && climbs && self.path.ends_with('/')) {
            return false;
        }
        let top = self.path.split('/').find(|part| !matches!(*part, "." | ".."));
        let there = top.is_some_and(folder);
        let uses = || intent::uses(self.text, self.span.start);
        let used = match self.form {
            ClaimForm::Link => climbs || there || (!self.path.contains('/') && uses()),
            ClaimForm::Bare => there && uses(),
            _ => there,
        };
        let at = self.span.start;
        let made = self.form != ClaimForm::Link
            && (intent::is_created(self.text, at) || intent::is_joined(self.text, at));
        used && !made
            && !self.path.split('/').any(intent::stands_for_any)
            && !elsewhere(intent::surrounding_text(self.text, self.span.start, self.span.end))
            && (self.form != ClaimForm::Link || is_link())
    }
}
