//! The differences between two states of a source, for people and as Markdown for release notes. A change that is the
//! same on every host is listed once, without the hosts.

use std::collections::BTreeMap;

use super::human::count_noun;
use crate::compare::{
    ChangedItem, DiffReport, Impact, ItemChange, LossChange, ValueChange, ValueTopic, title,
};
use crate::diagnostic::LossClass;
use crate::printable::PrintableLines;

/// The same change on some hosts.
struct MergedChange<'a> {
    change: &'a ChangedItem,
    hosts: Vec<&'a str>,
    fields: BTreeMap<&'a ValueChange, Vec<&'a str>>,
}

/// The length above which a value is truncated.
const MOST_SHOWN: usize = 160;

/// The human output.
pub fn human(difference: &DiffReport) -> String {
    let mut out = PrintableLines::default();
    let _ = writeln!(out, "{} -> {}", difference.old, difference.new);
    out.push(table(difference));
    let _ = writeln!(out);
    let _ = writeln!(out, "{}", verdict(difference));
    out.into_string()
}

/// Every change and loss, grouped under headings by the kind of change.
pub fn table(difference: &DiffReport) -> PrintableLines {
    let mut out = PrintableLines::default();
    let merged = merged(difference);
    let mut last = None;
    for one in &merged {
        if last.replace(one.change.change) != Some(one.change.change) {
            let _ = writeln!(out);
            let _ = writeln!(out, "{}", heading(one.change.change).to_lowercase());
        }
        let _ =
            writeln!(out, "  {}{}", title(one.change, "", " -> ", true), host_list(difference, &one.hosts));
        if let Some(description) = &one.change.description {
            let _ = writeln!(out, "    {}", truncate(description));
        }
        for (field, hosts) in &one.fields {
            let on = if hosts.len() < one.hosts.len() { host_list(difference, hosts) } else { String::new() };
            let _ = writeln!(out, "    {}{on}", value(field, "", " -> "));
        }
    }
    for (title, losses) in
        [("new losses", losses(difference, true)), ("losses gone", losses(difference, false))]
    {
        if !losses.is_empty() {
            let _ = writeln!(out);
            let _ = writeln!(out, "{title}");
        }
        for MergedLoss { loss, hosts, reasons } in losses {
            let place = loss.line.map_or(String::new(), |line| format!(":{line}"));
            let accepted = if loss.accepted { ", accepted" } else { "" };
            let _ =
                writeln!(out, "  {} {}{}{accepted}", loss.class.id(), loss.id, host_list(difference, &hosts));
            let _ = writeln!(out, "    {}{place}: {}", loss.path, loss_reasons(&reasons));
        }
    }
    out
}

/// Markdown for release notes.
pub fn markdown(difference: &DiffReport) -> String {
    let mut out = PrintableLines::default();
    let _ = writeln!(out, "## {} → {}", difference.old, difference.new);
    let mut last = None;
    for one in &merged(difference) {
        if last.replace(one.change.change) != Some(one.change.change) {
            let _ = writeln!(out);
            let _ = writeln!(out, "### {}", heading(one.change.change));
            let _ = writeln!(out);
        }
        let description = one.change.description.as_ref();
        let description =
            description.map_or(String::new(), |text| format!(": {}", escape_markup(&truncate(text))));
        let hosts = host_list(difference, &one.hosts);
        let _ = writeln!(out, "- {}{hosts}{description}", title(one.change, "`", " → ", true));
        for (field, hosts) in &one.fields {
            let on = if hosts.len() < one.hosts.len() { host_list(difference, hosts) } else { String::new() };
            let _ = writeln!(out, "  - {}{on}", value(field, "`", " → "));
        }
    }
    for (title, losses) in
        [("New losses", losses(difference, true)), ("Losses gone", losses(difference, false))]
    {
        if !losses.is_empty() {
            let _ = writeln!(out);
            let _ = writeln!(out, "### {title}");
            let _ = writeln!(out);
        }
        for MergedLoss { loss, hosts, reasons } in losses {
            let hosts = hosts.join(", ");
            let reason = escape_markup(&loss_reasons(&reasons));
            let _ = writeln!(out, "- {hosts}: `{}` ({}): {reason}", loss.id, loss.class.id());
        }
    }
    let _ = writeln!(out);
    let _ = writeln!(out, "{}", sentence(&verdict(difference)));
    out.into_string()
}

fn merged(difference: &DiffReport) -> Vec<MergedChange<'_>> {
    let mut out: Vec<MergedChange<'_>> = Vec::new();
    let mut known = BTreeMap::new();
    for host in &difference.hosts {
        for change in &host.changes {
            let key = (change.change, change.kind, &change.plugin, &change.name, &change.before);
            let at = *known.entry(key).or_insert_with(|| {
                out.push(MergedChange { change, hosts: Vec::new(), fields: BTreeMap::new() });
                out.len() - 1
            });
            out[at].hosts.push(&host.host);
            for field in &change.fields {
                out[at].fields.entry(field).or_default().push(&host.host);
            }
        }
    }
    out.sort_by(|a, b| {
        let order = |one: &MergedChange<'_>| (one.change.change, one.change.kind);
        let names = |one: &MergedChange<'_>| (one.change.name.clone(), one.change.plugin.clone());
        order(a).cmp(&order(b)).then_with(|| names(a).cmp(&names(b)))
    });
    out
}

/// One loss, the hosts that have it, and the hosts of each reason.
struct MergedLoss<'a> {
    loss: &'a LossChange,
    hosts: Vec<&'a str>,
    reasons: BTreeMap<&'a str, Vec<&'a str>>,
}

fn losses(difference: &DiffReport, new: bool) -> Vec<MergedLoss<'_>> {
    let mut out: BTreeMap<(LossClass, &str, bool), MergedLoss<'_>> = BTreeMap::new();
    for host in &difference.hosts {
        let losses = if new { &host.losses_new } else { &host.losses_gone };
        for loss in losses {
            let one = out.entry((loss.class, loss.id.as_str(), loss.accepted));
            let one = one.or_insert_with(|| MergedLoss { loss, hosts: Vec::new(), reasons: BTreeMap::new() });
            one.hosts.push(&host.host);
            one.reasons.entry(&loss.reason).or_default().push(&host.host);
        }
    }
    out.into_values().collect()
}

/// The reasons of a loss; each with its hosts if they differ.
fn loss_reasons(reasons: &BTreeMap<&str, Vec<&str>>) -> String {
    let one = |(reason, hosts): (&&str, &Vec<&str>)| match reasons.len() {
        1 => (*reason).to_owned(),
        _ => format!("{reason} ({})", hosts.join(", ")),
    };
    reasons.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// ` (host, host)`, or empty for all hosts.
fn host_list(difference: &DiffReport, hosts: &[&str]) -> String {
    let all = hosts.len() == difference.hosts.len();
    if all { String::new() } else { format!(" ({})", hosts.join(", ")) }
}

fn heading(change: ItemChange) -> &'static str {
    match change {
        ItemChange::Removed => "Removed",
        ItemChange::Renamed => "Renamed",
        ItemChange::Promoted => "Promoted",
        ItemChange::Added => "Added",
        ItemChange::Changed => "Changed",
    }
}

fn value(field: &ValueChange, quote: &str, arrow: &str) -> String {
    if field.topic == ValueTopic::Text {
        return "its text or files beside it".to_owned();
    }
    if field.topic == ValueTopic::File {
        return format!("its file {quote}{}{quote}", field.field);
    }
    let topic = match field.topic {
        ValueTopic::Description => "description",
        ValueTopic::Arguments => "arguments",
        ValueTopic::Tools => "tool limits",
        ValueTopic::Model => "model",
        ValueTopic::Invocation => "invocation",
        ValueTopic::Version => "version",
        ValueTopic::Kind => "kind",
        ValueTopic::Text | ValueTopic::File | ValueTopic::Other => "",
    };
    let name = match topic {
        "" => field.field.clone(),
        topic if topic == field.field => topic.to_owned(),
        topic => format!("{topic} ({})", field.field),
    };
    let shown = |value: &Option<String>| match value {
        None => "nothing".to_owned(),
        Some(value) if quote.is_empty() => truncate(value),
        Some(value) => code(&truncate(value)),
    };
    format!("{name}: {}{arrow}{}", shown(&field.before), shown(&field.after))
}

/// A value as Markdown code, even if it contains backticks.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// A text with markup escaped.
fn escape_markup(text: &str) -> String {
    text.replace('<', "&lt;").replace('>', "&gt;")
}

fn truncate(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

fn verdict(difference: &DiffReport) -> String {
    let hosts = difference.hosts.iter().map(|host| host.host.as_str()).collect::<Vec<_>>().join(", ");
    if difference.impact == Impact::None && merged(difference).is_empty() {
        return format!("nothing differs for users of {hosts}");
    }
    let changes = count_noun(merged(difference).len(), "change", "changes");
    format!("{changes} for users of {hosts}: {} version", difference.impact.word())
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
