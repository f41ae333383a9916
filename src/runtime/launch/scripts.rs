//! What a configuration starts indirectly: the script of a package, the lines of a Procfile, a shell script. An address
//! in them counts like one among the arguments. Unreadable files are skipped: the server is checked again once it
//! listens.

use std::path::Path;

use super::addresses;
use super::read::LaunchConfig;
use crate::disk;
use crate::runtime::answer::{CallFailure, REFUSED};
use crate::runtime::document;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::repo::package_manager;

/// Programs that run a Procfile.
const RUNNERS: [&str; 6] = ["overmind", "foreman", "hivemind", "honcho", "goreman", "nf"];
/// How deep a command is followed through scripts.
const DEEPEST: usize = 5;
/// The longest shell script that is checked, in bytes.
const LONGEST: usize = 64 * 1024;

/// A word that means all addresses, and its location.
#[derive(Debug)]
struct PublicWord {
    word: String,
    /// Relative to the folder that the command runs in.
    file: String,
    line: usize,
    col: usize,
}

/// Refuses a configuration that starts a script by which the server would listen on all addresses.
///
/// # Errors
/// `public_host` with the place in the script.
pub fn must_be_private(repository: &Repository, config: &LaunchConfig) -> Result<(), CallFailure> {
    let folder = repository.top.join(&config.cwd);
    let words = config.runtime_executable.iter().chain(&config.runtime_args);
    let words: Vec<&str> = words.flat_map(|word| word.split_whitespace()).collect();
    let Some(found) = Scripts { top: &repository.top, folder: &folder }.command(&words, 0) else {
        return Ok(());
    };
    let path = folder.join(&found.file);
    let file =
        path.strip_prefix(&repository.top).unwrap_or(&path).components().collect::<std::path::PathBuf>();
    let file = file.display().to_string();
    let message = format!(
        "`{}` in `{file}` makes the server of `{}` listen on all addresses of this machine",
        found.word, config.name
    );
    let hint = "let it listen on `127.0.0.1`, or ask the user and add `--allow-public-host`";
    Err(CallFailure::new(REFUSED, ErrorCode::PublicHost, message, hint).in_file(
        file,
        Some(found.line),
        Some(found.col),
    ))
}

/// The scripts of one folder.
struct Scripts<'a> {
    top: &'a Path,
    folder: &'a Path,
}

impl Scripts<'_> {
    /// Follows the scripts and Procfiles that a command starts.
    fn command(&self, words: &[&str], depth: usize) -> Option<PublicWord> {
        if depth == DEEPEST {
            return None;
        }
        words.iter().enumerate().find_map(|(at, word)| {
            let word = word.trim_matches(['"', '\'']);
            let rest = &words[at + 1..];
            match word.rsplit('/').next() {
                Some(name) if package_manager::KNOWN_MANAGERS.contains(&name) => self.package(rest, depth),
                Some(name) if RUNNERS.contains(&name) => self.procfile(rest, depth),
                _ if word.contains('/') => self.shell(word, depth),
                _ => None,
            }
        })
    }

    /// The script of `package.json` named by the words after a package manager.
    fn package(&self, words: &[&str], depth: usize) -> Option<PublicWord> {
        let mut names = words.iter().filter(|word| !word.starts_with('-'));
        let name = names.find(|word| !matches!(**word, "run" | "run-script"))?;
        let text = self.text("package.json")?;
        let package = document::json_text(&text, "package.json").ok()?;
        let node = package.get("scripts")?.get(name)?;
        let script = node.as_str()?;
        let (line, col) = document::place(&text, node.span.start);
        self.line(script, ("package.json", line, col), depth)
    }

    /// The lines of the Procfile named by the words after its runner.
    fn procfile(&self, words: &[&str], depth: usize) -> Option<PublicWord> {
        let named = words.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
            Some(("--procfile", name)) => Some(name),
            _ if ["-f", "-j", "--procfile"].contains(word) => words.get(at + 1).copied(),
            _ => None,
        });
        let name = named.unwrap_or("Procfile");
        let text = self.text(name)?;
        text.lines().enumerate().find_map(|(at, line)| {
            let (_, command) = line.split_once(':').filter(|_| !line.trim_start().starts_with('#'))?;
            self.line(command, (name, at + 1, 1), depth)
        })
    }

    /// The lines of a shell script.
    fn shell(&self, name: &str, depth: usize) -> Option<PublicWord> {
        let text = self.text(name).filter(|text| text.len() <= LONGEST)?;
        let first = text.lines().next()?.strip_prefix("#!")?;
        if !first.split_whitespace().any(|word| word.ends_with("sh")) {
            return None;
        }
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#'));
        lines.find_map(|(at, line)| self.line(line, (name, at + 1, 1), depth))
    }

    /// One command line of a script.
    fn line(
        &self,
        command: &str,
        (file, line, col): (&str, usize, usize),
        depth: usize,
    ) -> Option<PublicWord> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let own =
            addresses::address_word(&words).map(|word| PublicWord { word, file: file.to_owned(), line, col });
        own.or_else(|| self.command(&words, depth + 1))
    }

    /// A file of the repository.
    fn text(&self, name: &str) -> Option<String> {
        let path = self.folder.join(name.trim_start_matches("./"));
        let inside = disk::is_inside(self.top, &path) && disk::is_file(&path);
        inside.then(|| document::project_text(&path).ok().flatten()).flatten()
    }
}
