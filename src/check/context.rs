//! The input of rules: the whole project, the selected hosts, the settings, and each text with its outline, which is
//! parsed at most once and only if a rule needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use super::anchors::Anchors;
use super::directory::ComponentDirectory;
use super::dispatch::{self, Dispatch};
use super::fields;
use super::intent::{in_expected_output, is_template};
use super::link::{self, LocalLink};
use super::mention::{self, PathMention};
use super::paths::SourcePaths;
use super::readme::{self, Readme};
use super::renames::SkillRenames;
use super::script_calls::{self, ScriptCall};
use super::settings::Settings;
use super::signs::{TextSign, TextSigns};
use crate::diagnostic::HostId;
use crate::ledger::Ledger;
use crate::lower;
use crate::model::component::{Component, FileReferences};
use crate::model::plugin::{LocationForm, Plugin};
use crate::model::project::Project;
use crate::parallel;
use crate::progress::Progress;
use crate::read::intent::{in_examples, is_changelog};
use crate::read::markdown::{self, Outline};
use crate::source::{ComponentKind, SourceFile, Span, by_parts, is_markdown};
use crate::target::{CheckFacts, Target, Targets};

/// The context that every rule receives.
#[derive(Debug)]
pub struct RuleContext<'a> {
    /// The source, read and understood.
    pub project: &'a Project,
    /// Every host of the target table.
    pub targets: &'a Targets,
    /// The hosts that findings are about.
    pub hosts: Vec<&'a Target>,
    /// Which rules are enabled, and how strict they are.
    pub settings: &'a Settings,
    /// Receives the progress of the check.
    pub progress: Progress,
    ledgers: OnceLock<Vec<Ledger>>,
    /// Known frontmatter keys by kind of component.
    keys: BTreeMap<ComponentKind, BTreeSet<&'a str>>,
    paths: SourcePaths<'a>,
    directory: ComponentDirectory<'a>,
    anchors: Anchors<'a>,
    renames: OnceLock<SkillRenames>,
}

/// One text file of a plugin.
#[derive(Debug)]
pub struct PluginText<'a> {
    /// The file.
    pub file: &'a SourceFile,
    /// Its text.
    pub text: &'a str,
    /// The plugin that owns it.
    pub plugin: &'a Plugin,
    /// The skill, agent or command that owns it, if one does.
    pub component: Option<&'a Component>,
    /// Whether it is the component's main file, not a file next to it.
    pub main: bool,
    /// The text without frontmatter; all of it for other files.
    pub body: Span,
    markdown: bool,
    example: bool,
    signs: OnceLock<TextSigns>,
    may_run_commands: OnceLock<bool>,
    outline: OnceLock<Outline>,
    links: OnceLock<Vec<LocalLink>>,
    calls: OnceLock<Vec<ScriptCall>>,
    mentions: OnceLock<Vec<PathMention>>,
    dispatches: OnceLock<Vec<Dispatch>>,
}

impl<'a> RuleContext<'a> {
    /// Prepares a run.
    pub fn new(
        project: &'a Project,
        targets: &'a Targets,
        hosts: Vec<&'a Target>,
        settings: &'a Settings,
    ) -> Self {
        Self {
            project,
            targets,
            hosts,
            settings,
            progress: Progress::default(),
            ledgers: OnceLock::new(),
            keys: [ComponentKind::Skill, ComponentKind::Agent, ComponentKind::Command]
                .into_iter()
                .map(|kind| (kind, fields::known_keys(targets, kind)))
                .collect(),
            paths: SourcePaths::new(project),
            directory: ComponentDirectory::new(project, &targets.source().agents),
            anchors: Anchors::new(project),
            renames: OnceLock::new(),
        }
    }

    /// What a build would report for each selected host, in their order; computed lazily.
    pub fn ledgers(&self) -> &[Ledger] {
        self.ledgers.get_or_init(|| {
            let ledger = |target: &&Target| {
                let project = self.project.for_host(&target.name, self.targets.source());
                // The progress counts files, not this build.
                let lowered = lower::lower(&project, target, self.targets, &Progress::default());
                let mut ledger = Ledger::new(lowered.rows);
                ledger.accept(&target.name, &self.project.accepted);
                ledger
            };
            self.hosts.iter().map(ledger).collect()
        })
    }

    /// The files that the texts of `component` reference.
    pub fn references<'c>(&'c self, component: &'c Component) -> &'c [FileReferences] {
        self.project.references(component, self.targets.source())
    }

    /// The limits and names that the source host's facts define for checks.
    pub fn checks(&self) -> &'a CheckFacts {
        &self.targets.source_host().checks
    }

    /// Every known tool of the source host.
    pub fn tools(&self) -> Vec<&'a str> {
        self.targets.source().tools.iter().chain(&self.checks().other_tools).map(String::as_str).collect()
    }

    /// Whether some host knows the frontmatter key in components of the kind.
    pub fn knows_key(&self, kind: ComponentKind, key: &str) -> bool {
        self.keys.get(&kind).is_some_and(|keys| keys.contains(key))
    }

    /// Every frontmatter key that some host knows in components of the kind.
    pub fn keys(&self, kind: ComponentKind) -> impl Iterator<Item = &'a str> {
        self.keys.get(&kind).into_iter().flatten().copied()
    }

    /// Whether the source host is among the selected hosts.
    pub fn for_source_host(&self) -> bool {
        self.hosts.iter().any(|host| host.source.is_some())
    }

    /// Whether a file is part of a plugin for another host, such as those below `.codex-plugin`: the source host's
    /// agents and tools do not apply to it.
    pub fn is_for_another_host(&self, path: &Utf8Path) -> bool {
        let own = self.targets.source().manifest.split('/').next();
        let mut parts = path.components().map(|part| part.as_str());
        parts.any(|part| part.starts_with('.') && part.ends_with("-plugin") && Some(part) != own)
    }

    /// The source host for a finding that applies to it alone; empty if no other host is selected.
    pub fn source_host_of_several(&self) -> Vec<HostId> {
        let several = self.hosts.len() > 1;
        self.hosts
            .iter()
            .filter(|host| several && host.source.is_some())
            .map(|host| host.name.clone())
            .collect()
    }

    /// Every path of the source.
    pub fn paths(&self) -> &SourcePaths<'a> {
        &self.paths
    }

    /// Every component by its names.
    pub fn directory(&self) -> &ComponentDirectory<'a> {
        &self.directory
    }

    /// The anchors that a link into a Markdown text can target.
    pub fn anchors(&self) -> &Anchors<'a> {
        &self.anchors
    }

    /// Where skills are referenced by a name that differs from their folder; computed in parallel on the first call.
    pub fn renames(&self) -> &SkillRenames {
        self.renames.get_or_init(|| SkillRenames::find(self))
    }

    /// Every text file of every plugin, by path.
    pub fn texts(&self) -> Vec<PluginText<'a>> {
        let components = || self.project.plugins.iter().flat_map(Plugin::author_files);
        let beside =
            components().flat_map(|one| one.files.iter().map(move |path| (path.as_str(), one, false)));
        let mains = components().map(|one| (one.path.as_str(), one, true));
        let mut owners: Vec<(&str, &'a Component, bool)> = beside.chain(mains).collect();
        // Of several owners, the last one whose main file it is wins, else the first.
        owners.sort_by(|a, b| a.0.cmp(b.0));
        let owner = |path: &str| {
            let first = owners.partition_point(|(owned, ..)| *owned < path);
            let same = || owners[first..].iter().take_while(|(owned, ..)| *owned == path);
            let owner = same().filter(|(.., main)| *main).last().or_else(|| same().next());
            owner.map(|(_, component, main)| (*component, *main))
        };
        let of_plugin = |plugin: &'a Plugin| {
            let text =
                |path: &'a Utf8PathBuf| self.text(plugin, self.project.tree.get(path)?, owner(path.as_str()));
            plugin.files.kept.iter().filter_map(text).collect::<Vec<_>>()
        };
        let plugins = &self.project.plugins;
        let files = plugins.iter().map(|plugin| plugin.files.kept.len()).sum();
        let mut texts: Vec<PluginText<'a>> =
            parallel::map(plugins.iter().collect(), files, of_plugin).into_iter().flatten().collect();
        texts.sort_by(|a, b| by_parts(a.file.path.as_str(), b.file.path.as_str()));
        texts
    }

    /// The README of every plugin, and the one above all plugins.
    pub fn readmes(&self) -> Vec<Readme<'a>> {
        readme::of_plugins(self).into_iter().chain(readme::root_readme(self)).collect()
    }

    /// The text of `file`, if it is a text file, with the component that owns it and whether it is its main file.
    pub(super) fn text(
        &self,
        plugin: &'a Plugin,
        file: &'a SourceFile,
        owner: Option<(&'a Component, bool)>,
    ) -> Option<PluginText<'a>> {
        let text = file.text()?;
        let body = match owner {
            Some((component, true)) => component.document.body,
            _ => Span::new(0, text.len()),
        };
        Some(PluginText {
            file,
            text,
            plugin,
            component: owner.map(|(component, _)| component),
            main: owner.is_some_and(|(_, main)| main),
            body,
            markdown: is_markdown(&file.path),
            example: in_examples(plugin.relative_path(&file.path))
                || in_expected_output(&file.path)
                || is_changelog(&file.path)
                || !owner.is_some_and(|(_, main)| main) && is_template(&file.path, text),
            signs: OnceLock::new(),
            may_run_commands: OnceLock::new(),
            outline: OnceLock::new(),
            links: OnceLock::new(),
            calls: OnceLock::new(),
            mentions: OnceLock::new(),
            dispatches: OnceLock::new(),
        })
    }

    /// The names of the selected hosts that satisfy `is`.
    pub fn hosts_that(&self, is: impl Fn(&Target) -> bool) -> Vec<HostId> {
        self.hosts.iter().filter(|target| is(target)).map(|target| target.name.clone()).collect()
    }

    /// The file at `path` relative to SRC.
    pub fn file(&self, path: impl AsRef<Utf8Path>) -> Option<&'a SourceFile> {
        self.project.file(path)
    }
}

impl PluginText<'_> {
    /// The Markdown of the body, parsed once.
    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| markdown::outline(self.text, self.body))
    }

    /// Whether the text contains a word of `sign`; without one, there is nothing to find.
    pub fn has_sign(&self, sign: TextSign) -> bool {
        self.signs.get_or_init(|| TextSigns::from_text(self.text)).has(sign)
    }

    /// The links to files and anchors, computed once; empty if the text belongs to no component, or if every link
    /// targets an existing file of the component.
    pub fn links(&self, context: &RuleContext<'_>) -> &[LocalLink] {
        self.links.get_or_init(|| link::find(context, self))
    }

    /// The scripts of the plugin that the text runs by path although a shell cannot start them that way; computed once.
    pub fn calls(&self, context: &RuleContext<'_>) -> &[ScriptCall] {
        self.calls.get_or_init(|| script_calls::scripts(context, self))
    }

    /// The paths that the code of the body mentions, computed once; empty if the text belongs to no component.
    pub fn mentions(&self, context: &RuleContext<'_>) -> &[PathMention] {
        self.mentions.get_or_init(|| match self.component {
            Some(_) if self.is_markdown() => mention::find(context, self),
            _ => Vec::new(),
        })
    }

    /// The places that name a component to dispatch or run, computed once.
    pub fn dispatches(&self, context: &RuleContext<'_>) -> &[Dispatch] {
        self.dispatches.get_or_init(|| dispatch::find(self, context))
    }

    /// Whether the text can contain a command that the source host runs; most cannot, and the lookup is skipped.
    pub fn may_run_commands(&self) -> bool {
        *self.may_run_commands.get_or_init(|| {
            ["!`", "```!"].iter().any(|mark| memmem::find(self.text.as_bytes(), mark.as_bytes()).is_some())
        })
    }

    /// Whether the file's name ends in `.md`.
    pub fn is_markdown(&self) -> bool {
        self.markdown
    }

    /// Whether it lies in a folder such as `.agents`, which hosts read in the project, or belongs to no plugin.
    pub fn lies_in_a_project(&self) -> bool {
        matches!(self.plugin.form, LocationForm::Loose(_))
            || self.plugin.is_check_only
                && self.plugin.root.components().any(|part| part.as_str().starts_with('.'))
    }

    /// Whether it is an example, a template or a history, so that its paths do not refer to this plugin as it is now.
    pub fn is_example(&self) -> bool {
        self.example
    }

    /// The span of a frontmatter field of a component's main file.
    pub fn field_span(&self, key: &str) -> Option<Span> {
        let fields = self.component.filter(|_| self.main)?.document.fields.as_ref()?;
        fields.entry(key).map(crate::read::tree::MappingEntry::span)
    }
}
