//! A program that outlives this one, such as a server. It is started through this program, called by the name [`NAME`]:
//! that process leaves the session, waits until it is recorded, and becomes the program. So its process id is known
//! before it starts, and no unrecorded process runs. What it starts stays below this process while this one runs, even if
//! it leaves the session and loses its parent.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// The name (argument 0) of the process that becomes another program; its arguments are that program's command line. It
/// is unreachable from the command line, or permission to run this program would be permission to run any other.
pub const NAME: &str = "plugcast-run becomes";
/// How long a process may take to terminate before it is killed.
const PATIENCE: Duration = Duration::from_secs(1);
/// The interval between two checks.
const BREAK: Duration = Duration::from_millis(20);

/// A process that waits to become another program, or has done so.
#[derive(Debug)]
pub struct DetachedProcess {
    child: Child,
    go: Option<ChildStdin>,
    heard: ChildStdout,
}

impl DetachedProcess {
    /// Starts the process. `this` is the path of this program; the output of the other one goes to `log`.
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
        adopt_orphans();
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

    /// Its process id, which stays the same.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets it become the program.
    ///
    /// # Errors
    /// When that program cannot be executed.
    pub fn resume(&mut self) -> io::Result<()> {
        if let Some(mut go) = self.go.take() {
            go.write_all(b"\n")?;
        }
        // This pipe is closed when the program starts.
        let mut answer = String::new();
        self.heard.read_to_string(&mut answer)?;
        match answer.trim().parse() {
            Ok(code) => Err(io::Error::from_raw_os_error(code)),
            Err(_) if answer.is_empty() => Ok(()),
            Err(_) => Err(io::Error::other(answer)),
        }
    }

    /// How it ended, if it has, and whether it succeeded.
    pub fn exit_status(&mut self) -> Option<(String, bool)> {
        let status = self.child.try_wait().ok()??;
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "a signal".to_owned(),
        };
        Some((how, status.success()))
    }

    /// Ends its process group: SIGTERM first, SIGKILL a second later.
    pub fn end(mut self) {
        // A process that still waits for the start signal ends when the pipe is closed.
        self.go = None;
        let Some(group) = i32::try_from(self.id()).ok().and_then(Pid::from_raw) else { return };
        // An empty group is not an error. Until its leader is reaped, its id cannot be reused.
        let _ = kill_process_group(group, Signal::TERM);
        let until = Instant::now() + PATIENCE;
        let flags = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        while Instant::now() < until && matches!(waitid(WaitId::Pid(group), flags), Ok(None)) {
            std::thread::sleep(BREAK);
        }
        let _ = kill_process_group(group, Signal::KILL);
        // A process that never left this program's group is killed by its id.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes this process the parent of every descendant whose own parent ends.
fn adopt_orphans() {
    // Without it, only what stays in the session of the program is known.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// The child side: leaves the session, waits for the start signal, and becomes the program. Returns only on failure.
pub fn become_program(argv: &[OsString]) -> u8 {
    let Some((program, arguments)) = argv.split_first() else { return 1 };
    let mut word = [0];
    if rustix::process::setsid().is_err() || io::stdin().read(&mut word).unwrap_or(0) == 0 {
        // The parent is gone and has not recorded it.
        return 1;
    }
    let kept = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3);
    let log = rustix::io::dup(rustix::stdio::stderr());
    let (Ok(kept), Ok(log)) = (kept, log) else { return 1 };
    let error = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::from(log)).exec();
    let answer = error.raw_os_error().map_or_else(|| error.to_string(), |code| code.to_string());
    // The parent is the only possible receiver of the error.
    let _ = File::from(kept).write_all(answer.as_bytes());
    1
}
