//! Shows a bundle to its host and compares what the host shows with what the ledger says: names in
//! one start, bodies as far as asked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

use super::bodies::choose;
use super::installation::Missing;
use super::loaded::{self, LoadedBundle, LoadedPlugin};
use super::observation::{Installation, Observation, Scope};
use super::{DRIVERS, Driver, driver, version};
use crate::bundle::verification::{
    HostVerification, Method, Methods, Names, PluginVerification, Verdict, Verified,
};
use crate::disk::scratch;
use crate::ledger::Kind;
use crate::schema::VERIFIED;

/// The driver for a bundle's host.
///
/// # Errors
/// When the folder is no bundle, or its host has no driver.
pub fn driver_for(bundle: &Path) -> Result<&'static dyn Driver> {
    let host = loaded::manifest(bundle)?.target;
    let known: Vec<&str> = DRIVERS.iter().map(|driver| driver.host()).collect();
    driver(&host).ok_or_else(|| {
        let message = format!("no driver for host `{host}`");
        Missing {
            message,
            help: format!("`verify` knows {}; leave this host out with `--to`", known.join(", ")),
        }
        .into()
    })
}

/// Shows a bundle to its host.
///
/// # Errors
/// When the bundle cannot be read or the host cannot be started; what the host says about the
/// bundle is part of the result.
pub fn verify(
    folder: &Path,
    driver: &dyn Driver,
    installation: &Installation,
    scope: Scope,
) -> Result<HostVerification> {
    let bundle = LoadedBundle::load(folder, |kind, plugin, name| driver.shown(kind, plugin, name))?;
    let version = version(installation)?;
    let (bodies, total) = choose(driver, &bundle, scope);
    let host = driver.host();
    let mut observation = driver
        .observe(&bundle, &bodies, installation, scope)
        .with_context(|| format!("the driver could not finish with `{host}` {version}"))?;
    for file in bundle.changed_files() {
        // `plugins/<plugin>/…`, and `agents/<plugin>/…` where a host's plugins carry no agents.
        let owner = bundle.plugins.iter().find(|plugin| file.split('/').nth(1) == Some(&plugin.name));
        let sentence = format!("`{file}` does not match the manifest; build the bundle again");
        observation.errors.push((owner.map(|plugin| plugin.name.clone()), sentence));
    }
    observation.tidy(&bundle.root.to_string_lossy());
    if version != driver.pinned() {
        observation.notes.push(format!("version {version} is not the pinned {}", driver.pinned()));
    }
    let unshown: BTreeSet<Kind> = observation
        .seen
        .iter()
        .filter_map(|((_, kind, _), way)| (*way == Method::Resolved).then_some(*kind))
        .collect();
    for kind in unshown {
        observation.notes.push(format!(
            "some components of kind `{}` are only resolved: {}",
            kind.id(),
            driver.unshown(kind)
        ));
    }
    Ok(compare(driver.host(), version, &bundle, &observation, total))
}

fn compare(
    host: &str,
    version: String,
    bundle: &LoadedBundle,
    observation: &Observation,
    total: usize,
) -> HostVerification {
    let plugins: Vec<_> = bundle.plugins.iter().map(|plugin| compare_plugin(plugin, observation)).collect();
    let clean = |plugin: &PluginVerification| {
        plugin.missing.is_empty() && plugin.unexpected.is_empty() && plugin.errors.is_empty()
    };
    HostVerification {
        host: host.to_owned(),
        version,
        result: if plugins.iter().all(clean) { Verdict::Pass } else { Verdict::Fail },
        invoked: observation.invoked.len(),
        total,
        plugins,
        notes: observation.notes.clone(),
    }
}

fn compare_plugin(plugin: &LoadedPlugin, observation: &Observation) -> PluginVerification {
    let (mut expected, mut observed, mut method) = (Names::default(), Names::default(), Methods::default());
    let (mut ways, mut files, mut missing) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for component in &plugin.components {
        expected.add(component.kind, &component.name);
        let key = (plugin.name.clone(), component.kind, component.name.clone());
        match observation.seen.get(&key) {
            Some(way) => {
                observed.add(component.kind, &component.name);
                method.weaken(component.kind, *way);
                ways.insert((component.kind, component.name.clone()), *way);
            }
            None => {
                missing.push(component.name.clone());
                files.extend(component.file.clone().map(|file| (component.name.clone(), file)));
            }
        }
    }
    let unexpected = observation.unexpected.iter().filter(|(owner, _)| *owner == plugin.name);
    let errors = observation
        .errors
        .iter()
        .filter(|(owner, _)| owner.as_ref().is_none_or(|owner| *owner == plugin.name));
    PluginVerification {
        name: plugin.name.clone(),
        expected,
        observed,
        method,
        missing,
        unexpected: unexpected.map(|(_, name)| name.clone()).collect(),
        errors: errors.map(|(_, sentence)| sentence.clone()).collect(),
        ways,
        files,
    }
}

/// Leaves the proof in the bundle; a failed run takes an older proof away.
///
/// # Errors
/// When the file cannot be written.
pub fn record(folder: &Path, result: &HostVerification) -> Result<()> {
    let path = folder.join(".plugcast/verified.json");
    if result.result == Verdict::Fail {
        return scratch::remove(&path).with_context(|| format!("cannot remove `{}`", path.display()));
    }
    let manifest = loaded::manifest(folder)?;
    let mut helper_versions: Vec<String> =
        manifest.helpers.iter().filter_map(|helper| helper.version.clone()).collect();
    helper_versions.sort();
    helper_versions.dedup();
    let verified = Verified {
        schema: VERIFIED.tag(),
        digest: manifest.digest,
        host: result.host.clone(),
        version: result.version.clone(),
        helper_versions,
        plugins: result.plugins.clone(),
    };
    let text = serde_json::to_string_pretty(&verified)? + "\n";
    scratch::replace(&path, text.as_bytes()).with_context(|| format!("cannot write `{}`", path.display()))
}

#[cfg(test)]
mod tests;
