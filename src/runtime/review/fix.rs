//! What may be repaired now: `fix.json`, with the ids that any step has allowed so far. In modes without questions
//! the fixer's queue is allowed; in interactive ones only what the user approved.

use serde::{Deserialize, Serialize};

use super::Mode;
use super::applied::Applied;
use super::merge::{Answer, Merged, picked};
use super::run_folder::{RunFolder, text};
use super::shown::Evidence;
use crate::runtime::answer::Failure;

const NAME: &str = "fix.json";
const SCHEMA: &str = "plugcast.review-fix/1";

#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    run_id: &'a str,
    allowed: &'a [String],
    findings: Vec<&'a Merged>,
}

#[derive(Debug, Default, Deserialize)]
struct Stored {
    #[serde(default)]
    allowed: Vec<String>,
}

/// Whether a mode repairs without questions.
pub(super) fn is_automatic(mode: Mode) -> bool {
    matches!(mode, Mode::Autofix | Mode::Headless)
}

/// The ids that may be repaired.
pub(super) fn allowed(folder: &RunFolder, findings: &Answer) -> Result<Vec<String>, Failure> {
    let stored: Stored = folder.document(NAME)?.unwrap_or_default();
    let mut allowed = stored.allowed;
    if is_automatic(folder.record.mode) {
        // Nothing but the queue, whatever stands in the file.
        allowed.clone_from(&findings.queues.fixer);
    }
    let may = |id: &String| {
        let queues = &findings.queues;
        [&queues.fixer, &queues.gated, &queues.manual].iter().any(|queue| queue.contains(id))
    };
    allowed.retain(may);
    allowed.sort();
    allowed.dedup();
    Ok(allowed)
}

/// Writes the file with the ids that were approved just now, beside those of before. What is repaired and holds is left
/// out. Returns the path.
pub(super) fn write(
    folder: &RunFolder,
    findings: &Answer,
    approved: &[String],
    evidence: Option<&Evidence>,
) -> Result<String, Failure> {
    let mut allowed = allowed(folder, findings)?;
    allowed.extend(approved.iter().filter(|id| !allowed.contains(id)).cloned().collect::<Vec<_>>());
    let done = Applied::of_run(folder, findings, evidence)?.ids;
    let open: Vec<String> = allowed.iter().filter(|id| !done.contains(id)).cloned().collect();
    let document = Document {
        schema: SCHEMA,
        run_id: &folder.record.run_id,
        allowed: &allowed,
        findings: picked(&findings.findings, &open).collect(),
    };
    let path = folder.path.join(NAME);
    folder.save(vec![(NAME, text(&document))])?;
    Ok(path.display().to_string())
}
