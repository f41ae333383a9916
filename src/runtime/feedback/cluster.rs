//! `feedback cluster`: items of one category in the same file or folder, which may have one cause. Resolved threads are
//! their context.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::brief;
use super::gates::{FeedbackGate, TriagedFeedback};
use super::items::{ResolvedThread, id_set};
use super::triage::TriagedItems;
use crate::order;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;

options! {
    /// Find the items that may have one cause
    ///
    /// A cluster has two or more members of one category in the same file, or in folders of which one contains
    /// the other, and at least one of them is new. The top folder forms no cluster. `brief` describes
    /// a cluster for the agent that repairs it, without the text of any comment. If no gate fires, each item stays
    /// separate.
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
    }
    examples: ["plugcast-run feedback cluster --run DIR"]
}

/// The answer of `feedback cluster`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether there are clusters.
    pub status: ClusterStatus,
    /// The clusters, in the order of their first new items.
    pub clusters: Vec<FeedbackCluster>,
    /// The new items in no cluster.
    pub individual: Vec<String>,
}

/// Whether there are clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClusterStatus {
    /// There are some.
    Ok,
    /// Each item stays separate.
    None,
}

/// Items that may have one cause.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FeedbackCluster {
    /// The category of all members.
    pub category: String,
    /// The folder that contains all of their files.
    pub area: String,
    /// Their files.
    pub files: Vec<String>,
    /// The new items.
    pub threads: Vec<String>,
    /// What the triage names as the common cause.
    pub hypothesis: String,
    /// Resolved threads: context, never dispatched.
    pub prior_resolutions: Vec<ResolvedThread>,
    /// The brief for the agent that repairs it.
    pub brief: String,
}

/// A member of a possible cluster.
struct Member<'a> {
    category: &'a str,
    path: &'a str,
    resolved: Option<&'a ResolvedThread>,
    id: &'a str,
}

/// Groups that are joined transitively.
struct MemberGroups(Vec<usize>);

impl MemberGroups {
    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The earlier member names the group.
        self.0[one.max(other)] = one.min(other);
    }
}

/// The folder of a file; none at the top.
fn folder(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

/// The folder that contains all files.
fn area(files: &[String]) -> String {
    let mut folders = files.iter().map(|file| folder(file).unwrap_or_default());
    let mut area = folders.next().unwrap_or_default();
    for other in folders {
        while !area.is_empty() && other != area && !other.starts_with(&format!("{area}/")) {
            area = folder(area).unwrap_or_default();
        }
    }
    if area.is_empty() { ".".to_owned() } else { area.to_owned() }
}

/// The clusters among the new items, and the new items in none.
pub(super) fn find(feedback: &TriagedFeedback, new: &[String]) -> (Vec<FeedbackCluster>, Vec<String>) {
    if feedback.fired.is_empty() {
        return (Vec::new(), new.to_vec());
    }
    let (triage, fetched) = (&feedback.triage, &feedback.fetched);
    let items = new.iter().filter_map(|id| feedback.places.item(fetched, id));
    let items = items.map(|item| (&item.id, &item.path, None));
    let resolved = fetched.cross_invocation.resolved_threads.iter();
    let resolved = resolved.filter(|_| feedback.fired.contains(&FeedbackGate::CrossRound));
    let resolved = resolved.map(|thread| (&thread.thread_id, &thread.path, Some(thread)));
    let mut members = Vec::new();
    for (id, path, resolved) in items.chain(resolved) {
        if let (Some(category), Some(path)) = (triage.category(id), path) {
            members.push(Member { category, path, resolved, id });
        }
    }
    let mut groups = MemberGroups((0..members.len()).collect());
    // The first member of each category and file, and of each category and folder.
    let mut first: Map<String, Value> = Map::new();
    for (at, member) in members.iter().enumerate() {
        let folder = folder(member.path).map(|folder| format!("{}:{folder}/", member.category));
        for key in [format!("{}:{}", member.category, member.path)].into_iter().chain(folder) {
            let known = first.get(&key).and_then(Value::as_u64);
            groups.join(at, known.and_then(|known| usize::try_from(known).ok()).unwrap_or(at));
            if known.is_none() {
                first.insert(key, at.into());
            }
        }
    }
    for (at, member) in members.iter().enumerate() {
        let mut above = folder(member.path).and_then(folder);
        while let Some(outer) = above {
            let known = first.get(&format!("{}:{outer}/", member.category)).and_then(Value::as_u64);
            if let Some(other) = known.and_then(|known| usize::try_from(known).ok()) {
                groups.join(at, other);
            }
            above = folder(outer);
        }
    }
    let mut places: Vec<(usize, usize)> = (0..members.len()).map(|at| (groups.root(at), at)).collect();
    order::sort(&mut places);
    let mut clusters: Vec<FeedbackCluster> = Vec::new();
    for group in places.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
        let group: Vec<&Member<'_>> = group.iter().map(|(_, at)| &members[*at]).collect();
        let threads: Vec<String> =
            group.iter().filter(|one| one.resolved.is_none()).map(|one| one.id.to_owned()).collect();
        if threads.is_empty() {
            continue;
        }
        let files = distinct(group.iter().map(|one| one.path.to_owned()).collect());
        let category = group[0].category;
        let mut cluster = FeedbackCluster {
            category: category.to_owned(),
            area: area(&files),
            files,
            threads,
            hypothesis: triage.hypothesis(category),
            prior_resolutions: group.iter().filter_map(|one| one.resolved).cloned().collect(),
            brief: String::new(),
        };
        cluster.brief = brief::cluster(&cluster);
        clusters.push(cluster);
    }
    let clustered = id_set(clusters.iter().flat_map(|cluster| &cluster.threads));
    let individual = new.iter().filter(|id| !clustered.contains_key(*id)).cloned().collect();
    (clusters, individual)
}

/// The same, sorted, each once.
pub(super) fn distinct(mut texts: Vec<String>) -> Vec<String> {
    order::sort(&mut texts);
    texts.dedup();
    texts
}

/// Runs the command.
///
/// # Errors
/// As `feedback gates`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let files = (options.run.as_deref(), options.fetched.as_deref(), options.triage.as_deref());
    let feedback = TriagedFeedback::load(environment, files, None)?;
    let TriagedItems { new, .. } = &feedback.items;
    let (clusters, individual) = find(&feedback, new);
    let status = if clusters.is_empty() { ClusterStatus::None } else { ClusterStatus::Ok };
    Ok(Delivery::from_answer(&Response { status, clusters, individual }))
}
