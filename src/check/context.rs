//! What rules see: the whole project, the selected hosts, the settings, and each text with its
//! outline, which is parsed once and only if some rule asks for it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use camino::Utf8Path;

use super::anchors::Anchors;
use super::directory::Directory;
use super::dispatch::{self, Dispatch};
use super::mention::{self, Mention};
use super::paths::Paths;
use super::settings::Settings;
use crate::ledger::Ledger;
use crate::lower;
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::model::project::Project;
use crate::read::markdown::{self, Outline};
use crate::source::{SourceFile, Span, by_parts};
use crate::target::{CheckFacts, Target, Targets};

/// What every rule sees.
#[derive(Debug)]
pub struct Context<'a> {
    /// The source, read and understood.
    pub project: &'a Project,
    /// Every host of the target table.
    pub targets: &'a Targets,
    /// The hosts that findings are about; the source host alone when none was selected.
    pub hosts: Vec<&'a Target>,
    /// What is on, and how strict.
    pub settings: &'a Settings,
    ledgers: OnceLock<Vec<Ledger>>,
    paths: Paths<'a>,
    directory: Directory<'a>,
    anchors: Anchors<'a>,
}

/// One text file of a plugin.
#[derive(Debug)]
pub struct Text<'a> {
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
    outline: OnceLock<Outline>,
    mentions: OnceLock<Vec<Mention>>,
    dispatches: OnceLock<Vec<Dispatch>>,
}

impl<'a> Context<'a> {
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
            ledgers: OnceLock::new(),
            paths: Paths::of(project),
            directory: Directory::of(project, &targets.source().agents),
            anchors: Anchors::of(project),
        }
    }

    /// What a build would say of each selected host, in their order; made when first asked for.
    pub fn ledgers(&self) -> &[Ledger] {
        self.ledgers.get_or_init(|| {
            let ledger = |target: &&Target| {
                let mut ledger = Ledger::new(lower::lower(self.project, target, self.targets).rows);
                ledger.accept(&target.name, &self.project.accepted);
                ledger
            };
            self.hosts.iter().map(ledger).collect()
        })
    }

    /// What the source host's own facts hold a source against.
    pub fn checks(&self) -> &'a CheckFacts {
        &self.targets.source_host().checks
    }

    /// Every tool of the source host that is known.
    pub fn tools(&self) -> Vec<&'a str> {
        self.targets.source().tools.iter().chain(&self.checks().other_tools).map(String::as_str).collect()
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
    pub fn paths(&self) -> &Paths<'a> {
        &self.paths
    }

    /// Every component, by its names.
    pub fn directory(&self) -> &Directory<'a> {
        &self.directory
    }

    /// The places that a link into a Markdown text can name.
    pub fn anchors(&self) -> &Anchors<'a> {
        &self.anchors
    }

    /// Every text file of every plugin, by path.
    pub fn texts(&self) -> Vec<Text<'a>> {
        let mut owners: BTreeMap<&str, (&'a Component, bool)> = BTreeMap::new();
        for component in self.project.plugins.iter().flat_map(Plugin::written) {
            for path in &component.files {
                owners.entry(path.as_str()).or_insert((component, false));
            }
        }
        for component in self.project.plugins.iter().flat_map(Plugin::written) {
            owners.insert(component.path.as_str(), (component, true));
        }
        let mut texts = Vec::new();
        for plugin in &self.project.plugins {
            for path in &plugin.files.kept {
                let Some(file) = self.project.tree.get(path) else { continue };
                let Some(text) = file.text() else { continue };
                let owner = owners.get(path.as_str()).copied();
                let main = owner.is_some_and(|(_, main)| main);
                let body = match owner {
                    Some((component, true)) => component.document.body,
                    _ => Span::new(0, text.len()),
                };
                let component = owner.map(|(component, _)| component);
                texts.push(Text {
                    file,
                    text,
                    plugin,
                    component,
                    main,
                    body,
                    outline: OnceLock::new(),
                    mentions: OnceLock::new(),
                    dispatches: OnceLock::new(),
                });
            }
        }
        texts.sort_by(|a, b| by_parts(a.file.path.as_str(), b.file.path.as_str()));
        texts
    }

    /// The names of the selected hosts that `is` is true of.
    pub fn hosts_that(&self, is: impl Fn(&Target) -> bool) -> Vec<String> {
        self.hosts.iter().filter(|target| is(target)).map(|target| target.name.clone()).collect()
    }

    /// The file at `path` relative to SRC.
    pub fn file(&self, path: impl AsRef<Utf8Path>) -> Option<&'a SourceFile> {
        self.project.tree.get(path)
    }
}

impl Text<'_> {
    /// The Markdown of the body, parsed once.
    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| markdown::outline(self.text, self.body))
    }

    /// The paths that the code of the body names, found once; none where the text belongs to no
    /// component.
    pub fn mentions(&self, context: &Context<'_>) -> &[Mention] {
        self.mentions.get_or_init(|| match self.component {
            Some(_) if self.is_markdown() => mention::find(self, context.targets.source()),
            _ => Vec::new(),
        })
    }

    /// The places that name a component to dispatch or run, found once.
    pub fn dispatches(&self, context: &Context<'_>) -> &[Dispatch] {
        self.dispatches.get_or_init(|| dispatch::find(self, context))
    }

    /// Whether the file's name ends in `.md`.
    pub fn is_markdown(&self) -> bool {
        self.file.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
    }

    /// The span of a frontmatter field of a component's own file.
    pub fn field_span(&self, key: &str) -> Option<Span> {
        let fields = self.component.filter(|_| self.main)?.document.fields.as_ref()?;
        fields.entry(key).map(crate::read::tree::Entry::span)
    }
}
