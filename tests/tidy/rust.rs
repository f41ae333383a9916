//! Just enough of Rust's surface to tell names, string literals and paths apart from comments.

/// One piece of a Rust file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A name or keyword.
    Name(String),
    /// The content of a string literal, escapes as written.
    Text(String),
    /// One character of punctuation.
    Mark(char),
}

impl Token {
    /// Whether it is this punctuation.
    pub fn is(&self, mark: char) -> bool {
        *self == Token::Mark(mark)
    }

    /// Whether it is this name.
    pub fn named(&self, name: &str) -> bool {
        matches!(self, Token::Name(found) if found == name)
    }
}

/// The pieces of a file with their 1-based lines; comments, numbers, characters and lifetimes fall away.
pub fn tokens(text: &str) -> Vec<(usize, Token)> {
    let mut scanner = Scanner { rest: text, line: 1, tokens: Vec::new() };
    while !scanner.rest.is_empty() {
        scanner.step();
    }
    scanner.tokens
}

struct Scanner<'a> {
    rest: &'a str,
    line: usize,
    tokens: Vec<(usize, Token)>,
}

impl Scanner<'_> {
    fn step(&mut self) {
        let rest = self.rest;
        let first = rest.chars().next().expect("there is a rest");
        let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if rest.starts_with("//") {
            self.skip(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            self.skip(comment(rest));
        } else if let Some((prefix, hashes)) = raw_string(rest) {
            let end = format!("\"{}", "#".repeat(hashes));
            let length = rest[prefix..].find(&end).unwrap_or(rest.len() - prefix);
            self.text(prefix, length, end.len());
        } else if first == '"' || (word == 1 && "bc".contains(first) && rest[1..].starts_with('"')) {
            let prefix = rest.find('"').map_or(1, |quote| quote + 1);
            let length = quoted(&rest[prefix..]);
            self.text(prefix, length, 1);
        } else if first == '\'' {
            self.skip(character(rest));
        } else if first.is_ascii_digit() {
            self.skip(word);
        } else if word > 0 {
            self.tokens.push((self.line, Token::Name(rest[..word].to_owned())));
            self.skip(word);
        } else {
            if !first.is_whitespace() {
                self.tokens.push((self.line, Token::Mark(first)));
            }
            self.skip(first.len_utf8());
        }
    }

    fn text(&mut self, prefix: usize, length: usize, suffix: usize) {
        let content = self.rest[prefix..prefix + length].to_owned();
        self.tokens.push((self.line, Token::Text(content)));
        self.skip((prefix + length + suffix).min(self.rest.len()));
    }

    fn skip(&mut self, bytes: usize) {
        let (gone, rest) = self.rest.split_at(bytes);
        self.line += gone.matches('\n').count();
        self.rest = rest;
    }
}

/// Length of a block comment, which may hold others.
fn comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// Length of a raw string's opening, and how many hashes it has.
fn raw_string(rest: &str) -> Option<(usize, usize)> {
    let after = ["r", "br", "cr"].iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].starts_with('"').then_some((rest.len() - after.len() + hashes + 1, hashes))
}

/// Length of a quoted string's content.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    rest.len()
}

/// Length of a character literal or a lifetime.
fn character(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let after = at + escaped.len_utf8();
            rest[after..].find('\'').map_or(rest.len(), |end| after + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

#[test]
fn comments_strings_and_names_are_told_apart() {
    let text =
        "//! codex\nlet a = \"x \\\" y\"; /* b /* c */ d */ r#\"q\"r\"#; 'x' '\\'' &'life b\"z\" 12u8 é\n";
    let names: Vec<String> = tokens(text)
        .into_iter()
        .filter_map(|(line, token)| match token {
            Token::Name(name) => Some(format!("{line} {name}")),
            Token::Text(text) => Some(format!("{line} <{text}>")),
            Token::Mark(_) => None,
        })
        .collect();
    assert_eq!(names, ["2 let", "2 a", "2 <x \\\" y>", "2 <q\"r>", "2 life", "2 <z>", "2 é"]);
}
