//! The author's settings for losses: which are accepted, and which fail a build.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use camino::Utf8Path;
use globset::Glob;

use super::BuildError;
use crate::diagnostic::{Diagnostic, HostId, HostSelection, RuleId, Severity};
use crate::disk;
use crate::disk::folder::Folder;
use crate::disk::replace::OWN_FOLDER;
use crate::ledger::{Ledger, LedgerRow, LossClass, LossId, axis_in_glob, plugin_in_glob};
use crate::model::config::{AcceptLoss, Config};
use crate::model::project::Project;
use crate::source::{LineIndex, Span};
use crate::target::Axis;

/// Which losses fail a build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Denial {
    /// Losses of this class, and of graver ones.
    pub class: Option<LossClass>,
    /// Losses that the ledger in the output folder does not have.
    pub new: bool,
}

/// One finding for each loss that `denial` forbids; none means that the bundle may be written.
///
/// # Errors
/// When the ledger in `folder` exists and cannot be read.
pub fn denied_losses(
    project: &Project,
    ledger: &Ledger,
    host: &HostId,
    denial: Denial,
    folder: &Path,
) -> Result<Vec<Diagnostic>, BuildError> {
    let known = if denial.new { known_losses(folder)? } else { BTreeSet::new() };
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for row in &ledger.rows {
        let Some(loss) = row.loss.as_ref().filter(|loss| !loss.accepted) else { continue };
        let by_class = denial.class.is_some_and(|class| loss.class <= class);
        let is_new = denial.new && !known.contains(&loss.id);
        if (by_class || is_new) && seen.insert(&loss.id) {
            let what = if by_class { "is denied" } else { "is new" };
            let reason = row.reason.as_deref().unwrap_or_default();
            let found = finding(project, row, format!("the loss `{}` {what}: {reason}", loss.id));
            let help = format!(
                "accept it with `[[accept-loss]] id = \"{}\"` and a reason in `plugcast.toml`, or leave this host out",
                loss.id
            );
            out.push(found.host(host).help(help));
        }
    }
    Ok(out)
}

/// The losses of the hosts that were built, by host.
pub type LossIds = BTreeMap<HostId, BTreeSet<LossId>>;

/// The ids of the losses of `ledger`.
pub fn loss_ids(ledger: &Ledger) -> BTreeSet<LossId> {
    ledger.rows.iter().filter_map(|row| row.loss.as_ref()).map(|loss| loss.id.clone()).collect()
}

/// The rule for accepted losses that no host has.
pub const UNMATCHED: RuleId = RuleId::UNMATCHED_ACCEPTANCE;

/// One finding for each accepted loss that no host in `built` has. An entry is judged only if all of its hosts were
/// built; without hosts, only if all hosts that the configuration builds for (or `all`) were. An id with an unknown
/// axis matches no loss and is always reported. If the configuration also applies to plugins beside `src`, only entries
/// for plugins with losses are judged.
pub fn unmatched(config: &Config, src: &Path, built: &LossIds, all: &[&str]) -> Vec<Diagnostic> {
    let is_whole =
        config.path.parent().map(disk::canonical).and_then(Result::ok) == disk::canonical(src).ok();
    let has_losses = |id: &str| {
        let mut ids = built.values().flatten();
        is_whole || ids.any(|known| known.plugin() == plugin_in_glob(id))
    };
    let is_built = |host: &str| built.contains_key(host);
    let matches = |accept: &AcceptLoss| {
        let Ok(glob) = Glob::new(&accept.id).map(|glob| glob.compile_matcher()) else { return true };
        let counts = |host: &HostId| accept.hosts.is_empty() || accept.hosts.iter().any(|name| name == host);
        built
            .iter()
            .filter(|(host, _)| counts(host))
            .any(|(_, ids)| ids.iter().any(|id| glob.is_match(id.as_str())))
    };
    let wanted = config.build.to.or(HostSelection::every()).ids(all);
    let judged = |accept: &&AcceptLoss| match accept.hosts.as_slice() {
        _ if has_unknown_axis(&accept.id) => true,
        _ if !has_losses(&accept.id) => false,
        [] => wanted.iter().all(|host| is_built(host)),
        hosts => hosts.iter().all(|host| is_built(host)),
    };
    let path = config.path.file_name().map_or_else(|| "plugcast.toml".into(), |name| name.to_string_lossy());
    let lines = LineIndex::new(&config.text);
    // Entries are in file order, so each is searched for after the previous one.
    let (mut out, mut from) = (Vec::new(), 0);
    for accept in config.accept_loss.iter().filter(judged).filter(|accept| !matches(accept)) {
        let message = format!("no loss has the id `{}`, which `[[accept-loss]]` accepts", accept.id);
        let mut found = Diagnostic::for_file(&*path, Severity::Warning, UNMATCHED, message)
            .help("remove the entry, or use an id that `plugcast build --verbose` prints");
        if let Some(at) = config.text[from..].find(&format!("\"{}\"", accept.id)).map(|at| from + at) {
            from = at + 1;
            let (start, end) =
                (lines.position(&config.text, at), lines.position(&config.text, at + accept.id.len() + 2));
            (found.line, found.column) = (start.line, start.column);
            (found.end_line, found.end_column) = (end.line, end.column);
        }
        out.push(found);
    }
    out
}

/// Whether an id, or a glob of ids, starts with an unknown axis of losses.
fn has_unknown_axis(id: &str) -> bool {
    let axis = axis_in_glob(id);
    !axis.contains(['*', '?', '[', '{', '\\']) && Axis::from_id(axis).is_none()
}

fn finding(project: &Project, row: &LedgerRow, message: String) -> Diagnostic {
    match (row.span, project.tree.get(&row.path)) {
        (Some(span), Some(file)) => Diagnostic::in_file(
            file,
            Span::new(span.start, span.end),
            Severity::Error,
            RuleId::DENIED_LOSS,
            message,
        ),
        _ => Diagnostic::for_file(&row.path, Severity::Error, RuleId::DENIED_LOSS, message),
    }
}

/// The loss ids of the ledger that the last build wrote.
fn known_losses(folder: &Path) -> Result<BTreeSet<LossId>, BuildError> {
    let rows = ledger_of(folder)?.map(|ledger| ledger.rows).unwrap_or_default();
    Ok(rows.into_iter().filter_map(|row| row.loss).map(|loss| loss.id).collect())
}

/// The ledger of the bundle in `folder`; `None` when there is none.
///
/// # Errors
/// When it exists and cannot be read.
pub fn ledger_of(folder: &Path) -> Result<Option<Ledger>, BuildError> {
    let inner = Utf8Path::new(OWN_FOLDER).join("ledger.json");
    let path = folder.join(&inner);
    if !disk::is_folder(folder) {
        return Ok(None);
    }
    let Some(text) = Folder::open(folder)?.read_text(&inner)? else { return Ok(None) };
    let fail = |error: serde_json::Error| BuildError::Document {
        path: path.clone(),
        message: format!("is not a ledger: {error}"),
    };
    serde_json::from_str(&text).map(Some).map_err(fail)
}
