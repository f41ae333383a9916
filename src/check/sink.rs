//! Collects the findings of a rule: the rule gives the place and the message, the rest comes from the table.

use camino::Utf8Path;

use super::rule::Rule;
use crate::diagnostic::{Applicability, Diagnostic, Fix, FixEdit};
use crate::source::{SourceFile, Span};

/// The limit of listed findings per rule and subject; the rest is counted. Nobody reads as many, and a single file can
/// have millions.
pub const LISTED: usize = 100_000;

/// The findings of one rule for one subject: a file, a plugin or the whole source.
#[derive(Debug)]
pub struct FindingSink {
    rule: &'static Rule,
    /// The findings so far, up to the limit.
    pub found: Vec<Diagnostic>,
    /// The number of findings beyond the limit.
    more: usize,
    /// Receives the details of findings beyond the limit, which are discarded.
    spare: Option<Diagnostic>,
}

impl FindingSink {
    /// An empty sink.
    pub fn new(rule: &'static Rule) -> Self {
        Self { rule, found: Vec::new(), more: 0, spare: None }
    }

    /// The findings, and a note about those beyond the limit.
    pub fn into_found(mut self) -> Vec<Diagnostic> {
        if let (1.., Some(last)) = (self.more, self.found.last()) {
            let message = format!("{} of `{}` not listed", count_message(self.more), self.rule.name);
            let rest = Diagnostic::for_file(last.path.as_str(), self.rule.severity, self.rule.id(), message);
            let help = format!("correct what the first {LISTED} have in common, then check again");
            self.found.push(rest.help(help));
        }
        self.found
    }

    /// Reports a part of a text file; the caller adds help, hosts, a fix and related places to the result.
    pub fn report(&mut self, file: &SourceFile, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        // Beyond the limit, nothing is computed or stored.
        if self.found.len() >= LISTED {
            self.more += 1;
            return self.spare.insert(Diagnostic::for_file("", self.rule.severity, self.rule.id(), ""));
        }
        self.push(Diagnostic::in_file(file, span, self.rule.severity, self.rule.id(), message))
    }

    /// Reports a file or folder as a whole.
    pub fn report_file(&mut self, path: &Utf8Path, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Diagnostic::for_file(path, self.rule.severity, self.rule.id(), message))
    }

    fn push(&mut self, found: Diagnostic) -> &mut Diagnostic {
        self.found.push(found);
        let last = self.found.len() - 1;
        &mut self.found[last]
    }
}

fn count_message(more: usize) -> String {
    if more == 1 { "1 more finding".to_owned() } else { format!("{more} more findings") }
}

/// A fix of one place in one file.
pub fn replace(file: &SourceFile, span: Span, text: impl Into<String>, applicability: Applicability) -> Fix {
    let edit =
        FixEdit { path: file.path.to_string(), start: span.start, end: span.end, replacement: text.into() };
    Fix { applicability, edits: vec![edit] }
}
