//! The host's list of skills, which is limited in folders and in text for the model. Skills beyond the folders cannot
//! be carried; before the text overflows, commands that take arguments are left to the user, who types those anyway.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::place::OutputPaths;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::ledger::ComponentKind;
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::model::project::ResolvedProject;
use crate::model::qualified_name::QualifiedName;
use crate::model::references::ReferenceTarget;
use crate::source::SourceTree;
use crate::target::{CommandEmission, ListingFacts, Target};

/// The effect of the list on one plugin.
#[derive(Debug, Default)]
pub(super) struct PluginListing {
    /// Why a component is beyond the folders that the host reads.
    beyond: BTreeMap<(ComponentKind, QualifiedName), String>,
    /// Commands that only the user may invoke here, and why.
    waiting: BTreeSet<QualifiedName>,
    reason: String,
    /// The warning if the text still overflows.
    overflow: Option<String>,
    /// The entries of the list.
    lines: Vec<ListingLine>,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ListingLine {
    /// The qualified name.
    name: String,
    /// Its tokens.
    whole: usize,
    /// The same without the description.
    least: usize,
    /// The bytes of that.
    rest: usize,
    /// Characters and bytes of the description.
    description: (usize, usize),
}

/// The effect of the host's list on all plugins of the bundle together.
#[derive(Debug)]
pub(super) struct SessionListing {
    /// How many skills there are.
    all: usize,
    /// The bytes of their lines.
    needs: String,
    /// The bytes that the host shows; `None` if it shows all of them.
    holds: Option<String>,
    /// The names that the host leaves out.
    omitted: BTreeSet<String>,
    /// How many descriptions it cuts, and to how many characters.
    cut: (usize, usize),
    /// The bytes of the host's built-in skills.
    own: String,
    plugins: usize,
}

impl SessionListing {
    /// Counts the lines of `listings`, those of the bundle's plugins; `None` if everything is shown in full.
    pub(super) fn from_listings<'a>(
        target: &Target,
        listings: impl Iterator<Item = &'a PluginListing>,
    ) -> Option<Self> {
        let facts = target.listing.as_ref()?;
        let listings: Vec<&PluginListing> = listings.filter(|listing| !listing.lines.is_empty()).collect();
        let mut lines: Vec<&ListingLine> = listings.iter().flat_map(|listing| &listing.lines).collect();
        lines.sort();
        let whole: usize = lines.iter().map(|line| line.whole).sum();
        let (all, plugins, needs) = (lines.len(), listings.len(), bytes(whole, facts));
        let Some(session) = &facts.session else {
            let large = facts.shows_all && whole > facts.budget;
            let (omitted, own) = (BTreeSet::new(), String::new());
            return large.then_some(Self { all, needs, holds: None, omitted, cut: (0, 0), own, plugins });
        };
        let folders = session.folder * listings.len().saturating_sub(1);
        let holds = session.budget.saturating_sub(session.own + folders);
        // For a single plugin, the facts for one plugin apply.
        if whole <= if listings.len() == 1 { facts.budget } else { holds } {
            return None;
        }
        let mut left = session.budget.saturating_sub(session.own_least + folders);
        let mut omitted = BTreeSet::new();
        for line in &lines {
            match left.checked_sub(line.least).filter(|_| omitted.is_empty()) {
                Some(rest) => left = rest,
                None => drop(omitted.insert(line.name.clone())),
            }
        }
        let (holds, own) = (Some(bytes(session.budget, facts)), bytes(session.own, facts));
        let cut = cut_descriptions(&lines, &session.own_descriptions, left, facts);
        Some(Self { all, needs, holds, omitted, cut, own, plugins })
    }

    /// The outcome for the list.
    fn sentence(&self, title: &str, holds: &str) -> String {
        let Self { needs, plugins, own, .. } = self;
        let together = match plugins {
            1 => String::new(),
            several => format!(" when all {several} plugins are installed"),
        };
        let effect = self.effect();
        format!(
            "{title} shows {holds} bytes of all skills of a session, {own} of them its own, and the bundle's have {needs}{together}: {effect}"
        )
    }

    fn effect(&self) -> String {
        let about = if self.plugins == 1 { "" } else { "about " };
        match self.omitted.len() {
            0 => {
                let (count, length) = self.cut;
                format!("it cuts {about}{count} of {} descriptions to about {length} characters", self.all)
            }
            out => format!(
                "it removes all descriptions and shows {about}{} of {} skills",
                self.all - out,
                self.all
            ),
        }
    }

    /// Why the skills of the plugin with this `listing` are not shown in full.
    pub(super) fn reason(&self, listing: &PluginListing, title: &str) -> Option<String> {
        let holds = self.holds.as_deref().filter(|_| !listing.lines.is_empty())?;
        let out = listing.lines.iter().filter(|line| self.omitted.contains(&line.name)).count();
        let own = match (out, self.plugins) {
            (0, _) | (_, 1) => String::new(),
            (out, _) => format!(
                "; of the {} of this plugin, {} are shown",
                listing.lines.len(),
                listing.lines.len() - out
            ),
        };
        Some(format!("{}{own}", self.sentence(title, holds)))
    }

    /// Reports that the list of several plugins overflows, or makes every request large.
    pub(super) fn report(&self, target: &Target) -> Option<Diagnostic> {
        let title = &target.host.title;
        let (message, help) = match &self.holds {
            None => (
                format!(
                    "the {} skills of the bundle fill {} bytes of each request: {title} lists them all, however many",
                    self.all, self.needs
                ),
                "shorten descriptions, or split the bundle so that users install what they need",
            ),
            Some(holds) if self.plugins > 1 => (
                self.sentence(title, holds),
                "shorten descriptions, or tell users which plugins to install together",
            ),
            Some(_) => return None,
        };
        let found = Diagnostic::for_file(".", Severity::Warning, RuleId::LISTING_BUDGET, message);
        Some(found.host(&target.name).help(help))
    }
}

/// How many descriptions of `lines` the host cuts, and to how many characters: it distributes `left` tokens to all of
/// them, including its `own`, one character each in turn.
fn cut_descriptions(
    lines: &[&ListingLine],
    own: &[usize],
    left: usize,
    facts: &ListingFacts,
) -> (usize, usize) {
    let size = facts.bytes_per_token.max(1);
    let of_lines = lines.iter().map(|line| (line.rest, line.description));
    let descriptions: Vec<(usize, (usize, usize))> =
        of_lines.chain(own.iter().map(|count| (0, (*count, *count)))).collect();
    let tokens = |cap: usize| -> usize {
        let cost = descriptions.iter().map(|(rest, (count, bytes))| {
            let shown = bytes * cap.min(*count) / (*count).max(1);
            // A description follows a space.
            let bytes = if shown == 0 { *rest } else { rest + " ".len() + shown };
            bytes.div_ceil(size) - rest.div_ceil(size)
        });
        cost.sum()
    };
    let (mut fits, mut over) = (0, facts.description_limit + 1);
    while over - fits > 1 {
        let middle = usize::midpoint(fits, over);
        *(if tokens(middle) <= left { &mut fits } else { &mut over }) = middle;
    }
    (lines.iter().filter(|line| line.description.0 > fits).count(), fits)
}

impl PluginListing {
    /// Counts the folders and the lines of `plugin`.
    pub(super) fn new(
        plugin: &Plugin,
        target: &Target,
        places: &OutputPaths,
        resolved: ResolvedProject<'_>,
    ) -> Self {
        let mut out = Self::default();
        let Some(facts) = target.listing.as_ref() else { return out };
        if !facts.unlists_commands {
            if facts.shows_all {
                let listed = plugin.components.iter().filter(|component| is_listed(component, target));
                out.lines = listed.filter_map(|component| line(component, places, facts)).collect();
            }
            return out;
        }
        out.count_folders(plugin, target, places, facts);
        let listed: Vec<(&Component, ListingLine)> = plugin
            .components
            .iter()
            .filter(|component| is_listed(component, target) && out.unread_folder(component).is_none())
            .filter_map(|component| Some((component, line(component, places, facts)?)))
            .collect();
        let needed: usize = listed.iter().map(|(_, line)| line.whole).sum();
        if needed <= facts.budget {
            out.lines = listed.into_iter().map(|(_, line)| line).collect();
            return out;
        }
        let title = &target.host.title;
        let (needs, holds) = (bytes(needed, facts), bytes(facts.budget, facts));
        let waiting = listed.iter().filter(|(component, _)| is_argument_driven(component, resolved));
        let freed: usize = waiting.clone().map(|(_, line)| line.whole).sum();
        out.waiting = waiting.map(|(component, _)| component.qualified.clone()).collect();
        out.reason = format!(
            "{title} lists {holds} bytes of one plugin to its model, and this plugin has {needs}: commands that take arguments are left to the user"
        );
        let stay = |(_, line): &&(&Component, ListingLine)| !out.waiting.contains(line.name.as_str());
        out.lines = listed.iter().filter(stay).map(|(_, line)| line.clone()).collect();
        let rest = needed - freed;
        if rest > facts.budget {
            let count = out.waiting.len();
            let without = match count {
                0 => String::new(),
                1 => " without 1 command that is left to the user".to_owned(),
                _ => format!(" without {count} commands that are left to the user"),
            };
            let alone = SessionListing::from_listings(target, std::iter::once(&out));
            let effect = alone.map_or("it shortens descriptions".to_owned(), |alone| alone.effect());
            out.overflow = Some(format!(
                "the list of skills of `{}` has {} bytes{without}, and {title} shows {holds} of one plugin: {effect}",
                plugin.name,
                bytes(rest, facts),
            ));
        }
        out
    }

    /// Folders are read in the order of their names, whether they hold a skill or not.
    fn count_folders(
        &mut self,
        plugin: &Plugin,
        target: &Target,
        places: &OutputPaths,
        facts: &ListingFacts,
    ) {
        let searched = Utf8Path::new(&target.skill.path).components().next();
        let searched = searched.map(|part| part.as_str().to_owned()).unwrap_or_default();
        let folder = |path: &Utf8Path| {
            let mut parts = path.strip_prefix(&searched).ok()?.components();
            let first = parts.next()?.as_str().to_owned();
            parts.next().is_some().then_some(first).filter(|name| !name.starts_with('.'))
        };
        let folders: BTreeSet<String> = places.files.values().filter_map(|path| folder(path)).collect();
        let Some(read) = facts.folders.filter(|read| folders.len() > *read) else { return };
        let beyond: BTreeSet<&String> = folders.iter().skip(read).collect();
        for component in &plugin.components {
            let key = (component.kind, component.qualified.clone());
            let Some(folder) = places.components.get(&key).and_then(|path| folder(path)) else { continue };
            if beyond.contains(&folder) {
                let why = format!(
                    "{} reads {} folders of skills, and this plugin has {}",
                    target.host.title,
                    read,
                    folders.len()
                );
                self.beyond.insert(key, why);
            }
        }
    }

    /// Why `component` is beyond the folders that the host reads.
    pub(super) fn unread_folder(&self, component: &Component) -> Option<&str> {
        self.beyond.get(&(component.kind, component.qualified.clone())).map(String::as_str)
    }

    /// Reports that the list of `plugin` overflows.
    pub(super) fn report(&self, plugin: &Plugin, tree: &SourceTree, target: &Target) -> Option<Diagnostic> {
        let message = self.overflow.as_ref()?;
        let named = plugin
            .manifest
            .as_ref()
            .and_then(|manifest| Some((tree.get(&manifest.path)?, manifest.node.entry("name")?.span())));
        let root = if plugin.root.as_str().is_empty() { Utf8Path::new(".") } else { &plugin.root };
        let found = match named {
            Some((file, span)) => {
                Diagnostic::in_file(file, span, Severity::Warning, RuleId::LISTING_BUDGET, message)
            }
            None => Diagnostic::for_file(root, Severity::Warning, RuleId::LISTING_BUDGET, message),
        };
        let help = "shorten descriptions, split the plugin, or set `disable-model-invocation: true` on skills that only users start";
        Some(found.host(&target.name).help(help))
    }

    /// Why `component` is left to the user, although its author lets the model invoke it.
    pub(super) fn waits(&self, component: &Component) -> Option<&str> {
        (component.kind == ComponentKind::Command && self.waiting.contains(&component.qualified))
            .then_some(self.reason.as_str())
    }
}

/// Whether the model sees the component in the list.
fn is_listed(component: &Component, target: &Target) -> bool {
    let is_skill = component.kind == ComponentKind::Skill
        || component.kind == ComponentKind::Command && target.command.emission == CommandEmission::AsSkill;
    is_skill && !component.is_user_only()
}

/// Whether the user passes arguments to it: it declares them, or its text has a placeholder.
fn is_argument_driven(component: &Component, resolved: ResolvedProject<'_>) -> bool {
    let mut names = resolved.references(component).iter().flat_map(|file| &file.references);
    component.kind == ComponentKind::Command
        && (component.field("arguments").is_some()
            || component.has_argument_hint()
            || names.any(|reference| matches!(reference.named, ReferenceTarget::Argument(_))))
}

/// The component's line with its size with and without the description; `None` without a description, which keeps it
/// off the list.
fn line(component: &Component, places: &OutputPaths, facts: &ListingFacts) -> Option<ListingLine> {
    let description = component.text_field("description")?;
    let main = places.components.get(&(component.kind, component.qualified.clone()))?;
    let folder = main.parent().and_then(Utf8Path::file_name).unwrap_or_default();
    let name = &component.qualified;
    let (whole, least) = (facts.tokens(name, &description, folder), facts.least_tokens(name, folder));
    let shown = description.chars().take(facts.description_limit);
    let description = (shown.clone().count(), shown.map(char::len_utf8).sum());
    let rest = facts.least_bytes(name, folder);
    Some(ListingLine { name: name.to_string(), whole, least, rest, description })
}

/// Tokens as bytes, with a comma between thousands.
fn bytes(tokens: usize, facts: &ListingFacts) -> String {
    let digits = (tokens * facts.bytes_per_token).to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}
