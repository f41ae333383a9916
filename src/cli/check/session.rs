//! One look at a source: everything that stays the same between two looks is prepared once, so that
//! fixes can be tried on texts in memory.

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
use crate::cli::{CommandFailure, GlobalOptions, build as building};
use crate::compile::Source;
use crate::diagnostic::{self, Diagnostic};
use crate::disk;
use crate::model::project::Project;
use crate::target::{Target, Targets};

/// Texts that take the place of files, by path relative to SRC.
pub(in crate::cli) type TextOverlay = BTreeMap<Utf8PathBuf, Arc<str>>;

/// What looks at one source have in common.
pub(in crate::cli) struct CheckSession {
    /// SRC, without links.
    pub root: PathBuf,
    /// The folder of the `plugcast.toml` that speaks for SRC.
    pub config_folder: PathBuf,
    request: SourceRequest,
    pub(in crate::cli) targets: Targets,
    hosts: Vec<String>,
    settings: Settings,
    baseline: Option<Baseline>,
}

/// What the command line says about a look.
#[derive(Debug, Default)]
pub(in crate::cli) struct SessionOptions<'a> {
    /// The hosts that count.
    pub to: &'a [String],
    /// Read what is ignored, and installed packages.
    pub no_ignore: bool,
    /// The baseline, which counts more than that of the configuration.
    pub baseline: Option<&'a Path>,
    /// Leave every baseline aside.
    pub no_baseline: bool,
    /// Leave a `plugcast.toml` above the source aside.
    pub own_config: bool,
    /// The only rules and groups that count, where there are any.
    pub select: &'a [String],
    /// Rules and groups that do not count.
    pub ignore: &'a [String],
    /// The folders below the source that are read; empty for all of it.
    pub parts: Vec<Utf8PathBuf>,
    /// What the folder is called that the source stands for, where it is another one's copy.
    pub folder_name: Option<String>,
}

/// What a look at one source gave.
pub(in crate::cli) struct CheckedSource {
    /// What was found.
    pub findings: Findings,
    /// The source, for the lines that findings are about.
    pub project: Project,
}

impl CheckSession {
    /// Prepares looks at `src`.
    ///
    /// # Errors
    /// When the configuration or the baseline means nothing.
    pub(in crate::cli) fn new(
        src: &Path,
        options: &SessionOptions<'_>,
        global: &GlobalOptions,
    ) -> Result<Self, CommandFailure> {
        let targets = crate::cli::targets(global)?;
        let (config, config_folder) = match options.own_config {
            true => (build::read_config(src)?.unwrap_or_default(), src.to_owned()),
            false => building::config_of(src)?,
        };
        let settings = check::settings(&config.check).map_err(|unknown| {
            let near = unknown.near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
            CommandFailure {
                code: "config".into(),
                message: format!("unknown rule or group `{}` under `[check]`", unknown.word),
                help: Some(format!("{near}`plugcast rules` lists them")),
                place: building::place_of(&config_folder, &unknown.word),
            }
        })?;
        let settings = settings.narrowed(options.select, options.ignore).map_err(|unknown| {
            let near = unknown.near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
            let message = format!("unknown rule or group `{}`", unknown.word);
            CommandFailure::usage(message, format!("{near}`plugcast rules` lists them"))
        })?;
        let of_config = config.check.baseline.as_ref().map(|path| config_folder.join(path));
        let path = options.baseline.map(Path::to_owned).or(of_config).filter(|_| !options.no_baseline);
        let baseline = path.map(|path| read_baseline(&path)).transpose()?;
        let asked = if options.to.is_empty() { &config.build.to } else { options.to };
        let hosts: Vec<&Target> =
            if asked.is_empty() { targets.iter().collect() } else { building::named_hosts(asked, &targets)? };
        let hosts = hosts.into_iter().map(|target| target.name.clone()).collect();
        let passed_over =
            if options.no_ignore { SkipPolicy::Nothing } else { SkipPolicy::IgnoredAndPackages };
        let request = SourceRequest {
            src: src.to_owned(),
            config,
            passed_over,
            folder_name: options.folder_name.clone(),
            readme: true,
            everything: true,
            parts: options.parts.clone(),
            ..SourceRequest::default()
        };
        let root = disk::canonical(src).unwrap_or_else(|_| src.to_owned());
        Ok(Self { root, config_folder, request, targets, hosts, settings, baseline })
    }

    /// The folders of the source that are read; empty for all of it.
    pub(in crate::cli) fn parts(&self) -> &[Utf8PathBuf] {
        &self.request.parts
    }

    /// The baseline that the configuration names, if it is there, and its file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(in crate::cli) fn baseline(&self) -> Result<Option<(PathBuf, Baseline)>, CommandFailure> {
        let of_config = self.request.config.check.baseline.as_ref().map(|path| self.config_folder.join(path));
        let Some(path) = of_config.filter(|path| disk::is_file(path)) else { return Ok(None) };
        let path = disk::canonical(&path)?;
        let baseline = read_baseline(&path)?;
        Ok(Some((path, baseline)))
    }

    /// The folder that this command's builds are written to.
    pub(in crate::cli) fn output(&self) -> OutputFolder {
        let folder = if self.config_folder.as_os_str().is_empty() { &self.root } else { &self.config_folder };
        OutputFolder::below(folder, self.request.config.build.out.as_deref().unwrap_or("dist").as_ref())
    }

    /// Reads the source, with `texts` in the place of its files.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(in crate::cli) fn read(
        &mut self,
        texts: TextOverlay,
    ) -> Result<(Project, Vec<Diagnostic>), CommandFailure> {
        self.request.texts = texts;
        let source = Source::read(&self.request, &self.targets)?;
        Ok((source.project, source.findings))
    }

    /// Reads the source as it will be once folders lie elsewhere, with `texts` at their new places.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(in crate::cli) fn read_moved(
        &mut self,
        moves: Vec<(Utf8PathBuf, Utf8PathBuf)>,
        texts: TextOverlay,
    ) -> Result<(Project, Vec<Diagnostic>), CommandFailure> {
        self.request.moves = moves;
        let read = self.read(texts);
        self.request.moves = Vec::new();
        read
    }

    /// Runs the rules over a source that was read and is needed afterwards; no baseline counts.
    pub(in crate::cli) fn examine_read(&self, project: &Project, reading: Vec<Diagnostic>) -> Findings {
        let hosts = self.hosts.iter().filter_map(|name| self.targets.get(name)).collect();
        let context = RuleContext::new(project, &self.targets, hosts, &self.settings);
        check::run(&context, reading, &CheckScope::default())
    }

    /// Runs the rules over a source that was read.
    pub(in crate::cli) fn examine(
        &self,
        (project, reading): (Project, Vec<Diagnostic>),
        scope: &CheckScope,
    ) -> CheckedSource {
        let hosts = self.hosts.iter().filter_map(|name| self.targets.get(name)).collect();
        let context = RuleContext::new(&project, &self.targets, hosts, &self.settings);
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
            let is_on = |name: &str| rules::find(name).is_some_and(|rule| self.settings.is_on(rule));
            let stale = rules::find(baseline::STALE).filter(|rule| is_on(rule.name));
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

/// Gives every finding its fingerprint.
pub(in crate::cli) fn mark(findings: &mut Findings, project: &Project) {
    fingerprint::mark(&mut findings.diagnostics, |path| project.file(path));
}

/// The cause of every finding.
pub(super) fn causes(findings: &Findings, project: &Project) -> Vec<String> {
    fingerprint::causes(&findings.diagnostics, |path| project.file(path))
}

fn read_baseline(path: &Path) -> Result<Baseline, CommandFailure> {
    let refused = |message: String, place| CommandFailure {
        code: "baseline".into(),
        message,
        help: Some("write it with `plugcast check --write-baseline FILE`".into()),
        place,
    };
    let Some(text) = disk::read_text(path)? else {
        return Err(refused(format!("the baseline `{}` does not exist", path.display()), None));
    };
    let baseline: Baseline = serde_json::from_str(&text).map_err(|error| {
        let place = (path.display().to_string(), error.line(), error.column());
        let message = error.to_string();
        let message = message.rsplit_once(" at line").map_or(message.as_str(), |(message, _)| message);
        refused(format!("invalid baseline: {message}"), Some(place))
    })?;
    crate::schema::BASELINE
        .accept(&baseline.schema)
        .map_err(|message| refused(format!("`{}`: {message}", path.display()), None))?;
    Ok(baseline)
}
