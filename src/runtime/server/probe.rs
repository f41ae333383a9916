//! `server probe`: whether a web server answers on a port. Any status counts: even a 404 is an answer.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::process::interrupt;
use crate::runtime::answer::{CallFailure, Delivery, TIMEOUT};
use crate::runtime::child;
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::hosts::SandboxAccess;

options! {
    /// Check whether a web server answers on a port
    ///
    /// Asks 127.0.0.1 and ::1 for `/`, by HEAD and then by GET; any status counts as an answer.
    ///
    /// Exit codes: 0 answered, `unreachable` included; 2 wrong call; 5 a sandbox refuses the network; 7 nothing
    /// answered within `--wait`.
    pub struct Options {
        /// The port
        port: u16 = "--port <PORT>" { range: Some((1, 65535)) },
        /// Ask again every second, for this many seconds
        wait: Option<u16> = "--wait <SECONDS>" { range: Some((1, 300)) },
    }
    examples: ["plugcast-run server probe --port 3000", "plugcast-run server probe --port 3000 --wait 30"]
}

/// The answer of `server probe`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether something answers.
    pub status: ProbeStatus,
    /// The port.
    pub port: u16,
    /// The address that answered, for a browser.
    pub url: Option<String>,
    /// The status of its answer.
    pub http_status: Option<u16>,
}

/// Whether something answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeStatus {
    /// A web server does.
    Reachable,
    /// None does.
    Unreachable,
}

/// How long a connection may take, and the first response.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// How long a response may take where nobody waits longer.
pub(super) const LONG_PATIENCE: Duration = Duration::from_secs(10);
/// How much of a response is read for its first line.
const FIRST_LINE: usize = 4096;

/// Runs the command.
///
/// # Errors
/// `sandboxed`, `timeout`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let until = options.wait.map(|seconds| Instant::now() + Duration::from_secs(seconds.into()));
    let mut patience = if until.is_some() { PATIENCE } else { LONG_PATIENCE };
    loop {
        let found = match ask(options.port, patience) {
            Ok(found) => found,
            Err(error) => {
                match child::sandbox_refusal(environment, SandboxAccess::Network, &error.to_string()) {
                    Some(refusal) => return Err(refusal),
                    None => None,
                }
            }
        };
        match (found, until) {
            (None, Some(until)) if Instant::now() < until && !interrupt::pending() => {
                std::thread::sleep(Duration::from_secs(1));
                patience = extend_patience(patience, until);
            }
            (None, Some(_)) if interrupt::pending() => return Err(CallFailure::interrupted()),
            (None, Some(_)) => {
                let message = format!("nothing answers on port {} yet", options.port);
                return Err(CallFailure::new(
                    TIMEOUT,
                    ErrorCode::Timeout,
                    message,
                    "read the log of the server",
                ));
            }
            (found, _) => {
                let (url, http_status) = found.unzip();
                let status = if url.is_some() { ProbeStatus::Reachable } else { ProbeStatus::Unreachable };
                return Ok(Delivery::from_answer(&Response { status, port: options.port, url, http_status }));
            }
        }
    }
}

/// Twice as long, for a server that takes long for each response, but not longer than until then.
pub(super) fn extend_patience(patience: Duration, until: Instant) -> Duration {
    (patience * 2).min(until.saturating_duration_since(Instant::now())).max(PATIENCE)
}

/// The address that answers on a port, with the status; an error if a sandbox may have refused the request.
pub(super) fn ask(port: u16, patience: Duration) -> io::Result<Option<(String, u16)>> {
    let hosts: [(IpAddr, &str); 2] =
        [(Ipv4Addr::LOCALHOST.into(), "127.0.0.1"), (Ipv6Addr::LOCALHOST.into(), "[::1]")];
    for (address, host) in hosts {
        for method in ["HEAD", "GET"] {
            match answer(SocketAddr::new(address, port), (host, method), patience) {
                Ok(Some(status)) => return Ok(Some((format!("http://{host}:{port}/"), status))),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(error),
                // Nothing listens on that address, or it does not answer.
                Err(_) => break,
            }
        }
    }
    Ok(None)
}

/// The status of a response; none if it is not HTTP.
fn answer(address: SocketAddr, (host, method): (&str, &str), patience: Duration) -> io::Result<Option<u16>> {
    let until = Instant::now() + patience;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let port = address.port();
    let request =
        format!("{method} / HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: */*\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let (mut read, mut block) = (Vec::new(), [0; 512]);
    while read.len() < FIRST_LINE && !read.contains(&b'\n') {
        // The limit is for the whole response, also if it trickles in.
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || interrupt::pending() {
            break;
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut block) {
            Ok(0) => break,
            Ok(count) => read.extend_from_slice(&block[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A server that closes the connection without a response does not know the method.
            Err(_) => break,
        }
    }
    Ok(status(&read))
}

/// The status in a first line such as `HTTP/1.1 404 Not Found`.
fn status(line: &[u8]) -> Option<u16> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    words.next().filter(|version| version.starts_with("HTTP/"))?;
    words.next()?.parse().ok().filter(|status| (100..=599).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_first_line_of_http_has_a_status() {
        for (line, expected) in [
            ("HTTP/1.1 200 OK\r\n", Some(200)),
            ("HTTP/1.0 404\r\n", Some(404)),
            ("HTTP/2 500 x", Some(500)),
            ("SSH-2.0-OpenSSH_9.6\r\n", None),
            ("HTTP/1.1\r\n", None),
            ("HTTP/1.1 000 x\r\n", None),
            ("", None),
        ] {
            assert_eq!(status(line.as_bytes()), expected, "{line}");
        }
    }
}
