//! The triage of a model, `triage.json` in the run: what is new, and which kind of problem it is. Whatever it leaves out
//! counts as new, so that nothing is lost.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::items::{FeedbackItem, FetchedFeedback, ItemPlaces, id_set};
use super::missing;
use super::outcome::CallState;
use super::record::{FeedbackRecord, FeedbackRun};
use crate::disk;
use crate::printable::line;
use crate::runtime::answer::CallFailure;
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::given_list::{GivenList, ListForm, words};
use crate::runtime::store::Store;

/// The name of the file in the run.
const NAME: &str = "triage.json";
static FORM: ListForm = ListForm {
    key: "items",
    row: "id",
    code: ErrorCode::MalformedTriage,
    hint: "write {\"items\": [{\"id\": ID, \"state\": \"new\" or \"handled\" or \"not_actionable\", \"category\": CATEGORY, \"reason\": why a closed one is}]}",
};
/// The categories of items.
pub(super) const CATEGORIES: [&str; 11] = [
    "error-handling",
    "validation",
    "type-safety",
    "naming",
    "performance",
    "testing",
    "security",
    "documentation",
    "style",
    "architecture",
    "other",
];

/// What a model made of the items.
#[derive(Debug, Default)]
pub(super) struct FeedbackTriage {
    /// What it says by id, also of resolved threads: the category, and why an item is not new.
    rows: Map<String, Value>,
    /// What the items of a category may have in common.
    hypotheses: Map<String, Value>,
}

/// The items by what is to be done about them.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct TriagedItems {
    /// To be answered, those that the triage does not name included.
    pub new: Vec<String>,
    /// Answered by an earlier call: the last word is ours.
    pub handled_by_us: Vec<String>,
    /// Handled or not actionable, by the triage.
    pub closed: Vec<String>,
    /// Those of `new` that the triage does not name.
    pub untriaged: Vec<String>,
}

/// What a run records of its triage when it fetches again: the hash of its text, and the fingerprints of the comments that
/// it takes into account where it gives a reason. None if it was there at the last fetch, or cannot be read.
pub(super) fn earlier_triage(run: &FeedbackRun) -> Option<Value> {
    let path = run.path.join(NAME);
    let text = run.store.text(&path).ok()??;
    let sha256 = disk::sha256(text.as_bytes());
    if run.record.triage["sha256"] == sha256 {
        return None;
    }
    let mut rows = GivenList::read(&text, NAME, &FORM).ok()?.rows;
    rows.retain(|row| row.get("reason").is_some());
    let fetched = if rows.is_empty() { FetchedFeedback::default() } else { run.fetched().ok()? };
    let places = fetched.places();
    let mut read = Map::new();
    for item in rows.iter().filter_map(|row| places.item(&fetched, row["id"].as_str()?)) {
        read.insert(item.id.clone(), item.fingerprints().into());
    }
    Some(json!({ "sha256": sha256, "read": read }))
}

impl FeedbackTriage {
    /// Reads the triage in the run, or the file that is named; without one, every item is new.
    ///
    /// # Errors
    /// `malformed_triage`, `unknown_item`, `resolved_item`, `malformed_json`, and those of reading the file.
    pub(super) fn read(
        named: Option<&Path>,
        run: Option<&FeedbackRun>,
        environment: &Environment,
        (fetched, places): (&FetchedFeedback, &ItemPlaces),
    ) -> Result<Self, CallFailure> {
        let (text, name) = match (named, run) {
            (Some(named), _) if named == Path::new("-") => {
                (Some(environment.input_text()?), "<stdin>".to_owned())
            }
            (Some(named), _) => {
                let name = named.display().to_string();
                let text = document::text(&environment.path(named))?.ok_or_else(|| {
                    let message = format!("file `{name}` not found");
                    CallFailure::environment(ErrorCode::FileUnreadable, message, "write the triage first")
                })?;
                (Some(text), name)
            }
            (None, Some(run)) => {
                let (store, path): (&Store, _) = (&run.store, run.path.join(NAME));
                (store.text(&path)?, path.display().to_string())
            }
            (None, None) => (None, String::new()),
        };
        let record = run.map(|run| &run.record);
        let Some(text) = text else { return Ok(Self::default()) };
        let mut triage = Self::parse((&text, &name), (fetched, places), record)?;
        // One that was there before the last fetch closes nothing that was written since.
        let earlier = record.map_or(&Value::Null, |record| &record.triage);
        if earlier["sha256"] == disk::sha256(text.as_bytes()) {
            let read = |item: &FeedbackItem| earlier["read"][&item.id].as_str().unwrap_or_default();
            for item in fetched.items.iter().filter(|item| !item.is_covered_by(read(item))) {
                if triage.closed(&item.id).is_some() {
                    triage.rows.remove(&item.id);
                }
            }
        }
        Ok(triage)
    }

    fn parse(
        (text, name): (&str, &str),
        (fetched, places): (&FetchedFeedback, &ItemPlaces),
        record: Option<&FeedbackRecord>,
    ) -> Result<Self, CallFailure> {
        let list = GivenList::read(text, name, &FORM)?;
        let mut triage = Self::default();
        let resolved = &fetched.cross_invocation.resolved_threads;
        let units = record.into_iter().flat_map(|record| &record.units);
        let dispatched = id_set(units.flat_map(|unit| &unit.items));
        for (at, row) in list.rows.iter().enumerate() {
            let field = |key: &str| match row.get(key) {
                None | Some(Value::Null) => Ok(None),
                Some(Value::String(text)) => {
                    Ok(Some(text.trim().to_ascii_lowercase().replace([' ', '_'], "-")))
                }
                Some(other) => Err(list.fault(at, key, format!("`{key}` is not a text: {other}"))),
            };
            let Some(id) = row["id"].as_str().map(str::to_owned) else {
                return Err(list.fault(at, "id", "an item has no `id`".to_owned()));
            };
            let is_open = places.position(&id).is_some();
            let is_resolved = resolved.iter().any(|thread| thread.thread_id == id);
            // The triage may be of an earlier fetch, and the run has settled the item since.
            let is_settled = !is_open && dispatched.contains_key(&id);
            if !is_resolved && !is_settled && !is_open {
                let hint = "use the ids that `feedback fetch` answered with";
                let whole = if record.is_some() { "this run" } else { "the answer" };
                let message = format!("`{id}` is not an item of {whole}");
                return Err(list.failure(ErrorCode::UnknownItem, at, "id", message, hint));
            }
            let mut closed = Value::Null;
            match field("state")?.as_deref() {
                Some("resolved") if is_resolved => {}
                Some(_) if is_settled => {}
                Some(state) if is_resolved => {
                    let message = format!("`{id}` is resolved, and cannot be `{state}`");
                    let hint = "give a resolved thread its category alone: it is never dispatched";
                    return Err(list.failure(ErrorCode::ResolvedItem, at, "state", message, hint));
                }
                None | Some("new") => {}
                Some("handled" | "not-actionable") => {
                    let reason = words(row.get("reason"), " ").unwrap_or_default();
                    if reason.trim().is_empty() {
                        return Err(list.fault(at, "reason", format!("`{id}` has no `reason`")));
                    }
                    closed = reason.into();
                }
                Some(other) => return Err(list.fault(at, "state", format!("unknown state `{other}`"))),
            }
            let category = field("category")?;
            if let Some(category) =
                category.as_ref().filter(|category| !CATEGORIES.contains(&category.as_str()))
            {
                let message = format!("unknown category `{category}`");
                let hint = format!("use one of {}", CATEGORIES.join(", "));
                return Err(list.failure(ErrorCode::MalformedTriage, at, "category", message, &hint));
            }
            if triage.rows.get(&id).is_some_and(|earlier| earlier[1].is_null() != closed.is_null()) {
                let message = format!("`{id}` is given twice, and is new in one row alone");
                return Err(list.fault(at, "state", message));
            }
            triage.rows.insert(id, json!([category, closed]));
        }
        let (found, _) = crate::runtime::review::reply::objects(text, |key| key == "hypotheses");
        for (category, text) in found.iter().filter_map(|one| one["hypotheses"].as_object()).flatten() {
            if !CATEGORIES.contains(&category.as_str()) {
                let message = format!("unknown category `{}` in `hypotheses`", line(category));
                let hint = format!("use one of {}", CATEGORIES.join(", "));
                return Err(missing(ErrorCode::MalformedTriage, message, &hint));
            }
            triage.hypotheses.insert(category.clone(), words(Some(text), " ").unwrap_or_default().into());
        }
        Ok(triage)
    }

    /// The category of an item or a resolved thread.
    pub(super) fn category(&self, id: &str) -> Option<&str> {
        self.rows.get(id)?[0].as_str()
    }

    /// What the items of a category may have in common; empty if unknown.
    pub(super) fn hypothesis(&self, category: &str) -> String {
        self.hypotheses.get(category).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Why an item is not new.
    pub(super) fn closed(&self, id: &str) -> Option<&str> {
        self.rows.get(id)?[1].as_str()
    }

    /// Sorts the items by what is to be done about them. What has an outcome in this round is not new.
    pub(super) fn classify(
        &self,
        fetched: &FetchedFeedback,
        record: Option<&FeedbackRecord>,
    ) -> TriagedItems {
        let mut sorted = TriagedItems::default();
        let outcomes = record.into_iter().flat_map(FeedbackRecord::current_outcomes);
        let outcomes = outcomes.filter(|outcome| outcome.reply != CallState::Open);
        let done = id_set(outcomes.map(|outcome| &outcome.id));
        for item in &fetched.items {
            let is_done = done.contains_key(&item.id);
            let id = item.id.clone();
            if item.handled_by_us || is_done {
                sorted.handled_by_us.push(id);
            } else if self.closed(&id).is_some() {
                sorted.closed.push(id);
            } else {
                if !self.rows.contains_key(&id) {
                    sorted.untriaged.push(id.clone());
                }
                sorted.new.push(id);
            }
        }
        sorted
    }
}
