//! One repository: looked at twice, and counted.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use plugcast::build::{self, SkipPolicy, SourceRequest};
use plugcast::check::context::RuleContext;
use plugcast::check::fold;
use plugcast::check::scope::CheckScope;
use plugcast::check::{self, Findings};
use plugcast::compile::Source;
use plugcast::diagnostic::{Diagnostic, Severity};
use plugcast::target::{Target, Targets};
use serde_json::{Value, json};

/// What was found in a repository.
pub struct RepositoryFindings {
    /// How many files were looked at.
    pub files: usize,
    /// Without `--to`: for every host.
    pub by_default: Vec<Diagnostic>,
    /// For the source host alone.
    pub source_host: Vec<Diagnostic>,
}

/// Findings by severity, then by rule.
type Counts = BTreeMap<&'static str, BTreeMap<String, usize>>;

/// Looks at one repository. One without a name takes the label's last word.
pub fn repository(label: &str, folder: &Path) -> Result<RepositoryFindings> {
    let targets = Targets::embedded()?;
    let name = label.split('@').next().and_then(|name| name.rsplit('/').next()).unwrap_or(label).to_owned();
    let mut request = SourceRequest::new(folder);
    request.name = Some(name);
    request.config = build::read_config(folder)?.unwrap_or_default();
    request.skip_policy = SkipPolicy::IgnoredAndPackages;
    (request.readme, request.everything) = (true, true);
    let settings = check::settings(&request.config.check)
        .map_err(|unknown| anyhow::anyhow!("unknown rule or group `{}` under `[check]`", unknown.word))?;
    let Source { project, findings: reading, .. } = Source::read(&request, &targets)?;
    let check = |hosts: Vec<&Target>| -> Findings {
        let context = RuleContext::new(&project, &targets, hosts, &settings);
        check::run(&context, reading.clone(), &CheckScope::default())
    };
    let by_default = check(targets.iter().collect());
    let source_host = check(targets.iter().filter(|target| target.source.is_some()).collect());
    Ok(RepositoryFindings {
        files: by_default.files,
        by_default: of_files(by_default.diagnostics),
        source_host: of_files(source_host.diagnostics),
    })
}

/// Counts findings.
pub fn by_rule(found: &[Diagnostic]) -> Counts {
    let mut counts = Counts::new();
    for one in found {
        let severity = match one.severity {
            Severity::Error => "errors",
            Severity::Warning => "warnings",
            Severity::Info => "notes",
        };
        *counts.entry(severity).or_default().entry(one.rule.to_string()).or_default() += 1;
    }
    counts
}

impl RepositoryFindings {
    /// What a snapshot keeps: counts, and nothing of the repository's text.
    pub fn counts(&self) -> Result<Value> {
        let (default, all) = (by_rule(&self.by_default), by_rule(&self.source_host));
        Ok(json!({ "files": self.files, "default": default, "source host": all }))
    }
}

/// One finding for one cause in a file, which is what is judged.
fn of_files(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    fold::fold_places(&fold::fold_hosts(found), |found| found.path.clone())
}
