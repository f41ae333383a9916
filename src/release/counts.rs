//! Counts and tables in READMEs must be correct: findings of the rules about them fail a release.

use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::finding::shifted;
use crate::build::SourceRequest;
use crate::check_session::CheckSession;
use crate::diagnostic::{Diagnostic, RuleId, Severity};

/// The rules, and whether their fixes only correct a value instead of removing text.
const RULES: [(RuleId, bool); 2] = [(RuleId::README_COUNT, true), (RuleId::README_TABLE, false)];

pub(super) fn check(context: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let request = SourceRequest {
        config: context.config.clone(),
        ..SourceRequest::new(context.top.join(&context.place))
    };
    let session =
        CheckSession::with_rules(request, &RULES.map(|(rule, _)| rule), &context.hosts, context.targets)?;
    for finding in session.examine_read(context.project, Vec::new()).diagnostics {
        let Some((_, repairs)) = RULES.iter().find(|(rule, _)| *rule == finding.rule) else { continue };
        let mut finding = shifted(finding, &context.place);
        finding.severity = Severity::Error;
        finding.fix = finding.fix.filter(|_| *repairs);
        out.push(finding);
    }
    Ok(())
}
