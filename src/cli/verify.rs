//! `plugcast verify`: loads built bundles in the real hosts and reports what the hosts show.

pub mod compared_source;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use clap::Args;

use self::compared_source::{FoundSource, WantedSource};
use crate::build;
use crate::bundle::source_verification::SourceVerification;
use crate::bundle::verification::{AbsentHost, HostVerdict, Verification};
use crate::disk::folder::Folder;
use crate::disk::plain_files;
use crate::drivers::installation::{HostSearch, MissingHost};
use crate::drivers::observation::{Installation, ObservationScope};
use crate::drivers::{DRIVERS, Driver, loaded_bundle, source, verify};
use crate::model::similar_names;
use crate::progress::Progress;
use crate::report;
use crate::schema::VERIFY;
use crate::temp_dir::TempFolder;

/// Load bundles in their real hosts, offline, and compare what each host shows with the ledger
///
/// Exit codes: 0 every host shows everything; 1 something differs, or a host is not installed; 2 no host could be started,
/// or the bundles cannot be read.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Examples:\n  plugcast verify dist\n  plugcast verify dist/HOST --all\n  plugcast verify path/to/plugin --to HOST --format json\n\n`plugcast doctor` shows which hosts are installed."
)]
pub struct VerifyArgs {
    /// A bundle, a folder of bundles, or a source to build to a temporary folder
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    /// Only these hosts
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    pub to: Vec<String>,
    /// Also show this source, unmodified, to the host that it was written for: each component that the host lists must
    /// be in every bundle, or a loss with a class in its ledger [default: the source, where DIR is one or lies in the
    /// one that it was built from]
    #[arg(long, value_name = "SRC")]
    pub against: Option<PathBuf>,
    /// The path of a host's binary; `rg=PATH` for ripgrep, which OpenCode needs
    #[arg(long, value_name = "HOST=PATH", value_parser = named_binary)]
    pub host_bin: Vec<(String, PathBuf)>,
    /// Compare all skill and command bodies, not only one per plugin and the edited ones
    #[arg(long)]
    pub all: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = super::OutputFormat::Human)]
    pub format: super::OutputFormat,
    /// Allow hooks, servers and shell commands of the plugins to run
    #[arg(long)]
    pub allow_exec: bool,
}

pub(super) fn named_binary(value: &str) -> Result<(String, PathBuf), String> {
    match value.split_once('=') {
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            Ok((host.to_owned(), PathBuf::from(path)))
        }
        _ => Err("expected `HOST=PATH`".to_owned()),
    }
}

/// What the command needs from its environment.
pub struct VerifyEnvironment<'a> {
    /// The value of `PATH`.
    pub search_path: String,
    /// Print the JSON form.
    pub json: bool,
    /// Receives the progress.
    pub progress: Progress,
    /// The host that sources are written for.
    pub source_host: String,
    /// Finds the source of bundles.
    pub find_source: &'a dyn Fn(&WantedSource<'_>) -> Result<FoundSource>,
    /// Whether a folder is a source, even if it contains bundles.
    pub is_source: &'a dyn Fn(&Path) -> bool,
    /// Builds a source for these hosts (none: the source's own choice) into a folder, which then
    /// holds one bundle per host.
    pub build_to_temporary: &'a TemporaryBuild<'a>,
}

/// Source, hosts, and the folder to build into.
pub type TemporaryBuild<'a> = dyn Fn(&Path, &[String], &Path) -> Result<()> + 'a;

/// The output, and the exit code: 0 if every host is installed and showed everything, else 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyOutput {
    /// For standard output.
    pub text: String,
    /// 0 or 1.
    pub code: u8,
}

/// Runs the command.
///
/// # Errors
/// [`MissingHost`] when no host has a driver and a binary, else any other error that prevented the run; both end with
/// exit code 2.
pub fn run(args: &VerifyArgs, environment: &VerifyEnvironment) -> Result<VerifyOutput> {
    let temporary;
    build::must_be_finished(&args.folder).map_err(super::CommandFailure::from)?;
    build::must_be_there(&args.folder).map_err(super::CommandFailure::from)?;
    // A bundle inside of a source is not a source.
    let is_source = !loaded_bundle::is_bundle(&args.folder) && (environment.is_source)(&args.folder);
    let mut bundles = if is_source { Vec::new() } else { bundles_in(&args.folder)? };
    let built_before = !bundles.is_empty();
    if !built_before {
        environment.progress.set("building to a temporary folder");
        temporary = TempFolder::new()?;
        (environment.build_to_temporary)(&args.folder, &args.to, temporary.path())?;
        bundles = bundles_in(temporary.path())?;
    }
    let (work, absent) = plan(args, bundles, environment)?;
    let scope = ObservationScope { all: args.all, allow_exec: args.allow_exec };
    let folders: Vec<PathBuf> = work.iter().map(|(folder, ..)| folder.path().to_path_buf()).collect();
    let built = (!built_before).then_some(args.folder.as_path());
    let (source, note) = compare_source(args, environment, built, &folders, scope)?;
    let lacks = |host: &str| {
        let bundles = source.iter().flat_map(|source| &source.bundles);
        bundles.into_iter().any(|bundle| bundle.host == host && !bundle.missing.is_empty())
    };
    let titles: Vec<&str> = work.iter().map(|(_, driver, _)| driver.host()).collect();
    let (progress, ended, total) = (&environment.progress, AtomicUsize::new(0), work.len());
    let showing =
        |ended: usize| format!("{}: showing the bundles, {ended} of {total} done", titles.join(", "));
    progress.set(showing(0));
    let shown: Vec<Result<_>> = std::thread::scope(|threads| {
        let show = |(folder, driver, installation): &VerifyWork| {
            let (folder, driver, installation) = (folder.path().to_owned(), *driver, installation.clone());
            let (ended, showing) = (&ended, &showing);
            threads.spawn(move || {
                let shown = verify::verify(&folder, driver, &installation, scope);
                progress.set(showing(ended.fetch_add(1, Ordering::Relaxed) + 1));
                shown
            })
        };
        let started: Vec<_> = work.iter().map(show).collect();
        let panicked = |_| Err(anyhow::anyhow!("a driver failed"));
        started.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    });
    super::check_interrupt()?;
    let mut hosts = Vec::new();
    for ((folder, driver, _), shown) in work.iter().zip(shown) {
        let (result, manifest) = shown?;
        if built_before {
            verify::record(folder, &manifest, &result, lacks(driver.host()))?;
        }
        hosts.push(result);
    }
    let verification =
        Verification { schema: VERIFY.tag(), hosts, absent, source, notes: note.into_iter().collect() };
    let passed = verification.absent.is_empty()
        && verification.hosts.iter().all(|host| host.result == HostVerdict::Pass)
        && verification.source.as_ref().is_none_or(|source| source.result == HostVerdict::Pass);
    let text = if environment.json {
        serde_json::to_string(&verification).context("cannot write the result as JSON")? + "\n"
    } else {
        report::verify::human(&verification)
    };
    Ok(VerifyOutput { text, code: u8::from(!passed) })
}

/// The comparison of the components that the source host lists with the bundles, and a remark. Without `--against`, it
/// is skipped if the source is not found or the host is not installed.
fn compare_source(
    args: &VerifyArgs,
    environment: &VerifyEnvironment,
    built: Option<&Path>,
    bundles: &[PathBuf],
    scope: ObservationScope,
) -> Result<(Option<SourceVerification>, Option<String>)> {
    let wanted = WantedSource { named: args.against.as_deref(), built, bundles };
    let FoundSource { against, note } = (environment.find_source)(&wanted)?;
    let Some(against) = against else { return Ok((None, note)) };
    let search = HostSearch {
        named: args.host_bin.clone(),
        search_path: environment.search_path.clone(),
        progress: environment.progress.clone(),
    };
    let driver = source::driver_for(&environment.source_host)?;
    let installation = match search.installation(driver) {
        Ok(installation) => installation,
        Err(missing) if args.against.is_none() => {
            return Ok((None, Some(format!("not compared with the source host: {missing}"))));
        }
        Err(missing) => return Err(missing.into()),
    };
    environment.progress.set(format!("{}: showing the source `{}`", driver.host(), against.folder.display()));
    let mut verification = source::verify(&against, bundles, driver, &installation, scope)?;
    verification.notes.extend(note);
    super::check_interrupt()?;
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
    args: &VerifyArgs,
    bundles: Vec<Folder>,
    environment: &VerifyEnvironment<'_>,
) -> Result<(Vec<VerifyWork>, Vec<AbsentHost>)> {
    let search = HostSearch {
        named: args.host_bin.clone(),
        search_path: environment.search_path.clone(),
        progress: environment.progress.clone(),
    };
    let mut work = Vec::new();
    let mut hosts = Vec::new();
    let mut absent = Vec::new();
    for folder in bundles {
        let host = loaded_bundle::manifest(folder.path())?.target;
        hosts.push(host.clone());
        if args.to.is_empty() || args.to.iter().any(|wanted| *wanted == host || wanted == "all") {
            let found = verify::driver_for(folder.path())
                .and_then(|driver| Ok((driver, search.installation(driver)?)));
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
    let unbuilt = args.to.iter().find(|wanted| *wanted != "all" && !hosts.contains(wanted));
    let absent = absent.into_iter().map(|(host, missing)| AbsentHost {
        host,
        message: missing.message,
        help: missing.help,
    });
    let mut known = hosts.iter().map(String::as_str).chain(DRIVERS.iter().map(|driver| driver.host()));
    match unbuilt {
        Some(wanted) => Err(MissingHost {
            message: format!("`{}` has no bundle for host `{wanted}`", args.folder.display()),
            help: match similar_names::nearest(wanted, known.clone())
                .filter(|_| !known.any(|host| host == *wanted))
            {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("build it with `plugcast build --to {wanted}`"),
            },
        }
        .into()),
        None if work.is_empty() => Err(MissingHost {
            message: format!("`{}` has no bundle", args.folder.display()),
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
        let args = VerifyArgs {
            folder: dist.path().to_path_buf(),
            to: to.iter().map(|host| (*host).to_owned()).collect(),
            against: None,
            host_bin: Vec::new(),
            all: false,
            format: crate::cli::OutputFormat::Human,
            allow_exec: false,
        };
        let build_to_temporary = |_: &Path, _: &[String], _: &Path| Ok(());
        let environment = VerifyEnvironment {
            search_path: String::new(),
            json: false,
            progress: Progress::default(),
            is_source: &|_| false,
            source_host: String::new(),
            find_source: &|_| Ok(FoundSource::default()),
            build_to_temporary: &build_to_temporary,
        };
        run(&args, &environment).unwrap_err().downcast().unwrap()
    }

    #[test]
    fn says_what_is_missing_before_anything_is_started() {
        assert_eq!(missing(&[], &["mars"]).message, "no driver for host `mars`");
        assert_eq!(missing(&["mar"], &["mars"]).help, "did you mean `mars`?");
        assert!(missing(&["venus"], &["mars"]).message.contains("has no bundle for host `venus`"));
        assert!(missing(&[], &[]).message.ends_with("has no bundle"));
        let driven = crate::drivers::DRIVERS[0].host();
        let no_binary = missing(&[driven], &[driven, "mars"]);
        assert_eq!(no_binary.message, format!("host `{driven}` not found"));
        assert!(no_binary.help.contains(&format!("`--host-bin {driven}=PATH`")));
    }

    #[test]
    fn reads_named_binaries() {
        assert_eq!(named_binary("a=b=c"), Ok(("a".to_owned(), PathBuf::from("b=c"))));
        assert!(named_binary("a").is_err() && named_binary("=b").is_err());
    }
}
