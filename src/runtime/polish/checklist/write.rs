//! `polish checklist write`: the checklist that the user edits, from the items that a model drafted.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::text::{NewItem, print};
use super::{CHECKLIST, ChecklistLock, LOCK, LockedItem};
use crate::printable::line as one_line;
use crate::read::tree::Node;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, MALFORMED};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::place;
use crate::runtime::polish::gate::review_verdict;
use crate::runtime::polish::record::PolishRun;
use crate::runtime::repo::size::{ChangeSizes, Thresholds, measure};
use crate::runtime::repo::surfaces::surface;
use crate::runtime::run::text;
use crate::runtime::store::StoreStep;

options! {
    /// Write the checklist that the user edits
    ///
    /// FILE or standard input contains `{"items": [{"title", "files", "surface", "notes"}]}`; the last two may
    /// be missing. An item that is too large (see `repo size item`) becomes `stacked`, any other `keep`.
    ///
    /// Exit codes: 0 written; 2 wrong call; 3 state that this machine's helper did not write; 4 malformed items
    /// or document of the helper; 5 git failed, or it cannot be written; 6 there is a checklist already, or the
    /// run ended or is bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
        /// The items; by default standard input
        items: Option<PathBuf> = "--items <FILE>",
    }
    examples: ["plugcast-run polish checklist write --run DIR --items items.json", "plugcast-run polish checklist write --run DIR < items.json"]
}

/// The answer of `polish checklist write`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `written`.
    pub status: ChecklistWriteStatus,
    /// The file to edit, absolute.
    pub path: String,
    /// How many items it has.
    pub items: usize,
    /// How many of them are too large.
    pub stacked: usize,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// `polish checklist write` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChecklistWriteStatus {
    /// The checklist was written.
    Written,
}

const STDIN: &str = "<stdin>";

/// Runs the command.
///
/// # Errors
/// `malformed_json`, `malformed_item`, `exists`, `run_moved`, `finished`, and what the store refuses.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let root = environment.root();
    let (run, tree) = PolishRun::open_here(environment, &options.run)?;
    let name = options.items.as_ref().map_or_else(|| STDIN.to_owned(), |path| path.display().to_string());
    let input = match &options.items {
        Some(path) => document::text(&environment.path(path))?.ok_or_else(|| {
            CallFailure::environment("file_unreadable", format!("file not found: `{name}`"), "check the path")
        })?,
        None => environment.input_text()?,
    };
    let node = document::json_text(&input, &name)?;
    let mut drafts = drafts(&node, (&name, &input), &tree.top)?;
    let thresholds = Thresholds::read(&tree)?;
    let changed = ChangeSizes::since(&tree, &run.record.base_ref)?;
    let mut lock = ChecklistLock::new();
    let mut warnings = Vec::new();
    for (index, draft) in drafts.iter_mut().enumerate() {
        let id = index as u32 + 1;
        let measure = measure(&changed, &draft.files, &thresholds);
        draft.oversized = !measure.reasons.is_empty();
        warnings.extend(measure.warnings.into_iter().map(|warning| format!("item {id}: {warning}")));
        let (title, files) = (one_line(&draft.title).into_owned(), draft.files.clone());
        let reasons = measure.reasons;
        lock.items.insert(id, LockedItem { reasons, title, files, ..LockedItem::default() });
    }
    let verdict = review_verdict(&tree, &run, root)?.unwrap_or_else(|| "none".to_owned());
    let record = &run.record;
    let header = [
        ("Branch", record.branch.as_deref().unwrap_or("none")),
        ("Base", &record.base_branch),
        ("Review verdict", &verdict),
        ("Generated", &environment.now().rfc3339()),
    ];
    let checklist = print(&header, &drafts);
    let path = run.path.join(CHECKLIST);
    let (folder, held) = (run.folder(), run.store.lock()?);
    if run.store.has_file(&path)? {
        let message = format!("`{}` already exists", path.display());
        return Err(CallFailure::new(
            CONTENDED,
            "exists",
            message,
            "continue with it: `polish checklist parse`",
        ));
    }
    let mut steps = folder.seal()?.steps(&folder, vec![(LOCK, text(&lock))])?;
    steps.push(StoreStep::Write { path: folder.relative(CHECKLIST), text: checklist });
    held.together(steps)?;
    let stacked = drafts.iter().filter(|draft| draft.oversized).count();
    let path = path.display().to_string();
    Ok(Delivery::from_answer(&Response {
        status: ChecklistWriteStatus::Written,
        path,
        items: drafts.len(),
        stacked,
        warnings,
    }))
}

/// The items of a text; messages call the text `name`.
fn drafts(node: &Node, (name, text): (&str, &str), top: &Path) -> Result<Vec<NewItem>, CallFailure> {
    let wrong = |message: String, at: &Node| {
        let (line, col) = document::place(text, at.span.start);
        let hint = r#"give `{"items": [{"title": "…", "files": ["…"], "surface": "view", "notes": "…"}]}`"#;
        CallFailure::new(MALFORMED, "malformed_item", message, hint).in_file(name, Some(line), Some(col))
    };
    let items = node.get("items").and_then(Node::items);
    let items = items.ok_or_else(|| wrong("there is no list `items`".to_owned(), node))?;
    let mut drafts = Vec::new();
    for item in items {
        let optional = |key: &str| match item.get(key) {
            None => Ok(String::new()),
            Some(value) => value
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| wrong(format!("`{key}` is {}, expected a text", value.kind()), value)),
        };
        let title = optional("title")?.trim().to_owned();
        if title.is_empty() {
            return Err(wrong("an item has no `title`".to_owned(), item));
        }
        let listed = item.get("files").and_then(Node::items);
        let listed = listed.ok_or_else(|| wrong("an item has no list `files`".to_owned(), item))?;
        let mut files = Vec::new();
        for file in listed {
            let path = file.as_str().ok_or_else(|| wrong("a file is not text".to_owned(), file))?;
            files.push(place::confined(path, top).map_err(|reason| wrong(reason, file))?);
        }
        let mut part = optional("surface")?;
        if part.is_empty() {
            let found = files.first().map(|file| surface(file));
            let name = found.and_then(|found| serde_json::to_value(found).ok());
            part = name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
        }
        drafts.push(NewItem { title, files, surface: part, notes: optional("notes")?, oversized: false });
    }
    Ok(drafts)
}
