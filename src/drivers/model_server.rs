//! A scripted model behind one protocol, on loopback: parses each request of a host, asks the script, and encodes the
//! answer. Other requests are answered only if the driver lists them; everything else is rejected and recorded.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use super::http::{HttpRequest, HttpResponse, HttpServer};
use super::script::{Exchange, ModelReply, ModelRequest, ModelScript};

/// How many bytes of a request count as one token. Hosts ask for the count of what they are about to include and leave
/// out what is too large, so the answer follows the size.
const BYTES_PER_TOKEN: usize = 4;

/// One wire protocol of model requests.
pub trait Protocol: Send + Sync {
    /// The path of model requests, sent with `POST`.
    fn path(&self) -> &'static str;
    /// Parses a request body.
    ///
    /// # Errors
    /// A message if it is not a request of this protocol.
    fn parse(&self, body: Value) -> Result<ModelRequest, String>;
    /// Encodes the answer; `id` makes its ids unique.
    fn encode(&self, reply: &ModelReply, request: &ModelRequest, id: &str) -> HttpResponse;
    /// The path of requests for the number of tokens in a model request, and the field of the answer with that number,
    /// if the protocol has such requests.
    fn token_count(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

/// A request that a host sends outside of any conversation, and its answer.
#[derive(Debug, Clone, Copy)]
pub struct FixedAnswer {
    /// For example `HEAD`.
    pub method: &'static str,
    /// The path without its query.
    pub path: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// The JSON body of the answer.
    pub body: &'static str,
}

/// A running scripted model.
pub struct ModelServer {
    server: HttpServer,
    script: Arc<Mutex<ModelScript>>,
}

/// The ids of answers. A session may continue in another start of the host with another server, and ids must never
/// repeat.
struct AnswerIds {
    /// A prefix that no other server uses.
    server: String,
    next: AtomicUsize,
}

impl AnswerIds {
    fn new() -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self { server: HEXLOWER.encode(&random), next: AtomicUsize::new(1) })
    }

    fn next(&self) -> String {
        format!("{}_{}", self.server, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

impl ModelServer {
    /// Starts a model with an empty script, which rejects every model request.
    ///
    /// # Errors
    /// When no port can be bound, or the system provides no random bytes.
    pub fn start(protocol: &'static dyn Protocol, fixed: &'static [FixedAnswer]) -> io::Result<Self> {
        let script = Arc::new(Mutex::new(ModelScript::default()));
        let (shared, ids) = (Arc::clone(&script), AnswerIds::new()?);
        let server = HttpServer::start(move |request| answer(protocol, fixed, &shared, &ids, request))?;
        Ok(Self { server, script })
    }

    /// The base URL of all its paths, which includes the secret.
    pub fn address(&self) -> String {
        self.server.address()
    }

    /// Switches to another script, and returns the exchange under the previous one.
    pub fn switch_script(&self, script: ModelScript) -> Exchange {
        std::mem::replace(&mut *lock(&self.script), script).finish()
    }

    /// Rejects every model request from now on, and returns the exchange.
    pub fn finish(&self) -> Exchange {
        self.switch_script(ModelScript::default())
    }
}

fn lock(script: &Mutex<ModelScript>) -> MutexGuard<'_, ModelScript> {
    script.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(
    protocol: &dyn Protocol,
    fixed: &[FixedAnswer],
    script: &Mutex<ModelScript>,
    ids: &AnswerIds,
    request: &HttpRequest,
) -> HttpResponse {
    if let Some(known) =
        fixed.iter().find(|known| known.method == request.method && known.path == request.path)
    {
        return HttpResponse {
            status: known.status,
            content_type: "application/json",
            body: known.body.into(),
        };
    }
    if let Some((path, field)) = protocol.token_count()
        && (request.method.as_str(), request.path.as_str()) == ("POST", path)
    {
        return HttpResponse::json(200, &json!({ field: request.body.len().div_ceil(BYTES_PER_TOKEN) }));
    }
    let mut script = lock(script);
    if request.method != "POST" || request.path != protocol.path() {
        let sentence =
            format!("`{} {}` is not a request that the script knows", request.method, request.path);
        script.reject(sentence.clone());
        return rejection(&sentence);
    }
    let body = serde_json::from_slice(&request.body)
        .map_err(|error| format!("the request body is not valid JSON: {error}"));
    match body.and_then(|body| protocol.parse(body)) {
        Err(sentence) => {
            script.reject(sentence.clone());
            rejection(&sentence)
        }
        Ok(parsed) => match script.answer(parsed.clone()) {
            Ok(reply) => protocol.encode(&reply, &parsed, &ids.next()),
            Err(sentence) => rejection(&sentence),
        },
    }
}

/// An error in the format that hosts of all three protocols show to the user.
fn rejection(sentence: &str) -> HttpResponse {
    let message = format!("rejected by the scripted model: {sentence}");
    HttpResponse::json(
        400,
        &json!({ "type": "error", "error": { "type": "invalid_request_error", "message": message } }),
    )
}

/// One server-sent event; without a name if the protocol has none.
pub(super) fn event(name: Option<&str>, data: &Value) -> String {
    match name {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}

/// The texts of a content field: a string, or a list of parts with a `text`.
pub(super) fn texts_of(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => {
            parts.iter().filter_map(|part| Some(part.get("text")?.as_str()?.to_owned())).collect()
        }
        _ => Vec::new(),
    }
}

/// The text of a string field; empty if it is absent or not a string.
pub(super) fn text_field(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The elements of a list field; empty if it is absent or not a list.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
