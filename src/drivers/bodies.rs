//! Selects the bodies that a run of `verify` checks: one per plugin, every one whose text was edited, or all of them.

use super::Driver;
use super::emitted_text::split_frontmatter;
use super::loaded_bundle::{LoadedBundle, LoadedPlugin};
use super::observation::{BodyInvocation, ObservationScope};
use crate::ledger::ComponentKind;

/// The bodies to check, and how many skills and commands the bundle has. An unreadable file is skipped: missing files
/// of the bundle are reported separately.
pub fn choose(
    driver: &dyn Driver,
    bundle: &LoadedBundle,
    scope: ObservationScope,
) -> (Vec<BodyInvocation>, usize) {
    let (mut chosen, mut total) = (Vec::new(), 0);
    for plugin in &bundle.plugins {
        let mut none_yet = true;
        for component in plugin.components_of(&[ComponentKind::Skill, ComponentKind::Command]) {
            total += 1;
            if !(scope.all || component.edited || none_yet) {
                continue;
            }
            let Some(file) = &component.file else { continue };
            if let Some(invocation) = invocation(driver, bundle, plugin, &component.name, file, scope) {
                none_yet = false;
                chosen.push(invocation);
            }
        }
    }
    (chosen, total)
}

fn invocation(
    driver: &dyn Driver,
    bundle: &LoadedBundle,
    plugin: &LoadedPlugin,
    name: &str,
    file: &str,
    scope: ObservationScope,
) -> Option<BodyInvocation> {
    let text = bundle.component_text(name, file)?;
    let (frontmatter, body) = split_frontmatter(&text);
    driver.invoker(frontmatter, body, scope).map(|way| BodyInvocation {
        plugin: plugin.name.clone(),
        name: name.to_owned(),
        file: file.to_owned(),
        lines: driver.lines(body),
        way,
    })
}
