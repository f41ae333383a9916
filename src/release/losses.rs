//! Losses must be allowed by the configuration, and new ones must be accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use camino::Utf8PathBuf;

use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::finding::{file_finding, shifted};
use super::unit::VersionedUnit;
use crate::build::{self, Denial};
use crate::compare::{DiffReport, LossChange};
use crate::diagnostic::{
    Diagnostic, HostId, HostSelection, LossClass, RelatedPlace, Repetition, RuleId, Severity,
};
use crate::ledger::Ledger;
use crate::lower;
use crate::model::config::{AcceptLoss, DeniedLosses};

pub(super) fn check(context: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let of_source = denied_class(context, &context.config.release.deny_loss);
    let units: Vec<&VersionedUnit> = context.units.iter().filter(|unit| unit.is_plugin).collect();
    let mut classes: BTreeMap<&str, Option<LossClass>> = BTreeMap::new();
    for unit in &units {
        classes.insert(&unit.name, denied_class(context, &unit.published.deny_loss));
    }
    let class_of = |plugin: &str| classes.get(plugin).copied().unwrap_or(of_source);
    let mut distinct: Vec<LossClass> = classes.values().copied().chain([of_source]).flatten().collect();
    distinct.sort();
    distinct.dedup();
    let (judged, mut accepted) = (acceptance_hosts(context), build::LossIds::new());
    for target in context.targets.iter() {
        let denies = !distinct.is_empty() && context.hosts.iter().any(|host| host.name == target.name);
        let is_judged = judged.contains(target.name.as_str());
        if !denies && !is_judged {
            continue;
        }
        let project = context.project.for_host(&target.name, context.targets.source());
        let components = project.plugins.iter().map(|plugin| plugin.components.len()).sum();
        context.progress.begin(format!("{}: looking for losses", target.host.title), components);
        let lowered = lower::lower(&project, target, context.targets, &context.progress);
        let mut ledger = Ledger::new(lowered.rows);
        ledger.accept(&target.name, &context.project.accepted);
        if is_judged {
            accepted.insert(target.name.clone(), build::loss_ids(&ledger));
        }
        for class in distinct.iter().filter(|_| denies) {
            let rows = ledger.rows.iter().filter(|row| class_of(&row.plugin) == Some(*class));
            let denial = Denial { class: Some(*class), new: false };
            let own = Ledger::new(rows.cloned().collect());
            let found = build::denied_losses(context.project, &own, &target.name, denial, Path::new(""))?;
            out.extend(found.into_iter().map(|found| shifted(found, &context.place)));
        }
    }
    let src = context.top.join(&context.place);
    let unmatched = build::unmatched(context.config, &src, &accepted, &context.targets.names());
    out.extend(unmatched.into_iter().map(|found| shifted(found, &context.config_place)));
    let mut all = Vec::new();
    for unit in units.iter().filter(|unit| unit.published.deny_new_losses != Some(false)) {
        let known = context.history.unit_history(unit).and_then(|known| known.difference.as_ref());
        let since = if context.base.is_some() { context.history.since_base.as_deref() } else { known };
        all.extend(since.into_iter().flat_map(|since| unaccepted(since, &unit.name, class_of(&unit.name))));
    }
    let mut new: BTreeMap<(&str, &str), NewLoss<'_>> = BTreeMap::new();
    for (loss, host, since) in all {
        let one = new.entry((loss.id.as_str(), since));
        one.or_insert_with(|| NewLoss { loss, since, hosts: BTreeSet::new() }).hosts.insert(host);
    }
    let mut causes: BTreeMap<_, Vec<NewLoss<'_>>> = BTreeMap::new();
    for one in new.into_values() {
        causes
            .entry((one.since, one.loss.id.pattern(), &one.loss.reason, one.loss.class))
            .or_default()
            .push(one);
    }
    out.extend(causes.into_iter().map(|((_, pattern, ..), losses)| finding(context, &pattern, &losses)));
    Ok(())
}

/// The hosts that the accepted losses are for.
fn acceptance_hosts<'a>(context: &'a ReleaseContext<'_>) -> BTreeSet<&'a str> {
    let (accepted, own) = (&context.config.accept_loss, &context.config.build.to);
    let of_build = || own.or(HostSelection::every()).ids(&context.targets.names());
    let named = accepted.iter().flat_map(|accept| accept.hosts.iter().map(HostId::as_str));
    let general = accepted.iter().any(|accept| accept.hosts.is_empty()).then(of_build);
    named.chain(general.into_iter().flatten()).collect()
}

/// A loss that the last release did not have.
struct NewLoss<'a> {
    loss: &'a LossChange,
    since: &'a str,
    hosts: BTreeSet<&'a HostId>,
}

/// One finding about losses of one cause, with the other places as related ones.
fn finding(context: &ReleaseContext<'_>, pattern: &str, losses: &[NewLoss<'_>]) -> Diagnostic {
    let NewLoss { loss: first, since, .. } = losses[0];
    let (id, what) = match losses.len() {
        1 => (AcceptLoss::exact_loss(&first.id), format!("the loss `{}` is", first.id)),
        many => (AcceptLoss::matching(pattern.split('*')), format!("{many} losses `{pattern}` are")),
    };
    let message = format!("{what} new since `{since}`: {}", first.reason);
    let them = if losses.len() > 1 { "them" } else { "it" };
    let accepted = match losses.len() {
        // A pattern would also accept losses of later versions.
        2.. if first.class == LossClass::Security => {
            format!(
                "each with a separate `[[accept-loss]]`, such as `id = {}`,",
                AcceptLoss::exact_loss(&first.id)
            )
        }
        _ => format!("{them} with `[[accept-loss]] id = {id}`"),
    };
    let help = format!("accept {accepted} and a reason in `plugcast.toml`, or revert what caused {them}");
    let path = |loss: &LossChange| context.place.join(&loss.path);
    let mut found = file_finding(&path(first), Severity::Error, RuleId::NEW_LOSS, message).help(help);
    if let Some(line) = first.line {
        (found.line, found.end_line, found.end_column) = (line, line, 2);
    }
    found.related = losses[1..].iter().map(|NewLoss { loss, .. }| repeated(path(loss), loss)).collect();
    let hosts: BTreeSet<&HostId> = losses.iter().flat_map(|one| one.hosts.iter().copied()).collect();
    found.hosts = hosts.into_iter().cloned().collect();
    found
}

fn repeated(path: Utf8PathBuf, loss: &LossChange) -> RelatedPlace {
    let message = format!("`{}`", loss.id);
    RelatedPlace {
        path: path.into(),
        line: loss.line.unwrap_or(1),
        column: 1,
        message,
        end: None,
        repetition: Some(Repetition::Differs),
    }
}

/// The new unaccepted losses of one plugin, with their host and since when; denied ones are marked.
fn unaccepted<'a>(
    difference: &'a DiffReport,
    plugin: &'a str,
    denied: Option<LossClass>,
) -> impl Iterator<Item = (&'a LossChange, &'a HostId, &'a str)> {
    let all = difference.hosts.iter().flat_map(|host| host.losses_new.iter().map(|loss| (loss, &host.host)));
    all.filter(move |(loss, _)| {
        loss.plugin() == plugin && !loss.accepted && denied.is_none_or(|class| loss.class > class)
    })
    .map(|(loss, host)| (loss, host, difference.old.as_str()))
}

/// The least severe class that fails a release, by `configured` and by the settings of builds.
fn denied_class(context: &ReleaseContext<'_>, configured: &[DeniedLosses]) -> Option<LossClass> {
    DeniedLosses::least_severe(context.config.build.deny_loss.iter().chain(configured))
}
