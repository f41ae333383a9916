//! A README lists components or plugins that do not exist, or omits some that do.

use std::collections::BTreeSet;

use crate::check::context::RuleContext;
use crate::check::prose;
use crate::check::readme::{self, ListedKind, ListedRow, Readme, ReadmeListing};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::stage::StageMarks;
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::model::qualified_name::{last_of, parts_of};
use crate::model::similar_names::misspelt_name;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "readme-table",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a README lists a missing skill, agent, command or plugin, or omits one",
    page: include_str!("readme_table.md"),
    check: RuleCheck::Project(check),
};

/// A list that omits more than one of this many is a deliberate selection.
const ONE_OF: usize = 4;
/// Words in a row that explain why its name does not exist.
const ASIDE: [&str; 10] = [
    "built-in",
    "builtin",
    "deprecated",
    "external",
    "optional",
    "planned",
    "removed",
    "renamed",
    "soon",
    "third-party",
];

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    for readme in &context.readmes() {
        check_components(context, readme, sink);
        if readme.above {
            of_plugins(context, readme, sink);
        }
    }
}

fn check_components(context: &RuleContext<'_>, readme: &Readme<'_>, sink: &mut FindingSink) {
    let mut told: Vec<(&Plugin, &ReadmeListing)> = Vec::new();
    for listing in readme.listings().iter().filter(|listing| matches!(listing.of, ListedKind::Components(_)))
    {
        let Some(plugin) = owner(readme, listing) else { continue };
        told.push((plugin, listing));
        if !is_majority(listing, matching_rows(readme, plugin, listing)) || readme.above && readme.remote > 0
        {
            continue;
        }
        let names = plugin.components.iter().map(|component| component.name.as_str());
        for row in stale(readme, listing, |name| is_known_name(context, name)) {
            let what = word(listing);
            report_unknown(
                readme,
                row,
                what,
                &format!("`{}` has no such {what}", plugin.name),
                names.clone(),
                sink,
            );
        }
    }
    for plugin in &readme.plugins {
        let listings: Vec<&ReadmeListing> =
            told.iter().filter(|(owner, _)| owner.name == plugin.name).map(|(_, listing)| *listing).collect();
        for kind in [ComponentKind::Skill, ComponentKind::Agent, ComponentKind::Command] {
            report_omitted(readme, plugin, kind, &listings, sink);
        }
    }
}

/// The plugin with the most components in a listing, if there is one.
fn owner<'a>(readme: &Readme<'a>, listing: &ReadmeListing) -> Option<&'a Plugin> {
    let best = readme.plugins.iter().map(|plugin| (matching_rows(readme, plugin, listing), *plugin));
    let (count, plugin) = best.rev().max_by_key(|(count, _)| *count)?;
    (count > 0).then_some(plugin)
}

/// How many rows name components of the plugin, of the kind that the listing names.
fn matching_rows(readme: &Readme<'_>, plugin: &Plugin, listing: &ReadmeListing) -> usize {
    let agents = listing.of == ListedKind::Components(ComponentKind::Agent);
    let is_one = |name: &&str| {
        let mut own = plugin.components.iter().filter(|one| (one.kind == ComponentKind::Agent) == agents);
        own.any(|component| readme::is(component, name))
            || !agents
                && plugin.inline.iter().any(|command| command.name == *name || command.qualified == *name)
    };
    names(readme, listing).filter(is_one).count()
}

fn names<'t>(readme: &'t Readme<'_>, listing: &'t ReadmeListing) -> impl Iterator<Item = &'t str> {
    listing.rows.iter().filter_map(|row| Some(row.name.as_ref()?.span.slice(readme.text.text)))
}

/// Whether `hits` are most of its rows.
fn is_majority(listing: &ReadmeListing, hits: usize) -> bool {
    hits > 1 && hits * 2 > listing.rows.len()
}

/// The noun for the rows, for a message.
fn word(listing: &ReadmeListing) -> &'static str {
    match listing.of {
        ListedKind::Components(kind) => kind.id(),
        ListedKind::Plugins => "plugin",
    }
}

/// Whether anything in the whole source has that name.
fn is_known_name(context: &RuleContext<'_>, name: &str) -> bool {
    let last = last_of(name);
    // The components of a plugin outside of the source are unknown.
    let foreign = parts_of(name).is_some_and(|(plugin, _)| {
        context.project.plugins.iter().all(|one| {
            one.name != plugin && !one.components.iter().any(|component| component.name.starts_with(plugin))
        })
    });
    foreign
        || context.project.plugins.iter().any(|plugin| {
            plugin.name == name
                || plugin.author_files().any(|component| {
                    readme::is(component, name) || name.replacen(':', "-", 1) == last_of(&component.name)
                })
                || plugin.inline.iter().any(|command| command.name == last)
                || plugin.lost.iter().any(|lost| lost.name == last)
                || plugin.others.iter().any(|other| other.name == last)
        })
}

/// The rows whose name does not exist.
fn stale<'l>(
    readme: &Readme<'_>,
    listing: &'l ReadmeListing,
    is_known: impl Fn(&str) -> bool,
) -> Vec<&'l ListedRow> {
    let text = readme.text.text;
    let marked = listing.rows.iter().filter_map(|row| row.name.as_ref()).any(|name| name.marked);
    let is_stale = |row: &&ListedRow| {
        let Some(name) = &row.name else { return false };
        (!marked || name.marked)
            && !is_known(name.span.slice(text))
            && !prose::contains_any(row.span.slice(text), &ASIDE)
            && !readme
                .headings(row.span.start)
                .iter()
                .any(|heading| prose::contains_any(&heading.text, &ASIDE))
    };
    listing.rows.iter().filter(is_stale).collect()
}

/// Reports a row whose name does not exist.
fn report_unknown<'n>(
    readme: &Readme<'_>,
    row: &ListedRow,
    what: &str,
    why: &str,
    known: impl Iterator<Item = &'n str>,
    sink: &mut FindingSink,
) {
    let (file, text) = (readme.text.file, readme.text.text);
    let Some(name) = &row.name else { return };
    let listed = name.span.slice(text);
    let found = sink.report(file, name.span, format!("the README lists the {what} `{listed}`, but {why}"));
    let bare = last_of(listed);
    // A row may contain more than a name, so there is no fix that removes it.
    found.help = Some("remove the row, or update the name".to_owned());
    if let Some(near) = misspelt_name(bare, known) {
        found.help = Some(format!("write `{near}`, or remove the row"));
        let start = name.span.end - bare.len();
        found.fix = Some(replace(file, Span::new(start, name.span.end), near, Applicability::Unsafe));
    }
}

/// Reports components that all listings together omit.
fn report_omitted(
    readme: &Readme<'_>,
    plugin: &Plugin,
    kind: ComponentKind,
    listings: &[&ReadmeListing],
    sink: &mut FindingSink,
) {
    let text = readme.text.text;
    let own: Vec<&Component> = plugin.components.iter().filter(|component| component.kind == kind).collect();
    let listed: BTreeSet<&str> = listings.iter().flat_map(|listing| names(readme, listing)).collect();
    let is_listed = |component: &Component| listed.iter().any(|name| readme::is(component, name));
    let count = own.iter().filter(|component| is_listed(component)).count();
    let is_missing = |component: &&&Component| {
        let last = last_of(&component.name);
        let is_mentioned = |name: &str| prose::word_spans(text, &name.to_lowercase()).next().is_some();
        // A skill `health-audit` may be written `/health:audit`.
        let parted = |(at, _)| text.contains(&format!("/{}:{}", &last[..at], &last[at + 1..]));
        let is_mentioned = is_mentioned(last)
            || component.alias().is_some_and(|alias| is_mentioned(&alias))
            || last.match_indices('-').any(parted);
        !is_listed(component)
            && !is_mentioned
            && !last.starts_with('_')
            && !component.model_only()
            && !StageMarks::from_component(component, plugin).is_beta()
    };
    let missing: Vec<&&Component> = own.iter().filter(is_missing).collect();
    let last = listings.iter().rev().find(|listing| {
        let mut of_kind = names(readme, listing);
        of_kind.any(|name| own.iter().any(|component| readme::is(component, name)))
    });
    let Some(row) = last.and_then(|listing| listing.rows.last()) else { return };
    if !is_nearly_all(count, missing.len()) {
        return;
    }
    let all = own.len();
    for component in missing {
        let name = last_of(&component.name);
        let what = kind.id();
        let message = format!(
            "the README lists {count} of the {all} {what}s of `{}`, and leaves out `{name}`",
            plugin.name
        );
        let found = sink.report(readme.text.file, row.span, message);
        found.help =
            Some(format!("add `{name}`, which `{}` describes, or say it in a sentence", component.path));
    }
}

/// Whether a list with `listed` names that omits `missing` was meant to be complete.
fn is_nearly_all(listed: usize, missing: usize) -> bool {
    listed > 1 && missing > 0 && (missing == 1 || missing * ONE_OF <= listed)
}

fn of_plugins(context: &RuleContext<'_>, readme: &Readme<'_>, sink: &mut FindingSink) {
    let text = readme.text.text;
    let entries: Vec<&str> = match &context.project.marketplace {
        Some(listing) => listing.entries.iter().map(|entry| entry.name.as_str()).collect(),
        None => readme.plugins.iter().map(|plugin| plugin.name.as_str()).collect(),
    };
    let is_one =
        |name: &str| entries.contains(&name) || readme.plugins.iter().any(|plugin| plugin.name == name);
    let mut listed: BTreeSet<&str> = BTreeSet::new();
    let mut last = None;
    for listing in readme.listings().iter().filter(|listing| listing.of == ListedKind::Plugins) {
        let hits = names(readme, listing).filter(|name| is_one(name)).count();
        listed.extend(names(readme, listing));
        if hits > 0 {
            last = listing.rows.last();
        }
        if is_majority(listing, hits) {
            for row in stale(readme, listing, is_one) {
                report_unknown(
                    readme,
                    row,
                    "plugin",
                    "the marketplace has no such plugin",
                    entries.iter().copied(),
                    sink,
                );
            }
        }
    }
    let count = entries.iter().filter(|name| listed.contains(*name)).count();
    let missing: Vec<&&str> = entries
        .iter()
        .filter(|name| {
            !listed.contains(*name) && prose::word_spans(text, &name.to_lowercase()).next().is_none()
        })
        .collect();
    let Some(row) = last.filter(|_| is_nearly_all(count, missing.len())) else { return };
    for name in missing {
        let message =
            format!("the README lists {count} of the {} plugins, and leaves out `{name}`", entries.len());
        let found = sink.report(readme.text.file, row.span, message);
        found.help = Some(format!("add `{name}`, or say it in a sentence"));
    }
}
