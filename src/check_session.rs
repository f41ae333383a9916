//! The checks of one source: whatever several of them share is prepared once, so that fixes and promotions can be tried
//! on texts in memory.

mod changed_files;
mod error;
mod evaluation;
mod folding;
mod paths;
mod repair;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use camino::Utf8PathBuf;

use crate::build::{self, OutputFolder, SkipPolicy, SourceRequest};
use crate::check::baseline::{self, Baseline};
use crate::check::context::RuleContext;
use crate::check::scope::{ChangesSince, CheckScope};
use crate::check::settings::Settings;
use crate::check::{self, Findings, fingerprint, rules};
use crate::compile::Source;
use crate::diagnostic::{self, Diagnostic, HostId, HostSelection, RuleId};
use crate::disk::{self, FileSystem};
use crate::git::Git;
use crate::model::config::CheckConfig;
use crate::model::project::Project;
use crate::progress::Progress;
use crate::source::LineIndex;
use crate::target::{Target, Targets};
pub use changed_files::changes;
pub use error::CheckError;
pub use evaluation::{Evaluation, Label};
pub use folding::{FoldedSource, fold_files};
pub use paths::{CheckedPaths, plugin_of};
pub use repair::{RepairedSource, repair};

/// Texts that replace files, by path relative to SRC.
pub type TextOverlay = BTreeMap<Utf8PathBuf, Arc<str>>;

/// The shared state of the checks of one source.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckSession<'t> {
    /// SRC, with symlinks resolved.
    pub root: PathBuf,
    /// The folder of the `plugcast.toml` that applies to SRC.
    pub config_folder: PathBuf,
    request: SourceRequest,
    /// All hosts.
    pub targets: &'t Targets,
    hosts: Vec<HostId>,
    settings: Settings,
    baseline: Option<Baseline>,
}

/// The options of a check.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SessionOptions<'a> {
    /// The file system with the source and its configuration; a baseline is always on disk.
    pub file_system: FileSystem,
    /// As for [`SourceRequest`].
    pub git: Option<Git>,
    /// The hosts to check for; empty for those of the configuration.
    pub to: HostSelection,
    /// Also read ignored files and installed packages.
    pub no_ignore: bool,
    /// The baseline, in place of the one that the configuration names.
    pub baseline: Option<&'a Path>,
    /// Ignore every baseline.
    pub no_baseline: bool,
    /// Ignore a `plugcast.toml` above the source.
    pub own_config: bool,
    /// The only rules and groups to run; empty for those of the configuration.
    pub select: &'a [String],
    /// Rules and groups to skip.
    pub ignore: &'a [String],
    /// The folders below the source that are read; empty for all of it.
    pub parts: Vec<Utf8PathBuf>,
    /// The name of the original folder, if the source is a copy of it.
    pub folder_name: Option<String>,
    /// Receives the progress.
    pub progress: Progress,
}

/// The result of a check.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckedSource {
    /// The findings.
    pub findings: Findings,
    /// The source, to show the lines of findings.
    pub project: Project,
}

impl<'t> CheckSession<'t> {
    /// Prepares the checks of `src`.
    ///
    /// # Errors
    /// When the configuration or the baseline cannot be used, or an unknown rule or host is named.
    pub fn new(src: &Path, options: &SessionOptions<'_>, targets: &'t Targets) -> Result<Self, CheckError> {
        let file_system = &options.file_system;
        let (config, config_folder) = match options.own_config {
            true => (build::read_config_in(file_system, src, src)?.unwrap_or_default(), src.to_owned()),
            false => build::config_of(file_system, src)?,
        };
        let settings = check::settings(&config.check).map_err(|unknown| CheckError::Settings {
            place: place_of(file_system, &config_folder, &unknown.word),
            unknown,
        })?;
        let settings = settings.narrowed(options.select, options.ignore).map_err(CheckError::UnknownRule)?;
        let of_config = config.check.baseline.as_ref().map(|path| config_folder.join(path));
        let path = options.baseline.map(Path::to_owned).or(of_config).filter(|_| !options.no_baseline);
        let baseline = path.map(|path| read_baseline(&path)).transpose()?;
        let hosts = targets.selected(options.to.or(config.build.to.or(HostSelection::every())))?;
        let hosts = hosts.into_iter().map(|target| target.name.clone()).collect();
        let skip_policy =
            if options.no_ignore { SkipPolicy::Nothing } else { SkipPolicy::IgnoredAndPackages };
        let request = SourceRequest {
            file_system: file_system.clone(),
            git: options.git.clone(),
            src: src.to_owned(),
            config,
            skip_policy,
            folder_name: options.folder_name.clone(),
            readme: true,
            everything: true,
            parts: options.parts.clone(),
            progress: options.progress.clone(),
            ..SourceRequest::default()
        };
        let root = file_system.canonical(src).unwrap_or_else(|_| src.to_owned());
        Ok(Self { root, config_folder, request, targets, hosts, settings, baseline })
    }

    /// Prepares a check by `rules` alone, in the paths that the settings of `request` allow, of a source that was read
    /// with `request`.
    ///
    /// # Errors
    /// When the settings name an unknown rule.
    pub fn with_rules(
        request: SourceRequest,
        rules: &[RuleId],
        hosts: &[&Target],
        targets: &'t Targets,
    ) -> Result<Self, CheckError> {
        let config = CheckConfig {
            ignore: vec!["all".to_owned()],
            select: rules.iter().map(ToString::to_string).collect(),
            per_path: request.config.check.per_path.clone(),
            ..CheckConfig::default()
        };
        let settings =
            check::settings(&config).map_err(|unknown| CheckError::Settings { unknown, place: None })?;
        let root = request.src.clone();
        let hosts = hosts.iter().map(|target| target.name.clone()).collect();
        Ok(Self { config_folder: root.clone(), root, request, targets, hosts, settings, baseline: None })
    }

    /// The folders of the source that are read; empty for all of it.
    pub fn parts(&self) -> &[Utf8PathBuf] {
        &self.request.parts
    }

    /// The baseline that the configuration names, if it exists, and its file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn baseline(&self) -> Result<Option<(PathBuf, Baseline)>, CheckError> {
        let of_config = self.request.config.check.baseline.as_ref().map(|path| self.config_folder.join(path));
        let Some(path) = of_config.filter(|path| disk::is_file(path)) else { return Ok(None) };
        let path = disk::canonical(&path)?;
        let baseline = read_baseline(&path)?;
        Ok(Some((path, baseline)))
    }

    /// The folder that this command's builds are written to.
    pub fn output(&self) -> OutputFolder {
        let folder = if self.config_folder.as_os_str().is_empty() { &self.root } else { &self.config_folder };
        OutputFolder::below(folder, self.request.config.build.out.as_deref().unwrap_or("dist").as_ref())
    }

    /// Reads the source, with `texts` in place of its files.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&mut self, texts: TextOverlay) -> Result<(Project, Vec<Diagnostic>), CheckError> {
        self.request.texts = texts;
        let source = Source::read(&self.request, self.targets)?;
        Ok((source.project, source.findings))
    }

    /// Reads the source as it will be after folders have moved, with `texts` at their new paths.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_moved(
        &mut self,
        moves: Vec<(Utf8PathBuf, Utf8PathBuf)>,
        texts: TextOverlay,
    ) -> Result<(Project, Vec<Diagnostic>), CheckError> {
        self.request.moves = moves;
        let read = self.read(texts);
        self.request.moves = Vec::new();
        read
    }

    /// Runs the rules over a source that the caller keeps, without a baseline.
    pub fn examine_read(&self, project: &Project, reading: Vec<Diagnostic>) -> Findings {
        let hosts = self.hosts.iter().filter_map(|name| self.targets.get(name)).collect();
        let mut context = RuleContext::new(project, self.targets, hosts, &self.settings);
        context.progress = self.request.progress.clone();
        check::run(&context, reading, &CheckScope::default())
    }

    /// Runs the rules over a source that was read.
    pub fn examine(
        &self,
        (project, mut reading): (Project, Vec<Diagnostic>),
        scope: &CheckScope,
    ) -> CheckedSource {
        let hosts = self.hosts.iter().filter_map(|name| self.targets.get(name)).collect();
        let mut context = RuleContext::new(&project, self.targets, hosts, &self.settings);
        context.progress = self.request.progress.clone();
        reading.extend(self.unmatched_acceptances(&context));
        let mut findings = check::run(&context, reading, scope);
        let since = scope.since.as_ref();
        if let Some(since) = since {
            mark(&mut findings, &project);
            let mut causes = causes(&findings, &project).into_iter();
            findings
                .diagnostics
                .retain(|found| causes.next().is_some_and(|cause| since.keeps(found, &cause)));
            let files = project.tree.files().filter(|file| file.text().is_some());
            findings.files = files.filter(|file| since.is_changed(file.path.as_str())).count();
        }
        if let Some(baseline) = &self.baseline {
            mark(&mut findings, &project);
            let is_on = |name: &str| rules::find(name).is_some_and(|rule| self.settings.is_enabled(rule));
            let stale = rules::find(baseline::STALE.as_str()).filter(|rule| is_on(rule.name));
            let found = &mut findings.diagnostics;
            findings.known = baseline.apply(found, stale, |known| {
                let told = |since: &ChangesSince| {
                    since.is_changed(&known.path) || since.was_found(&known.fingerprint)
                };
                scope.has(&known.path) && is_on(&known.rule) && since.is_none_or(told)
            });
            diagnostic::sort(found);
            mark(&mut findings, &project);
        }
        CheckedSource { findings, project }
    }
}

impl CheckSession<'_> {
    /// The entries `[[accept-loss]]` that match no loss of the hosts to check for. A part of a source has only some of
    /// the losses.
    fn unmatched_acceptances(&self, context: &RuleContext<'_>) -> Vec<Diagnostic> {
        let config = &self.request.config;
        let is_on = rules::find(build::UNMATCHED.as_str()).is_some_and(|rule| self.settings.is_enabled(rule));
        if !is_on || config.accept_loss.is_empty() || !self.request.parts.is_empty() {
            return Vec::new();
        }
        let losses = self.hosts.iter().cloned().zip(context.ledgers().iter().map(build::loss_ids)).collect();
        build::unmatched(config, &self.root, &losses, &self.targets.names())
    }
}

/// Gives every finding its fingerprint.
pub fn mark(findings: &mut Findings, project: &Project) {
    fingerprint::mark(&mut findings.diagnostics, |path| project.file(path));
}

/// The cause of every finding.
fn causes(findings: &Findings, project: &Project) -> Vec<String> {
    fingerprint::cause_fingerprints(&findings.diagnostics, |path| project.file(path))
}

fn read_baseline(path: &Path) -> Result<Baseline, CheckError> {
    let refused = |message: String, place| CheckError::Baseline { message, place };
    let Some(text) = disk::read_text(path)? else {
        return Err(refused(format!("the baseline `{}` does not exist", path.display()), None));
    };
    let baseline: Baseline = serde_json::from_str(&text).map_err(|error| {
        let place = (path.display().to_string(), error.line(), error.column());
        refused(format!("invalid baseline: {}", without_position(&error.to_string())), Some(place))
    })?;
    crate::schema::BASELINE
        .accept(&baseline.schema)
        .map_err(|message| refused(format!("`{}`: {message}", path.display()), None))?;
    Ok(baseline)
}

/// The message of a parser without the position at its end.
fn without_position(message: &str) -> &str {
    message.rsplit_once(" at line").map_or(message, |(message, _)| message)
}

/// The position of `word` in the `plugcast.toml` of `folder`.
fn place_of(file_system: &FileSystem, folder: &Path, word: &str) -> Option<(String, usize, usize)> {
    let path = folder.join("plugcast.toml");
    let text = file_system.read_text(&path).ok().flatten()?;
    let position = LineIndex::new(&text).position(&text, text.find(&format!("\"{word}\""))?);
    Some((path.display().to_string(), position.line, position.column))
}
