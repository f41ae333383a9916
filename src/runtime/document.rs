//! Documents that a person or a tool wrote: read whole, and malformed ones answered with the file, the
//! line and the column, never taken for absent.

use std::path::Path;

use super::answer::{Failure, MALFORMED};
use crate::disk;
use crate::read::tree::{Fault, Node};
use crate::read::{json, yaml};
use crate::source::{LineIndex, Span};

/// Reads a text file; `None` when there is none.
///
/// # Errors
/// `file_unreadable`.
pub fn text(path: &Path) -> Result<Option<String>, Failure> {
    disk::read_text(path)
        .map_err(|error| Failure::environment("file_unreadable", error.to_string(), error.help()))
}

/// Reads a JSON file; `None` when there is none. `name` is how answers call it.
///
/// # Errors
/// `malformed_json` with the place.
pub fn json_file(path: &Path, name: &str) -> Result<Option<Node>, Failure> {
    text(path)?.map(|text| json_text(&text, name)).transpose()
}

/// Reads JSON.
///
/// # Errors
/// As [`json_file`].
pub fn json_text(text: &str, name: &str) -> Result<Node, Failure> {
    whole(json::parse(text), text, name, "malformed_json")
}

/// Reads a YAML file; `None` when there is none.
///
/// # Errors
/// `malformed_yaml` with the place.
pub fn yaml_file(path: &Path, name: &str) -> Result<Option<Node>, Failure> {
    let Some(text) = text(path)? else { return Ok(None) };
    let read = yaml::parse(&text, Span::new(0, text.len()));
    if read.1.is_empty() && read.0.is_none() {
        return Ok(None);
    }
    // What a host would read in its own way is malformed here all the same.
    let strict =
        |fault: &mut Fault| fault.rescued = ["byte-order-mark", "duplicate-key"].contains(&fault.rule);
    let (node, mut faults) = read;
    faults.iter_mut().for_each(strict);
    whole((node, faults), &text, name, "malformed_yaml").map(Some)
}

fn whole(
    (node, faults): (Option<Node>, Vec<Fault>),
    text: &str,
    name: &str,
    code: &str,
) -> Result<Node, Failure> {
    let fault = faults.into_iter().find(|fault| !fault.rescued);
    match (node, fault) {
        (Some(node), None) => Ok(node),
        (_, fault) => {
            let (message, help, at) = fault.map_or_else(
                || ("the document is empty".to_owned(), "write one".to_owned(), 0),
                |fault| (fault.message, fault.help, fault.span.start),
            );
            let (line, col) = place(text, at);
            Err(Failure::new(MALFORMED, code, message, help).at(name, Some(line), Some(col)))
        }
    }
}

/// Line and column of a byte, both from 1, the column in characters.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let position = LineIndex::new(text).position(text, at.min(text.len()));
    (position.line, position.column)
}
