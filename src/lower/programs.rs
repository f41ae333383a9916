//! The programs in a plugin's `bin/` that a text runs by name alone: a host without them on its search path needs their
//! paths.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::context::LoweringContext;
use super::{paths, sandbox};
use crate::ledger::ComponentKind;
use crate::read::markdown::{self, RegionKind};
use crate::read::path_words::ends_in_command;
use crate::source::Span;

/// The programs of the plugin that `text` runs: the path relative to `folder`, by name.
pub(super) fn run_by(
    context: &LoweringContext<'_>,
    text: &str,
    folder: &Utf8Path,
) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut regions = None;
    for other in context.plugin.others.iter().filter(|other| other.kind == ComponentKind::Executable) {
        let (Some(name), Some(inner)) = (other.path.file_name(), context.places.files.get(&other.path))
        else {
            continue;
        };
        if !text.contains(name) {
            continue;
        }
        let regions = regions.get_or_insert_with(|| markdown::regions(text, Span::new(0, text.len())));
        let mut code = regions.iter().filter_map(|region| {
            let code = region.span.slice(text);
            let is_run = match region.kind {
                RegionKind::CodeBlock => !sandbox::is_document(code),
                kind => kind == RegionKind::CodeSpan,
            };
            is_run.then_some(code)
        });
        if code.any(|code| is_run_in(code, name)) {
            out.insert(name.to_owned(), paths::relative(folder, inner));
        }
    }
    out
}

/// Whether `code` runs the program `name`: at the start of a line or after an operator.
fn is_run_in(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].trim_end_matches([' ', '\t', '$']);
        let after = code[at + name.len()..].chars().next();
        let starts = before.is_empty() || sandbox::begins_command(before);
        starts && after.is_none_or(ends_in_command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_runs_at_the_start_of_a_command() {
        for code in
            ["`tool list`", "`tool`", "```sh\ncd x && tool\n```", "```\n$ tool run x\n```", "x=$(tool)"]
        {
            assert!(is_run_in(code, "tool"), "{code}");
        }
        for code in ["`bin/tool`", "`the tool list`", "`tools`", "`tool-x`", "```\n./tool\n```", "`tool.sh`"]
        {
            assert!(!is_run_in(code, "tool"), "{code}");
        }
    }
}
