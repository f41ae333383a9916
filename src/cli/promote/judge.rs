//! What `check` would say once a promotion is made, against what it says now; tried on texts in memory.

use std::collections::BTreeMap;

use super::text_after;
use crate::check::Findings;
use crate::check::scope::CheckScope;
use crate::check_session::{CheckSession, TextOverlay, mark};
use crate::cli::CommandFailure;
use crate::diagnostic::{Diagnostic, Severity};
use crate::promote::{BetaSkill, PromotionPlan, Remark, SkillDifferences, moved, views};
use crate::report::human::counted;
use crate::report::promote::RemarkReport;
use crate::source::SourceTree;

/// Rules about what is a beta and what is none.
const BETA: &str = "beta-";

/// Rules about names and paths that lead nowhere: what finds them anew was left behind.
const LEFT_BEHIND: [&str; 6] = [
    "broken-link",
    "missing-bundled-path",
    "include-missing",
    "hook-script-missing",
    "manifest-target-missing",
    "unknown-skill",
];

/// What is worse afterwards: what stands against the promotion, and what is only worth a look; and everything
/// that is found then.
///
/// # Errors
/// When the source cannot be read as it would be.
pub(super) fn after(
    session: &mut CheckSession<'_>,
    beta: &BetaSkill<'_>,
    plan: &PromotionPlan,
    files: &SourceTree,
    before: &Findings,
) -> Result<(Vec<RemarkReport>, Vec<RemarkReport>, Findings), CommandFailure> {
    let texts: TextOverlay = files
        .files()
        .filter(|file| plan.texts.contains_key(&file.path))
        .filter_map(|file| Some((moved(&file.path, &beta.from, &beta.to), text_after(plan, file)?)))
        .collect();
    let mut moves = if beta.moves() { vec![(beta.from.clone(), beta.to.clone())] } else { Vec::new() };
    moves.extend(views(beta, files, &session.root));
    let read = session.read_moved(moves, texts)?;
    let mut examined = session.examine(read, &CheckScope::default());
    mark(&mut examined.findings, &examined.project);
    let mut known: BTreeMap<(String, String), Vec<&Diagnostic>> = BTreeMap::new();
    for found in &before.diagnostics {
        let path = moved(found.path.as_str().into(), &beta.from, &beta.to);
        known.entry((found.rule.clone(), path.into_string())).or_default().push(found);
    }
    let (mut worse, mut notes) = (Vec::new(), Vec::new());
    let mut groups: BTreeMap<(String, String), Vec<&Diagnostic>> = BTreeMap::new();
    for found in &examined.findings.diagnostics {
        groups.entry((found.rule.clone(), found.path.clone())).or_default().push(found);
    }
    for (key, found) in groups {
        let own = beta.moves() && key.1.starts_with(&format!("{}/", beta.to)) || key.1 == beta.component.path;
        let marked = key.0.starts_with(BETA);
        let old = known.get(&key).map_or(&[][..], Vec::as_slice);
        if found.len() <= old.len() && !(marked && own) {
            continue;
        }
        let fresh =
            |found: &&&Diagnostic| marked && own || old.iter().all(|old| old.message != found.message);
        let fresh: Vec<&Diagnostic> = found.iter().filter(fresh).copied().collect();
        for found in if fresh.is_empty() { found } else { fresh } {
            let remark = remark(found);
            if marked || found.severity == Severity::Error || LEFT_BEHIND.contains(&found.rule.as_str()) {
                worse.push(remark)
            } else {
                notes.push(remark)
            }
        }
    }
    Ok((worse, notes, examined.findings))
}

fn remark(found: &Diagnostic) -> RemarkReport {
    RemarkReport {
        path: found.path.clone().into(),
        line: Some(found.line),
        column: Some(found.column),
        text: String::new(),
        why: format!("`check` will say: {} ({})", found.message, found.rule),
    }
}

/// What is lost when the beta takes the place of a stable skill that differs.
pub(super) fn differences(beta: &BetaSkill<'_>, differences: &SkillDifferences) -> Option<Remark> {
    if differences.is_empty() {
        return None;
    }
    let count = |paths: &[camino::Utf8PathBuf]| counted(paths.len(), "file", "files");
    let parts = [(&differences.changed, "changed"), (&differences.added, "new"), (&differences.gone, "gone")];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(paths, _)| !paths.is_empty())
        .map(|(paths, what)| format!("{} {what}", count(paths)))
        .collect();
    let why = format!(
        "a different stable `{}` exists ({}): pass `--replace` to put the beta in its place",
        beta.stable,
        parts.join(", ")
    );
    Some(Remark { path: beta.to.clone(), line: 0, column: 0, text: String::new(), why })
}
