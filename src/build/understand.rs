//! Turns a discovered source into a project: plugins, read in parallel, under one marketplace.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::discover::{DiscoveredSource, roots_below};
use super::{BuildError, SourceRequest, command_objects, overrides, same_names, typed_names};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::marketplace::Marketplace;
use crate::model::project::Project;
use crate::model::{names, plugin};
use crate::parallel;
use crate::source::{Exclusion, ExclusionReason, SourceTree};
use crate::target::Targets;

/// Turns the source that was discovered for `request` into a project.
///
/// # Errors
/// When the settings of a plugin name an unknown host, component or field.
pub fn model_source(
    discovered: DiscoveredSource,
    request: &SourceRequest,
    targets: &Targets,
) -> Result<(Project, Vec<Diagnostic>), BuildError> {
    let DiscoveredSource {
        mut tree,
        readme,
        mut outside,
        mut left_out,
        locations,
        roots,
        of_roots,
        marketplace,
        mut found,
        ..
    } = discovered;
    tree.index_paths();
    let (source, owned) = (targets.source(), targets.host_owned_paths());
    let read = parallel::map(locations, tree.files().count(), |location| {
        let (nested, mut found) = (roots_below(&roots, &location.root), Vec::new());
        (plugin::read(&tree, location, nested, source, &owned, &mut found), found)
    });
    let mut plugins: Vec<plugin::Plugin> = Vec::new();
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for (plugin, findings) in read {
        found.extend(findings);
        let Some(mut plugin) = plugin else { continue };
        plugin.runtime = of_roots.get(&plugin.root).map(|(_, runtime)| runtime.clone()).unwrap_or_default();
        match taken.entry(plugin.name.to_ascii_lowercase()) {
            // A copy of a plugin that is already read.
            Entry::Occupied(_) if plugin.is_check_only => {
                let reason = ExclusionReason::TakenName(plugin.name);
                left_out.push(Exclusion { path: plugin.root, reason, fault: false });
            }
            Entry::Occupied(other) => {
                let other = &mut plugins[*other.get()];
                let (finding, left_out) = same_names::leave_out(&tree, marketplace.as_ref(), plugin, other);
                found.push(finding);
                outside.extend(left_out);
            }
            Entry::Vacant(free) => {
                free.insert(plugins.len());
                plugins.push(plugin);
            }
        }
    }
    plugins.sort_by(|a, b| a.name.cmp(&b.name));
    let marketplace_name = marketplace_name(marketplace.as_ref(), request, &plugins, &tree, &mut found);
    let mut project = Project::new(tree, plugins, marketplace, marketplace_name, outside);
    project.file_system = request.file_system.clone();
    project.readme = readme;
    project.left_out = left_out;
    project.accepted.clone_from(&request.config.accept_loss);
    let own: BTreeMap<_, _> = of_roots.iter().map(|(root, (config, _))| (root.clone(), config)).collect();
    if !request.config.targets.is_empty() || own.values().any(|config| !config.targets.is_empty()) {
        let src = request.file_system.canonical(&request.src)?;
        project.overrides = overrides::resolve(&src, &request.config, &own, &project.plugins, targets)?;
    }
    command_objects::derive(&project.plugins, targets, &mut project.overrides);
    typed_names::derive(&project.plugins, targets, &mut project.overrides);
    Ok((project, found))
}

fn marketplace_name(
    marketplace: Option<&Marketplace>,
    request: &SourceRequest,
    plugins: &[plugin::Plugin],
    tree: &SourceTree,
    found: &mut Vec<Diagnostic>,
) -> String {
    let own = marketplace.and_then(|marketplace| {
        let node = marketplace.node.get("name")?;
        let name = node.as_str()?;
        let why = names::check_installable(name).err();
        if let (Some(why), Some(file)) = (why, tree.get(&marketplace.path)) {
            let message = format!("the marketplace name `{name}` {why}");
            let finding = Diagnostic::in_file(file, node.span, Severity::Error, RuleId::NAME_FORMAT, message);
            found.push(finding.help("use letters, digits and `-`, such as `my-marketplace`"));
        }
        why.is_none().then(|| name.to_owned())
    });
    let built: Vec<_> = plugins.iter().filter(|plugin| !plugin.is_check_only).collect();
    match (own.or_else(|| request.config.build.marketplace.clone()), built.as_slice()) {
        (Some(name), _) => name,
        (None, [plugin]) => plugin.name.clone(),
        (None, []) => String::new(),
        (None, _) => request.own_name(),
    }
}
