//! `feedback gates`: whether clusters are worth looking for. Three new items are enough, and so is one beside threads
//! that were resolved before.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::items::{FetchedFeedback, ItemPlaces};
use super::missing;
use super::record::FeedbackRun;
use super::triage::{FeedbackTriage, TriagedItems};
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::{choices, options};
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;

/// How many new items are enough by themselves.
const VOLUME: usize = 3;

choices! {
    /// When clusters are formed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum GatePolicy {
        /// With three new items, or a new one beside resolved threads
        VolumeOrCross = "volume-or-cross",
        /// With a new item beside resolved threads only
        CrossOnly = "cross-only",
    }
}

options! {
    /// Decide whether to look for clusters
    ///
    /// Two gates: `volume`, three or more new items; `cross_round`, a new item beside resolved threads. Either
    /// one is enough. Resolved threads count only after `cross_round`. What is new is in `triage.json` of
    /// the run: an object with the list `items`, each with `id`, `state` and `category`. An item that it does
    /// not name is new; one whose last comment is ours is not.
    ///
    /// Exit codes: 0 answered; 2 wrong call; 3 state that this machine's helper did not write; 4 nothing was
    /// fetched, or a malformed document; 5 a file cannot be read, or git failed; 6 the run has ended or is
    /// bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// The folder of the run
        run: Option<PathBuf> = "--run <DIR>" { required: true, unless: "--fetched" },
        /// An answer of `feedback fetch`, without a run
        fetched: Option<PathBuf> = "--fetched <FILE>" { conflicts: &["--run"] },
        /// The triage; `-` is standard input
        triage: Option<PathBuf> = "--triage <FILE>",
        /// When clusters are formed; by default the policy of the run
        policy: Option<GatePolicy> = "--policy <POLICY>" { conflicts: &["--run"] },
    }
    examples: ["plugcast-run feedback gates --run DIR"]
}

/// The answer of `feedback gates`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether to look for clusters.
    pub status: ClusterSearch,
    /// The same as a boolean.
    pub run: bool,
    /// The gates that fired.
    pub fired: Vec<FeedbackGate>,
    /// Whether resolved threads take part, as context that is never dispatched.
    pub include_resolved: bool,
    /// The items.
    #[serde(flatten)]
    pub items: TriagedItems,
}

/// Whether to look for clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClusterSearch {
    /// Look for them.
    Run,
    /// Each item stays separate.
    Skip,
}

/// A gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackGate {
    /// Three or more new items.
    Volume,
    /// A new item beside resolved threads.
    CrossRound,
}

/// What was fetched and triaged.
pub(super) struct TriagedFeedback {
    pub(super) run: Option<FeedbackRun>,
    pub(super) fetched: FetchedFeedback,
    pub(super) places: ItemPlaces,
    pub(super) triage: FeedbackTriage,
    pub(super) items: TriagedItems,
    pub(super) fired: Vec<FeedbackGate>,
}

impl TriagedFeedback {
    /// Reads what was fetched and its triage, from a run or from files.
    ///
    /// # Errors
    /// As [`run`].
    pub(super) fn load(
        environment: &Environment,
        (run, file, triage): (Option<&Path>, Option<&Path>, Option<&Path>),
        policy: Option<GatePolicy>,
    ) -> Result<Self, CallFailure> {
        let run = run.map(|run| FeedbackRun::open_here(environment, run)).transpose()?.map(|(run, _)| run);
        let fetched = match (&run, file) {
            (Some(run), _) => run.fetched()?,
            (None, file) => read_file(environment, file.unwrap_or(Path::new("")))?,
        };
        let places = fetched.places();
        let triage = FeedbackTriage::read(triage, run.as_ref(), environment, (&fetched, &places))?;
        let cross = &fetched.cross_invocation;
        if cross.signal && cross.resolved_threads.is_empty() {
            let message = "`signal` is true, and `resolved_threads` is empty".to_owned();
            return Err(missing(ErrorCode::Inconsistent, message, "fetch again"));
        }
        let record = run.as_ref().map(|run| &run.record);
        let items = triage.classify(&fetched, record);
        let policy = record.map(|record| record.policy).or(policy).unwrap_or(GatePolicy::VolumeOrCross);
        let (count, mut fired) = (items.new.len(), Vec::new());
        if fetched.target.is_none() && count > 0 {
            if policy == GatePolicy::VolumeOrCross && count >= VOLUME {
                fired.push(FeedbackGate::Volume);
            }
            if cross.signal {
                fired.push(FeedbackGate::CrossRound);
            }
        }
        Ok(Self { run, fetched, places, triage, items, fired })
    }
}

fn read_file(environment: &Environment, file: &Path) -> Result<FetchedFeedback, CallFailure> {
    let name = file.display().to_string();
    let failure =
        |message: String| CallFailure::environment(ErrorCode::FileUnreadable, message, "check the path");
    let text = document::text(&environment.path(file))?
        .ok_or_else(|| failure(format!("file `{name}` not found")))?;
    let hint = "give an answer of `feedback fetch`";
    let value = serde_json::from_str(&text).map_err(|error| document::no_json(&error, &name, hint))?;
    FetchedFeedback::from_document(&value).ok_or_else(|| {
        missing(ErrorCode::NotFetched, format!("`{name}` is not an answer of `feedback fetch`"), hint)
    })
}

/// Runs the command.
///
/// # Errors
/// `not_fetched`, `inconsistent`, `malformed_triage`, `unknown_item`, `resolved_item`, and those of the store.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let files = (options.run.as_deref(), options.fetched.as_deref(), options.triage.as_deref());
    let TriagedFeedback { items, fired, .. } = TriagedFeedback::load(environment, files, options.policy)?;
    let run = !fired.is_empty();
    Ok(Delivery::from_answer(&Response {
        status: if run { ClusterSearch::Run } else { ClusterSearch::Skip },
        run,
        include_resolved: fired.contains(&FeedbackGate::CrossRound),
        fired,
        items,
    }))
}
