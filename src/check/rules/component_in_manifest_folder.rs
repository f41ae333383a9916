//! A component is next to the manifest, where no host looks.

use camino::Utf8Path;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::read::tree::Value;
use crate::source::{SKILL_FILE, is_markdown};

pub(super) const RULE: Rule = Rule {
    name: "component-in-manifest-folder",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a skill, agent, command, hook or server is in the manifest's folder, where hosts do not look",
    page: include_str!("component_in_manifest_folder.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let source = context.targets.source();
    let Some(folder) = Utf8Path::new(&source.manifest).parent() else { return };
    let root = plugin.root.join(folder);
    for file in context.project.tree.files_below(&root) {
        let Ok(inner) = file.path.strip_prefix(&root) else { continue };
        let markdown = is_markdown(inner);
        let component = (inner.starts_with("skills") && inner.file_name() == Some(SKILL_FILE))
            || (markdown && (inner.starts_with("agents") || inner.starts_with("commands")))
            || source.components.keys().any(|place| !place.ends_with('/') && inner == place);
        if !component || is_named_in_manifest(plugin, folder, inner) {
            continue;
        }
        let message = format!("`{inner}` is in `{folder}`, where hosts look for the manifest only");
        let found = sink.report_file(&file.path, message);
        found.help = Some(format!("move it to `{inner}` at the plugin's root"));
    }
}

/// Whether the manifest names the file, or a folder that contains it.
fn is_named_in_manifest(plugin: &Plugin, folder: &Utf8Path, inner: &Utf8Path) -> bool {
    let wanted = folder.join(inner);
    let inside = |text: &str| {
        let path: Option<&Utf8Path> =
            text.strip_prefix("./").map(|path| Utf8Path::new(path.trim_end_matches('/')));
        path.is_some_and(|path| !path.as_str().is_empty() && wanted.starts_with(path))
    };
    let nodes =
        [plugin.manifest.as_ref().map(|own| &own.node), plugin.entry.as_ref().map(|entry| &entry.node)];
    nodes.into_iter().flatten().flat_map(|node| node.entries()).any(|entry| match &entry.node.value {
        Value::String(text) => inside(text),
        Value::List(items) => items.iter().filter_map(|item| item.as_str()).any(inside),
        _ => false,
    })
}
