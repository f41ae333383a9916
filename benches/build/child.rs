//! Runs a command to its end and says what it cost: processor time as the system accounts it, and
//! the peak of its memory.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// What a command printed and cost.
pub struct Run {
    /// Its exit code.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it said on the side.
    pub stderr: String,
    /// User and system time together, in microseconds.
    pub cpu: i64,
}

/// Runs `program` with `arguments` and waits for it.
///
/// # Errors
/// When it cannot be started.
pub fn run(program: &str, arguments: &[&str]) -> io::Result<Run> {
    // An empty build cache, and never the user's own.
    let cache = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    run_beside(program, arguments, cache.path())
}

/// The same with the build cache in `cache`.
///
/// # Errors
/// When it cannot be started.
pub fn run_beside(program: &str, arguments: &[&str], cache: &Path) -> io::Result<Run> {
    let before = cpu()?;
    let mut command = Command::new(program);
    let out = command.args(arguments).env("XDG_CACHE_HOME", cache).stdin(Stdio::null()).output()?;
    let cpu = cpu()? - before;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Run { code: out.status.code(), stdout: text(out.stdout), stderr: text(out.stderr), cpu })
}

/// The highest peak of memory of all children so far, in KiB. A child starts with the peak of this
/// process, so this process stays small.
///
/// # Errors
/// When the system does not say.
pub fn peak() -> io::Result<i64> {
    Ok(children()?.max_rss())
}

/// User and system time of all children so far, in microseconds.
///
/// # Errors
/// When the system does not say.
pub fn cpu() -> io::Result<i64> {
    let usage = children()?;
    Ok(usage.user_time().num_microseconds() + usage.system_time().num_microseconds())
}

fn children() -> io::Result<Usage> {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_err(io::Error::from)
}
