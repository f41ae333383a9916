//! A verification from start to end: what is verified is built if it is a source, every bundle is shown to its host, and
//! the source to the host that it was written for.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;

use super::compared_source::{self, FoundSource, WantedSource};
use super::installation::{HostSearch, MissingHost};
use super::observation::{Installation, ObservationScope};
use super::{DRIVERS, Driver, loaded_bundle, source, verify};
use crate::build::helper::HelperSearchPath;
use crate::build::{self, BuildError, SourceRequest};
use crate::bundle::BundleManifest;
use crate::bundle::source_verification::SourceVerification;
use crate::bundle::verification::{AbsentHost, HostVerification, Verification};
use crate::compile;
use crate::diagnostic::{HostId, HostSelection};
use crate::disk::folder::Folder;
use crate::disk::plain_files;
use crate::git::Git;
use crate::model::similar_names;
use crate::process::interrupt;
use crate::progress::Progress;
use crate::schema::VERIFY;
use crate::target::Targets;
use crate::temp_dir::TempFolder;

/// What is verified, and how.
pub struct VerificationRequest<'a> {
    /// A bundle, a folder of bundles, or a source to build to a temporary folder.
    pub folder: &'a Path,
    /// The hosts; empty for all that the folder has bundles for.
    pub to: HostSelection,
    /// The source to compare with, in place of the one that is found.
    pub against: Option<&'a Path>,
    /// What the hosts are asked to show, and may start.
    pub scope: ObservationScope,
    /// Where the hosts' binaries are.
    pub search: HostSearch,
    /// Where the helper's binaries are, for a source that ships it.
    pub helper: Option<HelperSearchPath>,
    /// Git in a folder.
    pub git: &'a dyn Fn(&Path) -> Git,
    /// All hosts.
    pub targets: &'a Targets,
    /// Receives the progress.
    pub progress: Progress,
}

/// Verifies the bundles of a folder, or those of a source.
///
/// # Errors
/// [`MissingHost`] when no host has a driver and a binary, else any other error that prevented the run.
pub fn run(request: &VerificationRequest<'_>) -> Result<Verification> {
    let temporary;
    let folder = request.folder;
    build::must_be_finished(folder)?;
    build::must_be_there(folder)?;
    // A bundle inside of a source is not a source.
    let is_source = !loaded_bundle::is_bundle(folder) && build::is_source(folder, request.targets);
    let mut bundles = if is_source { Vec::new() } else { bundles_in(folder)? };
    let built_before = !bundles.is_empty();
    if !built_before {
        request.progress.set("building to a temporary folder");
        temporary = TempFolder::new()?;
        build_source(request, temporary.path())?;
        bundles = bundles_in(temporary.path())?;
    }
    let (work, absent) = plan(request, bundles)?;
    let folders: Vec<PathBuf> = work.iter().map(|(folder, ..)| folder.path().to_path_buf()).collect();
    let built = (!built_before).then_some(folder);
    let (source, note) = compare_source(request, built, &folders)?;
    let lacks = |host: &str| {
        let bundles = source.iter().flat_map(|source| &source.bundles);
        bundles.into_iter().any(|bundle| bundle.host.as_str() == host && !bundle.missing.is_empty())
    };
    let shown = show(&work, request);
    check_interrupt()?;
    let mut hosts = Vec::new();
    for ((folder, driver, _), shown) in work.iter().zip(shown) {
        let (result, manifest) = shown?;
        if built_before {
            verify::record(folder, &manifest, &result, lacks(driver.host()))?;
        }
        hosts.push(result);
    }
    Ok(Verification { schema: VERIFY.tag(), hosts, absent, source, notes: note.into_iter().collect() })
}

/// Builds the source for the hosts of `request` into `out`, which then holds one bundle per host.
fn build_source(request: &VerificationRequest<'_>, out: &Path) -> Result<()> {
    let (mut source, _) = SourceRequest::load(request.folder)?;
    let hosts = source.hosts(&request.to, request.targets)?;
    source.git = Some((request.git)(request.folder));
    source.progress = request.progress.clone();
    Ok(compile::write_complete(&source, &hosts, request.targets, request.helper.as_ref(), out)?)
}

/// Shows every bundle to its host, all at the same time.
fn show(
    work: &[VerifyWork],
    request: &VerificationRequest<'_>,
) -> Vec<Result<(HostVerification, BundleManifest)>> {
    let titles: Vec<&str> = work.iter().map(|(_, driver, _)| driver.host()).collect();
    let (progress, ended, total) = (&request.progress, AtomicUsize::new(0), work.len());
    let showing =
        |ended: usize| format!("{}: showing the bundles, {ended} of {total} done", titles.join(", "));
    progress.set(showing(0));
    std::thread::scope(|threads| {
        let show = |(folder, driver, installation): &VerifyWork| {
            let (folder, driver, installation) = (folder.path().to_owned(), *driver, installation.clone());
            let (ended, showing, scope) = (&ended, &showing, request.scope);
            threads.spawn(move || {
                let shown = verify::verify(&folder, driver, &installation, scope);
                progress.set(showing(ended.fetch_add(1, Ordering::Relaxed) + 1));
                shown
            })
        };
        let started: Vec<_> = work.iter().map(show).collect();
        let panicked = |_| Err(anyhow::anyhow!("a driver failed"));
        started.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    })
}

fn check_interrupt() -> Result<(), BuildError> {
    interrupt::check().map_err(|_| BuildError::Interrupted)
}

/// The comparison of the components that the source host lists with the bundles, and a remark. Unless the request names
/// the source, it is skipped if the source is not found or the host is not installed.
fn compare_source(
    request: &VerificationRequest<'_>,
    built: Option<&Path>,
    bundles: &[PathBuf],
) -> Result<(Option<SourceVerification>, Option<String>)> {
    let VerificationRequest { against: named, git, targets, progress, .. } = request;
    let wanted = WantedSource { named: *named, built, bundles, git: *git, targets, progress };
    let FoundSource { against, note } = compared_source::find(&wanted)?;
    let Some(against) = against else { return Ok((None, note)) };
    let driver = source::driver_for(&targets.source_host().name)?;
    let installation = match request.search.installation(driver) {
        Ok(installation) => installation,
        Err(missing) if named.is_none() => {
            return Ok((None, Some(format!("not compared with the source host: {missing}"))));
        }
        Err(missing) => return Err(missing.into()),
    };
    progress.set(format!("{}: showing the source `{}`", driver.host(), against.folder.display()));
    let mut verification = source::verify(&against, bundles, driver, &installation, request.scope)?;
    verification.notes.extend(note);
    check_interrupt()?;
    Ok((Some(verification), None))
}

/// The folder itself, or those of its children that are bundles, sorted. Symlinks are skipped, because the proof would
/// be written to their target, and so are dot folders, which are leftovers of killed builds.
fn bundles_in(folder: &Path) -> Result<Vec<Folder>> {
    if loaded_bundle::is_bundle(folder) {
        return Ok(vec![Folder::open(folder)?]);
    }
    let names = plain_files::names_in(folder);
    let is_bundle = |name: &String| !name.starts_with('.') && loaded_bundle::is_bundle(&folder.join(name));
    let mut bundles = names.into_iter().filter(is_bundle).peekable();
    let open = match bundles.peek() {
        Some(_) => Folder::open(folder)?,
        None => return Ok(Vec::new()),
    };
    let found = bundles.map(|name| open.subfolder(&name)).collect::<Result<Vec<_>, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

type VerifyWork = (Folder, &'static dyn Driver, Installation);

/// Finds all hosts before any is started. A missing host does not prevent the others from running.
fn plan(
    request: &VerificationRequest<'_>,
    bundles: Vec<Folder>,
) -> Result<(Vec<VerifyWork>, Vec<AbsentHost>)> {
    let mut work = Vec::new();
    let mut hosts = Vec::new();
    let mut absent = Vec::new();
    for folder in bundles {
        let host = loaded_bundle::manifest(folder.path())?.target;
        hosts.push(host.clone());
        if request.to.or(HostSelection::every()).includes(&host) {
            let found = verify::driver_for(folder.path())
                .and_then(|driver| Ok((driver, request.search.installation(driver)?)));
            match found.map_err(anyhow::Error::downcast::<MissingHost>) {
                Ok((driver, installation)) => work.push((folder, driver, installation)),
                Err(Ok(missing)) => absent.push((host, missing)),
                Err(Err(other)) => return Err(other),
            }
        }
    }
    if work.is_empty() && !absent.is_empty() {
        return Err(absent.swap_remove(0).1.into());
    }
    let unbuilt = request.to.named().iter().find(|wanted| !hosts.contains(wanted));
    let absent = absent.into_iter().map(|(host, missing)| AbsentHost {
        host,
        message: missing.message,
        help: missing.help,
    });
    let mut known = hosts.iter().map(HostId::as_str).chain(DRIVERS.iter().map(|driver| driver.host()));
    match unbuilt {
        Some(wanted) => Err(MissingHost {
            message: format!("`{}` has no bundle for host `{wanted}`", request.folder.display()),
            help: match similar_names::nearest(wanted, known.clone())
                .filter(|_| !known.any(|host| host == wanted.as_str()))
            {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("build it with `plugcast build --to {wanted}`"),
            },
        }
        .into()),
        None if work.is_empty() => Err(MissingHost {
            message: format!("`{}` has no bundle", request.folder.display()),
            help: "build one with `plugcast build --to HOST`".to_owned(),
        }
        .into()),
        None => Ok((work, absent.collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(target: &str) -> String {
        format!(
            r#"{{"schema":"plugcast.manifest/1","plugcast":"0","target":"{target}","source_digest":"","digest":"","files":[],"helpers":[]}}"#
        )
    }

    fn missing(to: &[&str], bundles: &[&str]) -> MissingHost {
        let dist = TempFolder::new().unwrap();
        for bundle in bundles {
            let path = dist.path().join(bundle).join(".plugcast/manifest.json");
            plain_files::write(&path, manifest(bundle).as_bytes(), false).unwrap();
        }
        let progress = Progress::default();
        let search = HostSearch { named: Vec::new(), search_path: String::new(), progress: progress.clone() };
        let request = VerificationRequest {
            folder: dist.path(),
            to: to.iter().collect(),
            against: None,
            scope: ObservationScope { all: false, allow_exec: false },
            search,
            helper: None,
            git: &|folder| Git::new(folder, |_| None),
            targets: &Targets::embedded().unwrap(),
            progress,
        };
        let planned = plan(&request, bundles_in(dist.path()).unwrap());
        planned.map(drop).unwrap_err().downcast().unwrap()
    }

    #[test]
    fn says_what_is_missing_before_anything_is_started() {
        assert_eq!(missing(&[], &["mars"]).message, "no driver for host `mars`");
        assert_eq!(missing(&["mar"], &["mars"]).help, "did you mean `mars`?");
        assert!(missing(&["venus"], &["mars"]).message.contains("has no bundle for host `venus`"));
        assert!(missing(&[], &[]).message.ends_with("has no bundle"));
        let driven = DRIVERS[0].host();
        let no_binary = missing(&[driven], &[driven, "mars"]);
        assert_eq!(no_binary.message, format!("host `{driven}` not found"));
        assert!(no_binary.help.contains(&format!("`--host-bin {driven}=PATH`")));
    }
}
