//! Runs a child whose output is streamed through pipes: nothing is written to disk, so it also works without a writable
//! folder for temporary files, and memory use is limited.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::group::{ProcessGroup, bound_memory, wait_without_reaping};
use super::{ChildCommand, ChildOutput};

/// How long the pipes may stay open after the child and its group are gone: a grandchild that left the
/// group can hold them.
const GRACE: Duration = Duration::from_secs(2);
/// The capacity of a pipe on Linux, and so the maximum size of a read.
const PIPE: usize = 64 * 1024;
/// How long to wait after a small read from a child that writes a lot. Waking up for every 4 KiB costs both sides more
/// than the work itself.
const GATHERING: Duration = Duration::from_micros(500);
/// How much of standard error is kept.
const MOST_ERRORS: usize = 64 * 1024;

enum OutputPiece {
    Output(Vec<u8>),
    Errors(Vec<u8>),
    Closed,
    Ended,
}

/// Receives output in chunks, and returns when it has enough; the child is killed then.
pub type OutputSink<'a> = dyn FnMut(&[u8]) -> io::Result<ControlFlow<()>> + 'a;

impl ChildCommand {
    /// Runs the child to its end and returns its output, at most `most` bytes of standard output.
    ///
    /// # Errors
    /// When the child cannot be started, or with [`io::ErrorKind::FileTooLarge`] when it writes more; it is killed
    /// then. A failing child is not an error.
    pub fn run_piped(&self, most: usize) -> io::Result<ChildOutput> {
        let mut stdout = Vec::new();
        let mut ended = self.run_into(&mut |piece| {
            if stdout.len() + piece.len() > most {
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    format!("it writes more than {most} bytes"),
                ));
            }
            stdout.extend_from_slice(piece);
            Ok(ControlFlow::Continue(()))
        })?;
        ended.stdout = stdout;
        Ok(ended)
    }

    /// Runs the child to its end, or until `sink` has enough, and streams its standard output to `sink`. The first 64
    /// KiB of standard error are kept.
    ///
    /// # Errors
    /// When the child cannot be started, or when `sink` fails; the child is killed then.
    pub fn run_into(&self, sink: &mut OutputSink<'_>) -> io::Result<ChildOutput> {
        let mut command = self.prepared()?;
        let stdin = if self.input.is_some() { Stdio::piped() } else { Stdio::null() };
        let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let Some(most) = self.memory {
            bound_memory(child.id(), most);
        }
        let mut group = ProcessGroup::new(&child, self.guarded, self.uninterrupted);
        let (send, pieces) = mpsc::sync_channel(16);
        if let (Some(mut input), Some(bytes)) = (child.stdin.take(), self.input.clone()) {
            // A child that does not read its whole input is not an error.
            thread::spawn(move || input.write_all(&bytes));
        }
        let mut open = 0;
        if let Some(output) = child.stdout.take() {
            open += 1;
            pass_on(output, send.clone(), OutputPiece::Output);
        }
        if let Some(errors) = child.stderr.take() {
            open += 1;
            pass_on(errors, send.clone(), OutputPiece::Errors);
        }
        let id = group.id();
        thread::spawn(move || {
            wait_without_reaping(id);
            let _ = send.send(OutputPiece::Ended);
        });

        let mut deadline = Instant::now() + self.patience();
        let mut watch = self.watch.map(|(after, is_stuck)| (Instant::now() + after, is_stuck));
        let (mut running, mut timed_out, mut stderr) = (true, false, Vec::new());
        let (mut failed, mut enough) = (None, false);
        while running || open > 0 {
            let next = watch.map_or(deadline, |(at, _)| at.min(deadline));
            match pieces.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(OutputPiece::Output(bytes)) => {
                    if !enough {
                        let took = sink(&bytes);
                        enough = !matches!(took, Ok(ControlFlow::Continue(())));
                        failed = took.err();
                        if enough {
                            group.end();
                        }
                    }
                }
                Ok(OutputPiece::Errors(bytes)) => {
                    let room = MOST_ERRORS.saturating_sub(stderr.len()).min(bytes.len());
                    stderr.extend_from_slice(&bytes[..room]);
                }
                Ok(OutputPiece::Closed) => open -= 1,
                Ok(OutputPiece::Ended) => {
                    running = false;
                    group.end();
                    deadline = Instant::now() + GRACE;
                }
                Err(RecvTimeoutError::Timeout) => {
                    let is_watching = running && next < deadline;
                    let is_stuck =
                        watch.take().is_some_and(|(_, is_stuck)| is_watching && is_stuck(&self.folder));
                    if is_watching && !is_stuck {
                        continue;
                    }
                    timed_out |= running;
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        group.end();
        let status = child.wait()?;
        let (code, signal) = (status.code(), status.signal());
        match failed {
            Some(error) => Err(error),
            None => Ok(ChildOutput { code, signal, timed_out, stdout: Vec::new(), stderr }),
        }
    }
}

/// Reads a pipe to its end on a separate thread.
fn pass_on(
    mut pipe: impl Read + Send + 'static,
    send: SyncSender<OutputPiece>,
    piece: fn(Vec<u8>) -> OutputPiece,
) {
    thread::spawn(move || {
        let (mut buffer, mut came) = (vec![0; PIPE], 0);
        loop {
            match pipe.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(read @ 1..) => {
                    if send.send(piece(buffer[..read].to_vec())).is_err() {
                        return;
                    }
                    came += read;
                    if came > PIPE && read < PIPE / 2 {
                        thread::sleep(GATHERING);
                    }
                }
                _ => break,
            }
        }
        let _ = send.send(OutputPiece::Closed);
    });
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn shell(script: &str) -> ChildCommand {
        ChildCommand::new("/bin/sh", "/").arguments(["-c", script]).environment([("PATH", "/bin:/usr/bin")])
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_gets_no_more_memory_than_it_may_have() {
        // What it waits for is written once the bound is there.
        let keeps = |bytes: &str| {
            shell(&format!("read go; head -c {bytes} /dev/zero | tail -c {bytes} >/dev/null")).input("go\n")
        };
        let bytes = 64 * 1024 * 1024;
        assert!(!keeps("1G").memory(bytes).run_piped(100).unwrap().succeeded());
        assert!(keeps("1M").memory(bytes).run_piped(100).unwrap().succeeded());
    }

    #[test]
    fn both_outputs_the_input_and_the_code_come_through() {
        let ended = shell("cat; echo bad >&2; exit 3").input("given").run_piped(100).unwrap();
        assert_eq!((ended.code, ended.stdout_text().as_str()), (Some(3), "given"));
        assert_eq!(ended.stderr_text(), "bad\n");
        let much = shell("head -c 3000000 /dev/zero").input(vec![b'x'; 1 << 20]).run_piped(1 << 24).unwrap();
        assert_eq!(much.stdout.len(), 3_000_000);
    }

    #[test]
    fn a_child_that_can_never_end_is_ended_before_its_limit() {
        let child = |is_stuck| shell("echo up; exec sleep 600").watched(Duration::from_millis(50), is_stuck);
        let ended = child(|folder| folder == Path::new("/")).run_piped(100).unwrap();
        assert_eq!((ended.timed_out, ended.stdout_text().as_str()), (true, "up\n"));
        let ended = child(|_| false).limit(Duration::from_millis(200)).run_piped(100).unwrap();
        assert!(ended.timed_out);
        assert!(shell("exit 3").watched(Duration::ZERO, |_| false).run_piped(100).unwrap().code == Some(3));
    }

    #[test]
    fn too_much_output_ends_the_child() {
        let error = shell("while :; do echo line; done").run_piped(100_000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        let noisy = shell("head -c 300000 /dev/zero >&2; echo done").run_piped(100).unwrap();
        assert_eq!((noisy.stderr.len(), noisy.stdout_text().as_str()), (MOST_ERRORS, "done\n"));
    }

    #[test]
    fn grandchildren_end_with_the_child_and_at_the_limit() {
        // The grandchild holds the pipe; it is killed when the child ends.
        let ended = shell("sleep 600 & echo up").limit(Duration::from_secs(300)).run_piped(100).unwrap();
        assert_eq!((ended.timed_out, ended.stdout_text().as_str()), (false, "up\n"));
        let late = shell("echo up; sleep 600 & wait").limit(Duration::from_millis(300));
        let late = late.run_piped(100).unwrap();
        assert_eq!((late.timed_out, late.code, late.stdout_text().as_str()), (true, None, "up\n"));
    }
}
