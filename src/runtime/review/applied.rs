//! What was repaired: as the fixer's replies of all rounds say, or as a JSON list of ids. An id that no step allowed
//! never counts, and what a reviewer says does not hold is open again.

use std::path::Path;

use super::merge::{Answer, Merged, stored_reply};
use super::run_folder::RunFolder;
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
}

/// The file of the fixer's reply.
const FIXER: &str = "fixer.txt";

impl Applied {
    /// What the fixer's replies of a run say, round by round.
    ///
    /// # Errors
    /// `malformed_json` for a damaged `fix.json`.
    pub fn of_run(folder: &RunFolder, findings: &Answer) -> Result<Self, Failure> {
        let mut found = Self::default();
        // The round in which each was repaired last.
        let mut repaired: Vec<(String, u32)> = Vec::new();
        for (round, replies) in folder.reply_folders()? {
            let path = replies.join(FIXER);
            if !folder.store.list(&replies)?.iter().any(|(name, _)| name == FIXER) {
                continue;
            }
            match stored_reply(&folder.store, &path).and_then(|text| reply::applied(&text)) {
                Ok(ids) => repaired.extend(ids.into_iter().map(|id| (id, round))),
                Err(reason) => {
                    found
                        .obstacles
                        .push(format!("the reply of the fixer in round {round} cannot be read: {reason}"));
                }
            }
        }
        let ids = repaired.iter().map(|(id, _)| id.clone()).collect();
        let allowed = found.allowed(folder, findings, ids)?;
        let holds = |id: &String| {
            let last = repaired.iter().filter(|(own, _)| own == id).map(|(_, round)| *round).max();
            let reopened = |one: &&reply::Recheck| one.id == *id && !one.holds && Some(one.round) > last;
            !findings.rechecked.iter().any(|one| reopened(&one))
        };
        found.ids = allowed.into_iter().filter(holds).collect();
        Ok(found)
    }

    /// What a caller names in a file, or on standard input for `-`.
    ///
    /// # Errors
    /// As [`ids`].
    pub fn of_file(
        file: &Path,
        surroundings: &Surroundings,
        folder: &RunFolder,
        findings: &Answer,
    ) -> Result<Self, Failure> {
        let named = ids(Some(file), surroundings, &findings.findings)?;
        let mut found = Self::default();
        found.ids = found.allowed(folder, findings, named)?;
        Ok(found)
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
