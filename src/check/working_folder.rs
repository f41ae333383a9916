//! Where the commands of a code block run: a path after `cd /path/to/repository` is not one of the skill.

use memchr::memmem;

use super::context::{PluginText, RuleContext};
use super::paths::own_folder;
use super::shell::{self, base};
use crate::model::paths::join;
use crate::source::{line_end, line_start};

/// Programs that change the folder of the commands after them.
const CHANGING: [&str; 2] = ["cd", "pushd"];

/// The places where a block changes the folder, in text order, and whether that is outside of the plugin.
#[derive(Debug, Default)]
pub struct FolderChanges(Vec<(usize, bool)>);

impl FolderChanges {
    /// Reads the commands of `code` in `text`.
    pub fn find(context: &RuleContext<'_>, text: &PluginText<'_>, code: &str) -> Self {
        let mut changes: Vec<(usize, bool)> = Vec::new();
        if CHANGING.iter().all(|program| memmem::find(code.as_bytes(), program.as_bytes()).is_none()) {
            return Self(changes);
        }
        let mut outside = false;
        // Where a subshell ends, and where the commands after it run.
        let mut subshell: Option<(usize, bool)> = None;
        for command in shell::commands(code, 0) {
            let [program, words @ ..] = command.program(&[]) else { continue };
            let at = program.span.start;
            if let Some((end, before)) = subshell.take_if(|(end, _)| *end <= at) {
                outside = before;
                changes.push((end, before));
            }
            let folder = words.iter().find(|word| !word.text.starts_with("--"));
            let now = match base(&program.text) {
                "popd" => false,
                name if !CHANGING.contains(&name) => continue,
                _ => match folder.map(|folder| is_outside(context, text, &folder.text)) {
                    Some(None) => continue,
                    Some(Some(now)) => now,
                    None => true,
                },
            };
            if subshell.is_none() && code[line_start(code, at)..].trim_start().starts_with('(') {
                subshell = Some((line_end(code, at), outside));
            }
            outside = now;
            changes.push((at, now));
        }
        changes.extend(subshell);
        Self(changes)
    }

    /// Whether the command at byte `at` of the code runs outside of the plugin.
    pub fn is_outside(&self, at: usize) -> bool {
        let before = self.0.partition_point(|(from, _)| *from <= at);
        before.checked_sub(1).is_some_and(|last| self.0[last].1)
    }
}

/// Whether paths after `cd folder` are not relative to the text or its skill: it leads out of the plugin, or from the
/// plugin's root to an inner folder; `None` if it leads to where the command is, or to its parent.
fn is_outside(context: &RuleContext<'_>, text: &PluginText<'_>, folder: &str) -> Option<bool> {
    let lower = folder.to_ascii_lowercase();
    if matches!(folder, "." | "./" | "..") || folder.starts_with("../") {
        return None;
    }
    // What comes after `cd ${CLAUDE_PLUGIN_ROOT}/inner` counts from there, and is not looked for.
    if folder.starts_with("${CLAUDE_") && folder.split_once("}/").is_some_and(|(_, inner)| !inner.is_empty())
    {
        return Some(true);
    }
    // `cd "$SKILL_DIR"` and `cd <path-of-the-plugin>`.
    if folder == "-" || ["skill", "plugin"].iter().any(|own| lower.contains(own)) {
        return Some(false);
    }
    let own = own_folder(text);
    let bases = [own, text.file.path.parent().unwrap_or(own), text.plugin.root.as_path()];
    let is_there = |base| join(base, folder).is_some_and(|path| context.paths().has_folder(&path));
    Some(!bases.into_iter().any(is_there))
}
