//! `codex app-server` of 0.169.0: one JSON message per line on standard input and output, with an id for each call and
//! without the `jsonrpc` field.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::home::CodexHome;
use crate::process::{ChildLine, RunningChild};

/// A running server.
pub struct AppServer {
    host: RunningChild,
    calls: u64,
}

impl AppServer {
    /// Starts the server in a home and sends the handshake.
    ///
    /// # Errors
    /// When it does not start or does not answer.
    pub fn start(home: &CodexHome) -> Result<Self> {
        let command = home.command(home.project()).argument("app-server");
        let mut server = Self { host: command.start().context("cannot start `codex app-server`")?, calls: 0 };
        let client = json!({ "name": "plugcast", "title": "plugcast", "version": env!("CARGO_PKG_VERSION") });
        server.call(
            "initialize",
            &json!({ "clientInfo": client, "capabilities": { "experimentalApi": true } }),
        )?;
        server.host.write_line(&json!({ "method": "initialized" }).to_string())?;
        Ok(server)
    }

    /// Calls a method and waits for its result; messages in between are skipped.
    ///
    /// # Errors
    /// When the server answers with an error, ends, or times out.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.calls += 1;
        let id = self.calls;
        self.host.write_line(&json!({ "id": id, "method": method, "params": parameters }).to_string())?;
        loop {
            match self.host.next_line() {
                ChildLine::Text(line) => {
                    let mut message: Value = serde_json::from_str(&line).unwrap_or_default();
                    if message["id"] != id || message.get("method").is_some() {
                        continue;
                    }
                    match message.get("error") {
                        Some(error) => bail!("`{method}` of `codex app-server` answers `{error}`"),
                        None => return Ok(message["result"].take()),
                    }
                }
                ChildLine::End => bail!("`codex app-server` ended: {}", self.host.stderr_so_far().trim()),
                ChildLine::Late => bail!("`codex app-server` did not answer `{method}`"),
            }
        }
    }
}
