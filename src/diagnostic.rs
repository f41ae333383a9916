//! A mistake of the user as data: what is wrong, where, why it matters and how to fix it. One run collects all of them;
//! `Err` is reserved for I/O errors and bugs.

mod cause;
mod host_id;
mod host_selection;
mod rule_id;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cause::Cause;
pub use host_id::HostId;
pub use host_selection::HostSelection;
pub use rule_id::RuleId;

use crate::source::{SourceFile, Span};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The build is not complete; exit code 1.
    Error,
    /// It was repaired, or works by luck.
    Warning,
    /// Worth knowing.
    Info,
}

/// The class of a loss, most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossClass {
    /// Something that protected the user no longer does.
    Security,
    /// It works differently.
    Behavior,
    /// It looks different.
    Cosmetic,
}

impl LossClass {
    /// The class as it is written in ledgers and settings.
    pub fn id(self) -> &'static str {
        match self {
            LossClass::Security => "security",
            LossClass::Behavior => "behavior",
            LossClass::Cosmetic => "cosmetic",
        }
    }
}

/// One finding with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The rule that reports it, in kebab-case.
    #[schemars(with = "String")]
    pub rule: RuleId,
    /// Its severity.
    pub severity: Severity,
    /// What is wrong, lower case, without a full stop.
    pub message: String,
    /// The file, relative to SRC.
    pub path: String,
    /// 1-based line of the first character.
    pub line: usize,
    /// 1-based column of the first character, in Unicode code points.
    pub column: usize,
    /// 1-based line after the last character.
    pub end_line: usize,
    /// 1-based column after the last character.
    pub end_column: usize,
    /// The hosts it matters for; empty for all.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub hosts: Vec<HostId>,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The change that fixes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
    /// Other places that belong to it, such as the first definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPlace>,
    /// Its fingerprint, once computed; not part of the JSON.
    #[serde(skip)]
    pub fingerprint: Option<String>,
    /// What it is about, where its rule gives it; not part of the JSON.
    #[serde(skip)]
    pub known_cause: Option<Cause>,
}

/// A change that fixes a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Fix {
    /// How far it can be trusted.
    pub applicability: Applicability,
    /// What it changes, in any number of files.
    pub edits: Vec<FixEdit>,
}

/// How far a fix can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Applicability {
    /// It never changes what the author means.
    Safe,
    /// It may; the author should review it.
    Unsafe,
    /// It is shown and never applied.
    Display,
}

/// A replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FixEdit {
    /// The file, relative to SRC.
    pub path: String,
    /// Offset of the first replaced byte.
    pub start: usize,
    /// Offset after the last replaced byte.
    pub end: usize,
    /// The new text.
    pub replacement: String,
}

/// Another place that belongs to a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RelatedPlace {
    /// The file, relative to SRC.
    pub path: String,
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in Unicode code points.
    pub column: usize,
    /// What is there.
    pub message: String,
    /// Line and column after the last character, for the report; not part of the JSON.
    #[serde(skip)]
    pub end: Option<(usize, usize)>,
    /// Whether it repeats the finding itself, for the report; not part of the JSON.
    #[serde(skip)]
    pub repetition: Option<Repetition>,
}

/// How a related place repeats its finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repetition {
    /// With the same message and help.
    Same,
    /// With a different message or help, which the place carries.
    Differs,
}

impl RelatedPlace {
    /// Whether the finding itself is repeated there.
    pub fn is_repetition(&self) -> bool {
        self.repetition.is_some()
    }
}

impl Diagnostic {
    /// A finding about a part of a text file.
    pub fn in_file(
        file: &SourceFile,
        span: Span,
        severity: Severity,
        rule: RuleId,
        message: impl Into<String>,
    ) -> Self {
        let (start, end) = (file.position(span.start), file.position(span.end.max(span.start)));
        Self {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            ..Self::for_file(file.path.clone(), severity, rule, message)
        }
    }

    /// A finding about a file or folder as a whole.
    pub fn for_file(
        path: impl Into<Utf8PathBuf>,
        severity: Severity,
        rule: RuleId,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            severity,
            message: message.into(),
            path: path.into().into_string(),
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 1,
            hosts: Vec::new(),
            help: None,
            fix: None,
            related: Vec::new(),
            fingerprint: None,
            known_cause: None,
        }
    }

    /// The number of places that have it.
    pub fn place_count(&self) -> usize {
        1 + self.related.iter().filter(|place| place.is_repetition()).count()
    }

    /// What it is about.
    pub fn cause(&self) -> Cause {
        self.known_cause.clone().unwrap_or_else(|| Cause::from_message(&self.message))
    }

    /// The same finding with help.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding with a fix.
    pub fn fix(mut self, applicability: Applicability, edits: Vec<FixEdit>) -> Self {
        self.fix = Some(Fix { applicability, edits });
        self
    }

    /// The same finding, for one host only.
    pub fn host(mut self, host: &HostId) -> Self {
        self.hosts = vec![host.clone()];
        self
    }

    /// The same finding with another place that belongs to it.
    pub fn with_related(mut self, file: &SourceFile, span: Span, message: impl Into<String>) -> Self {
        self.relate(file, span, message);
        self
    }

    /// Adds another place that belongs to the finding.
    pub fn relate(&mut self, file: &SourceFile, span: Span, message: impl Into<String>) {
        let (start, end) = (file.position(span.start), file.position(span.end.max(span.start)));
        self.related.push(RelatedPlace {
            path: file.path.to_string(),
            line: start.line,
            column: start.column,
            message: message.into(),
            end: Some((end.line, end.column)),
            repetition: None,
        });
    }
}

/// Sorts findings by location, so that their order never depends on the order of the work, and merges findings that
/// several hosts share.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        (&a.path, a.line, a.column, &a.rule, &a.message, &a.hosts)
            .cmp(&(&b.path, b.line, b.column, &b.rule, &b.message, &b.hosts))
    });
    diagnostics.dedup_by(|later, first| {
        if !same_but_for_hosts(later, first) || first.hosts.is_empty() && !later.hosts.is_empty() {
            return false;
        }
        if !later.hosts.is_empty() {
            first.hosts.append(&mut later.hosts);
            first.hosts.sort();
            first.hosts.dedup();
        }
        true
    });
}

fn same_but_for_hosts(a: &Diagnostic, b: &Diagnostic) -> bool {
    let place = |found: &Diagnostic| (found.line, found.column, found.end_line, found.end_column);
    place(a) == place(b)
        && (&a.rule, a.severity, &a.message, &a.path) == (&b.rule, b.severity, &b.message, &b.path)
        && (&a.help, &a.fix, &a.related) == (&b.help, &b.fix, &b.related)
}
