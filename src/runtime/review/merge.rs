//! `review merge`: what all reviewers returned as one list: read, gated, placed, without duplicates, routed to whoever
//! takes it on. The same replies give the same list, whatever their order.

mod answer;
mod cluster;
mod context;
mod draft;
mod intake;
mod protection;
mod queues;
mod sources;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::applied::{Applied, changed_since};
use super::findings::{Finding, Severity};
use super::obstacles::Named;
use super::reply::Recheck;
use super::run_folder::RunFolder;
use super::shown::Evidence;
use super::ticket::Ticket;
use super::verdict::Verdict;
use super::{fix, obstacles, render};
use crate::runtime::answer::{CONTENDED, Failure, Said};
use crate::runtime::git::Repository;
use crate::runtime::surroundings::Surroundings;
use context::Context;
use draft::{Draft, Rules};
use intake::Intake;
use sources::Source;

pub use answer::{Answer, Coverage, Merged, Near, Queues, Status, picked, stored};
pub(super) use sources::stored as stored_reply;

/// Merge what reviewers returned
///
/// With the run of `review begin` the replies are read from its folder: `replies/NAME.txt`, of later rounds
/// `replies/round-2/NAME.txt`. All JSON values in a reply that fit count. Values that had to be corrected are listed
/// in `coverage.repaired`, what cannot be read in `coverage.unread` and `coverage.dropped_returns`. Without a run the replies
/// are read from the named files or standard input. `--format text` prints the report for people.
///
/// Exit codes: 0 merged, `degraded` (no reviewer returned anything usable) included; 2 wrong call, or findings that are
/// not in one place; 3 state that this machine's helper did not write; 4 standard input or a document is malformed, no such finding, or no such run; 5 a file or folder
/// cannot be read or written; 6 the run is finished, or bound to another tree or commit; 7 git took too
/// long.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast-run review merge --run DIR --expected correctness,testing DIR/returns.json\n  plugcast-run review merge --format text < returns.json"
)]
pub struct Options {
    /// Files with returns
    files: Vec<PathBuf>,
    /// The folder of the run
    #[arg(long, value_name = "DIR")]
    pub(super) run: Option<PathBuf>,
    /// Reviewers that were asked
    #[arg(long, value_name = "NAME[,NAME…]", value_delimiter = ',')]
    expected: Vec<String>,
    /// How sure a reviewer must be; by default `float060`
    #[arg(long, value_enum)]
    policy: Option<Policy>,
    /// Folders whose files no finding may ask to delete or ignore; by default `docs/brainstorms`, `docs/plans` and
    /// `docs/solutions`
    #[arg(long, value_name = "PATH[,PATH…]", value_delimiter = ',')]
    protect: Option<Vec<String>>,
    /// Files that were left out because git does not track them
    #[arg(long, value_name = "PATH")]
    untracked: Vec<String>,
    /// What is unclear about the intent of the change
    #[arg(long, value_name = "TEXT", conflicts_with = "stdin")]
    uncertain_intent: Option<String>,
    /// A requirement of the plan that was named, which the change does not meet
    #[arg(long, value_name = "TEXT", conflicts_with = "stdin")]
    unmet: Vec<String>,
    /// The round of reviewing up to which replies are read
    #[arg(long, value_name = "N", requires = "run", value_parser = clap::value_parser!(u32).range(1..100))]
    round: Option<u32>,
    /// Findings of one group of `near` that mean the same; may be repeated
    #[arg(long, value_name = "F2,F3")]
    join: Vec<String>,
    /// Read standard input: with `--run` a JSON object with `intent`, `uncertain_intent`, `unmet` and `reasons`;
    /// without it sections `=== reply NAME ===` with a reply each, and `=== context ===` with that object
    #[arg(long, conflicts_with = "files")]
    stdin: bool,
    /// The commit that was compared with, where no run keeps it
    #[arg(long, value_name = "COMMIT", conflicts_with = "run")]
    base: Option<String>,
    /// The `ticket` of `review begin`, where no run keeps what was shown
    #[arg(long, value_name = "WORD", conflicts_with_all = ["run", "base"])]
    ticket: Option<String>,
}

/// Folders whose files no finding may ask to delete or ignore.
const PROTECTED: [&str; 3] = ["docs/brainstorms", "docs/plans", "docs/solutions"];

/// Gates on confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Policy {
    /// Shares: 0.60, for P0 0.50, before duplicates are merged
    Float060,
    /// Anchors 0, 25, 50, 75, 100: 75, for P0 50, after duplicates are merged
    Anchor75,
}

/// Runs the command.
///
/// # Errors
/// `malformed_json`, `malformed_context`, `no_replies`, `file_unreadable`, `unknown_finding`, `not_near`, `no_run`,
/// `finished`, `run_moved`, `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, surroundings: &Surroundings) -> Result<Said, Failure> {
    let anchored = options.policy == Some(Policy::Anchor75);
    let ticket = options.ticket.as_deref().map(Ticket::parse).transpose()?;
    let folder = options.run.as_ref().map(|run| RunFolder::open(surroundings, run)).transpose()?;
    if let Some(folder) = &folder {
        folder.must_be_open()?;
        folder.must_be_here(surroundings)?;
        let begun = folder.record.flags.begun;
        let fixed = options.policy.is_some() || options.protect.is_some() || !options.files.is_empty();
        if begun && fixed {
            let message = "a run of `review begin` has its own replies, gate and protected folders";
            let hint = "leave out `--policy`, `--protect` and the files";
            return Err(Failure::new(CONTENDED, "bound", message, hint));
        }
    }
    let mut context = Context {
        uncertain_intent: options.uncertain_intent.clone(),
        unmet: (!options.unmet.is_empty()).then(|| options.unmet.clone()),
        joins: options
            .join
            .iter()
            .map(|ids| ids.split(',').map(|id| id.trim().to_owned()).collect())
            .collect(),
        ..Context::default()
    };
    let begun = folder.as_ref().filter(|folder| folder.record.flags.begun);
    let sources = match begun {
        Some(folder) if options.files.is_empty() => {
            if options.stdin {
                context = context.over(Context::parse(&surroundings.input_text()?, "<stdin>")?);
            } else {
                context = context.over(Context::written(folder)?);
            }
            sources::of_run(folder, anchored)?
        }
        _ if options.stdin => {
            let (sources, said) = sources::of_sections(&surroundings.input_text()?, anchored)?;
            context = context.over(said);
            sources
        }
        _ => sources::of_files(options, surroundings, anchored)?,
    };
    if let Some(folder) = &folder {
        context = context.over(Context::stored(folder)?);
    }
    let always: Vec<String> = match begun.is_some() || options.stdin {
        true => super::reviewers::always_on().map(str::to_owned).collect(),
        false => options.expected.clone(),
    };
    let repository = Repository::find(surroundings, &surroundings.folder).ok();
    let base = ticket.as_ref().map(|ticket| ticket.base.as_str()).or(options.base.as_deref());
    let places = intake::places(repository.as_ref(), folder.as_ref(), base)?;
    let not_shown = match &ticket {
        Some(ticket) => ticket.not_shown.clone(),
        None => names(folder.as_ref(), "not_shown")?,
    };
    let named = match (&folder, &ticket) {
        (Some(folder), _) => Named::from(&folder.record),
        (None, Some(ticket)) => Named::from(ticket),
        (None, None) => Named::default(),
    };
    let before = folder.as_ref().filter(|_| begun.is_some()).and_then(|folder| answer::stored(folder).ok());
    let failed = |source: &Source| source.reply.is_err().then_some(source.round).zip(source.name.clone());
    let unread: Vec<(u32, String)> = sources.iter().filter_map(failed).collect();
    let (mut answer, kept) = merge(
        options,
        &context,
        sources,
        &places,
        (&always, folder.as_ref(), named, &not_shown),
        before.as_ref(),
    )?;
    if always.is_empty() {
        answer.obstacles.push("nobody said which reviewers were asked: pass `--expected`".to_owned());
    }
    answer.verdict_default = answer.verdict_default.at_most(answer.obstacles.is_empty());
    if let Some(folder) = &folder {
        let (mut seal, evidence) = (folder.seal()?, Evidence::of(folder, surroundings)?);
        if begun.is_some() {
            seal.merged(folder, &unread)?;
        }
        answer.obstacles.extend(seal.lost());
        if evidence.is_none() {
            answer.obstacles.push("nothing says what the reviewers were shown".to_owned());
        }
        if evidence.as_ref().is_some_and(|evidence| super::scope::stored(folder).as_ref() != evidence.last())
        {
            answer
                .obstacles
                .push("the diff in the folder of the run is not as this program wrote it".to_owned());
        }
        if let Some(evidence) = &evidence
            && !Applied::is_claimed(folder)?
        {
            answer.obstacles.extend(changed_since(&evidence.unseen().iter().collect::<Vec<_>>()));
        }
        answer.verdict_default = answer.verdict_default.at_most(answer.obstacles.is_empty());
        folder.store(&answer, &kept, (context::NAME, &context), seal)?;
        if fix::is_automatic(folder.record.mode) {
            fix::write(folder, &answer, &[], evidence.as_ref())?;
        }
    }
    if folder.is_none() && options.stdin {
        match (&ticket, &repository) {
            (Some(ticket), Some(repository)) => {
                let (changed, untracked) = ticket.changed(repository)?;
                answer.obstacles.extend(changed);
                answer.coverage.untracked.extend(untracked);
            }
            _ => answer.obstacles.push(
                "nothing says what the reviewers were shown: pass the `ticket` of `review begin`".to_owned(),
            ),
        }
        answer.verdict_default = answer.verdict_default.at_most(answer.obstacles.is_empty());
    }
    Ok(Said::of(&answer).text(render::people(&answer)))
}

/// The whole pipeline. What comes back beside the answer is each usable reply with its reviewer.
fn merge(
    options: &Options,
    context: &Context,
    given: Vec<Source>,
    places: &dyn Fn(&mut Finding) -> Result<(), Failure>,
    (always, folder, named, not_shown): (&[String], Option<&RunFolder>, Named<'_>, &[String]),
    before: Option<&Answer>,
) -> Result<(Answer, Vec<(String, Value)>), Failure> {
    let anchored = options.policy == Some(Policy::Anchor75);
    let mut coverage = Coverage {
        untracked: match options.untracked.is_empty() {
            true => names(folder, "untracked")?,
            false => options.untracked.clone(),
        },
        uncertain_intent: context.uncertain_intent.clone(),
        ..Coverage::default()
    };
    let protected = options.protect.clone().unwrap_or_else(|| PROTECTED.map(str::to_owned).to_vec());
    let mut intake = Intake::new(anchored, &protected, places);
    for (at, source) in given.into_iter().enumerate() {
        intake.take(at, source, &mut coverage)?;
    }
    let Intake { names, kept, members, mut rechecked, .. } = intake;
    let usable = |name: &String| names.contains(name);
    // The caller may call a reviewer as its agent is called.
    let known = |name: &String| match super::reviewers::meant(name) {
        Some(meant) if !usable(name) => meant.to_owned(),
        _ => name.clone(),
    };
    let reasons = context.reasons.clone().unwrap_or_default();
    let reasons: BTreeMap<String, String> =
        reasons.iter().map(|(name, why)| (known(name), why.clone())).collect();
    let asked = options.expected.iter().map(known).chain(reasons.keys().cloned());
    let silent: Vec<String> =
        asked.filter(|name| !usable(name) && !coverage.failed_reviewers.contains(name)).collect();
    coverage.reviewers.clone_from(&names);
    coverage.missing = always.iter().filter(|name| !usable(name)).cloned().collect();
    coverage.failed_reviewers.extend(silent.iter().chain(&coverage.missing).cloned());
    coverage.failed_reviewers.retain(|name| !usable(name));
    coverage.unanswered = silent.into_iter().filter(|name| !always.contains(name)).collect();
    let rules = Rules { names: &names, bonus: if anchored { 25 } else { 10 } };
    let (drafts, again) = drafts(members, &rules, anchored, &mut coverage);
    if folder.map(Applied::is_claimed).transpose()?.unwrap_or_default() {
        rechecked.extend(again.into_iter().map(|(id, round, found)| Recheck {
            id,
            holds: false,
            reason: format!("found again: {}", found.title),
            reviewer: found.reviewers.into_iter().next().unwrap_or_default(),
            round,
        }));
    }
    let near = draft::near(&drafts, &rules);
    let mut joined = drafts;
    draft::join(&mut joined, &context.joins, options.join.len())?;
    let mut merged: Vec<Merged> = joined.iter().map(|draft| draft.merged(&rules)).collect();
    let plan = folder.and_then(|folder| folder.record.plan.clone());
    let unmet = context.unmet.clone().unwrap_or_default();
    merged.extend(unmet.iter().enumerate().map(|(at, text)| intake::unmet(at, text, plan.as_ref())));
    // A repair may take away the line that a place of the first round names.
    for one in merged.iter_mut().filter(|one| one.misplaced.is_some()) {
        let before = before.and_then(|before| before.findings.iter().find(|known| known.id == one.id));
        if let Some(known) = before.filter(|known| known.misplaced.is_none() && known.title == one.title) {
            (one.misplaced, one.file) = (None, known.file.clone());
        }
    }
    merged.sort_by(draft::order);
    let (pre_existing, found): (Vec<Merged>, Vec<Merged>) =
        merged.into_iter().partition(|one| one.pre_existing);
    coverage.settle();
    let degraded = coverage.reviewers.is_empty();
    let obstacles = obstacles::of_merge(&coverage, named, not_shown, context.unmet.is_some());
    let open = match degraded {
        true => Verdict::NotReady,
        false => Verdict::of(found.iter(), !unmet.is_empty()),
    };
    let still =
        |near: &Near| near.ids.iter().filter(|id| joined.iter().any(|draft| draft.id == **id)).count() > 1;
    let answer = Answer {
        status: if degraded { Status::Degraded } else { Status::Ok },
        queues: queues::queues(&found),
        findings: found,
        pre_existing,
        coverage,
        degraded,
        verdict_default: open.at_most(obstacles.is_empty()),
        unmet,
        near: near.into_iter().filter(still).collect(),
        obstacles,
        rechecked,
        intent: context.intent.clone(),
        reasons,
    };
    Ok((answer, kept))
}

/// Names that `review scope` wrote down.
fn names(folder: Option<&RunFolder>, key: &str) -> Result<Vec<String>, Failure> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let scope = folder.document::<Value>("scope.json")?.unwrap_or_default();
    let names = scope["scope"][key].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
}

/// The id of a finding, the round in which it was found again, and how.
type FoundAgain = (String, u32, Merged);

/// Findings of all rounds without duplicates, with their ids. What a later round says again keeps its id.
fn drafts(
    members: Vec<(u32, usize, Finding)>,
    rules: &Rules<'_>,
    anchored: bool,
    coverage: &mut Coverage,
) -> (Vec<Draft>, Vec<FoundAgain>) {
    let (mut all, mut again): (Vec<Draft>, Vec<FoundAgain>) = (Vec::new(), Vec::new());
    let last = members.iter().map(|(round, ..)| *round).max().unwrap_or(1);
    for round in 1..=last {
        let own = members.iter().filter(|(at, ..)| *at == round).map(|(_, place, one)| (*place, one.clone()));
        let mut drafts = cluster::clusters(own.collect(), round);
        if anchored {
            let before = drafts.len();
            drafts.retain(|draft| {
                let one = draft.merged(rules);
                passes(one.severity, (one.confidence * 100.0).round() as u32, (75, 50))
            });
            coverage.suppressed += before - drafts.len();
        }
        // What is found again is still there, or there again, and may be worse.
        drafts.retain(|draft| match all.iter_mut().find(|known| draft.repeats(known)) {
            Some(known) => {
                again.push((known.id.clone(), round, draft.merged(rules)));
                known.members.extend(draft.members.iter().cloned());
                false
            }
            None => true,
        });
        let mut ordered: Vec<(Merged, Draft)> =
            drafts.into_iter().map(|draft| (draft.merged(rules), draft)).collect();
        ordered.sort_by(|(one, _), (other, _)| {
            one.pre_existing.cmp(&other.pre_existing).then_with(|| draft::order(one, other))
        });
        for (_, mut draft) in ordered {
            draft.id = format!("F{}", all.len() + 1);
            all.push(draft);
        }
    }
    (all, again)
}

/// Whether a finding is sure enough.
fn passes(severity: Severity, confidence: u32, (most, worst): (u32, u32)) -> bool {
    confidence >= if severity == Severity::P0 { worst } else { most }
}
