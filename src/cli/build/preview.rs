//! What a build would change, for `--check` and `--diff`, which write nothing.

use std::path::Path;

use crate::cli::CommandFailure;
use crate::disk::replace::{FileChange, OutputFile};
use crate::disk::{self, Payload};
use crate::printable::{line, patch_path};
use crate::report::human;
use crate::target::Target;

/// Replaces content that cannot be shown.
const NOT_TEXT: &str = "(not text)\n";

/// One line: up to date, or what a build would change.
pub(super) fn checked(target: &Target, folder: &Path, changes: &[FileChange]) -> String {
    if changes.is_empty() {
        return format!("{}: `{}` is up to date\n", target.host.title, folder.display());
    }
    let mut out = format!(
        "{}: `{}` is stale, {} would change; build again without `--check`\n",
        target.host.title,
        folder.display(),
        human::count_noun(changes.len(), "file", "files")
    );
    for change in changes.iter().take(10) {
        let sign = match change {
            FileChange::Added(_) => '+',
            FileChange::Changed(_) => '~',
            FileChange::Removed(_) => '-',
        };
        out.push_str(&format!("  {sign} {}\n", change.path()));
    }
    if changes.len() > 10 {
        out.push_str(&format!("  and {} more\n", changes.len() - 10));
    }
    out
}

/// What a build would change, as a unified diff.
pub(super) fn diff(
    files: &[OutputFile],
    folder: &Path,
    changes: &[FileChange],
) -> Result<String, CommandFailure> {
    let mut out = String::new();
    for change in changes {
        let path = folder.join(change.path());
        let old = disk::read_text(&path).unwrap_or_else(|_| Some(NOT_TEXT.into())).unwrap_or_default();
        let new = files.iter().find(|file| file.path == change.path()).map(|file| match &file.payload {
            Payload::Text(text) => text.to_string(),
            Payload::CopyOf { path, .. } => {
                disk::read_text_in_place(path).unwrap_or_else(|_| NOT_TEXT.into())
            }
        });
        let name = |there: bool, side: &str| {
            let path = format!("{side}/{}", path.display());
            if there { patch_path(&path).into_owned() } else { "/dev/null".to_owned() }
        };
        let header = (name(!matches!(change, FileChange::Added(_)), "a"), name(new.is_some(), "b"));
        let new = new.unwrap_or_default();
        let text = similar::TextDiff::from_lines(&old, &new)
            .unified_diff()
            .context_radius(3)
            .header(&header.0, &header.1)
            .to_string();
        if text.is_empty() {
            let what = if old == NOT_TEXT { "content" } else { "mode" };
            out.push_str(&format!("{what} of {} changes\n", line(&path.display().to_string())))
        } else {
            out.push_str(&text)
        }
    }
    Ok(out)
}
