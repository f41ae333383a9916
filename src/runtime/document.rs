//! Documents that the user or a tool wrote. A malformed one is an error with file, line and column, and never treated
//! as missing.

use std::path::Path;

use super::answer::{CallFailure, MALFORMED};
use super::error_code::ErrorCode;
use crate::disk;
use crate::read::tree::{FaultKind, Node, NodeKind, ReadFault, Value};
use crate::read::{json, yaml};
use crate::source::{LineIndex, Span};

/// Reads a text file; `None` when there is none.
///
/// # Errors
/// `file_unreadable`, also if it is not a regular file or larger than 64 MiB; `not_utf8`.
pub fn text(path: &Path) -> Result<Option<String>, CallFailure> {
    let bytes = disk::read_bytes(path).map_err(|error| {
        CallFailure::environment(ErrorCode::FileUnreadable, error.to_string(), error.help())
    })?;
    bytes.map(|bytes| utf8(bytes, &path.display().to_string())).transpose()
}

/// The same for a file of a repository. A link must stay inside it, so that no answer reveals the content of a file
/// elsewhere.
///
/// # Errors
/// As [`text`].
pub fn project_text(path: &Path) -> Result<Option<String>, CallFailure> {
    let top = path.ancestors().skip(1).find(|folder| disk::kind(&folder.join(".git")).is_some());
    // A broken link counts as a missing file.
    if top.is_some_and(|top| disk::canonical(path).is_ok() && !disk::is_inside(top, path)) {
        let message = format!("`{}` is a link that leads out of the repository", path.display());
        return Err(CallFailure::environment(ErrorCode::FileUnreadable, message, "put a file in its place"));
    }
    text(path)
}

/// Bytes without the byte order mark that some editors write.
pub fn without_mark(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    bytes
}

/// The byte order mark.
pub const MARK: &[u8] = "\u{feff}".as_bytes();

/// The text of a document, without a byte order mark. Messages call it `name`.
///
/// # Errors
/// `not_utf8` with the place.
pub fn utf8(bytes: Vec<u8>, name: &str) -> Result<String, CallFailure> {
    String::from_utf8(without_mark(bytes)).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let good = String::from_utf8_lossy(good);
        let (line, col) = place(&good, good.len());
        let message = format!("`{name}` is not valid UTF-8 from byte {} on", good.len());
        CallFailure::new(MALFORMED, ErrorCode::NotUtf8, message, "write it in UTF-8").in_file(
            name,
            Some(line),
            Some(col),
        )
    })
}

/// The failure for a document, ours or a reviewer's, that is not valid JSON.
pub fn no_json(error: &serde_json::Error, name: &str, hint: &str) -> CallFailure {
    // After the last line feed, the column would be 0.
    let (line, col) = (error.line().max(1), error.column().max(1));
    // The location has its own fields.
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    CallFailure::new(MALFORMED, ErrorCode::MalformedJson, message, hint).in_file(name, Some(line), Some(col))
}

/// Reads a file with one JSON object; `None` when there is none. Messages call it `name`.
///
/// # Errors
/// `malformed_json` with the place.
pub fn object_file(path: &Path, name: &str) -> Result<Option<Node>, CallFailure> {
    let Some(text) = project_text(path)? else { return Ok(None) };
    let node = json_text(&text, name)?;
    if matches!(node.value, Value::Map(_)) {
        return Ok(Some(node));
    }
    let (line, col) = place(&text, node.span.start);
    let failure =
        CallFailure::new(MALFORMED, ErrorCode::MalformedJson, "this is not an object", "write a JSON object");
    Err(failure.in_file(name, Some(line), Some(col)))
}

/// Reads JSON.
///
/// # Errors
/// As [`object_file`].
pub fn json_text(text: &str, name: &str) -> Result<Node, CallFailure> {
    read_whole(json::parse(text), text, name, ErrorCode::MalformedJson)
}

/// Reads JSON with comments and trailing commas.
///
/// # Errors
/// `malformed_json` with the place.
pub fn jsonc_text(text: &str, name: &str) -> Result<Node, CallFailure> {
    let (node, mut faults) = json::parse_with_comments(text);
    // With a duplicate key, people see the first value, and programs use the last.
    faults.iter_mut().for_each(|fault| fault.rescued &= fault.kind != FaultKind::DuplicateKey);
    read_whole((node, faults), text, name, ErrorCode::MalformedJson)
}

/// Reads YAML; `None` if the text is empty.
///
/// # Errors
/// `malformed_yaml` with the place.
pub fn yaml_text(text: &str, name: &str) -> Result<Option<Node>, CallFailure> {
    let (node, mut faults) = yaml::parse(text, Span::new(0, text.len()));
    if faults.is_empty() && node.is_none() {
        return Ok(None);
    }
    // Malformed here, even where hosts would read it in their own way.
    let strict = |fault: &mut ReadFault| {
        fault.rescued = [FaultKind::ByteOrderMark, FaultKind::DuplicateKey].contains(&fault.kind)
    };
    faults.iter_mut().for_each(strict);
    read_whole((node, faults), text, name, ErrorCode::MalformedYaml).map(Some)
}

/// Refuses a part of a YAML file that is neither missing, null, nor of the kind `wanted`, by
/// [`Node::kind`].
///
/// # Errors
/// `malformed_yaml` with the place of the part, called `what` in the message.
pub fn must_be(
    wanted: NodeKind,
    node: Option<&Node>,
    what: &str,
    (text, name): (&str, &str),
) -> Result<(), CallFailure> {
    let Some(node) = node.filter(|node| ![wanted, NodeKind::Null].contains(&node.kind())) else {
        return Ok(());
    };
    let (line, col) = place(text, node.span.start);
    let message = format!("{what} is {}", node.kind());
    let failure = CallFailure::new(MALFORMED, ErrorCode::MalformedYaml, message, format!("write {wanted}"));
    Err(failure.in_file(name, Some(line), Some(col)))
}

fn read_whole(
    (node, faults): (Option<Node>, Vec<ReadFault>),
    text: &str,
    name: &str,
    code: ErrorCode,
) -> Result<Node, CallFailure> {
    let fault = faults.into_iter().find(|fault| !fault.rescued);
    match (node, fault) {
        (Some(node), None) => Ok(node),
        (_, fault) => {
            let (message, help, at) = fault.map_or_else(
                || ("the document is empty".to_owned(), "write one".to_owned(), 0),
                |fault| (refused_message(&fault, text), fault.help, fault.span.start),
            );
            let (line, col) = place(text, at);
            Err(CallFailure::new(MALFORMED, code, message, help).in_file(name, Some(line), Some(col)))
        }
    }
}

/// The message of a fault that is refused here: of a duplicate key, no value is used.
fn refused_message(fault: &ReadFault, text: &str) -> String {
    match fault.kind {
        FaultKind::DuplicateKey => {
            let key = text.get(fault.span.start..fault.span.end).unwrap_or_default();
            format!("duplicate key `{}`", key.trim_matches('"'))
        }
        _ => fault.message.clone(),
    }
}

/// Line and column of a byte, both from 1, the column in characters.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let position = LineIndex::new(text).position(text, at.min(text.len()));
    (position.line, position.column)
}
