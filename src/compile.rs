//! Compiles a source to the bundle of each host, in memory: its files are discovered, parsed, and built for each host.
//! Every command that needs a source or a bundle uses this module; the steps, including writing, are in `build`.

mod cached_answer;
mod complete_bundles;
mod output_build;

pub use complete_bundles::write_complete;
pub use output_build::{
    BuildMode, BuildOptions, BuiltSource, BundleRefusal, HostBuild, HostBuildOutcome, OutputBuild,
};

use crate::build::cache::{CacheKey, CacheOptions};
use crate::build::{self, BuildError, DiscoveredSource, HostBundle, Purpose, SourceRequest};
use crate::diagnostic::Diagnostic;
use crate::model::project::Project;
use crate::progress::Progress;
use crate::source::SourceTree;
use crate::target::{Target, Targets};

/// The files of a source before they are parsed: enough to know whether it has changed.
#[derive(Debug)]
pub struct Discovery<'a> {
    request: &'a SourceRequest,
    targets: &'a Targets,
    discovered: DiscoveredSource,
}

impl<'a> Discovery<'a> {
    /// Finds the plugins at `request.src`, and reads their files.
    ///
    /// # Errors
    /// When SRC is absent or contains no plugin.
    pub fn new(request: &'a SourceRequest, targets: &'a Targets) -> Result<Self, BuildError> {
        Ok(Self { request, targets, discovered: build::discover(request, targets)? })
    }

    /// Every file that is part of the source.
    pub fn tree(&self) -> &SourceTree {
        &self.discovered.tree
    }

    /// The `source_digest` for the manifest of a bundle.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn digest(&self) -> Result<String, BuildError> {
        build::source_digest(&self.discovered.tree, &self.request.file_system)
    }

    /// The inputs of a build with these options.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn cache_key(&self, options: &CacheOptions) -> Result<CacheKey, BuildError> {
        CacheKey::new(&self.discovered, self.request, self.targets, options)
    }

    /// Parses the files into plugins.
    ///
    /// # Errors
    /// When the settings of a plugin are invalid.
    pub fn read(self) -> Result<Source<'a>, BuildError> {
        let (project, findings) = build::model_source(self.discovered, self.request, self.targets)?;
        Ok(Source { project, findings, targets: self.targets, progress: self.request.progress.clone() })
    }
}

/// A source that was read and parsed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Source<'a> {
    /// Its plugins.
    pub project: Project,
    /// Findings that apply to every host.
    pub findings: Vec<Diagnostic>,
    targets: &'a Targets,
    progress: Progress,
}

impl<'a> Source<'a> {
    /// Reads the source at `request.src`.
    ///
    /// # Errors
    /// When SRC is absent or contains no plugin, or its settings are invalid.
    pub fn read(request: &'a SourceRequest, targets: &'a Targets) -> Result<Self, BuildError> {
        Discovery::new(request, targets)?.read()
    }

    /// Compiles it for one host.
    ///
    /// # Errors
    /// As [`bundle`].
    pub fn bundle(&self, target: &Target) -> Result<HostBundle, BuildError> {
        build::assemble(&self.project, target, self.targets, Purpose::Output, &self.progress)
    }
}

/// How many skills, agents and commands are compiled.
fn components_of(project: &Project) -> usize {
    project.plugins.iter().map(|plugin| plugin.components.len()).sum()
}

/// Compiles `project` for one host. A component that the host would reject or misread is left out, with an error.
///
/// # Errors
/// When a file to copy cannot be read, or a template of the target is invalid.
pub fn bundle(project: &Project, target: &Target, targets: &Targets) -> Result<HostBundle, BuildError> {
    build::assemble(project, target, targets, Purpose::Output, &Progress::default())
}

/// Compiles for a comparison: without plugcast's own documents, and without the search for broken references.
///
/// # Errors
/// As [`bundle`].
pub fn compared_bundle(
    project: &Project,
    target: &Target,
    targets: &Targets,
) -> Result<HostBundle, BuildError> {
    build::assemble(project, target, targets, Purpose::Comparison, &Progress::default())
}

/// The result of a compilation.
#[derive(Debug)]
#[non_exhaustive]
pub struct Compilation {
    /// One bundle per host, in the order of the hosts, each with its ledger and its findings.
    pub bundles: Vec<HostBundle>,
    /// Findings in the source that apply to every host.
    pub findings: Vec<Diagnostic>,
}

/// Compiles the source at `request.src` for `hosts`.
///
/// # Errors
/// When SRC is absent or contains no plugin, its settings are invalid, or a file cannot be read.
pub fn compile(
    request: &SourceRequest,
    hosts: &[&Target],
    targets: &Targets,
) -> Result<Compilation, BuildError> {
    let source = Source::read(request, targets)?;
    let bundles = hosts.iter().map(|host| source.bundle(host)).collect::<Result<_, _>>()?;
    Ok(Compilation { bundles, findings: source.findings })
}
