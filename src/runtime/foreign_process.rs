//! Sends signals to processes that this program did not start.

use std::io;

use rustix::process::{Pid, Signal};

/// Terminates a process, or kills it, if `is_same` confirms that the id still belongs to the intended process. Returns
/// whether it existed.
///
/// # Errors
/// When the system refuses it.
pub fn end(id: u32, kill: bool, is_same: impl FnOnce() -> bool) -> io::Result<bool> {
    let signal = if kill { Signal::KILL } else { Signal::TERM };
    let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return Ok(false) };
    let sent = send(pid, signal, is_same);
    match sent {
        Err(rustix::io::Errno::SRCH) => Ok(false),
        sent => Ok(sent?),
    }
}

/// Whether there is a process with that id.
pub fn exists(id: u32) -> bool {
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// Like [`end`], for the whole group with the leader `id`.
///
/// # Errors
/// When the system refuses it.
pub fn end_group(id: u32, kill: bool, is_same: impl FnOnce() -> bool) -> io::Result<bool> {
    let signal = if kill { Signal::KILL } else { Signal::TERM };
    let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return Ok(false) };
    if !is_same() {
        return Ok(false);
    }
    match rustix::process::kill_process_group(group, signal) {
        Err(rustix::io::Errno::SRCH) => Ok(false),
        sent => Ok(sent.map(|()| true)?),
    }
}

/// Sends the signal through a handle, which a later process with the same id cannot have.
#[cfg(target_os = "linux")]
fn send(pid: Pid, signal: Signal, is_same: impl FnOnce() -> bool) -> rustix::io::Result<bool> {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let handle = pidfd_open(pid, PidfdFlags::empty())?;
    if !is_same() {
        return Ok(false);
    }
    pidfd_send_signal(&handle, signal)?;
    Ok(true)
}

#[cfg(not(target_os = "linux"))]
fn send(pid: Pid, signal: Signal, is_same: impl FnOnce() -> bool) -> rustix::io::Result<bool> {
    if !is_same() {
        return Ok(false);
    }
    rustix::process::kill_process(pid, signal)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ChildCommand;

    #[test]
    fn only_the_process_that_is_meant_is_ended() {
        let running = ChildCommand::new("/bin/sh", "/").arguments(["-c", "exec sleep 600"]).start().unwrap();
        assert!(!end(running.id(), true, || false).unwrap());
        assert!(end(running.id(), false, || true).unwrap());
        assert_eq!(running.next_line(), crate::process::ChildLine::End);
    }
}
