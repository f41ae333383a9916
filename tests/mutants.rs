//! Failing closed: real plugins with tokens of YAML, JSON and Markdown spliced in (`fuzz/mutants.rs`) are built for every
//! host, and no bundle that is written holds a file that its host's reader refuses or reads differently. The readers are
//! the hosts' own: Bun's YAML for Claude Code, serde_yaml for Codex, gray-matter for OpenCode (`mutants/readers.mjs`).
//!
//! `PLUGCAST_MUTANTS=10000` sets how many bundles are built, `PLUGCAST_MUTANTS_FROM=SEED` with which plugin they begin;
//! `PLUGCAST_MUTANT=SEED` builds one plugin and prints it.

mod fields;
mod judge;
mod readers;

use std::collections::BTreeMap;
use std::path::Path;

use plugcast::build::{HostBundle, SourceRequest};
use plugcast::compile::Source;
use plugcast::disk::Payload;
use plugcast::ledger::{ComponentKind, LedgerRow, RowOutcome};
use plugcast::target::Targets;

use crate::fuzz::bodies::mutants::{self as spliced, Corpus};
use crate::support::corpus::public;
use crate::support::tree::Tree;
use crate::support::{none_left, print_line, root};
use judge::{Bundle, EmittedFile};
use readers::Readers;

/// Bundles that the tests build without being told.
const BUNDLES: usize = 450;
/// Plugins whose texts are given to the readers at a time.
const BATCH: usize = 200;

#[test]
fn no_host_refuses_a_file_of_a_bundle_that_is_written() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
    let targets = Targets::embedded().expect("the embedded targets load");
    let corpus = corpus();
    let readers = Readers::fetch();
    let seeds: Vec<u64> = match number("PLUGCAST_MUTANT") {
        Some(seed) => vec![seed as u64],
        None => {
            let first = number("PLUGCAST_MUTANTS_FROM").unwrap_or_default() as u64;
            let count = number("PLUGCAST_MUTANTS").unwrap_or(BUNDLES).div_ceil(targets.names().len());
            (first..first + count as u64).collect()
        }
    };
    let (mut accepted, mut refused, mut findings) = (0, 0, Vec::new());
    for seeds in seeds.chunks(BATCH) {
        let mut bundles = Vec::new();
        for seed in seeds {
            let files = spliced::plugin(&corpus, *seed);
            if number("PLUGCAST_MUTANT").is_some() {
                show(&files);
            }
            match built(&files, &targets) {
                Ok(some) => bundles.extend(some.into_iter().map(|written| Bundle {
                    seed: *seed,
                    source: files.iter().cloned().collect(),
                    ..written
                })),
                Err(why) => findings.push(format!("{seed}: {why}")),
            }
        }
        accepted += bundles.len();
        refused += seeds.len() * targets.names().len() - bundles.len();
        findings.extend(judge::findings(&bundles, &readers));
    }
    print_line(&format!(
        "mutants: {accepted} bundles accepted, {refused} refused, {} findings",
        findings.len()
    ));
    findings.truncate(60);
    none_left("files that a host would refuse", &findings);
}

/// Builds a plugin for every host in memory.
fn built(files: &[(String, String)], targets: &Targets) -> Result<Vec<Bundle>, String> {
    let source = files.iter().fold(Tree::new(), |tree, (path, text)| tree.file(path, text)).temporary();
    let mut request = SourceRequest::new(source.path());
    request.name = Some("kit".to_owned());
    let build = || {
        let source = match Source::read(&request, targets) {
            Ok(read) => read,
            Err(_) => return Ok(Vec::new()),
        };
        let mut written = Vec::new();
        for target in targets.iter().filter(|_| !source.project.plugins.is_empty()) {
            let bundle = source.bundle(target).map_err(|error| error.to_string())?;
            if !bundle.record.is_refused {
                written.push(of_bundle(&bundle));
            }
        }
        Ok(written)
    };
    std::panic::catch_unwind(build).unwrap_or_else(|_| Err("the build panics".to_owned()))
}

fn of_bundle(bundle: &HostBundle) -> Bundle {
    let from: BTreeMap<&str, Option<&String>> =
        bundle.record.manifest.files.iter().map(|file| (file.path.as_str(), file.from.as_ref())).collect();
    let text = |payload: &Payload| match payload {
        Payload::Text(text) => text.to_string(),
        Payload::CopyOf { path, .. } => std::fs::read(path)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .expect("a file to copy is there"),
    };
    let files =
        bundle.files.iter().filter(|file| !file.path.starts_with(".plugcast")).map(|file| EmittedFile {
            path: file.path.to_string(),
            from: from.get(file.path.as_str()).copied().flatten().cloned(),
            text: text(&file.payload),
        });
    let paths = |wanted: fn(&LedgerRow) -> bool| {
        bundle.record.ledger.rows.iter().filter(|row| wanted(row)).map(|row| row.path.clone()).collect()
    };
    Bundle {
        seed: 0,
        source: BTreeMap::new(),
        host: bundle.record.host.to_string(),
        files: files.collect(),
        components: paths(|row| {
            matches!(row.kind, ComponentKind::Skill | ComponentKind::Agent | ComponentKind::Command)
        }),
        dropped: paths(|row| row.outcome == RowOutcome::Dropped),
    }
}

/// The texts that everything begins with: those of the cases, of the dialects and of public plugins.
fn corpus() -> Corpus {
    let mut corpus = Corpus::default();
    let folders = [root().join("tests/cases"), root().join("tests/fixtures"), root().join("plugins")];
    let sources = public().into_iter().map(|public| public.source);
    for folder in folders.into_iter().chain(sources) {
        collect(&folder, &mut corpus);
    }
    assert!(corpus.markdown.len() > 1000 && corpus.manifests.len() > 20, "the corpora are there");
    assert!(!corpus.hooks.is_empty() && !corpus.servers.is_empty());
    corpus
}

fn collect(folder: &Path, corpus: &mut Corpus) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).expect("a folder").flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if name != "expected" && name != "node_modules" {
                collect(&path, corpus);
            }
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match name.as_str() {
            "plugin.json" if path.parent().is_some_and(|folder| folder.ends_with(".claude-plugin")) => {
                corpus.manifests.push(text);
            }
            "hooks.json" => corpus.hooks.push(text),
            ".mcp.json" => corpus.servers.push(text),
            name if name.ends_with(".md") && text.starts_with("---") => corpus.markdown.push(text),
            _ => {}
        }
    }
}

fn show(files: &[(String, String)]) {
    for (path, text) in files {
        print_line(&format!("==> {path}\n{text}\n{text:?}"));
    }
}
