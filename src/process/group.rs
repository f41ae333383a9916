//! The process group that a child leads. Killing it ends everything that the child has started; a guard process also
//! kills it if this program is killed.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use super::interrupt;

/// The guard waits for a line, which dismisses it. End of input without a line means that this program is gone.
const GUARD: &str = "read -r line || kill -s KILL -- \"-$0\"";

/// The group of one child.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    id: u32,
    guard: Option<Child>,
}

impl ProcessGroup {
    /// The group of a child that was started as its leader, with a guard if requested. An interrupt kills it, unless it
    /// is `uninterrupted`.
    pub(super) fn new(child: &Child, guarded: bool, uninterrupted: bool) -> Self {
        let guard = guarded.then(|| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", GUARD, &child.id().to_string()]).env_clear();
            // In a separate group, so that an interrupt from the terminal does not end the guard first.
            lead_group(&mut command);
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
        });
        if !uninterrupted {
            interrupt::started(child.id());
        }
        Self { id: child.id(), guard: guard.flatten() }
    }

    /// The leader's id, for a thread that waits for it.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Kills the rest of the group and dismisses the guard. Must be called before the leader is reaped.
    pub(super) fn end(&mut self) {
        interrupt::end(self.id);
        if let Some(mut guard) = self.guard.take() {
            if let Some(mut input) = guard.stdin.take() {
                let _ = input.write_all(b"dismissed\n");
            }
            let _ = guard.wait();
        }
    }
}

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    fn pid(id: u32) -> Option<Pid> {
        i32::try_from(id).ok().and_then(Pid::from_raw)
    }

    /// Makes the command lead a process group.
    pub(crate) fn lead_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Blocks until the process has ended, without reaping it.
    pub(crate) fn wait_without_reaping(id: u32) {
        let Some(pid) = pid(id) else { return };
        while let Err(error) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            if error != rustix::io::Errno::INTR {
                return;
            }
        }
    }

    /// Limits the memory of a process and of its future children.
    #[cfg(target_os = "linux")]
    pub(crate) fn bound_memory(id: u32, most: u64) {
        use rustix::process::{Resource, Rlimit, prlimit};
        // An error means that the child has already ended.
        let _ = prlimit(pid(id), Resource::Data, Rlimit { current: Some(most), maximum: Some(most) });
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn bound_memory(_: u32, _: u64) {}

    /// Kills a group; an empty group is not an error.
    pub(crate) fn kill(id: u32) {
        if let Some(group) = pid(id) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

pub(super) use system::{bound_memory, kill, lead_group, wait_without_reaping};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{ChildCommand as Started, ChildLine};

    /// A shell starts a guarded group with the script of the guard, then dies without dismissing it.
    #[test]
    fn the_guard_ends_the_group_when_its_input_ends() {
        let running = Started::new("/bin/sh", "/").arguments(["-c", "echo up; sleep 600"]).start().unwrap();
        assert_eq!(running.next_line(), ChildLine::Text("up".to_owned()));
        let mut guard = Command::new("/bin/sh");
        guard.args(["-c", GUARD, &running.id().to_string()]);
        lead_group(&mut guard);
        let status = guard.stdin(Stdio::null()).status().unwrap();
        assert!(status.success());
        assert_eq!(running.next_line(), ChildLine::End);
    }
}
