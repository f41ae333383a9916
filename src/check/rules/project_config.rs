//! The configuration file of a project that its host rejects.

use camino::Utf8PathBuf;

use super::project_file::EntryFormats;
use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::read::json;
use crate::read::tree::{MappingEntry, Node, Value};
use crate::source::{SourceFile, Span, line_start};
use crate::target::{CheckFacts, ProjectConfig, Target};

pub(super) const RULE: Rule = Rule {
    name: "project-config",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a project's configuration file is refused by its host",
    page: include_str!("project_config.md"),
    check: RuleCheck::Project(check),
};

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    for host in &context.hosts {
        let Some(config) = &host.checks.project_config else { continue };
        for file in config_files(context, host) {
            let missing = missing_files(context, file, config);
            for ConfigFault { span, wrong, is_ignored } in missing.chain(faults(file, config, &host.checks)) {
                let refusal = if is_ignored { &config.server_refusal } else { &config.refusal };
                let message = format!("{wrong}: {} {refusal}", host.host.title);
                sink.report(file, span, message).hosts = vec![host.name.clone()];
            }
        }
    }
}

/// The configuration files of projects that the host reads; all of them are among the paths that are not fully checked.
pub(super) fn config_files<'a>(
    context: &RuleContext<'a>,
    host: &'a Target,
) -> impl Iterator<Item = &'a SourceFile> + use<'a> {
    let names = host.checks.project_config.iter().flat_map(|config| &config.files);
    let names: Vec<&str> = names.map(String::as_str).collect();
    let project = context.project;
    let paths = project.left_out.iter().map(|one| &one.path);
    let is_one = move |path: &&Utf8PathBuf| path.file_name().is_some_and(|name| names.contains(&name));
    paths.filter(is_one).filter_map(|path| project.file(path))
}

/// What is wrong in a file.
struct ConfigFault {
    span: Span,
    wrong: String,
    /// Whether the host starts, and ignores the entry.
    is_ignored: bool,
}

impl ConfigFault {
    fn new(span: Span, wrong: impl Into<String>) -> Self {
        Self { span, wrong: wrong.into(), is_ignored: false }
    }
}

/// The faults of a file.
fn faults(file: &SourceFile, config: &ProjectConfig, checks: &CheckFacts) -> Vec<ConfigFault> {
    let Some(text) = file.text() else {
        return vec![ConfigFault::new(Span::new(0, 0), "the file is not UTF-8")];
    };
    let (node, syntax) = json::parse_with_comments(text);
    if config.substitutions.iter().any(|mark| text.contains(mark.as_str())) && node.is_none() {
        return Vec::new();
    }
    let Some(root) = node.filter(|_| !text.trim().is_empty()) else {
        // An empty file is an empty configuration.
        let faults = syntax.into_iter().filter(|_| !text.trim().is_empty());
        return faults
            .map(|fault| ConfigFault::new(fault.span, format!("invalid JSON: {}", fault.message)))
            .collect();
    };
    let top = EntryFormats { required: &[], formats: &config.formats, values: None };
    let mut out = entry_faults(&root, root.span, &top);
    for files in &checks.project_files {
        let formats = EntryFormats { required: &files.config_required, ..EntryFormats::of_files(files) };
        for entry in entries_of(&root, files.config_field.as_deref()) {
            out.extend(named_faults(entry, &formats));
        }
    }
    for entry in entries_of(&root, Some(&config.servers_field)) {
        out.extend(server_faults(entry, config));
    }
    out
}

/// The files that the host would insert and that do not exist: it reads them from every line but those of comments.
fn missing_files<'a>(
    context: &'a RuleContext<'_>,
    file: &'a SourceFile,
    config: &'a ProjectConfig,
) -> impl Iterator<Item = ConfigFault> {
    let text = file.text().unwrap_or_default();
    let start = config.file_substitution.as_str();
    text.match_indices(start).filter_map(move |(at, _)| {
        let from = at + start.len();
        let path = &text[from..from + text[from..].find('}')?];
        let is_comment = text[line_start(text, at)..at].trim_start().starts_with("//");
        // Paths from the root or the home of a machine tell nothing about other machines.
        let is_known = !path.is_empty() && !path.starts_with(['/', '~']);
        let place = file.origin.parent()?.join(path);
        (is_known && !is_comment && !context.project.file_system.is_file(&place))
            .then(|| ConfigFault::new(Span::new(from, from + path.len()), format!("missing file `{path}`")))
    })
}

/// The entries of the mapping at `field`.
pub(super) fn entries_of<'a>(root: &'a Node, field: Option<&str>) -> &'a [MappingEntry] {
    field.and_then(|field| root.get(field)).map(Node::entries).unwrap_or_default()
}

/// The faults of an agent or a command.
fn named_faults(entry: &MappingEntry, formats: &EntryFormats<'_>) -> Vec<ConfigFault> {
    match entry.node.value {
        Value::Map(_) => entry_faults(&entry.node, entry.key_span, formats),
        _ => vec![ConfigFault::new(entry.node.span, format!("`{}` must be a mapping", entry.key))],
    }
}

fn entry_faults(node: &Node, span: Span, formats: &EntryFormats<'_>) -> Vec<ConfigFault> {
    let missing = formats.required.iter().filter(|key| node.get(key).is_none());
    let missing = missing.map(|key| ConfigFault::new(span, format!("`{key}` is missing")));
    let wrong = node
        .entries()
        .iter()
        .filter_map(|entry| Some(ConfigFault::new(entry.node.span, formats.fault(entry)?)));
    missing.chain(wrong).collect()
}

/// The faults of an MCP server. With a valid `enabled`, which alone switches a server of another file on or off, the host
/// takes an entry of any form.
fn server_faults(entry: &MappingEntry, config: &ProjectConfig) -> Vec<ConfigFault> {
    let node = &entry.node;
    let is_switch = node.get("enabled").is_some_and(|value| matches!(value.value, Value::Bool(_)));
    if is_switch && node.entries().len() == 1 {
        return Vec::new();
    }
    let known: Vec<String> = config.servers.keys().map(|name| format!("`{name}`")).collect();
    let known = known.join(" or ");
    let mut faults = match node.get("type") {
        None => vec![ConfigFault::new(entry.key_span, format!("`type` is missing, which must be {known}"))],
        Some(kind) => match kind.as_str().and_then(|kind| config.servers.get(kind)) {
            None => vec![ConfigFault::new(kind.span, format!("`type` must be {known}"))],
            Some(server) => {
                let formats =
                    EntryFormats { required: &server.required, formats: &server.formats, values: None };
                entry_faults(node, entry.key_span, &formats)
            }
        },
    };
    faults.iter_mut().for_each(|fault| fault.is_ignored = is_switch);
    faults
}
