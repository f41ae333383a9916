//! `review merge`: merges what all reviewers returned into one list: parsed, filtered by confidence, located,
//! deduplicated, and assigned to queues. The same replies give the same list, whatever their order.

mod answer;
mod cluster;
mod context;
mod draft;
mod ids;
mod intake;
mod pipeline;
mod places;
mod protection;
mod queues;
mod roster;
mod rounds;
mod sources;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::evidence::ShownEvidence;
use super::obstacles::{AnnouncedReview, MergeFacts};
use super::repairs::AppliedRepairs;
use super::reply::ReplyTerms;
use super::run_folder::RunFolder;
use super::ticket::ReviewTicket;
use super::{fix, obstacles, render};
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery};
use crate::runtime::command_line::{choices, options};
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::run::RunSeal;
use context::MergeContext;
use pipeline::{MergeInput, merge};
use sources::ReplySource;

pub(super) use answer::UnreadableReply;
pub use answer::{
    Coverage, FollowUp, MergeStatus, MergedFinding, NearbyFindings, Queues, Response, UnclearReply,
    UnclearSentence, findings_by_id, stored,
};
pub(super) use context::NAME as CONTEXT;
pub(super) use sources::{reviewer_of, stored as stored_reply};

options! {
    /// Merge what reviewers returned
    ///
    /// With the run of `review begin` the replies are read from its folder: `replies/NAME.txt`, of later rounds
    /// `replies/round-2/NAME.txt`. All JSON values in a reply that fit are used. Values that had to be
    /// corrected are listed in `coverage.repaired`, what cannot be read in `coverage.unread` and
    /// `coverage.dropped_returns`. Without a run the replies are read from the named files or standard input.
    /// `--format text` prints the report for people.
    ///
    /// Exit codes: 0 merged, `degraded` (no reviewer returned anything usable) included; 2 wrong call, or
    /// findings that are in different places; 3 state that this machine's helper did not write; 4 standard
    /// input or a document is malformed, no such finding, or no such run; 5 a file or folder cannot be read or
    /// written; 6 the run is finished, or bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// Files with returns
        files: Vec<PathBuf> = "[FILES]...",
        /// The folder of the run
        pub(super) run: Option<PathBuf> = "--run <DIR>",
        /// Reviewers that were asked, in addition to those that a run always asks
        expected: Vec<String> = "--expected <NAME[,NAME…]>" { splits: true },
        /// How confident a reviewer must be; by default `float060`
        policy: Option<ConfidencePolicy> = "--policy <POLICY>",
        /// Folders whose files no finding may ask to delete or ignore; by default `docs/brainstorms`, `docs/plans` and
        /// `docs/solutions`
        protect: Vec<String> = "--protect <PATH[,PATH…]>" { splits: true },
        /// Files that were left out because git does not track them
        untracked: Vec<String> = "--untracked <PATH>",
        /// What is unclear about the intent of the change
        uncertain_intent: Option<String> = "--uncertain-intent <TEXT>" { conflicts: &["--stdin"] },
        /// A requirement of the named plan that the change does not meet
        unmet: Vec<String> = "--unmet <TEXT>" { conflicts: &["--stdin"] },
        /// Findings of one group of `near` that mean the same; may be repeated
        join: Vec<String> = "--join <F2,F3>",
        /// Findings that an earlier `--join` joined by mistake; may be repeated
        apart: Vec<String> = "--apart <F3>" { splits: true, requires: "--run" },
        /// Read standard input: with `--run` a JSON object with `intent`, `uncertain_intent`, `unmet` and `reasons`;
        /// without it sections `=== reply NAME ===` with a reply each, and `=== context ===` with that object
        stdin: bool = "--stdin" { conflicts: &["[FILES]..."] },
        /// The commit of the base, if there is no run
        base: Option<String> = "--base <COMMIT>" { conflicts: &["--run"] },
        /// The `ticket` of `review begin`, if there is no run
        ticket: Option<String> = "--ticket <WORD>" { conflicts: &["--run", "--base"] },
    }
    examples: ["plugcast-run review merge --run DIR --expected correctness,testing DIR/returns.json", "plugcast-run review merge --format text < returns.json"]
}

choices! {
    /// Gates on confidence.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ConfidencePolicy {
        /// Shares: 0.60, for P0 0.50, before duplicates are merged
        Float060 = "float060",
        /// Anchors 0, 25, 50, 75, 100: 75, for P0 50, after duplicates are merged
        Anchor75 = "anchor75",
    }
}

/// Runs the command.
///
/// # Errors
/// `malformed_json`, `no_replies`, `file_unreadable`, `unknown_finding`, `not_near`, `bound`, `no_run`, `finished`,
/// `run_moved`, `state_unwritable`, `sandboxed`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let ticket = options.ticket.as_deref().map(ReviewTicket::parse).transpose()?;
    let folder = options.run.as_ref().map(|run| open_run(options, environment, run)).transpose()?;
    let begun = folder.as_ref().filter(|folder| folder.record.flags.begun);
    let review = begun
        .map(|folder| folder.record.run_id.clone())
        .or_else(|| options.ticket.as_deref().map(ReviewTicket::id));
    let terms = ReplyTerms {
        anchored: options.policy == Some(ConfidencePolicy::Anchor75),
        review: review.as_deref(),
        before: None,
    };
    let mark = ticket.is_some().then(|| options.ticket.as_deref().map(ReviewTicket::mark)).flatten();
    let (sources, mut context) = read(options, environment, begun, mark.as_deref(), terms)?;
    if let Some(folder) = &folder {
        let mut before = MergeContext::stored(folder)?;
        before.separate(&options.apart)?;
        if !AppliedRepairs::is_claimed(folder)? {
            context.keep_unmet(&before);
        }
        context = context.merged_with(before);
    }
    let repository = Repository::find(environment, &environment.folder).ok();
    let base = ticket.as_ref().map(|ticket| ticket.base.as_str()).or(options.base.as_deref());
    let changed = places::changed_paths(repository.as_ref(), folder.as_ref(), base)?;
    let is_known = folder.is_some() || options.stdin || ticket.is_some();
    let always = match is_known {
        true => super::reviewers::always_on().map(str::to_owned).collect(),
        false => options.expected.clone(),
    };
    let input = MergeInput {
        options,
        context: &context,
        places: &places::place_check(repository.as_ref(), folder.as_ref(), base, &changed)?,
        changed: &changed,
        always,
        folder: folder.as_ref(),
        before: begun.and_then(|folder| answer::stored(folder).ok()),
    };
    let coverage = known_coverage(options, &context, folder.as_ref(), ticket.as_ref())?;
    let unreadable =
        |source: &ReplySource| source.reply.is_err().then(|| (source.round, source.name.clone()));
    let unread: Vec<(u32, Option<String>)> = sources.iter().filter_map(unreadable).collect();
    let (mut answer, kept, ids) = merge(input, sources, coverage)?;
    context.ids = ids.0;

    let mut seal = folder.as_ref().map(RunFolder::seal).transpose()?;
    if let Some((folder, seal)) = begun.zip(seal.as_mut()) {
        seal.merged(folder, &unread)?;
    }
    let is_asked = is_known || !options.expected.is_empty();
    add_obstacles(&mut answer, &context, folder.as_ref(), ticket.as_ref(), is_asked)?;
    let evidence = match &folder {
        Some(folder) => ShownEvidence::load(folder, environment)?,
        None => None,
    };
    let shown = match (&folder, &seal, &ticket, &repository) {
        (Some(folder), Some(seal), ..) => ShownRecord::Run(folder, seal),
        (_, _, Some(ticket), Some(repository)) => ShownRecord::Ticket(ticket, repository),
        _ => ShownRecord::Unknown,
    };
    let scope = compare_shown(&mut answer, evidence.as_ref(), shown)?;
    answer.verdict_default = answer.verdict_default.at_most(answer.obstacles.is_empty());
    if let Some((folder, seal)) = folder.as_ref().zip(seal) {
        folder.store(&answer, &kept, (context::NAME, &context), seal)?;
        if fix::is_automatic(folder.record.mode) {
            fix::write(folder, &answer, None, evidence.as_ref())?;
        }
    }
    Ok(Delivery::from_answer(&answer).text(render::text_report(&answer, scope)))
}

/// The run in `folder`, if this call may merge into it.
fn open_run(options: &Options, environment: &Environment, folder: &Path) -> Result<RunFolder, CallFailure> {
    let run = RunFolder::open(environment, folder)?;
    run.must_be_open()?;
    run.must_be_here(environment)?;
    must_not_rebind(options, &run)?;
    Ok(run)
}

/// What is known of the coverage before any reply is read.
fn known_coverage(
    options: &Options,
    context: &MergeContext,
    folder: Option<&RunFolder>,
    ticket: Option<&ReviewTicket>,
) -> Result<Coverage, CallFailure> {
    let mut ignored = context.ignored.clone();
    if let Some(folder) = folder.filter(|folder| folder.record.flags.begun) {
        ignored.extend(sources::hidden_files(folder)?);
    }
    let (untracked, media) = match (ticket, options.untracked.is_empty()) {
        (Some(ticket), _) => (Vec::new(), ticket.media.clone()),
        (None, true) => (names(folder, "untracked")?, names(folder, "media")?),
        (None, false) => (options.untracked.clone(), names(folder, "media")?),
    };
    Ok(Coverage { ignored, untracked, media, ..Coverage::default() })
}

/// Adds the obstacles from what was announced, and from what nobody read or compared.
fn add_obstacles(
    answer: &mut Response,
    context: &MergeContext,
    folder: Option<&RunFolder>,
    ticket: Option<&ReviewTicket>,
    is_asked: bool,
) -> Result<(), CallFailure> {
    let not_shown = match ticket {
        Some(ticket) => ticket.not_shown.clone(),
        None => names(folder, "not_shown")?,
    };
    let named = match (folder, ticket) {
        (Some(folder), _) => AnnouncedReview::from(&folder.record),
        (None, Some(ticket)) => AnnouncedReview::from(ticket),
        (None, None) => AnnouncedReview::default(),
    };
    answer.coverage.notes = named.notes.to_vec();
    let facts = MergeFacts {
        named,
        not_shown: &not_shown,
        compared: context.unmet.is_some(),
        unread_context: &context.unread,
        is_asked,
    };
    answer.obstacles = obstacles::merge_obstacles(&answer.coverage, facts);
    Ok(())
}

/// Where it is recorded what the reviewers were shown.
enum ShownRecord<'a> {
    Run(&'a RunFolder, &'a RunSeal),
    Ticket(&'a ReviewTicket, &'a Repository),
    Unknown,
}

/// Adds the obstacles from what changed since it was shown. Returns what a review by a ticket looked at.
fn compare_shown(
    answer: &mut Response,
    evidence: Option<&ShownEvidence>,
    shown: ShownRecord<'_>,
) -> Result<String, CallFailure> {
    match shown {
        ShownRecord::Run(folder, seal) => {
            answer.obstacles.extend(obstacles::run_obstacles(folder, seal, evidence)?);
        }
        ShownRecord::Ticket(ticket, repository) => {
            let (changed, now) = ticket.changes(repository)?;
            answer.obstacles.extend(changed);
            let scope = ticket.scope_line(&now);
            answer.coverage.untracked.extend(now.untracked);
            return Ok(scope);
        }
        ShownRecord::Unknown => answer.obstacles.push(obstacles::NO_TICKET.to_owned()),
    }
    Ok(String::new())
}

/// Refuses options that a run of `review begin` has already fixed.
fn must_not_rebind(options: &Options, folder: &RunFolder) -> Result<(), CallFailure> {
    let fixed = options.policy.is_some() || !options.protect.is_empty() || !options.files.is_empty();
    if !(folder.record.flags.begun && fixed) {
        return Ok(());
    }
    let message = "a run of `review begin` has its own replies, gate and protected folders";
    let hint = "leave out `--policy`, `--protect` and the files";
    Err(CallFailure::new(CONTENDED, ErrorCode::Bound, message, hint))
}

/// The replies, and the context from the caller.
fn read(
    options: &Options,
    environment: &Environment,
    begun: Option<&RunFolder>,
    mark: Option<&str>,
    terms: ReplyTerms<'_>,
) -> Result<(Vec<ReplySource>, MergeContext), CallFailure> {
    let joins = options.join.iter().map(|ids| ids.split(',').map(|id| id.trim().to_owned()).collect());
    let context = MergeContext {
        uncertain_intent: options.uncertain_intent.clone(),
        unmet: (!options.unmet.is_empty()).then(|| options.unmet.clone()),
        joins: joins.collect(),
        ..MergeContext::default()
    };
    match begun {
        Some(folder) => {
            let context_input = match options.stdin {
                true => MergeContext::parse(&environment.input_text()?),
                false => MergeContext::from_folder(folder),
            };
            Ok((sources::read_run(folder, terms)?, context.merged_with(context_input)))
        }
        None if options.stdin => {
            let (sources, context_input) = sources::read_sections(&environment.input_text()?, mark, terms)?;
            Ok((sources, context.merged_with(context_input)))
        }
        None => Ok((sources::read_files(options, environment, terms)?, context)),
    }
}

/// Names that `review scope` recorded.
fn names(folder: Option<&RunFolder>, key: &str) -> Result<Vec<String>, CallFailure> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let scope = folder.document::<Value>("scope.json")?.unwrap_or_default();
    let names = scope["scope"][key].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
}
