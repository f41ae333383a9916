//! The only sanitiser: every string from a repository, a server, a host or a model passes through it once, when it is
//! printed. Text that could control a terminal, reorder or hide text, or forge a line of output is escaped.

mod hidden_kind;

use std::borrow::Cow;
use std::fmt::Write;

pub use hidden_kind::{HiddenKind, is_hidden};

/// The text on one line: line feeds and tabs are escaped as well.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |c| c.is_control() || is_hidden(c), spelled)
}

/// The same for a message: at most 2,000 characters, whatever it quotes.
pub fn sentence(text: &str) -> Cow<'_, str> {
    // What was shortened once stays, with its ending.
    const MOST: usize = 2_000;
    const ENDING: usize = 48;
    if text.chars().nth(MOST + ENDING).is_none() {
        return line(text);
    }
    // No escape is cut: the text is, before it is escaped.
    let end = text.char_indices().nth(MOST).map_or(text.len(), |(end, _)| end);
    Cow::Owned(format!("{}… ({} more bytes)", line(&text[..end]), text.len() - end))
}

/// The text with line feeds and tabs kept; `\r\n` becomes a line feed.
pub fn block(text: &str) -> Cow<'_, str> {
    let unsafe_in_block = |c: char| !matches!(c, '\n' | '\t') && (c.is_control() || is_hidden(c));
    if text.contains("\r\n") {
        return Cow::Owned(escape(&text.replace("\r\n", "\n"), unsafe_in_block, spelled).into_owned());
    }
    escape(text, unsafe_in_block, spelled)
}

/// The text of a whole report that may be colored: like [`block`], but colors and `\r\n` are kept.
pub fn report(text: &str) -> Cow<'_, str> {
    lines(text, colour)
}

/// Lines of files, such as a patch: like [`block`], but `\r\n` is kept. Colors are escaped, since they would come from
/// the files.
pub fn patch(text: &str) -> Cow<'_, str> {
    lines(text, |_| 0)
}

/// Escapes like [`block`], but keeps `\r\n` and the sequences whose length `kept` returns.
fn lines(text: &str, kept: fn(&str) -> usize) -> Cow<'_, str> {
    let is_unsafe = |c: char| !matches!(c, '\n' | '\t') && (c.is_control() || is_hidden(c));
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_unsafe) {
        out += &rest[..at];
        rest = &rest[at..];
        let kept = kept(rest).max(if rest.starts_with("\r\n") { 2 } else { 0 });
        if kept > 0 {
            out += &rest[..kept];
            rest = &rest[kept..];
        } else {
            let mut characters = rest.chars();
            characters.next().into_iter().for_each(|c| spelled(c, &mut out));
            rest = characters.as_str();
        }
    }
    Cow::Owned(out + rest)
}

/// A report for people that is built line by line: one `writeln!` adds one line, whatever its values contain.
#[derive(Debug, Default)]
pub struct PrintableLines(String);

impl PrintableLines {
    /// Adds one line; this is what `writeln!` calls.
    ///
    /// # Errors
    /// Never: writing to a string cannot fail.
    pub fn write_fmt(&mut self, written: std::fmt::Arguments<'_>) -> std::fmt::Result {
        let text = written.to_string();
        let inner = text.strip_suffix('\n').unwrap_or(&text);
        self.0 += &line(inner);
        self.0 += &text[inner.len()..];
        Ok(())
    }

    /// Adds lines that are already safe.
    pub fn push(&mut self, lines: PrintableLines) {
        self.0 += &lines.0;
    }

    /// The report.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// A path in the header of a patch, quoted as in git if it has special characters.
pub fn patch_path(path: &str) -> Cow<'_, str> {
    if !path.contains(|c: char| matches!(c, '"' | '\\') || c.is_control() || is_hidden(c)) {
        return Cow::Borrowed(path);
    }
    let mut out = String::from("\"");
    for c in path.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '\r' => out += "\\r",
            c => octal(c, &mut out),
        }
    }
    Cow::Owned(out + "\"")
}

/// A word of a command that a user may copy into a shell, quoted if it has special characters.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    if !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./:@%+,".contains(c)) {
        return Cow::Borrowed(word);
    }
    if !word.contains(|c: char| c.is_control() || is_hidden(c)) {
        return Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")));
    }
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c => octal(c, &mut out),
        }
    }
    Cow::Owned(out + "'")
}

/// Adds a character, with its bytes in octal if it is not printable.
fn octal(c: char, out: &mut String) {
    if !(c.is_control() || is_hidden(c)) {
        return out.push(c);
    }
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        // A string can always be written to.
        let _ = write!(out, "\\{byte:03o}");
    }
}

/// The text without workflow commands that a forge would execute from a log: lines that start with `::`, after any
/// blanks, and `##[` anywhere. Only plugcast's own commands are printed without this.
pub fn unobeyed(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| line.trim_start().starts_with("::");
    let old = memchr::memmem::find(text.as_bytes(), OLD_COMMAND.as_bytes()).is_some();
    let new = text.contains("::") && text.split('\n').any(is_command);
    if !(old || new) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let blanks = line.len() - line.trim_start().len();
        match is_command(line) {
            true => out = out + &line[..blanks] + "\\u{3a}" + &line[blanks + 1..],
            false => out += line,
        }
    }
    Cow::Owned(out.replace(OLD_COMMAND, "#\\u{23}["))
}

/// The old prefix of commands; some forges still accept it anywhere in a line.
const OLD_COMMAND: &str = "##[";

/// The length of the escape sequence at the start of `text` if it only sets colors, else 0.
fn colour(text: &str) -> usize {
    let Some(inner) = text.strip_prefix("\u{1b}[") else { return 0 };
    let end = inner.find(|c: char| !(c.is_ascii_digit() || c == ';')).unwrap_or(inner.len());
    if inner[end..].starts_with('m') { 2 + end + 1 } else { 0 }
}

/// An equivalent JSON document of printable characters. Control characters below U+0020 can only be its white space:
/// serializers escape them inside strings.
pub fn json(document: &str) -> Cow<'_, str> {
    let unsafe_in_json = |c: char| c > '\u{1f}' && (c.is_control() || is_hidden(c));
    let safe = escape(document, unsafe_in_json, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    });
    // Outside of strings, JSON cannot contain this prefix.
    if safe.contains(OLD_COMMAND) { Cow::Owned(safe.replace(OLD_COMMAND, "#\\u0023[")) } else { safe }
}

fn spelled(c: char, out: &mut String) {
    match c {
        '\n' => *out += "\\n",
        '\r' => *out += "\\r",
        '\t' => *out += "\\t",
        // A string can always be written to.
        _ => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
    }
}

fn escape(text: &str, is_unsafe: impl Fn(char) -> bool, spell: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let Some(first) = text.find(&is_unsafe) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out += &text[..first];
    for c in text[first..].chars() {
        if is_unsafe(c) { spell(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str =
        "a\u{1b}[2Jb\u{1b}]8;;http://x\u{7}c\nVerdict\r\nd\u{202e}e\u{200b}f\u{2028}g\u{85}h\u{9b}1m\t.";

    #[test]
    fn a_field_is_one_line_without_escapes() {
        let printed = line(HOSTILE);
        assert_eq!(
            printed,
            "a\\u{1b}[2Jb\\u{1b}]8;;http://x\\u{7}c\\nVerdict\\r\\nd\\u{202e}e\\u{200b}f\\u{2028}g\\u{85}h\\u{9b}1m\\t."
        );
        assert_eq!(line(&printed), printed, "what was printed once stays");
    }

    #[test]
    fn a_sentence_has_an_end() {
        let long = "é".repeat(2_000);
        assert_eq!(sentence(&long), long);
        let short = sentence(&format!("{long}{long}\n!")).into_owned();
        assert_eq!(short, format!("{long}… (4002 more bytes)"));
        assert_eq!(sentence(&short), short);
        assert_eq!(sentence("a\n"), "a\\n");
    }

    #[test]
    fn a_block_keeps_its_lines() {
        let printed = block(HOSTILE);
        assert_eq!(printed.lines().count(), 3);
        assert!(printed.contains("c\nVerdict\nd\\u{202e}") && printed.ends_with("\t."), "{printed}");
        assert_eq!(block("a\rb"), "a\\rb");
    }

    #[test]
    fn a_report_keeps_its_colours_alone() {
        assert_eq!(
            report("\u{1b}[1;31mred\u{1b}[0m\r\n\u{1b}[2J\u{1b}]0;x\u{7}"),
            "\u{1b}[1;31mred\u{1b}[0m\r\n\\u{1b}[2J\\u{1b}]0;x\\u{7}"
        );
    }

    #[test]
    fn what_is_written_at_once_is_one_line() {
        let mut lines = PrintableLines::default();
        let (name, evil) = ("a", "b\nFORGED \u{1b}[8m");
        let _ = writeln!(lines, "{name}: {evil}");
        let _ = write!(lines, "{evil}");
        assert_eq!(lines.into_string(), "a: b\\nFORGED \\u{1b}[8m\nb\\nFORGED \\u{1b}[8m");
    }

    #[test]
    fn colours_are_ours_and_not_those_of_a_file() {
        assert_eq!(report("\u{1b}[1ma\u{1b}]8;;x\r\n"), "\u{1b}[1ma\\u{1b}]8;;x\r\n");
        assert_eq!(patch("+\u{1b}[8ma\tb\r\n-\u{1b}[0m\n"), "+\\u{1b}[8ma\tb\r\n-\\u{1b}[0m\n");
    }

    #[test]
    fn json_says_the_same() {
        let document = serde_json::to_string(&HOSTILE).unwrap();
        let printed = json(&document);
        assert!(!printed.chars().any(|c| c.is_control() || is_hidden(c)), "{printed}");
        assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), HOSTILE);
        let tag = serde_json::to_string("\u{e0041}").unwrap();
        assert_eq!(json(&tag), "\"\\udb40\\udc41\"");
        assert_eq!(json("{\n\t\"a\": 1\n}"), "{\n\t\"a\": 1\n}");
    }

    #[test]
    fn a_path_of_a_patch_is_one_name() {
        assert_eq!(patch_path("a/b c/é.md"), "a/b c/é.md");
        assert_eq!(patch_path("a/x\n+++ \"y\"\\\u{1b}\u{202e}"), r#""a/x\n+++ \"y\"\\\033\342\200\256""#);
    }

    #[test]
    fn a_word_of_a_shell_is_one_word() {
        for (word, quoted) in [
            ("feat/x-1.2_y", "feat/x-1.2_y"),
            ("/srv/é", "/srv/é"),
            ("", "''"),
            ("a b;c", "'a b;c'"),
            ("$(id)`x`", "'$(id)`x`'"),
            ("it's", "'it'\\''s'"),
            ("=x", "'=x'"),
            ("a\n'\\b\u{202e}", "$'a\\012\\'\\\\b\\342\\200\\256'"),
        ] {
            assert_eq!(shell_word(word), quoted, "{word}");
        }
    }

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(unobeyed("a\n::b\n \t::c ##[d]\n e::f"), "a\n\\u{3a}:b\n \t\\u{3a}:c #\\u{23}[d]\n e::f");
        assert!(matches!(unobeyed("a::b\n# c"), Cow::Borrowed(_)));
        let document = serde_json::to_string("##[a]").unwrap();
        assert_eq!(serde_json::from_str::<String>(&json(&document)).unwrap(), "##[a]");
        assert!(!json(&document).contains("##["));
    }

    #[test]
    fn plain_text_is_not_copied() {
        for text in ["plain", "日本語 é ❤️", ""] {
            assert!(matches!(line(text), Cow::Borrowed(_)) && matches!(block(text), Cow::Borrowed(_)));
        }
    }
}
