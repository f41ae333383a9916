//! A build into an output folder: what an interrupted build left is completed, the build cache is asked, and then the
//! bundle of each host is compiled, judged and written under the lock of the folder.

use std::path::PathBuf;

use super::cached_answer::{CacheLookup, unchanged};
use super::{Discovery, Source, components_of};
use crate::build::cache::{BuildCache, CacheKey, CacheOptions, CachedBundle};
use crate::build::helper::{HelperSearchPath, binaries};
use crate::build::{
    self, BuildError, BundleRecord, Denial, HostBundle, LossIds, OutputFolder, SourceRequest,
};
use crate::diagnostic::{Diagnostic, Severity};
use crate::disk::folder::Folder;
use crate::disk::lock::{self, OutputLock};
use crate::disk::replace::{FileChange, OutputFile};
use crate::model::project::Project;
use crate::process::interrupt;
use crate::source::SourceTree;
use crate::target::{Target, Targets};

/// What a build does with its bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildMode {
    /// It writes them.
    Write,
    /// It compares them with those in the output folder, which must be complete.
    Check,
    /// It shows what it would write.
    Preview,
}

/// What is built, and where it goes.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuildOptions<'a> {
    /// The hosts.
    pub hosts: Vec<&'a Target>,
    /// The output folder.
    pub place: &'a OutputFolder,
    /// What happens to the bundles.
    pub mode: BuildMode,
    /// The losses that keep a bundle from being written.
    pub denial: Denial,
    /// Where earlier builds are looked up.
    pub cache: &'a BuildCache,
    /// What the bundles depend on besides the source.
    pub inputs: CacheOptions,
}

impl<'a> BuildOptions<'a> {
    /// A build for `hosts` that writes their bundles below `place`, whatever their losses.
    pub fn new(hosts: Vec<&'a Target>, place: &'a OutputFolder, cache: &'a BuildCache) -> Self {
        let (denial, inputs) = (Denial::default(), CacheOptions::default());
        Self { hosts, place, mode: BuildMode::Write, denial, cache, inputs }
    }
}

/// A build into an output folder.
#[derive(Debug)]
pub struct OutputBuild<'a> {
    request: &'a SourceRequest,
    targets: &'a Targets,
    options: BuildOptions<'a>,
    key: CacheKey,
    losses: LossIds,
}

/// Why a bundle is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BundleRefusal {
    /// A loss is denied.
    DeniedLoss,
    /// The host would refuse a part of it.
    RefusedByHost,
}

/// The bundle of one host.
#[derive(Debug)]
#[non_exhaustive]
pub struct HostBuild<'a> {
    /// The host.
    pub target: &'a Target,
    /// The folder of the bundle.
    pub folder: PathBuf,
    /// What describes it.
    pub record: BundleRecord,
    /// What was found for this host.
    pub findings: Vec<Diagnostic>,
    /// What the build did.
    pub outcome: HostBuildOutcome,
}

/// What a build did with the bundle of one host.
#[derive(Debug)]
#[non_exhaustive]
pub enum HostBuildOutcome {
    /// The cache found it in place, so nothing was compiled.
    InPlace,
    /// It was compiled, and written unless something kept it from that.
    Compiled {
        /// Its files.
        files: Vec<OutputFile>,
        /// What differed in the folder before.
        changes: Vec<FileChange>,
        /// How many files were written.
        written: usize,
        /// Why it is not written, if it is refused.
        refusal: Option<BundleRefusal>,
    },
}

impl HostBuildOutcome {
    /// How many files were written.
    pub fn written(&self) -> usize {
        match self {
            Self::InPlace => 0,
            Self::Compiled { written, .. } => *written,
        }
    }
}

/// The source of a build.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuiltSource<'a> {
    content: BuiltContent<'a>,
    /// What was found in it, apart from any host, and about accepted losses that none of the hosts has.
    pub findings: Vec<Diagnostic>,
}

/// How much of the source was needed.
#[derive(Debug)]
enum BuiltContent<'a> {
    InPlace(Discovery<'a>),
    Compiled(Source<'a>),
}

impl BuiltSource<'_> {
    /// Every file that is part of the source.
    pub fn tree(&self) -> &SourceTree {
        match &self.content {
            BuiltContent::InPlace(discovery) => discovery.tree(),
            BuiltContent::Compiled(source) => &source.project.tree,
        }
    }
}

impl<'a> OutputBuild<'a> {
    /// Completes what an interrupted build left in the output folder, and finds the files of the source. This comes
    /// before anything is read: the output folder may be the source itself, and the ledger of a bundle is an input.
    ///
    /// # Errors
    /// When the output folder cannot be read or completed, or SRC is absent or contains no plugin.
    pub fn discover(
        request: &'a SourceRequest,
        targets: &'a Targets,
        options: BuildOptions<'a>,
    ) -> Result<(Self, Discovery<'a>), BuildError> {
        match options.mode {
            BuildMode::Write => build::complete(options.place)?,
            BuildMode::Check | BuildMode::Preview => build::must_be_finished(options.place.path())?,
        }
        request.progress.set(format!("reading `{}`", request.src.display()));
        let discovery = Discovery::new(request, targets)?;
        let key = discovery.cache_key(&options.inputs)?;
        Ok((Self { request, targets, options, key, losses: LossIds::new() }, discovery))
    }

    /// Builds all hosts, or finds their bundles in place, and gives each to `built`. The helper's binaries are looked for
    /// in `helper`.
    ///
    /// # Errors
    /// When the build could not run, or `built` fails.
    pub fn run<E: From<BuildError>>(
        &mut self,
        discovery: Discovery<'a>,
        helper: Option<&HelperSearchPath>,
        mut built: impl FnMut(HostBuild<'a>) -> Result<(), E>,
    ) -> Result<BuiltSource<'a>, E> {
        let held = match self.look_up()? {
            CacheLookup::Miss(lock) => lock,
            CacheLookup::Hit(bundles) => {
                let (bundles, mut findings) = self.cached(bundles)?;
                bundles.into_iter().try_for_each(built)?;
                findings.extend(self.unmatched());
                return Ok(BuiltSource { content: BuiltContent::InPlace(discovery), findings });
            }
        };
        let mut source = self.read(discovery)?;
        let only_existing = self.options.mode != BuildMode::Write;
        source.project.helpers = binaries(&source.project, helper, only_existing)?;
        let (hosts, lock) = self.prepare(&source, held)?;
        let total = hosts.len();
        for (at, target) in hosts.into_iter().enumerate() {
            interrupt::check().map_err(|_| BuildError::Interrupted)?;
            let (title, number) = (&target.host.title, at + 1);
            let project = label_of(&source.project);
            let activity = format!("{title} ({number} of {total} hosts): compiling {project}");
            self.request.progress.begin(activity, components_of(&source.project));
            built(self.build(&source, target, lock.as_ref())?)?;
        }
        let mut findings = std::mem::take(&mut source.findings);
        findings.extend(self.unmatched());
        Ok(BuiltSource { content: BuiltContent::Compiled(source), findings })
    }

    /// Looks the build up in the cache. One that only looks, or that is given helper binaries, which may have changed,
    /// always runs.
    ///
    /// # Errors
    /// When the output folder cannot be read, or another build holds it.
    fn look_up(&self) -> Result<CacheLookup, BuildError> {
        let BuildOptions { hosts, place, mode, cache, inputs, .. } = &self.options;
        if *mode != BuildMode::Write || !inputs.helpers.is_empty() {
            return Ok(CacheLookup::Miss(None));
        }
        unchanged((cache, &self.key), hosts, &self.request.src, place)
    }

    /// The bundles that the cache has found in place, and what was found in their source.
    ///
    /// # Errors
    /// When a folder cannot be read.
    fn cached(
        &mut self,
        bundles: Vec<CachedBundle>,
    ) -> Result<(Vec<HostBuild<'a>>, Vec<Diagnostic>), BuildError> {
        let (mut built, mut source_findings) = (Vec::new(), None);
        for (target, CachedBundle { mut record, found }) in
            self.options.hosts.clone().into_iter().zip(bundles)
        {
            // The findings in the source are the same for every host.
            source_findings.get_or_insert(found);
            self.losses.insert(target.name.clone(), build::loss_ids(&record.ledger));
            let folder = self.options.place.path().join(&target.name);
            let mut findings = std::mem::take(&mut record.diagnostics);
            let open = Folder::open(&folder)?;
            findings.extend(build::unlisted_findings(&open, &record.manifest, &folder, Severity::Warning)?);
            built.push(HostBuild { target, folder, record, findings, outcome: HostBuildOutcome::InPlace });
        }
        Ok((built, source_findings.unwrap_or_default()))
    }

    /// Parses the files of the source, with what is hidden in its texts.
    ///
    /// # Errors
    /// When the settings of a plugin are invalid.
    fn read(&self, discovery: Discovery<'a>) -> Result<Source<'a>, BuildError> {
        let mut source = discovery.read()?;
        let config = &self.request.config.check;
        source.findings.extend(build::hidden_text_findings(&source.project, self.targets, config));
        Ok(source)
    }

    /// Checks the places of the bundles, and takes the lock of the output folder unless `held` is it already. Returns
    /// no host for a source without a usable plugin, which has findings and must not replace existing bundles.
    ///
    /// # Errors
    /// When every plugin of the source comes from elsewhere, or a place cannot be written.
    fn prepare(
        &self,
        source: &Source<'_>,
        held: Option<OutputLock>,
    ) -> Result<(Vec<&'a Target>, Option<OutputLock>), BuildError> {
        let BuildOptions { hosts, place, mode, .. } = &self.options;
        if source.project.plugins.is_empty() {
            return match source.findings.iter().any(|finding| finding.severity == Severity::Error) {
                true => Ok((Vec::new(), None)),
                false => Err(BuildError::OnlyRemote(self.request.src.clone())),
            };
        }
        for target in hosts {
            build::check_place(&self.request.src, place, &target.name)?;
        }
        let lock = match held {
            _ if *mode != BuildMode::Write || hosts.is_empty() => None,
            None => Some(lock::acquire(place, lock::PATIENCE)?),
            held => held,
        };
        Ok((hosts.clone(), lock))
    }

    /// Compiles the bundle of one host, and writes it if there is a `lock` and nothing refuses it.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    fn build(
        &mut self,
        source: &Source<'_>,
        target: &'a Target,
        lock: Option<&OutputLock>,
    ) -> Result<HostBuild<'a>, BuildError> {
        let mode = self.options.mode;
        let mut bundle = source.bundle(target)?;
        let folder = self.options.place.path().join(&target.name);
        let (refusal, mut findings) = self.refusal(&source.project, target, &bundle.record)?;
        let found_here = std::mem::take(&mut bundle.record.diagnostics);
        if refusal.is_some() || mode != BuildMode::Write {
            let severity = if mode == BuildMode::Check { Severity::Error } else { Severity::Warning };
            findings.extend(build::unlisted_there(&folder, &folder, severity)?);
        }
        let (changes, written) = match lock {
            _ if refusal.is_some() => (Vec::new(), 0),
            Some(lock) => {
                let progress = &self.request.progress;
                let writing = format!("{}: writing `{}`", target.host.title, folder.display());
                progress.begin(writing, bundle.files.len());
                let written = build::write(&bundle, lock.folder(), progress)?;
                self.options.cache.store(&bundle, &self.key, &source.findings, &found_here);
                // A new folder contains only the files just written.
                if !written.is_new {
                    let (open, manifest) = (Folder::open(&folder)?, &bundle.record.manifest);
                    findings.extend(build::unlisted_findings(&open, manifest, &folder, Severity::Warning)?);
                }
                (written.changes, written.files)
            }
            None => (build::plan_changes(&bundle, &folder)?, 0),
        };
        findings.extend(found_here);
        let HostBundle { files, record } = bundle;
        let outcome = HostBuildOutcome::Compiled { files, changes, written, refusal };
        Ok(HostBuild { target, folder, record, findings, outcome })
    }

    /// Why a bundle is not written, if it is not, with the findings about denied losses.
    fn refusal(
        &mut self,
        project: &Project,
        target: &Target,
        record: &BundleRecord,
    ) -> Result<(Option<BundleRefusal>, Vec<Diagnostic>), BuildError> {
        self.losses.insert(target.name.clone(), build::loss_ids(&record.ledger));
        let folder = self.options.place.path().join(&target.name);
        let denied =
            build::denied_losses(project, &record.ledger, &target.name, self.options.denial, &folder)?;
        let refusal = match (denied.is_empty(), record.is_refused) {
            (false, _) => Some(BundleRefusal::DeniedLoss),
            (true, true) => Some(BundleRefusal::RefusedByHost),
            (true, false) => None,
        };
        Ok((refusal, denied))
    }

    /// Findings about accepted losses that none of the hosts built so far has.
    fn unmatched(&self) -> Vec<Diagnostic> {
        build::unmatched(&self.request.config, &self.request.src, &self.losses, &self.targets.names())
    }
}

/// The name of a single plugin, or the number of several.
fn label_of(project: &Project) -> String {
    match project.plugins.as_slice() {
        [one] => format!("`{}`", one.name),
        more => format!("{} plugins", more.len()),
    }
}
