//! Checks that the paths in a `plugcast.toml` stay below the folder of the source. Users who clone a repository have
//! not read its settings, so only the command line may name a path elsewhere.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use super::BuildError;
use crate::disk::{FileKind, FileSystem};
use crate::model::config::{Config, ConfigFault};
use crate::source::Span;

/// Keys that hold a path, and the option that may name one elsewhere.
const PATHS: [(&str, &str, Option<&str>); 3] = [
    ("build", "out", Some("--out")),
    ("check", "baseline", Some("--baseline")),
    ("release", "bundles", None),
];

/// Keys of `[release]` that name files, which may lie anywhere in the repository.
const FILES: [&str; 2] = ["versions", "changelog"];

/// Checks that the settings at `path` are not a link out of `top`: an error message would quote its target.
pub(super) fn settings(file_system: &FileSystem, path: &Path, top: &Path) -> Result<(), BuildError> {
    if file_system.kind(path) != Some(FileKind::Link) || file_system.is_inside(top, path) {
        return Ok(());
    }
    Err(BuildError::Config {
        path: path.display().to_string(),
        line: 1,
        column: 1,
        message: "this file is a link that points outside the source".to_owned(),
        help: Some("replace it with a regular file".to_owned()),
    })
}

/// Checks that every path that `config` names, relative to `folder`, stays in `top`.
pub(super) fn check(
    file_system: &FileSystem,
    config: &Config,
    folder: &Path,
    top: &Path,
) -> Result<(), ConfigFault> {
    for (name, paths) in &config.runtime.bin {
        for path in paths.values() {
            if !file_system.is_inside(top, &folder.join(path.get_ref())) {
                let key = format!("runtime.bin.{}", name.get_ref());
                return Err(outside_fault(path.get_ref(), &key, path.span(), SOURCE, None));
            }
        }
    }
    for (section, key, option) in PATHS {
        for (path, span) in declared_paths(&config.text, section, key) {
            if !file_system.is_inside(top, &folder.join(&path)) {
                return Err(outside_fault(&path, &format!("{section}.{key}"), span, SOURCE, option));
            }
            if let Some(what) = occupied_by(&path).filter(|_| key == "out") {
                let message = format!("`{section}.{key}` names `{path}`, {what}");
                let help = Some("name a separate folder, such as `dist`".to_owned());
                return Err(ConfigFault { span: Span::new(span.start, span.end), message, help });
            }
        }
    }
    files(file_system, config, folder, top)
}

/// Checks that the files of a release lie in the repository of `top`, or in `top` without a repository: setting their
/// versions changes no file elsewhere, so no file elsewhere is read for it.
fn files(file_system: &FileSystem, config: &Config, folder: &Path, top: &Path) -> Result<(), ConfigFault> {
    let declared = FILES.into_iter().flat_map(|key| {
        declared_paths(&config.text, "release", key)
            .into_iter()
            .map(move |(written, span)| (key, written, span))
    });
    let mut declared = declared.peekable();
    // Most settings name none and need no disk access.
    if declared.peek().is_none() {
        return Ok(());
    }
    let (Ok(folder), Ok(top)) = (file_system.canonical(folder), file_system.canonical(top)) else {
        return Ok(());
    };
    let (top, of) = match repository(file_system, &top) {
        Some(repository) => (repository, "repository"),
        None => (top, SOURCE),
    };
    for (key, written, span) in declared {
        let path =
            written.split_once('#').filter(|_| key == "versions").map_or(written.as_str(), |(path, _)| path);
        if !file_system.is_inside(&top, &folder.join(path)) {
            return Err(outside_fault(path, &format!("release.{key}"), span, of, None));
        }
    }
    Ok(())
}

/// The top of the repository that holds the folder `top`.
fn repository(file_system: &FileSystem, top: &Path) -> Option<PathBuf> {
    top.ancestors().find(|folder| file_system.kind(&folder.join(".git")).is_some()).map(Path::to_owned)
}

/// What `path` already is, if bundles must not be written there.
fn occupied_by(path: &str) -> Option<&'static str> {
    let mut parts = Path::new(path).components();
    if parts.clone().all(|part| part == Component::CurDir) {
        return Some("which is the source folder itself");
    }
    let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    parts.any(is_git).then_some("which is in git's data folder")
}

const SOURCE: &str = "source";

fn outside_fault(path: &str, key: &str, span: Range<usize>, of: &str, option: Option<&str>) -> ConfigFault {
    let message = format!("`{key}` names `{path}`, which is outside of the {of}, directly or through a link");
    let mut help = format!("name a path below the {of}");
    if let Some(option) = option {
        help += &format!(", or pass this path with `{option}`");
    }
    ConfigFault { span: Span::new(span.start, span.end), message, help: Some(help) }
}

/// The strings of one key, each with its span; the text is known to parse.
fn declared_paths(text: &str, section: &str, key: &str) -> Vec<(String, Range<usize>)> {
    let Ok(table) = toml::de::DeTable::parse(text) else { return Vec::new() };
    let value = table.get_ref().get(section).and_then(|section| section.get_ref().get(key));
    let Some(value) = value else { return Vec::new() };
    let word = |value: &toml::Spanned<toml::de::DeValue<'_>>| {
        Some((value.get_ref().as_str()?.to_owned(), value.span()))
    };
    match value.get_ref().as_array() {
        Some(list) => list.iter().filter_map(word).collect(),
        None => word(value).into_iter().collect(),
    }
}

/// Resolves the programs of `[runtime.bin]`, whose paths are relative to `folder` and stay in `top`.
pub(super) fn with_programs(
    file_system: &FileSystem,
    mut config: Config,
    folder: &Path,
    top: &Path,
) -> Result<Config, ConfigFault> {
    let top = file_system.canonical(top).ok();
    for (name, paths) in &config.runtime.bin {
        let programs = config.runtime.programs.entry(name.get_ref().clone()).or_default();
        for (platform, path) in paths {
            let file = folder.join(path.get_ref());
            // The resolved path is kept: a link that replaces the file later is not followed.
            let real = file_system.canonical(&file).ok().filter(|real| file_system.is_file(real));
            let Some(real) = real.filter(|real| top.as_ref().is_some_and(|top| real.starts_with(top))) else {
                let message = format!("the file `{}` does not exist", path.get_ref());
                let help = "the path is relative to the folder of this `plugcast.toml`; build the program first, or remove the line";
                let span = Span::new(path.span().start, path.span().end);
                return Err(ConfigFault { span, message, help: Some(help.to_owned()) });
            };
            programs.insert(platform.get_ref().clone(), real);
        }
    }
    Ok(config)
}
