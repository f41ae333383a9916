//! Paths among the words of a text: where a word that may be a path begins and ends, and which trailing characters are
//! not part of it.

/// Which ASCII characters end a path in running text; others do if they are neither letters nor digits. Nearly all text
/// is ASCII and needs no decoding.
static EDGES: [bool; 128] = {
    let (mut edges, mut at) = ([false; 128], 0);
    let ending = b"`\"'()[],;|&=!\\ \t\n\r\x0b\x0c";
    while at < ending.len() {
        edges[ending[at] as usize] = true;
        at += 1;
    }
    edges
};

/// Whether `c` ends a path.
pub fn is_edge(c: char) -> bool {
    EDGES.get(c as usize).copied().unwrap_or_else(|| !c.is_alphanumeric())
}

/// The start of the word that ends at `to` or contains it; not before `floor`.
pub fn word_start(text: &str, floor: usize, to: usize) -> usize {
    let mut at = to;
    while at > floor {
        match EDGES.get(usize::from(text.as_bytes()[at - 1])) {
            Some(true) => break,
            Some(false) => at -= 1,
            None => match text[..at].chars().next_back() {
                Some(c) if c.is_alphanumeric() => at -= c.len_utf8(),
                _ => break,
            },
        }
    }
    at
}

/// The start of the path at the end of `before`, where backslashes may be separators and a colon begins another path.
pub fn path_start(before: &str) -> usize {
    let edge = |c: char| c == ':' || (is_edge(c) && c != '\\');
    before.rfind(edge).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))
}

/// The end of the word that begins at `from` or contains it.
pub fn word_end(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = text.as_bytes().get(at) {
        match EDGES.get(usize::from(*byte)) {
            Some(true) => break,
            Some(false) => at += 1,
            None => match text[at..].chars().next() {
                Some(c) if c.is_alphanumeric() => at += c.len_utf8(),
                _ => break,
            },
        }
    }
    at
}

/// A word without trailing punctuation and wildcards.
pub fn without_marks(word: &str) -> &str {
    word.trim_end_matches(['.', ':', '*', '?'])
}

/// `path:12` and `path:3-9` without the numbers.
pub fn without_lines(word: &str) -> &str {
    let number = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
    match memchr::memrchr(b':', word.as_bytes()) {
        Some(at) if word.as_bytes()[at + 1..].iter().all(number) => &word[..at],
        _ => word,
    }
}

/// The path at the start of `rest`: up to the end of its word, a placeholder, or a redirection, without trailing
/// punctuation and numbers of lines.
pub fn leading_path(rest: &str) -> &str {
    let is_end = |c| is_edge(c) || c == '>' || CONTINUATIONS.contains(&c);
    let end = rest.find(is_end).unwrap_or(rest.len());
    without_lines(without_marks(&rest[..end]))
}

/// Whether `c` belongs to a plain path, as [`is_plain`](crate::model::paths::is_plain) takes it.
pub fn is_path_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@')
}

/// Whether `c` ends a path in a command, in a value of a document, or in code.
pub fn ends_in_command(c: char) -> bool {
    c.is_whitespace() || "\"'`;|&()<>:,".contains(c)
}

/// What makes the path before it part of a pattern, a template or another name.
const CONTINUATIONS: [char; 7] = ['*', '?', '<', '{', '$', '\\', '['];

/// Whether `rest`, which follows a path, makes it part of a pattern, a template or another name.
pub fn is_continued(rest: &str) -> bool {
    rest.starts_with(CONTINUATIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text, and the word around its first slash.
    #[test]
    fn a_word_ends_where_no_path_goes_on() {
        for (text, word) in [
            ("see `scripts/run.sh`.", "scripts/run.sh"),
            ("(references/a.md)", "references/a.md"),
            ("[x](a/b.md#c)", "a/b.md#c"),
            ("--file=a/b.md,c", "a/b.md"),
            ("\"${ROOT}/a b\"", "${ROOT}/a"),
            ("é/ü.md—and", "é/ü.md"),
            ("say “a/b.md”", "a/b.md"),
            ("a\\b/c.md", "b/c.md"),
            ("a/b|c", "a/b"),
            ("a/b.md:12-14.", "a/b.md:12-14."),
        ] {
            let slash = text.find('/').unwrap();
            assert_eq!(&text[word_start(text, 0, slash)..word_end(text, slash)], word, "{text}");
        }
        for (before, start) in [("see `a\\b/", 5), ("x:a/b/", 2), ("a/", 0), ("“é/", 3), ("(a,b/", 3)] {
            assert_eq!(path_start(before), start, "{before}");
        }
        assert!(is_edge('—') && is_edge(' ') && !is_edge('ü') && !is_edge('/'));
    }

    #[test]
    fn a_path_goes_on_to_the_end_of_its_word_or_to_a_placeholder() {
        for (rest, path) in [
            ("a/b.md) and", "a/b.md"),
            ("a/icon@2x.png:3.", "a/icon@2x.png"),
            ("skills/$NAME/x", "skills/"),
            ("a/*.md", "a/"),
            ("c++/b.md…", "c++/b.md"),
            ("a/run.sh>log", "a/run.sh"),
            (" a", ""),
        ] {
            assert_eq!(leading_path(rest), path, "{rest}");
        }
        assert!("ä/b_c-d.e+f@g".chars().all(is_path_char) && !":#$ ~%".chars().any(is_path_char));
    }

    #[test]
    fn a_path_in_a_command_ends_at_a_separator_or_an_operator() {
        for (rest, path) in [
            ("a/run.sh; b", "a/run.sh"),
            ("a/run.sh>log", "a/run.sh"),
            ("/x/a+b@2.js:/y", "/x/a+b@2.js"),
            ("\\a\\b.cmd\"", "\\a\\b.cmd"),
            ("a=b/[c].md)", "a=b/[c].md"),
        ] {
            assert_eq!(rest.split(ends_in_command).next(), Some(path), "{rest}");
        }
    }

    #[test]
    fn marks_and_line_numbers_are_not_part_of_a_path() {
        for (word, path) in [
            ("a/b.md:12-14.", "a/b.md"),
            ("a/b.md:12", "a/b.md"),
            ("a/b.md...", "a/b.md"),
            ("a/b:c", "a/b:c"),
            ("a/*", "a/"),
        ] {
            assert_eq!(without_lines(without_marks(word)), path, "{word}");
        }
        assert!(is_continued("*.md") && is_continued("{a}") && !is_continued("`"));
    }
}
