//! What rules see: the whole project, the selected hosts, the settings, and each text with its
//! outline, which is parsed once and only if some rule asks for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use super::anchors::Anchors;
use super::directory::ComponentDirectory;
use super::dispatch::{self, Dispatch};
use super::fields;
use super::link::{self, LocalLink};
use super::mention::{self, PathMention};
use super::paths::SourcePaths;
use super::readme::{self, Readme};
use super::renames::SkillRenames;
use super::script_calls::{self, ScriptCall};
use super::settings::Settings;
use super::signs::{TextSign, TextSigns};
use crate::ledger::Ledger;
use crate::lower;
use crate::model::component::{Component, FileReferences};
use crate::model::plugin::{LocationForm, Plugin};
use crate::model::project::Project;
use crate::parallel;
use crate::progress::Progress;
use crate::read::intent::{in_examples, in_expected_output, is_changelog, is_template};
use crate::read::markdown::{self, Outline};
use crate::source::{ComponentKind, SourceFile, Span, by_parts};
use crate::target::{CheckFacts, Target, Targets};

/// What every rule sees.
#[derive(Debug)]
pub struct RuleContext<'a> {
    /// The source, read and understood.
    pub project: &'a Project,
    /// Every host of the target table.
    pub targets: &'a Targets,
    /// The hosts that findings are about.
    pub hosts: Vec<&'a Target>,
    /// What is on, and how strict.
    pub settings: &'a Settings,
    /// Hears which files are checked.
    pub progress: Progress,
    ledgers: OnceLock<Vec<Ledger>>,
    /// Frontmatter keys by kind of component.
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
    /// Whether it is that component's own file, not one beside it.
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
                .map(|kind| (kind, fields::known(targets, kind)))
                .collect(),
            paths: SourcePaths::new(project),
            directory: ComponentDirectory::new(project, &targets.source().agents),
            anchors: Anchors::new(project),
            renames: OnceLock::new(),
        }
    }

    /// What a build would say of each selected host, in their order; made when first asked for.
    pub fn ledgers(&self) -> &[Ledger] {
        self.ledgers.get_or_init(|| {
            let ledger = |target: &&Target| {
                let project = self.project.for_host(&target.name, self.targets.source());
                // What is counted meanwhile are files.
                let lowered = lower::lower(&project, target, self.targets, &Progress::default());
                let mut ledger = Ledger::new(lowered.rows);
                ledger.accept(&target.name, &self.project.accepted);
                ledger
            };
            self.hosts.iter().map(ledger).collect()
        })
    }

    /// What the texts of `component` name.
    pub fn references<'c>(&'c self, component: &'c Component) -> &'c [FileReferences] {
        self.project.references(component, self.targets.source())
    }

    /// What the source host's own facts hold a source against.
    pub fn checks(&self) -> &'a CheckFacts {
        &self.targets.source_host().checks
    }

    /// Every tool of the source host that is known.
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

    /// Whether findings are about the source host, too.
    pub fn for_source_host(&self) -> bool {
        self.hosts.iter().any(|host| host.source.is_some())
    }

    /// The source host for a finding that is about it alone; empty where no other host is selected.
    pub fn source_host_of_several(&self) -> Vec<String> {
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

    /// Every component, by its names.
    pub fn directory(&self) -> &ComponentDirectory<'a> {
        &self.directory
    }

    /// The places that a link into a Markdown text can name.
    pub fn anchors(&self) -> &Anchors<'a> {
        &self.anchors
    }

    /// Where skills are called by a name that is not their folder's; looked for when first asked.
    pub fn renames(&self) -> &SkillRenames {
        self.renames.get_or_init(|| SkillRenames::find(self))
    }

    /// Every text file of every plugin, by path.
    pub fn texts(&self) -> Vec<PluginText<'a>> {
        let components = || self.project.plugins.iter().flat_map(Plugin::written);
        let beside =
            components().flat_map(|one| one.files.iter().map(move |path| (path.as_str(), one, false)));
        let mains = components().map(|one| (one.path.as_str(), one, true));
        let mut owners: Vec<(&str, &'a Component, bool)> = beside.chain(mains).collect();
        // Of several owners the last whose own file it is counts, else the first.
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

    /// The README of every plugin, and the one above them all.
    pub fn readmes(&self) -> Vec<Readme<'a>> {
        readme::of_plugins(self).into_iter().chain(readme::above(self)).collect()
    }

    /// The text of `file`, if it is one, with the component that owns it and whether the file is its own.
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
            markdown: file.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md")),
            example: in_examples(plugin.inner(&file.path))
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

    /// The names of the selected hosts that `is` is true of.
    pub fn hosts_that(&self, is: impl Fn(&Target) -> bool) -> Vec<String> {
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

    /// Whether the text holds a word without which there is nothing to find.
    pub fn has(&self, sign: TextSign) -> bool {
        self.signs.get_or_init(|| TextSigns::from_text(self.text)).has(sign)
    }

    /// The links to files and places, found once; none where the text belongs to no component, or where each leads to a file
    /// of the component.
    pub fn links(&self, context: &RuleContext<'_>) -> &[LocalLink] {
        self.links.get_or_init(|| link::find(context, self))
    }

    /// The scripts of the plugin that the text calls by their path although no shell can start them so, found once.
    pub fn calls(&self, context: &RuleContext<'_>) -> &[ScriptCall] {
        self.calls.get_or_init(|| script_calls::scripts(context, self))
    }

    /// The paths that the code of the body names, found once; none where the text belongs to no
    /// component.
    pub fn mentions(&self, context: &RuleContext<'_>) -> &[PathMention] {
        self.mentions.get_or_init(|| match self.component {
            Some(_) if self.is_markdown() => mention::find(context, self),
            _ => Vec::new(),
        })
    }

    /// The places that name a component to dispatch or run, found once.
    pub fn dispatches(&self, context: &RuleContext<'_>) -> &[Dispatch] {
        self.dispatches.get_or_init(|| dispatch::find(self, context))
    }

    /// Whether the text can hold a command that the source host runs: most do not, and need no look at what they name.
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
            || self.plugin.beside && self.plugin.root.components().any(|part| part.as_str().starts_with('.'))
    }

    /// Whether it lies among examples or templates, so that its paths are somebody else's, or tells what was.
    pub fn is_example(&self) -> bool {
        self.example
    }

    /// The span of a frontmatter field of a component's own file.
    pub fn field_span(&self, key: &str) -> Option<Span> {
        let fields = self.component.filter(|_| self.main)?.document.fields.as_ref()?;
        fields.entry(key).map(crate::read::tree::MappingEntry::span)
    }
}
