//! Losses are within what the author declares, and none is new that nobody accepted.

use std::collections::BTreeMap;
use std::path::Path;

use super::scene::Scene;
use super::{ReleaseError, found, shifted};
use crate::build::{self, Denial};
use crate::compare::{Difference, LossChange};
use crate::diagnostic::{Class, Diagnostic, Severity};
use crate::ledger::Ledger;
use crate::lower;

pub(super) fn check(scene: &Scene<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let denied = denied(scene)?;
    if denied.is_some() {
        for target in &scene.hosts {
            let mut ledger = Ledger::new(lower::lower(scene.project, target, scene.targets).rows);
            ledger.accept(&target.name, &scene.project.accepted);
            let denial = Denial { class: denied, new: false };
            let found = build::denied(scene.project, &ledger, &target.name, denial, Path::new(""))?;
            out.extend(found.into_iter().map(|found| shifted(found, &scene.place)));
        }
    }
    if scene.config.release.deny_new_losses == Some(false) {
        return Ok(());
    }
    let mut all = Vec::new();
    match &scene.history.since_base {
        Some(difference) => all.extend(of(difference, None, denied)),
        None => {
            for unit in scene.units.iter().filter(|unit| unit.is_plugin) {
                let known = scene.history.known(unit);
                if let Some(difference) = known.and_then(|known| known.difference.as_ref()) {
                    all.extend(of(difference, Some(&unit.name), denied));
                }
            }
        }
    }
    let mut new: BTreeMap<(&str, &str), (&LossChange, Vec<&str>)> = BTreeMap::new();
    for (loss, host, since) in all {
        new.entry((loss.id.as_str(), since)).or_insert_with(|| (loss, Vec::new())).1.push(host);
    }
    for ((id, since), (loss, hosts)) in new {
        let message = format!("the loss `{id}` is new since `{since}`: {}", loss.reason);
        let help = format!(
            "accept it with `[[accept-loss]] id = \"{id}\"` and a reason in `plugcast.toml`, or take back what brought it"
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

/// The new losses of one plugin, or of all, that nobody accepts, with their host and since when; those that
/// are denied are said as such.
fn of<'a>(
    difference: &'a Difference,
    plugin: Option<&'a str>,
    denied: Option<Class>,
) -> impl Iterator<Item = (&'a LossChange, &'a str, &'a str)> {
    let all = difference
        .hosts
        .iter()
        .flat_map(|host| host.losses_new.iter().map(|loss| (loss, host.host.as_str())));
    all.filter(move |(loss, _)| {
        let own = plugin.is_none_or(|plugin| loss.id.split('/').nth(1) == Some(plugin));
        own && !loss.accepted && denied.is_none_or(|class| loss.class > class)
    })
    .map(|(loss, host)| (loss, host, difference.old.as_str()))
}

/// The mildest class that fails a release.
fn denied(scene: &Scene<'_>) -> Result<Option<Class>, ReleaseError> {
    let mut class = None;
    for name in scene.config.build.deny_loss.iter().chain(&scene.config.release.deny_loss) {
        let one = match name.as_str() {
            "security" => Class::Security,
            "behavior" => Class::Behavior,
            "cosmetic" | "any" => Class::Cosmetic,
            _ => {
                return Err(ReleaseError::Config {
                    message: format!("`{name}` in `deny-loss` is no class of losses"),
                    help: "one of: security, behavior, cosmetic, any".to_owned(),
                });
            }
        };
        class = class.max(Some(one));
    }
    Ok(class)
}
