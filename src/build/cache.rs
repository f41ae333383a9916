//! The build cache: when program, source, settings and options are those of an earlier build, and the bundle is what
//! that build wrote, its answer is still the answer.
//!
//! All of it is compared by content: the cache says which bytes these inputs yield, and every byte in the output folder
//! is compared with that. The cache lies in the user's own folder for caches, since a document in the bundle comes with a
//! repository and could vouch for whatever else comes with it. A bundle that carries programs is always built again, since
//! where they come from is settled later.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

use super::SourceRequest;
use super::assemble::source_digest;
use super::discover::Gathered;
use super::{BuildError, HostBundle};
use crate::bundle::Manifest;
use crate::bundle::counts::PluginCounts;
use crate::diagnostic::Diagnostic;
use crate::disk::folder::Folder;
use crate::disk::reader::SizeLimit;
use crate::disk::replace::{self, OWN_FOLDER, OutputPlace};
use crate::disk::root::{Root, RootLink};
use crate::disk::{self, Fingerprint, Payload};
use crate::emit;
use crate::ledger::Ledger;
use crate::schema;
use crate::source::Exclusion;
use crate::target::Targets;

/// How many builds are kept; beyond that the oldest go.
const MOST_KEPT: usize = 256;

/// What this program is made of; see `build.rs` at the top of the package.
const PROGRAM: &str = env!("PLUGCAST_PROGRAM");

/// sha256 over everything that a bundle depends on, whatever its host. `options` are those of the command
/// line that decide what is written, and that the rest does not tell.
///
/// # Errors
/// When a file of the source cannot be read.
pub fn inputs(
    gathered: &Gathered,
    request: &SourceRequest,
    targets: &Targets,
    options: &str,
) -> Result<String, BuildError> {
    let left_out =
        |exclusion: &Exclusion| format!("{}\0{}\0{}\n", exclusion.path, exclusion.reason, exclusion.fault);
    let exclusions: String = gathered.tree.exclusions.iter().map(left_out).collect();
    let outside: String = gathered.outside.iter().map(left_out).collect();
    let parts = [
        PROGRAM.to_owned(),
        targets.added().to_owned(),
        format!("{:?} {:?} {options}", request.name, request.own_name()),
        request.config.text.clone(),
        format!("{:?}", gathered.settings),
        source_digest(&gathered.tree)?,
        exclusions,
        outside,
    ];
    let lines: String = parts.iter().map(|part| format!("{}\n", disk::sha256(part.as_bytes()))).collect();
    Ok(disk::sha256(lines.as_bytes()))
}

/// The same for one host.
fn of_host(inputs: &str, host: &str) -> String {
    disk::sha256(format!("{inputs} {host}").as_bytes())
}

/// One build: what was made, and what was said about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CachedBuild {
    /// `plugcast.build-cache/1`.
    schema: String,
    /// sha256 over everything that the bundle depends on: the program, the source, settings, options and the host.
    inputs: String,
    /// sha256 of each document of the bundle, by file name; its manifest lists the other files.
    documents: BTreeMap<String, String>,
    /// What each plugin brings, sorted by name.
    plugins: Vec<PluginCounts>,
    /// What was found in the source, for whatever host.
    found: Vec<Diagnostic>,
    /// What was found for this host.
    found_here: Vec<Diagnostic>,
}

/// Where builds are kept in a user's folder for caches.
const BUILDS: &str = "plugcast/builds";

/// The builds of this user that are remembered. Whatever is wrong with the folder or with a file in it, the build is
/// made again.
#[derive(Debug, Default)]
pub struct BuildCache {
    path: Option<PathBuf>,
    caches: Option<Root>,
}

impl BuildCache {
    /// The cache in the user's folder for caches, which need not be there; without one, nothing is remembered.
    pub fn new(path: Option<PathBuf>) -> Self {
        let open = |path: &PathBuf| Root::open(path, RootLink::Followed).ok()?;
        Self { caches: path.as_ref().and_then(open), path }
    }

    /// The bundle of `host` below `out`, with what was found in the source, if it was built for `host` from just these `inputs`
    /// and is as it was written. Its `files` are left empty: there is nothing to write. Call it under the lock.
    ///
    /// # Errors
    /// When the folder cannot be read, or what a killed build left cannot be removed.
    pub fn lookup(
        &self,
        inputs: &str,
        host: &str,
        out: &Folder,
    ) -> Result<Option<(HostBundle, Vec<Diagnostic>)>, BuildError> {
        let place = OutputPlace { out, name: host };
        replace::recover(&place)?;
        let Some(cached) = self.read(&of_host(inputs, host)) else { return Ok(None) };
        // An output folder that cannot be opened has its error when it is built.
        let Ok(Some(folder)) = place.open() else { return Ok(None) };
        let (mut manifest, mut ledger) = (None, None);
        for (name, sha256) in &cached.documents {
            let path = Utf8Path::new(OWN_FOLDER).join(name);
            let Ok(Some(text)) = folder.read_text(&path) else { return Ok(None) };
            if disk::sha256(text.as_bytes()) != *sha256 {
                return Ok(None);
            }
            match name.as_str() {
                "manifest.json" => manifest = serde_json::from_str::<Manifest>(&text).ok(),
                "ledger.json" => ledger = serde_json::from_str::<Ledger>(&text).ok(),
                _ => {}
            }
        }
        let (Some(manifest), Some(ledger)) = (manifest, ledger) else { return Ok(None) };
        if !manifest.helpers.is_empty() {
            return Ok(None);
        }
        for file in &manifest.files {
            let print = Fingerprint { size: file.size, sha256: file.sha256.clone() };
            if !disk::is_as_written(&folder, Utf8Path::new(&file.path), file.mode == "0755", &print)? {
                return Ok(None);
            }
        }
        let CachedBuild { plugins, found, found_here, .. } = cached;
        let host = host.to_owned();
        let files = Vec::new();
        let bundle = HostBundle { host, files, manifest, ledger, diagnostics: found_here, plugins };
        Ok(Some((bundle, found)))
    }

    /// Remembers `bundle`, which was built from `inputs`, what was `found` in the source, and `found_here` for this host.
    /// Nobody is told when that fails: the next build takes longer, and that is all.
    pub fn store(&self, bundle: &HostBundle, inputs: &str, found: &[Diagnostic], found_here: &[Diagnostic]) {
        let inputs = of_host(inputs, &bundle.host);
        if !bundle.manifest.helpers.is_empty() || self.read(&inputs).is_some() {
            return;
        }
        let document = |file: &disk::replace::OutputFile| match &file.payload {
            Payload::Text(text) if file.path.parent() == Some(Utf8Path::new(OWN_FOLDER)) => {
                Some((file.path.file_name()?.to_owned(), disk::sha256(text.as_bytes())))
            }
            _ => None,
        };
        let name = PathBuf::from(format!("{inputs}.json"));
        let cached = CachedBuild {
            schema: schema::BUILD_CACHE.tag(),
            inputs,
            documents: bundle.files.iter().filter_map(document).collect(),
            plugins: bundle.plugins.clone(),
            found: found.to_vec(),
            found_here: found_here.to_vec(),
        };
        let Some(root) = self.writable() else { return };
        // One that is there cannot be used.
        let _ = root.remove(&name);
        if root.create_secret(&name, emit::json::to_string(&cached).as_bytes()).is_ok() {
            let _ = tidy(&root);
        }
    }

    /// The folder of the builds, made where it is not there. Below the user's folder for caches no link is followed.
    fn writable(&self) -> Option<Root> {
        let caches = match &self.caches {
            Some(caches) => caches.clone(),
            None => Root::create(self.path.as_ref()?, RootLink::Followed).ok()?,
        };
        caches.create_inner(Path::new(BUILDS)).ok()
    }

    fn read(&self, inputs: &str) -> Option<CachedBuild> {
        let root = self.caches.as_ref()?.inner(Path::new(BUILDS)).ok()??;
        let name = PathBuf::from(format!("{inputs}.json"));
        let bytes = root.read_secret(&name, SizeLimit::Document).ok()??;
        let cached: CachedBuild = serde_json::from_slice(&bytes).ok()?;
        // A file of another name says nothing about these inputs.
        (cached.schema == schema::BUILD_CACHE.tag() && cached.inputs == inputs).then_some(cached)
    }
}

/// Removes the oldest builds where there are too many.
fn tidy(root: &Root) -> Result<(), disk::root::RootError> {
    let names = root.list(Path::new(""))?;
    if names.len() <= MOST_KEPT {
        return Ok(());
    }
    let mut dated = Vec::with_capacity(names.len());
    for (name, _) in names {
        dated.push((root.changed(Path::new(&name))?, name));
    }
    dated.sort();
    dated.iter().take(dated.len() - MOST_KEPT / 2).try_for_each(|(_, name)| root.remove(Path::new(name)))
}
