//! The only module that starts child processes. A child gets an argument array, a cleared environment with the given
//! pairs, a folder, and a limit; it leads its own process group, and the whole group is killed when the limit passes,
//! when the child ends, when its owner is dropped, or on an interrupt.
#![expect(
    clippy::disallowed_methods,
    reason = "this module and its children are the one owner of child processes"
)]

mod child_output;
pub mod detached_process;
mod group;
pub mod interrupt;
mod running_child;
pub mod temporary;

pub use child_output::OutputSink;
pub use running_child::{ChildLine, RunningChild};

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use group::{ProcessGroup, lead_group, wait_without_reaping};
use temporary::temporary;

/// A child process that is not started yet.
#[derive(Debug, Clone)]
pub struct ChildCommand {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: PathBuf,
    input: Option<Vec<u8>>,
    limit: Duration,
    watch: Option<ChildWatch>,
    memory: Option<u64>,
    guarded: bool,
    uninterrupted: bool,
}

/// The delay after which a function of the child's folder checks whether the child is stuck.
type ChildWatch = (Duration, fn(&Path) -> bool);

/// A child that has ended.
#[derive(Debug, Clone)]
pub struct ChildOutput {
    /// The exit code; `None` if a signal ended the child.
    pub code: Option<i32>,
    /// The signal that ended the child.
    pub signal: Option<i32>,
    /// Whether the limit passed and the child's process group was killed.
    pub timed_out: bool,
    /// Everything written to standard output.
    pub stdout: Vec<u8>,
    /// Everything written to standard error.
    pub stderr: Vec<u8>,
}

impl ChildOutput {
    /// Whether the child ended by itself with code 0.
    pub fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    /// Standard output as text; bytes that are not valid UTF-8 are replaced.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text; bytes that are not valid UTF-8 are replaced.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// How the child ended, for a message: `exit code 1`, `signal 9`, or `timed out`.
    pub fn status_text(&self) -> String {
        match (self.timed_out, self.code, self.signal) {
            (true, ..) => "timed out".to_owned(),
            (false, Some(code), _) => format!("exit code {code}"),
            (false, None, Some(signal)) => format!("signal {signal}"),
            (false, None, None) => "a signal".to_owned(),
        }
    }
}

impl ChildCommand {
    /// A child that runs `program` in `folder` with an empty environment and no input.
    pub fn new(program: impl Into<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: folder.into(),
            input: None,
            limit: Duration::from_secs(120),
            watch: None,
            memory: None,
            guarded: false,
            uninterrupted: false,
        }
    }

    /// Adds one argument.
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    pub fn arguments<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Adds environment variables; nothing is inherited.
    pub fn environment<K: Into<OsString>, V: Into<OsString>>(
        mut self,
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.environment.extend(pairs.into_iter().map(|(key, value)| (key.into(), value.into())));
        self
    }

    /// Passes these bytes on standard input, then closes it.
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Some(bytes.into());
        self
    }

    /// Sets how long the child may run before its process group is killed; 120 s by default.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Checks once, after a delay, whether the child is stuck, and then kills it as at its limit; only for children
    /// that write into pipes.
    pub fn watched(mut self, after: Duration, is_stuck: fn(&Path) -> bool) -> Self {
        self.watch = Some((after, is_stuck));
        self
    }

    /// Limits the memory of the child to `bytes`, if the system supports it (Linux); only for children that write into
    /// pipes.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// The same in another folder.
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// The working directory of the child.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Kills the child also when this program is killed; for long-running children.
    pub fn killed_with_parent(mut self) -> Self {
        self.guarded = true;
        self
    }

    /// Does not kill the child on an interrupt; for children that must complete.
    pub fn uninterrupted(mut self) -> Self {
        self.uninterrupted = true;
        self
    }

    /// Runs the child to its end and returns its output, which goes to anonymous files, since some hosts (OpenCode
    /// 1.18.33) truncate the end of what they write to a pipe.
    ///
    /// # Errors
    /// When the child cannot be started or its files cannot be created; a failing child is not an error.
    pub fn run(&self) -> io::Result<ChildOutput> {
        let mut command = self.prepared()?;
        let (mut stdout, mut stderr) = (temporary(tempfile::tempfile())?, temporary(tempfile::tempfile())?);
        let stdin = match &self.input {
            None => Stdio::null(),
            Some(bytes) => {
                let mut file = temporary(tempfile::tempfile())?;
                file.write_all(bytes)?;
                file.seek(SeekFrom::Start(0))?;
                Stdio::from(file)
            }
        };
        let mut child = command
            .stdin(stdin)
            .stdout(Stdio::from(stdout.try_clone()?))
            .stderr(Stdio::from(stderr.try_clone()?))
            .spawn()?;
        let mut group = ProcessGroup::new(&child, self.guarded, self.uninterrupted);
        let (status, timed_out) = wait_at_most(&mut child, &mut group, self.patience())?;
        let (code, signal) = (status.code(), status.signal());
        Ok(ChildOutput {
            code,
            signal,
            timed_out,
            stdout: contents(&mut stdout)?,
            stderr: contents(&mut stderr)?,
        })
    }

    /// How long the child may run. The feature `fault`, in no released build, shortens it.
    fn patience(&self) -> Duration {
        #[cfg(feature = "fault")]
        return injected_duration("impatient").unwrap_or(self.limit);
        #[cfg(not(feature = "fault"))]
        self.limit
    }

    /// Prepares the call. An interrupt from here on kills the child, even during its start.
    fn prepared(&self) -> io::Result<std::process::Command> {
        interrupt::enter_critical_section();
        interrupt::check()?;
        let mut command = std::process::Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(key, value)| (key, value)))
            .current_dir(&self.folder);
        lead_group(&mut command);
        Ok(command)
    }
}

/// The milliseconds of the injected fault `NAME@MILLISECONDS`.
#[cfg(feature = "fault")]
pub(crate) fn injected_duration(name: &str) -> Option<Duration> {
    let fault = std::env::var("PLUGCAST_FAULT").ok()?;
    let rest = fault.strip_prefix(name)?.strip_prefix('@')?;
    rest.parse().ok().map(Duration::from_millis)
}

fn contents(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Waits for the child, at most `limit`, then kills the rest of its group. Returns the status and whether the limit
/// passed.
fn wait_at_most(
    child: &mut Child,
    group: &mut ProcessGroup,
    limit: Duration,
) -> io::Result<(ExitStatus, bool)> {
    let id = group.id();
    let (ended, waiter) = mpsc::channel();
    thread::spawn(move || {
        wait_without_reaping(id);
        let _ = ended.send(());
    });
    let timed_out = waiter.recv_timeout(limit).is_err();
    group.end();
    Ok((child.wait()?, timed_out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> ChildCommand {
        ChildCommand::new("/bin/sh", "/").arguments(["-c", script])
    }

    #[test]
    fn runs_with_a_clean_environment_and_input() {
        let ended = shell("cat; echo \"$ONE-$HOME\"; echo bad >&2; exit 3")
            .environment([("ONE", "1")])
            .input("given ")
            .run()
            .unwrap();
        assert_eq!(ended.stdout_text(), "given 1-\n");
        assert_eq!(ended.stderr_text(), "bad\n");
        assert_eq!((ended.code, ended.timed_out, ended.succeeded()), (Some(3), false, false));
    }

    #[test]
    fn a_limit_ends_the_whole_group() {
        let ended = shell("sleep 600 & echo started; wait").limit(Duration::from_millis(300)).run().unwrap();
        assert!(ended.timed_out);
        assert_eq!((ended.code, ended.stdout_text().as_str()), (None, "started\n"));
    }

    #[test]
    fn much_output_is_whole() {
        let ended = shell("head -c 3000000 /dev/zero").run().unwrap();
        assert_eq!(ended.stdout.len(), 3_000_000);
    }
}
