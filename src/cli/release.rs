//! `plugcast release check`: whether the statements of a release are correct.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use camino::Utf8Path;
use clap::{Args, Subcommand, ValueEnum};

use super::console::Console;
use super::{CLEAN, CommandFailure, FINDINGS, GlobalOptions, helper};
use crate::build::{SourceRequest, config_of};
use crate::check::{fix, fold};
use crate::compare;
use crate::diagnostic::{Applicability, Diagnostic, Severity};
use crate::disk::walk::SkipPolicy;
use crate::disk::{self, FileSystem, edit};
use crate::progress::Progress;
use crate::release::{
    self, ReleaseContext, ReleaseError, ReleaseReport, ReleaseRequest, ReleaseSummary, ReleasedUnit,
};
use crate::report::{check as lines, frame, release as report, screen};
use crate::source::{FileContent, SourceFile};
use crate::target::Target;

/// Commands for releases of plugins
#[derive(Debug, Args)]
pub struct ReleaseArgs {
    #[command(subcommand)]
    what: ReleaseCommand,
}

#[derive(Debug, Subcommand)]
enum ReleaseCommand {
    Check(ReleaseCheckArgs),
}

/// Check that plugins are ready for a release
///
/// Versions exist, are semantic and agree everywhere; the changelog has an entry; counts in READMEs are correct; the
/// version matches what changed for users since the last tag; committed bundles are up to date and verified; no loss is
/// denied or new. SRC must be in a git clone; only `--fix` changes files. `[release]` in plugcast.toml configures the
/// checks.
///
/// Exit codes: 0 no errors; 1 errors; 2 the check could not run.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast release check\n  plugcast release check plugins/one --fix\n  plugcast release check --base origin/main --format github"
)]
struct ReleaseCheckArgs {
    /// The source to check
    #[arg(default_value = ".", value_name = "SRC")]
    src: PathBuf,
    /// For a branch: report changes since the git commit REF that only a release may make
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// The hosts to check for, or `all` [default: `to` under `[build]` in plugcast.toml, else the format's own host]
    #[arg(long, value_delimiter = ',', value_name = "HOST[,HOST…]")]
    to: Vec<String>,
    /// Apply all safe fixes, which bring older versions into line
    #[arg(long)]
    fix: bool,
    /// With `--fix`, also apply fixes that need review, such as counts in READMEs
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = ReleaseFormat::Human)]
    format: ReleaseFormat,
}

/// How the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReleaseFormat {
    /// Text with source lines
    Human,
    /// One JSON object
    Json,
    /// Annotations of a workflow
    Github,
}

/// More passes than this mean that fixes undo each other.
const PASSES: usize = 8;

impl From<ReleaseError> for CommandFailure {
    fn from(error: ReleaseError) -> Self {
        match error {
            ReleaseError::Git(error) => error.into(),
            ReleaseError::Build(error) => error.into(),
            ReleaseError::Disk(error) => error.into(),
            ReleaseError::Config { message, help } => {
                Self { code: "config".into(), message, help: Some(help), place: None }
            }
        }
    }
}

/// The result of one examination.
struct ReleaseExamination {
    top: PathBuf,
    found: Vec<Diagnostic>,
    released: Vec<ReleasedUnit>,
    /// Skipped checks, one line each.
    remarks: Vec<String>,
    /// The files that findings are about.
    files: BTreeMap<String, Rc<SourceFile>>,
}

/// Runs the command.
///
/// # Errors
/// When there is no repository, or the source, a commit or a bundle cannot be read.
pub fn run(args: &ReleaseArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let ReleaseCommand::Check(args) = &args.what;
    let mut examined = examine(args, global, &console.progress)?;
    let mut fixed = 0;
    let most = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    for _ in 0..PASSES {
        let count = if args.fix { repair(&examined, most)? } else { 0 };
        if count == 0 {
            break;
        }
        fixed += count;
        super::check_interrupt()?;
        examined = examine(args, global, &console.progress)?;
    }
    examined.remarks.iter().for_each(|remark| console.error_line(remark));
    let summary = ReleaseSummary::from_findings(&examined.found, fixed);
    match args.format {
        ReleaseFormat::Json => console.json(&ReleaseReport {
            schema: crate::schema::RELEASE.tag(),
            released: examined.released,
            diagnostics: examined.found,
            summary,
        }),
        ReleaseFormat::Github => console.commands(&lines::annotations(&examined.found)),
        ReleaseFormat::Human => {
            console.inform(&report::released(&examined.released, global.verbose));
            let file = |path: &str| examined.files.get(path).map(|file| &**file);
            let style = console.frame_style();
            let text = match global.verbose {
                true => frame::findings(&examined.found, file, style),
                false => {
                    let shown = fold::fold_patterns(&examined.found, |_| String::new());
                    let all = &examined.released;
                    let unit = |found: &Diagnostic| report::unit_of(all, &found.path);
                    screen::findings(&shown, file, style, unit, |unit| report::lines_of(all, unit))
                }
            };
            console.print_text(&text);
            console.inform(&report::summary(&summary, global.verbose));
        }
    }
    Ok(if summary.errors > 0 { FINDINGS } else { CLEAN })
}

fn examine(
    args: &ReleaseCheckArgs,
    global: &GlobalOptions,
    progress: &Progress,
) -> Result<ReleaseExamination, CommandFailure> {
    let targets = super::targets(global)?;
    if !disk::is_folder(&args.src) {
        return Err(crate::build::BuildError::NoSource(args.src.clone()).into());
    }
    let src = disk::canonical(&args.src)?;
    let git = super::git(&src);
    git.in_work_tree("run `release check` in a clone of the repository")?;
    let (config, config_folder) = config_of(&FileSystem::default(), &src)?;
    let config_folder = if config_folder.as_os_str().is_empty() { src.clone() } else { config_folder };
    let asked = if args.to.is_empty() { &config.build.to } else { &args.to };
    let hosts: Vec<&Target> = match asked.is_empty() {
        true => vec![targets.source_host()],
        false => targets.by_names(asked)?,
    };
    let outputs = vec![config_folder.join(config.build.out.as_deref().unwrap_or("dist"))];
    let request = SourceRequest {
        git: Some(git.clone()),
        src: src.clone(),
        config: config.clone(),
        outputs,
        skip_policy: SkipPolicy::IgnoredAndPackages,
        readme: true,
        progress: progress.clone(),
        ..SourceRequest::default()
    };
    let name = src.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (mut project, reading) = compare::source(request, &name, &targets)?;
    // Without the helper, bundles are examined without it.
    project.helpers = helper::binaries(&project, &[], true, progress).unwrap_or_default();
    super::check_interrupt()?;
    let base = args.base.as_deref();
    let request = ReleaseRequest {
        src,
        project: &project,
        config: &config,
        config_folder,
        hosts,
        targets: &targets,
        base,
        git,
        progress: progress.clone(),
    };
    let context = ReleaseContext::new(request)?;
    let mut found = release::check(&context)?;
    let errors = reading.into_iter().filter(|found| found.severity == Severity::Error);
    found.extend(errors.map(|found| release::shifted(found, &context.place)));
    crate::diagnostic::sort(&mut found);
    let mut files = BTreeMap::new();
    for path in found.iter().flat_map(paths).collect::<BTreeSet<&str>>() {
        if let Some(file) = context.files.get(Utf8Path::new(path)) {
            files.insert(path.to_owned(), file);
        }
    }
    let remarks = context.remarks().to_vec();
    Ok(ReleaseExamination { top: context.top.clone(), released: context.released(), remarks, found, files })
}

/// Every file that a finding mentions.
fn paths(found: &Diagnostic) -> impl Iterator<Item = &str> {
    let edits = found.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.path.as_str());
    let related = found.related.iter().map(|related| related.path.as_str());
    std::iter::once(found.path.as_str()).chain(edits).chain(related)
}

/// Applies the fixes with applicability up to `most` that do not overlap; returns how many.
fn repair(examined: &ReleaseExamination, most: Applicability) -> Result<usize, CommandFailure> {
    let text = |path: &str| match &examined.files.get(path)?.content {
        FileContent::Text(text) => Some(Arc::clone(text)),
        _ => None,
    };
    let pass = fix::plan(&examined.found, most, text, &BTreeSet::new());
    for (path, new) in &pass.texts {
        super::check_interrupt()?;
        if let Some(old) = text(path) {
            edit::rewrite(Path::new(&examined.top), Utf8Path::new(path), &old, new)?;
        }
    }
    Ok(pass.taken.len())
}
