//! `polish checklist write`: the checklist that the user edits, from the items that a model drafted.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::files::{ItemFiles, entries};
use super::text::{NewItem, print};
use super::{CHECKLIST, ChecklistLock, LOCK, LockedItem};
use crate::printable::line as one_line;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::given_list::{GivenList, ListForm, words};
use crate::runtime::polish::gate::review_verdict;
use crate::runtime::polish::record::PolishRun;
use crate::runtime::repo::size::{ChangeSizes, Thresholds};
use crate::runtime::repo::surfaces::surface;
use crate::runtime::run::text;
use crate::runtime::store::StoreStep;

options! {
    /// Write the checklist that the user edits
    ///
    /// FILE or standard input contains `{"items": [{"title", "files", "surface", "notes"}]}`; the last two may be
    /// missing, and text around it is ignored. An item that is too large (see `repo size item`) becomes
    /// `stacked`, any other `keep`.
    ///
    /// Exit codes: 0 written; 2 wrong call; 3 `polish gate` has not passed, or state that this machine's helper did
    /// not write; 4 malformed items or document of the helper; 5 git failed, or it cannot be written; 6 there is a
    /// checklist already, or the run ended or is bound to another tree or commit; 7 git took too long.
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
    #[serde(serialize_with = "ShownText::shown")]
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
const FORM: ListForm = ListForm {
    key: "items",
    row: "title",
    code: ErrorCode::MalformedItem,
    hint: r#"give `{"items": [{"title": "…", "files": ["…"], "surface": "view", "notes": "…"}]}`"#,
};

/// Runs the command.
///
/// # Errors
/// `malformed_json`, `malformed_item`, `exists`, `run_moved`, `finished`, and what the store refuses.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let root = environment.root();
    let (run, tree) = PolishRun::open_here(environment, &options.run)?;
    run.must_have_passed(&tree)?;
    let name = options.items.as_ref().map_or_else(|| STDIN.to_owned(), |path| path.display().to_string());
    let input = match &options.items {
        Some(path) => document::text(&environment.path(path))?.ok_or_else(|| {
            CallFailure::environment(
                ErrorCode::FileUnreadable,
                format!("file not found: `{name}`"),
                "check the path",
            )
        })?,
        None => environment.input_text()?,
    };
    let mut list = GivenList::read(&input, &name, &FORM)?;
    let thresholds = Thresholds::read(&tree)?;
    let mut warnings = std::mem::take(&mut list.warnings);
    let changed = run.record.changes(&tree, &mut warnings)?;
    let mut lock = ChecklistLock::new();
    let mut items = Vec::new();
    for (mut draft, files) in drafts(&list, &tree.top, &changed)? {
        let id = items.len() as u32 + 1;
        let reasons = files.measure(&changed, &thresholds).reasons;
        draft.oversized = !reasons.is_empty();
        warnings.extend(files.warnings.into_iter().map(|warning| format!("item {id}: {warning}")));
        let (title, files) = (one_line(&draft.title).into_owned(), files.paths);
        lock.items.insert(id, LockedItem { reasons, title, files, ..LockedItem::default() });
        items.push(draft);
    }
    let verdict = review_verdict(&tree, &run, root)?.unwrap_or_else(|| "none".to_owned());
    let record = &run.record;
    let header = [
        ("Branch", record.branch.as_deref().unwrap_or("none")),
        ("Base", &record.base_branch),
        ("Review verdict", &verdict),
        ("Generated", &environment.now().rfc3339()),
    ];
    let checklist = print(&header, &items);
    let path = run.path.join(CHECKLIST);
    let (folder, held) = (run.folder(), run.store.lock()?);
    if run.store.has_file(&path)? {
        let message = format!("`{}` already exists", path.display());
        return Err(CallFailure::new(
            CONTENDED,
            ErrorCode::Exists,
            message,
            "continue with it: `polish checklist parse`",
        ));
    }
    // One that cannot be read is replaced all the same.
    warnings.extend(ChecklistLock::load(&run).ok().and_then(|lock| lock.result_warning()));
    let mut steps = folder.seal()?.steps(&folder, vec![(LOCK, text(&lock))])?;
    steps.push(StoreStep::Write { path: folder.relative(CHECKLIST), text: checklist });
    held.commit(steps)?;
    let stacked = items.iter().filter(|draft| draft.oversized).count();
    let path = path.display().to_string();
    Ok(Delivery::from_answer(&Response {
        status: ChecklistWriteStatus::Written,
        path,
        items: items.len(),
        stacked,
        warnings,
    }))
}

/// The items of a list, each with its files.
fn drafts(
    list: &GivenList<'_>,
    top: &Path,
    changed: &ChangeSizes,
) -> Result<Vec<(NewItem, ItemFiles)>, CallFailure> {
    let mut drafts = Vec::new();
    for (row, item) in list.rows.iter().enumerate() {
        let wrong = |field: &str, message: &str| list.fault(row, field, message.to_owned());
        let text = |field: &str| {
            words(item.get(field), "\n").ok_or_else(|| wrong(field, &format!("`{field}` is not text")))
        };
        let title = text("title")?.trim().to_owned();
        if title.is_empty() {
            return Err(wrong("title", "an item has no `title`"));
        }
        let paths: Option<Vec<String>> = match item.get("files") {
            Some(Value::Array(paths)) => paths.iter().map(|path| path.as_str().map(str::to_owned)).collect(),
            Some(Value::String(list)) => entries(list).ok(),
            _ => None,
        };
        let paths = paths.ok_or_else(|| wrong("files", "an item has no list `files`"))?;
        let files = ItemFiles::resolve(&paths, top, changed).map_err(|reason| wrong("files", &reason))?;
        let mut part = text("surface")?;
        if part.is_empty() {
            let found = files.paths.first().map(|file| surface(file));
            let name = found.and_then(|found| serde_json::to_value(found).ok());
            part = name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default();
        }
        let (notes, own) = (text("notes")?, files.paths.clone());
        drafts.push((NewItem { title, files: own, surface: part, notes, oversized: false }, files));
    }
    Ok(drafts)
}
