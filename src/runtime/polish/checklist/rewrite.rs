//! `polish checklist rewrite`: writes the results of dispatched items below each of them. The rest of the file stays as
//! the user left it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::claimed_commit::contradiction;
use super::parser::parse;
use super::text::section_with_outcome;
use super::{CHECKLIST, ChecklistLock, ItemOutcome, LOCK, LOG, parse as parsing};
use crate::disk;
use crate::printable::line as one_line;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::given_list::{GivenList, ListForm, words};
use crate::runtime::polish::record::{PolishRecord, PolishRun};
use crate::runtime::run::{RECORD, text};
use crate::runtime::store::{KEPT_SUFFIX, LockedStore, StoreStep};

options! {
    /// Write the result of each item below it
    ///
    /// FILE contains `{"results": [{"id": 1, "result": "fixed", "summary": "…", "commit": "…"}]}`; `result` is
    /// `fixed` or `failed`, the last two may be missing, and text around it is ignored. The run records it, too.
    ///
    /// Exit codes: 0 written; 2 wrong call; 3 state that this machine's helper did not write; 4 malformed results, an
    /// item that is unknown or was not dispatched, or a malformed checklist; 5 no checklist or results, or git failed;
    /// 6 the checklist has changed since it was read, or the run ended or is bound to another tree or commit; 7 git
    /// took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
        /// The results
        results: PathBuf = "--results <FILE>",
        /// The `sha256` of `polish checklist parse`
        seen: String = "--seen <SHA256>",
    }
    examples: ["plugcast-run polish checklist rewrite --run DIR --results results.json --seen SHA256"]
}

/// The answer of `polish checklist rewrite`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// `written`.
    pub status: RewriteStatus,
    /// The file, absolute.
    pub path: String,
    /// The hash of its text now.
    pub sha256: String,
    /// The items with a result, as given.
    pub results: Vec<ItemResult>,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
}

/// `polish checklist rewrite` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RewriteStatus {
    /// The checklist was written.
    Written,
}

/// The result of one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemResult {
    /// The item.
    pub id: u32,
    /// Its result.
    pub result: ItemOutcome,
    /// What was done, or what went wrong.
    #[serde(default)]
    pub summary: String,
    /// The commit with the repair, if there is one.
    #[serde(default)]
    pub commit: String,
}

const FORM: ListForm = ListForm {
    key: "results",
    row: "id",
    code: ErrorCode::MalformedJson,
    hint: r#"write `{"results": [{"id": 1, "result": "fixed", "summary": "…"}]}`"#,
};

/// `dispatch-log.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DispatchLog {
    schema: String,
    entries: Vec<DispatchEntry>,
}

/// One result of one item.
#[derive(Debug, Serialize, Deserialize)]
struct DispatchEntry {
    at: String,
    #[serde(flatten)]
    result: ItemResult,
    /// Why it was measured as oversized.
    reasons: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// `malformed_json`, `duplicate_id`, `unknown_item`, `stale`, `no_checklist`, `file_unreadable`, and every fault of the checklist.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (mut run, tree) = PolishRun::open_here(environment, &options.run)?;
    let name = options.results.display().to_string();
    let given = document::text(&environment.path(&options.results))?.ok_or_else(|| {
        CallFailure::environment(
            ErrorCode::FileUnreadable,
            format!("file not found: `{name}`"),
            "check the path",
        )
    })?;
    let list = GivenList::read(&given, &name, &FORM)?;
    let results = results(&list)?;
    let held = run.store.lock()?;
    let (seen, mut checklist) = parsing::read(&run, &tree)?;
    if seen.sha256 != options.seen {
        let message = format!("`{}` has changed since it was read", seen.path);
        let hint = "read it again with `polish checklist parse`, and decide again";
        return Err(CallFailure::new(CONTENDED, ErrorCode::Stale, message, hint));
    }
    let mut lock = ChecklistLock::load(&run)?;
    let mut log: DispatchLog = run.folder().sealed(LOG)?.unwrap_or_default();
    "plugcast.polish-dispatch-log/1".clone_into(&mut log.schema);
    let mut warnings = list.warnings.clone();
    let changed = run.record.changes(&tree, &mut warnings)?;
    let sections = parse(&checklist, 0).sections;
    let mut replaced: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    for (at, result) in &results {
        let section = sections.iter().find(|section| section.id == result.id);
        let item = seen.items.iter().find(|item| item.id == result.id);
        let given_out = lock.items.get_mut(&result.id).filter(|locked| locked.was_out());
        let Some(locked) = given_out else {
            let (message, hint) = match item {
                Some(_) => (
                    format!("item {} was not dispatched by `dispatch plan`", result.id),
                    "leave it out, or correct its `id`",
                ),
                None => (format!("the checklist has no item {}", result.id), "leave it out"),
            };
            return Err(list.failure(ErrorCode::UnknownItem, *at, "id", message, hint));
        };
        let why = match result.commit.is_empty() {
            true => None,
            false => contradiction(result, locked, &changed, &tree)?,
        };
        warnings.extend(why.as_ref().map(|why| {
            let (commit, id) = (one_line(&result.commit), result.id);
            format!("the commit `{commit}` does not count as the repair of item {id}: {why}")
        }));
        let commit = if why.is_some() { "" } else { &*result.commit };
        let outcome = [("result", result.result.word()), ("summary", &*result.summary), ("commit", commit)];
        if let (Some(section), Some(item)) = (section, item) {
            let text = section_with_outcome(&checklist, section, &outcome);
            replaced.insert(section.span.start, (section.span.end, text));
            locked.reasons.clone_from(&item.reasons);
        } else {
            warnings.push(format!("item {} was removed: its result is in `{LOG}` alone", result.id));
        }
        locked.interrupted = false;
        locked.dispatched = locked.planned.take().or_else(|| locked.dispatched.take());
        locked.result = Some(result.result);
        log.entries.push(DispatchEntry {
            at: environment.now().rfc3339(),
            result: result.clone(),
            reasons: locked.reasons.clone(),
        });
        record_repair(&mut run.record, result, commit);
    }
    for (start, (end, text)) in replaced.into_iter().rev() {
        checklist.replace_range(start..end, &text);
    }
    let documents = vec![(LOCK, text(&lock)), (LOG, text(&log)), (RECORD, text(&run.record))];
    let sha256 = disk::sha256(checklist.as_bytes());
    write(&run, &held, checklist, documents, &seen.sha256)?;
    let results = results.into_iter().map(|(_, result)| result).collect();
    let (status, path, warnings) = (RewriteStatus::Written, seen.path, warnings);
    Ok(Delivery::from_answer(&Response { status, path, sha256, results, warnings }))
}

/// Records the result of an item, and the commit with its repair; it is empty if there is none.
fn record_repair(record: &mut PolishRecord, result: &ItemResult, commit: &str) {
    record.outcomes.insert(result.id, result.result);
    if !commit.is_empty() {
        record.user_commits.remove(commit);
        if !record.commits.iter().any(|known| known == commit) {
            record.commits.push(commit.to_owned());
        }
    }
}

/// Writes the checklist, whose text had the hash `seen`, and the documents of the run.
fn write(
    run: &PolishRun,
    held: &LockedStore<'_>,
    mut checklist: String,
    documents: Vec<(&str, String)>,
    seen: &str,
) -> Result<(), CallFailure> {
    let folder = run.folder();
    let bytes = run.store.bytes(&run.path.join(CHECKLIST))?;
    if bytes.is_some_and(|bytes| bytes.starts_with(document::MARK)) {
        checklist.insert(0, '\u{feff}');
    }
    // The checklist first: if the user has saved it meanwhile, nothing else is written.
    let mut steps = vec![StoreStep::Write { path: folder.relative(CHECKLIST), text: checklist }];
    steps.extend(folder.seal()?.steps(&folder, documents)?);
    held.together_over(steps, seen)?;
    // The results are in the file now. As a step of the transaction, this would remove what a replay keeps.
    held.remove(&folder.relative(&format!("{CHECKLIST}{KEPT_SUFFIX}")))
}

/// The results of a list, each with its row. A second result for an item is refused, since it may contradict the first.
fn results(list: &GivenList<'_>) -> Result<Vec<(usize, ItemResult)>, CallFailure> {
    let mut results: Vec<(usize, ItemResult)> = Vec::new();
    for (at, row) in list.rows.iter().enumerate() {
        let own = result(row).map_err(|(field, message)| list.fault(at, field, message))?;
        match results.iter().find(|(_, earlier)| earlier.id == own.id) {
            None => results.push((at, own)),
            Some((_, earlier)) if *earlier == own => {}
            Some(_) => {
                let message = format!("item {} has more than one result", own.id);
                return Err(list.failure(
                    ErrorCode::DuplicateId,
                    at,
                    "id",
                    message,
                    "give each item one result",
                ));
            }
        }
    }
    Ok(results)
}

/// The result of a row, or the field that cannot be understood, and why.
fn result(row: &Value) -> Result<ItemResult, (&'static str, String)> {
    let id = match &row["id"] {
        Value::String(text) => text.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok(),
        number => number.as_u64().and_then(|number| u32::try_from(number).ok()),
    };
    let id = id.ok_or_else(|| {
        ("id", format!("`id` is `{}`, expected the number of an item", value_text(&row["id"])))
    })?;
    let word = row["result"].as_str().unwrap_or_default().trim().to_lowercase();
    let result = [ItemOutcome::Fixed, ItemOutcome::Failed].into_iter().find(|known| known.word() == word);
    let result = result.ok_or_else(|| {
        ("result", format!("`result` is `{}`, expected `fixed` or `failed`", value_text(&row["result"])))
    })?;
    let text = |field: &str| words(row.get(field), " ").ok_or_else(|| format!("`{field}` is not text"));
    let mut summary = text("summary").map_err(|message| ("summary", message))?;
    if summary.is_empty() {
        let others = row.as_object().into_iter().flatten();
        let mut others =
            others.filter(|(key, _)| !["id", "result", "summary", "commit"].contains(&key.as_str()));
        summary = others.find_map(|(_, value)| value.as_str()).unwrap_or_default().to_owned();
    }
    Ok(ItemResult { id, result, summary, commit: text("commit").map_err(|message| ("commit", message))? })
}

/// A value for a message.
fn value_text(value: &Value) -> String {
    one_line(value.as_str().unwrap_or(&value.to_string())).into_owned()
}
