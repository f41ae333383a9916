//! Runs the built `plugcast` in an environment that holds nothing of the user's: a fresh home, no
//! variables but `PATH` and those by which cargo finds itself, nothing on standard input.

use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// A command line that is about to run.
pub struct Plugcast {
    command: Command,
    /// Kept until the run is over.
    _home: TempDir,
}

/// A run that has started.
pub struct RunningPlugcast {
    /// The running program; its outputs are pipes.
    pub child: Child,
    _home: TempDir,
}

/// What a run left behind.
#[derive(Debug)]
pub struct FinishedRun {
    /// The exit code; `None` when a signal ended the run.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Plugcast {
    /// A run of `plugcast` with some arguments in a folder.
    pub fn new<A: AsRef<str>>(folder: &Path, arguments: &[A]) -> Self {
        Self::with_program(Path::new(env!("CARGO_BIN_EXE_plugcast")), folder, arguments).under_cargo()
    }

    /// A run of a program outside of cargo.
    pub fn with_program<A: AsRef<str>>(program: &Path, folder: &Path, arguments: &[A]) -> Self {
        let home = TempDir::new().expect("a temporary home can be made");
        let mut command = Command::new(program);
        command
            .args(arguments.iter().map(AsRef::as_ref))
            .current_dir(folder)
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null());
        Self { command, _home: home }
    }

    /// The same run of another build of the program.
    #[must_use]
    pub fn binary(mut self, binary: &Path) -> Self {
        let old = self.command;
        self.command = Command::new(binary);
        self.command.args(old.get_args());
        self.command.env_clear().stdin(Stdio::null());
        self.command.envs(old.get_envs().filter_map(|(name, value)| Some((name, value?))));
        self.command.current_dir(old.get_current_dir().expect("set when it was made"));
        self
    }

    /// The same run started by another program, such as one that takes rights away.
    #[must_use]
    pub fn below(self, program: &str, arguments: &[&str]) -> Self {
        let (old, mut command) = (self.command, Command::new(program));
        command.args(arguments).arg(old.get_program()).args(old.get_args());
        command.env_clear().stdin(Stdio::null());
        command.envs(old.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(old.get_current_dir().expect("set when it was made"));
        Self { command, ..self }
    }

    /// Starts it with a pipe as its standard input.
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn start_with_input(mut self) -> RunningPlugcast {
        self.command.stdin(Stdio::piped());
        self.start()
    }

    /// Starts it.
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn start(mut self) -> RunningPlugcast {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        RunningPlugcast {
            child: self.command.spawn().expect("the built plugcast can be started"),
            _home: self._home,
        }
    }

    /// Adds what cargo sets for a program that it runs, and what cargo itself needs to build the helper.
    #[must_use]
    fn under_cargo(mut self) -> Self {
        let set = std::env::var_os;
        let below_home = |folder: &str| std::env::home_dir().map(|home| home.join(folder));
        let cargo = set("CARGO").unwrap_or_else(|| env!("CARGO").into());
        self.command.env("CARGO", cargo).env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"));
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let place = set(name).map(PathBuf::from).or_else(|| below_home(folder));
            if let Some(place) = place.filter(|place| place.is_dir()) {
                self.command.env(name, place);
            }
        }
        for name in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "RUSTUP_TOOLCHAIN", "RUSTC"] {
            if let Some(value) = set(name) {
                self.command.env(name, value);
            }
        }
        self
    }

    /// Adds a variable to the environment of the run.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs to the end with `input` on standard input.
    ///
    /// # Panics
    /// When the program cannot be started, or panics.
    pub fn input(mut self, input: &str) -> FinishedRun {
        self.command.stdin(Stdio::piped());
        let RunningPlugcast { mut child, _home } = self.start();
        // A command that does not read its input closes it.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        FinishedRun::from(child.wait_with_output().expect("the program ends"))
    }

    /// Runs to the end.
    ///
    /// # Panics
    /// When the program cannot be started, or when it panics: that is always a bug.
    pub fn run(mut self) -> FinishedRun {
        let output = self.command.output().expect("the built plugcast can be started");
        FinishedRun::from(output)
    }
}

impl From<Output> for FinishedRun {
    fn from(output: Output) -> Self {
        let finished = Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!finished.stderr.contains("panicked at"), "plugcast panicked:\n{}", finished.stderr);
        finished
    }
}

impl FinishedRun {
    /// Checks the exit code and shows both outputs when it is another one.
    ///
    /// # Panics
    /// When the exit code differs.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "exit code\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        self
    }
}

#[test]
fn a_run_sees_a_clean_environment() {
    let folder = Tree::new().temporary();
    let finished = Plugcast::new(folder.path(), &["--version"]).env("NO_COLOR", "1").run().expect_code(0);
    assert_eq!(finished.stdout, format!("plugcast {}\n", env!("CARGO_PKG_VERSION")));
}

#[cfg(test)]
use super::tree::Tree;

/// A standard output that nobody reads. It is not a pipe: the children of other tests have a copy of each open pipe until
/// their programs start, and would count as its readers.
pub fn unread_output() -> Stdio {
    let (reader, writer) = UnixStream::pair().expect("two connected sockets");
    reader.shutdown(Shutdown::Both).expect("a socket can be shut down");
    OwnedFd::from(writer).into()
}
