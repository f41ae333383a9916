//! `feedback dispatch`: which units of work agents get, and which units may run at the same time. Resolved threads are
//! never dispatched, and after two rounds the user decides.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::gates::TriagedFeedback;
use super::items::{FeedbackItem, ResolvedThread, id_set};
use super::outcome::FeedbackOutcome;
use super::record::{FeedbackRun, ROUNDS};
use super::unit::DispatchedUnit;
use super::{brief, cluster};
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;

options! {
    /// Plan which agents run together
    ///
    /// A unit is a cluster, or one new item. Up to four units run at the same time, and never two that share a
    /// file; units without a file do not run together. Writes one file per unit for its agent, and records what
    /// was dispatched: a unit is not dispatched again once it has a reply. After two rounds the answer is
    /// `escalate`, with what was tried.
    ///
    /// Exit codes: 0 answered, `nothing` and `escalate` included; 2 wrong call; 3 state that this machine's
    /// helper did not write; 4 nothing was fetched, or a malformed document; 5 a file cannot be written, or git
    /// failed; 6 the run has ended or is bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// The folder of the run
        run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run feedback dispatch --run DIR"]
}

/// The answer of `feedback dispatch`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether there is anything to do.
    pub status: FeedbackDispatch,
    /// The round, from 1.
    pub round: u32,
    /// The units that run at the same time, wave by wave.
    pub waves: Vec<Vec<FeedbackUnit>>,
    /// With `escalate`: the items that are left, which the user has to decide.
    pub left: Vec<String>,
    /// With `escalate`: what was tried.
    pub tried: Vec<FeedbackOutcome>,
}

/// Whether there is anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackDispatch {
    /// There are units.
    Ok,
    /// No item is new.
    Nothing,
    /// Two rounds did not settle it.
    Escalate,
}

/// A unit of work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FeedbackUnit {
    /// Its name.
    pub unit: String,
    /// Whether it is a cluster.
    pub is_cluster: bool,
    /// Its items.
    pub items: Vec<String>,
    /// The files that its agent may change.
    pub files: Vec<String>,
    /// The file for its agent, absolute.
    pub task: String,
    /// The file for the agent's whole reply, absolute.
    pub reply: String,
}

/// How many units run at the same time.
const TOGETHER: usize = 4;

/// Runs the command.
///
/// # Errors
/// As `feedback gates`, and those of writing to the store.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let load = || TriagedFeedback::load(environment, (Some(&options.run), None, None), None);
    let first = load()?;
    // Two calls at the same moment must not dispatch one item twice. Without anything to dispatch, nothing is written.
    let store = first.run.as_ref().filter(|_| !first.items.new.is_empty()).map(|run| run.store.clone());
    let held = store.as_ref().map(|store| store.lock()).transpose()?;
    let mut feedback = match held {
        Some(_) => {
            drop(first);
            load()?
        }
        None => first,
    };
    let Some(mut run) = feedback.run.take() else { return Err(CallFailure::usage("no run")) };
    let round = run.record.round;
    let mut response = Response {
        status: FeedbackDispatch::Nothing,
        round,
        waves: Vec::new(),
        left: Vec::new(),
        tried: Vec::new(),
    };
    let new = std::mem::take(&mut feedback.items.new);
    let Some(held) = held.filter(|_| !new.is_empty()) else { return Ok(Delivery::from_answer(&response)) };
    if round > ROUNDS {
        (response.status, response.left) = (FeedbackDispatch::Escalate, new);
        response.tried = run.record.outcomes;
        return Ok(Delivery::from_answer(&response));
    }
    response.status = FeedbackDispatch::Ok;
    add_units(&mut run, &feedback, &new);
    let (fetched, is_new) = (&feedback.fetched, id_set(new.iter()));
    let written = run.store.list(&run.path.join("units"))?;
    let written = id_set(written.iter().map(|(name, _)| name));
    let mut plan = UnitWaves::default();
    for unit in run.record.units.iter().filter(|unit| unit.round == round) {
        let items: Vec<String> = unit.items.iter().filter(|id| is_new.contains_key(*id)).cloned().collect();
        if items.is_empty() {
            continue;
        }
        let path = |folder: &str, end: &str| run.path.join(folder).join(format!("{}{end}", unit.name));
        let found = || items.iter().filter_map(|id| feedback.places.item(fetched, id));
        let clusters = if unit.is_cluster { cluster::find(&feedback, &items).0 } else { Vec::new() };
        let brief = clusters.first().map_or("", |cluster| &cluster.brief);
        let task = path("units", ".xml");
        let text = brief::unit(&unit.name, &fetched.url, brief, found());
        // Not in the journal: a call that is made again writes what is missing. An agent may be reading the file.
        if written.contains_key(&format!("{}.xml", unit.name)) {
            if run.store.bytes(&task)?.as_deref() != Some(text.as_bytes()) {
                held.replace(&task, text.as_bytes())?;
            }
        } else {
            let filled = run.store.create_file(&task)?.fill(text.as_bytes());
            filled.map_err(|error| run.store.unwritable(&error))?;
        }
        plan.add(FeedbackUnit {
            unit: unit.name.clone(),
            is_cluster: unit.is_cluster,
            files: cluster::distinct(found().filter_map(|item| item.path.clone()).collect()),
            task: task.display().to_string(),
            reply: path("replies", ".txt").display().to_string(),
            items,
        });
    }
    response.waves = plan.waves;
    run.write(&held, Vec::new())?;
    Ok(Delivery::from_answer(&response))
}

/// Records a unit for every new item that has none in this round, clusters first.
fn add_units(run: &mut FeedbackRun, feedback: &TriagedFeedback, new: &[String]) {
    let record = &mut run.record;
    let round = record.round;
    let units: Vec<&DispatchedUnit> = record.units.iter().filter(|unit| unit.round == round).collect();
    let (known, count) = (id_set(units.iter().flat_map(|unit| &unit.items)), units.len());
    let fresh: Vec<String> = new.iter().filter(|id| !known.contains_key(*id)).cloned().collect();
    let (clusters, individual) = cluster::find(feedback, &fresh);
    let ids = |threads: Vec<ResolvedThread>| threads.into_iter().map(|thread| thread.thread_id).collect();
    let clusters =
        clusters.into_iter().map(|cluster| (true, cluster.threads, ids(cluster.prior_resolutions)));
    let individual = individual.into_iter().map(|id| (false, vec![id], Vec::new()));
    for (at, (is_cluster, items, priors)) in clusters.chain(individual).enumerate() {
        let name = format!("r{round}-u{}", count + at + 1);
        let found = items.iter().filter_map(|id| feedback.places.item(&feedback.fetched, id));
        let read = found.map(FeedbackItem::fingerprints).collect();
        record.units.push(DispatchedUnit { name, round, is_cluster, items, read, priors });
    }
}

/// The waves so far, with the last wave that changes each file.
#[derive(Default)]
struct UnitWaves {
    waves: Vec<Vec<FeedbackUnit>>,
    last: Map<String, Value>,
}

impl UnitWaves {
    /// Adds a unit to the first wave with room behind those that share a file.
    fn add(&mut self, unit: FeedbackUnit) {
        // Units whose files are unknown share one.
        let files = if unit.files.is_empty() { vec![String::new()] } else { unit.files.clone() };
        let last = files.iter().filter_map(|file| self.last.get(file)?.as_u64()).max();
        let mut at = last.and_then(|last| usize::try_from(last).ok()).map_or(0, |last| last + 1);
        while self.waves.get(at).is_some_and(|wave| wave.len() >= TOGETHER) {
            at += 1;
        }
        if at == self.waves.len() {
            self.waves.push(Vec::new());
        }
        self.last.extend(files.into_iter().map(|file| (file, at.into())));
        self.waves[at].push(unit);
    }
}
