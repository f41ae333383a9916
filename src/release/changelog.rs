//! The changelog has an entry for the version, in a form that is known.

use camino::Utf8PathBuf;

use super::context::{ReleaseContext, VersionedUnit};
use super::{ReleaseError, found};
use crate::diagnostic::{Diagnostic, Severity};
use crate::model::config::ChangelogForm;
use crate::read::markdown;
use crate::source::Span;

/// The name that it has nearly everywhere.
const NAME: &str = "CHANGELOG.md";

pub(super) fn check(context: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let mut without: Vec<(&VersionedUnit, String)> = Vec::new();
    for unit in &context.units {
        let Some(version) = unit.version() else { continue };
        let Some(path) = path(context, unit) else {
            without.push((unit, version));
            continue;
        };
        let form = unit.published.changelog_form;
        let Some(file) = context.files.get(&path) else {
            // Release automation writes the first one with the first release.
            if unit.changelog.is_some() && context.history.released(unit).is_none() {
                continue;
            }
            let message = format!("the changelog `{path}` does not exist");
            let help = "write it, or name another one under `[release]` in `plugcast.toml`";
            out.push(found(&path, Severity::Error, "changelog-missing", message).help(help));
            continue;
        };
        let text = file.text().unwrap_or_default();
        let headings = headings(text);
        let shared =
            context.units.iter().filter(|other| self::path(context, other).as_ref() == Some(&path)).count()
                > 1;
        let of_unit = |heading: &&ChangelogHeading<'_>| {
            heading.version == version && (!shared || heading.fits(&unit.name))
        };
        let Some(entry) = headings.iter().find(of_unit) else {
            let first = headings.first();
            let at = first.map_or(Span::new(0, text.find('\n').unwrap_or(text.len())), |first| first.span);
            let message = match first {
                Some(first) => format!(
                    "the changelog has no entry for `{version}` of `{}`; its first is `{}`",
                    unit.name,
                    first.span.slice(text).trim()
                ),
                None => {
                    format!("the changelog has no entry for `{version}` of `{}`, nor any other", unit.name)
                }
            };
            let whose = if shared { format!("{} {version}", unit.name) } else { version.clone() };
            let help = format!("add `{}` with what is new below it", example(form, &whose));
            let found = Diagnostic::in_file(&file, at, Severity::Error, "changelog-entry", message);
            out.push(found.help(help));
            continue;
        };
        if form.is_some_and(|form| form != entry.form) {
            let message = format!("the heading of `{version}` does not match `changelog-form`");
            let found = Diagnostic::in_file(&file, entry.span, Severity::Error, "changelog-form", message);
            out.push(found.help(format!("write it like `{}`", example(form, &version))));
        }
        if entry.body.trim().is_empty() {
            let message = format!("the changelog entry is empty for `{version}`");
            let found = Diagnostic::in_file(&file, entry.span, Severity::Error, "changelog-entry", message);
            out.push(found.help("describe what is new for users under the heading"));
        }
    }
    out.extend(none(&without));
    Ok(())
}

/// How many names a message lists.
const NAMED: usize = 3;

/// What is new in some is said nowhere: one finding, as one changelog can say all of it.
fn none(without: &[(&VersionedUnit, String)]) -> Option<Diagnostic> {
    let (first, version) = without.first()?;
    let names: Vec<String> = without.iter().take(NAMED).map(|(unit, _)| format!("`{}`", unit.name)).collect();
    let more = without.len() - names.len();
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let message = format!("no changelog tells users what is new in {}{more}", names.join(", "));
    let whose = if without.len() > 1 { format!("{} {version}", first.name) } else { version.clone() };
    let help = format!("write a `{NAME}` with the heading `## {whose}`");
    Some(found(first.own_path(), Severity::Warning, "changelog-missing", message).help(help))
}

/// The changelog of a unit, relative to the top; `None` where there is none and none is configured.
pub(super) fn path(context: &ReleaseContext<'_>, unit: &VersionedUnit) -> Option<Utf8PathBuf> {
    if let Some(path) = unit.changelog.as_ref().or(unit.published.changelog.as_ref()) {
        return Some(path.clone());
    }
    let own = unit.root.ancestors().map(|folder| folder.join(NAME));
    own.into_iter().find(|path| context.files.get(path).is_some())
}

/// One entry.
struct ChangelogHeading<'a> {
    span: Span,
    line: &'a str,
    version: String,
    form: ChangelogForm,
    body: &'a str,
}

impl ChangelogHeading<'_> {
    /// Whether it may be meant for `name`, in a changelog of several.
    fn fits(&self, name: &str) -> bool {
        let rest = self.line.replace(&self.version, "");
        let named = rest.split(|c: char| !c.is_alphanumeric() && !"-_".contains(c)).any(|word| word == name);
        let link = rest.split("](").next().unwrap_or_default();
        let nobody =
            !link.chars().any(char::is_alphabetic) || link.trim_matches(|c: char| !c.is_alphabetic()) == "v";
        named || nobody
    }
}

/// The headings that name a version, outside of code.
fn headings(text: &str) -> Vec<ChangelogHeading<'_>> {
    let mut out: Vec<(ChangelogHeading<'_>, usize, usize)> = Vec::new();
    let code = markdown::outline(text, Span::new(0, text.len())).blocks;
    let is_code = |at: usize| {
        let after = code.partition_point(|block| block.span.start <= at);
        code[..after].last().is_some_and(|block| block.span.contains(at))
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let plain = line.trim_end();
        let level = plain.len() - plain.trim_start_matches('#').len();
        if !(1..=3).contains(&level) || !plain[level..].starts_with(' ') || is_code(start) {
            continue;
        }
        let words = plain[level..].trim();
        if let Some((version, form)) = version(words) {
            let span = Span::new(start, start + plain.len());
            let heading = ChangelogHeading { span, line: words, version, form, body: "" };
            out.push((heading, level, at));
        }
    }
    let ends: Vec<usize> =
        (0..out.len()).map(|n| out.get(n + 1).map_or(text.len(), |next| next.0.span.start)).collect();
    out.into_iter()
        .zip(ends)
        .map(|((heading, _, from), end)| ChangelogHeading {
            body: text.get(from..end).unwrap_or_default(),
            ..heading
        })
        .collect()
}

/// The version that the words of a heading name, and their form.
fn version(words: &str) -> Option<(String, ChangelogForm)> {
    let candidates = words.split(|c: char| c.is_whitespace() || "[](){}:@,".contains(c));
    let version = candidates
        .map(|word| word.trim_start_matches('v'))
        .map(|word| word.rsplit_once("-v").map_or(word, |(_, version)| version))
        .find(|word| semver::Version::parse(word).is_ok())?;
    let form = if words.contains("](") {
        ChangelogForm::ReleasePlease
    } else if words.contains('[') {
        ChangelogForm::KeepAChangelog
    } else {
        ChangelogForm::Plain
    };
    Some((version.to_owned(), form))
}

fn example(form: Option<ChangelogForm>, version: &str) -> String {
    match form {
        Some(ChangelogForm::KeepAChangelog) => format!("## [{version}] - YYYY-MM-DD"),
        Some(ChangelogForm::ReleasePlease) => format!("## [{version}](URL) (YYYY-MM-DD)"),
        _ => format!("## {version}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_every_form_are_read() {
        let text = "# Changelog\n\n## [Unreleased]\n\nx\n\n## [1.3.0](https://example.org/compare/v1.2.0...v1.3.0) (2026-01-31)\n\n* one\n\n## [1.2.0] - 2026-01-01\n- two\n\n## v1.1.0\n\n```\n## 9.9.9\n```\n### demo-v1.0.0: the first\n";
        let found: Vec<_> = headings(text)
            .into_iter()
            .map(|one| (one.version, one.form, !one.body.trim().is_empty()))
            .collect();
        assert_eq!(
            found,
            [
                ("1.3.0".to_owned(), ChangelogForm::ReleasePlease, true),
                ("1.2.0".to_owned(), ChangelogForm::KeepAChangelog, true),
                ("1.1.0".to_owned(), ChangelogForm::Plain, true),
                ("1.0.0".to_owned(), ChangelogForm::Plain, false),
            ]
        );
    }

    #[test]
    fn an_entry_of_a_shared_changelog_belongs_to_whom_it_names() {
        let fits = |line: &str| headings(line)[0].fits("one");
        assert!(
            fits("## 1.0.0\n")
                && fits("## one 1.0.0\n")
                && fits("## [1.0.0](https://x.org/two) (2026-01-31)\n")
        );
        assert!(!fits("## two 1.0.0\n"));
    }
}
