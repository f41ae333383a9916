//! `plugcast explain`: the origin of a line of a bundle, or the meaning of a loss and its remedies.

mod axis;
mod fate;
mod origin;

use std::path::{Path, PathBuf};

use camino::Utf8Path;
use clap::Args;
use serde::de::DeserializeOwned;

use super::console::Console;
use super::{CLEAN, CommandFailure, GlobalOptions};
use crate::build;
use crate::bundle::BundleManifest;
use crate::check::rule::Rule;
use crate::disk;
use crate::disk::folder::Folder;
use crate::disk::lock::OutputFolder;
use crate::disk::replace::OWN_FOLDER;
use crate::ledger::{Ledger, LedgerRow};
use crate::printable;
use crate::release;
use crate::report::check::word;
use crate::schema::{self, SchemaId};
use crate::sourcemap::{MappedEdit, MappedFile, SourceMap};
use crate::target::Axis;

/// Explain a rule, a loss, the origin of a line in a bundle, or the outcome of a line in a source
///
/// Exit codes: 0 explained; 2 unknown rule, loss or axis, or a file that cannot be read.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plugcast explain dist/HOST/plugins/refine/skills/loops/SKILL.md:12\n  plugcast explain skills/loops/SKILL.md:12\n  plugcast explain tool-limits/refine/agent/fresh-reader/tools\n  plugcast explain tool-limits"
)]
pub struct ExplainArgs {
    /// A rule or finding, FILE:LINE in a bundle or a source, a loss id, or an axis of losses
    #[arg(value_name = "RULE|FILE:LINE|LOSS-ID|AXIS")]
    what: String,
    /// The folder of bundles to look up a loss in [default: dist]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When the file, line or loss does not exist, or a document of the bundle cannot be read.
pub fn run(args: &ExplainArgs, global: &GlobalOptions, console: &Console) -> Result<u8, CommandFailure> {
    let place = args.what.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<usize>().ok()?)));
    if let Some(rule) = crate::check::rules::find(&args.what) {
        console.print_page(rule.page);
        console.print_text(&settings(rule));
        return Ok(CLEAN);
    }
    let mut pages = build::PAGES.iter().chain(release::pages::PAGES);
    if let Some((_, page)) = pages.find(|(id, _)| *id == args.what) {
        console.print_page(page);
        return Ok(CLEAN);
    }
    if let Some(page) = axis::page(&args.what, args.out.as_deref())? {
        console.print_page(&page);
        return Ok(CLEAN);
    }
    let text = match place {
        Some((file, line)) => line_of(Path::new(file), line, global)?,
        None => loss(&args.what, args.out.as_deref())?,
    };
    console.print_text(&text);
    Ok(CLEAN)
}

/// Whether a rule is on by default, and how to change that.
fn settings(rule: &Rule) -> String {
    let (name, group, severity) = (rule.name, rule.group.id(), word(rule.severity));
    let switch = match rule.group.is_default() {
        true => format!(
            "on by default; `ignore = [\"{name}\"]` under `[check]` in `plugcast.toml` switches it off,\n\
             `<!-- plugcast-allow {name}: reason -->` before a paragraph covers that one"
        ),
        false => format!(
            "off by default; `select = [\"{name}\"]` under `[check]` in `plugcast.toml` switches it on"
        ),
    };
    format!("\n## Settings\n\nGroup `{group}`, {severity}: {switch}.\n")
}

fn document<T: DeserializeOwned>(
    folder: &Folder,
    name: &str,
    id: SchemaId,
) -> Result<Option<T>, CommandFailure> {
    let inner = Utf8Path::new(OWN_FOLDER).join(name);
    let path = folder.path().join(&inner);
    let Some(text) = folder.read_text(&inner)? else { return Ok(None) };
    let fail = |message: String| {
        CommandFailure::usage(format!("`{}`: {message}", path.display()), "build the bundle again")
    };
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| fail(format!("is not valid JSON: {error}")))?;
    id.accept(value["schema"].as_str().unwrap_or_default()).map_err(fail)?;
    serde_json::from_value(value).map(Some).map_err(|error| fail(error.to_string()))
}

fn line_of(file: &Path, line: usize, global: &GlobalOptions) -> Result<String, CommandFailure> {
    let absent = |_| {
        CommandFailure::usage(
            format!("the file `{}` does not exist", file.display()),
            "pass a file in a bundle",
        )
    };
    build::must_be_finished(file)?;
    let file = disk::canonical(file).map_err(absent)?;
    let bundle =
        file.ancestors().find(|folder| disk::is_file(&folder.join(OWN_FOLDER).join("sourcemap.json")));
    let Some(bundle) = bundle else {
        let targets = super::targets(global)?;
        let root = crate::check_session::plugin_of(&file, &targets);
        return fate::line_outcomes(&file, &root, line, global);
    };
    let path = file.strip_prefix(bundle).unwrap_or(&file).to_string_lossy().into_owned();
    let opened = Folder::open(bundle)?;
    let map: Option<SourceMap> = document(&opened, "sourcemap.json", schema::SOURCEMAP)?;
    let manifest: Option<BundleManifest> = document(&opened, "manifest.json", schema::MANIFEST)?;
    let emitted = disk::read_text(&file)?.unwrap_or_default();
    let lines = emitted.lines().count();
    if line == 0 || line > lines.max(1) {
        return Err(CommandFailure::usage(
            format!("`{path}` has {lines} lines, not {line}"),
            "name one of them",
        ));
    }
    let listed = manifest.iter().flat_map(|manifest| &manifest.files).find(|listed| listed.path == path);
    // A source map is only trusted for files that the manifest lists.
    let mapped = map.iter().flat_map(|map| &map.files);
    let mapped = mapped.filter(|_| listed.is_some()).find(|mapped| mapped.path == path);
    if let (Some(mapped), Some(map)) = (mapped, &map) {
        if mapped.from.is_some() {
            return traced(mapped, &emitted, line);
        }
        let targets = super::targets(global)?;
        let ledger: Option<Ledger> = document(&opened, "ledger.json", schema::LEDGER)?;
        let ledger = ledger.unwrap_or_else(|| Ledger::new(Vec::new()));
        let target = manifest.as_ref().and_then(|manifest| targets.get(&manifest.target));
        let documents = origin::BundleDocuments { folder: bundle, target, ledger: &ledger, map };
        return Ok(documents.explain_generated(&path, &emitted, line));
    }
    match listed.and_then(|listed| listed.from.as_ref()) {
        Some(from) => {
            let [path, from] = [&*path, from].map(printable::line);
            Ok(format!("{path}:{line} is {from}:{line}, byte for byte\n"))
        }
        None => Err(CommandFailure::usage(
            format!("`{path}` was not written by a build"),
            "name a file that the bundle's manifest lists",
        )),
    }
}

fn traced(mapped: &MappedFile, emitted: &str, line: usize) -> Result<String, CommandFailure> {
    let path = printable::line(&mapped.path);
    let from = printable::line(mapped.from.as_deref().unwrap_or_default());
    let Some(trace) = mapped.trace(emitted, line) else {
        return Err(CommandFailure::usage(format!("`{path}` has no line {line}"), "name another"));
    };
    let mut out = format!("{path}:{line} comes from {from}:{}\n", trace.source_line);
    if trace.edits.is_empty() {
        out.push_str("  unchanged\n");
    }
    for edit in trace.edits {
        out.push_str(&format!("  {}: {}\n", kind_of(edit), printable::line(&edit.reason)));
    }
    Ok(out)
}

/// The kind of an edit, as written in the source map.
fn kind_of(edit: &MappedEdit) -> String {
    let kind = serde_json::to_value(edit.edit).ok();
    kind.and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The bundles in the output folder, by host.
fn bundles(out: Option<&Path>) -> Result<Vec<(String, Folder)>, CommandFailure> {
    let out = match out {
        Some(out) => OutputFolder::named(out),
        None => OutputFolder::below(Path::new(""), Path::new("dist")),
    };
    build::must_be_plain(&out)?;
    let out = out.path();
    build::must_be_finished(out)?;
    let folder = Folder::open_existing(out)?;
    // Leftovers of a killed build are not bundles.
    let names = disk::list(out).unwrap_or_default().into_iter().map(|(name, _)| name);
    let of_host = |host: String| {
        // A bundle must be a real folder, not a symlink to another place.
        let bundle = folder.as_ref().and_then(|folder| folder.subfolder(&host).ok().flatten())?;
        Some((host, bundle))
    };
    Ok(names.filter(|name| !name.starts_with('.')).filter_map(of_host).collect())
}

fn loss(id: &str, out: Option<&Path>) -> Result<String, CommandFailure> {
    let mut text = String::new();
    for (host, bundle) in bundles(out)? {
        let ledger: Option<Ledger> = document(&bundle, "ledger.json", schema::LEDGER)?;
        let is_it = |row: &&LedgerRow| row.loss.as_ref().is_some_and(|loss| &*loss.id == id);
        for row in ledger.iter().flat_map(|ledger| &ledger.rows).filter(is_it) {
            let place = row.span.map_or_else(
                || row.path.clone(),
                |span| format!("{}:{}:{}", row.path, span.line, span.column),
            );
            let loss = row.loss.as_ref();
            let class = loss
                .and_then(|loss| serde_json::to_value(loss.class).ok())
                .and_then(|class| class.as_str().map(str::to_owned));
            let accepted = if loss.is_some_and(|loss| loss.accepted) { ", accepted" } else { "" };
            let reason = row.reason.as_deref().unwrap_or_default();
            text.push_str(&format!(
                "{}: {}: {} ({}{accepted})\n",
                printable::line(&host),
                printable::line(&place),
                printable::line(reason),
                class.unwrap_or_default()
            ));
        }
    }
    if text.is_empty() {
        let help = match crate::check::nearest_rule(id) {
            Some(rule) => format!("did you mean the rule `{rule}`? `plugcast rules` lists them"),
            None => {
                "`plugcast rules` lists the rules; loss ids are in `.plugcast/ledger.json` of a bundle, and `--out` sets the folder of bundles".to_owned()
            }
        };
        return Err(CommandFailure::usage(
            format!(
                "unknown rule or loss `{id}`: no bundle in `{}` contains it",
                out.unwrap_or(Path::new("dist")).display()
            ),
            help,
        ));
    }
    let axis = id.split('/').next().and_then(Axis::from_id);
    let (about, advice) = axis.map_or(("", ""), |axis| (axis.description(), axis.advice()));
    Ok(format!(
        "{about}\n{text}what to do: {advice}; then accept it with `[[accept-loss]]` and a reason in `plugcast.toml`, or leave the host out\n"
    ))
}
