//! Names that two components of a plugin have.

use super::{LostComponent, Plugin};
use crate::diagnostic::{Diagnostic, Severity};
use crate::model::component::Component;
use crate::source::{Kind, SourceFile, SourceTree, Span};

/// Two components of one name: the source host shows one. Skills and commands share their names,
/// and there the command wins (Claude Code 2.1.330); otherwise the first path does.
pub(super) fn refuse(tree: &SourceTree, plugin: &mut Plugin, found: &mut Vec<Diagnostic>) {
    let mut kept: Vec<Component> = Vec::new();
    let mut components = std::mem::take(&mut plugin.components);
    components.sort_by(|a, b| (a.kind != Kind::Command, &a.path).cmp(&(b.kind != Kind::Command, &b.path)));
    for component in components {
        let rival = kept.iter().find(|other| {
            // The source host tells agents apart by case, too; no file is named after them.
            match (other.kind == Kind::Agent, component.kind == Kind::Agent) {
                (true, true) => other.qualified == component.qualified,
                (false, false) => other.qualified.eq_ignore_ascii_case(&component.qualified),
                _ => false,
            }
        });
        let (Some(rival), Some(file)) = (rival, tree.get(&component.path)) else {
            kept.push(component);
            continue;
        };
        let message = format!("duplicate name `{}`; the other component is used", component.qualified);
        found.push(match tree.get(&rival.path) {
            Some(other) if rival.kind != component.kind => {
                let message = format!("this command hides the skill `{}`", component.qualified);
                let place = (other, rival.name_span());
                let first = (file, component.name_span(), "the skill");
                twice("command-skill-collision", place, message, Some(first))
            }
            other => {
                let place = (file, component.name_span());
                let first = other.map(|other| (other, rival.name_span(), "the other one"));
                twice("duplicate-name", place, message.clone(), first)
            }
        });
        plugin.lost.push(LostComponent {
            kind: component.kind,
            name: component.qualified.clone(),
            path: component.path.clone(),
            pointer: None,
            reason: message,
            misnamed: true,
        });
        plugin.shadowed.push(component);
    }
    plugin.components = kept;
}

/// A finding about a name that is given twice.
fn twice(
    rule: &str,
    (file, span): (&SourceFile, Span),
    message: String,
    other: Option<(&SourceFile, Span, &str)>,
) -> Diagnostic {
    let found = Diagnostic::at(file, span, Severity::Error, rule, message).help("rename one of them");
    match other {
        Some((file, span, what)) => found.related(file, span, what),
        None => found,
    }
}
