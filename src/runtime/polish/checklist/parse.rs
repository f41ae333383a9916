//! `polish checklist parse`: the user's decisions. Every item is measured again, so that no edit turns a large item
//! into a small one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::files::{ItemFiles, entries};
use super::markup::{ItemField, indent, lines};
use super::parser;
use super::text::{Checklist, ItemSection, fault};
use super::{CHECKLIST, ChecklistFault, ChecklistLock, ItemAction, ItemOutcome, request_hash};
use crate::disk;
use crate::order;
use crate::printable::line as one_line;
use crate::runtime::answer::{CallFailure, Delivery, ErrorDetail, MALFORMED, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::launch::LaunchMode;
use crate::runtime::polish::record::PolishRun;
use crate::runtime::repo::size::{ChangeSizes, ItemStatus, MeasuredSize, Thresholds};
use crate::runtime::store::KEPT_SUFFIX;

options! {
    /// Read the checklist that the user edited
    ///
    /// An item that is too large must stay `stacked`, whatever its `status` says. All faults are reported, each with
    /// its line.
    ///
    /// Exit codes: 0 read; 2 wrong call; 3 state that this machine's helper did not write; 4 a malformed checklist:
    /// `errors` has every fault; 5 no checklist, or git failed; 6 the run ended or is bound to another tree or commit;
    /// 7 git took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run polish checklist parse --run DIR"]
}

/// The answer of `polish checklist parse`, also if it is malformed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether it can be read.
    pub status: ChecklistStatus,
    /// The file, absolute.
    pub path: String,
    /// The hash of its text: the value of `--seen` of `polish checklist rewrite`.
    pub sha256: String,
    /// The items, in order; none if it is malformed.
    pub items: Vec<ChecklistItem>,
    /// Every fault.
    pub errors: Vec<ChecklistFault>,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
    /// The first fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
}

/// Whether a checklist can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChecklistStatus {
    /// It can be read.
    Ok,
    /// It cannot be read.
    Malformed,
}

/// One item.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChecklistItem {
    /// Its number.
    pub id: u32,
    /// Its title.
    pub title: String,
    /// What is to be done with it.
    pub action: ItemAction,
    /// Its files, relative to the repository's top.
    pub files: Vec<String>,
    /// The part of the application that it belongs to.
    pub surface: String,
    /// Whether it is small enough.
    pub status: ItemStatus,
    /// Why it is not small enough.
    pub reasons: Vec<String>,
    /// The notes of the user or the model.
    pub notes: String,
    /// The line of its heading.
    pub line: usize,
    /// Whether the user added it.
    pub added_by_user: bool,
    /// Its result, if it was dispatched.
    pub result: Option<ItemOutcome>,
    /// Whether it was dispatched in its current form.
    pub dispatched: bool,
    /// Whether it is dispatched and has no result yet.
    #[serde(skip)]
    pub is_out: bool,
    /// Whether it is dispatched in its current form and has no result yet.
    #[serde(skip)]
    pub is_out_unchanged: bool,
    /// Whether the run was continued since it was dispatched.
    #[serde(skip)]
    pub is_interrupted: bool,
    /// Whether it names files, and all of them are there.
    #[serde(skip)]
    pub has_known_files: bool,
    /// The size of its files.
    #[serde(skip)]
    pub(in crate::runtime) size: MeasuredSize,
}

/// Runs the command.
///
/// # Errors
/// Those of `read`, and every fault.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (run, tree) = PolishRun::open_here(environment, &options.run)?;
    let (response, _) = read_or_list(&run, &tree)?;
    Ok(Delivery::from_answer(&response))
}

/// Reads the checklist of a run: the answer, and the text.
///
/// # Errors
/// `no_checklist`, `file_unreadable`, `not_utf8`, and the first fault of the checklist.
pub(in crate::runtime) fn read(
    run: &PolishRun,
    tree: &Repository,
) -> Result<(Response, String), CallFailure> {
    read_or_list(run, tree).map_err(|failure| CallFailure { body: None, ..failure })
}

/// The same with a failure that lists every fault.
fn read_or_list(run: &PolishRun, tree: &Repository) -> Result<(Response, String), CallFailure> {
    let path = run.path.join(CHECKLIST);
    let name = path.display().to_string();
    // First, since loading completes an interrupted command.
    let lock = ChecklistLock::load(run)?;
    let text = match run.store.text(&path) {
        Err(failure) if failure.error.code == ErrorCode::NotUtf8 => return Err(not_text(failure, name)),
        text => text?,
    };
    let Some(text) = text else {
        let message = "the run has no checklist";
        let hint = "write one with `polish checklist write`";
        return Err(CallFailure::environment(ErrorCode::NoChecklist, message, hint).in_file(name, None, None));
    };
    let thresholds = Thresholds::read(tree)?;
    let Checklist { sections, faults, mut warnings } = parser::parse(&text, lock.last());
    let changed = run.record.changes(tree, &mut warnings)?;
    if run.store.has_file(&run.path.join(format!("{CHECKLIST}{KEPT_SUFFIX}")))? {
        warnings.push(format!(
            "you edited the file after a command was interrupted: the text that it was to write is in `{name}{KEPT_SUFFIX}`"
        ));
    }
    warnings.extend(removed_items(&lock, &sections));
    let mut response = Response {
        status: ChecklistStatus::Ok,
        path: name,
        sha256: disk::sha256(text.as_bytes()),
        items: Vec::new(),
        errors: faults,
        warnings,
        error: None,
    };
    let mut listed = Vec::new();
    for section in &sections {
        match files(section, tree, &changed, &lock) {
            Ok(files) => listed.push((section, files)),
            Err(fault) => response.errors.push(fault),
        }
    }
    response.errors.extend(renumbered_items(&lock, &listed));
    let mut seeds = 0;
    for (section, files) in listed {
        let size = files.measure(&changed, &thresholds);
        seeds += usize::from(!size.reasons.is_empty());
        let item = item(section, files, size, (&lock, seeds), &mut response);
        response.items.extend(item);
    }
    if response.errors.is_empty() {
        return Ok((response, text));
    }
    Err(malformed_checklist(response, &text, run))
}

/// Warnings of items that the user removed.
fn removed_items(lock: &ChecklistLock, sections: &[ItemSection]) -> Vec<String> {
    let is_removed = |id: u32| sections.iter().all(|section| section.id != id);
    let removed = lock.items.iter().filter(|(id, _)| is_removed(**id));
    removed
        .map(|(id, item)| {
            let what = match item.result {
                _ if item.planned.is_some() => {
                    "it is dispatched and has no result yet: write it with `polish checklist rewrite`"
                }
                Some(ItemOutcome::Fixed) => "its repair stays, and counts",
                _ => "nothing of it is repaired",
            };
            format!("item {id} was removed: {what}")
        })
        .collect()
}

/// Faults of items that have the number of another one.
fn renumbered_items(lock: &ChecklistLock, listed: &[(&ItemSection, ItemFiles)]) -> Vec<ChecklistFault> {
    let mut here: BTreeMap<u32, (&str, &[String])> = BTreeMap::new();
    for (section, files) in listed {
        here.entry(section.id).or_insert((&section.title, &files.paths));
    }
    let renumbered = listed.iter().filter_map(|(section, _)| {
        let before = lock.number_before(section.id, &here)?;
        let message = format!(
            "item {before} is item {} now, and results belong to the numbers: write `## Item {before} — {}`",
            section.id,
            one_line(&section.title)
        );
        Some(fault(section.line, ErrorCode::Renumbered, message))
    });
    renumbered.collect()
}

/// The failure of a checklist with faults, which lists every one.
fn malformed_checklist(mut response: Response, text: &str, run: &PolishRun) -> CallFailure {
    order::sort_by_key(&mut response.errors, |fault| fault.line);
    response.items.clear();
    response.status = ChecklistStatus::Malformed;
    let first = &response.errors[0];
    let hint = "repair the checklist, and read it again";
    let col = |fault: &ChecklistFault| {
        let line = lines(text).nth(fault.line - 1).unwrap_or_default();
        line[..indent(line)].chars().count() + 1
    };
    let shown = |fault: &ChecklistFault| {
        let (message, name) = (one_line(&fault.message), one_line(&response.path));
        format!("error: {message}\n  --> {name}:{}:{}\n", fault.line, col(fault))
    };
    let all = response.errors.iter().map(shown).collect::<String>() + "help: " + hint;
    let failure = CallFailure::new(MALFORMED, first.code, first.message.clone(), hint);
    let (line, col) = (first.line, col(first));
    let mut failure = failure.in_file(response.path.clone(), Some(line), Some(col));
    // The text of a headless polish is fixed.
    failure.text = Some(all).filter(|_| run.record.mode == LaunchMode::Interactive);
    response.error = Some(*failure.error.clone());
    failure.within_answer(&response)
}

/// An item, whose faults and warnings go to `response`; none if its action is not known. `seed` is the number of its
/// seed, should it be too large.
fn item(
    section: &ItemSection,
    files: ItemFiles,
    size: MeasuredSize,
    (lock, seed): (&ChecklistLock, usize),
    response: &mut Response,
) -> Option<ChecklistItem> {
    let locked = lock.items.get(&section.id);
    let added = locked.is_none_or(|locked| locked.added);
    response.errors.extend(section.status_fault());
    let is_large = !size.reasons.is_empty();
    let why = size.reasons.join(", ");
    let mut action = section.action().map_err(|fault| response.errors.push(fault)).ok()?;
    if is_large && added && action != ItemAction::Stacked {
        action = ItemAction::Stacked;
        response.warnings.push(format!("item {} is too large ({why}): it is `stacked`", section.id));
    }
    let status = section.value(ItemField::Status);
    let is_edited = is_large && status.eq_ignore_ascii_case("manageable") && !added;
    if is_large && (is_edited || action != ItemAction::Stacked) {
        let line = section.line_of(if is_edited { ItemField::Status } else { ItemField::Action });
        let message = format!(
            "item {} is too large ({why}), and stays `stacked`: `stacked-pr-{seed}.md` is its seed",
            section.id
        );
        response.errors.push(fault(line, ErrorCode::Pinned, message));
    }
    let notes = section.value(ItemField::Notes).to_owned();
    let hash = request_hash(action, &files.paths, &notes);
    let is_out_unchanged = locked.is_some_and(|locked| locked.planned.as_ref() == Some(&hash));
    let dispatched = locked.is_some_and(|locked| locked.dispatched.as_ref() == Some(&hash));
    if action == ItemAction::Fix && !is_out_unchanged && !dispatched {
        let unchanged = files.warnings.iter().map(|warning| format!("item {}: {warning}", section.id));
        response.warnings.extend(unchanged);
    }
    Some(ChecklistItem {
        id: section.id,
        title: section.title.clone(),
        action,
        surface: section.value(ItemField::Surface).to_owned(),
        status: if is_large { ItemStatus::Oversized } else { ItemStatus::Manageable },
        reasons: size.reasons.clone(),
        line: section.line,
        added_by_user: added,
        result: locked.and_then(|locked| locked.result),
        is_out: locked.is_some_and(|locked| locked.planned.is_some()),
        is_interrupted: locked.is_some_and(|locked| locked.interrupted),
        is_out_unchanged,
        dispatched,
        has_known_files: files.is_known,
        files: files.paths,
        notes,
        size,
    })
}

/// The failure for a checklist in another encoding, with its fault in the list.
fn not_text(failure: CallFailure, path: String) -> CallFailure {
    let error = *failure.error.clone();
    let errors = vec![fault(error.line.unwrap_or(1), ErrorCode::NotUtf8, error.message.clone())];
    let (status, error) = (ChecklistStatus::Malformed, Some(error));
    let (sha256, items, warnings) = (String::new(), Vec::new(), Vec::new());
    failure.within_answer(&Response { status, path, sha256, items, errors, warnings, error })
}

/// The files of an item, as git writes them. One that was too large keeps the files that it had until its list names
/// others that are there: nothing else could be measured.
fn files(
    section: &ItemSection,
    tree: &Repository,
    changed: &ChangeSizes,
    lock: &ChecklistLock,
) -> Result<ItemFiles, ChecklistFault> {
    let resolve = |mut own: Vec<String>| {
        let files = ItemFiles::resolve(&own, &tree.top, changed)?;
        match lock.items.get(&section.id).filter(|locked| !locked.reasons.is_empty()) {
            Some(locked) if !files.is_known => {
                own.extend(locked.files.iter().cloned());
                ItemFiles::resolve(&own, &tree.top, changed)
            }
            _ => Ok(files),
        }
    };
    let own = entries(section.value(ItemField::Files)).map_err(str::to_owned);
    own.and_then(resolve)
        .map_err(|reason| fault(section.line_of(ItemField::Files), ErrorCode::BadPath, reason))
}
