//! Where components of other kinds are declared: a JSON file, or a part of one.

use super::other_components::{OtherBody, OtherComponent};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::read::pointer::JsonPointer;
use crate::read::tree::Node;
use crate::source::{ComponentKind, SourceFile, Span};

/// A JSON file or a part of one that declares components.
pub struct Declaration<'a> {
    /// The kind of the components.
    pub kind: ComponentKind,
    /// The file.
    pub file: &'a SourceFile,
    /// The JSON pointer of the part; empty for the whole file.
    pub pointer: JsonPointer,
    /// Whether the file holds nothing else.
    pub own_file: bool,
}

impl Declaration<'_> {
    /// A component at `pointer`; without a `kind`, of the kind of this declaration.
    pub fn component(
        &self,
        kind: Option<ComponentKind>,
        name: &str,
        pointer: &JsonPointer,
        span: Span,
        body: OtherBody,
        fault: Option<String>,
    ) -> OtherComponent {
        OtherComponent {
            kind: kind.unwrap_or(self.kind),
            name: name.to_owned(),
            path: self.file.path.clone(),
            pointer: pointer.clone(),
            span: Some(span),
            own_file: self.own_file,
            body,
            fault,
            guards: false,
        }
    }

    /// Adds a finding that refuses a component; the returned message is also the reason in its ledger row.
    pub fn refuse(
        &self,
        rule: RuleId,
        node: &Node,
        message: &str,
        help: &str,
        found: &mut Vec<Diagnostic>,
    ) -> String {
        found.push(Diagnostic::in_file(self.file, node.span, Severity::Error, rule, message).help(help));
        message.to_owned()
    }

    /// Adds a finding about a component that no build can carry, which is not a mistake; the returned message is also
    /// the reason in its ledger row.
    pub fn note(&self, rule: RuleId, node: &Node, message: &str, found: &mut Vec<Diagnostic>) -> String {
        found.push(Diagnostic::in_file(self.file, node.span, Severity::Info, rule, message));
        message.to_owned()
    }

    /// The name of the file, for a component that is the whole file.
    pub fn file_name(&self) -> String {
        self.file.path.file_name().unwrap_or(self.file.path.as_str()).to_owned()
    }
}
