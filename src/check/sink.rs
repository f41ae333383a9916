//! Where a rule puts its findings: it names the place and the words, the rest comes from the table.

use camino::Utf8Path;

use super::rule::Rule;
use crate::diagnostic::{Applicability, Diagnostic, Fix, FixEdit};
use crate::source::{SourceFile, Span};

/// The findings of one rule over one thing.
#[derive(Debug)]
pub struct Sink {
    rule: &'static Rule,
    /// What was found so far.
    pub found: Vec<Diagnostic>,
}

impl Sink {
    /// Starts empty.
    pub fn new(rule: &'static Rule) -> Self {
        Self { rule, found: Vec::new() }
    }

    /// A finding about a part of a text file; the answer takes help, hosts, a fix and related places.
    pub fn at(&mut self, file: &SourceFile, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Diagnostic::at(file, span, self.rule.severity, self.rule.name, message))
    }

    /// A finding about a file or folder as a whole.
    pub fn whole(&mut self, path: &Utf8Path, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Diagnostic::whole(path, self.rule.severity, self.rule.name, message))
    }

    fn push(&mut self, found: Diagnostic) -> &mut Diagnostic {
        self.found.push(found);
        let last = self.found.len() - 1;
        &mut self.found[last]
    }
}

/// A fix of one place in one file.
pub fn replace(file: &SourceFile, span: Span, text: impl Into<String>, applicability: Applicability) -> Fix {
    let edit =
        FixEdit { path: file.path.to_string(), start: span.start, end: span.end, replacement: text.into() };
    Fix { applicability, edits: vec![edit] }
}
