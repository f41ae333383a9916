//! One run of a binary as people see it: the command line, what it prints, and the exit code where it is not 0.

use std::collections::BTreeMap;
use std::path::Path;

use tempfile::TempDir;

use crate::runtime::fixture::{WORDS, environment, shell};
use crate::support::root;
use crate::support::run::{FinishedRun, Plugcast};

/// `text` with fixed words for what differs from run to run.
fn without_changing_words(text: &str) -> String {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || "-:.".contains(sign);
    let mut out = String::new();
    for piece in text.split_inclusive(|sign| !is_part(sign)) {
        let word = piece.trim_end_matches(|sign| !is_part(sign));
        let shape: String = word.chars().map(|sign| if sign.is_ascii_digit() { '0' } else { sign }).collect();
        let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_short = word.len() == 10 && is_hex(word) && piece.ends_with('`');
        let shown = match word {
            _ if word.len() == 40 && is_hex(word) || is_short => "{commit}",
            _ if shape.starts_with("00000000-000000-") && is_hex(&word[16..]) => "{run}",
            _ if shape.starts_with("0000-00-00T00:00:00.") => "{time}",
            _ => word,
        };
        out += &format!("{shown}{}", &piece[word.len()..]);
    }
    out
}

/// `text` with `N` for how long a connection took before it was refused.
fn without_milliseconds(text: &str) -> String {
    let mut pieces = text.split(" after ");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let after = piece.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let is_time = after.len() < piece.len() && after.starts_with(" ms: ");
        out += &if is_time { format!(" after N{after}") } else { format!(" after {piece}") };
    }
    out
}

/// A fresh folder, prepared by a shell script.
pub struct Fixture {
    folder: TempDir,
    _home: TempDir,
    /// The environment of the script.
    pub variables: BTreeMap<String, String>,
}

impl Fixture {
    /// Runs `script` in a fresh folder; `{root}` in it is the checkout.
    ///
    /// # Panics
    /// When the script fails.
    pub fn new(script: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let home = TempDir::new().expect("a temporary home");
        let at = std::fs::canonicalize(folder.path()).expect("it exists");
        let variables = environment(&at, home.path());
        let script = script.replace("{root}", &root().display().to_string());
        let script = format!("{WORDS}\nmkdir -p .bin\n{script}");
        shell(&script, &at, &variables).unwrap_or_else(|error| panic!("{error}\n{script}"));
        Self { folder, _home: home, variables }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// `text` with fixed words for the folder, names of runs, commits and times.
    fn normalized(&self, text: &str) -> String {
        let at = std::fs::canonicalize(self.folder.path()).expect("it exists");
        let text = text.replace(&at.display().to_string(), "{fixture}");
        let text = text.replace(&self.folder.path().display().to_string(), "{fixture}");
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        // Two commands of one fixture may run on two sides of a second.
        let text = lines.join("\n").replace(" for 1 s\n", " for 0 s\n");
        without_changing_words(&without_milliseconds(&text))
    }

    /// A run of `plugcast`; with `bare`, nothing is on PATH.
    pub fn plugcast(&self, arguments: &[String], bare: bool) -> FinishedRun {
        let run = Plugcast::new(self.path(), arguments);
        if bare { run.env("PATH", "/nonexistent").run() } else { run.run() }
    }

    /// The command line and everything that it printed.
    pub fn shown(&self, program: &str, arguments: &[String], finished: &FinishedRun) -> String {
        let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        let mut out = format!("$ {program} {}\n", words.join(" "));
        for text in [&finished.stdout, &finished.stderr] {
            let text = self.normalized(text);
            if !text.trim().is_empty() {
                out += &format!("{text}\n");
            }
        }
        match finished.code {
            Some(0) => out,
            Some(code) => format!("{out}[exit code {code}]\n"),
            None => panic!("{program} {arguments:?} was ended by a signal"),
        }
    }
}

fn quoted(word: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./=,:@{}".contains(sign);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

/// At most `most` lines of `text`, and how many more there are.
pub fn first_lines(text: &str, most: usize) -> String {
    let count = text.lines().count();
    if count <= most {
        return text.to_owned();
    }
    let kept: Vec<&str> = text.lines().take(most).collect();
    format!("{}\n[{} more lines]\n", kept.join("\n"), count - most)
}
