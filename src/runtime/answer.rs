//! The helper's answers: one JSON object on one line, and an exit code for the kind of answer. `--format text` prints
//! the same for people, `--format sentinel` single words for scripts.

use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::error_code::ErrorCode;
use super::pretty_json;
use super::published::codes;
use crate::printable::{block, json, line, sentence};
use crate::runtime::command_line::choices;

/// Exit code: answered, even if the answer is `none`.
pub const OK: u8 = 0;
/// Exit code: the call is wrong, or a path leaves the repository.
pub const USAGE: u8 = 2;
/// Exit code: a rule forbids it.
pub const REFUSED: u8 = 3;
/// Exit code: a document is malformed, or something named is missing from our store.
pub const MALFORMED: u8 = 4;
/// Exit code: this machine, git, GitHub or the network failed.
pub const ENVIRONMENT: u8 = 5;
/// Exit code: another process holds it, or it has changed.
pub const CONTENDED: u8 = 6;
/// Exit code: it took too long.
pub const TIMEOUT: u8 = 7;
/// Exit code: interrupted.
pub const INTERRUPTED: u8 = 130;

choices! {
    /// How an answer is printed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ResponseFormat {
        /// One JSON object on one line
        Json = "json",
        /// Single words for scripts if the command has them, otherwise as `text`
        Sentinel = "sentinel",
        /// For people
        Text = "text",
    }
}

/// What is printed with any exit code other than 0. If no command was reached, `schema` is `rt.error/1`;
/// the launcher of a bundle prints the same shape when it has no binary for the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorResponse {
    /// `rt.error/1`, or the schema of the command.
    pub schema: String,
    /// Exit code 2 or 5: `error`; 3: `refused`; 4: `malformed`; 6: `contended`; 7: `timeout`; 130:
    /// `interrupted`.
    pub status: String,
    /// What went wrong.
    pub error: ErrorDetail,
}

/// One error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorDetail {
    /// A short name: `usage`, `helper_too_old`, `sandboxed`, or one of the command's own; `helper_missing` from a
    /// launcher.
    pub code: ErrorCode,
    /// A sentence for people.
    pub message: String,
    /// The document that the error is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in it, from 1, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub col: Option<usize>,
    /// What to do.
    pub hint: String,
}

impl ErrorDetail {
    /// The location for people: `file`, `file:line` or `file:line:column`.
    fn place(&self) -> Option<String> {
        let numbers = [self.line, self.col].into_iter().map_while(|number| number);
        let file = self.file.clone()?;
        Some(numbers.fold(file, |place, number| format!("{place}:{number}")))
    }
}

/// An answer with an exit code other than 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// The exit code.
    pub exit: u8,
    /// What is printed.
    pub error: Box<ErrorDetail>,
    /// What is printed for people, if the text is fixed.
    pub text: Option<String>,
    /// What is printed for scripts, and the exit code that goes with it.
    pub sentinel: Option<(String, u8)>,
    /// What is printed as JSON, if the answer holds more than the error.
    pub body: Option<String>,
}

impl CallFailure {
    /// A failure with its exit code, a short name, a sentence and what to do, each printable, on one line and not endless.
    pub fn new(exit: u8, code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        // Skills print both as they are.
        let error = ErrorDetail {
            code,
            message: sentence(&message.into()).into_owned(),
            hint: sentence(&hint.into()).into_owned(),
            file: None,
            line: None,
            col: None,
        };
        Self { exit, error: Box::new(error), text: None, sentinel: None, body: None }
    }

    /// The call is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(USAGE, ErrorCode::Usage, message, "see `plugcast-run --help`")
    }

    /// This machine, git, GitHub or the network failed.
    pub fn environment(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ENVIRONMENT, code, message, hint)
    }

    /// This helper, of version `own`, is older than what the caller needs.
    pub fn too_old(own: &str, needed: &Version) -> Self {
        let message = format!("this `plugcast-run` is {own}, and `{needed}` or newer is needed");
        let hint = format!("update the plugin, or build it again with plugcast {needed} or newer");
        Self::new(ENVIRONMENT, ErrorCode::HelperTooOld, message, hint)
    }

    /// It was interrupted.
    pub fn interrupted() -> Self {
        Self::new(INTERRUPTED, ErrorCode::Interrupted, "interrupted", "run it again")
    }

    /// The same with another hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.error.hint = sentence(&hint.into()).into_owned();
        self
    }

    /// The same with a location in a document.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>, line: Option<usize>, col: Option<usize>) -> Self {
        self.error.file = Some(file.into());
        (self.error.line, self.error.col) = (line, col);
        self
    }

    /// The same with a fixed text for people.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// The same with an answer that holds the error.
    #[must_use]
    pub fn within_answer(mut self, answer: &impl Serialize) -> Self {
        self.body = serde_json::to_string(answer).ok();
        self
    }

    /// The value of `status`.
    pub fn status(&self) -> &'static str {
        match self.exit {
            REFUSED => "refused",
            MALFORMED => "malformed",
            CONTENDED => "contended",
            TIMEOUT => "timeout",
            INTERRUPTED => "interrupted",
            _ => "error",
        }
    }

    /// What is printed for the command `schema`, and the exit code.
    pub fn print(&self, schema: &str, format: ResponseFormat) -> (String, u8) {
        let people = || match &self.text {
            Some(text) => format!("{}\n", block(text.trim_end())),
            None => format!(
                "error: {}\n{}help: {}\n",
                line(&self.error.message),
                self.error.place().map_or_else(String::new, |place| format!("  --> {}\n", line(&place))),
                line(&self.error.hint)
            ),
        };
        match (format, &self.sentinel) {
            (ResponseFormat::Json, _) if self.body.is_some() => {
                (with_schema(schema, self.body.as_deref().unwrap_or_default()), self.exit)
            }
            (ResponseFormat::Json, _) => {
                let (schema, status) = (schema.to_owned(), self.status().to_owned());
                let answer = ErrorResponse { schema, status, error: (*self.error).clone() };
                // Strings and numbers always serialize.
                (json(&serde_json::to_string(&answer).unwrap_or_default()).into_owned() + "\n", self.exit)
            }
            (ResponseFormat::Sentinel, Some((text, exit))) => (format!("{}\n", line(text)), *exit),
            (ResponseFormat::Sentinel, None) if self.exit == ENVIRONMENT && codes::is_for_scripts(schema) => {
                (people(), codes::OF_SCRIPTS)
            }
            (ResponseFormat::Sentinel, None) | (ResponseFormat::Text, _) => (people(), self.exit),
        }
    }
}

/// An answer with exit code 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// A JSON object.
    body: String,
    text: Option<String>,
    sentinel: Option<String>,
    /// Whether the body is printed unchanged, on several lines.
    whole: bool,
    /// The words of the command that undoes what was done, run if the answer cannot be printed.
    undo: Vec<String>,
}

impl Delivery {
    /// An answer, by its type, which has a field `status`.
    pub fn from_answer<T: Serialize>(answer: &T) -> Self {
        // Answer types always serialize to JSON.
        let body = serde_json::to_string(answer).unwrap_or_default();
        Self { body, text: None, sentinel: None, whole: false, undo: Vec::new() }
    }

    /// A JSON document, printed unchanged.
    pub fn document(body: &Value) -> Self {
        let body = pretty_json::text(body);
        Self { body, text: None, sentinel: None, whole: true, undo: Vec::new() }
    }

    /// The same with its text for people.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// The same with its words for scripts.
    #[must_use]
    pub fn sentinel(mut self, words: impl Into<String>) -> Self {
        self.sentinel = Some(words.into());
        self
    }

    /// The same with the words of the command that undoes what was done.
    #[must_use]
    pub fn undone_by(mut self, words: &[&str]) -> Self {
        self.undo = words.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    /// The words of the command that undoes what was done; empty if nothing has to be.
    pub fn undo(&self) -> &[String] {
        &self.undo
    }

    /// What is printed for the command `schema`.
    pub fn print(&self, schema: &str, format: ResponseFormat) -> String {
        if self.whole {
            return format!("{}\n", json(&self.body));
        }
        let fixed = match format {
            ResponseFormat::Json => None,
            ResponseFormat::Text => self.text.as_ref(),
            ResponseFormat::Sentinel => self.sentinel.as_ref().or(self.text.as_ref()),
        };
        match (format, fixed) {
            (_, Some(text)) => format!("{}\n", block(text.trim_end())),
            (ResponseFormat::Json, None) => with_schema(schema, &self.body),
            (_, None) => {
                let mut out = String::new();
                indented_json(&serde_json::from_str(&self.body).unwrap_or_default(), 0, &mut out);
                out
            }
        }
    }
}

/// A text of an answer that is shown, and that no call takes: it is printable, on one line, and not endless.
pub trait ShownText {
    /// Serializes it.
    ///
    /// # Errors
    /// What `serializer` fails with.
    fn shown<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

impl ShownText for String {
    fn shown<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&sentence(self))
    }
}

impl ShownText for Option<String> {
    fn shown<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_deref().map(sentence).serialize(serializer)
    }
}

impl ShownText for Vec<String> {
    fn shown<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|text| sentence(text)))
    }
}

/// The object on one line, with the name of its schema first.
fn with_schema(schema: &str, body: &str) -> String {
    let body = json(body);
    let rest = body.strip_prefix('{').unwrap_or("}");
    let comma = if rest == "}" { "" } else { "," };
    // The name of a schema needs no escapes.
    format!("{{\"schema\":\"{schema}\"{comma}{rest}\n")
}

/// JSON as indented lines.
fn indented_json(value: &Value, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    let scalar = |value: &Value| match value {
        Value::Null => Some("none".to_owned()),
        Value::String(text) => Some(line(text).into_owned()),
        Value::Array(items) if items.is_empty() => Some("none".to_owned()),
        Value::Object(_) | Value::Array(_) => None,
        other => Some(other.to_string()),
    };
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match scalar(value) {
                    Some(text) => *out += &format!("{pad}{}: {text}\n", line(key)),
                    None => {
                        *out += &format!("{pad}{}:\n", line(key));
                        indented_json(value, depth + 1, out);
                    }
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                match scalar(item) {
                    Some(text) => *out += &format!("{pad}- {text}\n"),
                    None => {
                        let mut inner = String::new();
                        indented_json(item, depth + 1, &mut inner);
                        *out += &format!("{pad}- {}", inner.trim_start());
                    }
                }
            }
        }
        other => *out += &format!("{pad}{}\n", scalar(other).unwrap_or_default()),
    }
}
