//! Reports what is wrong with a path, a program or a variable in a document that hosts read.

use super::verdict::{CLOSURE, ClosureJudge, MISSING_PATH};
use super::{FileContext, origin};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::paths::{join, nearest_path};
use crate::source::{SourceFile, Span};

/// The rules of `check` under which a build reports what such a document names.
const HOOK_SCRIPT: RuleId = RuleId::HOOK_SCRIPT_MISSING;
const HOOK_NOT_EXECUTABLE: RuleId = RuleId::HOOK_SCRIPT_NOT_EXECUTABLE;
const NOT_EXECUTABLE: RuleId = RuleId::SCRIPT_NOT_EXECUTABLE;
const NO_INTERPRETER: RuleId = RuleId::SHEBANG_MISSING;

/// How many places with one cause are reported: a document may repeat a path thousands of times.
const MOST_PLACES: usize = 20;

impl<'a> ClosureJudge<'a> {
    /// Checks a path in a document that hosts read, relative to the plugin's folder; `value` is its span in the emitted
    /// text.
    pub(super) fn declared(&mut self, place: &FileContext<'_>, value: Span, path: &str) {
        if join(place.root(), path)
            .is_some_and(|path| path.starts_with(place.root()) && self.index.contains(&path))
        {
            return;
        }
        let Some((file, span)) = self.declaration(place, value, path) else { return };
        let wanted = join(&place.plugin.root, path).unwrap_or_else(|| path.into());
        if wanted.starts_with(&place.plugin.root) && self.is_known(place.plugin, &wanted) {
            self.report_lost(place, (file, span), path, &wanted);
            return self.relate_others(place, value, path, (file, span));
        }
        let message =
            format!("`{path}` does not exist: the plugin has no `{}`", place.plugin.relative_path(&wanted));
        let known = place.plugin.files.kept.iter().map(|path| path.as_path());
        let help = match nearest_path(&wanted, known) {
            Some(other) => format!("did you mean `{}`?", place.plugin.relative_path(other)),
            None => "add the file, or fix the path".to_owned(),
        };
        let rule = if self.lookup.is_in_hook(place.plugin, file, span) { HOOK_SCRIPT } else { MISSING_PATH };
        self.found.push(Diagnostic::in_file(file, span, Severity::Warning, rule, message).help(help));
        self.relate_others(place, value, path, (file, span));
    }

    /// Adds to the last diagnostic where else `path` is declared: in a generated document, it is unknown which of the
    /// places it comes from.
    fn relate_others(
        &mut self,
        place: &FileContext<'_>,
        value: Span,
        path: &str,
        first: (&'a SourceFile, Span),
    ) {
        if origin::find(self.project, &place.file, value).is_some() {
            return;
        }
        let Some(found) = self.found.last_mut() else { return };
        for (file, span) in self.lookup.other_declarations(place.plugin, path, first).take(MOST_PLACES) {
            found.relate(file, span, "the same here");
        }
    }

    /// Reports a variable in a document that the host does not expand there; `value` is the span of its value.
    pub(super) fn unfilled(&mut self, place: &FileContext<'_>, value: Span, variable: &str) {
        let message =
            format!("`{}` contains `{variable}`, which the host does not expand there", place.file.path);
        match self.declaration(place, value, variable) {
            Some((file, span)) => self.fault(file, span, message),
            None => self.fault_in(place.file.path, message),
        }
    }

    /// Reports a variable that the host sets for no hook; `value` is the span of its value.
    pub(super) fn not_given(&mut self, place: &FileContext<'_>, value: Span, variable: &str) {
        let Some((file, span)) = self.declaration(place, value, variable) else { return };
        let message = format!("`{variable}` is empty here: the host does not set it for hooks");
        let help = "give it a default, as in `${NAME:-.}`, or read what the hook gets on standard input";
        let finding = Diagnostic::in_file(file, span, Severity::Warning, CLOSURE, message);
        self.found.push(finding.host(&self.target.name).help(help));
    }

    /// Reports a file that a document calls as a program but that is not executable.
    pub(super) fn not_executable(&mut self, place: &FileContext<'_>, value: Span, path: &str) {
        let Some((file, span)) = self.declaration(place, value, path) else { return };
        let message = format!("`{path}` is called as a program but is not executable");
        let help = format!("make it executable with `chmod +x {path}`, or call it with its interpreter");
        let rule = if self.lookup.is_in_hook(place.plugin, file, span) {
            HOOK_NOT_EXECUTABLE
        } else {
            NOT_EXECUTABLE
        };
        self.found.push(Diagnostic::in_file(file, span, Severity::Warning, rule, message).help(help));
    }

    /// Reports a program without a shebang line that is started without a shell, which fails.
    pub(super) fn report_missing_shebang(&mut self, place: &FileContext<'_>, value: Span, path: &str) {
        let Some(program) = self.project.tree.get(place.plugin.root.join(path)) else { return };
        let elsewhere = ["cmd", "bat", "exe"].map(Some).contains(&program.path.extension());
        if elsewhere || program.text().is_none_or(|text| text.starts_with("#!")) {
            return;
        }
        let Some((file, span)) = self.declaration(place, value, path) else { return };
        if self.lookup.is_in_hook(place.plugin, file, span) {
            return;
        }
        let message = format!("`{path}` is called as a program but has no shebang line");
        let help = "start it with a line such as `#!/usr/bin/env bash`, or call it with its interpreter";
        self.found
            .push(Diagnostic::in_file(file, span, Severity::Warning, NO_INTERPRETER, message).help(help));
    }

    /// Where the source declares `path`: at the same place, or in another file that names it.
    fn declaration(
        &self,
        place: &FileContext<'_>,
        value: Span,
        path: &str,
    ) -> Option<(&'a SourceFile, Span)> {
        let beside = origin::find(self.project, &place.file, value).map(|(file, span, _)| (file, span.start));
        self.lookup.declared(place.plugin, path, beside)
    }
}
