//! Finds names that two components of a plugin share.

use super::{LocationForm, LostComponent, Plugin};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::component::Component;
use crate::model::overrides::{ConfigPlace, OverrideValue};
use crate::read::pointer::JsonPointer;
use crate::source::{ComponentKind, SourceFile, SourceTree, Span};

/// Of two components with the same name, the source host shows only one. Skills and commands share a namespace, in
/// which the command takes precedence, but in a project the skill (Claude Code 2.1.330); otherwise the first path does.
/// It shows both of two names that differ only in case, but on many file systems their folders would be the same.
pub(super) fn refuse(tree: &SourceTree, plugin: &mut Plugin, found: &mut Vec<Diagnostic>) {
    let mut kept: Vec<Component> = Vec::new();
    let mut components = std::mem::take(&mut plugin.components);
    let is_project = plugin.form == LocationForm::Project;
    components.sort_by(|a, b| {
        let hides = |kind| (kind == ComponentKind::Command) != is_project;
        (!hides(a.kind), &a.path).cmp(&(!hides(b.kind), &b.path))
    });
    for component in components {
        let rival = kept.iter().position(|other| {
            // The source host distinguishes agents by case, and no file is named after them.
            match (other.kind == ComponentKind::Agent, component.kind == ComponentKind::Agent) {
                (true, true) => other.qualified == component.qualified,
                (false, false) => other.qualified.eq_ignore_ascii_case(&component.qualified),
                _ => false,
            }
        });
        if let Some(rival) = rival.and_then(|at| kept.get_mut(at)) {
            describe(rival, &component, tree);
        }
        let rival = rival.and_then(|at| kept.get(at));
        let (Some(rival), Some(file)) = (rival, tree.get(&component.path)) else {
            kept.push(component);
            continue;
        };
        let is_equal = component.qualified == rival.qualified;
        // Names in a project have no prefix.
        let name = if is_project { component.name.as_str() } else { component.qualified.as_str() };
        let message = match is_equal {
            true => format!("duplicate name `{name}`; the other component is used"),
            false => format!(
                "the names `{}` and `{}` differ only in case, and a bundle has one of them: the other component is used",
                component.qualified, rival.qualified
            ),
        };
        found.push(match tree.get(&rival.path) {
            Some(other) if rival.kind != component.kind && is_equal => {
                let (message, what) = match component.kind {
                    ComponentKind::Command => {
                        (format!("this skill hides the command `{name}`"), "the command")
                    }
                    _ => (format!("this command hides the skill `{name}`"), "the skill"),
                };
                let place = (other, rival.name_span());
                let first = (file, component.name_span(), what);
                duplicate_name(RuleId::COMMAND_SKILL_COLLISION, place, message, Some(first))
            }
            other => {
                let place = (file, component.name_span());
                let first = other.map(|other| (other, rival.name_span(), "the other one"));
                duplicate_name(RuleId::DUPLICATE_NAME, place, message.clone(), first)
            }
        });
        plugin.lost.push(LostComponent {
            kind: component.kind,
            name: component.qualified.to_string(),
            path: component.path.clone(),
            pointer: None,
            reason: message,
            misnamed: true,
        });
        plugin.shadowed.push(component);
    }
    kept.sort_by(|a, b| {
        (a.kind != ComponentKind::Command, &a.path).cmp(&(b.kind != ComponentKind::Command, &b.path))
    });
    plugin.components = kept;
}

/// The source host lists a command without a description with that of the skill it hides, but runs the command.
fn describe(command: &mut Component, skill: &Component, tree: &SourceTree) {
    let is_pair = command.kind == ComponentKind::Command
        && skill.kind == ComponentKind::Skill
        && command.qualified == skill.qualified;
    let is_offered =
        !command.is_user_only() && !skill.is_user_only() && command.text_field("description").is_none();
    if !is_pair || !is_offered {
        return;
    }
    let entry = skill.document.fields.as_ref().and_then(|fields| fields.entry("description"));
    let (Some(text), Some(entry), Some(file)) =
        (skill.text_field("description"), entry, tree.get(&skill.path))
    else {
        return;
    };
    let position = file.position(entry.key_span.start);
    let at = ConfigPlace {
        path: skill.path.clone(),
        span: entry.span(),
        line: position.line,
        column: position.column,
        pointer: JsonPointer::from_keys(["description"]),
    };
    command.declared.insert("description".to_owned(), OverrideValue { value: text.into(), at });
}

/// A finding about a name that is used twice.
fn duplicate_name(
    rule: RuleId,
    (file, span): (&SourceFile, Span),
    message: String,
    other: Option<(&SourceFile, Span, &str)>,
) -> Diagnostic {
    let found = Diagnostic::in_file(file, span, Severity::Error, rule, message).help("rename one of them");
    match other {
        Some((file, span, what)) => found.with_related(file, span, what),
        None => found,
    }
}
