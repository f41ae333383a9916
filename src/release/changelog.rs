//! The changelog must have an entry for the version, in a known form.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::finding::file_finding;
use super::unit::VersionedUnit;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::config::ChangelogForm;
use crate::read::markdown;
use crate::source::{Span, line_end};

/// The usual name of a changelog.
const NAME: &str = "CHANGELOG.md";

pub(super) fn check(context: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let mut without: Vec<(&VersionedUnit, String)> = Vec::new();
    let mut missing: BTreeMap<Utf8PathBuf, Vec<(&VersionedUnit, String)>> = BTreeMap::new();
    for unit in &context.units {
        let Some(version) = unit.version() else { continue };
        let Some(path) = path(context, unit) else {
            without.push((unit, version));
            continue;
        };
        let form = unit.published.changelog_form;
        let Some(file) = context.files.get(&path) else {
            // Release automation creates the changelog with the first release.
            if unit.changelog.is_some() && context.history.released(unit).is_none() {
                continue;
            }
            let message = format!("the changelog `{path}` does not exist");
            let help = "write it, or name another one under `[release]` in `plugcast.toml`";
            add(out, file_finding(&path, Severity::Error, RuleId::CHANGELOG_MISSING, message).help(help));
            continue;
        };
        let text = file.text().unwrap_or_default();
        let headings = headings(text);
        let sharing: Vec<&str> = context
            .units
            .iter()
            .filter(|other| self::path(context, other).as_ref() == Some(&path))
            .map(|other| other.name.as_str())
            .collect();
        let of_unit = |heading: &&ChangelogHeading<'_>| {
            heading.version == version && (sharing.len() < 2 || heading.may_be_entry_of(&unit.name, &sharing))
        };
        let Some(entry) = headings.iter().find(of_unit) else {
            missing.entry(path).or_default().push((unit, version));
            continue;
        };
        if form.is_some_and(|form| form != entry.form) {
            let message = format!("the heading of `{version}` does not match `changelog-form`");
            let found =
                Diagnostic::in_file(&file, entry.span, Severity::Error, RuleId::CHANGELOG_FORM, message);
            add(out, found.help(format!("write it like `{}`", example(form, &version))));
        }
        if entry.body.trim().is_empty() {
            let message = format!("the changelog entry is empty for `{version}`");
            let found =
                Diagnostic::in_file(&file, entry.span, Severity::Error, RuleId::CHANGELOG_ENTRY, message);
            add(out, found.help("describe what is new for users under the heading"));
        }
    }
    out.extend(missing.iter().filter_map(|(path, units)| no_entry(context, path, units)));
    out.extend(missing_changelog(&without));
    Ok(())
}

/// Adds a finding unless another plugin with the same changelog already has it.
fn add(out: &mut Vec<Diagnostic>, found: Diagnostic) {
    if !out.contains(&found) {
        out.push(found);
    }
}

/// The maximum number of names in a message.
const MOST_NAMED: usize = 3;

/// The changelog at `path` has no entry for the versions of `units`: one finding, as one release would add all of them.
fn no_entry(
    context: &ReleaseContext<'_>,
    path: &Utf8Path,
    units: &[(&VersionedUnit, String)],
) -> Option<Diagnostic> {
    let file = context.files.get(path)?;
    let text = file.text().unwrap_or_default();
    let headings = headings(text);
    let at = headings.first().map_or(Span::new(0, line_end(text, 0)), |first| first.span);
    let ((first, version), form) = (units.first()?, units.first()?.0.published.changelog_form);
    let is_shared =
        context.units.iter().filter(|unit| self::path(context, unit).as_deref() == Some(path)).count() > 1;
    let is_one_version = units.iter().all(|(_, other)| other == version);
    let what = match is_one_version {
        true => format!("`{version}` of {}", list_units(units, |(unit, _)| format!("`{}`", unit.name))),
        false => list_units(units, |(unit, version)| format!("`{version}` of `{}`", unit.name)),
    };
    let message = match headings.first() {
        Some(first) => {
            format!("the changelog has no entry for {what}; its first is `{}`", first.span.slice(text).trim())
        }
        None => format!("the changelog has no entry for {what}, nor any other"),
    };
    let whose = match is_shared && (units.len() == 1 || !is_one_version) {
        true => format!("{} {version}", first.name),
        false => version.clone(),
    };
    let names: Vec<&str> = context.units.iter().map(|unit| unit.name.as_str()).collect();
    let like_first = headings.first().filter(|_| form.is_none());
    let own = if whose == *version { None } else { Some((&*first.name, &*names)) };
    let heading = like_first
        .and_then(|first| first.with_version(version, own))
        .unwrap_or_else(|| example(form.or(headings.first().map(|first| first.form)), &whose));
    let help = match is_one_version {
        true => format!("add `{heading}` with what is new below it"),
        false => format!("add a heading for each, such as `{heading}`, with what is new below it"),
    };
    Some(Diagnostic::in_file(&file, at, Severity::Error, RuleId::CHANGELOG_ENTRY, message).help(help))
}

/// The first of `units`, each formatted by `one`, and the number of further ones.
fn list_units<'a>(
    units: &'a [(&'a VersionedUnit, String)],
    one: impl Fn(&'a (&'a VersionedUnit, String)) -> String,
) -> String {
    let named: Vec<String> = units.iter().take(MOST_NAMED).map(one).collect();
    let more = units.len() - named.len();
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// Some units have no changelog: one finding, as one changelog can cover all of them.
fn missing_changelog(without: &[(&VersionedUnit, String)]) -> Option<Diagnostic> {
    let (first, version) = without.first()?;
    let names = list_units(without, |(unit, _)| format!("`{}`", unit.name));
    let message = format!("no changelog tells users what is new in {names}");
    let whose = if without.len() > 1 { format!("{} {version}", first.name) } else { version.clone() };
    let help = format!("write a `{NAME}` with the heading `## {whose}`");
    Some(file_finding(first.own_path(), Severity::Warning, RuleId::CHANGELOG_MISSING, message).help(help))
}

/// The changelog of a unit, relative to the top; `None` if there is none and none is configured.
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
    level: usize,
    line: &'a str,
    version: String,
    form: ChangelogForm,
    body: &'a str,
}

impl ChangelogHeading<'_> {
    /// Whether it may be the entry of `name` in a shared changelog: it contains the name, or none of `all`.
    fn may_be_entry_of(&self, name: &str, all: &[&str]) -> bool {
        self.names(name) || !all.iter().any(|other| self.names(other))
    }

    /// The same heading for another version, up to its date; where a changelog is shared, for the plugin `own.0`, if it
    /// begins with a name among `own.1`. None where its words depend on its own version.
    fn with_version(&self, version: &str, own: Option<(&str, &[&str])>) -> Option<String> {
        let is_bound =
            self.form == ChangelogForm::ReleasePlease || ARROWS.iter().any(|arrow| self.line.contains(arrow));
        let (before, after) = self.line.split_once(&*self.version).filter(|_| !is_bound)?;
        let before = match own {
            None => before.to_owned(),
            Some((name, all)) => {
                let other = all.iter().filter(|other| self.names(other) && before.contains(**other));
                before.replacen(*other.max_by_key(|other| other.len())?, name, 1)
            }
        };
        let is_date = |part: &&[u8]| {
            part.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            })
        };
        let date = after.as_bytes().windows("YYYY-MM-DD".len()).position(|part| is_date(&part));
        let closing =
            |rest: &str, sign: char| if rest.starts_with(sign) { sign.to_string() } else { String::new() };
        let rest = match date {
            Some(at) => {
                let end = at + "YYYY-MM-DD".len();
                format!("{}YYYY-MM-DD{}", &after[..at], closing(&after[end..], ')'))
            }
            None => closing(after, ']'),
        };
        Some(format!("{} {before}{version}{rest}", "#".repeat(self.level)))
    }

    /// Whether it consists of a version only, and perhaps a date.
    fn is_version_alone(&self) -> bool {
        let words = self.line.split("](").next().unwrap_or_default().replace(&self.version, "");
        words.trim_matches(|c: char| !c.is_alphabetic()).trim_start_matches('v').is_empty()
    }

    /// Whether it contains `name`, perhaps as separate words.
    fn names(&self, name: &str) -> bool {
        let words = self.line.split("](").next().unwrap_or_default().to_lowercase();
        let words: Vec<&str> = words
            .split(|c: char| !c.is_alphanumeric() && !"-_".contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        let name = name.to_lowercase();
        let count = name.split('-').count();
        words.contains(&name.as_str())
            || words.iter().any(|word| word.rsplit_once("-v").is_some_and(|(word, _)| word == name))
            || words.windows(count).any(|some| some.join("-") == name)
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
        if !(1..=6).contains(&level) || !plain[level..].starts_with(' ') || is_code(start) {
            continue;
        }
        let words = plain[level..].trim();
        if let Some((version, form)) = version(words) {
            let span = Span::new(start, start + plain.len());
            let heading = ChangelogHeading { span, level, line: words, version, form, body: "" };
            out.push((heading, level, at));
        }
    }
    // A lower heading with more than a version is part of the entry.
    let end = |at: usize| {
        let ends = |(next, level, _): &&(ChangelogHeading<'_>, usize, usize)| {
            *level <= out[at].1 || next.is_version_alone()
        };
        let behind = out[at + 1..].iter().find(ends);
        behind.map_or(text.len(), |(next, ..)| next.span.start)
    };
    let ends: Vec<usize> = (0..out.len()).map(end).collect();
    out.into_iter()
        .zip(ends)
        .map(|((heading, _, from), end)| ChangelogHeading {
            body: text.get(from..end).unwrap_or_default(),
            ..heading
        })
        .collect()
}

/// Signs between the previous version and the version of a heading.
const ARROWS: [&str; 3] = ["→", "->", "=>"];

/// The version that the words of a heading name, and their form.
fn version(words: &str) -> Option<(String, ChangelogForm)> {
    let behind = ARROWS.iter().filter_map(|arrow| words.rsplit_once(arrow)).map(|(_, behind)| behind);
    let version =
        behind.min_by_key(|behind| behind.len()).and_then(version_in).or_else(|| version_in(words))?;
    let form = if words.contains("](") {
        ChangelogForm::ReleasePlease
    } else if words.contains('[') {
        ChangelogForm::KeepAChangelog
    } else {
        ChangelogForm::Plain
    };
    Some((version.to_owned(), form))
}

/// The first version among some words.
fn version_in(words: &str) -> Option<&str> {
    let candidates = words.split(|c: char| c.is_whitespace() || "[](){}:@,".contains(c));
    candidates
        .map(|word| word.trim_start_matches('v'))
        .map(|word| word.rsplit_once("-v").map_or(word, |(_, version)| version))
        .find(|word| semver::Version::parse(word).is_ok())
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
        let fits = |line: &str| headings(line)[0].may_be_entry_of("one-more", &["one-more", "two"]);
        for line in [
            "## 1.0.0\n",
            "## one-more 1.0.0\n",
            "## one-more-v1.0.0\n",
            "#### One More Plugin 0.9.0 → 1.0.0\n",
            "## 1.0.0: the first of all\n",
            "## [1.0.0](https://x.org/two) (2026-01-31)\n",
        ] {
            assert!(fits(line), "{line}");
        }
        assert!(!fits("## two 1.0.0\n") && !fits("## Two: 1.0.0\n"));
    }

    /// changelog-entry-help-in-another-form: `## name 1.2.3` was proposed where the file has `### name v1.2.3`.
    #[test]
    fn a_new_heading_looks_like_the_first() {
        let next = |line: &str, own| headings(line)[0].with_version("1.1.0", own);
        for (line, wanted) in [
            ("### v1.0.0\n", "### v1.1.0"),
            ("## [1.0.0] - 2026-01-31\n", "## [1.1.0] - YYYY-MM-DD"),
            ("# Version 1.0.0 (2026-01-31): the first\n", "# Version 1.1.0 (YYYY-MM-DD)"),
            ("## demo-v1.0.0: the first\n", "## demo-v1.1.0"),
        ] {
            assert_eq!(next(line, None).as_deref(), Some(wanted), "{line}");
        }
        let all: &[&str] = &["one", "one-more"];
        let own = Some(("two", all));
        assert_eq!(next("### one-more v1.0.0\n", own).as_deref(), Some("### two v1.1.0"));
        assert_eq!(next("### v1.0.0\n", own), None);
        assert_eq!(next("#### One 0.9.0 → 1.0.0\n", None), None);
        assert_eq!(next("## [1.0.0](https://example.org/v1.0.0) (2026-01-31)\n", None), None);
    }

    #[test]
    fn the_version_behind_an_arrow_is_the_one_that_is_released() {
        let text =
            "## 3.0.0 (2026-01-31)\n\n#### Core Plugin 2.2.0 → 2.3.0\n\n- x\n\n#### Two v1.0.0 -> v1.1.0\n";
        let found: Vec<_> =
            headings(text).into_iter().map(|one| (one.version, one.body.trim().is_empty())).collect();
        let wanted = [("3.0.0", false), ("2.3.0", false), ("1.1.0", true)];
        assert_eq!(found, wanted.map(|(version, is_empty)| (version.to_owned(), is_empty)));
    }
}
