//! The plugin's manifest as the pinned source host accepts it: wrong types and bad paths are reported with their
//! position and the correct form.

pub mod fields;
mod options;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::read::hidden_chars::{self, HiddenRun};
use crate::read::json;
use crate::read::pointer::JsonPointer;
use crate::read::tree::{Node, ReadFault, Value};
use crate::source::SourceFile;

/// The rule about invisible characters; it checks Markdown itself.
const HIDDEN_UNICODE: RuleId = RuleId::HIDDEN_UNICODE;

/// A manifest that was read.
#[derive(Debug, Clone)]
pub struct PluginManifest {
    /// The file, relative to SRC.
    pub path: Utf8PathBuf,
    /// The document.
    pub node: Node,
    /// Fields whose type the source host refuses; they are ignored.
    pub refused: Vec<String>,
    /// JSON pointers of paths that leave the plugin; they are ignored.
    pub escaping: Vec<JsonPointer>,
}

/// Turns what a reader found into findings of `file`.
pub fn findings(file: &SourceFile, faults: &[ReadFault]) -> Vec<Diagnostic> {
    faults
        .iter()
        .map(|fault| {
            let severity = if fault.rescued { Severity::Warning } else { Severity::Error };
            let found =
                Diagnostic::in_file(file, fault.span, severity, fault.kind.rule(), fault.message.clone())
                    .help(fault.help.clone());
            match fault.first {
                Some(first) => found.with_related(file, first, "first value"),
                None => found,
            }
        })
        .collect()
}

/// Reads a JSON object; `None` if it is missing or unusable, with findings that tell why.
pub fn read_object(file: &SourceFile) -> (Option<Node>, Vec<Diagnostic>) {
    let (node, mut found) = read_value(file);
    match node {
        Some(node) if matches!(node.value, Value::Map(_)) => (Some(node), found),
        Some(node) => {
            let message = format!("expected a JSON object, found {}", node.kind());
            found.push(
                Diagnostic::in_file(file, node.span, Severity::Error, RuleId::FIELD_TYPE, message)
                    .help("write `{ … }`"),
            );
            (None, found)
        }
        None => (None, found),
    }
}

/// Reads a JSON value of any kind; `None` if there is none, with findings that tell why.
pub fn read_value(file: &SourceFile) -> (Option<Node>, Vec<Diagnostic>) {
    let Some(text) = file.text() else {
        return (None, vec![not_text(file)]);
    };
    let (node, faults) = json::parse(text);
    let mut found = findings(file, &faults);
    found.extend(hidden_characters(file, text));
    (node, found)
}

/// Invisible characters in a JSON document, one finding per line; those that make it invalid JSON are faults already.
pub fn hidden_characters(file: &SourceFile, text: &str) -> Vec<Diagnostic> {
    let mut runs = hidden_chars::find_in_json(text);
    runs.retain(|run| run.escaped || run.first >= ' ');
    let finding = |run: HiddenRun| {
        let finding = Diagnostic::in_file(file, run.span, Severity::Warning, HIDDEN_UNICODE, run.message());
        Diagnostic { known_cause: Some(run.cause()), ..finding.help("remove it") }
    };
    let mut found: Vec<Diagnostic> = runs.into_iter().map(finding).collect();
    found.dedup_by_key(|found| found.line);
    found
}

/// The finding for a file that should be text and is not.
pub fn not_text(file: &SourceFile) -> Diagnostic {
    let (reason, position) = match &file.content {
        crate::source::FileContent::NotText { reason, position }
        | crate::source::FileContent::Repaired { reason, position, .. } => (reason.as_str(), *position),
        _ => ("is not text", crate::source::Position { line: 1, column: 1 }),
    };
    let mut found =
        Diagnostic::for_file(&file.path, Severity::Error, RuleId::NOT_UTF8, format!("the file {reason}"));
    (found.line, found.column) = (position.line, position.column);
    (found.end_line, found.end_column) = (position.line, position.column);
    found.help("save it as UTF-8")
}

/// The paths that a component field lists, each relative to SRC with the node that names it; paths
/// that the source host refuses become findings.
pub fn paths(
    file: &SourceFile,
    root: &Utf8Path,
    node: &Node,
    found: &mut Vec<Diagnostic>,
) -> Vec<(Utf8PathBuf, Node)> {
    paths_by(path_inside, file, root, node, found)
}

/// The same for `skills`.
pub fn skill_folders(
    file: &SourceFile,
    root: &Utf8Path,
    node: &Node,
    found: &mut Vec<Diagnostic>,
) -> Vec<(Utf8PathBuf, Node)> {
    paths_by(folder_inside, file, root, node, found)
}

fn paths_by(
    resolve: fn(&str) -> Result<Utf8PathBuf, &'static str>,
    file: &SourceFile,
    root: &Utf8Path,
    node: &Node,
    found: &mut Vec<Diagnostic>,
) -> Vec<(Utf8PathBuf, Node)> {
    let items: Vec<&Node> = match &node.value {
        Value::String(_) => vec![node],
        Value::List(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    let mut out = Vec::new();
    for item in items {
        let help = "start it with `./` and stay inside the plugin";
        let refuse = |why: &str| misplaced(file, item, why, help);
        match item.as_str() {
            None => found.push(refuse("is not text")),
            Some(path) => match resolve(path) {
                Ok(inner) => out.push((join(root, &inner), item.clone())),
                Err(why) => found.push(refuse(why)),
            },
        }
    }
    out
}

/// The finding for a path that its field does not accept.
pub fn misplaced(file: &SourceFile, item: &Node, why: &str, help: &str) -> Diagnostic {
    Diagnostic::in_file(file, item.span, Severity::Error, RuleId::MANIFEST_PATH, format!("this path {why}"))
        .help(help)
}

/// The finding for a missing path.
pub fn missing_path(file: &SourceFile, item: &Node, path: &Utf8Path) -> Diagnostic {
    let message = format!("`{path}` does not exist in the source");
    Diagnostic::in_file(file, item.span, Severity::Error, RuleId::MANIFEST_TARGET_MISSING, message)
        .help("fix the path, or remove the entry")
}

/// A `./` path without its dots.
///
/// # Errors
/// Why it may lead out of the folder it starts from.
pub fn path_inside(path: &str) -> Result<Utf8PathBuf, &'static str> {
    let Some(rest) = path.strip_prefix("./") else { return Err("does not start with `./`") };
    let mut out = Utf8PathBuf::new();
    for part in Utf8Path::new(rest).components() {
        match part {
            Utf8Component::Normal(name) => out.push(name),
            Utf8Component::CurDir => {}
            _ => return Err("leaves its folder"),
        }
    }
    Ok(out)
}

/// The same for fields in which `.` is the folder itself: `skills`, and the source of a marketplace entry. The source
/// host refuses it in every other field (2.1.330).
///
/// # Errors
/// Why it may lead out of the folder it starts from.
pub fn folder_inside(path: &str) -> Result<Utf8PathBuf, &'static str> {
    if path == "." { Ok(Utf8PathBuf::new()) } else { path_inside(path) }
}

/// `folder/path`, where either may be empty.
pub fn join(folder: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    match (folder.as_str(), path.as_str()) {
        ("", _) => path.to_owned(),
        (_, "") => folder.to_owned(),
        _ => folder.join(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        assert_eq!(path_inside("./a/b/").unwrap(), "a/b");
        assert_eq!(path_inside("./").unwrap(), "");
        assert_eq!((path_inside("./.").unwrap(), folder_inside(".").unwrap()), Default::default());
        for path in ["", ".", "a", "/a", "../a", "./../a", "./a/../../b"] {
            assert!(path_inside(path).is_err(), "{path}");
        }
    }
}
