//! Types of the library that can grow: another field or variant must break no program that uses them.

use super::files::SourceFile;
use super::rows::module_path;
use super::rust::{Token, tokens};

/// The modules that another program calls, and those of their requests, results and documents.
const API: [&str; 11] = [
    "build",
    "bundle",
    "check_session",
    "compare",
    "compile",
    "diagnostic",
    "explain",
    "ledger",
    "promote",
    "release",
    "sourcemap",
];

/// Sets whose values a program must be able to tell apart completely: another value would be another contract.
const CLOSED: [&str; 8] =
    ["Applicability", "BuildMode", "HostVerdict", "Impact", "LossClass", "Method", "RowOutcome", "Severity"];

/// Public enums, and public structs with public fields, that are not `#[non_exhaustive]`.
pub fn closed_types(file: &SourceFile) -> Vec<String> {
    let is_unit_test = file.path.ends_with("/tests.rs");
    if is_unit_test || !API.contains(&module_path(&file.path)[0]) {
        return Vec::new();
    }
    let tokens = tokens(&file.text);
    let named = |at: usize, name: &str| tokens.get(at).is_some_and(|(_, token)| token.named(name));
    let (mut found, mut depth, mut can_grow) = (Vec::new(), 0, false);
    for (at, (line, token)) in tokens.iter().enumerate() {
        match token {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') => {
                depth -= 1;
                can_grow &= depth > 0;
            }
            Token::Mark(';') if depth == 0 => can_grow = false,
            Token::Name(name) if name == "non_exhaustive" && depth == 0 => can_grow = true,
            Token::Name(name) if name == "pub" && depth == 0 => {
                let is_enum = named(at + 1, "enum");
                let Some((_, Token::Name(kind))) = tokens.get(at + 2) else { continue };
                let is_open = is_enum || (named(at + 1, "struct") && has_public_field(&tokens[at + 3..]));
                if is_open && !can_grow && !CLOSED.contains(&kind.as_str()) {
                    let place = &file.path;
                    found.push(format!("{place}:{line}: make `{kind}` `#[non_exhaustive]`, with a constructor if callers make one"));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a struct has a field that is public everywhere; `rest` begins behind its name.
fn has_public_field(rest: &[(usize, Token)]) -> bool {
    let mut depth = 0;
    for (at, (_, token)) in rest.iter().enumerate() {
        match token {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') if depth == 1 => return false,
            Token::Mark('}') => depth -= 1,
            Token::Mark(';') if depth == 0 => return false,
            Token::Name(name)
                if name == "pub" && depth == 1 && !rest.get(at + 1).is_some_and(|(_, next)| next.is('(')) =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}

#[test]
fn closed_types_of_the_library_are_found() {
    let count = |path: &str, text: &str| closed_types(&SourceFile::new(path, text)).len();
    let open =
        "#[derive(Debug)]\npub struct A<'a> {\n    pub b: &'a str,\n}\npub enum C {\n    D { e: u8 },\n}\n";
    assert_eq!(count("src/compile/a.rs", open), 2);
    assert_eq!(count("src/lower/a.rs", open), 0);
    let fine = "#[non_exhaustive]\npub struct A {\n    pub b: u8,\n}\npub struct E {\n    pub(super) b: u8,\n}\npub enum Severity {}\npub(super) enum F {}\n";
    assert_eq!(count("src/compile.rs", fine), 0);
    assert_eq!(count("src/compile.rs", &format!("{fine}{open}")), 2);
}
