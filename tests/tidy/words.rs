//! Words that no tracked file may hold: paths of somebody's machine, registry addresses, private notes.

use super::files::SourceFile;

/// The words, in two halves so that this file holds none of them, and what to do instead.
const WORDS: [(&str, &str, &str); 9] = [
    ("/wo", "rk/", "a path of one machine: name a path relative to the checkout"),
    ("/ho", "me/", "a path of one machine: write `~/`, or take a temporary folder"),
    ("/ro", "ot/", "a path of one machine: write `~/`, or take a temporary folder"),
    ("/Us", "ers/", "a path of one machine: write `~/`, or take a temporary folder"),
    ("regis", "try.npmjs.org", "a registry address: npm's own configuration names the registry"),
    ("regis", "try.yarnpkg.com", "a registry address: npm's own configuration names the registry"),
    ("../sha", "red/design", "a private note: say it in ARCHITECTURE.md"),
    ("design.m", "d", "a private note: say it in ARCHITECTURE.md"),
    ("prototypes.m", "d", "a private note: say the fact itself, with the host's version"),
];

/// Made-up paths of made-up people: the rule that finds such paths, its trees, and its finding.
const MADE_UP: [&str; 3] =
    ["tests/labelled/absolute-path.", "src/check/rules/absolute_path.", "tests/gallery/rules.snap"];

/// Forbidden words of a file.
pub fn forbidden(file: &SourceFile) -> Vec<String> {
    let mut found = Vec::new();
    if MADE_UP.iter().any(|place| file.path.starts_with(place)) {
        return found;
    }
    for (number, line) in file.text.lines().enumerate() {
        for (head, tail, instead) in WORDS {
            let word = format!("{head}{tail}");
            let part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | ')' | '~' | '>');
            let own_path = |at: usize| word.starts_with('/') && line[..at].ends_with(part);
            if line.match_indices(&word).any(|(at, _)| !own_path(at)) {
                found.push(format!("{}:{}: `{word}`: {instead}", file.path, number + 1));
            }
        }
    }
    found
}

/// Addresses in a lockfile.
pub fn resolved(file: &SourceFile) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        // What a package says about itself, and not where it came from.
        let own_words = ["\"url\": ", "\"funding\": ", "\"deprecated\": "];
        let addressed = line.contains("://") && !own_words.iter().any(|key| line.trim().starts_with(key));
        if line.contains("\"resolved\"") || addressed {
            found.push(format!("{}:{}: {}", file.path, number + 1, line.trim()));
        }
    }
    found
}

#[test]
fn forbidden_words_are_found() {
    let found = |text: &str| forbidden(&SourceFile::new("a.md", text)).len();
    assert_eq!(found(&format!("see /ho{}me/ann/x", "")), 1);
    assert_eq!(found(&format!("one\n`/wo{}rk/main`", "")), 1);
    assert_eq!(found(&format!("https://regis{}try.npmjs.org/x", "")), 1);
    assert_eq!(found(&format!("see design.m{}d", "")), 1);
    assert_eq!(found(&format!("a/ho{0}me/b ${{HOME}}/wo{0}rk/ ./ro{0}ot/x", "")), 0);
    assert_eq!(resolved(&SourceFile::new("package-lock.json", "{\n\"resolved\": \"x\"\n}")).len(), 1);
    assert_eq!(resolved(&SourceFile::new("package-lock.json", "{\n\"integrity\": \"x\"\n}")).len(), 0);
}
