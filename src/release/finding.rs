//! Findings with paths relative to the top of the repository.

use camino::Utf8Path;

use crate::diagnostic::{Diagnostic, RuleId, Severity};

/// A finding about a whole file, with a path relative to the top of the repository.
pub(super) fn file_finding(path: &Utf8Path, severity: Severity, rule: RuleId, message: String) -> Diagnostic {
    let path = if path.as_str().is_empty() { Utf8Path::new(".") } else { path };
    Diagnostic::for_file(path, severity, rule, message)
}

/// Converts the paths of a finding from relative to `place` to relative to the top of the repository.
pub(super) fn shifted(mut found: Diagnostic, place: &Utf8Path) -> Diagnostic {
    let below = |path: &mut String| {
        let whole = if path == "." { place.to_owned() } else { place.join(path.as_str()) };
        *path = if whole.as_str().is_empty() { ".".to_owned() } else { whole.into_string() };
    };
    below(&mut found.path);
    found.fix.iter_mut().flat_map(|fix| &mut fix.edits).for_each(|edit| below(&mut edit.path));
    found.related.iter_mut().for_each(|related| below(&mut related.path));
    found
}
