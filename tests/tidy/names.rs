//! Names of types, modules, functions and locals: one name for one public type, and no word that leaves open what is meant.

use std::collections::BTreeMap;

use super::files::SourceFile;
use super::rust::{Token, tokens};

/// Names that every command may have, since each is a role of a command.
const ROLES: [&str; 4] = ["Args", "Options", "Report", "Response"];

/// Pronouns, adverbs, participles and single words that leave open what is meant.
const NO_TYPES: [&str; 88] = [
    "Again",
    "Allowed",
    "Anew",
    "Answered",
    "Applied",
    "Around",
    "Asked",
    "At",
    "Bad",
    "Before",
    "Beside",
    "Born",
    "Bound",
    "Built",
    "Cast",
    "Changed",
    "Claimed",
    "Closed",
    "Declared",
    "Described",
    "Detached",
    "Displaced",
    "Emitted",
    "Ended",
    "Examined",
    "Expected",
    "Explained",
    "Failed",
    "Fed",
    "Filled",
    "Finished",
    "Fixed",
    "Found",
    "Gathered",
    "Given",
    "Growing",
    "Held",
    "Here",
    "How",
    "Joint",
    "Judged",
    "Known",
    "Labelled",
    "Leads",
    "LeftOut",
    "Listed",
    "Located",
    "Locked",
    "Look",
    "Looked",
    "Lost",
    "Lowered",
    "Made",
    "Matched",
    "Merged",
    "Missing",
    "Named",
    "Near",
    "Now",
    "Of",
    "Offered",
    "Owned",
    "Parsed",
    "Past",
    "Played",
    "Printed",
    "Proposed",
    "Ran",
    "Received",
    "Refused",
    "Registered",
    "Released",
    "Resolved",
    "Reviewed",
    "Said",
    "Same",
    "Scene",
    "Seat",
    "Seen",
    "Shown",
    "Spent",
    "Spoken",
    "Started",
    "Surroundings",
    "Taken",
    "What",
    "With",
    "Withdrawn",
];

/// The same for modules, beside collections of leftovers.
const NO_MODULES: [&str; 58] = [
    "adopted",
    "again",
    "against",
    "applied",
    "beneath",
    "beside",
    "called",
    "common",
    "confined",
    "damaged",
    "declared",
    "detached",
    "dispatched",
    "earlier",
    "early",
    "embedded",
    "emitted",
    "escalated",
    "forged",
    "heeded",
    "helpers",
    "here",
    "hidden",
    "ignored",
    "indexed",
    "judged",
    "known",
    "listed",
    "loaded",
    "look",
    "loose",
    "misc",
    "moment",
    "named",
    "narrowed",
    "near",
    "now",
    "obey",
    "owned",
    "past",
    "resumed",
    "reviewed",
    "running",
    "said",
    "scene",
    "scratch",
    "seat",
    "selected",
    "shipped",
    "shown",
    "since",
    "surroundings",
    "tracked",
    "unfound",
    "unlisted",
    "unstarted",
    "utils",
    "whole",
];

/// Functions and methods that say nothing where they are called: `Place::of(x)`, `row.at(y)`, `look(z)`.
const NO_FUNCTIONS: [&str; 18] = [
    "anew",
    "at",
    "cast",
    "hear",
    "here",
    "look",
    "of",
    "on",
    "said",
    "say",
    "scene",
    "seat",
    "see",
    "surroundings",
    "take",
    "there",
    "to",
    "with",
];

/// The same for locals, parameters and fields, which count only where a name begins.
const NO_LOCALS: [&str; 8] = ["cast", "look", "said", "scene", "scenes", "seat", "seats", "surroundings"];

/// Files that may have such a function, with the function and the reason.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

/// The types that a file declares: line, name, and whether others see it.
fn types(file: &SourceFile) -> Vec<(usize, String, bool)> {
    let tokens = tokens(&file.text);
    let is_word =
        |token: &Token| ["struct", "enum", "trait", "type", "union"].iter().any(|word| token.named(word));
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for (at, (line, token)) in tokens.iter().enumerate() {
        depth = match token {
            Token::Mark('{') => depth + 1,
            Token::Mark('}') => depth.saturating_sub(1),
            _ => depth,
        };
        let (true, Some((_, Token::Name(name)))) = (depth == 0 && is_word(token), tokens.get(at + 1)) else {
            continue;
        };
        let before = tokens[..at].last().map(|(_, token)| token);
        let public = before.is_some_and(|token| token.named("pub") || token.is(')'));
        found.push((*line, name.clone(), public));
    }
    found
}

/// Types and modules whose name leaves open what they are.
pub fn vague(file: &SourceFile) -> Vec<String> {
    let mut found: Vec<String> = types(file)
        .into_iter()
        .filter(|(_, name, _)| NO_TYPES.contains(&name.as_str()))
        .map(|(line, name, _)| format!("{}:{line}: the type `{name}`: take a noun of the field", file.path))
        .collect();
    let module = file.path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
    if NO_MODULES.contains(&module) {
        found.push(format!("{}: the module `{module}`: take a noun, or the verb of a phase", file.path));
    }
    found
}

/// Functions and locals whose name leaves open what they do or hold.
pub fn vague_words(file: &SourceFile) -> Vec<String> {
    let tokens = tokens(&file.text);
    let mut found = Vec::new();
    for (at, (line, token)) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let name = name.as_str();
        let is_function = tokens[..at].last().is_some_and(|(_, before)| before.named("fn"));
        let is_excepted = EXCEPTIONS.iter().any(|(path, own, _)| *path == file.path && *own == name);
        let what = match is_function {
            true if NO_FUNCTIONS.contains(&name) && !is_excepted => "function",
            false if NO_LOCALS.contains(&name) => "name",
            _ => continue,
        };
        found.push(format!("{}:{line}: the {what} `{name}`: name what it does, or what it holds", file.path));
    }
    found
}

/// Public types of one name, but for the roles of a command.
pub fn repeated(files: &[SourceFile]) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        for (line, name, public) in types(file) {
            if public && !ROLES.contains(&name.as_str()) {
                places.entry(name).or_default().push(format!("{}:{line}", file.path));
            }
        }
    }
    places.retain(|_, places| places.len() > 1);
    places
        .into_iter()
        .map(|(name, places)| format!("`{name}` is several types: {}", places.join(", ")))
        .collect()
}

#[test]
fn vague_functions_and_locals_are_found() {
    let found = |text: &str| vague_words(&SourceFile::new("src/a.rs", text)).len();
    assert_eq!(found("impl A { pub fn of(x: u8) -> Self { A(x) } }\nfn look() {}"), 2);
    assert_eq!(found("fn f(seat: &Seat) { let said = 1; }"), 2);
    assert_eq!(found("fn of_file() { /* said */ list.take(3); from.to(\"scene\"); } fn located() {}"), 0);
}

#[test]
fn vague_and_repeated_names_are_found() {
    let file = |path: &str, text: &str| SourceFile::new(path, text);
    let one = file("src/a.rs", "pub struct Place;\nstruct Said<'a>(&'a str);\nfn f() { struct Held; }");
    let two = file("src/known.rs", "pub(crate) enum Place {}\npub struct Response;");
    let three = file("src/b.rs", "pub struct Response { pub kind: Kind }\n// struct Seat\nenum Place {}");
    assert_eq!(vague(&one).len(), 1);
    assert_eq!(vague(&two).len(), 1);
    assert_eq!(vague(&three).len(), 0);
    assert_eq!(repeated(&[one, two, three]).len(), 1);
}
