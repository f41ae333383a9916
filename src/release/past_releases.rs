//! Loads the history of a repository: the last tag of everything with a version, the commit of `--base`, and the changes
//! since then for the users of each host.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use camino::Utf8PathBuf;
use semver::Version;

use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::history::{Release, ReleaseHistory, VersionHistory};
use super::tags::{self, VersionTag};
use super::unit::VersionedUnit;
use super::{bumps, changelog};
use crate::build::BuildError;
use crate::compare::{self, ComparisonSide, DiffReport, Impact};
use crate::git::CommitSnapshot;
use crate::source::ComponentKind;

/// Loads the history from git.
pub(super) fn load(context: &ReleaseContext<'_>) -> Result<ReleaseHistory, ReleaseError> {
    let git = &context.git;
    let head = git.commit("HEAD")?;
    let format = "--format=%(refname:strip=2)%09%(objectname)%09%(*objectname)";
    let listed = git.answer(&["for-each-ref", "--merged", "HEAD", format, "refs/tags"])?;
    let tags = tags::read(&String::from_utf8_lossy(&listed));
    // With uncommitted changes, a tag of this commit is an earlier release.
    let head = if git.changed_since(&head)?.is_empty() { Some(head.as_str()) } else { None };
    let mut history = ReleaseHistory { shallow: git.is_shallow()?, ..ReleaseHistory::default() };
    let mut differences =
        CommitDifferences { context, known: BTreeMap::new(), remarks: Vec::new(), last: None, total: 0 };
    let all = context.units.iter().map(|unit| Ok((unit, read_history(context, unit, &tags, head)?)));
    let all = all.collect::<Result<Vec<_>, ReleaseError>>()?;
    let commits: BTreeSet<&str> =
        all.iter().filter_map(|(_, known)| Some(known.last.as_ref()?.commit.as_str())).collect();
    differences.total = commits.len() + usize::from(context.base.is_some());
    for (unit, mut known) in all {
        if let Some(last) = known.last.as_ref().filter(|_| unit.is_plugin) {
            let whole = differences.changes_since(&last.commit, &last.tag)?;
            known.difference = whole.map(|whole| whole.for_plugin(&unit.name));
        }
        history.histories.insert(unit.root.clone(), known);
    }
    if let Some(reference) = context.base {
        let base = git.base(reference, &git.commit(reference)?)?;
        history.since_base = differences.changes_since(&base, reference)?;
        history.base = Some(base);
    }
    history.remarks = differences.remarks;
    Ok(history)
}

fn read_history(
    context: &ReleaseContext<'_>,
    unit: &VersionedUnit,
    tags: &[VersionTag],
    head: Option<&str>,
) -> Result<VersionHistory, ReleaseError> {
    let mut releases: Vec<Release> = Vec::new();
    for form in tags::forms(context, unit) {
        if !form.contains("{version}") {
            return Err(ReleaseError::Config {
                message: format!("`{form}` in `[release] tag` does not contain the version"),
                help: "write a form such as `v{version}` or `{plugin}-v{version}`".to_owned(),
            });
        }
        let release = |tag: &VersionTag| {
            let version = tags::version(&form, &tag.name)?;
            Some(Release { tag: tag.name.clone(), commit: tag.commit.clone(), version })
        };
        releases = tags.iter().filter_map(release).collect();
        if !releases.is_empty() {
            break;
        }
    }
    let is_said = unit.tag.is_some() || unit.published.tag.is_some();
    if releases.is_empty() && !is_said {
        releases = shared_tag_releases(context, unit, tags)?;
    }
    // If no plugin has a tag, each commit that changed a version counts as a release.
    if releases.is_empty() && !is_said && !tags::has_own(context, tags) && !context.git.is_shallow()? {
        releases = bumps::find(context, unit)?;
    }
    let current = unit.version().and_then(|version| Version::parse(&version).ok());
    let here = releases.iter().filter(|release| Some(release.commit.as_str()) == head).cloned().collect();
    let trial = current.as_ref().is_some_and(|current| !current.pre.is_empty());
    let before = |release: &&Release| {
        let this = Some(release.commit.as_str()) == head && Some(&release.version) == current.as_ref();
        !this && (trial || release.version.pre.is_empty())
    };
    let last = releases.iter().filter(before).max_by(|a, b| a.version.cmp(&b.version)).cloned();
    Ok(VersionHistory { last, here, difference: None })
}

/// The tags such as `v1.2.0` of a repository with several plugins, if the last of them equals the version of the plugin
/// at that time: all are released together.
fn shared_tag_releases(
    context: &ReleaseContext<'_>,
    unit: &VersionedUnit,
    tags: &[VersionTag],
) -> Result<Vec<Release>, ReleaseError> {
    for form in tags::OF_ALL {
        let release = |tag: &VersionTag| {
            let version = tags::version(form, &tag.name).filter(|version| version.pre.is_empty())?;
            Some(Release { tag: tag.name.clone(), commit: tag.commit.clone(), version })
        };
        let releases: Vec<Release> = tags.iter().filter_map(release).collect();
        let Some(last) = releases.iter().max_by(|a, b| a.version.cmp(&b.version)) else { continue };
        let had = bumps::version_at(context, unit, &last.commit)?;
        if had.as_ref() == Some(&last.version) {
            return Ok(releases);
        }
    }
    Ok(Vec::new())
}

/// Differences between commits and the work tree, each computed once.
struct CommitDifferences<'a> {
    context: &'a ReleaseContext<'a>,
    known: BTreeMap<String, Option<Rc<DiffReport>>>,
    remarks: Vec<String>,
    /// The last commit that was read.
    last: Option<CommitSnapshot>,
    /// The number of commits to read.
    total: usize,
}

impl CommitDifferences<'_> {
    fn changes_since(
        &mut self,
        commit: &str,
        reference: &str,
    ) -> Result<Option<Rc<DiffReport>>, ReleaseError> {
        if let Some(known) = self.known.get(commit) {
            return Ok(known.clone());
        }
        let made = self.make(commit, reference)?.map(Rc::new);
        self.known.insert(commit.to_owned(), made.clone());
        Ok(made)
    }

    /// `None` if that commit has no source at the path of this one.
    fn make(&mut self, commit: &str, reference: &str) -> Result<Option<DiffReport>, ReleaseError> {
        let context = self.context;
        if !context.git.has_folder(commit, &context.place)? {
            return Ok(None);
        }
        let (number, total) = (self.known.len() + 1, self.total.max(self.known.len() + 1));
        context.progress.set(format!("reading `{reference}`, {number} of {total}"));
        let other = self.last.as_ref();
        let snapshot =
            CommitSnapshot::load(&context.git, (commit, reference), &context.place, "plugcast.toml", other)?;
        self.remarks.extend(snapshot.remark(reference));
        let snapshot = self.last.insert(snapshot);
        let name = context.project.plugins.first().map_or("", |plugin| plugin.name.as_str());
        let past = compare::read_commit(snapshot, (name, reference), context.targets);
        snapshot.must_be_whole()?;
        let old = match past {
            Ok(past) => past,
            Err(BuildError::NoPlugin { .. } | BuildError::OnlyProject { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        self.remarks.extend(old.remarks);
        let old = old.project;
        let (old, new) = (ComparisonSide::Source(&old), ComparisonSide::Source(context.project));
        context
            .progress
            .begin(format!("comparing with `{reference}`, {number} of {total}"), context.hosts.len());
        let mut difference = compare::compare(
            (&old, reference),
            (&new, "."),
            &context.hosts,
            context.targets,
            &context.progress,
        )?;
        // Documentation about a plugin, and files that a release itself writes, do not require a release.
        let written: BTreeSet<Utf8PathBuf> =
            context.units.iter().flat_map(|unit| release_files(context, unit)).collect();
        for host in &mut difference.hosts {
            host.changes.retain(|change| {
                change.kind != ComponentKind::File
                    || change.impact != Impact::None && !written.contains(&context.place.join(&change.path))
            });
        }
        difference.weigh();
        Ok(Some(difference))
    }
}

/// The files of `unit` that a release writes: those with its version, and its changelog.
fn release_files(context: &ReleaseContext<'_>, unit: &VersionedUnit) -> Vec<Utf8PathBuf> {
    let carriers = unit.places.iter().map(|place| place.path.clone());
    carriers.chain(changelog::path(context, unit)).chain(unit.changelog.clone()).collect()
}
