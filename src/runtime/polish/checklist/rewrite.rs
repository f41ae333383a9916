//! `polish checklist rewrite`: writes the results of dispatched items below each of them. The rest of the file stays as
//! the user left it.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::text::{parse, with_outcome};
use super::{CHECKLIST, ChecklistLock, ItemOutcome, LOCK, LOG, parse as parsing};
use crate::disk;
use crate::read::tree::Node;
use crate::runtime::answer::{CONTENDED, CallFailure, Delivery, MALFORMED};
use crate::runtime::command_line::options;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::polish::record::PolishRun;
use crate::runtime::run::{RECORD, text};
use crate::runtime::store::{KEPT, StoreStep};

options! {
    /// Write the result of each item below it
    ///
    /// FILE contains `{"results": [{"id": 1, "result": "fixed", "summary": "…", "commit": "…"}]}`; `result` is
    /// `fixed` or `failed`, and the last two may be missing. The run records it, too.
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
}

/// `polish checklist rewrite` has no other answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RewriteStatus {
    /// The checklist was written.
    Written,
}

/// The result of one item.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemResults {
    results: Vec<ItemResult>,
}

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
        CallFailure::environment("file_unreadable", format!("file not found: `{name}`"), "check the path")
    })?;
    let ItemResults { results } = serde_json::from_str(&given).map_err(|error| {
        let hint = r#"write `{"results": [{"id": 1, "result": "fixed", "summary": "…"}]}`"#;
        document::no_json(&error, &name, hint)
    })?;
    no_duplicates(&results, &given, &name)?;
    let held = run.store.lock()?;
    let (seen, mut checklist) = parsing::read(&run, &tree)?;
    if seen.sha256 != options.seen {
        let message = format!("`{}` has changed since it was read", seen.path);
        let hint = "read it again with `polish checklist parse`, and decide again";
        return Err(CallFailure::new(CONTENDED, "stale", message, hint));
    }
    let mut lock = ChecklistLock::load(&run)?;
    let mut log: DispatchLog = run.folder().sealed(LOG)?.unwrap_or_default();
    "plugcast.polish-dispatch-log/1".clone_into(&mut log.schema);
    for result in &results {
        let sections = parse(&checklist).sections;
        let section = sections.iter().find(|section| section.id == result.id);
        let item = seen.items.iter().find(|item| item.id == result.id);
        let (Some(section), Some(item)) = (section, item) else {
            let message = format!("the checklist has no item {}", result.id);
            return Err(CallFailure::new(MALFORMED, "unknown_item", message, "leave it out")
                .in_file(&name, None, None));
        };
        let word = result.result.word();
        let outcome = [("result", word), ("summary", &*result.summary), ("commit", &*result.commit)];
        checklist = with_outcome(&checklist, section, &outcome);
        let given_out = lock.items.get_mut(&result.id);
        let given_out = given_out.filter(|item| item.planned.is_some() || item.dispatched.is_some());
        let Some(locked) = given_out else {
            let message = format!("item {} was not dispatched by `dispatch plan`", result.id);
            let hint = "leave it out, or correct its `id`";
            return Err(CallFailure::new(MALFORMED, "unknown_item", message, hint).in_file(&name, None, None));
        };
        locked.reasons.clone_from(&item.reasons);
        locked.interrupted = false;
        locked.dispatched = locked.planned.take().or_else(|| locked.dispatched.take());
        locked.result = Some(result.result);
        log.entries.push(DispatchEntry {
            at: environment.now().rfc3339(),
            result: result.clone(),
            reasons: item.reasons.clone(),
        });
        run.record.outcomes.insert(result.id, result.result);
        // A commit only counts as the run's own if it is on this branch.
        let is_hash = result.commit.len() >= 40 && result.commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash && tree.ask(&["merge-base", "--is-ancestor", &result.commit, "HEAD"])?.succeeded() {
            run.record.user_commits.remove(&result.commit);
            run.record.commits.push(result.commit.clone());
        }
    }
    let folder = run.folder();
    let documents = vec![(LOCK, text(&lock)), (LOG, text(&log)), (RECORD, text(&run.record))];
    let sha256 = disk::sha256(checklist.as_bytes());
    // The checklist first: if the user has saved it meanwhile, nothing else is written.
    let mut steps = vec![StoreStep::Write { path: folder.relative(CHECKLIST), text: checklist }];
    steps.extend(folder.seal()?.steps(&folder, documents)?);
    held.together_over(steps, &seen.sha256)?;
    // The results are in the file now. As a step of the transaction, this would remove what a replay keeps.
    held.remove(&folder.relative(&format!("{CHECKLIST}{KEPT}")))?;
    Ok(Delivery::from_answer(&Response { status: RewriteStatus::Written, path: seen.path, sha256, results }))
}

/// Refuses a second result for an item: it may contradict the first.
fn no_duplicates(results: &[ItemResult], text: &str, name: &str) -> Result<(), CallFailure> {
    let is_repeated = |at: &usize| results[..*at].iter().any(|earlier| earlier.id == results[*at].id);
    let Some(at) = (0..results.len()).find(is_repeated) else { return Ok(()) };
    let root = document::json_text(text, name)?;
    let rows = root.get("results").and_then(Node::items).unwrap_or_default();
    let start = rows.get(at).map_or(0, |row| row.get("id").unwrap_or(row).span.start);
    let (line, col) = document::place(text, start);
    let message = format!("item {} has more than one result", results[at].id);
    Err(CallFailure::new(MALFORMED, "duplicate_id", message, "give each item one result").in_file(
        name,
        Some(line),
        Some(col),
    ))
}
