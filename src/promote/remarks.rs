//! The places listed for the user: those that keep the name, those that need a decision, and those to review
//! afterwards.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::selection::BetaSkill;
use super::{PromotionEdit, RewrittenText, history, new_path};
use crate::check::stage::StageMarks;
use crate::model::project::Project;
use crate::model::qualified_name::local_of;
use crate::model::references::ReferenceTarget;
use crate::read::name_words::{is_name_char, leading_name};
use crate::read::{frontmatter, markdown};
use crate::source::{ComponentKind, SourceFile, SourceTree, Span, is_markdown};
use crate::source_format::SourceFacts;

/// The length above which a line is truncated, in characters.
const LONG: usize = 160;

/// A remark about one place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// The current path of the file, relative to SRC.
    pub path: Utf8PathBuf,
    /// 1-based line; absent for a whole file.
    pub line: Option<usize>,
    /// 1-based column, in Unicode code points; absent for a whole file.
    pub column: Option<usize>,
    /// The line, cut if it is long.
    pub text: String,
    /// The remark.
    pub why: String,
}

/// A remark about `span` of `file`.
pub(super) fn remark(file: &SourceFile, span: Span, why: impl Into<String>) -> Remark {
    let position = file.position(span.start);
    let line = file.line(position.line).unwrap_or_default();
    let text = quoted_line(line.slice(file.text().unwrap_or_default()));
    let (line, column) = (Some(position.line), Some(position.column));
    Remark { path: file.path.clone(), line, column, text, why: why.into() }
}

/// A remark about a whole file.
pub(super) fn file_remark(path: &Utf8Path, why: impl Into<String>) -> Remark {
    Remark { path: path.to_owned(), line: None, column: None, text: String::new(), why: why.into() }
}

fn quoted_line(line: &str) -> String {
    let line = line.trim();
    if line.chars().count() <= LONG {
        return line.to_owned();
    }
    line.chars().take(LONG).chain(['…']).collect()
}

/// Remarks to review near the changes of one text outside of the beta.
pub(super) fn remarks_near_changes(
    file: &SourceFile,
    text: &str,
    changes: &[PromotionEdit],
    beta: &BetaSkill<'_>,
) -> Vec<Remark> {
    if beta.owns(&file.path) {
        return Vec::new();
    }
    let mut out: Vec<Remark> = Vec::new();
    let markdown = is_markdown(&file.path);
    let headings =
        if markdown { markdown::outline(text, frontmatter::parse(text).body).headings } else { Vec::new() };
    let mut say = |span: Span, why: String| {
        let remark = remark(file, span, why);
        if !out.iter().any(|known| known.line == remark.line && known.why == remark.why) {
            out.push(remark);
        }
    };
    for change in changes {
        let above = headings.iter().rfind(|heading| heading.span.start <= change.span.start);
        if let Some(heading) = above.filter(|heading| says_beta(heading.span.slice(text), beta)) {
            let title = heading.span.slice(text).trim().trim_matches('#').trim();
            say(change.span, format!("is under the heading `{title}`"));
        }
        let position = file.position(change.span.start);
        let Some(line) = file.line(position.line) else { continue };
        let (old, stable) = (line.slice(text), change.text.as_str());
        let rest = format!("{}\n{}", &text[line.start..change.span.start], &text[change.span.end..line.end]);
        if has_name(&rest, stable) {
            say(change.span, format!("the line will name `{stable}` twice"));
        } else if old.trim_start().starts_with('|') || old.trim_start().starts_with(['-', '*', '+']) {
            let elsewhere = text.lines().find(|other| first_name(other).is_some_and(|name| name == stable));
            let first = first_name(old)
                .is_some_and(|name| name.strip_suffix(crate::check::stage::ENDING) == Some(stable));
            if let Some(other) = elsewhere.filter(|_| first) {
                let at = text.find(other).unwrap_or_default();
                let line = file.position(at).line;
                say(change.span, format!("line {line} already lists `{stable}`"));
            }
        }
    }
    out
}

/// The first name of a row or an item of a list.
fn first_name(line: &str) -> Option<&str> {
    let line = line.trim_start().strip_prefix(['|', '-', '*', '+'])?;
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "`*[/_".contains(c));
    let line = line
        .split_once(':')
        .filter(|(plugin, name)| {
            plugin.chars().all(|c| c.is_alphanumeric() || c == '-') && name.starts_with(char::is_alphanumeric)
        })
        .map_or(line, |(_, name)| name);
    Some(leading_name(line, ""))
}

/// Whether `text` contains `name` as a name: a name that is an ordinary word needs a sign before it.
fn has_name(text: &str, name: &str) -> bool {
    let sign =
        |before: &str| name.contains(['-', ':']) || before.ends_with(['/', '`', '"', ':', '*', '[', '$']);
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            !before.ends_with(is_name_char) && !after.starts_with(is_name_char) && sign(before)
        })
}

/// Whether `line` contains the word beta other than in the skill's names.
fn says_beta(line: &str, beta: &BetaSkill<'_>) -> bool {
    let mut line = line.to_owned();
    for (old, _) in &beta.names {
        line = line.replace(old.as_str(), "");
    }
    line.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("beta"))
}

/// The line number after the change of the 1-based line `line` of `old`.
fn line_after(old: &str, rewritten: Option<&RewrittenText>, line: usize) -> usize {
    let start: usize = old.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let before = rewritten.into_iter().flat_map(|text| &text.edits).filter(|edit| edit.span.end <= start);
    let gone: usize = before.map(|edit| edit.span.slice(old).matches('\n').count()).sum();
    line.saturating_sub(gone).max(1)
}

/// Remarks to review in whole files: the beta's texts that still contain "beta", betas that it still calls, and files
/// elsewhere that are named after it.
pub(super) fn file_remarks(
    project: &Project,
    source: &SourceFacts,
    beta: &BetaSkill<'_>,
    files: &SourceTree,
    texts: &BTreeMap<Utf8PathBuf, RewrittenText>,
) -> Vec<Remark> {
    let mut out = Vec::new();
    let name = local_of(&beta.stable);
    let stands = project
        .plugins
        .iter()
        .flat_map(|plugin| &plugin.components)
        .any(|found| found.qualified == beta.stable && found.path != beta.component.path);
    for file in files.files() {
        let own = beta.owns(&file.path);
        let named = file
            .path
            .file_name()
            .is_some_and(|name| beta.names.iter().any(|(old, _)| name.contains(old.as_str())));
        if named && history::record(&file.path, file.text().unwrap_or_default()).is_none() {
            out.push(file_remark(&file.path, "the file keeps its name"));
        }
        if !own {
            continue;
        }
        let Some(old) = file.text() else { continue };
        let text = texts.get(&file.path).map_or(old, |rewritten| &rewritten.new);
        let lines = text.lines().enumerate().filter(|(_, line)| says_beta(line, beta));
        out.extend(lines.map(|(at, line)| Remark {
            path: new_path(&file.path, &beta.from, &beta.to),
            line: Some(at + 1),
            column: Some(1),
            text: quoted_line(line),
            why: "still contains the word beta".to_owned(),
        }));
        let of_stable = old.lines().enumerate().filter(|(_, line)| stands && has_name(line, name));
        out.extend(of_stable.map(|(at, line)| Remark {
            path: new_path(&file.path, &beta.from, &beta.to),
            line: Some(line_after(old, texts.get(&file.path), at + 1)),
            column: Some(1),
            text: quoted_line(line),
            why: format!("mentions `{name}`, which is its own name after the promotion"),
        }));
    }
    for of_file in project.references(beta.component, source) {
        let Some(file) = project.tree.get(&of_file.path) else { continue };
        for reference in &of_file.references {
            let ReferenceTarget::Component(ComponentKind::Skill, name) = &reference.named else { continue };
            let other = project.plugins.iter().find_map(|plugin| {
                let found = plugin.components.iter().find(|found| found.qualified == *name)?;
                (StageMarks::from_component(found, plugin).is_beta() && found.path != beta.component.path)
                    .then_some(found)
            });
            if let Some(other) = other {
                let why = format!("calls `{}`, which remains a beta", other.qualified);
                out.push(remark(file, reference.span, why));
            }
        }
    }
    out
}
