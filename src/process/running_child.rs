//! A child that keeps running while its owner communicates with it line by line: a server, or a host that reads one
//! JSON message per line. Dropping it kills its process group.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::group::ProcessGroup;
use super::temporary::temporary;
use super::{ChildCommand, contents, wait_at_most};

/// The result of waiting for the next line of a running child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChildLine {
    /// One line of standard output, without its end.
    Text(String),
    /// The child closed standard output.
    End,
    /// Nothing came before the limit.
    Late,
}

/// A running child.
#[derive(Debug)]
pub struct RunningChild {
    child: Child,
    group: ProcessGroup,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: File,
    deadline: Instant,
    /// Whether the child is reaped, so that its id may be reused.
    ended: bool,
}

impl ChildCommand {
    /// Starts the child with its standard input open. The command's limit counts from now.
    ///
    /// # Errors
    /// When the child cannot be started.
    pub fn start(&self) -> io::Result<RunningChild> {
        let mut command = self.prepared()?;
        let stderr = temporary(tempfile::tempfile())?;
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(stderr.try_clone()?))
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (send, lines) = mpsc::channel();
        if let Some(output) = output {
            thread::spawn(move || {
                let mut reader = BufReader::new(output);
                let mut line = Vec::new();
                while matches!(reader.read_until(b'\n', &mut line), Ok(1..)) {
                    let text = String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned();
                    if send.send(text).is_err() {
                        return;
                    }
                    line.clear();
                }
            });
        }
        let group = ProcessGroup::new(&child, self.guarded, self.uninterrupted);
        Ok(RunningChild {
            child,
            group,
            input,
            lines,
            stderr,
            deadline: Instant::now() + self.limit,
            ended: false,
        })
    }
}

impl RunningChild {
    /// Writes one line to the child.
    ///
    /// # Errors
    /// When the child no longer reads.
    pub fn write_line(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
        input.write_all(line.as_bytes())?;
        input.write_all(b"\n")?;
        input.flush()
    }

    /// Closes the child's standard input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the next line, at most until the command's limit.
    pub fn next_line(&self) -> ChildLine {
        match self.lines.recv_timeout(self.remaining_time()) {
            Ok(text) => ChildLine::Text(text),
            Err(RecvTimeoutError::Disconnected) => ChildLine::End,
            Err(RecvTimeoutError::Timeout) => ChildLine::Late,
        }
    }

    /// Ends the child and its process group, and returns what it wrote to standard error.
    pub fn end(mut self) -> String {
        self.finish();
        self.stderr_so_far()
    }

    /// The standard error of the child so far.
    pub fn stderr_so_far(&mut self) -> String {
        contents(&mut self.stderr)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Closes the input, reads the remaining lines until the child closes its output, and returns
    /// them with the exit code; `None` when it had to be killed at the limit.
    pub fn finish_reading(&mut self) -> (Vec<String>, Option<i32>) {
        self.close_input();
        let mut rest = Vec::new();
        while let ChildLine::Text(line) = self.next_line() {
            rest.push(line);
        }
        let left = self.remaining_time();
        self.ended = true;
        let code = match wait_at_most(&mut self.child, &mut self.group, left) {
            Ok((status, false)) => status.code(),
            _ => None,
        };
        (rest, code)
    }

    fn remaining_time(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    /// The child's process id.
    pub fn id(&self) -> u32 {
        self.group.id()
    }

    fn finish(&mut self) {
        self.input = None;
        if !self.ended {
            self.ended = true;
            self.group.end();
            let _ = self.child.wait();
        }
    }
}

impl Drop for RunningChild {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talks_line_by_line_and_ends() {
        let command = ChildCommand::new("/bin/sh", "/")
            .arguments(["-c", "while read x; do echo \"got $x\"; done; exit 4"]);
        let mut running = command.start().unwrap();
        running.write_line("a").unwrap();
        assert_eq!(running.next_line(), ChildLine::Text("got a".to_owned()));
        running.write_line("b").unwrap();
        assert_eq!(running.finish_reading(), (vec!["got b".to_owned()], Some(4)));
    }

    #[test]
    fn dropping_ends_the_group() {
        let command = ChildCommand::new("/bin/sh", "/").arguments(["-c", "echo up; sleep 600"]);
        let running = command.start().unwrap();
        assert_eq!(running.next_line(), ChildLine::Text("up".to_owned()));
        assert_eq!(running.end(), "");
    }
}
