//! The files of a plugin that a hook runs: those that its command names, and those that these files name in turn, such
//! as wrappers, libraries and programs after `sh`, `.` or `require`. They are found by their words; nothing is run.

use camino::Utf8Path;

use super::super::context::LoweringContext;
use crate::model::hook::Hook;
use crate::read::path_words::is_path_char;
use crate::read::tree::Node;
use crate::source::{SourceFile, is_markdown};

/// The maximum number of files that are followed.
const MOST: usize = 32;
/// Larger files are programs or data, not scripts that another script runs.
const LARGEST: usize = 128 << 10;
/// The endings that a script may omit from the name of a file.
const ENDINGS: [&str; 7] = ["", ".sh", ".js", ".mjs", ".cjs", ".py", "/index.js"];

/// The words of a hook's command and arguments.
pub fn words(hook: &Hook) -> impl Iterator<Item = &str> {
    let args = hook.node.get("args").and_then(Node::items).unwrap_or_default();
    hook.node.get("command").into_iter().chain(args).filter_map(Node::as_str)
}

/// The files that a hook's command names, and the files that they name in turn.
pub fn find<'a>(context: &LoweringContext<'a>, hook: &Hook) -> Vec<&'a SourceFile> {
    let mut found: Vec<&SourceFile> = Vec::new();
    let root = &context.plugin.root;
    // If the command does not mention the plugin's folder, its words are paths in the user's project.
    let texts = || words(hook).filter(|_| words(hook).any(|text| text.contains(&context.source.plugin_root)));
    let mut folders = vec![root.to_path_buf()];
    for text in texts() {
        for word in paths(text) {
            add(context, None, root, word, &mut found);
        }
        folders.extend(found.iter().filter_map(|file| Some(file.path.parent()?.to_path_buf())));
    }
    // A wrapper may be passed the name of a file beside itself.
    for text in texts() {
        for (folder, word) in
            folders.iter().skip(1).flat_map(|folder| paths(text).map(move |word| (folder, word)))
        {
            add(context, None, folder, word, &mut found);
        }
    }
    let mut at = 0;
    while let Some(file) = found.get(at).copied().filter(|_| found.len() < MOST) {
        at += 1;
        let Some(text) = file.text().filter(|text| text.len() <= LARGEST) else { continue };
        let before = found.len();
        let folder = file.path.parent().unwrap_or(root);
        for word in paths(text).filter(|word| word.contains(['/', '.'])) {
            add(context, Some(&file.path), folder, word, &mut found);
            add(context, Some(&file.path), root, word, &mut found);
        }
        let mut new = found.split_off(before);
        new.retain(|file| file.text().is_some_and(|text| text.len() <= LARGEST));
        found.append(&mut new);
    }
    found
}

/// The words of a text that may be paths, each without a variable before it.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_path_char(c)).map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty())
}

/// Adds the file of the plugin that `word` in the file `from` names, relative to `folder`.
fn add<'a>(
    context: &LoweringContext<'a>,
    from: Option<&Utf8Path>,
    folder: &Utf8Path,
    word: &str,
    found: &mut Vec<&'a SourceFile>,
) {
    let word = word.trim_start_matches('/');
    let Some(path) = resolve_below(folder, word).filter(|path| path.starts_with(&context.plugin.root)) else {
        return;
    };
    // In a script with an extension, a name without one usually means a file with the same extension.
    let own = from.and_then(|from| from.extension()).map(|ending| format!(".{ending}"));
    let endings = ENDINGS[..1].iter().copied().chain(own.as_deref()).chain(ENDINGS[1..].iter().copied());
    let file =
        endings.map(|ending| format!("{path}{ending}")).find_map(|path| context.project.tree.get(path));
    // Files that are read, not executed.
    let is_text = |file: &&SourceFile| {
        !is_markdown(&file.path)
            && !matches!(file.path.extension(), Some("json" | "txt" | "yaml" | "yml" | "toml"))
    };
    if let Some(file) = file.filter(is_text).filter(|file| !found.iter().any(|known| known.path == file.path))
    {
        found.push(file);
    }
}

/// `word` below `folder`, with `.` and `..` resolved.
fn resolve_below(folder: &Utf8Path, word: &str) -> Option<camino::Utf8PathBuf> {
    let mut path = folder.to_path_buf();
    for step in word.split('/').filter(|step| !step.is_empty() && *step != ".") {
        if step == ".." {
            if !path.pop() {
                return None;
            }
        } else {
            path.push(step);
        }
    }
    (path != folder).then_some(path)
}
