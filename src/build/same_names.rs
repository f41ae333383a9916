//! Plugins with the same name, of which a bundle has only the first; the source host shows the components of all of
//! them under that name.

use std::collections::BTreeSet;

use camino::Utf8Path;

use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::marketplace::Marketplace;
use crate::model::plugin::{LostComponent, OtherBody, Plugin};
use crate::model::qualified_name::QualifiedName;
use crate::read::pointer::JsonPointer;
use crate::source::{ComponentKind, Exclusion, ExclusionReason, SourceTree};

/// Leaves out `plugin`, which has the name of `other`, and adds the components that only `plugin` has to the losses of
/// `other`. Returns the finding, and the folder that is in no bundle.
pub(super) fn leave_out(
    tree: &SourceTree,
    marketplace: Option<&Marketplace>,
    plugin: Plugin,
    other: &mut Plugin,
) -> (Diagnostic, Option<Exclusion>) {
    let is_apart = plugin.root != other.root;
    let reason = match is_apart {
        true => ExclusionReason::TakenName(plugin.name.clone()).to_string(),
        false => format!("a bundle has one entry per folder: `{}`", other.name),
    };
    let lost = lost(&plugin, other, &reason);
    let finding = finding(tree, marketplace, &plugin, other, lost.len());
    other.lost.extend(lost);
    let reason = ExclusionReason::TakenName(plugin.name);
    (finding, is_apart.then_some(Exclusion { path: plugin.root, reason, fault: false }))
}

/// Two entries for one folder are a warning only if components are `lost`: usually one entry is an old name of the same
/// plugin.
fn finding(
    tree: &SourceTree,
    marketplace: Option<&Marketplace>,
    plugin: &Plugin,
    other: &Plugin,
    lost: usize,
) -> Diagnostic {
    let entry = plugin.entry.as_ref().filter(|_| plugin.root == other.root);
    if let (Some(entry), Some(file)) = (entry, marketplace.and_then(|own| tree.get(&own.path))) {
        let span = entry.node.get("name").map_or(entry.node.span, |name| name.span);
        let message = format!(
            "`{}` is another entry for the folder of `{}`, but a bundle has one entry per folder",
            entry.name, other.name
        );
        let severity = if lost > 0 { Severity::Warning } else { Severity::Info };
        let found = Diagnostic::in_file(file, span, severity, RuleId::MARKETPLACE_ENTRY_NAME, message);
        return match lost {
            0 => found,
            _ => found.help("merge the entries, or remove the manifest, whose name both have"),
        };
    }
    let message = format!(
        "two plugins are named `{}`: `{}` and `{}`; the first one is used",
        plugin.name, other.root, plugin.root
    );
    Diagnostic::for_file(&plugin.root, Severity::Error, RuleId::DUPLICATE_NAME, message)
        .help("rename one of them in its manifest")
}

/// The components of `plugin` that a bundle of `other` lacks.
fn lost(plugin: &Plugin, other: &Plugin, reason: &str) -> Vec<LostComponent> {
    let is_apart = plugin.root != other.root;
    let lose = |kind, name: &str, path: &Utf8Path, pointer: Option<&JsonPointer>| LostComponent {
        kind,
        name: name.to_owned(),
        path: path.to_owned(),
        pointer: pointer.cloned(),
        reason: reason.to_owned(),
        misnamed: true,
    };
    let carried: BTreeSet<(ComponentKind, &QualifiedName)> =
        other.components.iter().filter(|_| !is_apart).map(|one| (one.kind, &one.qualified)).collect();
    let components = plugin.components.iter().filter(|one| !carried.contains(&(one.kind, &one.qualified)));
    let components = components.map(|one| lose(one.kind, &one.qualified, &one.path, None));
    let inline = plugin.inline.iter().filter(|_| is_apart);
    let inline =
        inline.map(|one| lose(ComponentKind::Command, &one.qualified, &one.path, Some(&one.pointer)));
    let known: BTreeSet<(&Utf8Path, &str)> =
        other.others.iter().map(|one| (one.path.as_path(), one.pointer.as_str())).collect();
    let others = plugin.others.iter().filter(|one| !matches!(one.body, OtherBody::Nothing));
    let others = others.filter(|one| !known.contains(&(one.path.as_path(), one.pointer.as_str())));
    let others = others.map(|one| lose(one.kind, &one.name, &one.path, Some(&one.pointer)));
    components.chain(inline).chain(others).collect()
}
