//! Injected faults, in no released build. `PLUGCAST_FAULT=WHAT@N` defines what happens at the N-th step: `abort` (as a
//! kill would), `hold` (print a line to standard error, and wait for an interrupt), `pause` (print a line to standard
//! error, and continue after a line on standard input), an error such as `ENOSPC` (the step fails), or `full` (this and
//! every later step that takes space fails, a write after half of its bytes). A trailing `,renames` forbids the
//! exchange of two folders, as on systems that do not support it.
#![expect(clippy::disallowed_methods, reason = "the one variable that only this feature reads")]

use std::io::{self, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::io::Errno;

use super::FsOperation;
use crate::process::interrupt;

const VARIABLE: &str = "PLUGCAST_FAULT";

struct FaultPlan {
    what: String,
    at: u64,
    renames: bool,
}

static PLAN: LazyLock<Option<FaultPlan>> = LazyLock::new(|| {
    let text = std::env::var(VARIABLE).ok()?;
    let (what, rest) = text.split_once('@')?;
    let (at, renames) = rest.strip_suffix(",renames").map_or((rest, false), |at| (at, true));
    Some(FaultPlan { what: what.to_owned(), at: at.parse().ok()?, renames })
});
static PASSED: AtomicU64 = AtomicU64::new(0);

/// Counts one step, and injects the fault planned for it.
pub(super) fn pass(step: FsOperation) -> io::Result<()> {
    let Some(plan) = &*PLAN else { return Ok(()) };
    let number = PASSED.fetch_add(1, Ordering::SeqCst) + 1;
    let full = plan.what == "full" && number >= plan.at && step == FsOperation::Create;
    if !full && number != plan.at {
        return Ok(());
    }
    match plan.what.as_str() {
        "abort" => std::process::abort(),
        "hold" => hold(number),
        "pause" => pause(number),
        "EACCES" => Err(Errno::ACCESS.into()),
        "EIO" => Err(Errno::IO.into()),
        "ENOSPC" => Err(Errno::NOSPC.into()),
        "EDQUOT" => Err(Errno::DQUOT.into()),
        "EFBIG" => Err(Errno::FBIG.into()),
        "EROFS" => Err(Errno::ROFS.into()),
        "full" if full => Err(Errno::NOSPC.into()),
        _ => Ok(()),
    }
}

/// Whether a failing write writes a part first.
pub(super) fn cuts_writes() -> bool {
    PLAN.as_ref().is_some_and(|plan| plan.what == "full")
}

/// Whether folders cannot be exchanged.
pub(super) fn forbids_exchange() -> bool {
    PLAN.as_ref().is_some_and(|plan| plan.renames)
}

fn hold(number: u64) -> io::Result<()> {
    let _ = writeln!(io::stderr(), "held at step {number}");
    while !interrupt::pending() {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn pause(number: u64) -> io::Result<()> {
    let _ = writeln!(io::stderr(), "paused at step {number}");
    io::stdin().read_line(&mut String::new()).map(drop)
}
