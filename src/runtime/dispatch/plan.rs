//! `dispatch plan`: the items to repair, in groups that share no file, each with the agent that repairs it and the
//! agents that check it afterwards.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::order;
use crate::runtime::answer::{CallFailure, Delivery, REFUSED, ShownText};
use crate::runtime::command_line::options;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;
use crate::runtime::launch::LaunchMode;
use crate::runtime::place;
use crate::runtime::polish::checklist::{self, ItemAction, parse};
use crate::runtime::polish::clean_tree::{has_changes, must_have_no_operation};
use crate::runtime::polish::record::PolishRun;
use crate::runtime::repo::size::ChangeSizes;
use crate::runtime::repo::surfaces::{Surface, surface};

options! {
    /// Plan who repairs what, and in which order
    ///
    /// Takes the items of the checklist whose action is `fix`. Items that share a file are one group; five or
    /// more groups may be repaired at the same time, if all their files are in the working tree. An item is
    /// dispatched again only after the user edits it, or after an interrupted run is continued before the item
    /// has a result, and an item on the same files waits for that result; the run records what each item asked
    /// for, so that an edit made meanwhile is not lost.
    ///
    /// Exit codes: 0 answered, `nothing` and `halt` included; 2 wrong call; 3 headless, `polish gate` has not passed, a
    /// merge or another operation of git is in progress, or state that this machine's helper did not write; 4 a
    /// malformed checklist; 5 no checklist, it cannot be recorded, or git failed; 6 the run ended or is bound to another
    /// tree or commit; 7 git took too long.
    pub struct Options {
        /// The run of `polish acquire --apply`
        pub(super) run: PathBuf = "--run <DIR>",
    }
    examples: ["plugcast-run dispatch plan --run DIR"]
}

/// The answer of `dispatch plan`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Response {
    /// Whether there is anything to do.
    pub status: DispatchStatus,
    /// The groups, by their lowest item.
    pub groups: Vec<DispatchGroup>,
    /// Whether groups may be repaired at the same time.
    pub mode: DispatchMode,
    /// The reviewers that check all touched files once every group is done.
    pub afterwards: Vec<&'static str>,
    /// The items that are not dispatched, each with the reason.
    pub never_dispatch: Vec<WithheldItem>,
    /// What a reader should know.
    #[serde(serialize_with = "ShownText::shown")]
    pub warnings: Vec<String>,
}

/// Whether there is anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DispatchStatus {
    /// There are items to repair.
    Ok,
    /// No item is to be repaired.
    Nothing,
    /// An item is to be planned again, and nothing is repaired before that.
    Halt,
}

/// Whether groups may be repaired at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DispatchMode {
    /// One after the other.
    Sequential,
    /// At the same time.
    Parallel,
}

/// Items that share files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DispatchGroup {
    /// Its number, from 1.
    pub id: usize,
    /// Its items.
    pub items: Vec<u32>,
    /// Their files.
    pub files: Vec<String>,
    /// The agent that repairs it; `self` is the caller.
    pub fixer: &'static str,
    /// The agents that check it afterwards, one after the other.
    pub checks: Vec<&'static str>,
}

/// An item that is not dispatched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WithheldItem {
    /// Its number.
    pub id: u32,
    /// Why.
    pub reason: WithheldReason,
}

/// Why an item is not dispatched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithheldReason {
    /// Its action is not `fix`.
    Action,
    /// It has a result, and is unchanged since.
    Unchanged,
    /// It is dispatched, is unchanged, and has no result yet.
    GivenOut,
    /// It shares a file with another dispatched item.
    FileGivenOut,
}

/// The number of groups from which they may be repaired in parallel.
const PARALLEL: usize = 5;
const DESIGNER: &str = "polish:design:design-iterator";
const RACES: &str = "review:frontend-races";
const SIMPLICITY: &str = "review:simplicity";
const MAINTAINABILITY: &str = "review:maintainability";
const CONTRACT: &str = "review:api-contract";
/// The agents that compare with a linked design.
const DESIGN: [&str; 2] = ["polish:design:design-reviewer", "polish:design:design-sync"];
const DESIGNED: [&str; 6] = ["erb", "tsx", "vue", "svelte", "css", "scss"];
const SCRIPTS: [&str; 8] = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "vue", "svelte"];
/// Words of a note that indicate concurrency.
const AT_ONCE: [&str; 7] =
    ["flicker", "double-submit", "double submit", "race", "loading state", "async", "hotwire"];
/// Words of a line that indicate asynchronous code.
const ASYNC: [&str; 5] = ["async ", "await ", "setTimeout", "fetch(", "addEventListener"];
/// Words of a note that ask for clearer code.
const CLARITY: [&str; 4] = ["rename", "clarity", "naming", "readab"];

/// Runs the command.
///
/// # Errors
/// As `polish checklist parse`, and `dirty` where an operation of git is in progress.
pub fn run(options: &Options, environment: &Environment) -> Result<Delivery, CallFailure> {
    let (run, tree) = PolishRun::open_here(environment, &options.run)?;
    if run.record.mode == LaunchMode::Headless {
        let message = "nothing is repaired unless a user chose it";
        let hint = "continue with its checklist and the user: `polish acquire --apply --continue DIR`";
        return Err(CallFailure::new(REFUSED, ErrorCode::Headless, message, hint));
    }
    run.must_have_passed(&tree)?;
    must_have_no_operation(&tree)?;
    let (mut read, _) = parse::read(&run, &tree)?;
    let is_open = |item: &parse::ChecklistItem| {
        item.action == ItemAction::Fix && !item.dispatched && (!item.is_out || item.is_interrupted)
    };
    let has_replan = |read: &parse::Response| read.items.iter().any(|item| item.action == ItemAction::Replan);
    // Two calls at the same moment must not dispatch one item twice. Without anything to dispatch, nothing is written.
    let held = match !has_replan(&read) && read.items.iter().any(is_open) {
        true => Some(run.store.lock()?),
        false => None,
    };
    if held.is_some() {
        read = parse::read(&run, &tree)?.0;
    }
    let mut response = Response {
        status: DispatchStatus::Ok,
        groups: Vec::new(),
        mode: DispatchMode::Sequential,
        afterwards: Vec::new(),
        never_dispatch: Vec::new(),
        warnings: std::mem::take(&mut read.warnings),
    };
    if has_replan(&read) {
        response.status = DispatchStatus::Halt;
        return Ok(Delivery::from_answer(&response));
    }
    let changed = run.record.changes(&tree, &mut Vec::new())?;
    let out = checklist::dispatched(&run)?;
    let out = out.into_iter().map(|(id, files)| (id, reached(&files, &changed, &tree))).collect();
    let chosen = choose(read.items, out, (&changed, &tree), &mut response)?;
    let Some(held) = held.filter(|_| !chosen.is_empty()) else {
        response.status = DispatchStatus::Nothing;
        return Ok(Delivery::from_answer(&response));
    };
    group(&chosen, (&run, &tree), &mut response)?;
    // Last: where anything before it fails, nothing is dispatched.
    let groups = response.groups.iter();
    let files =
        |id| groups.clone().find(|group| group.items.contains(&id)).map_or(&[][..], |group| &*group.files);
    let items: Vec<_> = chosen.iter().map(|chosen| (&chosen.item, files(chosen.item.id))).collect();
    checklist::record_dispatch(&run, &held, &tree.must_commit("HEAD")?, &items)?;
    Ok(Delivery::from_answer(&response))
}

/// An item to dispatch.
struct ChosenItem {
    item: parse::ChecklistItem,
    /// The files that it covers.
    reach: Vec<String>,
}

/// The items to dispatch, by number; the others are withheld, each with its reason.
///
/// `out` is what is dispatched and has no result yet.
fn choose(
    items: Vec<parse::ChecklistItem>,
    mut out: Vec<(u32, Vec<String>)>,
    (changed, tree): (&ChangeSizes, &Repository),
    response: &mut Response,
) -> Result<Vec<ChosenItem>, CallFailure> {
    let mut chosen = Vec::new();
    for item in items {
        let reach = || reached(&item.files, changed, tree);
        match withheld(&item, tree, &mut response.warnings)? {
            None => chosen.push(ChosenItem { reach: reach(), item }),
            Some(reason) => {
                response.never_dispatch.push(WithheldItem { id: item.id, reason });
                if item.is_out {
                    out.push((item.id, reach()));
                }
            }
        }
    }
    order::sort_by_key(&mut chosen, |chosen: &ChosenItem| chosen.item.id);
    chosen.retain(|ChosenItem { item, reach }| {
        let Some((other, _)) = out.iter().find(|(_, other)| is_shared(reach, other)) else { return true };
        response.warnings.push(format!(
            "item {} shares a file with item {other}, which is dispatched and has no result yet: write it with `polish checklist rewrite`",
            item.id
        ));
        response.never_dispatch.push(WithheldItem { id: item.id, reason: WithheldReason::FileGivenOut });
        false
    });
    Ok(chosen)
}

/// Why an item is not dispatched, whatever the others are.
fn withheld(
    item: &parse::ChecklistItem,
    tree: &Repository,
    warnings: &mut Vec<String>,
) -> Result<Option<WithheldReason>, CallFailure> {
    let id = item.id;
    if item.action != ItemAction::Fix {
        return Ok(Some(WithheldReason::Action));
    }
    if item.is_out && !item.is_interrupted {
        warnings.push(format!(
            "item {id} is dispatched and has no result yet: write it with `polish checklist rewrite`"
        ));
        return Ok(Some(WithheldReason::GivenOut));
    }
    if item.dispatched {
        return Ok(Some(WithheldReason::Unchanged));
    }
    // A working tree that was lost and added again has nothing of it.
    if item.is_out_unchanged && has_changes(tree)? {
        warnings.push(format!(
            "item {id} was dispatched before the run was interrupted: unfinished work is in the working tree"
        ));
    }
    if item.files.is_empty() {
        warnings.push(format!("item {id} does not list files"));
    }
    Ok(None)
}

/// Groups the items by the files that they share, each with the agents that repair and check it.
fn group(
    chosen: &[ChosenItem],
    (run, tree): (&PolishRun, &Repository),
    response: &mut Response,
) -> Result<(), CallFailure> {
    let body = run.record.pr.as_ref().map_or("", |request| request.body.as_str());
    for members in groups(chosen) {
        let items: Vec<&parse::ChecklistItem> = members.into_iter().map(|at| &chosen[at].item).collect();
        let files = order::set(items.iter().flat_map(|item| item.files.iter().cloned()));
        let files: Vec<String> = files.into_iter().collect();
        let notes: String =
            items.iter().map(|item| format!("{}\n{}\n", item.title, item.notes).to_lowercase()).collect();
        let is_designed = files.iter().any(|file| is_designed(file));
        let is_linked = [body, &notes].iter().any(|text| text.to_lowercase().contains("figma.com/"));
        response.groups.push(DispatchGroup {
            id: response.groups.len() + 1,
            items: items.iter().map(|item| item.id).collect(),
            fixer: if is_designed { DESIGNER } else { "self" },
            checks: checks(tree, &run.record.base_sha, &files, &notes, is_linked && is_designed)?,
            files,
        });
    }
    if response.groups.len() >= PARALLEL {
        response.mode = DispatchMode::Parallel;
        for ChosenItem { item, .. } in chosen.iter().filter(|chosen| !chosen.item.has_known_files) {
            response.mode = DispatchMode::Sequential;
            response.warnings.push(format!(
                "the groups are repaired one after the other: the files of item {} are not known",
                item.id
            ));
        }
    }
    response.afterwards = vec![SIMPLICITY, MAINTAINABILITY];
    Ok(())
}

/// The files that an item covers: the ones it names, what changed in a folder or matches a pattern, their names before
/// a rename, and the targets of links.
pub(in crate::runtime) fn reached(files: &[String], changed: &ChangeSizes, tree: &Repository) -> Vec<String> {
    let mut reached = files.to_vec();
    for file in files.iter().flat_map(|file| changed.covered_files(file)) {
        reached.push(place::resolve_links(file, &tree.top).unwrap_or_else(|_| file.to_owned()));
        reached.push(file.to_owned());
        reached.extend(changed.name_before(file).map(str::to_owned));
    }
    reached
}

/// The indices of the items of each group: items that share a file, or of which one contains the other's file.
fn groups(items: &[ChosenItem]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..items.len()).collect();
    for one in 0..items.len() {
        for other in 0..one {
            if group[one] != group[other] && is_shared(&items[one].reach, &items[other].reach) {
                let (low, high) = (group[one].min(group[other]), group[one].max(group[other]));
                group.iter_mut().filter(|own| **own == high).for_each(|own| *own = low);
            }
        }
    }
    let members = |own: usize| (0..items.len()).filter(|at| group[*at] == own).collect::<Vec<_>>();
    (0..items.len()).filter(|at| group[*at] == *at).map(members).collect()
}

fn is_shared(one: &[String], other: &[String]) -> bool {
    let is_below = |path: &str, folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    one.iter().any(|a| other.iter().any(|b| is_below(a, b) || is_below(b, a)))
}

fn extension(file: &str) -> &str {
    file.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending)
}

fn is_designed(file: &str) -> bool {
    matches!(surface(file), Surface::View | Surface::Asset) || DESIGNED.contains(&extension(file))
}

/// The agents that check a group afterwards, in order.
fn checks(
    tree: &Repository,
    base: &str,
    files: &[String],
    notes: &str,
    linked: bool,
) -> Result<Vec<&'static str>, CallFailure> {
    let has = |wanted: Surface| files.iter().any(|file| surface(file) == wanted);
    let says = |words: &[&str]| words.iter().any(|word| notes.contains(word));
    let is_named = files.iter().any(|file| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.starts_with("stimulus_") || name.starts_with("turbo_") || file.contains("hotwire")
    });
    let races = is_named || (has(Surface::View) && says(&AT_ONCE)) || adds_async(tree, base, files)?;
    let mut checks = Vec::new();
    checks.extend(races.then_some(RACES));
    checks.extend(has(Surface::Model).then_some(SIMPLICITY));
    checks.extend((has(Surface::Controller) || says(&CLARITY)).then_some(MAINTAINABILITY));
    checks.extend(has(Surface::Api).then_some(CONTRACT));
    if linked {
        checks.extend(DESIGN);
    }
    Ok(checks)
}

/// Whether the change adds asynchronous code to these scripts.
fn adds_async(tree: &Repository, base: &str, files: &[String]) -> Result<bool, CallFailure> {
    let scripts = files.iter().filter(|file| SCRIPTS.contains(&extension(file)));
    let scripts: Vec<String> = scripts.map(|file| format!(":(top,literal){file}")).collect();
    if scripts.is_empty() {
        return Ok(false);
    }
    let mut words = vec!["diff", "--no-ext-diff", "--no-textconv", "--no-color", "-U0", base, "HEAD", "--"];
    words.extend(scripts.iter().map(String::as_str));
    let diff = tree.with_attributes_of(base).must(&words)?;
    let diff = String::from_utf8_lossy(&diff);
    let mut added = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++ "));
    Ok(added.any(|line| ASYNC.iter().any(|word| line.contains(word))))
}
