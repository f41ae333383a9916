//! What prevents the best verdict, besides the findings: what was not reviewed, could not be read, or was done without
//! permission. A review that saw less never claims more. All obstacles that a merge finds come from here.

use std::path::Path;

use super::evidence::ShownEvidence;
use super::findings::FindingSeverity;
use super::merge::{Coverage, UnreadableReply};
use super::repairs::{AppliedRepairs, changed_since};
use super::run_folder::{ReviewRecord, RunFolder};
use super::scope;
use super::ticket::ReviewTicket;
use crate::runtime::answer::CallFailure;
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;
use crate::runtime::run::RunSeal;

/// How many words of a sentence are quoted.
const QUOTED_WORDS: usize = 12;

/// What was known when the review began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AnnouncedReview<'a> {
    plan: Option<&'a str>,
    missing_plan: Option<&'a str>,
    only_untracked: bool,
    unseen: &'a [String],
    /// What a reader should know about its start.
    pub(super) notes: &'a [String],
}

impl<'a> From<&'a ReviewRecord> for AnnouncedReview<'a> {
    fn from(record: &'a ReviewRecord) -> Self {
        Self {
            plan: record.plan.as_ref().map(|plan| plan.path.as_str()),
            missing_plan: record.missing_plan.as_deref(),
            only_untracked: record.only_untracked,
            unseen: &record.unseen,
            notes: &record.notes,
        }
    }
}

impl<'a> From<&'a ReviewTicket> for AnnouncedReview<'a> {
    fn from(ticket: &'a ReviewTicket) -> Self {
        Self {
            plan: ticket.plan.as_deref(),
            missing_plan: ticket.missing_plan.as_deref(),
            only_untracked: ticket.only_untracked,
            unseen: &ticket.unseen,
            notes: &ticket.notes,
        }
    }
}

/// What a merge knows besides the replies.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergeFacts<'a> {
    /// How the review began.
    pub(super) named: AnnouncedReview<'a>,
    /// Changed files whose content the diff does not show.
    pub(super) not_shown: &'a [String],
    /// Whether the requirements of the plan were compared.
    pub(super) compared: bool,
    /// What could not be understood of the caller's context.
    pub(super) unread_context: &'a [String],
    /// Whether the caller said which reviewers were asked.
    pub(super) is_asked: bool,
}

/// The obstacles from the replies and the start of the review.
pub(super) fn merge_obstacles(coverage: &Coverage, circumstances: MergeFacts<'_>) -> Vec<String> {
    let MergeFacts { named, not_shown, compared, unread_context, is_asked } = circumstances;
    let mut obstacles = reply_obstacles(coverage);
    obstacles.extend(
        unread_context.iter().map(|why| format!("the context cannot be read: {why}: write it again")),
    );
    if let Some(plan) = named.missing_plan {
        obstacles.push(scope::missing_plan(plan));
    }
    if let Some(path) = named.plan.filter(|_| !compared) {
        obstacles
            .push(format!("the context does not say whether the plan `{path}` is met: `unmet` is missing"));
    }
    obstacles.extend(not_shown.iter().map(|file| format!("the diff does not show the content of `{file}`")));
    if named.only_untracked {
        obstacles.push("only untracked files are new, and none of them was reviewed".to_owned());
    }
    obstacles.extend(named.unseen.iter().cloned());
    if !is_asked {
        obstacles.push("it is unknown which reviewers were asked: pass `--expected`".to_owned());
    }
    obstacles
}

/// Replies that are missing, cannot be read, or contradict themselves.
fn reply_obstacles(coverage: &Coverage) -> Vec<String> {
    let mut obstacles: Vec<String> = Vec::new();
    for name in &coverage.missing {
        let own = coverage.unreadable.iter().filter(|one| one.round == 1 && one.reviewer == *name);
        let why = own.map(|one| &one.reason).min();
        obstacles.push(match why {
            Some(why) => format!("the reply of `{name}`, which is always asked, cannot be read: {why}"),
            None => format!("`{name}` is always asked, but did not reply"),
        });
    }
    let is_missing = |one: &&UnreadableReply| one.round == 1 && coverage.missing.contains(&one.reviewer);
    let of_missing: Vec<&String> =
        coverage.unreadable.iter().filter(is_missing).filter_map(|one| one.line.as_ref()).collect();
    obstacles.extend(coverage.unread_replies.iter().filter(|line| !of_missing.contains(line)).cloned());
    obstacles.extend(coverage.unanswered.iter().map(|name| format!("`{name}` was asked, but did not reply")));
    for one in coverage.unclear.iter().filter(|one| one.is_readable || one.was_asked) {
        let round = if one.round > 1 { format!(" in round {}", one.round) } else { String::new() };
        let quoted: Vec<String> =
            one.sentences.iter().map(|one| format!("`{}`", beginning(&one.text))).collect();
        let next = match one.was_asked {
            true => "it was asked, but its reply does not settle this",
            false => "ask this reviewer about it",
        };
        obstacles.push(format!(
            "`{}`{round} wrote something that may report a fault: {}: {next}",
            one.reviewer,
            quoted.join(", ")
        ));
    }
    for unread in coverage.unread.iter().filter(|unread| unread.is_grave()) {
        let severity = unread.severity.map_or("unknown severity", |severity| match severity {
            FindingSeverity::P0 => "P0",
            FindingSeverity::P1 => "P1",
            FindingSeverity::P2 => "P2",
            FindingSeverity::P3 => "P3",
        });
        obstacles.push(format!(
            "a finding of `{}` ({severity}) cannot be read: {}",
            unread.reviewer, unread.reason
        ));
    }
    obstacles
}

/// The beginning of a sentence.
fn beginning(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.len() > QUOTED_WORDS {
        true => format!("{} …", words[..QUOTED_WORDS].join(" ")),
        false => words.join(" "),
    }
}

/// The obstacles from comparing what the reviewers were shown with the current state.
pub(super) fn run_obstacles(
    folder: &RunFolder,
    seal: &RunSeal,
    evidence: Option<&ShownEvidence>,
) -> Result<Vec<String>, CallFailure> {
    let mut obstacles = seal.replaced_replies();
    let Some(evidence) = evidence else {
        obstacles.push("it is unknown what the reviewers were shown".to_owned());
        return Ok(obstacles);
    };
    obstacles.extend(evidence.index_notes());
    obstacles.extend(seal.unsealed_files(folder)?);
    if scope::stored(folder).as_ref() != evidence.last_diff().as_ref() {
        obstacles.push("the diff in the folder of the run was modified".to_owned());
    }
    // What the fixer changed is compared when the run ends.
    if !AppliedRepairs::is_claimed(folder)? {
        obstacles.extend(changed_since(&evidence.unseen_files()));
    }
    Ok(obstacles)
}

/// The obstacle if HEAD is no longer at the reviewed commit.
pub(super) fn commit_obstacles(
    record: &ReviewRecord,
    environment: &Environment,
) -> Result<Option<String>, CallFailure> {
    let head = Repository::find(environment, Path::new(&record.tree))?.commit("HEAD")?;
    let (head, reviewed) = (head.as_deref().unwrap_or("no commit"), &record.head_sha);
    Ok((head != reviewed).then(|| format!("HEAD is at {head}, but {reviewed} was reviewed")))
}

/// The obstacle without a run if the caller passed no ticket.
pub(super) const NO_TICKET: &str =
    "it is unknown what the reviewers were shown: pass the `ticket` of `review begin`";
