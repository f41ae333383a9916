//! A project for one host: every file gets its place, every field and reference its outcome, and
//! the ledger a row for each. Pure: what comes out are nodes, not bytes.
//!
//! Each step takes what is decided, changes none of it, and returns its part of the bundle: files, and decisions about
//! things of the source. When the parts are joined, it is known which files cannot be written, and each decision becomes a
//! row.

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
mod field_leaves;
mod fields;
mod files;
mod foreign_plugin;
mod hooks;
mod hooks_and_servers;
mod inline;
mod installable;
mod launcher;
mod listing;
mod manifest;
mod marketplace;
mod naming;
mod native;
mod notes;
mod options;
mod other_components;
mod overrides;
mod own_manifest;
mod part;
mod paths;
mod permissions;
mod place;
mod portable;
mod reference_rows;
mod refuse;
mod registration;
mod repair;
mod rows;
mod safe_yaml;
mod sandbox;
mod server_strings;
mod server_tools;
mod servers;
mod shape;
mod shell_tests;
mod sidecar;
mod source_json;
mod texts;
mod workflows;

pub use native::is_granted;

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
use crate::model::project::Project;
use crate::source::by_parts;
use crate::target::{Target, Targets};

/// What a project becomes on one host.
#[derive(Debug, Default)]
pub struct LoweredBundle {
    /// Every file, sorted by path.
    pub nodes: Vec<BundleNode>,
    /// Every program that is copied as it is, in no particular order.
    pub helpers: Vec<HelperFile>,
    /// Every row of the ledger, in no particular order.
    pub rows: Vec<LedgerRow>,
    /// What was found wrong while lowering.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lowers `project` for `target`.
pub fn lower(project: &Project, target: &Target, targets: &Targets) -> LoweredBundle {
    let project = &*project.for_host(&target.name, targets.source());
    let source = targets.source();
    let resolved = project.resolve(source);
    let dispatched = dispatch_search::agents(project, resolved, target, source);
    let commands = sandbox::CommandTable::of(&target.sandbox);
    let server_tools = server_tools::ServerTools::new(project, target, source);
    let prepared = project.plugins.iter().map(|plugin| {
        let own = overrides::target(target, project.tools_here.get(&plugin.name));
        let target = own.as_ref().unwrap_or(target);
        let places = OutputPaths::of(plugin, target);
        let listing = PluginListing::of(plugin, target, &places, resolved);
        (own, places, listing)
    });
    let prepared: Vec<_> = prepared.collect();
    let session = SessionListing::of(target, prepared.iter().map(|(_, _, listing)| listing));
    let mut whole = rows::outside(project);
    whole.diagnostics.extend(session.as_ref().and_then(|session| session.report(target)));
    let mut declared = Declarations::new(source.marketplace.as_str().into(), []);
    for (plugin, (own, places, listing)) in project.plugins.iter().zip(prepared) {
        let context = LoweringContext {
            project,
            resolved,
            plugin,
            target: own.as_ref().unwrap_or(target),
            source,
            dispatched: &dispatched,
            places,
            listing,
            session: session.as_ref(),
            commands: &commands,
            server_tools: &server_tools,
            defaults: options::defaults(plugin, source),
        };
        let part = lower_plugin(&context);
        declared.add(&part.declared);
        whole.add(part);
    }
    whole.add(marketplace::lower(project, target, source, &declared));
    finish(target, whole)
}

/// Every part of one plugin. Each step returns its own, from what others return or decided before, so that the compiler
/// knows what comes first.
fn lower_plugin(context: &LoweringContext<'_>) -> LoweredPart {
    let runnable = hooks_and_servers::lower(context);
    let commands = CommandFields::new(context);
    let components = context.plugin.components.iter();
    let texts: Vec<(&Component, Vec<ComponentText<'_>>)> =
        components.map(|component| (component, texts::of(context, component))).collect();
    let lowered: Vec<LoweredComponent> =
        texts.iter().map(|(component, texts)| component::lower(context, component, texts)).collect();
    let inline = inline::lower(context);
    let manifest_input = ManifestInput { declared: &runnable.part.declared, commands: &commands };
    let manifest = manifest::lower(context, &manifest_input);
    let names = texts::name_edits(&texts);
    let files = files::lower(context, &FilesInput { declared: &runnable.part.declared, names: &names });
    let refused = lowered.iter().flat_map(|component| &component.refused).chain(&inline.refused);
    let notes = notes::lower(context, &refused.cloned().collect());
    let (components, registered): (Vec<_>, Vec<_>) =
        lowered.into_iter().map(|component| (component.part, component.registered)).unzip();
    let registered = registered.into_iter().flatten().chain(inline.registered).collect();
    let registration = registration::lower(context, registered, runnable.registered);
    let parts = [rows::plugin(context), runnable.part, manifest];
    let rest = [
        commands.dropped.into_iter().chain(overrides::tools(context)).collect(),
        context.listing.report(context.plugin, &context.project.tree, context.target).into_iter().collect(),
        inline.part,
        rows::lost(context),
        other_components::lower(context),
        files,
        files::unfound_skills(context).into_iter().collect(),
        launcher::lower(context),
        workflows::pages(context).into_iter().collect(),
        notes,
        registration,
    ];
    parts.into_iter().chain(components).chain(rest).collect()
}

/// The bundle of all parts: a decision becomes a row when it is known which files are written.
fn finish(target: &Target, mut whole: LoweredPart) -> LoweredBundle {
    whole.nodes.sort_by(|a, b| by_parts(a.path.as_str(), b.path.as_str()));
    let WritableNodes { nodes, unwritable, diagnostics } = refuse::unwritable(target, whole.nodes);
    let decisions = whole.decisions.into_iter().chain(whole.declared);
    let rows = decisions.map(|decision| decision.row(&unwritable)).collect();
    whole.diagnostics.extend(diagnostics);
    LoweredBundle { nodes, helpers: whole.helpers, rows, diagnostics: whole.diagnostics }
}
