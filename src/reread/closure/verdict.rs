//! Why a claim does not resolve in the bundle: it was already dangling in the source (a warning, if it was
//! intentional), or the bundle lost what it names (an error).

use std::cell::RefCell;

use camino::{Utf8Path, Utf8PathBuf};

use super::claims::{ClaimForm, TextClaim};
use super::index::PathIndex;
use super::lookup::RowLookup;
use super::names::BundleNames;
use super::{FileContext, intent, origin};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::ledger::{Ledger, LedgerRow};
use crate::model::component::Component;
use crate::model::paths::{folder, join, nearest_path};
use crate::model::plugin::Plugin;
use crate::model::project::Project;
use crate::model::references::ReferenceTarget;
use crate::read::intent::{in_examples, is_changelog};
use crate::read::markdown::{self, Region, RegionKind};
use crate::source::{ComponentKind, Exclusion, ExclusionReason, SourceFile, Span, is_inside, is_markdown};
use crate::source_format::SourceFacts;
use crate::target::Target;

/// The rules of `check` under which a build reports what is also missing in the source.
const BROKEN_LINK: RuleId = RuleId::BROKEN_LINK;
const LEAVES_PLUGIN: RuleId = RuleId::CROSS_SKILL_REFERENCE;
pub(super) const MISSING_PATH: RuleId = RuleId::MISSING_BUNDLED_PATH;
const UNKNOWN_AGENT: RuleId = RuleId::UNKNOWN_AGENT;
const UNKNOWN_SKILL: RuleId = RuleId::UNKNOWN_SKILL;
/// The rule for what only the bundle lacks.
pub(super) const CLOSURE: RuleId = RuleId::CLOSURE;
/// The help for a bug in plugcast itself.
const REPORT: &str = "this is a bug in plugcast; please report it with the file";

/// Judges claims and collects diagnostics.
pub(super) struct ClosureJudge<'a> {
    pub(super) project: &'a Project,
    pub(super) target: &'a Target,
    pub(super) source: &'a SourceFacts,
    pub(super) index: &'a PathIndex<'a>,
    pub(super) sources: &'a PathIndex<'a>,
    pub(super) ledger: &'a Ledger,
    pub(super) lookup: RowLookup<'a>,
    pub(super) found: Vec<Diagnostic>,
    /// The regions of the source text that was queried last.
    pub(super) regions: RefCell<Option<(&'a Utf8Path, Vec<Region>)>>,
}

/// A path as written in the source.
struct WrittenPath<'a> {
    file: &'a SourceFile,
    span: Span,
    form: ClaimForm,
    path: &'a str,
}

/// Whether a file is for the author's tools and omitted from bundles.
fn is_build_file(plugin: &Plugin, path: &Utf8Path) -> bool {
    let mut left_out = plugin.files.left_out.iter();
    left_out
        .any(|exclusion| exclusion.reason == ExclusionReason::BuildFile && path.starts_with(&exclusion.path))
}

impl<'a> ClosureJudge<'a> {
    /// Whether the path of `claim` resolves in the bundle, from one of the folders that it may be relative to. A path
    /// that leaves the plugin's folder does not.
    fn resolves(&self, place: &FileContext<'_>, claim: &TextClaim<'_>) -> bool {
        let own = folder(place.file.path);
        let bases = match claim.form {
            ClaimForm::Root => [Some(place.root()), None, None],
            ClaimForm::Skill => [place.skill_folder(), own, None],
            _ => [own, place.skill_folder(), Some(place.root())],
        };
        let root = place.root().as_str();
        let target_path = |path: Utf8PathBuf| is_inside(path.as_str(), root) && self.index.contains(&path);
        bases.into_iter().flatten().any(|base| join(base, claim.written).is_some_and(target_path))
    }

    /// The first name of a path in prose, if the path has no `..`.
    pub(super) fn first_name<'t>(claim: &TextClaim<'t>) -> Option<&'t str> {
        let mut parts = claim.written.split('/').skip_while(|part| matches!(*part, "" | "."));
        let first = parts.next().filter(|first| claim.form == ClaimForm::Bare && *first != "..")?;
        parts.all(|part| part != "..").then_some(first)
    }

    /// Whether `name` is in any of the folders that a path in prose may be relative to. A cheap test first, since most
    /// paths are examples from another project.
    pub(super) fn begins_here(&self, place: &FileContext<'_>, name: &str) -> bool {
        let emitted = [folder(place.file.path), place.skill_folder(), Some(place.root())];
        let own = place.file.from.and_then(folder);
        let written = [own, place.owner.map(|owner| owner.folder()), Some(place.plugin.root.as_path())];
        let holds = |index: &PathIndex<'_>, folders: [Option<&Utf8Path>; 3]| {
            folders.into_iter().flatten().any(|folder| index.has_child(folder, name))
        };
        holds(self.index, emitted) || holds(self.sources, written)
    }

    /// Judges a path in an author's text. A text that no host loads is read by people, in the source, so only its links
    /// are checked.
    pub(super) fn check_path(&mut self, place: &FileContext<'_>, claim: &TextClaim<'_>) {
        if (place.owner.is_none() && claim.form != ClaimForm::Link) || self.resolves(place, claim) {
            return;
        }
        let project = self.project;
        let Some((file, span, made)) = origin::find(project, &place.file, claim.span) else { return };
        if made {
            return;
        }
        let (form, path) = self.as_written(claim, span.slice(file.text().unwrap_or_default()));
        let written = WrittenPath { file, span, form, path };
        match self.target_path(place, &written) {
            // In prose, a name such as `.gitignore` means the user's file.
            Some(path) if form == ClaimForm::Bare && is_build_file(place.plugin, &path) => {}
            None => self.report_missing(place, &written),
            Some(path) if self.is_of_project(&written, &path) => {}
            Some(path) => self.report_lost(place, (file, span), written.path, &path),
        }
    }

    /// Whether the path may mean a file of the user's project, although the plugin has one of that name: a bare name
    /// outside a real link, or a folder in a command.
    fn is_of_project(&self, written: &WrittenPath<'a>, path: &Utf8Path) -> bool {
        let at = written.span.start;
        match written.form {
            ClaimForm::Link => !written.path.contains('/') && !self.is_link(written.file, at),
            ClaimForm::Bare if self.sources.has_folder(path) => {
                let before = written.file.text().and_then(|text| text.get(..at)).unwrap_or_default();
                before.ends_with("cd ") || self.region(written.file, at) == Some(RegionKind::CodeBlock)
            }
            _ => false,
        }
    }

    /// The claim as the source writes it, since the emitted text may be edited.
    fn as_written<'t>(&self, claim: &TextClaim<'_>, text: &'t str) -> (ClaimForm, &'t str) {
        for (name, form) in
            [(&self.source.plugin_root, ClaimForm::Root), (&self.source.skill_folder, ClaimForm::Skill)]
        {
            if let Some(rest) = text.strip_prefix(&format!("${{{name}}}")) {
                return (form, rest.trim_start_matches(['"', '\'', '/']));
            }
        }
        (if claim.form == ClaimForm::Link { ClaimForm::Link } else { ClaimForm::Bare }, text)
    }

    /// The target of the path in the source, whether or not it is part of the build.
    fn target_path(&self, place: &FileContext<'_>, written: &WrittenPath<'_>) -> Option<Utf8PathBuf> {
        let own = written.file.path.parent();
        let skill = place.owner.map(|owner| owner.folder());
        let bases = match written.form {
            ClaimForm::Root => [Some(place.plugin.root.as_path()), None],
            ClaimForm::Skill => [skill, own],
            _ => [own, skill],
        };
        let paths = bases.into_iter().flatten().filter_map(|base| join(base, written.path));
        paths
            .into_iter()
            .find(|path| path.starts_with(&place.plugin.root) && self.is_known(place.plugin, path))
    }

    /// Whether the source of `plugin` has `path`, even if it is excluded.
    pub(super) fn is_known(&self, plugin: &Plugin, path: &Utf8Path) -> bool {
        let holds = |exclusion: &Exclusion| path.starts_with(&exclusion.path);
        let left_out = plugin.files.left_out.iter().chain(&self.project.tree.exclusions);
        self.sources.contains(path) || left_out.into_iter().any(holds)
    }

    /// Reports a path or name that only the bundle lacks; `path` is its file in the source.
    pub(super) fn report_lost(
        &mut self,
        place: &FileContext<'_>,
        (file, span): (&SourceFile, Span),
        named: &str,
        path: &Utf8Path,
    ) {
        let row = self.lookup.dropped_row(path);
        let why = row.and_then(|row| row.reason.as_deref());
        let is_loaded = place.owner.is_some() || !is_markdown(place.file.path);
        let (severity, help) = self.weight(row, is_loaded);
        // A document that the host replaces with its own, such as the one for servers.
        let mut documents = place.plugin.others.iter().filter(|other| other.own_file);
        let is_rewritten = row.is_none() && documents.any(|other| other.path == path);
        let (severity, help, why) = match is_rewritten {
            true => {
                let help = "describe the content of the file, or remove the reference".to_owned();
                (Severity::Warning, help, Some("the host keeps what it declares in another file"))
            }
            false => (severity, help, why),
        };
        let why = why.map_or(String::new(), |why| format!(": {why}"));
        // The same wording for every host, so that diagnostics of several hosts can be merged.
        let message = format!("`{named}` is not in the bundle{why}");
        let finding = Diagnostic::in_file(file, span, severity, CLOSURE, message);
        self.found.push(finding.host(&self.target.name).help(help));
    }

    /// Whether the file or folder at `path` of the source is excluded by a `.gitignore`.
    fn is_ignored(&self, path: &str) -> bool {
        let mut exclusions = self.project.tree.exclusions.iter();
        exclusions.any(|exclusion| exclusion.path == path && exclusion.reason == ExclusionReason::Ignored)
    }

    /// The severity and the help for what `row` dropped. A loss that the author accepted, and a text that only people
    /// read, do not fail the build.
    fn weight(&self, row: Option<&LedgerRow>, loaded: bool) -> (Severity, String) {
        let loss = row.and_then(|row| row.loss.as_ref());
        let accepted = loss.is_some_and(|loss| loss.accepted);
        let severity = if loaded && !accepted { Severity::Error } else { Severity::Warning };
        let help = match loss {
            _ if !loaded => "no host loads this text, but readers will look for the file".to_owned(),
            _ if row.is_some_and(|row| self.is_ignored(&row.path)) => {
                "list the file under `include` of `[build]` in `plugcast.toml`, or remove the reference"
                    .to_owned()
            }
            Some(loss) => format!("say in the text what to do without it, and accept the loss `{}`", loss.id),
            None => "ship the file, or remove the reference".to_owned(),
        };
        (severity, help)
    }

    /// Reports a path whose target is missing in the source, if it was meant to name a file of the plugin.
    fn report_missing(&mut self, place: &FileContext<'_>, written: &WrittenPath<'a>) {
        let Some(owner) = place.owner else { return };
        let base = match written.form {
            ClaimForm::Root => place.plugin.root.as_path(),
            ClaimForm::Skill => owner.folder(),
            _ => {
                let own = written.file.path.parent().unwrap_or(Utf8Path::new(""));
                let top = written.path.split('/').next().unwrap_or_default();
                let has_top = |base: &Utf8Path| self.sources.has_folder(&base.join(top));
                if has_top(own) || !has_top(owner.folder()) { own } else { owner.folder() }
            }
        };
        let text = written.file.text().unwrap_or_default();
        let beside = if written.form == ClaimForm::Root { [base, base] } else { [base, owner.folder()] };
        let folder = |top: &str| beside.iter().any(|base| self.sources.has_folder(&base.join(top)));
        let other_skill = |near: &str| {
            let skills = place.plugin.components.iter().filter(|other| other.path != owner.path);
            skills.into_iter().any(|other| {
                near.contains(&*other.name) && self.sources.contains(&other.folder().join(written.path))
            })
        };
        let case = intent::SourcePath { text, span: written.span, form: written.form, path: written.path };
        let is_link = || self.is_link(written.file, written.span.start);
        let path = &written.file.path;
        if in_examples(path) || is_changelog(path) || !case.names_plugin_file(&folder, &other_skill, &is_link)
        {
            return;
        }
        let target = join(base, written.path).filter(|path| path.starts_with(&place.plugin.root));
        let is_in_plugin = target.is_some();
        let wanted = target.unwrap_or_else(|| written.path.into());
        let inner = place.plugin.relative_path(&wanted);
        let message = match is_in_plugin {
            true => format!("`{}` does not exist: the plugin has no `{inner}`", written.path),
            false => {
                format!("`{}` points outside the plugin, but only the plugin is installed", written.path)
            }
        };
        let known = place.plugin.files.kept.iter().map(|path| path.as_path());
        let help = match nearest_path(&wanted, known) {
            Some(other) => format!("did you mean `{}`?", place.plugin.relative_path(other)),
            None => "add the file, or fix the path".to_owned(),
        };
        let rule = match written.form {
            _ if !is_in_plugin => LEAVES_PLUGIN,
            ClaimForm::Link => BROKEN_LINK,
            _ => MISSING_PATH,
        };
        let finding = Diagnostic::in_file(written.file, written.span, Severity::Warning, rule, message);
        self.found.push(finding.help(help));
    }

    /// Whether Markdown parses what is at `at` of `file` as a link, not as code.
    fn is_link(&self, file: &'a SourceFile, at: usize) -> bool {
        self.region(file, at) == Some(RegionKind::Link)
    }

    /// The Markdown region of `file` at `at`.
    fn region(&self, file: &'a SourceFile, at: usize) -> Option<RegionKind> {
        let mut known = self.regions.borrow_mut();
        if known.as_ref().is_none_or(|(path, _)| *path != file.path) {
            let text = file.text().unwrap_or_default();
            *known = Some((&file.path, markdown::regions(text, Span::new(0, text.len()))));
        }
        let regions = known.as_ref().map_or(&[][..], |(_, regions)| regions);
        markdown::region_at(regions, at)
    }

    /// Checks a path in a generated block. What is missing in the source, or was dropped, is reported where the
    /// author's text names it.
    pub(super) fn check_generated(&mut self, place: &FileContext<'_>, claim: &TextClaim<'_>) {
        let relative = claim.written.starts_with("./") || claim.written.starts_with("../");
        let counts = claim.form == ClaimForm::Bare && (relative || is_markdown(claim.written));
        if !counts || self.resolves(place, claim) {
            return;
        }
        let path = place.file.path.parent().and_then(|folder| join(folder, claim.written));
        let inner = path.as_ref().and_then(|path| path.strip_prefix(place.root()).ok());
        let source = inner.map(|inner| place.plugin.root.join(inner));
        if source.is_some_and(|path| {
            !self.is_known(place.plugin, &path) || self.lookup.dropped_row(&path).is_some()
        }) {
            return;
        }
        let Some((file, span, _)) = origin::find(self.project, &place.file, claim.span) else { return };
        let message =
            format!("`{}` refers to `{}`, which the bundle does not contain", place.file.path, claim.written);
        self.fault(file, span, message);
    }

    /// Reports a variable or name that has no meaning on the host and is not bound by the block. A component's own
    /// name, or that of an agent which it only mentions, need not be bound.
    pub(super) fn report_unbound(&mut self, place: &FileContext<'_>, claim: &TextClaim<'_>) {
        let Some((file, span, _)) = origin::find(self.project, &place.file, claim.span) else { return };
        if claim.form == ClaimForm::Name && place.owner.is_some_and(|owner| !self.is_used(owner, file, span))
        {
            return;
        }
        let main = place.main.map_or(place.file.path, |main| main.path);
        let message = format!(
            "`{}` has no meaning on the host, and `{main}` does not say what replaces it",
            claim.text
        );
        self.fault(file, span, message);
    }

    /// Whether the name at `span` of `file` is that of another component that the text uses: it does not only mention or
    /// forbid it.
    fn is_used(&self, owner: &Component, file: &SourceFile, span: Span) -> bool {
        let groups = self.project.references(owner, self.source).iter();
        let found = groups.filter(|group| group.path == file.path).find_map(|group| {
            // References are in order, and few are nested.
            let begun = group.references.partition_point(|reference| reference.span.start <= span.start);
            let mut nearest = group.references[..begun].iter().rev().take(64);
            nearest.rfind(|reference| reference.span.contains(span.start))
        });
        if found.is_some_and(|reference| reference.forbidden) {
            return false;
        }
        match found.map(|reference| (&reference.named, reference.asked)) {
            Some((ReferenceTarget::Component(_, name), _)) if *name == owner.qualified => false,
            Some((ReferenceTarget::Component(ComponentKind::Agent, _), asked)) => {
                asked && owner.may_dispatch(self.source)
            }
            _ => true,
        }
    }

    /// Reports a bug in the lowering.
    pub(super) fn fault(&mut self, file: &SourceFile, span: Span, message: String) {
        let finding = Diagnostic::in_file(file, span, Severity::Error, CLOSURE, message);
        self.found.push(finding.host(&self.target.name).help(REPORT));
    }

    /// Reports a bug in the lowering in a file that has no source file.
    pub(super) fn fault_in(&mut self, path: &Utf8Path, message: String) {
        let finding = Diagnostic::for_file(path, Severity::Error, CLOSURE, message);
        self.found.push(finding.host(&self.target.name).help(REPORT));
    }

    /// Reports a qualified name that the bundle does not provide.
    pub(super) fn check_name(
        &mut self,
        place: &FileContext<'_>,
        claim: &TextClaim<'_>,
        offered: &BundleNames,
    ) {
        let Some(owner) = place.owner else { return };
        let Some((file, span, _)) = origin::find(self.project, &place.file, claim.span) else { return };
        let written = claim.written;
        if let Some(path) = offered.source_of(written) {
            self.report_lost(place, (file, span), written, path);
        } else if let Some(near) = offered.nearest(written).filter(|_| !in_examples(&owner.path)) {
            let message = format!("unknown name `{written}`: no skill, agent or command has it");
            let help = format!("did you mean `{near}`?");
            let path = offered.source_of(near);
            let agents = self.project.plugins.iter().flat_map(|plugin| &plugin.components);
            let mut agents = agents.filter(|component| component.kind == ComponentKind::Agent);
            let agent = agents.any(|agent| path.is_some_and(|path| path == agent.path));
            let rule = if agent { UNKNOWN_AGENT } else { UNKNOWN_SKILL };
            self.found.push(Diagnostic::in_file(file, span, Severity::Warning, rule, message).help(help));
        }
    }
}
