//! Counts and tables in READMEs must be correct: findings of the rules about them fail a release.

use super::context::ReleaseContext;
use super::{ReleaseError, shifted};
use crate::check::{self, context::RuleContext, scope::CheckScope};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::config::CheckConfig;

/// The rules, and whether their fixes only correct a value instead of removing text.
const RULES: [(RuleId, bool); 2] = [(RuleId::README_COUNT, true), (RuleId::README_TABLE, false)];

pub(super) fn check(context: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let config = CheckConfig {
        ignore: vec!["all".to_owned()],
        select: RULES.iter().map(|(rule, _)| rule.to_string()).collect(),
        per_path: context.config.check.per_path.clone(),
        ..CheckConfig::default()
    };
    let settings = check::settings(&config).map_err(|unknown| ReleaseError::Config {
        message: format!("unknown rule or group `{}` under `[check]`", unknown.word),
        help: "`plugcast rules` lists them".to_owned(),
    })?;
    let rule_context = RuleContext::new(context.project, context.targets, context.hosts.clone(), &settings);
    let found = check::run(&rule_context, Vec::new(), &CheckScope::default());
    for finding in found.diagnostics {
        let Some((_, repairs)) = RULES.iter().find(|(rule, _)| *rule == finding.rule) else { continue };
        let mut finding = shifted(finding, &context.place);
        finding.severity = Severity::Error;
        finding.fix = finding.fix.filter(|_| *repairs);
        out.push(finding);
    }
    Ok(())
}
