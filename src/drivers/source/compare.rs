//! Compares the listing of the source host with the rows of a bundle's ledger.

use std::collections::{BTreeMap, BTreeSet};

use super::{ListedComponent, ListedPlugin};
use crate::bundle::source_verification::{MissingComponent, SourceComparison, UnlistedComponent};
use crate::diagnostic::HostId;
use crate::ledger::{ComponentKind, Ledger, LedgerRow, RowOutcome};
use crate::model::qualified_name::{parts_of, qualify};
use crate::source::SKILL_FILE;

/// The plugins with their names in the bundles: a plugin without a manifest is named after its folder on the host, and
/// by the author's settings in a bundle.
pub fn with_bundle_names(mut plugins: Vec<ListedPlugin>, ledger: Option<&Ledger>) -> Vec<ListedPlugin> {
    let rows =
        || ledger.into_iter().flat_map(|ledger| &ledger.rows).filter(|row| row.kind == ComponentKind::Plugin);
    for plugin in &mut plugins {
        let place = plugin.root.as_deref().map(|root| if root.is_empty() { "." } else { root });
        let by_place = place.and_then(|place| rows().find(|row| row.path == place));
        let known = rows().any(|row| row.name == plugin.name);
        if let Some(row) = by_place.filter(|_| !known) {
            plugin.name.clone_from(&row.name);
        }
    }
    plugins.sort_by(|a, b| a.name.cmp(&b.name));
    plugins
}

/// Renames with the plugin's name in a bundle: a source without a manifest may have been named by `--name`.
pub fn renames_in(
    ledger: &Ledger,
    renames: &BTreeSet<(ComponentKind, String, String)>,
    whole: Option<&str>,
) -> BTreeSet<(ComponentKind, String, String)> {
    let is_known = |plugin: &str| ledger.rows.iter().any(|row| row.plugin == plugin);
    let in_bundle = |name: &str| match (parts_of(name), whole) {
        (Some((plugin, local)), Some(whole)) if !is_known(plugin) => qualify(whole, local),
        _ => name.to_owned(),
    };
    renames.iter().map(|(kind, from, to)| (*kind, in_bundle(from), in_bundle(to))).collect()
}

/// Compares one bundle's ledger with the listing.
pub fn bundle(
    host: &HostId,
    listed: &[ListedPlugin],
    ledger: &Ledger,
    renames: &BTreeSet<(ComponentKind, String, String)>,
) -> SourceComparison {
    let (mut missing, mut unlisted) = (Vec::new(), Vec::new());
    for plugin in listed {
        let rows: Vec<&LedgerRow> = ledger.rows.iter().filter(|row| row.plugin == plugin.name).collect();
        for component in &plugin.components {
            if let Err((reason, path)) = check_row(plugin, component, &rows, ledger, renames) {
                let (plugin, name) = (plugin.name.clone(), component.name.clone());
                missing.push(MissingComponent { plugin, kind: component.kind, name, reason, path });
            }
        }
        // The host does not list what it refuses.
        if plugin.refused.is_empty() {
            let shown: Vec<&ListedPlugin> = listed.iter().filter(|other| other.name == plugin.name).collect();
            unlisted.extend(unlisted_in_host(&plugin.name, &shown, &rows, renames));
        }
    }
    // The host lists a file once, even if several plugins have it.
    unlisted.retain(|one| {
        !ledger.rows.iter().filter(|row| row.path == one.path && row.plugin != one.plugin).any(|row| {
            let kind = listed_kind(row.kind);
            let own = listed.iter().filter(|plugin| plugin.name == row.plugin);
            own.flat_map(|plugin| &plugin.components)
                .any(|component| component.kind == kind && qualify(&row.plugin, &component.name) == row.name)
        })
    });
    unlisted.sort();
    unlisted.dedup();
    // Plugins of the same name are listed with the components of all of them.
    let mut known = BTreeSet::new();
    missing.retain(|one: &MissingComponent| known.insert((one.plugin.clone(), one.kind, one.name.clone())));
    SourceComparison { host: host.to_owned(), missing, unlisted }
}

/// Skills, agents and commands that a bundle carries but the host does not list, except those hidden from user and
/// model.
fn unlisted_in_host(
    plugin: &str,
    shown: &[&ListedPlugin],
    rows: &[&LedgerRow],
    renames: &BTreeSet<(ComponentKind, String, String)>,
) -> Vec<UnlistedComponent> {
    const KINDS: [ComponentKind; 3] = [ComponentKind::Skill, ComponentKind::Agent, ComponentKind::Command];
    const USER_INVOCABLE: &str = "user-invocable";
    let listed = shown.iter().flat_map(|shown| &shown.components);
    let listed: Vec<(ComponentKind, String)> =
        listed.map(|component| (component.kind, qualify(plugin, &component.name))).collect();
    let carried =
        || rows.iter().filter(|row| KINDS.contains(&row.kind) && row.outcome != RowOutcome::Dropped);
    // Skills of several folders may share a name on the host, while a bundle renames one of them.
    let of_kinds = listed.iter().filter(|(kind, _)| KINDS.contains(kind)).count();
    if shown.len() > 1 && carried().count() <= of_kinds {
        return Vec::new();
    }
    let listed: BTreeSet<(ComponentKind, String)> = listed.into_iter().collect();
    let hidden = rows.iter().filter(|row| row.kind == ComponentKind::Field && row.name == USER_INVOCABLE);
    let hidden: BTreeSet<&str> = hidden.map(|row| row.path.as_str()).collect();
    let renamed: BTreeMap<(ComponentKind, &str), &str> =
        renames.iter().map(|(kind, from, to)| ((*kind, to.as_str()), from.as_str())).collect();
    let is_listed = |row: &LedgerRow| {
        let kind = listed_kind(row.kind);
        let own = renamed.get(&(row.kind, row.name.as_str())).copied().unwrap_or(&row.name);
        listed.contains(&(kind, own.to_owned())) || listed.contains(&(kind, row.name.clone()))
    };
    let unlisted = carried().filter(|row| !is_listed(row) && !hidden.contains(row.path.as_str()));
    let components = unlisted.map(|row| UnlistedComponent {
        plugin: plugin.to_owned(),
        kind: row.kind,
        name: row.name.strip_prefix(&format!("{plugin}:")).unwrap_or(&row.name).to_owned(),
        path: row.path.clone(),
    });
    components.collect()
}

/// The kind in the host's listing: commands are skills there.
fn listed_kind(kind: ComponentKind) -> ComponentKind {
    if kind == ComponentKind::Agent { kind } else { ComponentKind::Skill }
}

/// Whether a row's kind may match a kind that the host lists.
fn kinds_match(listed: ComponentKind, row: ComponentKind) -> bool {
    match listed {
        ComponentKind::Skill => {
            matches!(row, ComponentKind::Skill | ComponentKind::Command | ComponentKind::Workflow)
        }
        kind => row == kind,
    }
}

/// Checks that a row carries the component or counts it as a loss; the error has the reason and the file.
fn check_row(
    plugin: &ListedPlugin,
    component: &ListedComponent,
    rows: &[&LedgerRow],
    ledger: &Ledger,
    renames: &BTreeSet<(ComponentKind, String, String)>,
) -> Result<(), (String, Option<String>)> {
    let qualified = qualify(&plugin.name, &component.name);
    let also: Vec<&String> =
        renames.iter().filter(|(_, from, _)| *from == qualified).map(|(_, _, to)| to).collect();
    let mut here = rows.iter().filter(|row| {
        kinds_match(component.kind, row.kind)
            && (row.name == component.name || row.name == qualified || also.contains(&&row.name))
    });
    let mut without_class = None;
    for row in here.by_ref() {
        if row.outcome != RowOutcome::Dropped || row.loss.is_some() {
            return Ok(());
        }
        without_class.get_or_insert(*row);
    }
    if let Some(row) = without_class {
        let why = row.reason.as_deref().unwrap_or("no reason is given");
        return Err((format!("it is dropped without a loss class: {why}"), Some(row.path.clone())));
    }
    let places = default_paths(plugin, component);
    let row_of = |place: &String| {
        let above = |row: &&LedgerRow| {
            row.kind == ComponentKind::File
                && (row.path == *place
                    || place.strip_prefix(&row.path).is_some_and(|rest| rest.starts_with('/')))
        };
        ledger.rows.iter().filter(above).max_by_key(|row| row.path.len())
    };
    match places.iter().find_map(row_of) {
        // It was not read, and the loss is that of the file.
        Some(row) if row.loss.is_some() => Ok(()),
        Some(row) => {
            let why = row.reason.as_deref().unwrap_or("it is read as a plain file");
            Err((format!("`{}`: {why}", row.path), Some(row.path.clone())))
        }
        None => Err(("nothing of that name was read in the source".to_owned(), None)),
    }
}

/// The default paths of such a component on the host, relative to the source.
fn default_paths(plugin: &ListedPlugin, component: &ListedComponent) -> Vec<String> {
    let root = plugin.root.clone().filter(|root| !root.is_empty()).map(|root| root + "/").unwrap_or_default();
    let path = component.name.replace(':', "/");
    let inner = match component.kind {
        ComponentKind::Skill => vec![
            format!("skills/{path}/{SKILL_FILE}"),
            format!("commands/{path}.md"),
            format!("{path}/{SKILL_FILE}"),
            format!("workflows/{path}.js"),
        ],
        ComponentKind::Agent => vec![format!("agents/{path}.md")],
        ComponentKind::Hook => vec!["hooks/hooks.json".to_owned()],
        _ => vec![".mcp.json".to_owned()],
    };
    inner.into_iter().map(|inner| format!("{root}{inner}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Loss, LossClass, LossId};
    use crate::target::Axis;

    fn listed(names: &[(ComponentKind, &str)]) -> Vec<ListedPlugin> {
        let component =
            |(kind, name): &(ComponentKind, &str)| ListedComponent { kind: *kind, name: (*name).to_owned() };
        let components = names.iter().map(component).collect();
        vec![ListedPlugin {
            name: "folder".to_owned(),
            root: Some(String::new()),
            components,
            refused: Vec::new(),
        }]
    }

    fn row(kind: ComponentKind, name: &str, path: &str) -> LedgerRow {
        LedgerRow {
            id: format!("kit:{path}"),
            plugin: "kit".to_owned(),
            kind,
            name: name.to_owned(),
            path: path.to_owned(),
            span: None,
            pointer: None,
            outcome: RowOutcome::Kept,
            to: None,
            loss: None,
            reason: None,
            transient: false,
        }
    }

    fn dropped(row: LedgerRow, reason: &str) -> LedgerRow {
        LedgerRow { outcome: RowOutcome::Dropped, reason: Some(reason.to_owned()), ..row }
    }

    #[test]
    fn what_is_carried_or_a_loss_with_a_class_is_accounted_for() {
        let id = LossId::new(Axis::Hooks, "kit", (ComponentKind::Hook, "Stop/*/1"), "");
        let loss = Loss { id, class: LossClass::Behavior, accepted: false };
        let lost = dropped(row(ComponentKind::Hook, "Stop/*/1", "hooks/hooks.json"), "no such event");
        let lost = LedgerRow { loss: Some(loss), ..lost };
        let rows = vec![
            row(ComponentKind::Plugin, "kit", "."),
            row(ComponentKind::Skill, "kit:plan", "skills/plan/SKILL.md"),
            row(ComponentKind::Command, "kit:team:go", "commands/team/go.md"),
            lost,
            dropped(row(ComponentKind::Agent, "kit:judge", "agents/judge.md"), "broken"),
            dropped(row(ComponentKind::File, "themes", "themes"), "it is not part of any plugin"),
            row(ComponentKind::Skill, "kit:new", "skills/old/SKILL.md"),
        ];
        let ledger = Ledger::new(rows);
        let listed = listed(&[
            (ComponentKind::Skill, "plan"),
            (ComponentKind::Skill, "team:go"),
            (ComponentKind::Hook, "Stop/*/1"),
            (ComponentKind::Agent, "judge"),
            (ComponentKind::Skill, "themes"),
            (ComponentKind::Skill, "gone"),
            (ComponentKind::Skill, "old"),
        ]);
        let named = with_bundle_names(listed, Some(&ledger));
        let renames = BTreeSet::from([(ComponentKind::Skill, "kit:old".to_owned(), "kit:new".to_owned())]);
        let compared = bundle(&HostId::new("mars"), &named, &ledger, &renames);
        assert_eq!(compared.unlisted, []);
        let missing = compared.missing;
        let messages: Vec<(&str, &str)> =
            missing.iter().map(|missing| (missing.name.as_str(), missing.reason.as_str())).collect();
        assert_eq!(
            messages,
            [
                ("gone", "nothing of that name was read in the source"),
                ("themes", "`themes`: it is not part of any plugin"),
                ("judge", "it is dropped without a loss class: broken"),
            ]
        );
    }

    #[test]
    fn names_of_a_source_count_under_the_name_that_its_bundle_has() {
        let ledger = Ledger::new(vec![row(ComponentKind::Plugin, "kit", ".")]);
        let name = |plugin: &str| {
            BTreeSet::from([(ComponentKind::Command, format!("{plugin}:a b"), format!("{plugin}:a-b"))])
        };
        assert_eq!(renames_in(&ledger, &name("folder"), Some("kit")), name("kit"));
        assert_eq!(renames_in(&ledger, &name("folder"), None), name("folder"));
        assert_eq!(renames_in(&ledger, &name("kit"), Some("other")), name("kit"));
    }

    #[test]
    fn what_the_host_does_not_list_is_named() {
        let rows = vec![
            row(ComponentKind::Plugin, "kit", "."),
            row(ComponentKind::Skill, "kit:plan", "skills/plan/SKILL.md"),
            row(ComponentKind::Command, "kit:alias", "commands/alias.md"),
            row(ComponentKind::Command, "kit:parked", "commands/parked.md"),
            row(ComponentKind::Field, "user-invocable", "commands/parked.md"),
            dropped(row(ComponentKind::Agent, "kit:judge", "agents/judge.md"), "broken"),
            row(ComponentKind::Command, "kit:new", "commands/old.md"),
        ];
        let ledger = Ledger::new(rows);
        let named = with_bundle_names(
            listed(&[(ComponentKind::Skill, "plan"), (ComponentKind::Skill, "old")]),
            Some(&ledger),
        );
        let renames = BTreeSet::from([(ComponentKind::Command, "kit:old".to_owned(), "kit:new".to_owned())]);
        let unlisted = bundle(&HostId::new("mars"), &named, &ledger, &renames).unlisted;
        let names: Vec<(&str, &str)> =
            unlisted.iter().map(|one| (one.name.as_str(), one.path.as_str())).collect();
        assert_eq!(names, [("alias", "commands/alias.md")]);
        let refused =
            named.into_iter().map(|plugin| ListedPlugin { refused: vec!["no".to_owned()], ..plugin });
        assert_eq!(
            bundle(&HostId::new("mars"), &refused.collect::<Vec<_>>(), &ledger, &renames).unlisted,
            []
        );
    }

    #[test]
    fn what_the_host_lists_once_is_not_missed_twice() {
        let of = |plugin: &str, mut row: LedgerRow| {
            row.plugin = plugin.to_owned();
            row
        };
        // One file in two plugins, which the host lists once.
        let sea = "skills/sea/SKILL.md";
        let rows = vec![
            of("wet", row(ComponentKind::Skill, "wet:ocean", sea)),
            of("also", row(ComponentKind::Skill, "also:ocean", sea)),
            of("wet", row(ComponentKind::Skill, "wet:deep", "skills/deep/SKILL.md")),
        ];
        let plugin = |name: &str, names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (ComponentKind::Skill, *name)).collect();
            let mut plugins = listed(&names);
            plugins.iter_mut().for_each(|plugin| name.clone_into(&mut plugin.name));
            plugins
        };
        let shown: Vec<_> = [plugin("also", &["ocean"]), plugin("wet", &["sky"])].concat();
        let unlisted = bundle(&HostId::new("mars"), &shown, &Ledger::new(rows), &BTreeSet::new()).unlisted;
        assert_eq!(unlisted.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["deep"]);
        // Two folders of one plugin with a skill of the same name, one of which is renamed in the bundle.
        let rows = vec![
            row(ComponentKind::Skill, "kit:own", "skills/own/SKILL.md"),
            row(ComponentKind::Skill, "kit:copies-own", "copies/own/SKILL.md"),
        ];
        let shown: Vec<_> = [plugin("kit", &["own"]), plugin("kit", &["own"])].concat();
        assert_eq!(bundle(&HostId::new("mars"), &shown, &Ledger::new(rows), &BTreeSet::new()).unlisted, []);
    }
}
