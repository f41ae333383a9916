//! `plugcast check`: reports the problems of a plugin with their locations, and fixes them on request.

mod print;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

use super::console::Console;
use super::{CLEAN, CommandFailure, FINDINGS, GlobalOptions};
use crate::check::baseline::Baseline;
use crate::check::scope::{CheckScope, Shard};
use crate::check_session::{
    self, CheckSession, CheckedPaths, CheckedSource, FoldedSource, SessionOptions, TextOverlay,
};
use crate::diagnostic::{Applicability, Severity};
use crate::disk::reader::{self, SizeLimit};
use crate::disk::{self, edit};
use crate::printable;
use crate::report::frame::FrameStyle;
use crate::report::human::count_noun;

/// Check a plugin for problems before a host or a user finds them
///
/// SRC is any source that `build` accepts, or a file of one. Everything below it that is a skill, a plugin or a
/// component is checked, including plugins that no marketplace lists. Rules apply to the hosts given by `--to`, else to
/// those that plugcast.toml builds for, else to all. `[check]` in plugcast.toml selects rules and their severity.
///
/// Exit codes: 0 no errors; 1 errors, or more warnings than `--max-warnings`; 2 the check could not run.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast check\n  plugcast check path/to/plugin --to all\n  plugcast check --fix --diff\n  plugcast check --since origin/main --format github\n  plugcast check - --stdin-path skills/plan/SKILL.md < text\n\n`plugcast rules` lists the rules; `plugcast explain RULE` describes one."
)]
pub struct CheckArgs {
    /// The sources to check; for a file, its plugin is read and only findings about the file are printed; `-` for the
    /// current folder with one text from standard input
    #[arg(default_value = ".", value_name = "SRC")]
    src: Vec<PathBuf>,
    /// The hosts to check for, or `all`
    #[arg(long, value_delimiter = ',', value_name = "HOST[,HOST…]")]
    to: Vec<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    format: CheckFormat,
    /// Only these rules or groups
    #[arg(long, value_delimiter = ',', value_name = "RULE[,RULE…]")]
    select: Vec<String>,
    /// None of these rules or groups
    #[arg(long, value_delimiter = ',', value_name = "RULE[,RULE…]")]
    ignore: Vec<String>,
    /// Exit with 1 when there are more warnings
    #[arg(long, value_name = "N")]
    max_warnings: Option<usize>,
    /// Write the result to a file instead of standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["write_baseline", "diff"])]
    output_file: Option<PathBuf>,
    /// Print the number of findings of each rule instead of the findings
    #[arg(long)]
    statistics: bool,
    /// Apply all safe fixes, which never change the meaning
    #[arg(long)]
    fix: bool,
    /// With `--fix`, also apply fixes that need review
    #[arg(long, requires = "fix")]
    unsafe_fixes: bool,
    /// With `--fix`, print the changes as a diff without making them
    #[arg(long, requires = "fix", conflicts_with = "statistics")]
    diff: bool,
    /// Hide the findings listed in this file [default: `baseline` under `[check]`]
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all findings of this run to a baseline and exit 0
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "since", "shard", "fix", "stdin_path"])]
    write_baseline: Option<PathBuf>,
    /// Only findings in files changed since the branch left the git commit REF, and those that the change caused elsewhere
    #[arg(long, value_name = "REF")]
    since: Option<String>,
    /// Only the files of one shard, such as `2/5`
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    shard: Option<Shard>,
    /// The path of the text on standard input; only its findings are printed
    #[arg(long, value_name = "PATH", conflicts_with_all = ["fix", "since", "shard"])]
    stdin_path: Option<PathBuf>,
    /// Also check installed packages (`node_modules`) and files that a `.gitignore` ignores
    #[arg(long)]
    no_ignore: bool,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// Text with source lines
    Human,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for services that show findings beside the code
    Sarif,
    /// Annotations of a workflow
    Github,
    /// One line per finding
    Agent,
}

/// Runs the command.
///
/// # Errors
/// When the source cannot be read, the configuration is invalid, or a file cannot be changed.
pub fn run(args: &CheckArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let from_stdin = reads_stdin(args)?;
    let current = [PathBuf::from(".")];
    let targets = super::targets(global)?;
    let src = if from_stdin { &current[..] } else { &args.src[..] };
    let sources = CheckedPaths::resolve(src, &targets)?;
    let options = SessionOptions {
        git: Some(super::git(&sources.root)),
        to: args.to.iter().collect(),
        no_ignore: args.no_ignore,
        baseline: args.baseline.as_deref(),
        no_baseline: args.write_baseline.is_some(),
        parts: sources.parts,
        select: &args.select,
        ignore: &args.ignore,
        progress: console.progress.clone(),
        ..SessionOptions::default()
    };
    let mut session = CheckSession::new(&sources.root, &options, &targets)?;
    let mut scope = CheckScope { shard: args.shard, within: sources.within, ..CheckScope::default() };
    let mut texts = TextOverlay::new();
    if let Some(path) = &args.stdin_path {
        let path = relative_to_source(&session.root, path)?;
        texts.insert(path.clone(), standard_input()?);
        scope.only = Some(path);
    }
    if let Some(reference) = &args.since {
        let (since, remarks) =
            check_session::changes(&session, &super::git(&session.root), reference, &options)?;
        remarks.iter().for_each(|remark| console.error_line(remark));
        scope.since = Some(since);
    }
    console.progress.set(format!("reading `{}`", sources.root.display()));
    let read = session.read(texts)?;
    let mut examined = session.examine(read, &scope);
    if let Some(file) = &args.write_baseline {
        return write_baseline(file, examined, console);
    }
    let most = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let mut fixed = 0;
    if args.fix {
        let repaired = check_session::repair(&mut session, examined, &scope, most)?;
        if args.diff {
            console.print_patch(&repaired.diff());
        } else {
            repaired.write(&session)?;
        }
        print::print_repairs(&repaired, args.diff, console);
        if args.diff {
            return Ok(CLEAN);
        }
        fixed = repaired.fixed;
        examined = repaired.examined;
    }
    print_findings((args, global), examined, (&session, &scope, fixed), console)
}

/// Whether the one source is standard input.
///
/// # Errors
/// When options contradict each other.
fn reads_stdin(args: &CheckArgs) -> Result<bool, CommandFailure> {
    if args.format != CheckFormat::Human && (args.statistics || args.diff) {
        return Err(CommandFailure::usage(
            "`--statistics` and `--diff` need `--format human`",
            "leave `--format` out",
        ));
    }
    let from_stdin = args.src.iter().any(|src| src.as_os_str() == "-");
    if from_stdin && args.src.len() > 1 {
        return Err(CommandFailure::usage("`-` stands for one source", "leave the other sources out"));
    }
    if from_stdin && args.stdin_path.is_none() {
        let help = "pass `--stdin-path` with the file whose text it is";
        return Err(CommandFailure::usage("standard input needs the path of its file", help));
    }
    Ok(from_stdin)
}

/// Prints the findings in `scope` after `fixed` fixes, and returns the exit code.
fn print_findings(
    (args, global): (&CheckArgs, &GlobalOptions),
    examined: CheckedSource,
    (session, scope, fixed): (&CheckSession<'_>, &CheckScope, usize),
    console: &Console,
) -> Result<u8, CommandFailure> {
    let FoldedSource { examined, places } = examined.fold();
    let printed = print::PrintContext { session, scope, fixed, places };
    let style = print::HumanStyle {
        statistics: args.statistics,
        verbose: global.verbose,
        quiet: global.quiet,
        frames: match args.output_file {
            None => console.frame_style(),
            Some(_) => FrameStyle { color: false, width: None },
        },
    };
    let text = match args.format {
        CheckFormat::Human => print::human(&printed, &examined, style),
        CheckFormat::Json => print::json(&printed, &examined),
        CheckFormat::Sarif => print::sarif(&printed, &examined),
        CheckFormat::Github => print::github(&printed),
        CheckFormat::Agent => print::agent(&printed),
    };
    match &args.output_file {
        Some(file) => edit::write(file, printable::report(&text).as_bytes())?,
        None if args.format == CheckFormat::Github => console.commands(&text),
        None if args.format == CheckFormat::Human => console.print_text(&text),
        None => console.print(&text),
    }
    let too_many = args.max_warnings.filter(|most| examined.findings.count(Severity::Warning) > *most);
    if let Some(most) = too_many {
        let count = examined.findings.count(Severity::Warning);
        console.error_line(&format!(
            "error: {}, and `--max-warnings` allows {most}",
            count_noun(count, "warning", "warnings")
        ));
    }
    let failed = examined.findings.count(Severity::Error) > 0 || too_many.is_some();
    let code = if failed { FINDINGS } else { CLEAN };
    // The program ends here: freeing every file would only take time.
    std::mem::forget(examined);
    Ok(code)
}

fn write_baseline(file: &Path, mut examined: CheckedSource, console: &Console) -> Result<u8, CommandFailure> {
    check_session::mark(&mut examined.findings, &examined.project);
    let baseline = Baseline::from_findings(&examined.findings.diagnostics);
    edit::write(file, crate::report::json::document(&baseline).as_bytes())?;
    let count = count_noun(baseline.findings.len(), "finding", "findings");
    console.inform_line(&format!("{count} written to `{}`", file.display()));
    Ok(CLEAN)
}

/// Makes `path`, which is relative to the working directory, relative to SRC.
fn relative_to_source(root: &Path, path: &Path) -> Result<Utf8PathBuf, CommandFailure> {
    let outside = || {
        let help = "paths are relative to the current folder; pass SRC if the source is elsewhere";
        CommandFailure::usage(format!("`{}` is not inside `{}`", path.display(), root.display()), help)
    };
    // The file itself may not exist yet.
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(outside)?;
    let whole = match disk::canonical(folder) {
        Ok(folder) => folder.join(name),
        Err(_) => root.join(path),
    };
    let inner = whole.strip_prefix(root).map_err(|_| outside())?;
    let inner = Utf8PathBuf::from_path_buf(inner.to_owned()).map_err(|_| outside())?;
    let plain = inner.components().all(|part| matches!(part, camino::Utf8Component::Normal(_)));
    plain.then_some(inner).ok_or_else(outside)
}

fn standard_input() -> Result<Arc<str>, CommandFailure> {
    let mut bytes = Vec::new();
    let read = reader::read_stream(&mut std::io::stdin().lock(), SizeLimit::Document, &mut bytes);
    let text = read.and_then(|()| String::from_utf8(bytes).map_err(std::io::Error::other));
    let text = text.map_err(|error| CommandFailure {
        code: "io".into(),
        message: format!("standard input cannot be read: {error}"),
        help: Some("pass the text of the file, in UTF-8".into()),
        place: None,
    })?;
    Ok(Arc::from(text))
}
