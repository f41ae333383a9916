//! `polish envelope`: the result of a polish, in lines that another program can read; and the end of its run.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::earlier_runs::CHECKLIST;
use super::gate::review_path;
use super::record::{PolishEnding, PolishRecord, PolishRun, SUMMARY};
use super::seed::file_name;
use super::seed::replan::{self, Escalation, EscalationState};
use super::tally::Tally;
use super::{END, refusal};
use crate::printable::line;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, INTERRUPTED, REFUSED, ShownText};
use crate::runtime::command_line::{choices, options};
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::hosts;
use crate::runtime::launch::LaunchMode;
use crate::runtime::polish::checklist::{self, ItemAction};
use crate::runtime::server::record::Server;
use crate::runtime::store::StoreStep;

options! {
    /// Print the result of a polish, and end its run
    ///
    /// `--format text` prints the envelope. If the work needs a plan, the handover is written. A headless run with a
    /// checklist only releases its working tree: a user may continue it.
    ///
    /// Exit codes: 0 printed; 2 wrong call; 3 `polish gate` has not passed, a user is needed, who can be asked in an
    /// interactive run, or state that this machine's helper did not write; 4 a malformed checklist or document of the
    /// helper; 5 the checklist is gone, it cannot be written, or git failed; 6 a dispatched item has no result yet, or
    /// the run ended or is bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
        /// The host opened the address
        opened: bool = "--opened",
        /// What only a user can decide: a headless polish fails
        needs_human: Option<HumanInput> = "--needs-human <CODE>",
    }
    examples: ["plugcast-run polish envelope --run DIR --format text", "plugcast-run polish envelope --run DIR --needs-human which_config --format text"]
}

choices! {
    /// What only a user can decide.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum HumanInput {
        /// Which configuration starts the project
        WhichConfig = "which_config",
        /// Which kind of project it is
        ProjectType = "project_type",
        /// How the project is started
        StartCommand = "start_command",
        /// Whether the process on the port may be ended
        KillConfirmation = "kill_confirmation",
        /// Whether the server may listen on all addresses
        PublicHost = "public_host",
    }
}

impl HumanInput {
    /// The failure with its hint.
    fn failure(self) -> CallFailure {
        let (code, hint) = match self {
            Self::WhichConfig => (ErrorCode::WhichConfig, "leave one configuration in `.claude/launch.json`"),
            Self::ProjectType => (ErrorCode::ProjectType, "write the command into `.claude/launch.json`"),
            Self::StartCommand => (ErrorCode::StartCommand, "write the command into `.claude/launch.json`"),
            Self::KillConfirmation => {
                (ErrorCode::KillConfirmation, "free the port, or begin again with `allow-port-kill:1`")
            }
            Self::PublicHost => {
                (ErrorCode::PublicHost, "let the server listen on 127.0.0.1 in `.claude/launch.json`")
            }
        };
        refusal(code, format!("human input required ({code})"), hint)
    }
}

/// The answer of `polish envelope`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether everything was done.
    pub status: EnvelopeStatus,
    /// The number of items by result.
    pub items: Tally,
    /// The seeds of items that are `stacked`.
    pub stacked: Vec<String>,
    /// The seed for planning the work again, if it needs a plan.
    pub replan_seed: Option<String>,
    /// Whether the work should be planned again.
    pub escalation: Escalation,
    /// Whether the user wants to rethink it from the start.
    #[serde(skip)]
    is_rethought: bool,
    /// The envelope, absolute.
    pub path: String,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
    /// The envelope.
    pub text: String,
}

/// Whether everything was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnvelopeStatus {
    /// Everything that was asked for.
    Complete,
    /// Items that were to be repaired were not dispatched.
    Partial,
}

/// Runs the command.
///
/// # Errors
/// `open_items`, the code of what only a user can decide, every fault of the checklist, and what the store refuses.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (run, tree) = PolishRun::open_here(environment, &options.run)?;
    if let Some(need) = options.needs_human {
        if run.record.mode == LaunchMode::Interactive {
            let message = "only a headless polish ends for want of a user".to_owned();
            return Err(refusal(
                ErrorCode::Interactive,
                message,
                "ask the user, and continue; or stop with `polish cancel`",
            ));
        }
        close(&run, environment, PolishEnding::Abandoned, Vec::new())?;
        return Err(need.failure());
    }
    run.must_have_passed(&tree)?;
    finish(&run, &tree, EnvelopeStatus::Complete, options.opened)
}

/// Writes the envelope and ends the run.
pub(super) fn finish(
    run: &PolishRun,
    tree: &Repository,
    status: EnvelopeStatus,
    opened: bool,
) -> Result<Delivery, CallFailure> {
    let mut warnings = Vec::new();
    let standing = match EscalationState::load(run, tree) {
        // Only state that another program wrote may prevent the end of a run.
        Err(failure)
            if status == EnvelopeStatus::Partial && !matches!(failure.exit, REFUSED | INTERRUPTED) =>
        {
            let at = failure.error.line.map_or_else(String::new, |at| format!(" (line {at})"));
            warnings.push(format!("the checklist counts as it was written: {}{at}", failure.error.message));
            EscalationState::without_checklist()
        }
        standing => standing?,
    };
    let items = standing.items.as_deref().unwrap_or_default();
    let tally = if warnings.is_empty() {
        let here: Vec<u32> = items.iter().map(|item| item.id).collect();
        Tally::new(items).with_removed(checklist::removed_repairs(run, &here)?)
    } else {
        checklist::tally(run)?
    };
    // An item that was never dispatched, because another is to be planned again or the user is done, counts as not
    // dispatched.
    let open = items.iter().filter(|item| item.is_out && item.action == ItemAction::Fix);
    let open: Vec<String> = open.map(|item| item.id.to_string()).collect();
    if !open.is_empty() && status == EnvelopeStatus::Complete {
        let message = format!("items are dispatched and have no result: {}", open.join(", "));
        let hint = "write their results with `polish checklist rewrite`, or stop with `polish cancel`";
        return Err(CallFailure::new(CONTENDED, ErrorCode::OpenItems, message, hint));
    }
    let stacked = items.iter().filter(|item| item.action == ItemAction::Stacked);
    let numbers = stacked.filter_map(|item| run.record.seeds.iter().position(|id| *id == item.id));
    let inside = |name: &str| run.path.join(name).display().to_string();
    let plan = replan::plan_path(tree, &run.record);
    let seed = replan::seed_step(run, &standing, plan.as_deref());
    // If the checklist cannot be read, an earlier seed counts.
    let has_seed = seed.is_some() || !warnings.is_empty() && run.record.replan;
    let mut response = Response {
        status,
        items: tally,
        stacked: numbers.map(|at| inside(&file_name(at + 1))).collect(),
        replan_seed: has_seed.then(|| inside(replan::SEED)),
        escalation: standing.escalation(),
        is_rethought: standing.is_rethought(),
        path: inside(SUMMARY),
        warnings,
        text: String::new(),
    };
    let environment = tree.environment();
    let host = if opened { hosts::detect(environment) } else { None };
    let review = match review_path(tree, run, environment.root()) {
        Err(failure) if status == EnvelopeStatus::Partial && failure.exit != INTERRUPTED => None,
        review => review?,
    };
    let host = host.map(|host| host.id);
    let server = match status {
        EnvelopeStatus::Complete => server(run)?,
        // Nothing may prevent the end of a run.
        EnvelopeStatus::Partial => server(run).unwrap_or_default(),
    };
    let around = (review.as_deref(), host.as_deref(), server.as_deref());
    response.text = print(run, &response, around, plan.as_deref());
    let summary = StoreStep::Write { path: run.folder().relative(SUMMARY), text: response.text.clone() };
    let ending =
        if status == EnvelopeStatus::Complete { PolishEnding::Complete } else { PolishEnding::Cancelled };
    close(run, environment, ending, seed.into_iter().chain([summary]).collect())?;
    let text = response.text.clone();
    Ok(Delivery::from_answer(&response).text(text))
}

/// Ends a run whose working tree is gone or cannot be read, and why.
pub(super) fn end_without_tree(
    run: &PolishRun,
    environment: &Environment,
    why: &CallFailure,
) -> Result<Delivery, CallFailure> {
    let inside = |name: &str| run.path.join(name).display().to_string();
    let items = checklist::unmeasured(run)?;
    let tally = match &items {
        Some(items) => {
            let here: Vec<u32> = items.iter().map(|item| item.id).collect();
            Tally::count(items.iter().map(|item| (item.action, item.result, item.is_out)))
                .with_removed(checklist::removed_repairs(run, &here)?)
        }
        None => checklist::tally(run)?,
    };
    let how = match (&items, tally.total) {
        (Some(_), _) => ": the items of the checklist were not measured again",
        (None, 0) => "",
        (None, _) => ": the checklist counts as it was written",
    };
    let seeds = run.record.seeds.iter().enumerate();
    let is_stacked =
        |id: u32| items.iter().flatten().all(|item| item.id != id || item.action == ItemAction::Stacked);
    let has_seed = run.record.replan;
    let mut response = Response {
        status: EnvelopeStatus::Partial,
        stacked: seeds.filter(|(_, id)| is_stacked(**id)).map(|(at, _)| inside(&file_name(at + 1))).collect(),
        replan_seed: has_seed.then(|| inside(replan::SEED)),
        escalation: match tally.replan {
            0 if has_seed => Escalation::Suggested,
            0 => Escalation::None,
            _ => Escalation::Required,
        },
        items: tally,
        is_rethought: false,
        path: inside(SUMMARY),
        warnings: vec![match why.error.code {
            ErrorCode::NoFolder => {
                format!("the working tree `{}` no longer exists{how}", line(&run.record.tree))
            }
            _ => format!("the working tree was not read ({}){how}", why.error.message),
        }],
        text: String::new(),
    };
    response.text = print(run, &response, (None, None, server(run).unwrap_or_default().as_deref()), None);
    let summary = StoreStep::Write { path: run.folder().relative(SUMMARY), text: response.text.clone() };
    close(run, environment, PolishEnding::Cancelled, vec![summary])?;
    let text = response.text.clone();
    Ok(Delivery::from_answer(&response).text(text))
}

/// Ends the run. A headless one with a checklist only releases its working tree, so that a user can continue it.
fn close(
    run: &PolishRun,
    environment: &Environment,
    ending: PolishEnding,
    mut steps: Vec<StoreStep>,
) -> Result<(), CallFailure> {
    let waits = run.record.mode == LaunchMode::Headless && run.store.has_file(&run.path.join(CHECKLIST))?;
    if ending == PolishEnding::Cancelled || !waits {
        return run.end(environment, ending, steps);
    }
    let held = run.store.lock()?;
    steps.extend(run.folder().release(&run.record.tree)?);
    held.commit(steps)
}

/// A description of the server that keeps running for the user.
fn server(run: &PolishRun) -> Result<Option<String>, CallFailure> {
    Ok(Server::load(run)?.filter(Server::is_alive).map(|server| server.words()))
}

/// A description of what is polished.
fn scope(record: &PolishRecord) -> String {
    let branch = record.branch.as_deref().unwrap_or(&record.head_sha);
    let request = record.pr.as_ref().map(|pr| format!(" (pull request {})", pr.number));
    format!("{branch} against {}{}", record.base_branch, request.unwrap_or_default())
}

fn print(
    run: &PolishRun,
    response: &Response,
    (review, host, server): (Option<&str>, Option<&str>, Option<&str>),
    plan: Option<&str>,
) -> String {
    let record = &run.record;
    let is_headless = record.mode == LaunchMode::Headless;
    let how = if is_headless { " (headless mode)" } else { "" };
    let what = if response.status == EnvelopeStatus::Complete { "complete" } else { "cancelled" };
    let or_none = |text: Option<&str>| line(text.unwrap_or("none")).into_owned();
    let stacked = response.stacked.join(", ");
    let fields = [
        ("Scope", line(&scope(record)).into_owned()),
        ("Review artifact", or_none(review)),
        ("Dev server", or_none(server)),
        ("IDE browser", host.map_or_else(|| "none".to_owned(), |host| format!("opened-in:{host}"))),
        ("Checklist items", response.items.words()),
        ("Stacked PRs", or_none(Some(&*stacked).filter(|stacked| !stacked.is_empty()))),
        ("Replan seed", or_none(response.replan_seed.as_deref())),
        ("Escalation", response.escalation.word().to_owned()),
        ("Artifact", or_none(Some(&run.path.display().to_string()))),
    ];
    let mut out = format!("Polish {what}{how}.\n");
    for (name, value) in fields {
        out += &format!("{name}: {value}\n");
    }
    if !is_headless {
        out += &format!("Next: {}\n", next_step(response, plan));
    }
    out + END + "\n"
}

/// The next step for the user.
fn next_step(response: &Response, plan: Option<&str>) -> String {
    if response.is_rethought {
        return "rethink it with `refine:ideate`, from the replan seed".to_owned();
    }
    let plan = plan.map_or_else(String::new, |plan| format!(" {}", line(plan)));
    match response.escalation {
        Escalation::Required => {
            format!("plan it again with `refine:review-plan{plan}`, from the replan seed")
        }
        Escalation::Suggested => {
            format!("merge it, or plan it again with `refine:review-plan{plan}`, from the replan seed")
        }
        Escalation::None
            if response.status == EnvelopeStatus::Partial && response.items.not_dispatched == 0 =>
        {
            "begin another polish, or merge it".to_owned()
        }
        Escalation::None if response.status == EnvelopeStatus::Partial => {
            "begin another polish for what was not dispatched, or merge it".to_owned()
        }
        Escalation::None if !response.stacked.is_empty() => {
            "open the seeds as separate pull requests, and merge this one".to_owned()
        }
        Escalation::None if response.items.fixed > 0 => {
            "commit the repairs that are not committed yet, and merge it".to_owned()
        }
        Escalation::None => "merge it".to_owned(),
    }
}
