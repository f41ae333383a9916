//! A comparison of two states: each is found and read, the hosts are chosen, and the sides are compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::state::{ComparedState, StateLocation};
use super::{ComparisonError, DiffReport, compare};
use crate::build;
use crate::diagnostic::{HostId, HostSelection};
use crate::git::Git;
use crate::progress::Progress;
use crate::target::{Target, Targets};

/// What is compared.
#[derive(Clone)]
#[non_exhaustive]
pub struct ComparisonRequest<'a> {
    /// The old state, as the user names it.
    pub old: &'a str,
    /// The new state.
    pub new: &'a str,
    /// The hosts to compare for; empty for those of the settings, else all.
    pub to: HostSelection,
    /// Git in a folder.
    pub git: &'a dyn Fn(&Path) -> Git,
    /// All hosts.
    pub targets: &'a Targets,
    /// Receives the progress.
    pub progress: Progress,
}

impl<'a> ComparisonRequest<'a> {
    /// A comparison of `old` with `new`, each of which is a folder or what `git` calls a commit.
    pub fn new(old: &'a str, new: &'a str, git: &'a dyn Fn(&Path) -> Git, targets: &'a Targets) -> Self {
        Self { old, new, to: HostSelection::default(), git, targets, progress: Progress::default() }
    }
}

/// Two states that were read.
pub struct ComparisonSession<'a> {
    request: ComparisonRequest<'a>,
    old: ComparedState,
    new: ComparedState,
    hosts: Vec<&'a Target>,
}

impl<'a> ComparisonSession<'a> {
    /// Reads both states.
    ///
    /// # Errors
    /// When a state does not exist or cannot be read, or they have no host in common.
    pub fn open(request: ComparisonRequest<'a>) -> Result<Self, ComparisonError> {
        let ComparisonRequest { old, new, git, targets, .. } = request;
        let progress = &request.progress;
        for folder in [old, new] {
            build::must_be_finished(Path::new(folder))?;
        }
        let old_place = StateLocation::resolve(old, new, git)?;
        let new_place = StateLocation::resolve(new, old, git)?;
        progress.set(format!("reading `{old}`, 1 of 2"));
        let old = ComparedState::read(&old_place, old, None, git, targets, progress)?;
        progress.set(format!("reading `{new}`, 2 of 2"));
        // Object ids of another repository cannot be compared with those of this one.
        let beside = old.snapshot().filter(|_| old_place.repository() == new_place.repository());
        let new = ComparedState::read(&new_place, new, beside, git, targets, progress)?;
        let hosts = hosts(&request.to, &old, &new, targets)?;
        Ok(Self { request, old, new, hosts })
    }

    /// The old and the new state.
    pub fn states(&self) -> [&ComparedState; 2] {
        [&self.old, &self.new]
    }

    /// What changed for the users of each host.
    ///
    /// # Errors
    /// When a side cannot be built, or its bundle cannot be read.
    pub fn compare(&self) -> Result<DiffReport, ComparisonError> {
        let ComparisonRequest { old, new, targets, progress, .. } = &self.request;
        progress.begin("comparing hosts", self.hosts.len());
        let (before, after) = (self.old.side(), self.new.side());
        Ok(compare((&before, old), (&after, new), &self.hosts, targets, progress)?)
    }
}

/// The hosts that both sides have.
fn hosts<'a>(
    asked: &HostSelection,
    old: &ComparedState,
    new: &ComparedState,
    targets: &'a Targets,
) -> Result<Vec<&'a Target>, ComparisonError> {
    let of_states = new.selected_hosts().or(old.selected_hosts()).or(HostSelection::every());
    let mut hosts = targets.selected(asked.or(of_states))?;
    let bundles: Vec<&BTreeMap<HostId, PathBuf>> =
        [old, new].into_iter().filter_map(ComparedState::bundles).collect();
    hosts.retain(|host| bundles.iter().all(|folders| folders.contains_key(&host.name)));
    if hosts.is_empty() {
        let there: Vec<String> =
            bundles.iter().map(|folders| folders.keys().cloned().collect::<Vec<_>>().join(", ")).collect();
        let help = format!("there are bundles for {}", there.join(" on the one side, on the other for "));
        return Err(ComparisonError::NoHost { help });
    }
    Ok(hosts)
}
