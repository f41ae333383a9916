//! Commits that were made in this clone, as the logs of its branches and of HEAD in each working tree tell.

use std::collections::BTreeMap;

use super::Repository;
use crate::runtime::answer::CallFailure;

/// How many rebases of a branch are followed back.
const MOST_REBASES: usize = 100;

/// How a commit came about, as far as an entry of a log tells.
#[derive(Debug, Clone, PartialEq, Eq)]
enum LogAction {
    /// It was written here: a commit, a merge, or what was picked or applied from elsewhere by hand.
    Written,
    /// It replaces another commit.
    Amended(String),
    /// It replaces a commit of a branch that was at this commit before.
    Rebased(String),
}

/// The logs of this clone.
#[derive(Debug)]
pub struct CommitLogs<'a> {
    repository: &'a Repository,
    /// The commits that are known to be no foreign code, as `rev-list` takes them.
    known: &'a [String],
    entries: BTreeMap<String, Vec<LogAction>>,
    /// What was found out already.
    answers: BTreeMap<String, bool>,
}

impl<'a> CommitLogs<'a> {
    /// Reads the logs. With the commits in `known`, everything that they reach is known.
    ///
    /// # Errors
    /// When git is missing or does not end.
    pub fn read(repository: &'a Repository, known: &'a [String]) -> Result<Self, CallFailure> {
        let logged = repository.ask(&[
            "log",
            "--walk-reflogs",
            "--all",
            "--no-show-signature",
            "--format=%gD %H %gs",
        ])?;
        let text = logged.stdout_text();
        let mut entries: BTreeMap<String, Vec<LogAction>> = BTreeMap::new();
        let (mut log, mut before, mut rebased) = (String::new(), String::new(), None);
        // Each log stands as a whole, its newest entry first.
        for line in text.lines().rev() {
            let mut words = line.splitn(3, ' ');
            let (Some(place), Some(commit)) = (words.next(), words.next()) else { continue };
            let name = place.rsplit_once("@{").map_or(place, |(name, _)| name);
            if name != log {
                name.clone_into(&mut log);
                before.clear();
                rebased = None;
            }
            let action = words.next().unwrap_or_default();
            let is_local = !name.starts_with("refs/remotes/");
            if is_local && let Some(action) = action_of(action, &before, &mut rebased) {
                entries.entry(commit.to_owned()).or_default().push(action);
            }
            commit.clone_into(&mut before);
        }
        Ok(Self { repository, known, entries, answers: BTreeMap::new() })
    }

    /// Whether a commit was made here.
    ///
    /// # Errors
    /// When git fails.
    pub fn has_made(&mut self, commit: &str) -> Result<bool, CallFailure> {
        self.has_made_within(commit, MOST_REBASES)
    }

    fn has_made_within(&mut self, commit: &str, rebases: usize) -> Result<bool, CallFailure> {
        if let Some(known) = self.answers.get(commit) {
            return Ok(*known);
        }
        // An amended commit keeps what was in it.
        let (mut chain, mut at) = (vec![commit.to_owned()], commit.to_owned());
        let made = loop {
            let actions = self.entries.get(&at).cloned().unwrap_or_default();
            if actions.contains(&LogAction::Written) {
                break true;
            }
            let rebased = actions.iter().find_map(|action| match action {
                LogAction::Rebased(before) => Some(before.clone()),
                _ => None,
            });
            if let Some(before) = rebased {
                break rebases > 0 && self.all_known(&before, rebases - 1)?;
            }
            let amended = actions.iter().find_map(|action| match action {
                LogAction::Amended(before) => Some(before.clone()),
                _ => None,
            });
            match amended {
                Some(before) if !chain.contains(&before) => {
                    chain.push(before.clone());
                    at = before;
                }
                _ => break chain.len() > 1 && self.unknown_in(&at)?.is_empty(),
            }
        };
        self.answers.extend(chain.into_iter().map(|commit| (commit, made)));
        Ok(made)
    }

    /// Whether every commit that a commit reaches is known or was made here.
    fn all_known(&mut self, commit: &str, rebases: usize) -> Result<bool, CallFailure> {
        for one in self.unknown_in(commit)? {
            if !self.has_made_within(&one, rebases)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The commits that a commit reaches, and those that are known do not. One that is gone is not known.
    fn unknown_in(&self, commit: &str) -> Result<Vec<String>, CallFailure> {
        match self.repository.commit(commit)? {
            Some(_) => self.repository.unreached(commit, self.known),
            None => Ok(vec![commit.to_owned()]),
        }
    }
}

impl Repository {
    /// The commits that `commit` reaches, and none of `known` does; newest first. Known commits may be missing.
    ///
    /// # Errors
    /// As [`Repository::must`].
    pub fn unreached(&self, commit: &str, known: &[String]) -> Result<Vec<String>, CallFailure> {
        let known = known.iter().map(String::as_str);
        let words: Vec<&str> =
            ["rev-list", "--ignore-missing", commit, "--not"].into_iter().chain(known).collect();
        let listed = self.must(&words)?;
        Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
    }
}

/// What an entry of a log tells of its commit; `before` is the commit of the entry before, and `rebased` the one at which
/// a rebase in progress began.
fn action_of(words: &str, before: &str, rebased: &mut Option<String>) -> Option<LogAction> {
    let (verb, rest) = words.split_once(':').unwrap_or((words, ""));
    let is_rebase = verb.starts_with("rebase") || verb.starts_with("pull");
    if is_rebase && verb.ends_with("(start)") {
        *rebased = Some(before.to_owned()).filter(|before| !before.is_empty());
        return None;
    }
    if is_rebase && (verb.ends_with("(finish)") || verb.ends_with("(abort)")) {
        *rebased = None;
        return None;
    }
    // `merge` and `pull` alone also move a branch to commits of others.
    let is_merge = (verb.starts_with("merge ") || verb.starts_with("pull")) && rest.ends_with(" strategy.");
    match verb {
        "commit"
        | "commit (initial)"
        | "commit (merge)"
        | "commit (cherry-pick)"
        | "revert"
        | "cherry-pick"
        | "am" => Some(LogAction::Written),
        _ if is_merge => Some(LogAction::Written),
        "commit (amend)" if !before.is_empty() => Some(LogAction::Amended(before.to_owned())),
        "commit (rebase)" => rebased.clone().map(LogAction::Rebased),
        _ if is_rebase && verb.ends_with(')') => rebased.clone().map(LogAction::Rebased),
        _ => None,
    }
}
