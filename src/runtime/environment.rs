//! The helper's environment: the working directory, variables, standard input, the clock and random numbers. No other
//! module of the helper accesses them.
#![expect(clippy::disallowed_methods, reason = "the helper's one owner of the environment and the clock")]

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::answer::CallFailure;
use super::document;
use super::error_code::ErrorCode;
use super::timestamp::Timestamp;
use crate::disk::reader::{self, SizeLimit};

/// A point in time, relative to the boot of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uptime {
    /// The id of the boot.
    pub boot: String,
    /// The time since the boot.
    pub milliseconds: u64,
}

/// The environment of one call.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The working directory.
    pub folder: PathBuf,
    variables: Vec<(OsString, OsString)>,
    /// The folder of runs and records given by the user.
    named_root: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process.
    pub fn read() -> Self {
        let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        Self { folder, variables: std::env::vars_os().collect(), named_root: None }
    }

    /// The same with the folder of runs and records that the user named.
    #[must_use]
    pub fn with_root(mut self, root: Option<PathBuf>) -> Self {
        self.named_root = root;
        self
    }

    /// The folder of runs and records given by the user.
    pub fn root(&self) -> Option<&Path> {
        self.named_root.as_deref()
    }

    /// Whether the user named this folder of runs and records.
    pub fn names(&self, root: &Path) -> bool {
        self.named_root.as_ref().is_some_and(|named| self.path(named) == root)
    }

    /// Prints a warning to standard error, for what is not part of an answer.
    pub fn warn(&self, message: &str) {
        use io::Write;
        // There is nothing to do about a closed stream.
        let _ = writeln!(io::stderr(), "warning: {}", crate::printable::line(message));
    }

    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let (_, value) = self.variables.iter().find(|(key, _)| key == OsStr::new(name))?;
        value.to_str().filter(|value| !value.is_empty())
    }

    /// All variables, for a child.
    pub fn variables(&self) -> impl Iterator<Item = &(OsString, OsString)> {
        self.variables.iter()
    }

    /// A path of the command line, relative to the working directory.
    pub fn path(&self, given: &Path) -> PathBuf {
        self.folder.join(given)
    }

    /// The program of that name on the search path.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let (_, paths) = self.variables.iter().find(|(key, _)| key == "PATH")?;
        // A relative folder would run programs of the repository.
        let folders = std::env::split_paths(paths).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(name)).find(|path| crate::disk::is_file(path))
    }

    /// All of standard input, without a byte order mark.
    ///
    /// # Errors
    /// When it is closed, cannot be read, or is larger than 64 MiB.
    pub fn input(&self) -> Result<Vec<u8>, CallFailure> {
        if reader::was_closed(io::stdin()) {
            let hint = "give the document on standard input; for an empty one redirect it from `/dev/null`";
            return Err(CallFailure::environment(
                ErrorCode::InputUnreadable,
                "standard input is closed",
                hint,
            ));
        }
        let mut bytes = Vec::new();
        let read = reader::read_stream(&mut io::stdin().lock(), SizeLimit::Document, &mut bytes);
        let failed = |what: String| {
            CallFailure::environment(
                ErrorCode::InputUnreadable,
                what,
                "give the document on standard input again",
            )
        };
        read.map_err(|error| failed(format!("standard input cannot be read: {error}")))?;
        Ok(document::without_mark(bytes))
    }

    /// Standard input as text.
    ///
    /// # Errors
    /// When it cannot be read, or is not valid UTF-8.
    pub fn input_text(&self) -> Result<String, CallFailure> {
        document::utf8(self.input()?, "<stdin>")
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_system_time(SystemTime::now())
    }

    /// The identity of this process: its id, and its start time if known.
    pub fn process(&self) -> String {
        let id = std::process::id();
        let stat = crate::disk::read_text(Path::new("/proc/self/stat")).ok().flatten().unwrap_or_default();
        // The 22nd field; the second is a name in parentheses, which may contain spaces.
        let started = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(19));
        started.map_or_else(|| id.to_string(), |started| format!("{id}, started {started}"))
    }

    /// How long the machine has been running, by the monotonic clock; none if unknown.
    pub fn uptime(&self) -> Option<Uptime> {
        let read = |path: &str| crate::disk::read_text(Path::new(path)).ok().flatten();
        let boot = read("/proc/sys/kernel/random/boot_id")?.trim().to_owned();
        let text = read("/proc/uptime")?;
        let (seconds, hundredths) = text.split(' ').next()?.split_once('.')?;
        let milliseconds = seconds.parse::<u64>().ok()? * 1000 + hundredths.parse::<u64>().ok()? * 10;
        Some(Uptime { boot, milliseconds })
    }

    /// The id of this process.
    pub fn process_id(&self) -> u32 {
        std::process::id()
    }

    /// The path of this program.
    ///
    /// # Errors
    /// When the system does not reveal it.
    pub fn program_itself(&self) -> io::Result<PathBuf> {
        std::env::current_exe()
    }

    /// Eight random hexadecimal digits.
    pub fn random_hex(&self) -> String {
        use std::hash::{BuildHasher, Hasher};
        // The keys of this hasher come from the system's random numbers; time and process id keep two calls apart.
        let mut hasher = std::hash::RandomState::new().build_hasher();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        hasher.write_u128(since.as_nanos());
        hasher.write_u32(std::process::id());
        format!("{:08x}", hasher.finish() as u32)
    }
}
