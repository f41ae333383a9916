//! Commits that were made in this clone, as the logs of its branches and of HEAD in each working tree tell.

use std::collections::{BTreeMap, BTreeSet};

use super::Repository;
use crate::runtime::answer::CallFailure;
use crate::runtime::child;

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
        const STEPS: [&str; 7] = ["pick", "reword", "edit", "squash", "fixup", "continue", "merge"];
        let (verb, rest) = words.split_once(':').unwrap_or((words, ""));
        match verb {
            "commit" | "commit (initial)" | "commit (merge)" | "revert" => return Self::Written,
            "cherry-pick" if rest == " fast-forward" => return Self::Moved,
            "commit (cherry-pick)" | "cherry-pick" | "am" => return Self::Applied,
            "commit (amend)" => return Self::Amended,
            "commit (rebase)" => return Self::Rebased,
            _ => {}
        }
        // What follows is a command with its arguments, which may be an address with colons. Each of them also moves a
        // branch to commits of others.
        let is_pull = words.starts_with("pull");
        let is_merge = words.ends_with(" strategy.") && words.contains(": Merge made by ");
        if is_merge && (is_pull || words.starts_with("merge ")) {
            return Self::Written;
        }
        let step = words.split_once(" (").and_then(|(_, rest)| rest.split_once("):"));
        match step.filter(|_| is_pull || words.starts_with("rebase")) {
            Some(("start", _)) => Self::RebaseBegun,
            Some(("finish" | "abort", _)) => Self::RebaseEnded,
            // A merge, with the label where it was made; a label alone is where HEAD was moved.
            Some(("reset", rest)) if rest.contains("': ") => Self::Rebased,
            Some((step, _)) if STEPS.contains(&step) => Self::Rebased,
            _ => Self::Moved,
        }
    }
}

/// How a commit came about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum CommitCreation {
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
    /// The branch that was checked out last, by its whole name.
    branch: Option<String>,
    rebase: Option<LoggedRebase>,
}

/// A rebase in the log of HEAD.
#[derive(Debug, Default)]
struct LoggedRebase {
    /// What HEAD was at before, and the branch that was checked out.
    before: Option<String>,
    branch: Option<String>,
    /// The commits that it made.
    made: Vec<String>,
}

/// What is read of all logs.
#[derive(Debug, Default)]
struct LogReader {
    logs: BTreeMap<String, LogState>,
    creations: BTreeMap<String, Vec<CommitCreation>>,
    /// Rebases that have ended, with the branch and the commit that it was set to.
    rebases: Vec<(LoggedRebase, (String, String))>,
    /// What a branch was at before a rebase set it to a commit, as its own log tells.
    set: BTreeMap<(String, String), Vec<String>>,
}

impl LogReader {
    /// Reads an entry: the name of its log, its commit, and its words.
    fn read(&mut self, name: &str, commit: &str, words: &str) {
        let log = self.logs.entry(name.to_owned()).or_default();
        let before = log.commit.replace(commit.to_owned());
        let action = LogAction::parse(words);
        let making = match action {
            // What is committed in a rebase may solve a conflict, and have what was in a commit of the branch.
            LogAction::Written | LogAction::Applied if log.rebase.is_none() => Some(CommitCreation::Here),
            LogAction::Amended => before.map(CommitCreation::Amended),
            LogAction::Rebased | LogAction::Written | LogAction::Applied => {
                log.rebase.iter_mut().for_each(|rebase| rebase.made.push(commit.to_owned()));
                None
            }
            LogAction::RebaseBegun => {
                log.rebase = Some(LoggedRebase { before, branch: log.branch.clone(), made: Vec::new() });
                None
            }
            LogAction::RebaseEnded => {
                let end = (branch_in(words).unwrap_or_default().to_owned(), commit.to_owned());
                match log.rebase.take() {
                    Some(rebase) => {
                        log.branch = Some(end.0.clone());
                        self.rebases.push((rebase, end));
                    }
                    None => {
                        self.set.entry(end).or_default().extend(before);
                    }
                }
                None
            }
            LogAction::Moved => {
                if let Some((_, to)) =
                    words.strip_prefix("checkout: moving from ").and_then(|rest| rest.split_once(" to "))
                {
                    log.branch = Some(format!("refs/heads/{to}"));
                } else if let Some((_, to)) =
                    words.strip_prefix("Branch: renamed ").and_then(|rest| rest.split_once(" to "))
                {
                    log.branch = Some(to.to_owned());
                }
                None
            }
        };
        if let Some(making) = making {
            self.creations.entry(commit.to_owned()).or_default().push(making);
        }
    }

    /// How each commit came about. `git rebase UPSTREAM BRANCH` rebases another branch than the one that is checked out.
    fn creations(self) -> BTreeMap<String, Vec<CommitCreation>> {
        let mut creations = self.creations;
        for (rebase, end) in self.rebases {
            let is_of_head = rebase.branch.as_ref() == Some(&end.0);
            let own = rebase.before.filter(|_| is_of_head).map(|before| vec![before]);
            // Another rebase may have set the branch to the same commit.
            let before = self.set.get(&end).cloned().or(own).unwrap_or_default();
            for commit in rebase.made {
                let rebased = before.iter().cloned().map(CommitCreation::Rebased);
                creations.entry(commit).or_default().extend(rebased);
            }
        }
        creations
    }
}

/// The branch that the end of a rebase is about, by its whole name.
fn branch_in(words: &str) -> Option<&str> {
    let at = words.find("refs/heads/")?;
    words[at..].split(' ').next()
}

/// The logs of this clone.
#[derive(Debug)]
pub struct CommitLogs<'a> {
    repository: &'a Repository,
    /// The commits that are known to be no foreign code, as `rev-list` takes them.
    known: &'a [String],
    entries: BTreeMap<String, Vec<CommitCreation>>,
    /// What was found out already: of commits alone, and with all that they reach.
    answers: BTreeMap<String, bool>,
    whole_answers: BTreeMap<String, bool>,
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
        let mut reader = LogReader::default();
        // The newest entry is the first of its log, and entries of other logs may stand in between.
        for line in text.lines().rev() {
            let mut words = line.splitn(3, ' ');
            let (Some(place), Some(commit)) = (words.next(), words.next()) else { continue };
            let name = place.rsplit_once("@{").map_or(place, |(name, _)| name);
            if !name.starts_with("refs/remotes/") {
                reader.read(name, commit, words.next().unwrap_or_default());
            }
        }
        let entries = reader.creations();
        Ok(Self { repository, known, entries, answers: BTreeMap::new(), whole_answers: BTreeMap::new() })
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
                CommitCreation::Here => true,
                CommitCreation::Amended(before) => self.is_amended_from_known(before, depth)?,
                CommitCreation::Rebased(before) => depth > 0 && self.all_known(&before, depth - 1)?,
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
            let creations = self.entries.get(&before).map(Vec::as_slice).unwrap_or_default();
            match creations {
                [CommitCreation::Amended(earlier)] => before = earlier.clone(),
                _ => break,
            }
        }
        Ok(self.has_made_within(&before, depth)? || self.unknown_in(&before)?.is_empty())
    }

    /// Whether every commit that a commit reaches is known or was made here.
    fn all_known(&mut self, commit: &str, depth: usize) -> Result<bool, CallFailure> {
        if let Some(known) = self.whole_answers.get(commit) {
            return Ok(*known);
        }
        let mut is_known = true;
        for one in self.unknown_in(commit)? {
            is_known = is_known && self.has_made_within(&one, depth)?;
        }
        self.whole_answers.insert(commit.to_owned(), is_known);
        Ok(is_known)
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
        // There may be more of them than a command can have arguments.
        let known: String = known.iter().flat_map(|known| ["^", known, "\n"]).collect();
        let words = ["rev-list", "--ignore-missing", "--stdin", commit];
        let ended = child::run(&self.environment, "git", &self.git(words)?.input(known.as_str()))?;
        match ended.succeeded() {
            true => Ok(ended.stdout_text().lines().map(str::to_owned).collect()),
            false => Err(self.failed("rev-list", &ended)),
        }
    }
}
