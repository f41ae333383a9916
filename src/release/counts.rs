//! Counts in READMEs are true: what the rule `readme-count` finds fails a release.

use super::scene::Scene;
use super::{ReleaseError, shifted};
use crate::check::{self, context::Context, scope::Scope};
use crate::diagnostic::{Diagnostic, Severity};
use crate::model::config::CheckConfig;

const RULE: &str = "readme-count";

pub(super) fn check(scene: &Scene<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let config = CheckConfig {
        ignore: vec!["all".to_owned()],
        select: vec![RULE.to_owned()],
        per_path: scene.config.check.per_path.clone(),
        ..CheckConfig::default()
    };
    let settings = check::settings(&config).map_err(|unknown| ReleaseError::Config {
        message: format!("`{}` under `[check]` is no rule or group", unknown.word),
        help: "`plugcast rules` lists them".to_owned(),
    })?;
    let context = Context::new(scene.project, scene.targets, scene.hosts.clone(), &settings);
    let found = check::run(&context, Vec::new(), &Scope::default());
    let of_rule = found.diagnostics.into_iter().filter(|found| found.rule == RULE);
    out.extend(of_rule.map(|found| Diagnostic { severity: Severity::Error, ..shifted(found, &scene.place) }));
    Ok(())
}
