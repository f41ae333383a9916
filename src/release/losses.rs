//! Losses are within what the author declares, and none is new that nobody accepted.

use std::collections::BTreeMap;
use std::path::Path;

use super::context::{ReleaseContext, VersionedUnit};
use super::{ReleaseError, found, shifted};
use crate::build::{self, Denial};
use crate::compare::{DiffReport, LossChange};
use crate::diagnostic::{Diagnostic, LossClass, Severity};
use crate::ledger::Ledger;
use crate::lower;

pub(super) fn check(scene: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let of_source = denied(scene, &scene.config.release.deny_loss)?;
    let units: Vec<&VersionedUnit> = scene.units.iter().filter(|unit| unit.is_plugin).collect();
    let mut classes: BTreeMap<&str, Option<LossClass>> = BTreeMap::new();
    for unit in &units {
        classes.insert(&unit.name, denied(scene, &unit.said.deny_loss)?);
    }
    let class_of = |plugin: &str| classes.get(plugin).copied().unwrap_or(of_source);
    let mut distinct: Vec<LossClass> = classes.values().copied().chain([of_source]).flatten().collect();
    distinct.sort();
    distinct.dedup();
    for target in scene.hosts.iter().filter(|_| !distinct.is_empty()) {
        let project = scene.project.for_host(&target.name, scene.targets.source());
        let mut ledger = Ledger::new(lower::lower(&project, target, scene.targets).rows);
        ledger.accept(&target.name, &scene.project.accepted);
        for class in &distinct {
            let rows = ledger.rows.iter().filter(|row| class_of(&row.plugin) == Some(*class));
            let denial = Denial { class: Some(*class), new: false };
            let own = Ledger::new(rows.cloned().collect());
            let found = build::denied(scene.project, &own, &target.name, denial, Path::new(""))?;
            out.extend(found.into_iter().map(|found| shifted(found, &scene.place)));
        }
    }
    let mut all = Vec::new();
    for unit in units.iter().filter(|unit| unit.said.deny_new_losses != Some(false)) {
        let known = scene.history.known(unit).and_then(|known| known.difference.as_ref());
        let since = if scene.base.is_some() { scene.history.since_base.as_deref() } else { known };
        all.extend(since.into_iter().flat_map(|since| of(since, &unit.name, class_of(&unit.name))));
    }
    let mut new: BTreeMap<(&str, &str), (&LossChange, Vec<&str>)> = BTreeMap::new();
    for (loss, host, since) in all {
        new.entry((loss.id.as_str(), since)).or_insert_with(|| (loss, Vec::new())).1.push(host);
    }
    for ((id, since), (loss, hosts)) in new {
        let message = format!("the loss `{id}` is new since `{since}`: {}", loss.reason);
        let help = format!(
            "accept it with `[[accept-loss]] id = \"{id}\"` and a reason in `plugcast.toml`, or revert what caused it"
        );
        let path = scene.place.join(&loss.path);
        let mut found = found(&path, Severity::Error, "new-loss", message).help(help);
        if let Some(line) = loss.line {
            (found.line, found.end_line, found.end_column) = (line, line, 2);
        }
        found.hosts = hosts.into_iter().map(str::to_owned).collect();
        out.push(found);
    }
    Ok(())
}

/// The new losses of one plugin that nobody accepts, with their host and since when; those that
/// are denied are said as such.
fn of<'a>(
    difference: &'a DiffReport,
    plugin: &'a str,
    denied: Option<LossClass>,
) -> impl Iterator<Item = (&'a LossChange, &'a str, &'a str)> {
    let all = difference
        .hosts
        .iter()
        .flat_map(|host| host.losses_new.iter().map(|loss| (loss, host.host.as_str())));
    all.filter(move |(loss, _)| {
        loss.plugin() == plugin && !loss.accepted && denied.is_none_or(|class| loss.class > class)
    })
    .map(|(loss, host)| (loss, host, difference.old.as_str()))
}

/// The mildest class that fails a release, of those that `said` names and those that fail a build.
fn denied(scene: &ReleaseContext<'_>, said: &[String]) -> Result<Option<LossClass>, ReleaseError> {
    let mut class = None;
    for name in scene.config.build.deny_loss.iter().chain(said) {
        let one = match name.as_str() {
            "security" => LossClass::Security,
            "behavior" => LossClass::Behavior,
            "cosmetic" | "any" => LossClass::Cosmetic,
            _ => {
                return Err(ReleaseError::Config {
                    message: format!("unknown loss class `{name}` in `deny-loss`"),
                    help: "one of: security, behavior, cosmetic, any".to_owned(),
                });
            }
        };
        class = class.max(Some(one));
    }
    Ok(class)
}
