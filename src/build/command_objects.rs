//! Fields that manifests declare for commands: each host that accepts such a field gets it as an override, unless the
//! host reads the field from the manifest itself.

use std::collections::BTreeMap;

use crate::diagnostic::HostId;
use crate::model::overrides::HostOverrides;
use crate::model::plugin::Plugin;
use crate::target::Targets;

/// Adds these fields to the `overrides` of each host; the author's settings take precedence.
pub(super) fn derive(plugins: &[Plugin], targets: &Targets, overrides: &mut BTreeMap<HostId, HostOverrides>) {
    let components =
        || plugins.iter().flat_map(|plugin| plugin.components.iter().map(move |own| (plugin, own)));
    for target in targets.iter() {
        for (plugin, component) in components() {
            for (key, value) in &component.declared {
                let goes_along = target.manifest.passthrough && plugin.has_kept(&value.at.path);
                if goes_along || target.dropped_field(component.kind, key).is_some() {
                    continue;
                }
                let host = overrides.entry(target.name.clone()).or_default();
                let fields = host.fields.entry((component.kind, component.qualified.clone())).or_default();
                fields.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
}
