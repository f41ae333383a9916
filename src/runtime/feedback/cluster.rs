//! `feedback cluster`: items of one category in the same file or folder, which may have one cause. Resolved threads are
//! their context.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::brief;
use super::gates::{FeedbackGate, TriagedFeedback};
use super::items::ResolvedThread;
use super::triage::TriagedItems;
use crate::order;
use crate::runtime::answer::{CallFailure, Delivery};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;

options! {
    /// Find the items that may have one cause
    ///
    /// A cluster has two or more members of one category in the same file, or in folders of which one contains
    /// the other, and at least one of them is new. The folder at the top counts for no cluster. `brief` describes
    /// a cluster for the agent that repairs it, without the text of any comment. If no gate fires, each item is
    /// on its own.
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
    /// Each item is on its own.
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
    category: &'static str,
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
    let (mut members, open) = (Vec::new(), order::set(new));
    for item in fetched.items.iter().filter(|item| open.contains(&item.id)) {
        if let (Some(category), Some(path)) = (triage.categories.get(&item.id), &item.path) {
            members.push(Member { category, path, resolved: None, id: &item.id });
        }
    }
    let with_resolved = feedback.fired.contains(&FeedbackGate::CrossRound);
    for thread in fetched.cross_invocation.resolved_threads.iter().filter(|_| with_resolved) {
        if let (Some(category), Some(path)) = (triage.categories.get(&thread.thread_id), &thread.path) {
            members.push(Member { category, path, resolved: Some(thread), id: &thread.thread_id });
        }
    }
    let mut groups = MemberGroups((0..members.len()).collect());
    let (mut of_file, mut of_folder) = (BTreeMap::new(), BTreeMap::new());
    for (at, member) in members.iter().enumerate() {
        groups.join(at, *of_file.entry((member.category, member.path)).or_insert(at));
        if let Some(folder) = folder(member.path) {
            groups.join(at, *of_folder.entry((member.category, folder)).or_insert(at));
        }
    }
    for ((category, inner), at) in &of_folder {
        let mut above = folder(inner);
        while let Some(outer) = above {
            if let Some(other) = of_folder.get(&(*category, outer)) {
                groups.join(*at, *other);
            }
            above = folder(outer);
        }
    }
    let mut found: BTreeMap<usize, Vec<&Member<'_>>> = BTreeMap::new();
    for (at, member) in members.iter().enumerate() {
        found.entry(groups.root(at)).or_default().push(member);
    }
    found.retain(|_, group| group.len() > 1 && group.iter().any(|member| member.resolved.is_none()));
    let clusters: Vec<FeedbackCluster> = found
        .into_values()
        .map(|group| {
            let files: Vec<String> =
                order::set(group.iter().map(|one| one.path.to_owned())).into_iter().collect();
            let category = group[0].category;
            let mut cluster = FeedbackCluster {
                category: category.to_owned(),
                area: area(&files),
                files,
                threads: group
                    .iter()
                    .filter(|one| one.resolved.is_none())
                    .map(|one| one.id.to_owned())
                    .collect(),
                hypothesis: triage.hypotheses.get(category).cloned().unwrap_or_default(),
                prior_resolutions: group.iter().filter_map(|one| one.resolved).cloned().collect(),
                brief: String::new(),
            };
            cluster.brief = brief::cluster(&cluster);
            cluster
        })
        .collect();
    let clustered = order::set(clusters.iter().flat_map(|cluster| &cluster.threads));
    let individual = new.iter().filter(|id| !clustered.contains(id)).cloned().collect();
    (clusters, individual)
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
