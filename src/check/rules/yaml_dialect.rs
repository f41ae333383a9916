//! A value of frontmatter that hosts read in different ways.

use std::collections::BTreeMap;

use crate::check::context::{PluginText, RuleContext};
use crate::check::raw_value;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, HostId, Severity};
use crate::model::component::Component;
use crate::read::dialect::{self, ReadLoss};
use crate::read::tree::{FaultKind, MappingEntry, Node, ReadFault, Value};
use crate::read::yaml;
use crate::source::{Span, line_start};
use crate::target::Target;

pub(super) const RULE: Rule = Rule {
    name: "yaml-dialect",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "hosts read a value of frontmatter in different ways, or not as written",
    page: include_str!("yaml_dialect.md"),
    check: RuleCheck::InsteadOfReader(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(node) = component.document.fields.as_ref().filter(|_| component.document.cut_off.is_none())
    else {
        // `frontmatter-ends-early` reports the part that is cut off.
        return;
    };
    let rescued: Vec<&ReadFault> =
        component.document.faults.iter().filter(|fault| fault.kind == FaultKind::YamlDialect).collect();
    let before = sink.found.len();
    let Some(yaml) = component.document.yaml else { return };
    let hosts = boundaries(context, text, yaml, sink);
    for fault in &rescued {
        let entry = node.entries().iter().find(|entry| entry.span().contains(fault.span.start));
        if let Some(entry) = entry {
            unreadable(&hosts, text, yaml, entry, sink);
        }
    }
    for fault in component.document.faults.iter().filter(|fault| fault.kind == FaultKind::SelfReference) {
        sink.report(text.file, fault.span, fault.message.clone()).help = Some(fault.help.clone());
    }
    for entry in node.entries() {
        if !rescued.iter().any(|fault| entry.span().contains(fault.span.start)) {
            report_altered(&hosts, text, yaml, entry, sink);
        }
    }
    tags(&hosts, text, yaml, node, sink);
    if sink.found.len() == before && !rescued.is_empty() {
        report_conflicts(&hosts, text, &rescued, sink);
    }
}

/// Reports hosts that end the frontmatter at another place than its author; returns the other hosts.
fn boundaries<'a>(
    context: &RuleContext<'a>,
    text: &PluginText<'_>,
    yaml: Span,
    sink: &mut FindingSink,
) -> Vec<&'a Target> {
    let meant = yaml.end;
    let mut right = Vec::new();
    let mut wrong: BTreeMap<usize, Vec<&Target>> = BTreeMap::new();
    for target in &context.hosts {
        match dialect::end(text.text, target.yaml.dialect.closing) {
            // Blanks before the dashes are not part of a value.
            Some(end) if text.text[meant.min(end)..meant.max(end)].trim().is_empty() => right.push(*target),
            end => wrong.entry(end.unwrap_or(text.text.len())).or_default().push(target),
        }
    }
    for (end, hosts) in wrong {
        let (place, message) = if end == text.text.len() {
            let line = text.text[yaml.end..].lines().next().unwrap_or_default();
            let indent = line.len() - line.trim_start().len();
            let place = Span::new(yaml.end + indent, yaml.end + line.len());
            (
                place,
                format!(
                    "{} {} not find the end of the frontmatter",
                    titles(&hosts),
                    verb(&hosts, "does", "do")
                ),
            )
        } else {
            let verb = verb(&hosts, "ends", "end");
            (Span::new(end, end + 3), format!("{} {verb} the frontmatter at these dashes", titles(&hosts)))
        };
        let place = Span::new(place.start, place.end.min(text.text.len()));
        let found = sink.report(text.file, place, message);
        found.hosts = hosts.iter().map(|target| target.name.clone()).collect();
        found.help = Some(match end == text.text.len() {
            true => "end it with a line of exactly three dashes".to_owned(),
            false => "write other dashes inside a value".to_owned(),
        });
    }
    right
}

/// How the selected hosts read one value.
#[derive(Default)]
struct HostReadings<'a> {
    lost: Vec<&'a Target>,
    read: BTreeMap<String, Vec<&'a Target>>,
    meant: String,
    whole: Vec<&'a Target>,
}

impl<'a> HostReadings<'a> {
    /// Reads a frontmatter with `entry` and the required fields as each host does.
    fn new(hosts: &[&'a Target], text: &PluginText<'_>, yaml: Span, entry: &MappingEntry) -> Self {
        let mut alone = String::from("---\n");
        for (key, value) in [("name", "x"), ("description", "x")] {
            if entry.key != key {
                alone.push_str(&format!("{key}: {value}\n"));
            }
        }
        alone.push_str(
            raw_value::lines(text.text, yaml, entry).slice(text.text).trim_end_matches(['\n', '\r']),
        );
        let ending = if text.text.contains("\r\n") { "\r\n" } else { "\n" };
        alone.push_str(&format!("{ending}---\n"));
        let mut seen = Self::default();
        let meant = raw_value::intended_text(text.text, yaml, entry);
        seen.meant = meant.clone().unwrap_or_default();
        for target in hosts {
            let facts = &target.yaml;
            let shown = facts.dialect.shown.contains(&entry.key);
            match facts.read(&alone) {
                // Another rule reports a number, a list or a mapping in the wrong place.
                Err(ReadLoss::Type) if matches!(entry.node.value, Value::String(_)) => seen.lost.push(target),
                Err(ReadLoss::Type | ReadLoss::Duplicate) => seen.whole.push(target),
                Err(ReadLoss::Syntax | ReadLoss::Unclosed) => seen.lost.push(target),
                Ok(fields) => {
                    let read = fields.get(&entry.key).map(|text| one_line(text)).unwrap_or_default();
                    match &meant {
                        // Next to a value that is not valid YAML, the host's second attempt may read this one as text,
                        // too.
                        Some(meant) if shown && *meant != read && !is_right(target, text, entry, meant) => {
                            seen.read.entry(read).or_default().push(target);
                        }
                        _ => seen.whole.push(target),
                    }
                }
            }
        }
        seen
    }

    fn hosts(&self) -> Vec<HostId> {
        let mut names: Vec<HostId> =
            self.lost.iter().chain(self.read.values().flatten()).map(|target| target.name.clone()).collect();
        names.sort();
        names
    }

    /// A clause for each group of hosts.
    fn words(&self) -> String {
        let mut parts: Vec<String> = self
            .read
            .iter()
            .map(|(read, hosts)| match read.is_empty() {
                true => format!("{} {} nothing", titles(hosts), verb(hosts, "reads", "read")),
                // The end of a long value is more informative than its start.
                false if self.meant.starts_with(read.as_str()) => {
                    format!("{} {} it up to `{}`", titles(hosts), verb(hosts, "reads", "read"), tail(read))
                }
                false => format!("{} {} `{}`", titles(hosts), verb(hosts, "reads", "read"), clipped(read)),
            })
            .collect();
        if !self.lost.is_empty() {
            let verb = verb(&self.lost, "loses", "lose");
            parts.push(format!("{} {verb} the whole frontmatter", titles(&self.lost)));
        }
        parts.join(", ")
    }
}

/// Whether the host reads the intended value in the whole text.
fn is_right(target: &Target, text: &PluginText<'_>, entry: &MappingEntry, meant: &str) -> bool {
    let facts = &target.yaml;
    let read = facts.read(text.text);
    read.is_ok_and(|fields| fields.get(&entry.key).is_some_and(|read| one_line(read) == meant))
}

/// Reports a value that is not valid YAML.
fn unreadable(
    hosts: &[&Target],
    text: &PluginText<'_>,
    yaml: Span,
    entry: &MappingEntry,
    sink: &mut FindingSink,
) {
    let seen = HostReadings::new(hosts, text, yaml, entry);
    let value = entry.node.span.slice(text.text);
    let escapes = value.contains("\\n") || value.contains("\\\"");
    let others = hosts.iter().any(|target| target.source.is_none());
    let alias = unknown_alias(value, &text.text[yaml.start..entry.node.span.start]);
    if seen.hosts().is_empty() && !others && !escapes && alias.is_none() {
        return;
    }
    let indented =
        entry.node.span.slice(text.text).contains('\t') || text.text[..entry.node.span.start].ends_with('\t');
    let tab = if indented { ", because of a tab" } else { "" };
    let mut message = match alias {
        Some(name) => format!("`{}` is an alias without an earlier `&{name}`", entry.key),
        None => format!("the unquoted value of `{}` is not valid YAML{tab}", entry.key),
    };
    if !seen.hosts().is_empty() {
        message = format!("{message}: {}", seen.words());
        if !seen.whole.is_empty() {
            message = format!(
                "{message}; {} {} it as text",
                titles(&seen.whole),
                verb(&seen.whole, "reads", "read")
            );
        }
    } else if escapes {
        message.push_str(", and hosts that read it as text show its escapes literally");
    } else {
        message.push_str("; every selected host falls back to reading it as text");
    }
    let found = sink.report(text.file, entry.node.span, message);
    found.hosts = seen.hosts();
    // Nothing is lost on any host, so no action is needed.
    if seen.hosts().is_empty() && !escapes && alias.is_none() {
        found.severity = Severity::Info;
    }
    let help = if indented {
        "indent with spaces, or put the value in double quotes"
    } else if alias.is_some() {
        "write the value itself, or put it in double quotes if it is meant as text"
    } else {
        "put the value in double quotes"
    };
    found.help = Some(help.to_owned());
    // A value indented with a tab was meant to be more than text, and so was an alias.
    let is_text = !escapes && !indented && alias.is_none();
    let quoted = entry.node.scalar().filter(|_| is_text).map(|value| raw_value::quoted(&value));
    found.fix = quoted.map(|quoted| replace(text.file, entry.node.span, quoted, Applicability::Safe));
}

/// The name of a value that is an alias, `*name`, without its anchor in the frontmatter `before` it.
fn unknown_alias<'t>(value: &'t str, before: &str) -> Option<&'t str> {
    let name = value.trim().strip_prefix('*')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    let is_anchor = |(at, _): (usize, &str)| {
        let rest = &before[at + 1 + name.len()..];
        !rest.starts_with(|c: char| c.is_alphanumeric() || "_-".contains(c))
    };
    (is_name && !before.match_indices(&format!("&{name}")).any(is_anchor)).then_some(name)
}

/// Reports a value that a host accepts but does not read as written.
fn report_altered(
    hosts: &[&Target],
    text: &PluginText<'_>,
    yaml: Span,
    entry: &MappingEntry,
    sink: &mut FindingSink,
) {
    // In braces, a value can be read only with those around it.
    let start = line_start(text.text, entry.key_span.start);
    let is_in_braces = text.text[start..entry.key_span.start].contains('{');
    if is_in_braces || raw_value::is_simple(text.text, yaml, entry) {
        return;
    }
    let Some(meant) = raw_value::intended_text(text.text, yaml, entry) else { return };
    let seen = HostReadings::new(hosts, text, yaml, entry);
    if seen.hosts().is_empty() {
        return;
    }
    let place = Span::new(entry.node.span.start, entry.node.span.end.max(entry.node.span.start));
    let message = format!("`{}` is not read as written: {}", entry.key, seen.words());
    let found = sink.report(text.file, place, message);
    found.hosts = seen.hosts();
    found.help = Some("put the value in double quotes".to_owned());
    if raw_value::line(text.text, entry).end
        >= raw_value::lines(text.text, yaml, entry).trimmed(text.text).end
    {
        let line = raw_value::line(text.text, entry);
        found.fix = Some(replace(text.file, line, raw_value::quoted(&meant), Applicability::Unsafe));
    }
}

/// Reports tags for which a host rejects the file.
fn tags(hosts: &[&Target], text: &PluginText<'_>, yaml: Span, node: &Node, sink: &mut FindingSink) {
    for tagged in yaml::tagged(text.text, yaml) {
        let refuses = |target: &&Target| {
            let facts = &target.yaml;
            facts.dialect.tags.drops_file(&tagged, dialect::is_read(&tagged, text.text, &facts.text_fields))
        };
        let hosts: Vec<&Target> = hosts.iter().copied().filter(|target| refuses(target)).collect();
        let entry = node.entries().iter().rfind(|entry| entry.key_span.start <= tagged.span.start);
        let Some(entry) = entry.filter(|_| !hosts.is_empty()) else { continue };
        if sink.found.iter().any(|found| {
            found.rule == RULE.id() && found.line == text.file.position(entry.key_span.start).line
        }) {
            continue;
        }
        let verb = verb(&hosts, "loses", "lose");
        let message = format!(
            "the tag of `{}` does not fit its value: {} {verb} the whole frontmatter",
            entry.key,
            titles(&hosts)
        );
        let found = sink.report(text.file, entry.node.span, message);
        found.hosts = hosts.iter().map(|target| target.name.clone()).collect();
        found.help = Some("remove the tag, and put the value in double quotes".to_owned());
    }
}

/// Reports values that a host can read individually but not together.
fn report_conflicts(
    hosts: &[&Target],
    text: &PluginText<'_>,
    rescued: &[&ReadFault],
    sink: &mut FindingSink,
) {
    let lost = |target: &&&Target| {
        let facts = &target.yaml;
        let read = facts.read(text.text);
        matches!(read, Err(ReadLoss::Syntax | ReadLoss::Unclosed))
    };
    let hosts: Vec<&Target> = hosts.iter().filter(lost).copied().collect();
    let Some(place) = rescued.first().map(|fault| fault.span) else { return };
    if !hosts.is_empty() {
        let verb = verb(&hosts, "loses", "lose");
        let message = format!(
            "the unquoted value is not valid YAML, and together with the other values {} {verb} the whole frontmatter",
            titles(&hosts)
        );
        let found = sink.report(text.file, place, message);
        found.hosts = hosts.iter().map(|target| target.name.clone()).collect();
        found.help = Some("put the value in double quotes".to_owned());
    }
}

fn titles(hosts: &[&Target]) -> String {
    let titles: Vec<&str> = hosts.iter().map(|target| target.host.title.as_str()).collect();
    match titles.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

fn verb<'a>(hosts: &[&Target], one: &'a str, many: &'a str) -> &'a str {
    if hosts.len() == 1 { one } else { many }
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn tail(text: &str) -> String {
    match text.char_indices().rev().nth(29) {
        Some((start, _)) if start > 0 => format!("…{}", &text[start..]),
        _ => text.to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
