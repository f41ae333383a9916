//! `repo size item`: whether one item of work is small enough.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangeSizes, ItemSize, Thresholds, measure};
use crate::read::tree::Node;
use crate::runtime::answer::{CallFailure, Delivery, MALFORMED};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;

options! {
    /// Check whether one item of work is small enough
    ///
    /// Reads the item's files on standard input: a JSON list of paths, or an object with `id` and `files`.
    /// More than 5 files, 2 surfaces or 300 changed lines are too much; `[runtime.polish]` in `plugcast.toml`
    /// sets other numbers.
    ///
    /// Exit codes: 0 answered; 2 wrong call; 4 no files, or a malformed document; 5 no such ref, no
    /// repository; 7 git took too long.
    pub struct Options {
        /// The base: a branch, a tag or a commit
        base: String = "--base <REF>",
    }
    examples: ["echo '[\"app/a.rb\"]' | plugcast-run repo size item --base main"]
}

/// The answer of `repo size item`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// The size.
    #[serde(flatten)]
    pub size: ItemSize,
    /// The limits that were applied.
    pub thresholds: Thresholds,
}

/// Runs the command.
///
/// # Errors
/// `empty_item`, `malformed_json`, `bad_ref`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let repository = Repository::find(environment, &environment.folder)?;
    let text = environment.input_text()?;
    let node = document::json_text(&text, STDIN)?;
    let (id, files) = read(&node, &text)?;
    let thresholds = Thresholds::read(&repository)?;
    let changed = ChangeSizes::size_since(&repository, &options.base)?;
    let size = ItemSize::new(id, measure(&changed, &files, &thresholds));
    Ok(Delivery::from_answer(&Response { size, thresholds }))
}

/// The name of standard input in messages.
pub(super) const STDIN: &str = "<stdin>";

/// An item's name and files.
///
/// # Errors
/// `empty_item`, `malformed_item`.
pub(super) fn read(node: &Node, text: &str) -> Result<(Option<String>, Vec<String>), CallFailure> {
    let list = if node.items().is_some() { Some(node) } else { node.get("files") };
    let wrong = |code: ErrorCode, message: &str, at: &Node| {
        let (line, col) = document::place(text, at.span.start);
        let hint = "give a list of paths, or an object with `id` and `files`";
        CallFailure::new(MALFORMED, code, message, hint).in_file(STDIN, Some(line), Some(col))
    };
    let Some(items) = list.and_then(Node::items) else {
        return Err(wrong(ErrorCode::MalformedItem, "missing list of files", node));
    };
    let mut files = Vec::new();
    for item in items {
        match item.as_str() {
            Some(path) if !path.is_empty() => files.push(path.to_owned()),
            _ => return Err(wrong(ErrorCode::MalformedItem, "a file is not text", item)),
        }
    }
    if files.is_empty() {
        return Err(wrong(ErrorCode::EmptyItem, "the item has no files", list.unwrap_or(node)));
    }
    Ok((node.get("id").and_then(Node::scalar), files))
}
