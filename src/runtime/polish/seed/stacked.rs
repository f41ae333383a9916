//! `polish seed stacked`: one file for each item that becomes a separate pull request.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{below_store, file_name, front_matter, or_null, paths, published_names, slug};
use crate::disk;
use crate::printable;
use crate::runtime::answer::{CallFailure, Delivery, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::git::Repository;
use crate::runtime::polish::checklist::ItemAction;
use crate::runtime::polish::checklist::parse::{self, ChecklistItem};
use crate::runtime::polish::gate::review_path;
use crate::runtime::polish::record::{PolishRecord, PolishRun};
use crate::runtime::repo::base::name_on_remote;
use crate::runtime::repo::size::{MeasuredSize, Thresholds};
use crate::runtime::run::{RECORD, text};
use crate::runtime::store::StoreStep;

options! {
    /// Write a seed for each item that is `stacked`
    ///
    /// An item keeps the number of its seed for the whole run. Its files are rewritten: the seed, and the text
    /// that is published when it is opened as a pull request.
    ///
    /// Exit codes: 0 written, or no item is `stacked`; 2 wrong call; 3 state that this machine's helper did not
    /// write; 4 a malformed checklist or document of the helper; 5 no checklist, it cannot be written, or git
    /// failed; 6 the run ended or is bound to another tree or commit; 7 git took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run polish seed stacked --run DIR"]
}

/// The longest title and body of a pull request that GitHub takes, in characters.
const LONGEST_TITLE: usize = 256;
const LONGEST_BODY: usize = 65_536;

/// The longest name of a branch that GitHub takes behind `refs/heads/`, in bytes; git takes longer ones.
const LONGEST_BRANCH: usize = 244;

/// The answer of `polish seed stacked`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether there are seeds.
    pub status: StackedStatus,
    /// The seeds of the items that are `stacked` now, in their order.
    pub seeds: Vec<Seed>,
}

/// Whether there are seeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StackedStatus {
    /// Seeds were written.
    Written,
    /// No item is `stacked`.
    None,
}

/// The seed of a separate pull request.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Seed {
    /// Its number, in the order in which items became `stacked`.
    pub number: usize,
    /// The item.
    pub item: u32,
    /// The item's title, shortened to what GitHub takes.
    #[serde(serialize_with = "ShownText::shown")]
    pub title: String,
    /// The file, absolute.
    pub path: String,
    /// The file with the message of a commit that opens it, absolute. Neither it nor `body` contains a path of this
    /// machine.
    pub message: String,
    /// The file with the body of its pull request, absolute.
    pub body: String,
    /// A name for the branch.
    pub branch: String,
    /// The branch that it starts from, as the repository of the pull request names it.
    pub base: String,
    /// Whether the user chose this for an item that is small enough.
    pub user_judgment: bool,
}

/// Runs the command.
///
/// # Errors
/// `no_checklist`, every fault of the checklist, and what the store refuses.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (mut run, tree) = PolishRun::open_here(environment, &options.run)?;
    let (checklist, _) = parse::read(&run, &tree)?;
    let review = review_path(&tree, &run, environment.root())?;
    let thresholds = Thresholds::read(&tree)?;
    let mut response = Response { status: StackedStatus::None, seeds: Vec::new() };
    let mut texts = Vec::new();
    let head = head_branch(&run.record, &tree)?;
    // The branch of a fork is not in the repository, where the base of the pull request is.
    let base = head.as_deref().unwrap_or(&run.record.base_branch);
    let start = origin(&run.record, head.as_deref());
    let mut seeds = run.record.seeds.clone();
    for item in checklist.items.iter().filter(|item| item.action == ItemAction::Stacked) {
        let at = seeds.iter().position(|id| *id == item.id).unwrap_or_else(|| {
            seeds.push(item.id);
            seeds.len() - 1
        });
        let number = at + 1;
        let inside = |name: &str| run.path.join(name).display().to_string();
        let [message, body] = published_names(number);
        let seed = Seed {
            number,
            item: item.id,
            title: shortened(&item.title, LONGEST_TITLE),
            path: inside(&file_name(number)),
            message: inside(&message),
            body: inside(&body),
            branch: branch_name(base, &format!("-polish-{number}-{}", slug(&item.title))),
            base: base.to_owned(),
            user_judgment: item.reasons.is_empty(),
        };
        let measured = (&item.size, &thresholds);
        let review = review.as_deref().map(below_store);
        let public = shortened(&published(&start, &seed, item, measured), LONGEST_BODY);
        texts.push((file_name(number), print(&run.record, &seed, item, (&start, measured), review)));
        texts.push((message, format!("{}\n\n{public}", printable::line(&seed.title))));
        texts.push((body, public));
        response.seeds.push(seed);
    }
    if response.seeds.is_empty() {
        return Ok(Delivery::from_answer(&response));
    }
    response.status = StackedStatus::Written;
    run.record.seeds = seeds;
    let (folder, held) = (run.folder(), run.store.lock()?);
    let mut steps = folder.seal()?.steps(&folder, vec![(RECORD, text(&run.record))])?;
    for (name, text) in texts {
        steps.push(StoreStep::Write { path: folder.relative(&name), text });
    }
    held.commit(steps)?;
    Ok(Delivery::from_answer(&response))
}

/// A branch with this name and ending. A name that is too long is shortened, with a hash that tells it from others.
fn branch_name(base: &str, ending: &str) -> String {
    if base.len() + ending.len() <= LONGEST_BRANCH {
        return format!("{base}{ending}");
    }
    let hash = format!("-{}", &disk::sha256(base.as_bytes())[..8]);
    let mut most = LONGEST_BRANCH.saturating_sub(hash.len() + ending.len());
    while !base.is_char_boundary(most) {
        most -= 1;
    }
    format!("{}{hash}{ending}", &base[..most])
}

/// A text of at most as many characters.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// The seed.
fn print(
    record: &PolishRecord,
    seed: &Seed,
    item: &ChecklistItem,
    (start, measured): (&str, (&MeasuredSize, &Thresholds)),
    review: Option<&str>,
) -> String {
    let judgment = if seed.user_judgment { "yes" } else { "no" };
    let front = front_matter(&[
        ("source_run", json!(record.run_id)),
        ("source_branch", or_null(record.branch.as_deref())),
        ("source_head_sha", json!(record.head_sha)),
        ("item_id", json!(item.id)),
        ("item_title", json!(item.title)),
        ("suggested_branch", json!(seed.branch)),
        ("review_artifact", or_null(review)),
        ("user_judgment", json!(judgment)),
    ]);
    let first = format!("Create the branch `{}` from {start}.", seed.branch);
    format!(
        "{front}\n# {title}\n\n{parts}\n## Source item\n\nItem {id} of the checklist of run `{run}`.\n",
        title = printable::line(&item.title),
        parts = parts(&first, seed, item, measured),
        id = item.id,
        run = record.run_id,
    )
}

/// The text to publish, which reveals nothing about this machine.
fn published(
    start: &str,
    seed: &Seed,
    item: &ChecklistItem,
    measured: (&MeasuredSize, &Thresholds),
) -> String {
    let first = format!("Check out `{}`: it begins at {start}.", seed.branch);
    parts(&first, seed, item, measured)
}

/// The branch that a seed's branch starts from, as the repository of the pull request names it; none for a detached HEAD
/// whose branch is in another repository.
fn head_branch(record: &PolishRecord, tree: &Repository) -> Result<Option<String>, CallFailure> {
    let own = record.pr.as_ref().filter(|request| !request.is_cross_repository);
    match (&record.branch, own) {
        (Some(branch), Some(request)) if request.is_own_branch(branch) => {
            Ok(Some(request.head_branch.clone()))
        }
        (Some(branch), _) => name_on_remote(tree, branch).map(Some),
        (None, own) => Ok(own.map(|request| request.head_branch.clone())),
    }
}

/// A description of that branch.
fn origin(record: &PolishRecord, head: Option<&str>) -> String {
    match head {
        Some(branch) => format!("`{}`", printable::line(branch)),
        None => format!("commit {}", record.head_sha),
    }
}

/// The body: why, next steps, files and notes.
fn parts(
    first: &str,
    seed: &Seed,
    item: &ChecklistItem,
    (measure, thresholds): (&MeasuredSize, &Thresholds),
) -> String {
    let judgment = if seed.user_judgment { "yes" } else { "no" };
    let why = match seed.user_judgment {
        true => "The user chose this, although the item is small enough.".to_owned(),
        false => format!("The item is too large for a polish: {}.", item.reasons.join(", ")),
    };
    let notes = if item.notes.is_empty() { "none" } else { &item.notes };
    format!(
        "## Why\n\n{why}\n\n- files: {} (at most {})\n- surfaces: {} (at most {})\n- changed lines: {} (at most {})\n- user \
         judgment: {judgment}\n\n## Next steps\n\n1. {first}\n2. Move the work on the files below there, and finish it as the \
         notes say.\n3. Review it as a separate pull request.\n\n## Files\n\n{files}\n## Surface\n\n{surface}\n\n## \
         Notes\n\n{notes}\n",
        measure.files,
        thresholds.item_files,
        measure.surfaces,
        thresholds.item_surfaces,
        measure.lines,
        thresholds.item_lines,
        files = paths(&item.files),
        surface = printable::line(&item.surface),
        notes = printable::block(notes),
    )
}
