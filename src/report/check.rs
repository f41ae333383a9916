//! The output of `check` besides source frames: one JSON object, one line per finding, or workflow annotations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::Findings;
use crate::diagnostic::{Diagnostic, Severity};
use crate::printable::{block, line};

/// What `check --format json` prints: `plugcast.check/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckReport {
    /// `plugcast.check/1`.
    pub schema: String,
    /// Sorted by location.
    pub diagnostics: Vec<Diagnostic>,
    /// Counts.
    pub summary: CheckSummary,
    /// Folders below the source with skills or plugins that were not checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<SkippedPath>,
}

/// A path that was not checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkippedPath {
    /// Relative to SRC; a folder includes its content.
    pub path: String,
    /// Why, in one sentence.
    pub reason: String,
}

/// One line about unchecked paths, by reason; `None` if there are none.
pub fn left_out_line(left_out: &[SkippedPath]) -> Option<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in left_out {
        match reasons.iter_mut().find(|(reason, _)| *reason == one.reason) {
            Some((_, paths)) => paths.push(&one.path),
            None => reasons.push((&one.reason, vec![&one.path])),
        }
    }
    let part = |(reason, paths): (&str, Vec<&str>)| {
        let more = match paths.len() {
            1 => String::new(),
            many => format!(" and {} more", many - 1),
        };
        format!("`{}`{more} ({reason})", paths.first().copied().unwrap_or_default())
    };
    let parts: Vec<String> = reasons.into_iter().map(part).collect();
    (!parts.is_empty()).then(|| format!("not checked: {}", parts.join(", ")))
}

/// Counts of a run of `check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckSummary {
    /// Findings that fail the run.
    pub errors: usize,
    /// Findings that do not.
    pub warnings: usize,
    /// Findings for information only.
    pub infos: usize,
    /// Files that were checked.
    pub files: usize,
    /// Findings that `--fix` fixes.
    pub fixable: usize,
    /// Findings hidden by a suppression or by path settings of the configuration.
    pub suppressed: usize,
    /// Further findings that `--fix --unsafe-fixes` fixes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsafe_fixable: usize,
    /// Findings that this run has fixed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fixed: usize,
    /// Findings listed in the baseline.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub known: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl CheckSummary {
    /// Counts `findings`, without the counts about fixes.
    pub fn from_findings(findings: &Findings) -> Self {
        Self {
            errors: findings.count(Severity::Error),
            warnings: findings.count(Severity::Warning),
            infos: findings.count(Severity::Info),
            files: findings.files,
            fixable: 0,
            suppressed: findings.suppressed,
            unsafe_fixable: 0,
            fixed: 0,
            known: findings.known,
        }
    }
}

/// What `rules --format json` prints: `plugcast.rules/1`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesReport {
    /// `plugcast.rules/1`.
    pub schema: String,
    /// Sorted by name.
    pub rules: Vec<RuleReport>,
}

/// One rule.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleReport {
    /// The id.
    pub name: String,
    /// The group.
    pub group: String,
    /// The default severity.
    pub severity: Severity,
    /// Whether it is on by default.
    pub on: bool,
    /// One line: what it finds.
    pub summary: String,
}

/// The severity as a word.
pub fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// One line per finding: `path:line:column: severity[rule]: message; help`.
pub fn lines(findings: &[Diagnostic]) -> String {
    let mut out = String::new();
    for found in findings {
        let help = found.help.as_ref().map_or(String::new(), |help| format!("; {}", line(help)));
        let hosts =
            if found.hosts.is_empty() { String::new() } else { format!(" ({})", found.hosts.join(", ")) };
        out.push_str(&format!(
            "{}:{}:{}: {}[{}]: {}{hosts}{help}{}\n",
            line(&found.path),
            found.line,
            found.column,
            word(found.severity),
            found.rule,
            line(&one_line(&found.message)),
            other_places(found)
        ));
    }
    out
}

/// The maximum number of other places in the line of a finding.
const MOST_OTHER_PLACES: usize = 20;

/// The other places of a finding in its file.
fn other_places(found: &Diagnostic) -> String {
    let places = found.related.iter().filter(|place| place.is_repetition());
    let named: Vec<_> =
        places.clone().take(MOST_OTHER_PLACES).map(|at| format!("{}:{}", at.line, at.column)).collect();
    match places.count().saturating_sub(MOST_OTHER_PLACES) {
        _ if named.is_empty() => String::new(),
        0 => format!("; also at {}", named.join(", ")),
        more => format!("; also at {} and {more} more", named.join(", ")),
    }
}

/// Workflow commands that a forge turns into annotations.
pub fn annotations(findings: &[Diagnostic]) -> String {
    let mut out = String::new();
    for found in findings {
        let level = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let help = found.help.as_ref().map_or(String::new(), |help| format!("\nhelp: {help}"));
        // A finding about a whole file has no columns; forges reject an end before the start.
        let place = match (found.end_line, found.end_column) {
            (1, 1) => format!("line={}", found.line),
            (end, column) if end == found.line => {
                format!("line={end},endLine={end},col={},endColumn={column}", found.column)
            }
            (end, _) => format!("line={},endLine={end}", found.line),
        };
        out.push_str(&format!(
            "::{level} file={},{place},title={}::{}\n",
            property(&found.path),
            property(found.rule.as_str()),
            data(&format!("{}{}{help}", found.message, other_places(found)))
        ));
    }
    out
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn data(text: &str) -> String {
    block(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::RuleId;

    #[test]
    fn annotations_escape_what_would_end_them() {
        let mut found =
            Diagnostic::for_file("a,b:c.md", Severity::Error, RuleId::BROKEN_LINK, "100%\nbroken");
        (found.line, found.end_line, found.column, found.end_column) = (3, 3, 2, 5);
        assert_eq!(
            annotations(&[found]),
            "::error file=a%2Cb%3Ac.md,line=3,endLine=3,col=2,endColumn=5,title=broken-link::100%25%0Abroken\n"
        );
    }
}
