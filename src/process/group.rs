//! The process group that a child leads. Ending it ends everything that the child has started; a
//! guard ends it also when this program is killed and can do nothing itself.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use super::interrupt;

/// The guard waits for a line, which dismisses it. The end of its input without a line means that
/// this program is gone.
const GUARD: &str = "read -r line || kill -s KILL -- \"-$0\"";

/// The group of one child.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    id: u32,
    guard: Option<Child>,
}

impl ProcessGroup {
    /// The group of a child that was started as its leader, with a guard if asked for. An interrupt ends it, unless it is
    /// `uninterrupted`.
    pub(super) fn new(child: &Child, guarded: bool, uninterrupted: bool) -> Self {
        let guard = guarded.then(|| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", GUARD, &child.id().to_string()]).env_clear();
            // In a separate group, so that an interrupt from the terminal does not end it first.
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

    /// Kills what is left of the group and dismisses the guard. To be called before the leader is
    /// reaped.
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

    /// Blocks until the process has ended, and leaves it to be reaped.
    pub(crate) fn wait_without_reaping(id: u32) {
        let Some(pid) = pid(id) else { return };
        while let Err(error) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            if error != rustix::io::Errno::INTR {
                return;
            }
        }
    }

    /// Bounds the memory of a process, and of those that it starts from now on.
    #[cfg(target_os = "linux")]
    pub(crate) fn bound_memory(id: u32, most: u64) {
        use rustix::process::{Resource, Rlimit, prlimit};
        // Of a child that has ended already nothing is to be bounded.
        let _ = prlimit(pid(id), Resource::Data, Rlimit { current: Some(most), maximum: Some(most) });
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn bound_memory(_: u32, _: u64) {}

    /// Kills a group; an empty group is no error.
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

    /// A shell starts a guarded group of its own by the guard's own words, then dies without a word.
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
