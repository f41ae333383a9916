//! `opencode serve` of 1.18.33: one start answers the lists and runs commands in sessions.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::home::Home;
use crate::drivers::observation::LIMIT;
use crate::drivers::script::{Conversation, Exchange, Reply, Script, Step};
use crate::process::{Line, Running};

/// The log goes to standard error, since the log file loses its end when the server is killed.
const SERVE: [&str; 8] =
    ["serve", "--hostname", "127.0.0.1", "--port", "0", "--print-logs", "--log-level", "WARN"];

/// A running server.
pub struct Server {
    host: Running,
    address: String,
    query: String,
    /// The server runs whatever it is told: other users of the machine must not reach it.
    authorization: String,
    client: ureq::Agent,
}

/// What one message to a session brought.
pub struct Turn {
    /// What passed between the host and the model.
    pub exchange: Exchange,
    /// What the server answered when it refused.
    pub refusal: Option<String>,
}

impl Server {
    /// Starts the server and waits for its address.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(home: &Home) -> Result<Self> {
        let password = password();
        let command = home
            .command(&home.project())
            .arguments(SERVE)
            .environment([("OPENCODE_SERVER_PASSWORD", password.as_str())]);
        let mut host = command.start().context("cannot start `opencode serve`")?;
        let address = loop {
            match host.next_line() {
                Line::Text(line) => match line.split_once("listening on ") {
                    Some((_, address)) => break address.trim().to_owned(),
                    None => continue,
                },
                Line::End => bail!("`opencode serve` ended: {}", host.stderr_so_far().trim()),
                Line::Late => bail!("`opencode serve` did not name its address"),
            }
        };
        let limit: Duration = LIMIT;
        // A proxy of the user's environment is not for loopback.
        let config = ureq::Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(limit))
            .build();
        let query = format!("directory={}", escaped(&home.project().to_string_lossy()));
        let authorization = format!("Basic {}", base64(format!("opencode:{password}").as_bytes()));
        Ok(Self { host, address, query, authorization, client: config.into() })
    }

    /// Reads a list; `Err` of the inner result is what the host says instead.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn get(&self, path: &str) -> Result<Result<Value, String>> {
        let url = format!("{}{path}?{}", self.address, self.query);
        let response = self
            .client
            .get(&url)
            .header("authorization", &self.authorization)
            .call()
            .with_context(|| format!("`opencode serve` does not answer `GET {path}`"))?;
        read(response)
    }

    fn post(&self, path: &str, body: &Value) -> Result<Result<Value, String>> {
        let url = format!("{}{path}?{}", self.address, self.query);
        let response = self
            .client
            .post(&url)
            .header("authorization", &self.authorization)
            .send_json(body)
            .with_context(|| format!("`opencode serve` does not answer `POST {path}`"))?;
        read(response)
    }

    /// Opens a session.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn session(&self) -> Result<String> {
        match self.post("/session", &json!({}))? {
            Ok(session) => Ok(session["id"].as_str().context("a session has an id")?.to_owned()),
            Err(refusal) => bail!("`opencode serve` opens no session: {refusal}"),
        }
    }

    /// Sends a prompt to a session and waits for the end of the turn.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn prompt(&self, home: &Home, session: &str, text: &str, conversation: Conversation) -> Result<Turn> {
        self.turn(
            home,
            &format!("/session/{session}/message"),
            &json!({ "parts": [{ "type": "text", "text": text }] }),
            conversation,
        )
    }

    /// Runs a command in a session and waits for the end of the turn.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn command(
        &self,
        home: &Home,
        session: &str,
        name: &str,
        conversation: Conversation,
    ) -> Result<Turn> {
        self.turn(
            home,
            &format!("/session/{session}/command"),
            &json!({ "command": name, "arguments": "" }),
            conversation,
        )
    }

    fn turn(&self, home: &Home, path: &str, body: &Value, conversation: Conversation) -> Result<Turn> {
        home.model.follow(Script::default().with(titles()).with(conversation));
        let answer = self.post(path, body)?;
        // A title may still be asked for when the turn has ended.
        let exchange = home.model.follow(Script::default().with(titles()));
        Ok(Turn { exchange, refusal: answer.err() })
    }

    /// Ends the server and returns its log: warnings and errors.
    pub fn end(self) -> String {
        self.host.end()
    }
}

/// The host asks for a title of each session, without tools, beside the conversation.
pub fn titles() -> Conversation {
    let title = Step::reply(Reply::text("title")).any_number();
    Conversation::new("title", |request| request.tools.is_empty()).then(title)
}

fn read(mut response: ureq::http::Response<ureq::Body>) -> Result<Result<Value, String>> {
    let status = response.status();
    let text = response
        .body_mut()
        .with_config()
        .limit(64 << 20)
        .read_to_string()
        .context("the answer is cut off")?;
    if !status.is_success() {
        return Ok(Err(format!("HTTP {}: {text}", status.as_u16())));
    }
    Ok(serde_json::from_str(&text).map_err(|_| format!("no JSON: {text}")))
}

/// 128 bits that nobody else knows, from the keys that the standard library draws for its hashers.
fn password() -> String {
    let draw = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", draw(), draw())
}

/// Base64 with padding, for the authorization header.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0, |group, byte| group << 8 | usize::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[group >> (18 - 6 * place) & 63];
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Percent-encodes a path for a query.
fn escaped(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    path.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_for_the_header() {
        let encoded: Vec<String> =
            ["", "M", "Ma", "Man", "light w"].map(|text| base64(text.as_bytes())).into();
        assert_eq!(encoded, ["", "TQ==", "TWE=", "TWFu", "bGlnaHQgdw=="]);
        assert!(password().len() == 32 && password() != password());
    }

    #[test]
    fn escapes_a_path() {
        assert_eq!(escaped("/a b/ü&c"), "/a%20b/%C3%BC%26c");
    }
}
