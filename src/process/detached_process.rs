//! A program that outlives this one, such as a server. It is started through this very program, called by the name [`NAME`]: that
//! process leaves the session, waits until it is on record, and becomes the program. So its number is known before it begins,
//! and nothing runs that nobody knows of.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// What the process that becomes another program is called by; its arguments are that program's command line. No command line
/// of ours leads there, or those who may run this program without a question could run every other.
pub const NAME: &str = "plugcast-run becomes";
/// How long a process may take to end before it is killed.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks.
const BREAK: Duration = Duration::from_millis(20);

/// A process that waits to become a program, or has become it.
#[derive(Debug)]
pub struct DetachedProcess {
    child: Child,
    go: Option<ChildStdin>,
    heard: ChildStdout,
}

impl DetachedProcess {
    /// Starts the process. `this` is this very program; what the other one prints goes to `log`.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn wait_to_become(
        this: &Path,
        argv: &[OsString],
        environment: &[(OsString, OsString)],
        folder: &Path,
        log: File,
    ) -> io::Result<Self> {
        let mut child = Command::new(this)
            .arg0(NAME)
            .args(argv)
            .env_clear()
            .envs(environment.iter().map(|(key, value)| (key, value)))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(log))
            .spawn()?;
        let go = child.stdin.take();
        let heard = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { child, go, heard })
    }

    /// Its number, which it keeps.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets it become the program.
    ///
    /// # Errors
    /// Why that program cannot be executed.
    pub fn resume(&mut self) -> io::Result<()> {
        if let Some(mut go) = self.go.take() {
            go.write_all(b"\n")?;
        }
        // The end of this pipe is the beginning of the program.
        let mut answer = String::new();
        self.heard.read_to_string(&mut answer)?;
        match answer.trim().parse() {
            Ok(code) => Err(io::Error::from_raw_os_error(code)),
            Err(_) if answer.is_empty() => Ok(()),
            Err(_) => Err(io::Error::other(answer)),
        }
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok()??;
        Some(match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "a signal".to_owned(),
        })
    }

    /// Ends it, with everything of its session that did not leave its group: asked first, killed a second later.
    pub fn end(mut self) {
        // One that waits for the word ends without it.
        self.go = None;
        let Some(group) = i32::try_from(self.id()).ok().and_then(Pid::from_raw) else { return };
        // A group that is empty already is no error. Before its leader is reaped, its number is nobody else's.
        let _ = kill_process_group(group, Signal::TERM);
        let until = Instant::now() + PATIENCE;
        let flags = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        while Instant::now() < until && matches!(waitid(WaitId::Pid(group), flags), Ok(None)) {
            std::thread::sleep(BREAK);
        }
        let _ = kill_process_group(group, Signal::KILL);
        // One that never left this program's group is ended by its number.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other side: leaves the session, waits for the word, and becomes the program. Returns only where that fails.
pub fn become_program(argv: &[OsString]) -> u8 {
    let Some((program, arguments)) = argv.split_first() else { return 1 };
    let mut word = [0];
    if rustix::process::setsid().is_err() || io::stdin().read(&mut word).unwrap_or(0) == 0 {
        // Its starter is gone, and has no record of it.
        return 1;
    }
    let kept = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3);
    let log = rustix::io::dup(rustix::stdio::stderr());
    let (Ok(kept), Ok(log)) = (kept, log) else { return 1 };
    let error = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::from(log)).exec();
    let answer = error.raw_os_error().map_or_else(|| error.to_string(), |code| code.to_string());
    // If this fails, there is no other way to report the error.
    let _ = File::from(kept).write_all(answer.as_bytes());
    1
}
