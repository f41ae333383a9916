//! One repository: built for every host, shown to each, and counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use plugcast::build::{self, SourceRequest};
use plugcast::bundle::verification::{HostVerdict, HostVerification, Method};
use plugcast::compile::Source;
use plugcast::diagnostic::{HostId, Severity};
use plugcast::disk::folder::Folder;
use plugcast::drivers::installation::HostSearch;
use plugcast::drivers::observation::ObservationScope;
use plugcast::drivers::source::{self, ComparisonSource};
use plugcast::drivers::{self, Driver, verify};
use plugcast::ledger::{ComponentKind, Ledger, RowOutcome};
use plugcast::model::project::Project;
use plugcast::progress::Progress;
use plugcast::target::Targets;
use plugcast::temp_dir::TempFolder;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::hosts;

/// The kinds that hosts show.
pub const KINDS: [ComponentKind; 5] = [
    ComponentKind::Skill,
    ComponentKind::Agent,
    ComponentKind::Command,
    ComponentKind::Hook,
    ComponentKind::McpServer,
];

/// What came of a repository.
#[derive(Debug, Serialize)]
pub struct Repository {
    /// What it is called in the table.
    pub label: String,
    /// The exit code of a build.
    pub exit: u8,
    /// Faults of its files, one each: place and rule; or why nothing could be built.
    pub faults: Vec<String>,
    /// Every host, in the order of the names.
    pub hosts: Vec<Host>,
}

/// What came of it on one host.
#[derive(Debug, Serialize)]
pub struct Host {
    /// The counts, which a snapshot keeps.
    #[serde(flatten)]
    pub counts: Counts,
    /// Names that the host shows to nobody, by kind.
    pub resolved: BTreeMap<String, Vec<String>>,
    /// What is missing, what was not meant, and what the host complains about.
    pub faults: Vec<String>,
    /// Milliseconds for reading and building.
    pub build_ms: u128,
    /// Milliseconds in the real host.
    pub host_ms: u128,
}

/// The counts of one repository on one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// The host.
    pub host: HostId,
    /// Its version, or `not verified`.
    pub version: String,
    /// `pass`, `fail` or `not verified`.
    pub result: String,
    /// By kind of component.
    pub kinds: BTreeMap<String, KindCounts>,
    /// Distinct losses by class.
    pub losses: BTreeMap<String, usize>,
    /// Why the host shows some components to nobody, by kind.
    pub unshown: BTreeMap<String, String>,
}

/// The components of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindCounts {
    /// In the source.
    pub source: usize,
    /// Listed by the source host of the unmodified source.
    pub source_host: usize,
    /// Of those, neither in the bundle nor a loss with a class.
    pub unaccounted: usize,
    /// By what their row says.
    pub kept: usize,
    /// As `kept`.
    pub mapped: usize,
    /// As `kept`.
    pub degraded: usize,
    /// As `kept`.
    pub dropped: usize,
    /// By how the host showed them.
    pub executed: usize,
    /// As `executed`.
    pub listed: usize,
    /// As `executed`: they are in the bundle, and the host shows them to nobody.
    pub resolved: usize,
    /// Carried, but not found in the host.
    pub missing: usize,
}

/// What a snapshot keeps: counts by repository, no times, and nothing of the repositories' text.
pub fn counts(repositories: &[Repository]) -> Result<Value> {
    let mut counts = Map::new();
    for repository in repositories {
        let hosts = repository.hosts.iter().map(|host| serde_json::to_value(&host.counts));
        let hosts = hosts.collect::<Result<Vec<Value>, _>>()?;
        let faults = repository.faults.len();
        let one = json!({ "exit": repository.exit, "faults": faults, "hosts": hosts });
        counts.insert(repository.label.clone(), one);
    }
    Ok(Value::Object(counts))
}

/// Builds and shows one repository. A source that names neither itself nor its marketplace takes the
/// label's last word, as a user would pass it.
pub fn repository(label: String, folder: &Path, search: &HostSearch) -> Result<Repository> {
    let targets = Targets::embedded()?;
    let mut config = build::read_config(folder)?.unwrap_or_default();
    let own = label.split('@').next().and_then(|name| name.rsplit('/').next()).unwrap_or(&label).to_owned();
    config.build.marketplace.get_or_insert_with(|| own.clone());
    let mut request = SourceRequest::new(folder);
    (request.name, request.config) = (Some(own), config);
    let started = Instant::now();
    let mut source = match Source::read(&request, &targets) {
        Ok(read) => read,
        Err(error) => {
            return Ok(Repository { label, exit: 2, faults: vec![error.to_string()], hosts: Vec::new() });
        }
    };
    let read_ms = started.elapsed().as_millis();
    let mut found = std::mem::take(&mut source.findings);
    let out = TempFolder::new()?;
    let (mut hosts, mut found_bundles) = (Vec::new(), Vec::new());
    for target in targets.iter() {
        let started = Instant::now();
        let mut bundle = source.bundle(target)?;
        let folder = out.path().join(&target.name);
        build::write(&bundle, &Folder::open(out.path())?, &Progress::default())?;
        let build_ms = read_ms + started.elapsed().as_millis();
        found.append(&mut bundle.record.diagnostics);
        found_bundles.push((target.name.clone(), folder.clone()));
        let started = Instant::now();
        let driver = drivers::driver(&target.name).filter(|driver| hosts::has(search, driver.host()));
        let shown = match driver {
            Some(driver) => {
                let installation = search.installation(driver)?;
                let scope = ObservationScope { all: false, allow_exec: false };
                Some((driver, verify::verify(&folder, driver, &installation, scope)?.0))
            }
            None => None,
        };
        let host_ms = started.elapsed().as_millis();
        hosts.push(host(&target.name, &bundle.record.ledger, shown, build_ms, host_ms));
    }
    compare_with_source(folder, &source.project, &targets, &found_bundles, search, &mut hosts)?;
    found.retain(|fault| fault.severity == Severity::Error);
    let mut faults: Vec<String> = found
        .iter()
        .map(|fault| {
            let hosts =
                if fault.hosts.is_empty() { String::new() } else { format!(" ({})", fault.hosts.join(", ")) };
            format!("{}:{}: {}{hosts}", fault.path, fault.line, fault.rule)
        })
        .collect();
    faults.sort();
    faults.dedup();
    Ok(Repository { label, exit: u8::from(!faults.is_empty()), faults, hosts })
}

/// Shows the unmodified source to the host that it was written for, and counts what it lists and what bundles lack.
fn compare_with_source(
    folder: &Path,
    project: &Project,
    targets: &Targets,
    bundles: &[(HostId, PathBuf)],
    search: &HostSearch,
    hosts: &mut [Host],
) -> Result<()> {
    let Some(driver) =
        drivers::driver(&targets.source_host().name).filter(|driver| hosts::has(search, driver.host()))
    else {
        return Ok(());
    };
    let against = ComparisonSource::new(folder, source::renames(project));
    let folders: Vec<PathBuf> = bundles.iter().map(|(_, folder)| folder.clone()).collect();
    let scope = ObservationScope { all: false, allow_exec: false };
    let shown = source::verify(&against, &folders, driver, &search.installation(driver)?, scope)?;
    for host in hosts {
        for kind in KINDS {
            let listed: usize =
                shown.plugins.iter().filter_map(|plugin| plugin.listed.get(kind)).map(Vec::len).sum();
            if listed > 0 {
                host.counts.kinds.entry(kind.id().to_owned()).or_default().source_host = listed;
            }
        }
        for missing in shown
            .bundles
            .iter()
            .filter(|bundle| bundle.host == host.counts.host)
            .flat_map(|bundle| &bundle.missing)
        {
            host.counts.kinds.entry(missing.kind.id().to_owned()).or_default().unaccounted += 1;
            host.faults.push(format!(
                "{}: the source host lists the {} `{}`: {}",
                missing.plugin,
                missing.kind.id(),
                missing.name,
                missing.reason
            ));
        }
    }
    Ok(())
}

fn host(
    name: &str,
    ledger: &Ledger,
    shown: Option<(&'static dyn Driver, HostVerification)>,
    build_ms: u128,
    host_ms: u128,
) -> Host {
    let mut kinds: BTreeMap<String, KindCounts> = BTreeMap::new();
    for row in ledger.rows.iter().filter(|row| KINDS.contains(&row.kind)) {
        let counts = kinds.entry(row.kind.id().to_owned()).or_default();
        counts.source += 1;
        match row.outcome {
            RowOutcome::Kept => counts.kept += 1,
            RowOutcome::Mapped => counts.mapped += 1,
            RowOutcome::Degraded => counts.degraded += 1,
            RowOutcome::Dropped => counts.dropped += 1,
        }
    }
    let (mut resolved, mut unshown, mut faults) =
        (BTreeMap::<String, Vec<String>>::new(), BTreeMap::new(), Vec::new());
    let (mut version, mut result) = ("not verified".to_owned(), "not verified".to_owned());
    if let Some((driver, verification)) = shown {
        version = verification.version;
        result = if verification.result == HostVerdict::Pass { "pass" } else { "fail" }.to_owned();
        for plugin in verification.plugins {
            for ((kind, component), method) in plugin.ways {
                let counts = kinds.entry(kind.id().to_owned()).or_default();
                match method {
                    Method::Executed => counts.executed += 1,
                    Method::Listed => counts.listed += 1,
                    Method::Resolved => {
                        counts.resolved += 1;
                        unshown.insert(kind.id().to_owned(), driver.unshown(kind).to_owned());
                        let owned = component.starts_with(&format!("{}:", plugin.name));
                        let whole = if owned { component } else { format!("{}: {component}", plugin.name) };
                        resolved.entry(kind.id().to_owned()).or_default().push(whole);
                    }
                }
            }
            faults.extend(plugin.missing.iter().map(|name| format!("{}: missing `{name}`", plugin.name)));
            faults
                .extend(plugin.unexpected.iter().map(|name| format!("{}: not meant `{name}`", plugin.name)));
            faults.extend(plugin.errors.iter().map(|error| format!("{}: {error}", plugin.name)));
        }
        for counts in kinds.values_mut() {
            let seen = counts.executed + counts.listed + counts.resolved;
            counts.missing = (counts.kept + counts.mapped + counts.degraded).saturating_sub(seen);
        }
    }
    let losses = ledger.summary.losses;
    let losses =
        [("security", losses.security), ("behavior", losses.behavior), ("cosmetic", losses.cosmetic)];
    let losses = losses.map(|(class, count)| (class.to_owned(), count)).into();
    let counts = Counts { host: HostId::new(name), version, result, kinds, losses, unshown };
    Host { counts, resolved, faults, build_ms, host_ms }
}
