//! An agent or a command of a project in a host's own format that this host rejects.

use std::collections::BTreeMap;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::spanned_toml;
use crate::diagnostic::Severity;
use crate::model::plugin::{LocationForm, Plugin};
use crate::read::tree::{MappingEntry, Node, Value};
use crate::read::{frontmatter, salvage};
use crate::source::{SourceFile, Span};
use crate::target::{FileFormat, ProjectFiles, Target, ValueFormat};

pub(super) const RULE: Rule = Rule {
    name: "project-file",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a project's agent or command in a host's own format is refused there",
    page: include_str!("project_file.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    if plugin.form != LocationForm::Foreign {
        return;
    }
    for host in &context.hosts {
        let all = host.checks.project_files.iter();
        for files in all.filter(|files| files.are_in(&plugin.root, true)) {
            let ending = Some(files.format.extension());
            let paths = plugin.files.kept.iter().filter(|path| path.extension() == ending);
            for file in paths.filter_map(|path| context.file(path)) {
                for (span, wrong) in faults(file, files, host) {
                    let found =
                        sink.report(file, span, format!("{wrong}: {} {}", host.host.title, files.refusal));
                    found.hosts = vec![host.name.clone()];
                }
            }
        }
    }
}

/// The faults of a file, each with its span.
fn faults(file: &SourceFile, files: &ProjectFiles, host: &Target) -> Vec<(Span, String)> {
    let Some(text) = file.text() else { return vec![(Span::new(0, 0), "the file is not UTF-8".to_owned())] };
    let start = Span::new(0, 0);
    let fields = match files.format {
        FileFormat::Toml => match spanned_toml::parse(text) {
            (_, faults) if !faults.is_empty() => {
                return faults
                    .into_iter()
                    .map(|fault| (fault.span, format!("invalid TOML: {}", fault.message)))
                    .collect();
            }
            (fields, _) => fields,
        },
        // Without valid YAML, the host loads an agent without fields.
        FileFormat::Markdown => {
            salvage::as_read_by(frontmatter::parse(text), text, &host.yaml.dialect).fields
        }
    };
    let entries = fields.as_ref().map(Node::entries).unwrap_or_default();
    let is_there = |key: &&String| entries.iter().any(|entry| entry.key == **key);
    let missing = files.required.iter().filter(|key| !is_there(key));
    let missing = missing.map(|key| (start, format!("`{key}` is missing")));
    let formats = EntryFormats::of_files(files);
    let wrong = entries.iter().filter_map(|entry| Some((entry.node.span, formats.fault(entry)?)));
    missing.chain(wrong).collect()
}

/// The values that fields of an agent, a command or a server accept.
pub(super) struct EntryFormats<'a> {
    pub required: &'a [String],
    pub formats: &'a BTreeMap<String, ValueFormat>,
    pub values: Option<&'a BTreeMap<String, Vec<String>>>,
}

impl<'a> EntryFormats<'a> {
    /// Those of files.
    pub fn of_files(files: &'a ProjectFiles) -> Self {
        Self { required: &files.required, formats: &files.formats, values: Some(&files.values) }
    }

    /// The fault in the value of a field.
    pub fn fault(&self, entry: &MappingEntry) -> Option<String> {
        let key = &entry.key;
        let (format, values) = (self.formats.get(key), self.values.and_then(|values| values.get(key)));
        let json = entry.node.to_json();
        let is_value = |text: &str| values.is_some_and(|values| values.iter().any(|value| value == text));
        let is_empty = entry.node.as_str().is_some_and(|text| text.trim().is_empty());
        // An empty text is valid if the field is not required.
        let fits = format
            .is_some_and(|format| format.matches(&json) || is_empty && format.matches(&"x".into()))
            || entry.node.as_str().is_some_and(is_value)
            || format.is_none() && values.is_none();
        if !fits {
            let words = format.map(|format| format.words().to_owned());
            let listed = values
                .map(|values| values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", "));
            let expected: Vec<String> =
                words.into_iter().chain(listed.map(|listed| format!("one of {listed}"))).collect();
            return Some(format!("`{key}` must be {}", expected.join(" or ")));
        }
        if is_empty && self.required.contains(key) {
            return Some(format!("`{key}` is empty"));
        }
        let leaf = leaves(&entry.node).into_iter().find(|leaf| values.is_some() && !is_value(leaf))?;
        let values: Vec<String> = values?.iter().map(|value| format!("`{value}`")).collect();
        Some(format!("`{leaf}` in `{key}` must be one of {}", values.join(", ")))
    }
}

/// The scalars within a mapping, as text.
fn leaves(node: &Node) -> Vec<String> {
    let leaf = |entry: &MappingEntry| match entry.node.value {
        Value::Map(_) => leaves(&entry.node),
        _ => vec![entry.node.scalar().unwrap_or_else(|| "null".to_owned())],
    };
    node.entries().iter().flat_map(leaf).collect()
}
