//! Reads emitted files as the host does, and compares them with what was intended. Pure: it works on bytes and never
//! touches the file system.

pub mod closure;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::bundle::draft::MarkdownDraft;
use crate::bundle::{BundleNode, NodeContent};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::disk::Payload;
use crate::model::component::Component;
use crate::model::project::Project;
use crate::read::frontmatter;
use crate::read::tree::FaultKind;
use crate::source::Span;
use crate::target::Target;

/// The rule of these diagnostics.
pub const RULE: RuleId = RuleId::REREAD;

/// The components of a project by their files.
#[derive(Debug)]
pub struct ComponentOwners<'a>(BTreeMap<&'a str, &'a Component>);

impl<'a> ComponentOwners<'a> {
    /// The components of every plugin of `project`.
    pub fn new(project: &'a Project) -> Self {
        let components = project.plugins.iter().flat_map(|plugin| &plugin.components);
        // Of two components in one file, the first one wins.
        Self(components.rev().map(|component| (component.path.as_str(), component)).collect())
    }
}

/// Finds the faults of one emitted file: frontmatter that the host cannot read, a description that it reads
/// differently, a document that does not parse.
pub fn emitted(
    node: &BundleNode,
    payload: &Payload,
    owners: &ComponentOwners<'_>,
    target: &Target,
) -> Vec<Diagnostic> {
    let (Payload::Text(text), false) = (payload, matches!(node.content, NodeContent::CopyOf(_))) else {
        return Vec::new();
    };
    let fail = |message: String| {
        let path = node.from.clone().unwrap_or_else(|| node.path.clone());
        let help = "this is a bug in plugcast; please report it with the file";
        vec![Diagnostic::for_file(path, Severity::Error, RULE, message).host(&target.name).help(help)]
    };
    match &node.content {
        NodeContent::Markdown(draft) => {
            let owner = node.from.as_ref().and_then(|from| owners.0.get(from.as_str()));
            let fault = owner.and_then(|component| markdown(text, draft, component, target));
            fault.map(fail).unwrap_or_default()
        }
        NodeContent::Toml { .. }
            if !closure::reads_beside(&node.path) && text.parse::<toml::Table>().is_err() =>
        {
            fail(format!("`{}` is not valid TOML", node.path))
        }
        NodeContent::Json(_) if crate::read::json::parse(text).0.is_none() => {
            fail(format!("`{}` is not valid JSON", node.path))
        }
        _ => Vec::new(),
    }
}

/// Whether `text` has the frontmatter of the source of `draft`, byte for byte, and reading that found no fault: then it
/// reads as it did there.
fn has_frontmatter_of(draft: &MarkdownDraft, text: &str) -> bool {
    let source = &draft.document;
    let is_plain = |yaml: Span| frontmatter::with_tabs(&draft.text, yaml) == yaml;
    source.yaml.is_some_and(is_plain)
        && source.faults.is_empty()
        && text.get(..source.body.start).is_some_and(|head| draft.text.starts_with(head))
}

fn markdown(text: &str, draft: &MarkdownDraft, component: &Component, target: &Target) -> Option<String> {
    let document = match has_frontmatter_of(draft, text) {
        true => Cow::Borrowed(&*draft.document),
        false => Cow::Owned(frontmatter::parse(text)),
    };
    if document.unreadable() {
        return Some(format!("the emitted frontmatter of `{}` cannot be read", component.qualified));
    }
    if target.yaml.rescue_refused && document.faults.iter().any(|fault| fault.kind == FaultKind::YamlDialect)
    {
        return Some(format!("the emitted frontmatter of `{}` is not strict YAML", component.qualified));
    }
    let rules = target.fields(component.kind);
    let key = rules.get("description").and_then(|rule| rule.to.as_deref()).unwrap_or("description");
    let fields = document.fields.as_ref();
    let read = fields.and_then(|fields| fields.get("description").or_else(|| fields.get(key)));
    let read = read.and_then(|node| node.scalar());
    let meant =
        component.field("description").and_then(|node| node.scalar()).filter(|text| !text.trim().is_empty());
    let overridden = component.host_override.fields.get("description").and_then(|set| set.value.as_str());
    match (meant, read) {
        (_, Some(read)) if overridden == Some(read.as_str()) => None,
        (Some(meant), read) if read.as_ref() != Some(&meant) => {
            Some(format!("the emitted description of `{}` reads differently", component.qualified))
        }
        _ => None,
    }
}
