//! What was repaired, according to the fixer's replies of all rounds or a JSON list of ids. An id that no step allowed
//! never counts, and a repair that a reviewer rejects is reopened.

use std::path::{Path, PathBuf};

use super::ReviewMode;
use super::evidence::{ShownEvidence, UnshownFile};
use super::findings::FindingSeverity;
use super::fix::{self, AllowedIds};
use super::merge::{MergedFinding, Response, stored_reply};
use super::reply::{self, FixerReply, FixerScope};
use super::run_folder::RunFolder;
use super::verdict::ReviewVerdict;
use crate::order;
use crate::read::tree::Node;
use crate::runtime::answer::{CallFailure, MALFORMED};
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;

/// What was repaired.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppliedRepairs {
    /// The findings that are repaired, in the order of the list.
    pub ids: Vec<String>,
    /// What prevents the best verdict: repairs without permission, replies that cannot be read.
    pub obstacles: Vec<String>,
    /// Whether the working tree has uncommitted changes.
    pub uncommitted: bool,
    /// What else a reader of the report should know.
    pub notes: Vec<String>,
    /// The reasons for findings that the fixer skipped.
    pub skipped: Vec<String>,
}

/// How many changed files are named.
const MOST_NAMED: usize = 10;
/// The file of the fixer's reply.
const FIXER: &str = "fixer.txt";

/// A finding that was reported as repaired, and after which round.
struct ClaimedRepair {
    id: String,
    round: u32,
}

impl AppliedRepairs {
    /// Determines the repairs of a run, from the caller's file or else the fixer's replies, and everything that
    /// appeared or changed after the merge.
    ///
    /// # Errors
    /// As [`ids`], and when git fails.
    pub(super) fn load(
        file: Option<&Path>,
        environment: &Environment,
        folder: &RunFolder,
        findings: &Response,
    ) -> Result<Self, CallFailure> {
        let evidence = ShownEvidence::load(folder, environment)?;
        let mut found = match file {
            Some(file) => Self::from_file(file, environment, folder, findings, evidence.as_ref())?,
            None => Self::from_run(folder, findings, evidence.as_ref())?,
        };
        if folder.record.flags.begun {
            let seal = folder.seal()?;
            found.obstacles.extend(seal.obstacles(folder)?);
            let shown = evidence.as_ref().map_or(1, ShownEvidence::rounds);
            let silent = (2..=shown).filter(|round| !seal.has_reply("correctness", *round));
            found
                .obstacles
                .extend(silent.map(|round| format!("`correctness` did not reply in round {round}")));
        }
        if let Some(evidence) = &evidence {
            found.obstacles.extend(evidence.index_notes());
            if folder.record.mode == ReviewMode::Autofix && Self::is_claimed(folder)? {
                found.obstacles.extend(files_without_finding(findings, evidence));
            }
            found.uncommitted = !evidence.is_committed();
            let tools = evidence.tools().join(", ");
            found.notes.extend(
                Some(tools)
                    .filter(|tools| !tools.is_empty())
                    .map(|tools| format!("Made by tools since the review began: {tools}")),
            );
        }
        found.obstacles.retain(|obstacle| !findings.obstacles.contains(obstacle));
        Ok(found)
    }

    /// Whether a fixer has answered in a run.
    pub(super) fn is_claimed(folder: &RunFolder) -> Result<bool, CallFailure> {
        fixer_replies(folder).map(|replies| !replies.is_empty())
    }

    /// The repairs according to the fixer's replies, round by round.
    ///
    /// # Errors
    /// `malformed_json` for a damaged `fix.json`.
    pub(super) fn from_run(
        folder: &RunFolder,
        findings: &Response,
        evidence: Option<&ShownEvidence>,
    ) -> Result<Self, CallFailure> {
        let mut found = Self::default();
        let mut claimed: Vec<ClaimedRepair> = Vec::new();
        let files: Vec<String> = findings.findings.iter().map(|one| one.file.clone()).collect();
        let ids: Vec<String> =
            findings.findings.iter().flat_map(MergedFinding::ids).map(str::to_owned).collect();
        let known = FixerScope { ids: &ids, files: &files };
        let severities: Vec<FindingSeverity> = findings.findings.iter().map(|one| one.severity).collect();
        let review = folder.record.flags.begun.then_some(folder.record.run_id.as_str());
        let seal = folder.seal()?;
        for (round, path) in fixer_replies(folder)? {
            match stored_reply(&folder.store, &path).and_then(|text| reply::applied(&text, review, known)) {
                Ok(FixerReply { ids, other_ids: beside, skipped }) => {
                    let skipped =
                        skipped.into_iter().map(|why| format!("Skipped by the fixer, round {round}: {why}"));
                    found.skipped.extend(skipped);
                    claimed.extend(ids.into_iter().map(|id| ClaimedRepair { id, round }));
                    // The reviewers of the next round see this text.
                    let is_judged = seal.has_reply("correctness", round + 1);
                    for text in beside {
                        match is_judged && !reply::contradicts_repair(&text, &severities) {
                            true => found.notes.push(format!("The fixer, round {round}: {text}")),
                            false => found.obstacles.push(format!(
                                "the reply of the fixer in round {round} says more than the form: `{text}`"
                            )),
                        }
                    }
                }
                Err(reason) => {
                    found
                        .obstacles
                        .push(format!("the reply of the fixer in round {round} cannot be read: {reason}"));
                }
            }
        }
        found.count(folder, findings, &claimed, evidence)?;
        Ok(found)
    }

    /// The repairs listed in the caller's file, or on standard input for `-`.
    ///
    /// # Errors
    /// As [`ids`].
    fn from_file(
        file: &Path,
        environment: &Environment,
        folder: &RunFolder,
        findings: &Response,
        evidence: Option<&ShownEvidence>,
    ) -> Result<Self, CallFailure> {
        let named = ids(Some(file), environment, &findings.findings)?;
        let round = evidence.map_or(1, ShownEvidence::rounds);
        let claimed: Vec<ClaimedRepair> = named.into_iter().map(|id| ClaimedRepair { id, round }).collect();
        let mut found = Self::default();
        found.count(folder, findings, &claimed, evidence)?;
        Ok(found)
    }

    /// Counts repairs that were allowed, changed something and were not rejected; any other claim or change prevents
    /// the best verdict. Of joined findings, all must be repaired.
    fn count(
        &mut self,
        folder: &RunFolder,
        findings: &Response,
        claimed: &[ClaimedRepair],
        evidence: Option<&ShownEvidence>,
    ) -> Result<(), CallFailure> {
        let named = order::set(claimed.iter().map(|one| one.id.as_str()));
        let allowed = match named.is_empty() {
            true => AllowedIds::default(),
            false => fix::allowed(folder, findings)?,
        };
        let own = |id: &str| findings.findings.iter().find(|one| one.ids().any(|own| own == id));
        for id in &named {
            if !own(id).is_some_and(|one| allowed.may_repair(id, one) || allowed.was_allowed(id)) {
                self.obstacles.push(format!("`{id}` was repaired without permission"));
            }
        }
        let mut repaired_now = Vec::new();
        let seal = folder.seal()?;
        for one in &findings.findings {
            let ids: Vec<&str> =
                one.ids().filter(|id| named.contains(id) && allowed.may_repair(id, one)).collect();
            let repaired =
                ids.into_iter().filter(|id| self.is_repaired(id, one, findings, claimed, evidence));
            let repaired: Vec<&str> = repaired.collect();
            if repaired.iter().any(|id| Some(last_claim(claimed, id)) >= evidence.map(ShownEvidence::rounds))
            {
                repaired_now.push(one.file.as_str());
            }
            // Repairing a joined finding repairs every member that it was allowed with.
            let whole = repaired.contains(&one.id.as_str()).then(|| last_claim(claimed, &one.id));
            let is_done = |id: &str| {
                repaired.contains(&id) || whole.is_some_and(|round| allowed.allowed_from(id) <= round)
            };
            let open: Vec<String> = one.ids().filter(|id| !is_done(id)).map(|id| format!("`{id}`")).collect();
            if !repaired.is_empty() && !open.is_empty() {
                self.notes.push(format!(
                    "`{}` is open: `{}` was repaired, and {}, joined with it, was not: approve `{}` again",
                    one.id,
                    repaired.join("`, `"),
                    open.join(", "),
                    one.id
                ));
            }
            if !repaired.is_empty() && open.is_empty() {
                self.ids.push(one.id.clone());
                let last = one.ids().map(|id| last_claim(claimed, id)).max().unwrap_or(1);
                if let Some(rounds) = evidence.map(ShownEvidence::rounds).filter(|rounds| *rounds > last) {
                    let looked =
                        |name: &&String| (last + 1..=rounds).any(|round| seal.has_reply(name, round));
                    let absent = one.reviewers.iter().filter(|name| !looked(name));
                    self.obstacles.extend(
                        absent
                            .map(|name| format!("`{name}` found `{}` but did not check its repair", one.id)),
                    );
                }
            }
        }
        let mut unseen = evidence.map(ShownEvidence::unseen_files).unwrap_or_default();
        unseen.retain(|unseen| !repaired_now.contains(&unseen.file.as_str()));
        self.obstacles.extend(changed_since(&unseen));
        Ok(())
    }

    /// Whether an allowed repair changed something and was not rejected.
    fn is_repaired(
        &mut self,
        id: &str,
        one: &MergedFinding,
        findings: &Response,
        claimed: &[ClaimedRepair],
        evidence: Option<&ShownEvidence>,
    ) -> bool {
        let file = one.file.as_str();
        let last = last_claim(claimed, id);
        let shown = evidence.map_or(u32::MAX, ShownEvidence::rounds);
        let mut later =
            findings.rechecked.iter().filter(|one| one.id == id && one.round > last && one.round <= shown);
        // A judgement of text that has changed since does not count.
        let is_as_shown = |round: u32| evidence.is_none_or(|evidence| evidence.is_as_shown(file, round));
        let holds = later.clone().any(|one| one.holds && is_as_shown(one.round));
        if later.any(|one| !one.holds) {
            return false;
        }
        let is_unchanged = |evidence: &ShownEvidence| match holds {
            // The cause may be in another file.
            true => !evidence.is_any_changed(last),
            false => !evidence.is_changed(file, last),
        };
        if evidence.is_some_and(is_unchanged) {
            self.obstacles.push(format!("`{id}` is reported as repaired, but `{file}` is unchanged"));
            return false;
        }
        if evidence.is_some() && !holds {
            self.obstacles.push(format!("no reviewer confirmed the repair of `{id}`"));
        }
        true
    }

    /// Why the fixer skipped a finding.
    pub fn why_skipped(&self, one: &MergedFinding) -> impl Iterator<Item = &String> {
        let is_own = |word: &str| reply::id(word).is_some_and(|id| one.ids().any(|own| own == id));
        self.skipped.iter().filter(move |why| why.split_whitespace().any(is_own))
    }

    /// The verdict with these repairs; a chosen verdict can only be worse.
    pub fn verdict(&self, findings: &Response, chosen: Option<ReviewVerdict>) -> ReviewVerdict {
        let open = findings.findings.iter().filter(|one| !self.ids.contains(&one.id));
        let own = match findings.degraded {
            true => ReviewVerdict::NotReady,
            false => ReviewVerdict::from_findings(open, !findings.unmet.is_empty()),
        };
        let own = own.at_most(findings.obstacles.is_empty() && self.obstacles.is_empty());
        chosen.map_or(own, |chosen| own.or_worse(chosen))
    }
}

/// The notes on files that changed between two rounds without a finding; tests are exempt, since a fix may need one.
fn files_without_finding(findings: &Response, evidence: &ShownEvidence) -> Vec<String> {
    let is_named = |file: &String| {
        let path = file.to_lowercase();
        path.contains("test")
            || path.contains("spec")
            || findings.findings.iter().any(|one| one.file == *file)
    };
    let mut files = order::set((1..evidence.rounds()).flat_map(|round| evidence.files_changed_after(round)));
    files.retain(|file| !is_named(file));
    files
        .iter()
        .map(|file| format!("`{file}` was changed along with the fixes, but no finding names it"))
        .collect()
}

/// The last round in which a finding was reported as repaired.
fn last_claim(claimed: &[ClaimedRepair], id: &str) -> u32 {
    claimed.iter().filter(|one| one.id == id).map(|one| one.round).max().unwrap_or(1)
}

/// The replies of the fixer with their rounds.
pub(super) fn fixer_replies(folder: &RunFolder) -> Result<Vec<(u32, PathBuf)>, CallFailure> {
    let mut found = Vec::new();
    for (round, replies) in folder.reply_folders()? {
        if folder.store.list(&replies)?.iter().any(|(name, _)| name == FIXER) {
            found.push((round, replies.join(FIXER)));
        }
    }
    Ok(found)
}

/// The obstacles for files that changed after the reviewers were shown the change.
pub(super) fn changed_since(files: &[UnshownFile]) -> Vec<String> {
    let say = |UnshownFile { file, is_untracked }: &UnshownFile| match is_untracked {
        _ if file.ends_with('/') => format!(
            "`{file}` is an embedded repository (a clone or a linked worktree) and new since the reviewers were shown the change: move it elsewhere, or add it to `.gitignore`"
        ),
        true => format!(
            "`{file}` is new since the reviewers were shown the change: remove it, or add it to `.gitignore` if a tool made it"
        ),
        false => format!("`{file}` has changed since the reviewers were shown the change"),
    };
    let mut sentences: Vec<String> = files.iter().take(MOST_NAMED).map(say).collect();
    if let Some(more) = files.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        sentences.push(format!("{more} more files have changed since then"));
    }
    sentences
}

/// The ids of repaired findings from a file, or standard input for `-`; none without a file.
///
/// # Errors
/// `file_unreadable`, `malformed_json`, `malformed_applied`, and `unknown_finding` for an id that is not one of these
/// findings.
pub fn ids(
    file: Option<&Path>,
    environment: &Environment,
    findings: &[MergedFinding],
) -> Result<Vec<String>, CallFailure> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let (name, content) = if file == Path::new("-") {
        ("<stdin>".to_owned(), Some(environment.input_text()?))
    } else {
        (file.display().to_string(), document::text(&environment.path(file))?)
    };
    let content = content.ok_or_else(|| {
        CallFailure::environment(
            ErrorCode::FileUnreadable,
            format!("file not found: `{name}`"),
            "check the path",
        )
    })?;
    let node = document::json_text(&content, &name)?;
    let list = node.get("applied").unwrap_or(&node);
    let wrong = |code: ErrorCode, message: String, at: &Node| {
        let (line, col) = document::place(&content, at.span.start);
        let hint = "give a JSON list of ids such as `F1`";
        CallFailure::new(MALFORMED, code, message, hint).in_file(&name, Some(line), Some(col))
    };
    let items =
        list.items().ok_or_else(|| wrong(ErrorCode::MalformedApplied, "missing list".to_owned(), list))?;
    let mut ids = Vec::new();
    for item in items {
        let id = item.as_str().or_else(|| item.get("id")?.as_str());
        match id.filter(|id| findings.iter().any(|one| one.id == *id)) {
            Some(id) => ids.push(id.to_owned()),
            None => {
                let shown = id.map_or_else(|| item.kind().to_string(), |id| format!("`{id}`"));
                return Err(wrong(
                    ErrorCode::UnknownFinding,
                    format!("{shown} is not a finding of this run"),
                    item,
                ));
            }
        }
    }
    Ok(ids)
}
