//! The output of `promote`: one JSON object, a unified diff for `git apply`, or lines for people.

use std::sync::Arc;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::TextDiff;

use crate::disk::transaction::FolderMove;
use crate::printable::{PrintableLines, patch_path};
use crate::promote::{BetaSkill, PromotionJudgement, PromotionPlan, Remark, new_path};
use crate::report::human::count_noun;
use crate::source::{FileContent, SourceFile, SourceTree};

/// What `promote --format json` prints: `plugcast.promote/1`. Paths are relative to SRC.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromoteReport {
    /// `plugcast.promote/1`.
    pub schema: String,
    /// The qualified name of the beta; absent if there was nothing to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The qualified name of the stable skill.
    pub stable: String,
    /// The outcome.
    pub result: PromotionOutcome,
    /// Folders that move.
    pub moves: Vec<FolderMove>,
    /// Files of the stable skill that are removed, because the beta has no file of the same name.
    #[schemars(with = "Vec<String>")]
    pub removed: Vec<Utf8PathBuf>,
    /// Edits, by file and place.
    pub edits: Vec<EditReport>,
    /// Places that block the promotion.
    pub refused: Vec<RemarkReport>,
    /// Places that correctly keep the old name.
    pub left: Vec<RemarkReport>,
    /// Places to review afterwards.
    pub notes: Vec<RemarkReport>,
}

/// The outcome of a promotion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PromotionOutcome {
    /// The promotion was made.
    Promoted,
    /// The promotion would be made: `--dry-run`.
    Planned,
    /// The promotion was refused: something would be left behind or lost.
    Refused,
    /// The skill is already stable.
    Nothing,
}

/// One edit.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditReport {
    /// The file, by its previous path.
    #[schemars(with = "String")]
    pub path: Utf8PathBuf,
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in Unicode code points.
    pub column: usize,
    /// Byte offset of the first replaced byte.
    pub start: usize,
    /// Byte offset after the last replaced byte.
    pub end: usize,
    /// The new text.
    pub replacement: String,
    /// What kind of place it is.
    pub what: String,
}

/// A remark about one place.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemarkReport {
    /// The file.
    #[schemars(with = "String")]
    pub path: Utf8PathBuf,
    /// 1-based line; absent for a whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// 1-based column, in Unicode code points; absent for a whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The line, cut if it is long.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The remark.
    pub why: String,
}

impl From<&Remark> for RemarkReport {
    fn from(remark: &Remark) -> Self {
        Self {
            path: remark.path.clone(),
            line: remark.line,
            column: remark.column,
            text: remark.text.clone(),
            why: remark.why.clone(),
        }
    }
}

impl PromoteReport {
    /// The report of a `plan` for `beta`: refused if the `judgement` has blockers, and otherwise made.
    pub fn new(
        beta: &BetaSkill<'_>,
        plan: &PromotionPlan,
        judgement: &PromotionJudgement,
        files: &SourceTree,
    ) -> Self {
        let remarks = |remarks: &[Remark]| remarks.iter().map(RemarkReport::from).collect::<Vec<_>>();
        let moves = beta.moves().then(|| FolderMove { from: beta.from.clone(), to: beta.to.clone() });
        Self {
            schema: crate::schema::PROMOTE.tag(),
            skill: Some(beta.component.qualified.to_string()),
            stable: beta.stable.clone(),
            result: match judgement.refused.is_empty() {
                true => PromotionOutcome::Promoted,
                false => PromotionOutcome::Refused,
            },
            moves: moves.into_iter().collect(),
            removed: judgement.removed.clone(),
            edits: edits(plan, files),
            refused: remarks(&judgement.refused),
            left: remarks(&plan.left),
            notes: [remarks(&plan.notes), remarks(&judgement.notes)].concat(),
        }
    }

    /// The report if there is nothing to do: `stable` is not a beta and has none.
    pub fn nothing_to_do(stable: &str) -> Self {
        Self {
            schema: crate::schema::PROMOTE.tag(),
            skill: None,
            stable: stable.to_owned(),
            result: PromotionOutcome::Nothing,
            moves: Vec::new(),
            removed: Vec::new(),
            edits: Vec::new(),
            refused: Vec::new(),
            left: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The human output.
    pub fn text(&self) -> String {
        let stable = &self.stable;
        let skill = self.skill.as_deref().unwrap_or_default();
        let mut out = PrintableLines::default();
        match self.result {
            PromotionOutcome::Nothing => {
                let _ = writeln!(out, "`{stable}` is stable already: nothing to do");
                return out.into_string();
            }
            PromotionOutcome::Refused => {
                let count = count_noun(self.refused.len(), "place blocks", "places block");
                let _ = writeln!(out, "error: cannot promote `{skill}`: {count} it");
                out.push(remarks(&self.refused));
                if self.refused.iter().any(|remark| !remark.text.is_empty()) {
                    let _ = writeln!(
                        out,
                        "  help: correct them, or decide for whole files: `--rename GLOB` where each is the skill's name, `--leave GLOB` where the old name is right"
                    );
                }
                return out.into_string();
            }
            PromotionOutcome::Promoted | PromotionOutcome::Planned => {}
        }
        let did = if self.result == PromotionOutcome::Promoted { "is now" } else { "would be" };
        let _ = match skill == stable {
            true => writeln!(out, "`{stable}` {did} stable"),
            false => writeln!(out, "`{skill}` {did} `{stable}`"),
        };
        for moved in &self.moves {
            let _ = writeln!(out, "  {} -> {}", moved.from, moved.to);
        }
        for path in &self.removed {
            let _ = writeln!(out, "  {path} is removed");
        }
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for edit in &self.edits {
            match counts.last_mut().filter(|(path, _)| *path == edit.path.as_str()) {
                Some((_, count)) => *count += 1,
                None => counts.push((edit.path.as_str(), 1)),
            }
        }
        for (path, count) in counts {
            let _ = writeln!(out, "  {path}: {}", count_noun(count, "edit", "edits"));
        }
        if !self.left.is_empty() {
            let _ = writeln!(out, "old name kept:");
            out.push(kept_names(&self.left));
        }
        if !self.notes.is_empty() {
            let _ = writeln!(out, "review:");
            out.push(remarks(&self.notes));
        }
        out.into_string()
    }
}

/// The edits of `plan`, by file and place.
pub fn edits(plan: &PromotionPlan, files: &SourceTree) -> Vec<EditReport> {
    let mut out = Vec::new();
    for (path, rewritten) in &plan.texts {
        for change in &rewritten.edits {
            let position = files.get(path).map(|file| file.position(change.span.start));
            out.push(EditReport {
                path: path.clone(),
                line: position.map_or(1, |position| position.line),
                column: position.map_or(1, |position| position.column),
                start: change.span.start,
                end: change.span.end,
                replacement: change.text.clone(),
                what: change.what.to_owned(),
            });
        }
    }
    out
}

/// One remark per line, followed by the text that it is about.
fn remarks(remarks: &[RemarkReport]) -> PrintableLines {
    let mut out = PrintableLines::default();
    for remark in remarks {
        let place = remark.line.map_or(String::new(), |line| format!(":{line}"));
        let _ = writeln!(out, "  {}{place}: {}", remark.path, remark.why);
        if !remark.text.is_empty() {
            let _ = writeln!(out, "      {}", remark.text);
        }
    }
    out
}

/// The places that keep old names, counted by reason and file.
fn kept_names(remarks: &[RemarkReport]) -> PrintableLines {
    let mut counts: Vec<(&str, &str, usize)> = Vec::new();
    for remark in remarks {
        match counts.iter_mut().find(|(why, path, _)| *why == remark.why && *path == remark.path.as_str()) {
            Some((_, _, count)) => *count += 1,
            None => counts.push((&remark.why, remark.path.as_str(), 1)),
        }
    }
    let mut out = PrintableLines::default();
    for (why, path, count) in counts {
        let _ = writeln!(out, "  {path}: {}; {why}", count_noun(count, "place", "places"));
    }
    out
}

/// The changes of the promotion as a diff, which `git apply` accepts if all files are text.
pub fn diff(beta: &BetaSkill<'_>, plan: &PromotionPlan, files: &SourceTree) -> String {
    let mut out = String::new();
    for file in files.files() {
        let path = &file.path;
        let to = new_path(path, &beta.from, &beta.to);
        let new = plan.text_of(file);
        if beta.moves() && path.starts_with(&beta.to) {
            if files.get(new_path(path, &beta.to, &beta.from)).is_none() {
                out.push_str(&file_section(Some(file), None, path, path));
            }
        } else if to == *path {
            if plan.texts.contains_key(path) {
                out.push_str(&file_section(Some(file), new, path, path));
            }
        } else if let Some(there) = files.get(&to) {
            out.push_str(&file_section(Some(file), None, path, path));
            if plan.text_of(there) != new || new.is_none() {
                out.push_str(&file_section(Some(there), new, &to, &to));
            }
        } else {
            out.push_str(&file_section(Some(file), new, path, &to));
        }
    }
    out
}

/// The section of one file, which changes, moves, or is removed if it has no new text.
fn file_section(
    file: Option<&SourceFile>,
    new: Option<Arc<str>>,
    from: &Utf8PathBuf,
    to: &Utf8PathBuf,
) -> String {
    let (before, after) = (format!("a/{from}"), format!("b/{to}"));
    let (before, after) = (patch_path(&before), patch_path(&after));
    let mut out = format!("diff --git {before} {after}\n");
    let old = file.and_then(SourceFile::text);
    let text = file.is_some_and(|file| matches!(file.content, FileContent::Text(_)));
    let goes = new.is_none() && from == to;
    if goes {
        let mode = if file.is_some_and(|file| file.executable) { "100755" } else { "100644" };
        out.push_str(&format!("deleted file mode {mode}\n"));
    }
    if from != to {
        if new.as_deref() == old {
            out.push_str("similarity index 100%\n");
        }
        let (from, to) = (patch_path(from.as_str()), patch_path(to.as_str()));
        out.push_str(&format!("rename from {from}\nrename to {to}\n"));
    }
    match (old, new.as_deref()) {
        (Some(old), new) if text && new != Some(old) => {
            let after = if goes { "/dev/null" } else { &*after };
            let lines = TextDiff::from_lines(old, new.unwrap_or_default());
            out.push_str(&lines.unified_diff().context_radius(3).header(&before, after).to_string());
        }
        (None, _) if from == to => out.push_str(&format!("Binary files {before} and {after} differ\n")),
        _ => {}
    }
    out
}
