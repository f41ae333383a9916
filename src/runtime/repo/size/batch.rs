//! `repo size batch`: whether the whole change is small enough to go through item by item.

use schemars::JsonSchema;
use serde::Serialize;

use super::item::STDIN;
use super::{ChangeSizes, ItemSize, ItemStatus, Thresholds, item, measure};
use crate::read::tree::Node;
use crate::runtime::answer::{CallFailure, Delivery, MALFORMED, REFUSED};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;

options! {
    /// Check whether the whole change is small enough
    ///
    /// Without items, more than 30 files or 1000 lines are too much (`preemptive`). With `--stdin`, items are
    /// read as JSON, `{"items": [{"id", "files", "action"}]}`: more than half of them oversized is too much
    /// (`majority`), one whose `action` is `replan` halts the round, four are for the user (`escalate`). An
    /// item without `files` gives its `status`.
    ///
    /// Exit codes: 0 answered; 2 wrong call; 3 nothing changed; 4 a malformed document; 5 no such ref, no
    /// repository; 7 git took too long.
    pub struct Options {
        /// The base: a branch, a tag or a commit
        base: String = "--base <REF>",
        /// Read items on standard input
        stdin: bool = "--stdin",
    }
    examples: ["plugcast-run repo size batch --base main", "plugcast-run repo size batch --base main --stdin < items.json"]
}

/// The answer of `repo size batch`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// The most serious of the results below.
    pub status: BatchStatus,
    /// Whether the whole change is too large.
    pub preemptive: bool,
    /// Whether more than half of the items are too large.
    pub majority: bool,
    /// Whether an item is to be planned again: start nothing more in this round.
    pub halt_round: bool,
    /// Whether so many are to be planned again that the user must decide.
    pub escalate: bool,
    /// Files that changed.
    pub files: u64,
    /// Lines that changed.
    pub lines: u64,
    /// Items that are too large.
    pub oversized: usize,
    /// Items to plan again.
    pub replans: usize,
    /// Every item, in the order given.
    pub items: Vec<ItemSize>,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
    /// The limits that were applied.
    pub thresholds: Thresholds,
}

/// What to do about a batch, the most serious last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BatchStatus {
    /// Continue.
    Ok,
    /// Most items are too large: ask whether to continue.
    Majority,
    /// The whole change is too large: ask whether to continue, before items are made.
    Preempt,
    /// Start nothing more in this round.
    HaltRound,
    /// The user decides.
    Escalate,
}

/// Runs the command.
///
/// # Errors
/// `nothing_to_polish`, `malformed_json`, `malformed_item`, `bad_ref`.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let repository = Repository::find(environment, &environment.folder)?;
    let thresholds = Thresholds::read(&repository)?;
    let text = if options.stdin { environment.input_text()? } else { String::new() };
    let node = if options.stdin { Some(document::json_text(&text, STDIN)?) } else { None };
    let changed = ChangeSizes::size_since(&repository, &options.base)?;
    if changed.files() == 0 {
        let message = format!("nothing changed since `{}`", options.base);
        let hint = "commit something first, or name another base";
        return Err(CallFailure::new(REFUSED, ErrorCode::NothingToPolish, message, hint));
    }
    let mut items = Vec::new();
    let mut replans = 0;
    for one in node.as_ref().map(|node| list(node, &text)).transpose()?.unwrap_or_default() {
        items.push(size(one, &text, &changed, &thresholds)?);
        replans += usize::from(one.get("action").and_then(Node::as_str) == Some("replan"));
    }
    let (files, lines) = (changed.files(), changed.lines());
    let oversized = items.iter().filter(|item| item.status == ItemStatus::Oversized).count();
    let mut reasons = Vec::new();
    let mut status = BatchStatus::Ok;
    let mut holds = |found: bool, then: BatchStatus, reason: String| {
        if found {
            status = status.max(then);
            reasons.push(reason);
        }
        found
    };
    let most = (thresholds.batch_files, thresholds.batch_lines);
    let many =
        holds(files > most.0, BatchStatus::Preempt, format!("{files} files changed, more than {}", most.0));
    let long =
        holds(lines > most.1, BatchStatus::Preempt, format!("{lines} lines changed, more than {}", most.1));
    let verb = if items.len() == 1 { "item is" } else { "items are" };
    let share = format!("{oversized} of {} {verb} too large", items.len());
    let majority = holds(oversized * 2 > items.len(), BatchStatus::Majority, share);
    let again = format!("{replans} to be planned again");
    let halt_round = holds(replans > 0, BatchStatus::HaltRound, again.clone());
    let person = format!("{again}, which the user must decide from {} on", thresholds.replans);
    let escalate = holds(replans as u64 >= thresholds.replans.max(1), BatchStatus::Escalate, person);
    let preemptive = many || long;
    Ok(Delivery::from_answer(&Response {
        status,
        preemptive,
        majority,
        halt_round,
        escalate,
        files,
        lines,
        oversized,
        replans,
        items,
        reasons,
        thresholds,
    }))
}

/// The items of a document: a list, or an object that holds one.
fn list<'a>(node: &'a Node, text: &str) -> Result<&'a [Node], CallFailure> {
    let list = node.get("items").unwrap_or(node);
    list.items().ok_or_else(|| {
        let (line, col) = document::place(text, list.span.start);
        let hint = "give a list of items, or an object with `items`";
        let failure = CallFailure::new(MALFORMED, ErrorCode::MalformedItem, "missing list of items", hint);
        failure.in_file(STDIN, Some(line), Some(col))
    })
}

/// An item with files is measured; one without must have a `status`.
fn size(
    node: &Node,
    text: &str,
    changed: &ChangeSizes,
    thresholds: &Thresholds,
) -> Result<ItemSize, CallFailure> {
    if node.get("files").is_some() || node.items().is_some() {
        let (id, files) = item::read(node, text)?;
        return Ok(ItemSize::new(id, measure(changed, &files, thresholds)));
    }
    let status = match node.get("status").and_then(Node::as_str) {
        Some("oversized") => ItemStatus::Oversized,
        Some("manageable") => ItemStatus::Manageable,
        _ => {
            let (line, col) = document::place(text, node.span.start);
            let message = "an item has neither `files` nor a `status` of `manageable` or `oversized`";
            let failure = CallFailure::new(MALFORMED, ErrorCode::MalformedItem, message, "give one of them");
            return Err(failure.in_file(STDIN, Some(line), Some(col)));
        }
    };
    Ok(ItemSize {
        status,
        item_id: node.get("id").and_then(Node::scalar),
        file_count: 0,
        surface_count: 0,
        diff_lines: 0,
        reason: String::new(),
        reasons: Vec::new(),
        warnings: Vec::new(),
    })
}
