//! Compares the findings of `check` after a promotion with the current ones, on texts in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::remarks::Remark;
use super::selection::BetaSkill;
use super::target_state::views;
use super::{PromotionPlan, new_path};
use crate::check::Findings;
use crate::check::scope::CheckScope;
use crate::check_session::{CheckError, CheckSession, TextOverlay, mark};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::source::{FileContent, SourceFile, SourceTree};

/// The prefix of rules about betas.
const BETA: &str = "beta-";

/// Rules about unknown names and missing targets: new findings of these mean that something was left behind.
const LEFT_BEHIND: [RuleId; 6] = [
    RuleId::BROKEN_LINK,
    RuleId::MISSING_BUNDLED_PATH,
    RuleId::INCLUDE_MISSING,
    RuleId::HOOK_SCRIPT_MISSING,
    RuleId::MANIFEST_TARGET_MISSING,
    RuleId::UNKNOWN_SKILL,
];

/// The new findings: those that block the promotion, and those that only need a review; and all findings afterwards.
///
/// # Errors
/// When the changed source cannot be read.
pub(super) fn findings_after(
    session: &mut CheckSession<'_>,
    beta: &BetaSkill<'_>,
    plan: &PromotionPlan,
    files: &SourceTree,
    before: &Findings,
) -> Result<(Vec<Remark>, Vec<Remark>, Findings), CheckError> {
    let texts: TextOverlay = files
        .files()
        .filter(|file| plan.texts.contains_key(&file.path))
        .filter_map(|file| Some((new_path(&file.path, &beta.from, &beta.to), text_after(plan, file)?)))
        .collect();
    let mut moves = if beta.moves() { vec![(beta.from.clone(), beta.to.clone())] } else { Vec::new() };
    moves.extend(views(beta, files, &session.root));
    let read = session.read_moved(moves, texts)?;
    let mut examined = session.examine(read, &CheckScope::default());
    mark(&mut examined.findings, &examined.project);
    let mut known: BTreeMap<(RuleId, String), Vec<&Diagnostic>> = BTreeMap::new();
    for found in &before.diagnostics {
        let path = new_path(found.path.as_str().into(), &beta.from, &beta.to);
        known.entry((found.rule, path.into_string())).or_default().push(found);
    }
    let (mut worse, mut notes) = (Vec::new(), Vec::new());
    let mut groups: BTreeMap<(RuleId, String), Vec<&Diagnostic>> = BTreeMap::new();
    for found in &examined.findings.diagnostics {
        groups.entry((found.rule, found.path.clone())).or_default().push(found);
    }
    for (key, found) in groups {
        let own = beta.moves() && key.1.starts_with(&format!("{}/", beta.to)) || key.1 == beta.component.path;
        let marked = key.0.as_str().starts_with(BETA);
        let old = known.get(&key).map_or(&[][..], Vec::as_slice);
        if found.len() <= old.len() && !(marked && own) {
            continue;
        }
        let fresh =
            |found: &&&Diagnostic| marked && own || old.iter().all(|old| old.cause() != found.cause());
        let fresh: Vec<&Diagnostic> = found.iter().filter(fresh).copied().collect();
        for found in if fresh.is_empty() { found } else { fresh } {
            let remark = remark(found);
            if marked || found.severity == Severity::Error || LEFT_BEHIND.contains(&found.rule) {
                worse.push(remark)
            } else {
                notes.push(remark)
            }
        }
    }
    Ok((worse, notes, examined.findings))
}

fn remark(found: &Diagnostic) -> Remark {
    Remark {
        path: found.path.clone().into(),
        line: Some(found.line),
        column: Some(found.column),
        text: String::new(),
        why: format!("`check` will report: {} ({})", found.message, found.rule),
    }
}

/// The text of a file after the promotion; `None` if it has none.
fn text_after(plan: &PromotionPlan, file: &SourceFile) -> Option<Arc<str>> {
    matches!(file.content, FileContent::Text(_)).then(|| plan.text_of(file)).flatten()
}
