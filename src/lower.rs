//! Lowers a project for one host: every file gets its path, every field and reference its outcome, and the ledger a row
//! for each. Pure: the result is nodes, not bytes.
//!
//! Each step reads earlier decisions without changing them, and returns its part of the bundle: files, and decisions
//! about parts of the source. When the parts are joined, it is known which files cannot be written, and each decision
//! becomes a row.

mod agents;
mod arguments;
mod bindings;
mod command_objects;
mod component;
mod context;
mod credentials;
mod decision;
mod declarations;
mod dispatch_search;
mod entry_fields;
mod field_leaves;
mod fields;
mod files;
mod foreign_plugin;
mod hooks;
mod hooks_and_servers;
mod inline_commands;
mod installable;
mod launcher;
mod listing;
mod manifest;
mod marketplace;
mod mentions;
mod naming;
mod native_actions;
mod notes;
mod options;
mod other_components;
mod overrides;
mod own_manifest;
mod part;
mod paths;
mod permissions;
mod place;
mod portable_yaml;
mod programs;
mod reference_rows;
mod refuse;
mod registration;
mod repair;
pub mod reserved_names;
mod rows;
mod safe_yaml;
mod sandbox;
mod script_paths;
mod server_strings;
mod server_tools;
mod servers;
mod shape;
mod shell_tests;
mod sidecar;
mod source_json;
mod texts;
mod workflows;

pub use native_actions::{is_granted, is_surely_asked};

use self::command_objects::CommandFields;
use self::component::LoweredComponent;
use self::context::LoweringContext;
use self::declarations::Declarations;
use self::files::FilesInput;
use self::listing::{PluginListing, SessionListing};
use self::manifest::ManifestInput;
use self::part::LoweredPart;
use self::place::OutputPaths;
use self::refuse::WritableNodes;
use self::texts::ComponentText;
use crate::bundle::{BundleNode, HelperFile};
use crate::diagnostic::Diagnostic;
use crate::ledger::LedgerRow;
use crate::model::component::Component;
use crate::model::overrides::HostProject;
use crate::model::plugin::Plugin;
use crate::model::project::{Project, ResolvedProject};
use crate::progress::Progress;
use crate::source::by_parts;
use crate::target::{Target, Targets};

/// A project lowered for one host.
#[derive(Debug, Default)]
pub struct LoweredBundle {
    /// Every file, sorted by path.
    pub nodes: Vec<BundleNode>,
    /// Every program that is copied unchanged, in no particular order.
    pub helpers: Vec<HelperFile>,
    /// Every row of the ledger, in no particular order.
    pub rows: Vec<LedgerRow>,
    /// Findings of the lowering.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lowers `project` for `target`, the selected host; `progress` receives each component.
pub fn lower(
    project: &HostProject<'_>,
    target: &Target,
    targets: &Targets,
    progress: &Progress,
) -> LoweredBundle {
    let source = targets.source();
    let resolved = project.resolve(source);
    let dispatched = dispatch_search::agents(project, resolved, target, source);
    let workflows = workflows::named(project, resolved);
    let commands = sandbox::CommandTable::from_rules(&target.sandbox);
    let server_tools = server_tools::ServerTools::new(project, target, source);
    let plans: Vec<PluginPlan> =
        project.plugins.iter().map(|plugin| PluginPlan::new(project, plugin, target, resolved)).collect();
    let session = SessionListing::from_listings(target, plans.iter().map(|plan| &plan.listing));
    let mut whole = rows::outside_rows(project, source);
    whole.diagnostics.extend(session.as_ref().and_then(|session| session.report(target)));
    let mut declared = Declarations::new(source.marketplace.as_str().into(), []);
    for (plugin, PluginPlan { own, places, listing }) in project.plugins.iter().zip(plans) {
        let context = LoweringContext {
            project,
            resolved,
            plugin,
            target: own.as_ref().unwrap_or(target),
            source,
            dispatched: &dispatched,
            workflows: &workflows,
            places,
            listing,
            session: session.as_ref(),
            commands: &commands,
            server_tools: &server_tools,
            defaults: options::defaults(plugin, source),
            progress,
        };
        let part = lower_plugin(&context);
        declared.add(&part.declared);
        whole.add(part);
    }
    whole.add(marketplace::lower(project, target, source, &declared));
    finish(target, whole)
}

/// The decisions about a plugin before any of its texts is examined.
struct PluginPlan {
    /// The target with this plugin's tool overrides, if there are any.
    own: Option<Target>,
    places: OutputPaths,
    listing: PluginListing,
}

impl PluginPlan {
    fn new(project: &Project, plugin: &Plugin, target: &Target, resolved: ResolvedProject<'_>) -> Self {
        let own = overrides::target(target, project.tool_substitutes.get(&plugin.name));
        let target = own.as_ref().unwrap_or(target);
        let places = OutputPaths::new(plugin, target);
        let listing = PluginListing::new(plugin, target, &places, resolved);
        Self { own, places, listing }
    }
}

/// Lowers every part of one plugin. A step takes the results of others as values, so that the compiler enforces the
/// order; the order in which the parts are joined does not matter.
fn lower_plugin(context: &LoweringContext<'_>) -> LoweredPart {
    let components = context.plugin.components.iter();
    let texts: Vec<(&Component, Vec<ComponentText<'_>>)> =
        components.map(|component| (component, texts::component_names(context, component))).collect();
    let each = texts.iter().map(|(component, texts)| {
        context.progress.step();
        component::lower(context, component, texts)
    });
    let lowered: Vec<LoweredComponent> = each.collect();
    let inline = inline_commands::lower(context);
    let runnable = hooks_and_servers::lower(context);
    let commands = CommandFields::new(context);
    let declared = &runnable.part.declared;
    let manifest = manifest::lower(context, &ManifestInput { declared, commands: &commands });
    let files = files::lower(context, &FilesInput { declared, names: &texts::name_edits(context, &texts) });
    let refused = lowered.iter().flat_map(|component| &component.refused).chain(&inline.refused);
    let notes = notes::lower(context, &refused.cloned().collect());
    let (components, registered): (Vec<_>, Vec<_>) =
        lowered.into_iter().map(|component| (component.part, component.registered)).unzip();
    let registered = registered.into_iter().flatten().chain(inline.registered).collect();
    let overflow = context.listing.report(context.plugin, &context.project.tree, context.target);
    let parts = [
        rows::plugin(context),
        rows::lost_components(context),
        runnable.part,
        inline.part,
        other_components::lower(context),
        manifest,
        files,
        registration::lower(context, registered, runnable.registered),
        launcher::lower(context),
        notes,
        workflows::pages(context).into_iter().collect(),
        commands.dropped.into_iter().chain(overrides::tools(context)).collect(),
        overflow.into_iter().chain(files::unfound_skills(context)).collect(),
    ];
    components.into_iter().chain(parts).collect()
}

/// Joins all parts to the bundle: a decision becomes a row once it is known which files are written.
fn finish(target: &Target, mut whole: LoweredPart) -> LoweredBundle {
    // Of two files at one path, the generated one comes first.
    whole.nodes.sort_by(|a, b| by_parts(a.path.as_str(), b.path.as_str()).then_with(|| a.from.cmp(&b.from)));
    let WritableNodes { nodes, unwritable, diagnostics } = refuse::split_writable(target, whole.nodes);
    let decisions = whole.decisions.into_iter().chain(whole.declared);
    let rows = decisions.map(|decision| decision.row(&unwritable)).collect();
    whole.diagnostics.extend(diagnostics);
    LoweredBundle { nodes, helpers: whole.helpers, rows, diagnostics: whole.diagnostics }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::decision::Decision;
    use super::*;
    use crate::bundle::NodeContent;
    use crate::diagnostic;
    use crate::ledger::{Ledger, RowOutcome};

    /// A part with one file from `from`, at the path that several parts want, and a decision about that source.
    fn part(path: &str, from: Option<&str>, outcome: RowOutcome) -> LoweredPart {
        let source = Utf8Path::new(from.unwrap_or("generated"));
        let content = NodeContent::Text(source.to_string());
        let from = from.map(Into::into);
        let node = BundleNode { path: path.into(), executable: false, content, from };
        let decision = Decision::for_file("kit", source).placed_at(path).with_outcome(outcome, "because");
        LoweredPart { nodes: vec![node], decisions: vec![decision], ..LoweredPart::default() }
    }

    #[test]
    fn the_order_of_parts_changes_nothing() {
        let targets = Targets::embedded().expect("the targets load");
        let bundle = |order: &[usize]| {
            let parts = |at: &usize| match at {
                0 => part("plugins/kit/a.md", Some("b.md"), RowOutcome::Kept),
                1 => part("plugins/kit/a.md", None, RowOutcome::Kept),
                2 => part("plugins/kit/A.md", Some("a.md"), RowOutcome::Mapped),
                3 => part("plugins/kit/a.md", Some("b.md"), RowOutcome::Mapped),
                _ => part("plugins/kit/aux.md", Some("c.md"), RowOutcome::Kept),
            };
            let whole = finish(targets.source_host(), order.iter().map(parts).collect());
            let mut diagnostics = whole.diagnostics;
            diagnostic::sort(&mut diagnostics);
            let nodes: Vec<String> =
                whole.nodes.iter().map(|node| format!("{} {:?}", node.path, node.from)).collect();
            (nodes, Ledger::new(whole.rows), format!("{diagnostics:?}"))
        };
        let forward = bundle(&[0, 1, 2, 3, 4]);
        let dropped = forward.1.rows.iter().filter(|row| row.outcome == RowOutcome::Dropped);
        assert_eq!(dropped.map(|row| row.path.as_str()).collect::<Vec<_>>(), ["b.md", "c.md"]);
        for order in [[4, 3, 2, 1, 0], [2, 0, 4, 1, 3], [1, 3, 0, 2, 4]] {
            assert_eq!(bundle(&order), forward, "{order:?}");
        }
    }
}
