//! Frontmatter fields whose values the source host cannot use.

use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::component::Component;
use crate::read::tree::Value;
use crate::source::SourceFile;

/// Fields that must be text and are something else; the source host drops such a value.
pub(super) fn wrong_types(file: &SourceFile, component: &Component) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for key in ["name", "description"] {
        let Some(node) = component.field(key) else { continue };
        if node.scalar().is_none() && node.value != Value::Null {
            let message = format!("`{key}` must be text, found {}", node.kind());
            let help = format!("write `{key}: \"…\"` on one line");
            out.push(
                Diagnostic::in_file(file, node.span, Severity::Warning, RuleId::FIELD_TYPE, message)
                    .help(help),
            );
        }
    }
    out
}
