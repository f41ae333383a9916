//! `opencode serve` of 1.18.33: one start answers the lists and runs commands in sessions.

use std::hash::{BuildHasher, RandomState};
use std::io::Read;

use anyhow::{Context, Result, bail, ensure};
use data_encoding::BASE64;
use minreq::{Method, Request, ResponseLazy};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::home::OpenCodeHome;
use crate::drivers::observation::LIMIT;
use crate::drivers::script::{Conversation, Exchange, ModelReply, ModelScript, ScriptStep};
use crate::process::{ChildLine, RunningChild};

/// The log goes to standard error, since the log file loses its end when the server is killed.
const SERVE: [&str; 8] =
    ["serve", "--hostname", "127.0.0.1", "--port", "0", "--print-logs", "--log-level", "WARN"];

/// The characters to escape in a path within a query.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// The maximum size of an answer.
const LONGEST: u64 = 64 << 20;

/// A running server.
pub struct OpenCodeServer {
    host: RunningChild,
    address: String,
    query: String,
    /// The server executes any request, so other users of the machine must not have access.
    authorization: String,
}

/// The result of one message to a session.
pub struct SessionTurn {
    /// What passed between the host and the model.
    pub exchange: Exchange,
    /// The answer of the server if it refused.
    pub refusal: Option<String>,
}

impl OpenCodeServer {
    /// Starts the server and waits for its address.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start(home: &OpenCodeHome) -> Result<Self> {
        let password = password();
        let command = home
            .command(home.project())
            .arguments(SERVE)
            .environment([("OPENCODE_SERVER_PASSWORD", password.as_str())]);
        let mut host = command.start().context("cannot start `opencode serve`")?;
        let address = loop {
            match host.next_line() {
                ChildLine::Text(line) => match line.split_once("listening on ") {
                    Some((_, address)) => break address.trim().to_owned(),
                    None => continue,
                },
                ChildLine::End => bail!("`opencode serve` ended: {}", host.stderr_so_far().trim()),
                ChildLine::Late => bail!("`opencode serve` did not name its address"),
            }
        };
        let project = home.project();
        let query = format!("directory={}", utf8_percent_encode(&project.to_string_lossy(), ESCAPED));
        let authorization = format!("Basic {}", BASE64.encode(format!("opencode:{password}").as_bytes()));
        Ok(Self { host, address, query, authorization })
    }

    /// Requests a list; the inner `Err` is the error of the host.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn get(&self, path: &str) -> Result<Result<Value, String>> {
        self.ask(Method::Get, path, None)
    }

    fn post(&self, path: &str, body: &Value) -> Result<Result<Value, String>> {
        self.ask(Method::Post, path, Some(body))
    }

    fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Result<Value, String>> {
        let call = format!("{method} {path}");
        let mut request = Request::new(method, format!("{}{path}?{}", self.address, self.query))
            .with_header("authorization", &self.authorization)
            .with_timeout(LIMIT.as_secs())
            .with_follow_redirects(false);
        if let Some(body) = body {
            request = request.with_header("content-type", "application/json").with_body(body.to_string());
        }
        let response =
            request.send_lazy().with_context(|| format!("`opencode serve` does not answer `{call}`"))?;
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
    pub fn prompt(
        &self,
        home: &OpenCodeHome,
        session: &str,
        text: &str,
        conversation: Conversation,
    ) -> Result<SessionTurn> {
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
        home: &OpenCodeHome,
        session: &str,
        name: &str,
        conversation: Conversation,
    ) -> Result<SessionTurn> {
        self.turn(
            home,
            &format!("/session/{session}/command"),
            &json!({ "command": name, "arguments": "" }),
            conversation,
        )
    }

    fn turn(
        &self,
        home: &OpenCodeHome,
        path: &str,
        body: &Value,
        conversation: Conversation,
    ) -> Result<SessionTurn> {
        home.model.switch_script(
            ModelScript::default().with_conversation(titles()).with_conversation(conversation),
        );
        let answer = self.post(path, body)?;
        // The host may still request a title after the turn has ended.
        let exchange = home.model.switch_script(ModelScript::default().with_conversation(titles()));
        Ok(SessionTurn { exchange, refusal: answer.err() })
    }

    /// Ends the server and returns its log: warnings and errors.
    pub fn end(self) -> String {
        self.host.end()
    }
}

/// The host requests a title for each session, without tools, in a separate conversation.
pub fn titles() -> Conversation {
    let title = ScriptStep::reply(ModelReply::text("title")).any_number();
    Conversation::new("title", |request| request.tools.is_empty()).then(title)
}

fn read(mut response: ResponseLazy) -> Result<Result<Value, String>> {
    let length = response.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|(_, length)| length.parse::<u64>().ok());
    let mut bytes = Vec::new();
    let read =
        response.by_ref().take(LONGEST + 1).read_to_end(&mut bytes).context("the answer is cut off")?;
    ensure!(read as u64 <= LONGEST, "the answer is longer than {} MiB", LONGEST >> 20);
    ensure!(length.is_none_or(|length| length == read as u64), "the answer is cut off");
    let text = String::from_utf8_lossy(&bytes);
    let status = response.status_code;
    if !(200..300).contains(&status) {
        return Ok(Err(format!("HTTP {status}: {text}")));
    }
    Ok(serde_json::from_str(&text).map_err(|_| format!("no JSON: {text}")))
}

/// 128 secret bits from the random keys of the standard library's hashers.
fn password() -> String {
    let draw = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", draw(), draw())
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::Write;
    use std::net::TcpListener;

    /// The result of reading an answer with these bytes.
    fn answered(bytes: &[u8]) -> Result<Result<Value, String>> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/list?a=b", listener.local_addr().unwrap());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 4096];
                let read = stream.read(&mut request).unwrap();
                assert!(request[..read].starts_with(b"GET /list?a=b HTTP/1.1\r\n"));
                stream.write_all(bytes).unwrap();
            });
            read(Request::new(Method::Get, url).with_timeout(LIMIT.as_secs()).send_lazy()?)
        })
    }

    #[test]
    fn answers_are_read_whatever_their_status() {
        let list = answered(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]");
        assert_eq!(list.unwrap(), Ok(json!([])));
        let chunks =
            answered(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\n");
        assert_eq!(chunks.unwrap(), Ok(json!([])));
        let refused = answered(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nno");
        assert_eq!(refused.unwrap(), Err("HTTP 400: no".to_owned()));
        let other = answered(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>");
        assert_eq!(other.unwrap(), Err("no JSON: <html>".to_owned()));
        let cut = answered(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[]");
        assert_eq!(cut.unwrap_err().to_string(), "the answer is cut off");
    }

    #[test]
    fn every_server_gets_a_separate_password() {
        assert!(password().len() == 32 && password() != password());
    }

    #[test]
    fn escapes_a_path() {
        assert_eq!(utf8_percent_encode("/a b/ü&c", ESCAPED).to_string(), "/a%20b/%C3%BC%26c");
    }
}
