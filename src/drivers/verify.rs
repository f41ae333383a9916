//! Loads a bundle in its host and compares what the host shows with the ledger: names in one start, bodies according to
//! the scope.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

use super::bodies::choose;
use super::installation::MissingHost;
use super::integrity::CheckedCopy;
use super::loaded_bundle::{self, LoadedBundle, LoadedPlugin};
use super::observation::{Installation, Observation, ObservationScope};
use super::{DRIVERS, Driver, driver, version};
use crate::bundle::BundleManifest;
use crate::bundle::verification::{
    HostVerdict, HostVerification, Method, Methods, NamesByKind, PluginVerification, VerificationRecord,
};
use crate::diagnostic::HostId;
use crate::disk::folder::Folder;
use crate::disk::replace::OWN_FOLDER;
use crate::ledger::ComponentKind;
use crate::schema::VERIFIED;

/// The record that a verification writes to a bundle.
const PROOF: &str = "verified.json";

/// The driver for a bundle's host.
///
/// # Errors
/// When the folder is not a bundle, or its host has no driver.
pub fn driver_for(bundle: &Path) -> Result<&'static dyn Driver> {
    let host = loaded_bundle::manifest(bundle)?.target;
    let known: Vec<&str> = DRIVERS.iter().map(|driver| driver.host()).collect();
    driver(&host).ok_or_else(|| {
        let message = format!("no driver for host `{host}`");
        MissingHost {
            message,
            help: format!("`verify` supports {}; leave this host out with `--to`", known.join(", ")),
        }
        .into()
    })
}

/// Loads a bundle in its host, and returns the result.
///
/// # Errors
/// When the bundle cannot be read or the host cannot be started; the host's messages about the bundle are part of the
/// result.
pub fn verify(
    folder: &Path,
    driver: &dyn Driver,
    installation: &Installation,
    scope: ObservationScope,
) -> Result<(HostVerification, BundleManifest)> {
    let bundle = LoadedBundle::load(folder, |kind, plugin, name| driver.display_name(kind, plugin, name))?;
    let manifest = bundle.manifest.clone();
    // Check before anything starts: a modified file could otherwise be executed.
    let checked = CheckedCopy::new(&bundle)?;
    let version = version(installation)?;
    let host = driver.host();
    if !checked.faults.is_empty() && !scope.allow_exec {
        return Ok((mismatch_verdict(driver, version, &bundle, checked.faults, scope), manifest));
    }
    let bundle = if scope.allow_exec { bundle } else { bundle.in_folder(checked.folder.path()) };
    let (bodies, total) = choose(driver, &bundle, scope);
    let mut observation = driver
        .observe(&bundle, &bodies, installation, scope)
        .with_context(|| format!("the driver could not finish with `{host}` {version}"))?;
    observation.errors.extend(faults_by_plugin(&bundle, checked.faults));
    observation.tidy(&bundle.root.to_string_lossy());
    if version != driver.pinned() {
        observation.notes.push(format!("version {version} is not the pinned {}", driver.pinned()));
    }
    let unshown: BTreeSet<ComponentKind> = observation
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
    Ok((compare(&HostId::new(driver.host()), version, &bundle, &observation, total), manifest))
}

/// The result for a bundle that does not match its manifest, whose host was not started.
fn mismatch_verdict(
    driver: &dyn Driver,
    version: String,
    bundle: &LoadedBundle,
    faults: Vec<(String, String)>,
    scope: ObservationScope,
) -> HostVerification {
    let total = choose(driver, bundle, scope).1;
    let note = "the host was not started, because the bundle differs from its manifest; pass `--allow-exec` to start it anyway";
    let errors = faults_by_plugin(bundle, faults);
    let observation = Observation { errors, notes: vec![note.to_owned()], ..Observation::default() };
    let mut verification = compare(&HostId::new(driver.host()), version, bundle, &observation, total);
    for plugin in &mut verification.plugins {
        // The host was not asked for them.
        plugin.missing.clear();
        plugin.files.clear();
    }
    verification.result = HostVerdict::Fail;
    verification
}

/// Faults of files in a bundle, by the plugin of each: `plugins/<plugin>/…`, and `agents/<plugin>/…` on hosts whose
/// plugins carry no agents.
fn faults_by_plugin(bundle: &LoadedBundle, faults: Vec<(String, String)>) -> Vec<(Option<String>, String)> {
    let owner =
        |file: &str| bundle.plugins.iter().find(|plugin| file.split('/').nth(1) == Some(&plugin.name));
    let fault =
        |(file, sentence): (String, String)| (owner(&file).map(|plugin| plugin.name.clone()), sentence);
    faults.into_iter().map(fault).collect()
}

fn compare(
    host: &HostId,
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
        result: if plugins.iter().all(clean) { HostVerdict::Pass } else { HostVerdict::Fail },
        invoked: observation.invoked.len(),
        total,
        plugins,
        notes: observation.notes.clone(),
    }
}

fn compare_plugin(plugin: &LoadedPlugin, observation: &Observation) -> PluginVerification {
    let (mut expected, mut observed, mut method) =
        (NamesByKind::default(), NamesByKind::default(), Methods::default());
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

/// Writes the proof to the bundle whose `manifest` was verified; a failed run, or one in which the bundle `lacks`
/// something of its source, removes an older proof.
///
/// # Errors
/// When the file cannot be written.
pub fn record(
    bundle: &Folder,
    manifest: &BundleManifest,
    result: &HostVerification,
    lacks: bool,
) -> Result<()> {
    let own = bundle.subfolder(OWN_FOLDER)?;
    if lacks || result.result == HostVerdict::Fail {
        return own.map_or(Ok(()), |own| Ok(own.remove_file(PROOF)?));
    }
    let own = own.with_context(|| format!("`{}` is no longer a bundle", bundle.path().display()))?;
    let mut helper_versions: Vec<String> =
        manifest.helpers.iter().filter_map(|helper| helper.version.clone()).collect();
    helper_versions.sort();
    helper_versions.dedup();
    let verified = VerificationRecord {
        schema: VERIFIED.tag(),
        digest: manifest.digest.clone(),
        host: result.host.clone(),
        version: result.version.clone(),
        helper_versions,
        plugins: result.plugins.clone(),
    };
    let text = serde_json::to_string_pretty(&verified)? + "\n";
    Ok(own.replace_file(PROOF, text.as_bytes())?)
}

#[cfg(test)]
mod tests;
