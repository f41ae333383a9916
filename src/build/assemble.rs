//! Assembles one host's bundle in memory: renders nodes to bytes, reads them back, and computes hashes and documents.
//! Nothing is written to disk.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::BuildError;
use super::counts::PluginCounts;
use crate::bundle::{
    BODY, BundleManifest, BundleNode, FileMode, HelperFile, ManifestFile, ManifestHelper, NodeContent,
};
use crate::diagnostic::{Diagnostic, HostId, Severity};
use crate::disk::replace::{OWN_FOLDER, OutputFile};
use crate::disk::{self, DiskError, FileSystem, Fingerprint, Payload};
use crate::emit::{self, template::TemplateCache};
use crate::ledger::{ComponentKind, Ledger, RowOutcome};
use crate::lower;
use crate::model::overrides::HostProject;
use crate::model::project::Project;
use crate::progress::Progress;
use crate::read::frontmatter;
use crate::reread;
use crate::reread::closure::{self, EmittedFile};
use crate::schema;
use crate::source::{self, SourceFile, SourceTree, by_parts};
use crate::sourcemap::{MappedFile, SourceMap};
use crate::target::{Target, Targets};

/// Everything that one host's output folder will hold.
#[derive(Debug)]
#[non_exhaustive]
pub struct HostBundle {
    /// Every file, with our own documents, sorted by path.
    pub files: Vec<OutputFile>,
    /// What describes them.
    pub record: BundleRecord,
}

/// Everything about a bundle except the content of its files.
#[derive(Debug)]
#[non_exhaustive]
pub struct BundleRecord {
    /// The host.
    pub host: HostId,
    /// `manifest.json`.
    pub manifest: BundleManifest,
    /// `ledger.json`.
    pub ledger: Ledger,
    /// What was found wrong for this host.
    pub diagnostics: Vec<Diagnostic>,
    /// Carried components by plugin.
    pub plugins: Vec<PluginCounts>,
    /// Whether the host would misread or refuse a file that belongs to no component that can be left out: such a bundle
    /// is not written.
    pub is_refused: bool,
}

/// The reason for leaving out a component whose emitted file the host would refuse or misread.
const REFUSED_BY_HOST: &str = "the host would refuse or misread its emitted file";

fn refusals(found: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    found.iter().filter(|found| found.rule == reread::RULE && found.severity == Severity::Error)
}

/// What a bundle is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// To be written, with our own documents and all findings.
    Output,
    /// To be compared with another bundle, which needs neither.
    Comparison,
}

/// Builds the bundle of `project` for `target`. A component that the host would refuse or misread is left out and
/// reported as an error.
///
/// # Errors
/// When a file to copy cannot be read, or a template of the target is wrong.
pub fn assemble(
    project: &Project,
    target: &Target,
    targets: &Targets,
    purpose: Purpose,
    progress: &Progress,
) -> Result<HostBundle, BuildError> {
    let project = project.for_host(&target.name, targets.source());
    let bundle = assemble_all(&project, target, targets, purpose, progress)?;
    let found: Vec<Diagnostic> = refusals(&bundle.record.diagnostics).cloned().collect();
    if found.is_empty() {
        return Ok(bundle);
    }
    let paths: BTreeSet<String> = found.iter().map(|found| found.path.clone()).collect();
    let mut rest = assemble_all(
        &project.without_components(&paths, REFUSED_BY_HOST),
        target,
        targets,
        purpose,
        progress,
    )?;
    let components = project.plugins.iter().flat_map(|plugin| &plugin.components);
    let left_out: BTreeSet<&str> =
        components.map(|component| component.path.as_str()).filter(|path| paths.contains(*path)).collect();
    rest.record.diagnostics.extend(found);
    rest.record.is_refused = refusals(&rest.record.diagnostics).any(|found| !left_out.contains(&*found.path));
    Ok(rest)
}

fn assemble_all(
    project: &HostProject<'_>,
    target: &Target,
    targets: &Targets,
    purpose: Purpose,
    progress: &Progress,
) -> Result<HostBundle, BuildError> {
    let file_system = &project.file_system;
    let lowered = lower::lower(project, target, targets, progress);
    let mut diagnostics = lowered.diagnostics;
    let mut files = Vec::with_capacity(lowered.nodes.len() + 3);
    let mut listed = Vec::with_capacity(lowered.nodes.len());
    let mut maps = Vec::new();
    let mut lines = TemplateCache::default();
    let owners = reread::ComponentOwners::new(project);
    for node in lowered.nodes {
        let source = node.from.as_ref().and_then(|from| project.tree.get(from));
        let (payload, map) = bytes(&node, source, file_system, &mut lines)?;
        maps.extend(map);
        diagnostics.extend(reread::emitted(&node, &payload, &owners, target));
        let Fingerprint { size, sha256 } = match (&node.content, source) {
            (NodeContent::CopyOf(origin), Some(file)) if *origin == file.origin => {
                source_fingerprint(file, file_system)?
            }
            _ => disk::fingerprint(&payload),
        };
        listed.push(ManifestFile {
            path: node.path.to_string(),
            mode: FileMode::from_executable(node.executable),
            size,
            sha256,
            from: node.from.map(Utf8PathBuf::into_string),
        });
        files.push(OutputFile { path: node.path, executable: node.executable, payload });
    }
    let mut helpers = Vec::with_capacity(lowered.helpers.len());
    for helper in lowered.helpers {
        let fingerprint = match &helper.fingerprint {
            Some(known) => known.clone(),
            None => file_system.hash_in_place(&helper.origin, None)?,
        };
        helpers.push(listed_helper(&helper, fingerprint.sha256.clone()));
        let payload = Payload::CopyOf { path: helper.origin, fingerprint };
        files.push(OutputFile { path: helper.path, executable: true, payload });
    }
    helpers.sort_by(|a, b| a.path.cmp(&b.path));
    let manifest = BundleManifest {
        schema: schema::MANIFEST.tag(),
        plugcast: env!("CARGO_PKG_VERSION").to_owned(),
        target: target.name.clone(),
        source_digest: match purpose {
            Purpose::Output => source_digest(&project.tree, file_system)?,
            Purpose::Comparison => String::new(),
        },
        digest: ManifestFile::digest(&listed),
        files: listed,
        helpers,
    };
    let mut ledger = Ledger::new(lowered.rows);
    ledger.accept(&target.name, &project.accepted);
    if purpose == Purpose::Output {
        diagnostics.extend(unresolved(project, target, targets, &ledger, (&files, &manifest.files), &maps));
        files.extend(own_documents(&manifest, &ledger, maps));
    }
    files.sort_by(|a, b| by_parts(a.path.as_str(), b.path.as_str()));
    let plugins = counts(project, &ledger);
    let record =
        BundleRecord { host: target.name.clone(), manifest, ledger, diagnostics, plugins, is_refused: false };
    Ok(HostBundle { files, record })
}

/// The documents that describe a bundle.
fn own_documents(
    manifest: &BundleManifest,
    ledger: &Ledger,
    maps: Vec<MappedFile>,
) -> impl Iterator<Item = OutputFile> {
    let sourcemap = SourceMap { schema: schema::SOURCEMAP.tag(), files: maps };
    let documents = [
        ("manifest", emit::json::entries(manifest, 2)),
        ("ledger", emit::json::entries(ledger, 2)),
        // Deep enough for one line per edit.
        ("sourcemap", emit::json::entries(&sourcemap, 4)),
    ];
    documents.into_iter().map(|(name, text)| OutputFile {
        path: Utf8PathBuf::from(format!("{OWN_FOLDER}/{name}.json")),
        executable: false,
        payload: Payload::Text(text.into()),
    })
}

fn listed_helper(helper: &HelperFile, sha256: String) -> ManifestHelper {
    ManifestHelper {
        plugin: helper.plugin.clone(),
        path: helper.path.to_string(),
        mode: FileMode::Executable,
        platform: helper.platform.clone(),
        version: helper.version.clone(),
        sha256,
    }
}

fn bytes(
    node: &BundleNode,
    source: Option<&SourceFile>,
    file_system: &FileSystem,
    lines: &mut TemplateCache,
) -> Result<(Payload, Option<MappedFile>), BuildError> {
    let generated = |text: String| {
        (
            Payload::Text(text.into()),
            Some(MappedFile { path: node.path.to_string(), from: None, edits: Vec::new() }),
        )
    };
    Ok(match &node.content {
        NodeContent::CopyOf(path) => {
            match source.filter(|file| file.origin == *path).map(|file| &file.content) {
                // The text of a file is in memory already.
                Some(source::FileContent::Text(text)) => (Payload::Text(text.clone().into()), None),
                _ => {
                    let file = source.filter(|file| file.origin == *path);
                    let fingerprint = match file {
                        Some(file) => source_fingerprint(file, file_system)?,
                        None => file_system.hash_in_place(path, None)?,
                    };
                    (Payload::CopyOf { path: path.clone(), fingerprint }, None)
                }
            }
        }
        NodeContent::Text(text) => generated(text.clone()),
        NodeContent::Generated { text, at, block } => {
            let block = emit::markdown::render(block, lines)?;
            generated([&text[..*at], &block, &text[*at..]].concat())
        }
        NodeContent::Page(page) => generated(
            lines.render(&page.template, &page.values).map_err(emit::markdown::MarkdownError::from)?,
        ),
        NodeContent::Json(value) => generated(emit::json::to_string(value)),
        NodeContent::Yaml(value) => generated(emit::yaml::to_string(value)),
        NodeContent::Toml { document, body } => {
            let body = body.as_ref().map(|draft| emit::markdown::text(draft, lines)).transpose()?;
            let text = body.map(|(text, _)| text).unwrap_or_default();
            let body = frontmatter::body(&text).slice(&text).trim_start_matches(['\r', '\n']);
            let text = emit::toml::to_string(document, BODY, body)
                .map_err(|error| BuildError::Toml(node.path.to_string(), error.to_string()))?;
            generated(text)
        }
        NodeContent::Markdown(draft) => {
            let (text, map) = emit::markdown::write(draft, &node.path, lines)?;
            (Payload::Text(text.into()), Some(map))
        }
    })
}

/// Findings about names in emitted files that the bundle does not resolve.
fn unresolved(
    project: &Project,
    target: &Target,
    targets: &Targets,
    ledger: &Ledger,
    (files, listed): (&[OutputFile], &[ManifestFile]),
    maps: &[MappedFile],
) -> Vec<Diagnostic> {
    let maps: BTreeMap<&str, &MappedFile> = maps.iter().map(|map| (map.path.as_str(), map)).collect();
    let emitted = files.iter().zip(listed).map(|(file, listed)| {
        let from = listed.from.as_deref().map(Utf8Path::new);
        let text = match &file.payload {
            Payload::Text(text) => Some(&**text),
            Payload::CopyOf { .. } => from.and_then(|from| project.tree.get(from)?.text()),
        };
        let map = maps.get(file.path.as_str()).copied();
        EmittedFile { path: &file.path, from, executable: file.executable, text, map }
    });
    closure::check(project, target, targets.source(), ledger, &emitted.collect::<Vec<_>>())
}

/// sha256 over path, mode and content of every file of `tree`, as in a bundle's manifest.
///
/// # Errors
/// When one of them cannot be read.
pub fn source_digest(tree: &SourceTree, file_system: &FileSystem) -> Result<String, BuildError> {
    let mut lines = String::new();
    for file in tree.files() {
        let sha256 = source_sha256(file, file_system)?;
        let mode = FileMode::from_executable(file.executable).octal();
        lines.extend([file.path.as_str(), "\0", mode, "\0", sha256, "\n"]);
    }
    Ok(disk::sha256(lines.as_bytes()))
}

fn source_sha256<'a>(file: &'a SourceFile, file_system: &FileSystem) -> Result<&'a str, DiskError> {
    file.sha256(|file| match file.text() {
        Some(text) => Ok(disk::sha256(text.as_bytes())),
        None => Ok(file_system.hash_in_place(&file.origin, Some(file.size))?.sha256),
    })
}

fn source_fingerprint(file: &SourceFile, file_system: &FileSystem) -> Result<Fingerprint, DiskError> {
    Ok(Fingerprint { size: file.size, sha256: source_sha256(file, file_system)?.to_owned() })
}

fn counts(project: &Project, ledger: &Ledger) -> Vec<PluginCounts> {
    let component = |kind: ComponentKind| (ComponentKind::Skill..=ComponentKind::Executable).contains(&kind);
    project
        .plugins
        .iter()
        .map(|plugin| {
            let mut counts = BTreeMap::new();
            for row in ledger.rows.iter().filter(|row| {
                row.plugin == plugin.name && row.outcome != RowOutcome::Dropped && component(row.kind)
            }) {
                *counts.entry(row.kind).or_insert(0) += 1;
            }
            let version =
                plugin.metadata("/version").and_then(crate::read::tree::Node::as_str).map(str::to_owned);
            PluginCounts { name: plugin.name.clone(), version, counts }
        })
        .collect()
}
