//! Where a rule puts its findings: it names the place and the words, the rest comes from the table.

use camino::Utf8Path;

use super::rule::Rule;
use crate::diagnostic::{Applicability, Diagnostic, Fix, FixEdit};
use crate::source::{SourceFile, Span};

/// How many findings of one rule over one thing are listed; the rest is counted. Nobody reads as many, and
/// one line of a file can have millions.
pub const LISTED: usize = 100_000;

/// The findings of one rule over one thing: a file, a plugin or the whole source.
#[derive(Debug)]
pub struct FindingSink {
    rule: &'static Rule,
    /// What was found so far, as far as it is listed.
    pub found: Vec<Diagnostic>,
    /// How many there are beyond those.
    more: usize,
    /// Takes what is said of these.
    spare: Option<Diagnostic>,
}

impl FindingSink {
    /// Starts empty.
    pub fn new(rule: &'static Rule) -> Self {
        Self { rule, found: Vec::new(), more: 0, spare: None }
    }

    /// What was found, and how much more there is.
    pub fn into_found(mut self) -> Vec<Diagnostic> {
        if let (1.., Some(last)) = (self.more, self.found.last()) {
            let message = format!("{} of `{}` not listed", counted(self.more), self.rule.name);
            let rest = Diagnostic::whole(last.path.as_str(), self.rule.severity, self.rule.name, message);
            let help = format!("correct what the first {LISTED} have in common, then check again");
            self.found.push(rest.help(help));
        }
        self.found
    }

    /// A finding about a part of a text file; the answer takes help, hosts, a fix and related places.
    pub fn report(&mut self, file: &SourceFile, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        // Beyond what is listed, nothing is looked up or kept.
        if self.found.len() >= LISTED {
            self.more += 1;
            return self.spare.insert(Diagnostic::whole("", self.rule.severity, self.rule.name, ""));
        }
        self.push(Diagnostic::in_file(file, span, self.rule.severity, self.rule.name, message))
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

fn counted(more: usize) -> String {
    if more == 1 { "1 more finding".to_owned() } else { format!("{more} more findings") }
}

/// A fix of one place in one file.
pub fn replace(file: &SourceFile, span: Span, text: impl Into<String>, applicability: Applicability) -> Fix {
    let edit =
        FixEdit { path: file.path.to_string(), start: span.start, end: span.end, replacement: text.into() };
    Fix { applicability, edits: vec![edit] }
}
