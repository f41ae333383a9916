//! Files of one module that import each other in a circle: none of them can be understood, or moved, without all others.

use std::collections::{BTreeMap, BTreeSet};

use super::files::SourceFile;
use super::rows::module_path;
use super::rust::{Token, tokens};

/// The files of `files` that are part of a circle, or lie between two; a `mod` line counts as an import.
pub fn circles(files: &[SourceFile]) -> Vec<String> {
    let modules: BTreeSet<Vec<&str>> = files.iter().map(|file| module_path(&file.path)).collect();
    let mut left: BTreeMap<Vec<&str>, BTreeSet<Vec<String>>> = files
        .iter()
        .map(|file| {
            let own = module_path(&file.path);
            let imported = imported(&file.text, &own).into_iter();
            let imported = imported.filter_map(|path| file_of(&modules, path)).filter(|path| *path != own);
            (own.clone(), imported.collect())
        })
        .collect();
    // What imports nothing that is left, or is imported by nothing that is left, is in no circle.
    loop {
        let is_left = |path: &Vec<String>, left: &BTreeMap<Vec<&str>, _>| left.keys().any(|own| own == path);
        let outside = left.iter().find(|(own, imported)| {
            let is_imported =
                left.values().any(|paths: &BTreeSet<Vec<String>>| paths.iter().any(|path| path == *own));
            !is_imported || !imported.iter().any(|path| is_left(path, &left))
        });
        let Some(outside) = outside.map(|(own, _)| own.clone()) else { break };
        left.remove(&outside);
    }
    left.keys().map(|path| format!("src/{}.rs: it imports itself through others", path.join("/"))).collect()
}

/// The longest beginning of `path` that is a file.
fn file_of(modules: &BTreeSet<Vec<&str>>, path: Vec<String>) -> Option<Vec<String>> {
    let is_file = |path: &[String]| modules.iter().any(|module| module == path);
    (1..=path.len()).rev().map(|length| &path[..length]).find(|path| is_file(path)).map(<[String]>::to_vec)
}

/// Every path that a file names from `crate`, `super` or `self`, and its own modules.
fn imported(text: &str, own: &[&str]) -> Vec<Vec<String>> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let tokens: Vec<Token> = tokens(text).into_iter().map(|(_, token)| token).collect();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        // `pub(super)` and `self.field` name no path.
        let begins = !(at > 0 && tokens[at - 1].is(':')) && is_separated(&tokens, at);
        let base: Vec<String> = own.iter().map(ToString::to_string).collect();
        match &tokens[at] {
            Token::Name(name) if name == "crate" && begins => paths(&tokens, at + 3, &[], &mut found),
            Token::Name(name) if name == "self" && begins => paths(&tokens, at + 3, &base, &mut found),
            Token::Name(name) if name == "super" && begins => paths(&tokens, at, &base, &mut found),
            Token::Name(name) if name == "mod" && tokens.get(at + 2).is_some_and(|next| next.is(';')) => {
                paths(&tokens, at + 1, &base, &mut found)
            }
            _ => {}
        }
    }
    found
}

/// The paths that begin at `at`, one for each name of a group, behind `base`.
fn paths(tokens: &[Token], mut at: usize, base: &[String], found: &mut Vec<Vec<String>>) {
    let mut path = base.to_vec();
    loop {
        match tokens.get(at) {
            Some(Token::Name(name)) if name == "super" => drop(path.pop()),
            Some(Token::Name(name)) if name == "self" => {}
            Some(Token::Name(name)) => path.push(name.clone()),
            Some(Token::Mark('{')) => return group(tokens, at + 1, &path, found),
            _ => break,
        }
        if !is_separated(tokens, at) {
            break;
        }
        at += 3;
    }
    found.push(path);
}

/// Whether the name at `at` is followed by another one in its path.
fn is_separated(tokens: &[Token], at: usize) -> bool {
    (at + 1..at + 3).all(|at| tokens.get(at).is_some_and(|token| token.is(':')))
}

/// The paths of a group whose first name is at `start`.
fn group(tokens: &[Token], start: usize, base: &[String], found: &mut Vec<Vec<String>>) {
    let (mut depth, mut fresh) = (0, true);
    for at in start..tokens.len() {
        match &tokens[at] {
            Token::Mark('}') if depth == 0 => return,
            Token::Mark('}') => depth -= 1,
            Token::Mark('{') => depth += 1,
            Token::Mark(',') if depth == 0 => fresh = true,
            Token::Name(_) if fresh && depth == 0 => {
                paths(tokens, at, base, found);
                fresh = false;
            }
            _ => {}
        }
    }
}

#[test]
fn a_circle_is_found_and_nothing_else() {
    let file = |path: &str, text: &str| SourceFile::new(path, text);
    let files = [
        file("src/lower.rs", "mod a;\nmod b;\nmod c;\nmod d;"),
        file("src/lower/a.rs", "use super::{b::{self, X}, d};"),
        file("src/lower/b.rs", "use crate::lower::c::Y;\nuse crate::model::plugin;"),
        file("src/lower/c.rs", "fn f() { super::a::g(); }"),
        file(
            "src/lower/d.rs",
            "// use super::a;\nuse crate::{model, read::tree};\n#[cfg(test)]\nmod tests { use super::super::a; }",
        ),
    ];
    let named = |files: &[SourceFile]| circles(files).join("\n");
    let found = named(&files);
    assert_eq!(found.lines().count(), 3, "{found}");
    assert!(["a", "b", "c"].iter().all(|name| found.contains(&format!("src/lower/{name}.rs"))), "{found}");
    assert_eq!(named(&[file("src/lower.rs", "mod d;"), file("src/lower/d.rs", "pub(super) fn f() {}")]), "");
    let parent = [file("src/lower.rs", "mod a;"), file("src/lower/a.rs", "use super::Thing;")];
    assert_eq!(named(&parent).lines().count(), 2);
}
