//! Commits that were made in this clone, as the logs of its branches and of HEAD in each working tree tell.

use std::collections::{BTreeMap, BTreeSet};

use super::Repository;
use crate::runtime::answer::CallFailure;

/// How many rebases of a branch are followed back.
const MOST_REBASES: usize = 1000;

/// What an entry of a log tells of its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogAction {
    /// It was committed, merged or reverted here.
    Written,
    /// It was picked or applied from elsewhere, by hand.
    Applied,
    /// It replaces the commit before.
    Amended,
    /// A rebase began.
    RebaseBegun,
    /// It replaces a commit of the branch that is rebased.
    Rebased,
    /// A rebase ended.
    RebaseEnded,
    /// It was there before.
    Moved,
}

impl LogAction {
    /// Reads the words of an entry.
    pub fn parse(words: &str) -> Self {
        let (verb, rest) = words.split_once(':').unwrap_or((words, ""));
        let is_rebase = verb.starts_with("rebase") || verb.starts_with("pull");
        // `merge` and `pull` also move a branch to commits of others.
        let is_merge =
            (verb.starts_with("merge ") || verb.starts_with("pull")) && rest.ends_with(" strategy.");
        match verb {
            "commit" | "commit (initial)" | "commit (merge)" | "revert" => Self::Written,
            "cherry-pick" if rest == " fast-forward" => Self::Moved,
            "commit (cherry-pick)" | "cherry-pick" | "am" => Self::Applied,
            "commit (amend)" => Self::Amended,
            "commit (rebase)" => Self::Rebased,
            _ if is_merge => Self::Written,
            _ if is_rebase && verb.ends_with("(start)") => Self::RebaseBegun,
            _ if is_rebase && (verb.ends_with("(finish)") || verb.ends_with("(abort)")) => Self::RebaseEnded,
            _ if is_rebase && verb.ends_with(')') => Self::Rebased,
            _ => Self::Moved,
        }
    }
}

/// How a commit came about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Making {
    /// By what its user did here.
    Here,
    /// It replaces another commit.
    Amended(String),
    /// It replaces a commit of a branch that was at this commit before.
    Rebased(String),
}

/// Where a log is while it is read.
#[derive(Debug, Default)]
struct LogState {
    /// The commit of the entry before.
    commit: Option<String>,
    /// The commit at which the rebase in progress began.
    rebased: Option<String>,
}

/// The logs of this clone.
#[derive(Debug)]
pub struct CommitLogs<'a> {
    repository: &'a Repository,
    /// The commits that are known to be no foreign code, as `rev-list` takes them.
    known: &'a [String],
    entries: BTreeMap<String, Vec<Making>>,
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
        let mut entries: BTreeMap<String, Vec<Making>> = BTreeMap::new();
        let mut logs: BTreeMap<String, LogState> = BTreeMap::new();
        // The newest entry is the first of its log, and entries of other logs may stand in between.
        for line in text.lines().rev() {
            let mut words = line.splitn(3, ' ');
            let (Some(place), Some(commit)) = (words.next(), words.next()) else { continue };
            let name = place.rsplit_once("@{").map_or(place, |(name, _)| name);
            if name.starts_with("refs/remotes/") {
                continue;
            }
            let log = logs.entry(name.to_owned()).or_default();
            let before = log.commit.replace(commit.to_owned());
            let action = LogAction::parse(words.next().unwrap_or_default());
            let making = match action {
                LogAction::Written | LogAction::Applied => Some(Making::Here),
                LogAction::Amended => before.map(Making::Amended),
                LogAction::Rebased => log.rebased.clone().map(Making::Rebased),
                LogAction::RebaseBegun | LogAction::RebaseEnded => {
                    log.rebased = before.filter(|_| action == LogAction::RebaseBegun);
                    None
                }
                LogAction::Moved => None,
            };
            if let Some(making) = making {
                entries.entry(commit.to_owned()).or_default().push(making);
            }
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

    fn has_made_within(&mut self, commit: &str, depth: usize) -> Result<bool, CallFailure> {
        if let Some(known) = self.answers.get(commit) {
            return Ok(*known);
        }
        // A rebase may leave a commit as it is, and then tells nothing about it.
        self.answers.insert(commit.to_owned(), false);
        for making in self.entries.get(commit).cloned().unwrap_or_default() {
            let is_made = match making {
                Making::Here => true,
                Making::Amended(before) => self.is_amended_from_known(before, depth)?,
                Making::Rebased(before) => depth > 0 && self.all_known(&before, depth - 1)?,
            };
            if is_made {
                self.answers.insert(commit.to_owned(), true);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a commit that was amended, and those that it was amended from, add nothing unknown to what is known: an
    /// amended commit keeps what was in it.
    fn is_amended_from_known(&mut self, mut before: String, depth: usize) -> Result<bool, CallFailure> {
        let mut seen = BTreeSet::new();
        while seen.insert(before.clone()) {
            let makings = self.entries.get(&before).map(Vec::as_slice).unwrap_or_default();
            match makings {
                [Making::Amended(earlier)] => before = earlier.clone(),
                _ => break,
            }
        }
        Ok(self.has_made_within(&before, depth)? || self.unknown_in(&before)?.is_empty())
    }

    /// Whether every commit that a commit reaches is known or was made here.
    fn all_known(&mut self, commit: &str, depth: usize) -> Result<bool, CallFailure> {
        for one in self.unknown_in(commit)? {
            if !self.has_made_within(&one, depth)? {
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
