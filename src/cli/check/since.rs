//! `--since REF`: which files changed, by asking the user's git. The working tree counts, staged,
//! committed or new, against the commit where this branch left REF.

use std::collections::BTreeSet;
use std::path::Path;

use camino::Utf8PathBuf;

use super::look::Look;
use crate::check::changed::{affected, paths};
use crate::check::scope::Affected;
use crate::cli::Failure;
use crate::model::project::Project;
use crate::process::{Command, Ended};

/// What git needs of the environment.
const PASSED: [&str; 6] =
    ["PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "SYSTEMROOT"];

/// What changed in the source since `reference`, with what depends on it.
///
/// # Errors
/// When there is no git, no repository, no such commit, or not enough history.
pub(super) fn changes(look: &Look, project: &Project, reference: &str) -> Result<Option<Affected>, Failure> {
    let git = |arguments: &[&str]| run(&look.root, arguments);
    let inside = git(&["rev-parse", "--is-inside-work-tree"])?;
    if !inside.succeeded() {
        let message = format!("`{}` lies in no git work tree: {}", look.root.display(), first(&inside));
        return Err(failure(message, "leave `--since` out, or check a clone"));
    }
    let wanted = format!("{reference}^{{commit}}");
    let commit = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])?;
    if !commit.succeeded() {
        let message = format!("there is no commit `{reference}` here");
        return Err(failure(message, help(&look.root, reference)?));
    }
    let commit = commit.stdout_text().trim().to_owned();
    let base = git(&["merge-base", &commit, "HEAD"])?;
    if !base.succeeded() {
        let message = format!("this branch and `{reference}` have no commit in common here");
        return Err(failure(message, help(&look.root, reference)?));
    }
    let base = base.stdout_text().trim().to_owned();
    let diff =
        ["diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules"];
    let changed = |rest: &[&str]| answered(&git(&[&diff[..], rest].concat())?);
    let config = look.config_folder.join("plugcast.toml");
    if let Some(config) = config.to_str().filter(|_| config.exists()) {
        // Other settings may change every finding.
        if !changed(&["-z", &base, "--", config])?.is_empty() {
            return Ok(None);
        }
    }
    let mut all: BTreeSet<Utf8PathBuf> = paths(&changed(&["-z", "--relative", &base, "--", "."])?).collect();
    let new = git(&["ls-files", "-z", "--others", "--exclude-standard", "--", "."])?;
    all.extend(paths(&answered(&new)?));
    Ok(Some(affected(project, all)))
}

fn run(folder: &Path, arguments: &[&str]) -> Result<Ended, Failure> {
    let passed = PASSED.iter().filter_map(|name| Some((*name, crate::cli::environment(name)?)));
    let fixed = [("LC_ALL", "C".to_owned()), ("GIT_OPTIONAL_LOCKS", "0".to_owned())];
    Command::new("git", folder)
        .arguments(["-c", "core.quotePath=false", "-c", "core.fsmonitor=false"])
        .arguments(arguments.iter().copied())
        .environment(passed.chain(fixed))
        .run()
        .map_err(|error| {
            failure(format!("`git` cannot be started: {error}"), "install git, or leave `--since` out")
        })
}

fn answered(ended: &Ended) -> Result<Vec<u8>, Failure> {
    if ended.succeeded() {
        return Ok(ended.stdout.clone());
    }
    let message = format!("`git` failed with {}: {}", ended.how(), first(ended));
    Err(failure(message, "run the same `git diff` by hand to see more"))
}

fn first(ended: &Ended) -> String {
    let text = ended.stderr_text();
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    line.trim_start_matches("fatal: ").to_owned()
}

fn help(root: &Path, reference: &str) -> Result<String, Failure> {
    let shallow = run(root, &["rev-parse", "--is-shallow-repository"])?;
    Ok(if shallow.stdout_text().trim() == "true" {
        "this clone is shallow: `git fetch --unshallow`, or check it out with more of its history".to_owned()
    } else {
        format!("check the name, or fetch it, such as by `git fetch origin {reference}`")
    })
}

fn failure(message: String, help: impl Into<String>) -> Failure {
    Failure { code: "since".into(), message, help: Some(help.into()), place: None }
}
