//! A project for one host: every file gets its place, every field and reference its outcome, and
//! the ledger a row for each. Pure: what comes out are nodes, not bytes.

mod arguments;
mod bindings;
mod command_objects;
mod commands;
mod component;
mod declared_rows;
mod dispatch_search;
mod fields;
mod files;
mod foreign_plugin;
mod hooks;
mod inline;
mod installable;
mod launcher;
mod listing;
mod manifest;
mod marketplace;
mod naming;
mod native;
mod notes;
mod overrides;
mod own_manifest;
mod paths;
mod permissions;
mod place;
mod portable;
mod reference_rows;
mod refuse;
mod registration;
mod repair;
mod rows;
mod hooks_and_servers;
mod safe_yaml;
mod servers;
mod shape;
mod shell_tests;
mod sidecar;
mod workflows;

pub use native::is_granted;

use std::collections::{BTreeMap, BTreeSet};

use crate::bundle::{BundleNode, HelperFile};
use crate::diagnostic::Diagnostic;
use crate::ledger::LedgerRow;
use crate::model::plugin::Plugin;
use crate::model::project::{Project, ResolvedProject};
use crate::read::format::SourceFacts;
use crate::source::by_parts;
use crate::target::{Target, Targets};

/// What a project becomes on one host.
#[derive(Debug, Default)]
pub struct LoweredBundle {
    /// Every file, in no particular order.
    pub nodes: Vec<BundleNode>,
    /// Every program that is copied as it is, in no particular order.
    pub helpers: Vec<HelperFile>,
    /// Every row of the ledger, in no particular order.
    pub rows: Vec<LedgerRow>,
    /// What was found wrong while lowering.
    pub diagnostics: Vec<Diagnostic>,
}

/// What the lowering of one plugin needs to know.
pub(crate) struct LoweringContext<'a> {
    project: &'a Project,
    /// What its texts name.
    resolved: ResolvedProject<'a>,
    plugin: &'a Plugin,
    target: &'a Target,
    source: &'a SourceFacts,
    /// Qualified names of agents that something in the build dispatches.
    dispatched: &'a BTreeSet<&'a str>,
    /// Where every file of the plugin goes.
    places: place::OutputPaths,
    /// What the host's list of skills makes of it.
    listing: listing::PluginListing,
    /// What its list of skills makes of all plugins together, where something is not shown as it is.
    session: Option<&'a listing::SessionListing>,
    /// What the host's sandbox refuses.
    commands: &'a commands::CommandTable,
    /// What becomes of the tools of servers.
    server_tools: &'a servers::ServerTools,
    /// What counts where the user gives no value for an option.
    defaults: BTreeMap<String, String>,
}

/// Casts `project` for `target`.
pub fn lower(project: &Project, target: &Target, targets: &Targets) -> LoweredBundle {
    let mut cast = LoweredBundle::default();
    let project = &*project.for_host(&target.name, targets.source());
    let resolved = project.resolve(targets.source());
    let dispatched = dispatch_search::agents(project, resolved, target, targets.source());
    rows::outside(project, &mut cast);
    let commands = commands::CommandTable::of(&target.sandbox);
    let server_tools = servers::ServerTools::new(project, target, targets.source());
    let prepared = project.plugins.iter().map(|plugin| {
        let own = overrides::target(target, project.tools_here.get(&plugin.name));
        let target = own.as_ref().unwrap_or(target);
        let places = place::OutputPaths::of(plugin, target);
        let listing = listing::PluginListing::of(plugin, target, &places, resolved);
        (own, places, listing)
    });
    let prepared: Vec<_> = prepared.collect();
    let session = listing::SessionListing::of(target, prepared.iter().map(|(_, _, listing)| listing));
    if let Some(session) = &session {
        session.report(target, &mut cast);
    }
    for (plugin, (own, places, listing)) in project.plugins.iter().zip(prepared) {
        let source = targets.source();
        let target = own.as_ref().unwrap_or(target);
        let commands = &commands;
        let scene = LoweringContext {
            project,
            resolved,
            plugin,
            target,
            source,
            dispatched: &dispatched,
            places,
            listing,
            session: session.as_ref(),
            commands,
            server_tools: &server_tools,
            defaults: hooks_and_servers::defaults(plugin, source),
        };
        lower_plugin(&scene, &mut cast);
    }
    // What became of a component tells what became of the entry's field that declares it.
    marketplace::lower(project, target, targets.source(), &mut cast);
    refuse::unwritable(target, &mut cast);
    cast.nodes.sort_by(|a, b| by_parts(a.path.as_str(), b.path.as_str()));
    cast
}

fn lower_plugin(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let mut registered = registration::Registration::default();
    rows::plugin(scene, cast);
    hooks_and_servers::lower(scene, &mut registered, cast);
    manifest::manifest(scene, cast);
    for component in &scene.plugin.components {
        component::lower(scene, component, &mut registered, cast);
    }
    command_objects::rows(scene, cast);
    overrides::rows(scene, cast);
    listing::report(scene, cast);
    inline::lower(scene, &mut registered, cast);
    rows::lost(scene, cast);
    rows::others(scene, cast);
    files::lower(scene, cast);
    files::unfound_skills(scene, cast);
    launcher::emit(scene, cast);
    workflows::emit(scene, cast);
    notes::emit(scene, &registered, cast);
    registration::emit(scene, registered, cast);
}
