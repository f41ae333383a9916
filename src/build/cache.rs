//! The build cache: if program, source, settings and options are those of an earlier build, and the bundle is still
//! what that build wrote, its result is reused.
//!
//! Everything is compared by content: the cache records which bytes these inputs yield, and every byte in the output
//! folder is compared with them. The cache is in the user's cache folder, since a document in the bundle comes with a
//! repository and could vouch for anything else in it. A bundle that carries programs is always built again, since
//! where they come from is decided later.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

use super::SourceRequest;
use super::assemble::source_digest;
use super::counts::PluginCounts;
use super::discover::DiscoveredSource;
use super::{BuildError, BundleRecord, HostBundle};
use crate::bundle::BundleManifest;
use crate::diagnostic::{Diagnostic, HostId};
use crate::disk::folder::Folder;
use crate::disk::reader::SizeLimit;
use crate::disk::replace::{self, OWN_FOLDER, OutputPlace};
use crate::disk::root::{Root, RootLink};
use crate::disk::{self, Fingerprint, Payload};
use crate::emit;
use crate::ledger::{Ledger, LossClass};
use crate::schema;
use crate::source::{Exclusion, ExclusionReason};
use crate::target::Targets;

/// How many builds are kept; beyond that, the oldest are removed.
const MOST_KEPT: usize = 256;

/// The hash of this program's own sources; see `build.rs` at the top of the package.
const PROGRAM: &str = env!("PLUGCAST_PROGRAM");

/// Command-line options that affect what is written and are not part of any other input.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct CacheOptions {
    /// Losses of this class, and of graver ones, fail the build.
    pub denied: Option<LossClass>,
    /// Each `--helper`, as written.
    pub helpers: Vec<String>,
    /// `--marketplace`.
    pub marketplace: Option<String>,
}

/// Everything that a bundle depends on, for any host. An input missing here means that a stale bundle is reused.
#[derive(Serialize)]
struct CacheInputs<'a> {
    program: &'static str,
    targets: &'a str,
    name: Option<&'a str>,
    own_name: String,
    options: &'a CacheOptions,
    config: &'a str,
    /// The text of each plugin's own settings, by plugin folder.
    settings: Vec<(&'a str, &'a str)>,
    source: String,
    /// Links, with their targets.
    links: Vec<(&'a str, &'a str)>,
    empty_folders: Vec<&'a str>,
    left_out: Vec<(&'a str, &'a ExclusionReason, bool)>,
    outside: Vec<(&'a str, &'a ExclusionReason, bool)>,
}

/// sha256 of everything that a bundle depends on, for any host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheKey(String);

impl CacheKey {
    /// The key of what was found for `request`.
    ///
    /// # Errors
    /// When a file of the source cannot be read.
    pub(crate) fn new(
        discovered: &DiscoveredSource,
        request: &SourceRequest,
        targets: &Targets,
        options: &CacheOptions,
    ) -> Result<Self, BuildError> {
        let inputs = CacheInputs {
            program: PROGRAM,
            targets: targets.added_digest(),
            name: request.name.as_deref(),
            own_name: request.own_name(),
            options,
            config: &request.config.text,
            settings: discovered.settings.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect(),
            source: source_digest(&discovered.tree, &request.file_system)?,
            links: discovered.tree.links.iter().map(|(path, to)| (path.as_str(), to.as_str())).collect(),
            empty_folders: discovered.tree.empty_folders.iter().map(|path| path.as_str()).collect(),
            left_out: exclusion_keys(&discovered.tree.exclusions),
            outside: exclusion_keys(&discovered.outside),
        };
        Ok(Self(disk::sha256(emit::json::to_string(&inputs).as_bytes())))
    }

    /// The same for one host, in hexadecimal.
    fn host_key(&self, host: &HostId) -> String {
        disk::sha256(format!("{} {host}", self.0).as_bytes())
    }
}

fn exclusion_keys(exclusions: &[Exclusion]) -> Vec<(&str, &ExclusionReason, bool)> {
    exclusions.iter().map(|one| (one.path.as_str(), &one.reason, one.fault)).collect()
}

/// A bundle on disk, unchanged since an earlier build wrote it from identical inputs.
#[derive(Debug)]
#[non_exhaustive]
pub struct CachedBundle {
    /// Its record; its files are already in place.
    pub record: BundleRecord,
    /// What was found in the source.
    pub found: Vec<Diagnostic>,
}

/// One build: what it wrote and what it reported.
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
    /// What was found in the source, for any host.
    found: Vec<Diagnostic>,
    /// What was found for this host.
    found_here: Vec<Diagnostic>,
}

/// The folder of builds in the user's cache folder.
const BUILDS: &str = "plugcast/builds";

/// The cached builds of this user. If anything is wrong with the folder or a file in it, the build runs again.
#[derive(Debug, Default)]
pub struct BuildCache {
    path: Option<PathBuf>,
    caches: Option<Root>,
}

impl BuildCache {
    /// The cache below `path`, the user's cache folder, which need not exist; without a path, nothing is cached.
    pub fn new(path: Option<PathBuf>) -> Self {
        let open = |path: &PathBuf| Root::open(path, RootLink::Followed).ok()?;
        Self { caches: path.as_ref().and_then(open), path }
    }

    /// The bundle of `host` below `out`, if it was built for `host` from the inputs of `key` and is unchanged since.
    /// The caller holds the lock of `out`.
    ///
    /// # Errors
    /// When the folder cannot be read, or what a killed build left cannot be removed.
    pub fn lookup(
        &self,
        key: &CacheKey,
        host: &HostId,
        out: &Folder,
    ) -> Result<Option<CachedBundle>, BuildError> {
        let place = OutputPlace { out, name: host };
        replace::recover(&place)?;
        let Some(cached) = self.read(&key.host_key(host)) else { return Ok(None) };
        // An output folder that cannot be opened is reported by the build.
        let Ok(Some(folder)) = place.open() else { return Ok(None) };
        let (mut manifest, mut ledger) = (None, None);
        for (name, sha256) in &cached.documents {
            let path = Utf8Path::new(OWN_FOLDER).join(name);
            let Ok(Some(text)) = folder.read_text(&path) else { return Ok(None) };
            if disk::sha256(text.as_bytes()) != *sha256 {
                return Ok(None);
            }
            match name.as_str() {
                "manifest.json" => manifest = serde_json::from_str::<BundleManifest>(&text).ok(),
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
            if !disk::is_as_written(&folder, Utf8Path::new(&file.path), file.mode.is_executable(), &print)? {
                return Ok(None);
            }
        }
        let CachedBuild { plugins, found, found_here, .. } = cached;
        let host = host.to_owned();
        let record =
            BundleRecord { host, manifest, ledger, diagnostics: found_here, plugins, is_refused: false };
        Ok(Some(CachedBundle { record, found }))
    }

    /// Stores `bundle`, which was built from the inputs of `key`, with what was `found` in the source and `found_here`
    /// for this host. A failure is not reported: it only makes the next build slower.
    pub fn store(
        &self,
        bundle: &HostBundle,
        key: &CacheKey,
        found: &[Diagnostic],
        found_here: &[Diagnostic],
    ) {
        let inputs = key.host_key(&bundle.record.host);
        if !bundle.record.manifest.helpers.is_empty() || self.read(&inputs).is_some() {
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
            plugins: bundle.record.plugins.clone(),
            found: found.to_vec(),
            found_here: found_here.to_vec(),
        };
        let Some(root) = self.writable() else { return };
        // An existing entry is unusable, or `read` would have returned it.
        let _ = root.remove(&name);
        if root.create_secret(&name, emit::json::to_string(&cached).as_bytes()).is_ok() {
            let _ = tidy(&root);
        }
    }

    /// The folder of builds, created if it is missing. No link is followed below the user's cache folder.
    fn writable(&self) -> Option<Root> {
        let caches = match &self.caches {
            Some(caches) => caches.clone(),
            None => Root::create(self.path.as_ref()?, RootLink::Followed).ok()?,
        };
        caches.create_inner(Path::new(BUILDS)).ok()
    }

    fn read(&self, inputs: &str) -> Option<CachedBuild> {
        let root = self.caches.as_ref()?.subfolder(Path::new(BUILDS)).ok()??;
        let name = PathBuf::from(format!("{inputs}.json"));
        let bytes = root.read_secret(&name, SizeLimit::Document).ok()??;
        let cached: CachedBuild = serde_json::from_slice(&bytes).ok()?;
        // A file that was renamed does not belong to these inputs.
        (cached.schema == schema::BUILD_CACHE.tag() && cached.inputs == inputs).then_some(cached)
    }
}

/// Removes the oldest builds if there are too many.
fn tidy(root: &Root) -> Result<(), disk::root::RootError> {
    let names = root.list(Path::new(""))?;
    if names.len() <= MOST_KEPT {
        return Ok(());
    }
    let mut dated = Vec::with_capacity(names.len());
    for (name, _) in names {
        dated.push((root.modified(Path::new(&name))?, name));
    }
    dated.sort();
    dated.iter().take(dated.len() - MOST_KEPT / 2).try_for_each(|(_, name)| root.remove(Path::new(name)))
}
