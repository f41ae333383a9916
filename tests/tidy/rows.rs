//! The rows of the house: a module imports its own children and lower rows, nothing else.

use super::files::SourceFile;
use super::rust::{Token, tokens};

/// The rows, lowest first; modules of one row never import each other.
const ROWS: [&[&str]; 27] = [
    &["printable", "order"],
    &["source"],
    &["diagnostic"],
    &["rewrite"],
    &["schema", "size_limits", "usage_error"],
    &["process"],
    &["parallel", "progress"],
    &["disk"],
    &["temp_dir", "git_command"],
    &["read"],
    &["source_format"],
    &["git", "model", "target"],
    &["sourcemap"],
    &["ledger"],
    &["bundle"],
    &["lower"],
    &["check", "emit", "reread"],
    &["build"],
    &["compile"],
    &["compare"],
    &["check_session"],
    &["explain", "promote"],
    &["release"],
    &["report", "drivers"],
    &["cli"],
    &["main"],
    &["bin"],
];

/// The helper's half, which is beside the rows above `read`.
const RUNTIME: &str = "runtime";

/// Crates that the helper must not carry.
const BIG: [&str; 3] = ["tera", "clap_mangen", "annotate_snippets"];

/// The Rust files that a page names in backticks and that no tracked file ends with.
pub fn missing_files(page: &str, files: &[SourceFile]) -> Vec<String> {
    let named = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.ends_with(".rs") && !name.contains(['*', '{', ' ']));
    let exists =
        |name: &str| files.iter().any(|file| file.path == name || file.path.ends_with(&format!("/{name}")));
    named.filter(|name| !exists(name)).map(str::to_owned).collect()
}

/// Where the table of ARCHITECTURE.md and the list of `src/lib.rs` differ from the rows.
pub fn other_orders(page: &str, library: &str) -> Vec<String> {
    let mut found = Vec::new();
    let table = page.split("\n| modules | what they are |\n").nth(1).unwrap_or_default();
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let listed: Vec<Vec<&str>> = rows
        .map(|row| row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2).collect())
        .collect();
    if listed != ROWS {
        found.push(format!("ARCHITECTURE.md has the rows {listed:?}, tests/tidy/rows.rs {ROWS:?}"));
    }
    let modules: Vec<&str> =
        library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let mut wanted: Vec<&str> = ROWS.concat();
    wanted.retain(|module| !["main", "bin"].contains(module));
    let after_read = wanted.iter().position(|module| *module == "read").map_or(0, |at| at + 1);
    wanted.insert(after_read, RUNTIME);
    if modules != wanted {
        found.push(format!("src/lib.rs has the order {modules:?}, tests/tidy/rows.rs {wanted:?}"));
    }
    found
}

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

fn may_import(from: &str, to: &str) -> bool {
    let small = |module: &str| row(module) <= row("read") && row(module).is_some();
    match (from, to) {
        _ if from == to => true,
        ("bin", RUNTIME) => true,
        ("bin", _) | (RUNTIME, _) => small(to),
        (_, RUNTIME) => false,
        _ => matches!((row(from), row(to)), (Some(from), Some(to)) if to < from),
    }
}

/// The module path of a file below `src`, without the file's own inline modules.
pub fn module_path(path: &str) -> Vec<&str> {
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut parts: Vec<&str> = inner.split('/').collect();
    if parts.last() == Some(&"mod") {
        parts.pop();
    }
    parts
}

/// Imports that the rows forbid.
pub fn upward_imports(file: &SourceFile) -> Vec<String> {
    let path = module_path(&file.path);
    let from = path[0];
    if from == "lib" {
        return Vec::new();
    }
    let wrong = |(line, to): (usize, String)| {
        (!may_import(from, &to)).then(|| {
            let place = &file.path;
            format!("{place}:{line}: `{from}` may not import `{to}`: move what both need to a lower row (tests/tidy/rows.rs)")
        })
    };
    imports(&file.text, &path).into_iter().filter_map(wrong).collect()
}

/// A file whose module the rows do not know.
pub fn unknown_module(file: &SourceFile) -> Vec<String> {
    let module = module_path(&file.path)[0];
    let known = row(module).is_some() || [RUNTIME, "lib"].contains(&module);
    let place = &file.path;
    (!known)
        .then(|| format!("{place}:1: give `{module}` a row, the lowest that serves"))
        .into_iter()
        .collect()
}

/// Big crates in the modules that the helper is made of.
pub fn big_crates(file: &SourceFile) -> Vec<String> {
    let module = module_path(&file.path)[0];
    if !(module == RUNTIME
        || module == "bin"
        || row(module).is_some_and(|row| ROWS[..10].contains(&ROWS[row])))
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, token) in tokens(&file.text) {
        if let Token::Name(name) = &token
            && BIG.contains(&name.as_str())
        {
            found.push(format!(
                "{}:{line}: `{name}` would enter the helper: use it in a higher row",
                file.path
            ));
        }
    }
    found
}

/// What the command line may not call: it asks a session of a higher row for a result, and prints that.
const STAGES: [&str; 8] =
    ["emit", "lower", "read", "reread", "rewrite", "source_format", "sourcemap", "temp_dir"];
/// The stages of `compile`, what runs rules, and what decides which findings are one and how rules score.
const STAGE_NAMES: [&str; 6] = ["CommitSnapshot", "Discovery", "RuleContext", "Source", "fold", "score"];

/// Stages of the pipeline that the command line calls itself.
pub fn called_stages(file: &SourceFile) -> Vec<String> {
    let path = module_path(&file.path);
    if path[0] != "cli" {
        return Vec::new();
    }
    let tokens = tokens(&file.text);
    let types = tokens.windows(3).filter_map(|three| match three {
        [(line, Token::Name(name)), (_, first), (_, second)]
            if first.is(':') && second.is(':') && STAGE_NAMES.contains(&name.as_str()) =>
        {
            Some((*line, name.clone()))
        }
        _ => None,
    });
    let modules = imports(&file.text, &path).into_iter();
    let modules = modules.filter(|(_, module)| STAGES.contains(&module.as_str()));
    modules
        .chain(types)
        .map(|(line, stage)| {
            let place = &file.path;
            format!("{place}:{line}: `cli` may not call `{stage}`: ask a session in the library, and print its answer")
        })
        .collect()
}

/// Every top-level module that a file names by an absolute path or by climbing out of the file's module, with the line.
fn imports(text: &str, path: &[&str]) -> Vec<(usize, String)> {
    let tokens = tokens(text);
    let binary = matches!(path[0], "main" | "bin");
    let mut inline: Vec<usize> = Vec::new();
    let mut depth = 0;
    let mut found = Vec::new();
    for (at, (_, token)) in tokens.iter().enumerate() {
        let separated =
            |at: usize| tokens[at..].iter().take(2).filter(|(_, token)| token.is(':')).count() == 2;
        let before = |name: &str| at >= 1 && tokens[at - 1].1.named(name);
        let inside = at >= 2 && tokens[at - 1].1.is(':') && tokens[at - 2].1.is(':');
        match token {
            Token::Mark('{') => {
                depth += 1;
                if at >= 2 && tokens[at - 2].1.named("mod") {
                    inline.push(depth);
                }
            }
            Token::Mark('}') => {
                inline.pop_if(|opened| *opened == depth);
                depth -= 1;
            }
            Token::Name(name) if separated(at + 1) && !inside && !before("mod") => {
                let root = name == "crate" || (binary && name == "plugcast");
                let mut next = at + 3;
                if name == "super" {
                    let mut climbed = 1;
                    while tokens.get(next).is_some_and(|(_, token)| token.named("super"))
                        && separated(next + 1)
                    {
                        climbed += 1;
                        next += 3;
                    }
                    if climbed != path.len() + inline.len() {
                        continue;
                    }
                } else if !root {
                    continue;
                }
                found.extend(first_segments(&tokens, next));
            }
            _ => {}
        }
    }
    found
}

/// The first segment of a path, or of each path in a group.
fn first_segments(tokens: &[(usize, Token)], at: usize) -> Vec<(usize, String)> {
    let Some((line, token)) = tokens.get(at) else { return Vec::new() };
    match token {
        Token::Name(name) => vec![(*line, name.clone())],
        Token::Mark('{') => {
            let mut found = Vec::new();
            let (mut depth, mut fresh) = (0, true);
            for (line, token) in &tokens[at..] {
                match token {
                    Token::Mark('{') => depth += 1,
                    Token::Mark('}') if depth == 1 => break,
                    Token::Mark('}') => depth -= 1,
                    Token::Mark(',') if depth == 1 => fresh = true,
                    Token::Name(name) if fresh && depth == 1 => {
                        found.push((*line, name.clone()));
                        fresh = false;
                    }
                    _ => {}
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

#[test]
fn upward_and_sideward_imports_are_found() {
    let found = |path: &str, text: &str| upward_imports(&SourceFile::new(path, text)).join("\n");
    assert!(
        found("src/read/yaml.rs", "//! x\nuse crate::lower::Bundle;")
            .contains("yaml.rs:2: `read` may not import `lower`")
    );
    assert!(
        found("src/lower.rs", "use crate::{model::Plugin, emit::{json, toml}};").contains("import `emit`")
    );
    assert!(found("src/emit.rs", "fn f() { crate::check::run(); }").contains("import `check`"));
    assert!(found("src/source.rs", "use super::disk::Disk;").contains("import `disk`"));
    assert!(found("src/read/yaml.rs", "use super::super::lower;").contains("import `lower`"));
    assert!(found("src/read.rs", "mod tests { use super::super::lower; }").contains("import `lower`"));
    assert!(found("src/runtime/review.rs", "use crate::model::Plugin;").contains("import `model`"));
    assert!(found("src/cli.rs", "use crate::runtime::store;").contains("import `runtime`"));
    assert!(found("src/bin/plugcast-run.rs", "use plugcast::cli;").contains("import `cli`"));
    assert!(found("src/main.rs", "use plugcast::runtime::x;").contains("import `runtime`"));
}

#[test]
fn downward_imports_pass() {
    let found = |path: &str, text: &str| upward_imports(&SourceFile::new(path, text));
    let none: Vec<String> = Vec::new();
    assert_eq!(found("src/lower/skill.rs", "use crate::model::Skill;\nuse crate::lower::block;\n"), none);
    assert_eq!(
        found("src/lower/skill.rs", "// use crate::emit;\nlet a = \"crate::emit\"; use super::block;"),
        none
    );
    assert_eq!(found("src/disk.rs", "mod tests { use super::*; use super::lower; }"), none);
    assert_eq!(found("src/disk/stage.rs", "use super::{process, lower};\npub(crate) fn f() {}"), none);
    assert_eq!(found("src/bin/plugcast-run.rs", "use plugcast::runtime::review;"), none);
    assert_eq!(found("src/main.rs", "use plugcast::cli; use tool::plugcast::x;"), none);
    assert_eq!(found("src/lib.rs", "pub use crate::cli::x;"), none);
}

#[test]
fn missing_files_are_found() {
    let files = [SourceFile::new("src/read/yaml.rs", "")];
    let missing = |page: &str| missing_files(page, &files);
    assert_eq!(missing("`read/yaml.rs` and `src/read/yaml.rs`, in `bin/*.rs` and \"a.rs\""), [""; 0]);
    assert_eq!(missing("`yaml/read.rs` and `ml.rs`"), ["yaml/read.rs", "ml.rs"]);
}

#[test]
fn unknown_modules_and_big_crates_are_found() {
    assert_eq!(unknown_module(&SourceFile::new("src/extra/a.rs", "")).len(), 1);
    assert_eq!(unknown_module(&SourceFile::new("src/lower/a.rs", "")).len(), 0);
    assert_eq!(big_crates(&SourceFile::new("src/read.rs", "use tera::Tera;")).len(), 1);
    assert_eq!(big_crates(&SourceFile::new("src/runtime/a.rs", "annotate_snippets::x()")).len(), 1);
    assert_eq!(big_crates(&SourceFile::new("src/emit/template.rs", "use tera::Tera;")).len(), 0);
}

#[test]
fn stages_in_the_command_line_are_found() {
    let count = |path: &str, text: &str| called_stages(&SourceFile::new(path, text)).len();
    assert_eq!(count("src/cli/explain.rs", "use crate::read::json;\nuse crate::{lower, report};"), 2);
    assert_eq!(count("src/cli/build.rs", "let source = Source::read(&request, &targets)?;"), 1);
    assert_eq!(count("src/cli/check.rs", "use crate::check::fold;\nlet found = fold::fold_hosts(found);"), 1);
    assert_eq!(count("src/cli/eval.rs", "use crate::check::score::compare;"), 1);
    assert_eq!(count("src/cli.rs", "match error { CheckError::Source(error) => error.into() }"), 0);
    assert_eq!(count("src/cli/build.rs", "use crate::compile::OutputBuild; // Source"), 0);
    assert_eq!(count("src/compile.rs", "use crate::read::json;"), 0);
}
