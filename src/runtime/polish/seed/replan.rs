//! `polish seed replan`: the handover if a polish turns out to need a plan, and the user's answer.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{file_name, front_matter, or_null};
use crate::printable::line;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::{choices, options};
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::launch::LaunchMode;
use crate::runtime::polish::checklist::parse::{self, ChecklistItem};
use crate::runtime::polish::checklist::{self, ItemAction, ItemOutcome};
use crate::runtime::polish::record::{PolishRecord, PolishRun};
use crate::runtime::polish::refusal;
use crate::runtime::repo::size::{ItemStatus, Thresholds};
use crate::runtime::review::scope::plan;
use crate::runtime::run::{RECORD, text};
use crate::runtime::store::StoreStep;

/// The file of the handover.
pub(in crate::runtime::polish) const SEED: &str = "replan-seed.md";
const ESCALATION: &str = "escalation.json";
const SCHEMA: &str = "plugcast.polish-escalation/1";

options! {
    /// Check whether the work needs a plan, and write the handover
    ///
    /// It does if an item is `replan`, if more than half of the items are too large, and if the whole change is too
    /// large. If the answer is `ask`, ask the user and pass `--answer`; it holds while none of this changes, and an
    /// answer that was given before there was a checklist holds with any checklist.
    ///
    /// Exit codes: 0 answered; 2 wrong call; 3 an answer in a headless run, or state that this machine's helper did
    /// not write; 4 a malformed checklist or document of the helper; 5 the checklist is gone, it cannot be written, or
    /// git failed; 6 the run ended or is bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
        /// What the user said
        answer: Option<ReplanReply> = "--answer <ANSWER>",
    }
    examples: ["plugcast-run polish seed replan --run DIR", "plugcast-run polish seed replan --run DIR --answer continue"]
}

choices! {
    /// The user's answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum ReplanReply {
        /// Continue with what is small enough
        Continue = "continue",
        /// Plan it again
        Replan = "replan",
        /// Think about it from the start
        Rethink = "rethink",
    }
}

/// The answer of `polish seed replan`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether there is a seed.
    pub status: ReplanStatus,
    /// Why the work needs a plan.
    pub trigger: Option<EscalationTrigger>,
    /// The numbers that led to this.
    pub totals: EscalationTotals,
    /// The seed, absolute.
    pub path: Option<String>,
    /// Whether to ask the user.
    pub ask: bool,
    /// The user's answer.
    pub answer: Option<ReplanReply>,
    /// What follows.
    pub escalation: Escalation,
}

/// Whether there is a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplanStatus {
    /// The seed was written.
    Written,
    /// No plan is needed.
    None,
}

/// Why the work needs a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EscalationTrigger {
    /// More than half of the items are too large.
    MajorityOversized,
    /// An item is to be planned again.
    ReplanActions,
    /// The whole change is too large.
    BatchDiffPreemptive,
}

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Escalation {
    /// Nothing.
    #[serde(rename = "none")]
    None,
    /// A plan would be better.
    #[serde(rename = "replan-suggested")]
    Suggested,
    /// It must be planned.
    #[serde(rename = "replan-required")]
    Required,
}

impl Escalation {
    /// The word for it in the envelope.
    pub(in crate::runtime::polish) fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Suggested => "replan-suggested",
            Self::Required => "replan-required",
        }
    }
}

/// The numbers that led to this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EscalationTotals {
    /// Files that changed.
    pub files: u64,
    /// Lines that changed.
    pub lines: u64,
    /// Items.
    pub items: usize,
    /// Items that are too large.
    pub oversized: usize,
    /// Items to plan again.
    pub replans: usize,
}

/// `escalation.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEscalation {
    schema: String,
    trigger: EscalationTrigger,
    totals: EscalationTotals,
    answer: ReplanReply,
}

/// Whether a polish needs a plan.
pub(in crate::runtime::polish) struct EscalationState {
    /// The items; none if there is no checklist.
    pub items: Option<Vec<ChecklistItem>>,
    totals: EscalationTotals,
    trigger: Option<EscalationTrigger>,
    answer: Option<ReplanReply>,
}

impl EscalationState {
    /// Loads the state of a run from its current checklist.
    pub fn load(run: &PolishRun, tree: &Repository) -> Result<Self, CallFailure> {
        let items = match parse::read(run, tree) {
            Ok((checklist, _)) => Some(checklist.items),
            // If a checklist was written and then removed, its items still count.
            Err(failure)
                if failure.error.code == ErrorCode::NoChecklist && checklist::tally(run)?.total == 0 =>
            {
                None
            }
            Err(failure) => return Err(failure),
        };
        let (thresholds, changed) = (Thresholds::read(tree)?, run.record.changes(tree, &mut Vec::new())?);
        let count = |is: &dyn Fn(&&ChecklistItem) -> bool| items.iter().flatten().filter(is).count();
        let totals = EscalationTotals {
            files: changed.files(),
            lines: changed.lines(),
            items: items.as_ref().map_or(0, Vec::len),
            oversized: count(&|item| item.status == ItemStatus::Oversized),
            replans: count(&|item| item.action == ItemAction::Replan),
        };
        let is_large = totals.files > thresholds.batch_files || totals.lines > thresholds.batch_lines;
        let trigger = match &items {
            Some(_) if totals.replans > 0 => Some(EscalationTrigger::ReplanActions),
            Some(_) if totals.oversized * 2 > totals.items => Some(EscalationTrigger::MajorityOversized),
            _ => is_large.then_some(EscalationTrigger::BatchDiffPreemptive),
        };
        let stored = run.folder().sealed::<StoredEscalation>(ESCALATION)?;
        let holds = |stored: &StoredEscalation| {
            // Items of a checklist written after the answer do not change the decision.
            let is_before = trigger == Some(EscalationTrigger::BatchDiffPreemptive) && items.is_some();
            Some(stored.trigger) == trigger && (is_before || stored.totals == totals)
        };
        let answer = stored.filter(holds).map(|stored| stored.answer);
        Ok(Self { items, totals, trigger, answer })
    }

    /// The state of a run whose checklist cannot be read.
    pub fn without_checklist() -> Self {
        let totals = EscalationTotals { files: 0, lines: 0, items: 0, oversized: 0, replans: 0 };
        Self { items: None, totals, trigger: None, answer: None }
    }

    /// Whether the user wants to rethink it from the start.
    pub fn is_rethought(&self) -> bool {
        self.trigger.is_some() && self.answer == Some(ReplanReply::Rethink)
    }

    /// What follows.
    pub fn escalation(&self) -> Escalation {
        let is_halted = matches!(self.answer, Some(ReplanReply::Replan | ReplanReply::Rethink));
        match self.trigger {
            None => Escalation::None,
            Some(EscalationTrigger::ReplanActions) => Escalation::Required,
            Some(_) if is_halted => Escalation::Required,
            Some(_) => Escalation::Suggested,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// `headless`, every fault of the checklist, and what the store refuses.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (mut run, tree) = PolishRun::open_here(environment, &options.run)?;
    if options.answer.is_some() && run.record.mode == LaunchMode::Headless {
        let message = "no user can have answered: the run is headless".to_owned();
        return Err(refusal(
            ErrorCode::Headless,
            message,
            "leave `--answer` out: the envelope suggests a plan",
        ));
    }
    let mut standing = EscalationState::load(&run, &tree)?;
    let Some(trigger) = standing.trigger else {
        return Ok(Delivery::from_answer(&response(&run, &standing, ReplanStatus::None)));
    };
    let folder = run.path.clone();
    run.record.replan = true;
    let mut documents = vec![(RECORD, text(&run.record))];
    if let Some(answer) = options.answer {
        standing.answer = Some(answer);
        let stored = StoredEscalation { schema: SCHEMA.to_owned(), trigger, totals: standing.totals, answer };
        documents.push((ESCALATION, text(&stored)));
    }
    let seed = seed_step(&run, &standing, plan_path(&tree, &run.record).as_deref());
    let held = run.store.lock()?;
    let own = run.folder();
    let mut steps = own.seal()?.steps(&own, documents)?;
    steps.extend(seed);
    held.commit(steps)?;
    let mut response = response(&run, &standing, ReplanStatus::Written);
    response.path = Some(folder.join(SEED).display().to_string());
    Ok(Delivery::from_answer(&response))
}

fn response(run: &PolishRun, standing: &EscalationState, status: ReplanStatus) -> Response {
    let EscalationState { totals, trigger, answer, .. } = *standing;
    let is_asked =
        trigger.is_some_and(|trigger| trigger != EscalationTrigger::ReplanActions) && answer.is_none();
    Response {
        status,
        trigger,
        totals,
        path: None,
        ask: is_asked && run.record.mode == LaunchMode::Interactive,
        answer,
        escalation: standing.escalation(),
    }
}

/// The step that writes the handover; none if no plan is needed.
pub(in crate::runtime::polish) fn seed_step(
    run: &PolishRun,
    standing: &EscalationState,
    plan: Option<&str>,
) -> Option<StoreStep> {
    let text = print(&run.record, standing, standing.trigger?, plan);
    Some(StoreStep::Write { path: run.folder().relative(SEED), text })
}

/// The plan that the work follows, if there is one.
pub(in crate::runtime::polish) fn plan_path(tree: &Repository, record: &PolishRecord) -> Option<String> {
    let (request, branch) = (record.pr.as_ref(), record.branch.as_deref());
    let found = plan::find(tree, record.plan.as_deref(), request, (branch, &[]), &mut Vec::new());
    let newest = || plan::branch_plans(tree, branch.filter(|_| record.plan.is_none())).pop();
    found.plan.map(|plan| plan.path).or_else(newest)
}

fn print(
    record: &PolishRecord,
    standing: &EscalationState,
    trigger: EscalationTrigger,
    plan: Option<&str>,
) -> String {
    let EscalationTotals { files, lines, items, oversized, replans } = standing.totals;
    let mut out = front_matter(&[
        ("source_run", json!(record.run_id)),
        ("source_branch", or_null(record.branch.as_deref())),
        ("source_base", json!(record.base_branch)),
        ("source_head_sha", json!(record.head_sha)),
        ("source_plan", or_null(plan)),
        ("trigger", json!(trigger)),
    ]);
    out += &format!(
        "\n# Plan again\n\n## Totals\n\n- files: {files}\n- changed lines: {lines}\n- items: {items}\n- oversized: {oversized}\n- \
         replan: {replans}\n\n## Checklist\n\n"
    );
    let (mut stacked, mut open) = (String::new(), String::new());
    for item in standing.items.iter().flatten() {
        let title = line(&item.title);
        let (action, status) = (json!(item.action), json!(item.status));
        let (action, status) = (action.as_str().unwrap_or(""), status.as_str().unwrap_or(""));
        out += &format!("- Item {} — {title}: {action}, {status}, {} files\n", item.id, item.files.len());
        if let Some(at) = record.seeds.iter().position(|id| *id == item.id) {
            stacked += &format!("- `{}`: item {} — {title}\n", file_name(at + 1), item.id);
        }
        let is_done = item.result == Some(ItemOutcome::Fixed);
        if matches!(item.action, ItemAction::Fix | ItemAction::Stacked | ItemAction::Replan) && !is_done {
            open += &format!("- Item {} — {title}: {action}\n", item.id);
        }
    }
    if standing.items.is_none() {
        out += "None was written: the whole change is too large for one.\n";
        open += "- All of it: no checklist was written.\n";
    }
    let or_none = |list: String| if list.is_empty() { "none\n".to_owned() } else { list };
    out + &format!("\n## Stacked seeds\n\n{}\n## Not done\n\n{}", or_none(stacked), or_none(open))
}
