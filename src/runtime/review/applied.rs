//! What was repaired: as the fixer's replies of all rounds say, or as a JSON list of ids. An id that no step allowed
//! never counts, and what a reviewer says does not hold is open again.

use std::path::{Path, PathBuf};

use super::merge::{Answer, Merged, stored_reply};
use super::run_folder::RunFolder;
use super::shown::Evidence;
use super::verdict::Verdict;
use super::{fix, reply};
use crate::read::tree::Node;
use crate::runtime::answer::{Failure, MALFORMED};
use crate::runtime::document;
use crate::runtime::surroundings::Surroundings;

/// What was repaired.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// The findings that are repaired, in the order of the list.
    pub ids: Vec<String>,
    /// What stands in the way of the best verdict: repairs that nothing allowed, replies that cannot be read.
    pub obstacles: Vec<String>,
    /// Whether the working tree holds what no commit holds.
    pub uncommitted: bool,
}

/// How many changed files are named.
const MOST_NAMED: usize = 10;
/// The file of the fixer's reply.
const FIXER: &str = "fixer.txt";

/// A finding that somebody says was repaired, and after which round.
struct Claimed {
    id: String,
    round: u32,
}

impl Applied {
    /// What was repaired of a run: as the caller says in a file, else as the fixer's replies say; with all that came or
    /// changed after the merge.
    ///
    /// # Errors
    /// As [`ids`], and when git fails.
    pub(super) fn of(
        file: Option<&Path>,
        surroundings: &Surroundings,
        folder: &RunFolder,
        findings: &Answer,
    ) -> Result<Self, Failure> {
        let evidence = Evidence::of(folder, surroundings)?;
        let mut found = match file {
            Some(file) => Self::of_file(file, surroundings, folder, findings, evidence.as_ref())?,
            None => Self::of_run(folder, findings, evidence.as_ref())?,
        };
        if folder.record.flags.begun {
            let seal = folder.seal()?;
            found.obstacles.extend(seal.obstacles(folder)?);
            let shown = evidence.as_ref().map_or(1, Evidence::rounds);
            let silent = (2..=shown).filter(|round| !seal.has_correctness(*round));
            found
                .obstacles
                .extend(silent.map(|round| format!("`correctness` did not reply in round {round}")));
        }
        found.uncommitted = evidence.is_some_and(|evidence| !evidence.committed);
        found.obstacles.retain(|obstacle| !findings.obstacles.contains(obstacle));
        Ok(found)
    }

    /// Whether a fixer has answered in a run.
    pub(super) fn is_claimed(folder: &RunFolder) -> Result<bool, Failure> {
        fixer_replies(folder).map(|replies| !replies.is_empty())
    }

    /// What the fixer's replies of a run say, round by round.
    ///
    /// # Errors
    /// `malformed_json` for a damaged `fix.json`.
    pub(super) fn of_run(
        folder: &RunFolder,
        findings: &Answer,
        evidence: Option<&Evidence>,
    ) -> Result<Self, Failure> {
        let mut found = Self::default();
        let mut claimed: Vec<Claimed> = Vec::new();
        for (round, path) in fixer_replies(folder)? {
            match stored_reply(&folder.store, &path).and_then(|text| reply::applied(&text)) {
                Ok(ids) => claimed.extend(ids.into_iter().map(|id| Claimed { id, round })),
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

    /// What a caller names in a file, or on standard input for `-`.
    ///
    /// # Errors
    /// As [`ids`].
    fn of_file(
        file: &Path,
        surroundings: &Surroundings,
        folder: &RunFolder,
        findings: &Answer,
        evidence: Option<&Evidence>,
    ) -> Result<Self, Failure> {
        let named = ids(Some(file), surroundings, &findings.findings)?;
        let round = evidence.map_or(1, Evidence::rounds);
        let claimed: Vec<Claimed> = named.into_iter().map(|id| Claimed { id, round }).collect();
        let mut found = Self::default();
        found.count(folder, findings, &claimed, evidence)?;
        Ok(found)
    }

    /// Counts what was allowed, changed something and was not said to fail; what else was claimed or changed is in the
    /// way of the best verdict.
    fn count(
        &mut self,
        folder: &RunFolder,
        findings: &Answer,
        claimed: &[Claimed],
        evidence: Option<&Evidence>,
    ) -> Result<(), Failure> {
        let allowed = self.allowed(folder, findings, claimed.iter().map(|one| one.id.clone()).collect())?;
        let mut repaired_now = Vec::new();
        for id in allowed {
            let last = claimed.iter().filter(|one| one.id == id).map(|one| one.round).max().unwrap_or(1);
            let shown = evidence.map_or(u32::MAX, Evidence::rounds);
            let mut later = findings
                .rechecked
                .iter()
                .filter(|one| one.id == id && one.round > last && one.round <= shown);
            let file = findings.findings.iter().find(|one| one.id == id).map(|one| one.file.as_str());
            // What was said of a text that is not there any more says nothing.
            let is_as_shown = |round: u32| {
                evidence.zip(file).is_none_or(|(evidence, file)| evidence.is_as_shown(file, round))
            };
            let holds = later.clone().any(|one| one.holds && is_as_shown(one.round));
            if later.any(|one| !one.holds) {
                continue;
            }
            if let Some(evidence) = evidence {
                if !holds && !file.is_some_and(|file| evidence.is_changed(file, last)) {
                    self.obstacles.push(format!(
                        "`{id}` is said to be repaired, and `{}` is as it was",
                        file.unwrap_or_default()
                    ));
                    continue;
                }
                if !holds {
                    self.obstacles.push(format!("no reviewer said that the repair of `{id}` holds"));
                }
                repaired_now.extend(file.filter(|_| last >= shown));
            }
            self.ids.push(id);
        }
        let unseen = evidence.map(Evidence::unseen).unwrap_or_default();
        let other = unseen.iter().filter(|file| !repaired_now.contains(&file.as_str()));
        self.obstacles.extend(changed_since(&other.collect::<Vec<_>>()));
        Ok(())
    }

    /// What counts of the ids that were named, in the order of the list; what does not becomes an obstacle.
    fn allowed(
        &mut self,
        folder: &RunFolder,
        findings: &Answer,
        named: Vec<String>,
    ) -> Result<Vec<String>, Failure> {
        if named.is_empty() {
            return Ok(named);
        }
        let allowed = fix::allowed(folder, findings)?;
        for id in &named {
            let text = format!("`{id}` was repaired, which no step allowed");
            if !allowed.contains(id) && !self.obstacles.contains(&text) {
                self.obstacles.push(text);
            }
        }
        let counts = |one: &&Merged| named.contains(&one.id) && allowed.contains(&one.id);
        Ok(findings.findings.iter().filter(counts).map(|one| one.id.clone()).collect())
    }

    /// What the review comes to with these repairs; a verdict that was chosen is never better than that.
    pub fn verdict(&self, findings: &Answer, chosen: Option<Verdict>) -> Verdict {
        let open = findings.findings.iter().filter(|one| !self.ids.contains(&one.id));
        let own = match findings.degraded {
            true => Verdict::NotReady,
            false => Verdict::of(open, !findings.unmet.is_empty()),
        };
        let own = own.at_most(findings.obstacles.is_empty() && self.obstacles.is_empty());
        chosen.map_or(own, |chosen| own.or_worse(chosen))
    }
}

/// The replies of the fixer with their rounds.
fn fixer_replies(folder: &RunFolder) -> Result<Vec<(u32, PathBuf)>, Failure> {
    let mut found = Vec::new();
    for (round, replies) in folder.reply_folders()? {
        if folder.store.list(&replies)?.iter().any(|(name, _)| name == FIXER) {
            found.push((round, replies.join(FIXER)));
        }
    }
    Ok(found)
}

/// What is said of files that were changed after the reviewers had been shown the change.
pub(super) fn changed_since(files: &[&String]) -> Vec<String> {
    let mut said: Vec<String> = files
        .iter()
        .take(MOST_NAMED)
        .map(|file| format!("`{file}` has changed since the reviewers were shown the change"))
        .collect();
    if let Some(more) = files.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        said.push(format!("{more} more files have changed since then"));
    }
    said
}

/// The ids of what was repaired, out of a file, or standard input for `-`; none where no file is named.
///
/// # Errors
/// `file_unreadable`, `malformed_json`, `malformed_applied`, and `unknown_finding` for an id that is none of these
/// findings.
pub fn ids(
    file: Option<&Path>,
    surroundings: &Surroundings,
    findings: &[Merged],
) -> Result<Vec<String>, Failure> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let (name, content) = if file == Path::new("-") {
        ("<stdin>".to_owned(), Some(surroundings.input_text()?))
    } else {
        (file.display().to_string(), document::text(&surroundings.path(file))?)
    };
    let content = content.ok_or_else(|| {
        Failure::environment("file_unreadable", format!("`{name}` is not there"), "check the path")
    })?;
    let node = document::json_text(&content, &name)?;
    let list = node.get("applied").unwrap_or(&node);
    let wrong = |code: &str, message: String, at: &Node| {
        let (line, col) = document::place(&content, at.span.start);
        let hint = "give a JSON list of ids such as `F1`";
        Failure::new(MALFORMED, code, message, hint).at(&name, Some(line), Some(col))
    };
    let items =
        list.items().ok_or_else(|| wrong("malformed_applied", "there is no list".to_owned(), list))?;
    let mut ids = Vec::new();
    for item in items {
        let id = item.as_str().or_else(|| item.get("id")?.as_str());
        match id.filter(|id| findings.iter().any(|one| one.id == *id)) {
            Some(id) => ids.push(id.to_owned()),
            None => {
                let shown = id.map_or_else(|| item.kind().to_owned(), |id| format!("`{id}`"));
                return Err(wrong("unknown_finding", format!("{shown} is no finding of this run"), item));
            }
        }
    }
    Ok(ids)
}
