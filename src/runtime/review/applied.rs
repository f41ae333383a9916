//! What was repaired: a JSON list of ids of findings, as the fixer answers it.

use std::path::Path;

use super::merge::Merged;
use crate::read::tree::Node;
use crate::runtime::answer::{Failure, MALFORMED};
use crate::runtime::document;
use crate::runtime::surroundings::Surroundings;

/// The ids of what was repaired, out of a file, or standard input for `-`; none where no file is named.
///
/// # Errors
/// `file_unreadable`, `malformed_json`, `malformed_applied`, and `unknown_finding` for an id that is none of these
/// findings.
pub fn ids(
    file: Option<&Path>,
    surroundings: &Surroundings,
    findings: &[Merged],
) -> Result<Vec<String>, Failure> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let (name, content) = if file == Path::new("-") {
        ("<stdin>".to_owned(), Some(surroundings.input_text()?))
    } else {
        (file.display().to_string(), document::text(&surroundings.path(file))?)
    };
    let content = content.ok_or_else(|| {
        Failure::environment("file_unreadable", format!("`{name}` is not there"), "check the path")
    })?;
    let node = document::json_text(&content, &name)?;
    let list = node.get("applied").unwrap_or(&node);
    let wrong = |code: &str, message: String, at: &Node| {
        let (line, col) = document::place(&content, at.span.start);
        let hint = "give a JSON list of ids such as `F1`";
        Failure::new(MALFORMED, code, message, hint).at(&name, Some(line), Some(col))
    };
    let items =
        list.items().ok_or_else(|| wrong("malformed_applied", "there is no list".to_owned(), list))?;
    let mut ids = Vec::new();
    for item in items {
        let id = item.as_str().or_else(|| item.get("id")?.as_str());
        match id.filter(|id| findings.iter().any(|one| one.id == *id)) {
            Some(id) => ids.push(id.to_owned()),
            None => {
                let shown = id.map_or_else(|| item.kind().to_owned(), |id| format!("`{id}`"));
                return Err(wrong("unknown_finding", format!("{shown} is no finding of this run"), item));
            }
        }
    }
    Ok(ids)
}
