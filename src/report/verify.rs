//! The human output of `verify`: one line per host, then missing components with their files and help.

use std::collections::BTreeMap;

use crate::bundle::source_verification::SourceVerification;
use crate::bundle::verification::{HostVerdict, HostVerification, Method, PluginVerification, Verification};
use crate::ledger::ComponentKind;
use crate::printable::PrintableLines;

/// The kinds of components that hosts list.
const KINDS: [ComponentKind; 5] = [
    ComponentKind::Skill,
    ComponentKind::Agent,
    ComponentKind::Command,
    ComponentKind::Hook,
    ComponentKind::McpServer,
];

/// One line per host, then its faults and notes.
pub fn human(verification: &Verification) -> String {
    let mut out = PrintableLines::default();
    for host in &verification.hosts {
        let verdict = if host.result == HostVerdict::Pass { "pass" } else { "fail" };
        let _ = writeln!(
            out,
            "{} {}: {verdict}: {}; bodies compared {} of {}",
            host.host,
            host.version,
            counts(host),
            host.invoked,
            host.total
        );
        for plugin in &host.plugins {
            faults(&mut out, host, plugin);
        }
        for note in &host.notes {
            let _ = writeln!(out, "  note: {note}");
        }
    }
    for host in &verification.absent {
        let _ = writeln!(out, "{}: not verified: {}", host.host, host.message);
        let _ = writeln!(out, "  help: {}", host.help);
    }
    if let Some(source) = &verification.source {
        print_source(&mut out, source);
    }
    for note in &verification.notes {
        let _ = writeln!(out, "note: {note}");
    }
    out.into_string()
}

/// What the source host lists, on one line, and what each bundle lacks.
fn print_source(out: &mut PrintableLines, source: &SourceVerification) {
    let verdict = if source.result == HostVerdict::Pass { "pass" } else { "fail" };
    let count = |kind: ComponentKind| -> usize {
        source.plugins.iter().filter_map(|plugin| plugin.listed.get(kind)).map(Vec::len).sum()
    };
    let counts: Vec<String> = KINDS
        .into_iter()
        .filter(|kind| count(*kind) > 0)
        .map(|kind| format!("{} {}{}", count(kind), noun(kind), if count(kind) == 1 { "" } else { "s" }))
        .collect();
    let counts = if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") };
    let _ = writeln!(
        out,
        "source `{}` in {} {}: {verdict}: {counts} listed",
        source.path, source.host, source.version
    );
    for bundle in &source.bundles {
        for missing in &bundle.missing {
            let _ = writeln!(
                out,
                "  {}: `{}` lacks the {} `{}`: {}",
                bundle.host,
                missing.plugin,
                noun(missing.kind),
                missing.name,
                missing.reason
            );
        }
        for unlisted in &bundle.unlisted {
            let _ = writeln!(
                out,
                "  {}: `{}` has the {} `{}` (`{}`), which {} does not list",
                bundle.host,
                unlisted.plugin,
                noun(unlisted.kind),
                unlisted.name,
                unlisted.path,
                source.host
            );
        }
        if !bundle.missing.is_empty() || !bundle.unlisted.is_empty() {
            let _ = writeln!(
                out,
                "    help: fix the source as `plugcast check` says and build again; report it if `check` finds nothing"
            );
        }
    }
    for plugin in &source.plugins {
        for refused in &plugin.refused {
            let _ = writeln!(out, "  note: `{}`: {refused}", plugin.name);
        }
    }
    for note in &source.notes {
        let _ = writeln!(out, "  note: {note}");
    }
}

/// For example `4 skills listed, 1 hook only resolved`.
fn counts(host: &HostVerification) -> String {
    let mut found: BTreeMap<(ComponentKind, Method), usize> = BTreeMap::new();
    for ((kind, _), method) in host.plugins.iter().flat_map(|plugin| &plugin.ways) {
        *found.entry((*kind, *method)).or_default() += 1;
    }
    let parts: Vec<String> = found
        .into_iter()
        .map(|((kind, method), count)| {
            let way = match method {
                Method::Executed => "executed",
                Method::Listed => "listed",
                Method::Resolved => "only resolved",
            };
            format!("{count} {}{} {way}", noun(kind), if count == 1 { "" } else { "s" })
        })
        .collect();
    if parts.is_empty() { "nothing found".to_owned() } else { parts.join(", ") }
}

fn noun(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Skill => "skill",
        ComponentKind::Agent => "agent",
        ComponentKind::Command => "command",
        ComponentKind::Hook => "hook",
        ComponentKind::McpServer => "server",
        _ => "component",
    }
}

fn faults(out: &mut PrintableLines, host: &HostVerification, plugin: &PluginVerification) {
    for name in &plugin.missing {
        let kind = KINDS
            .into_iter()
            .find(|kind| plugin.expected.get(*kind).is_some_and(|names| names.contains(name)));
        let file = plugin.files.get(name).map(|file| format!(" (`{file}`)")).unwrap_or_default();
        let _ = writeln!(out, "  {}: missing {} `{name}`{file}", plugin.name, kind.map_or("component", noun));
    }
    if !plugin.missing.is_empty() {
        let _ = writeln!(
            out,
            "    help: {} does not show what is missing; see its messages below, or run `plugcast explain FILE:1` on one",
            host.host
        );
    }
    for name in &plugin.unexpected {
        let _ = writeln!(out, "  {}: unexpected `{name}`", plugin.name);
        let _ = writeln!(
            out,
            "    help: {} shows it, but the ledger does not list it; build the bundle again, or report it",
            host.host
        );
    }
    for error in &plugin.errors {
        // The message of a host may have several lines.
        let mut lines = error.trim().lines();
        let _ = writeln!(out, "  {}: {}", plugin.name, lines.next().unwrap_or_default());
        for line in lines {
            let _ = writeln!(out, "    {line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::verification::{AbsentHost, Methods, NamesByKind};
    use crate::diagnostic::HostId;

    #[test]
    fn says_what_is_only_resolved_and_what_is_missing() {
        let mut expected = NamesByKind::default();
        expected.add(ComponentKind::Skill, "demo:plan");
        let plugin = PluginVerification {
            name: "demo".to_owned(),
            expected,
            observed: NamesByKind::default(),
            method: Methods::default(),
            missing: vec!["demo:plan".to_owned()],
            unexpected: vec!["demo:x".to_owned()],
            errors: vec!["bad file".to_owned()],
            ways: BTreeMap::from([((ComponentKind::Hook, "Stop/*/1".to_owned()), Method::Resolved)]),
            files: BTreeMap::from([("demo:plan".to_owned(), "plugins/demo/skills/plan/SKILL.md".to_owned())]),
        };
        let host = HostVerification {
            host: HostId::new("mars"),
            version: "1.0.0".to_owned(),
            result: HostVerdict::Fail,
            invoked: 0,
            total: 1,
            plugins: vec![plugin],
            notes: vec!["another version".to_owned()],
        };
        let text = human(&Verification {
            schema: String::new(),
            hosts: vec![host],
            absent: vec![AbsentHost {
                host: HostId::new("venus"),
                message: "host `venus` not found".to_owned(),
                help: "pass its path".to_owned(),
            }],
            source: None,
            notes: Vec::new(),
        });
        assert!(text.starts_with("mars 1.0.0: fail: 1 hook only resolved; bodies compared 0 of 1\n"));
        for part in [
            "venus: not verified: host `venus` not found\n  help: pass its path\n",
            "missing skill `demo:plan` (`plugins/demo/skills/plan/SKILL.md`)",
            "unexpected `demo:x`",
            "demo: bad file",
            "note: another version",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
