//! Runs the rules over a project that was read. A rule is two small files, its code and its page, and one line of the
//! table in [`rules`].

pub mod anchors;
pub mod baseline;
pub mod bash;
pub mod context;
pub mod copies;
pub mod directory;
pub mod dispatch;
pub mod expression;
pub mod fields;
pub mod fingerprint;
pub mod fix;
pub mod fold;
mod folded_paths;
pub mod include;
pub mod intent;
pub mod link;
pub mod mention;
mod name_search;
mod path_parts;
pub mod paths;
mod program_calls;
pub mod prose;
pub mod raw_value;
pub mod readme;
pub mod renames;
pub mod rule;
pub mod rules;
pub mod runnable;
pub mod scope;
pub mod score;
pub mod script;
pub mod script_calls;
pub mod settings;
pub mod shell;
pub mod signs;
pub mod sink;
pub mod skill_files;
pub mod snippet;
pub mod spanned_toml;
pub mod stage;
mod suppress;
pub mod tools;
pub mod variables;
mod working_folder;

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};

use camino::Utf8Path;

use crate::diagnostic::{self, Diagnostic, HostId, RuleId, Severity};
use crate::model;
use crate::model::plugin::Plugin;
use crate::parallel;
use crate::target::Target;
use context::{PluginText, RuleContext};
use rule::{Rule, RuleCheck};
use scope::CheckScope;
use settings::Settings;
use sink::FindingSink;

/// What a run found.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Findings {
    /// Sorted by location.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of files checked.
    pub files: usize,
    /// The number of findings hidden by suppressions or by path settings of the configuration.
    pub suppressed: usize,
    /// The number of findings hidden by the baseline.
    pub known: usize,
}

impl Findings {
    /// The number of findings of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|found| found.severity == severity).count()
    }
}

/// Runs every rule that `context.settings` enables. `reading` are the diagnostics of the readers; those of rules that
/// are not in the table are kept unchanged. Rules see the whole source; files outside of `scope` are skipped where that
/// cannot change a result, and are never reported.
pub fn run(context: &RuleContext<'_>, reading: Vec<Diagnostic>, scope: &CheckScope) -> Findings {
    let active: Vec<&'static Rule> =
        rules::RULES.iter().filter(|rule| context.settings.is_enabled(rule)).collect();
    let mut found: Vec<Diagnostic> = reading
        .into_iter()
        .filter(|found| rules::find(found.rule.as_str()).is_none_or(|rule| context.settings.is_enabled(rule)))
        .collect();
    let inner = context.project.plugins.iter().flat_map(|plugin| &plugin.inner_hooks.findings);
    found.extend(inner.filter(|found| active.iter().any(|rule| rule.id() == found.rule)).cloned());
    let texts = context.texts();
    let wanted: Vec<&PluginText<'_>> =
        texts.iter().filter(|text| scope.has(text.file.path.as_str())).collect();
    // Such a rule replaces the diagnostics of the readers, which do not know the selected hosts.
    let mains: BTreeSet<&str> =
        texts.iter().filter(|text| text.main).map(|text| text.file.path.as_str()).collect();
    found.retain(|found| {
        let replaced = rules::find(found.rule.as_str())
            .is_some_and(|rule| matches!(rule.check, RuleCheck::InsteadOfReader(_)));
        !replaced || !mains.contains(found.path.as_str())
    });
    let files = wanted.len();
    // A task must not wait for what another one computes in parallel: it may be the task that computes it.
    let differs = |text: &&PluginText<'_>| {
        let component = text.component.filter(|_| text.main);
        component.is_some_and(|component| renames::differing_name(component, &text.plugin.root).is_some())
    };
    if active.iter().any(|rule| rule.id() == RuleId::NAME_MISMATCH) && wanted.iter().any(differs) {
        context.renames();
    }
    context.progress.begin("checking files", files);
    let of_texts = parallel::map(wanted, files, |text| {
        let found = check_text(context, text, &active);
        context.progress.step();
        found
    });
    found.extend(of_texts.into_iter().flatten());
    let mut whole: Vec<(&'static Rule, Option<&Plugin>)> = Vec::new();
    for rule in &active {
        match rule.check {
            RuleCheck::Project(_) => whole.push((rule, None)),
            RuleCheck::Plugin(_) => {
                whole.extend(context.project.plugins.iter().map(|plugin| (*rule, Some(plugin))))
            }
            RuleCheck::ReportedBy(_)
            | RuleCheck::Text(_)
            | RuleCheck::Component(_)
            | RuleCheck::InsteadOfReader(_) => {}
        }
    }
    let of_whole = parallel::map(whole, texts.len(), |(rule, plugin)| check_project(context, rule, plugin));
    found.extend(of_whole.into_iter().flatten());
    found.retain(|found| scope.has(&found.path));
    found.retain_mut(|found| retain_reading_hosts(context, found));
    for found in &mut found {
        if let Some(severity) = context.settings.severity(found.rule.as_str()) {
            found.severity = severity;
        }
    }
    drop_repeated_below_links(context, &mut found);
    let above = readme::root_readme(context).map(|readme| readme.text);
    let before = found.len();
    found.retain(|found| !context.settings.ignores(found.rule.as_str(), &found.path));
    let mut suppressions = suppress::find(texts.iter().chain(&above));
    found.retain(|found| !suppressions.cover(found));
    let suppressed = before - found.len();
    if let Some(rule) = active.iter().find(|rule| rule.id() == suppress::UNUSED) {
        found.extend(suppressions.unused(rule).into_iter().filter(|found| scope.has(&found.path)));
    }
    diagnostic::sort(&mut found);
    // Freeing what was cached for thousands of texts takes a while.
    let all = texts.len();
    parallel::map(texts, all, drop);
    Findings { diagnostics: found, files, suppressed, known: 0 }
}

/// Drops a finding below a link if the rule reports the same place at the real path: it is one file.
fn drop_repeated_below_links(context: &RuleContext<'_>, found: &mut Vec<Diagnostic>) {
    let real_path = |found: &Diagnostic| context.project.tree.real_path(Utf8Path::new(&found.path));
    let place = |found: &Diagnostic, path: String| (found.rule, found.line, found.column, path);
    let known: BTreeSet<_> = found.iter().map(|found| place(found, found.path.clone())).collect();
    found.retain(|found| {
        real_path(found).is_none_or(|real| !known.contains(&place(found, real.into_string())))
    });
}

fn check_text(context: &RuleContext<'_>, text: &PluginText<'_>, active: &[&'static Rule]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for rule in active {
        let path = Some(text.file.path.as_str());
        match rule.check {
            RuleCheck::Text(check) => {
                found.extend(run_guarded(rule, path, |sink| check(context, text, sink)))
            }
            RuleCheck::Component(check) | RuleCheck::InsteadOfReader(check) if text.main => {
                if let Some(component) = text.component {
                    found.extend(run_guarded(rule, path, |sink| check(context, component, text, sink)));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a host that `found` applies to reads the project folder in which it lies; removes the other hosts from it.
fn retain_reading_hosts(context: &RuleContext<'_>, found: &mut Diagnostic) -> bool {
    if found.hosts.is_empty() || !found.path.contains("/.") && !found.path.starts_with('.') {
        return true;
    }
    let lies_in = |folder: &str| {
        let (path, folder) = (Utf8Path::new(&found.path), Utf8Path::new(folder));
        path.ancestors().any(|above| above.ends_with(folder))
    };
    let mut folders = context.targets.iter().flat_map(|target| &target.checks.project_folders);
    if !folders.any(|folder| lies_in(folder.split('/').next().unwrap_or(folder))) {
        return true;
    }
    let reads = |host: &HostId| {
        let folders = |target: &Target| target.checks.project_folders.iter().any(|folder| lies_in(folder));
        context.targets.get(host).is_none_or(folders)
    };
    let reads: Vec<HostId> = found.hosts.iter().filter(|host| reads(host)).cloned().collect();
    found.hosts = reads;
    !found.hosts.is_empty()
}

fn check_project(context: &RuleContext<'_>, rule: &'static Rule, plugin: Option<&Plugin>) -> Vec<Diagnostic> {
    match (rule.check, plugin) {
        (RuleCheck::Project(check), _) => run_guarded(rule, None, |sink| check(context, sink)),
        (RuleCheck::Plugin(check), Some(plugin)) => {
            run_guarded(rule, Some(plugin.root.as_str()), |sink| check(context, plugin, sink))
        }
        _ => Vec::new(),
    }
}

/// Runs one rule; a panic becomes a finding about the rule, and the other rules still run.
fn run_guarded(
    rule: &'static Rule,
    path: Option<&str>,
    check: impl FnOnce(&mut FindingSink),
) -> Vec<Diagnostic> {
    let mut sink = FindingSink::new(rule);
    if panic::catch_unwind(AssertUnwindSafe(|| check(&mut sink))).is_ok() {
        return sink.into_found();
    }
    let message = format!("the rule `{}` failed here; its other findings are valid", rule.name);
    let help = "report it with the file; until then, `ignore` the rule under `[check]` in `plugcast.toml`";
    let failed =
        Diagnostic::for_file(path.unwrap_or("."), Severity::Error, RuleId::RULE_FAILED, message).help(help);
    sink.into_found().into_iter().chain([failed]).collect()
}

/// The known rule name most similar to `name`.
pub fn nearest_rule(name: &str) -> Option<&'static str> {
    model::similar_names::nearest(name, rules::RULES.iter().map(|rule| rule.name))
}

/// The settings of `config`, checked against the table.
///
/// # Errors
/// The unknown rule or group, or the invalid glob, and the nearest known name.
pub fn settings(config: &crate::model::config::CheckConfig) -> Result<Settings, settings::UnknownWord> {
    Settings::new(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rule::RuleGroup;

    static RULE: Rule = Rule {
        name: "falls-over",
        group: RuleGroup::Correctness,
        severity: Severity::Error,
        summary: "a rule that panics",
        page: "",
        check: RuleCheck::ReportedBy(file!()),
    };

    #[test]
    fn a_rule_that_panics_keeps_its_findings_and_is_named() {
        let found = run_guarded(&RULE, Some("a.md"), |sink| {
            sink.report_file("b.md".into(), "found before");
            panic!("on purpose");
        });
        let shown: Vec<_> = found.iter().map(|found| (found.rule.as_str(), found.path.as_str())).collect();
        assert_eq!(shown, [("falls-over", "b.md"), ("rule-failed", "a.md")]);
        assert!(run_guarded(&RULE, None, |_| ()).is_empty());
    }
}
