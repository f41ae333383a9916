//! Splits a command line into its commands, if their words alone determine what is run: no variable, no nested command,
//! no file that is written.

use crate::read::path_words::is_path_char;

/// One command of a line.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandPart<'a> {
    /// Its text, without redirections after it.
    pub text: &'a str,
    /// Its words, without quotes.
    pub words: Vec<String>,
    /// Whether its output is redirected.
    pub redirected: bool,
}

/// The operators between two commands, the longest first.
const OPERATORS: [&str; 4] = ["&&", "||", "|", ";"];
/// Redirections that change nothing, the longest first.
const HARMLESS: [&str; 7] =
    ["2>/dev/null", "2> /dev/null", "&>/dev/null", "1>/dev/null", ">/dev/null", "> /dev/null", "2>&1"];
/// Characters with a special meaning in a shell.
const SIGNS: [char; 12] = ['$', '`', '\\', '(', ')', '{', '}', '<', '>', '&', '\n', '#'];

/// The parts of a line; `None` if anything but the words matters. `root` is the variable of a folder.
pub fn parts<'a>(line: &'a str, root: &str) -> Option<Vec<CommandPart<'a>>> {
    let mut parts = Vec::new();
    let mut rest = line.trim_start();
    loop {
        let (part, joint, after) = first_part(rest, root)?;
        parts.push(part);
        rest = after.trim_start();
        match joint {
            Some(_) if !rest.is_empty() => {}
            None => return Some(parts),
            Some(_) => return None,
        }
    }
}

/// The first part of a text, the operator after it, and the text after that.
fn first_part<'a>(text: &'a str, root: &str) -> Option<(CommandPart<'a>, Option<&'static str>, &'a str)> {
    let (mut words, mut redirected, mut end, mut at) = (Vec::new(), false, 0, 0);
    let found = |words: Vec<String>, redirected, end| {
        (!words.is_empty()).then_some(CommandPart { text: &text[..end], words, redirected })
    };
    loop {
        at += text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len();
        let rest = &text[at..];
        if rest.is_empty() {
            return Some((found(words, redirected, end)?, None, ""));
        }
        if let Some(redirection) = HARMLESS.iter().find(|sign| {
            let behind = rest.strip_prefix(**sign);
            behind.is_some_and(|behind| !behind.starts_with(is_path_char))
        }) {
            redirected = true;
            at += redirection.len();
            continue;
        }
        if let Some(joint) = OPERATORS.into_iter().find(|joint| rest.starts_with(joint)) {
            return Some((found(words, redirected, end)?, Some(joint), &rest[joint.len()..]));
        }
        // A word after a redirection is unusual enough to ask.
        if redirected {
            return None;
        }
        let (word, length) = word(rest, root)?;
        words.push(word);
        at += length;
        end = at;
    }
}

/// The first word of a text without its quotes, and its length in the text.
fn word(text: &str, root: &str) -> Option<(String, usize)> {
    let mut word = String::new();
    let mut quote = None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if quote != Some('\'') && text[at..].starts_with(root) {
            word += root;
            at += root.len();
            continue;
        }
        match quote {
            Some(mark) if c == mark => quote = None,
            Some('"') if "$`\\".contains(c) => return None,
            Some(_) => word.push(c),
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == ' ' || c == '\t' || c == '|' || c == ';' => break,
            None if c == '&' && text[at..].starts_with("&&") => break,
            None if SIGNS.contains(&c) => return None,
            None => word.push(c),
        }
        at += c.len_utf8();
    }
    (quote.is_none() && at > 0).then_some((word, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Option<Vec<String>> {
        let parts = parts(line, "${ROOT}")?;
        Some(
            parts
                .into_iter()
                .map(|part| part.words.join(" ") + if part.redirected { " >" } else { "" })
                .collect(),
        )
    }

    #[test]
    fn a_line_is_parted_where_a_shell_parts_it() {
        let cases: [(&str, &[&str]); 7] = [
            ("git log --oneline -5", &["git log --oneline -5"]),
            ("ls | head -3 && echo 'a; b' || pwd; date", &["ls", "head -3", "echo a; b", "pwd", "date"]),
            ("cat a 2>/dev/null || echo \"no a\"", &["cat a >", "echo no a"]),
            ("ls > /dev/null 2>&1", &["ls >"]),
            ("\"${ROOT}/x\" now", &["${ROOT}/x now"]),
            ("git log main..HEAD|cat", &["git log main..HEAD", "cat"]),
            ("grep 'a|b' c", &["grep a|b c"]),
        ];
        for (line, wanted) in cases {
            assert_eq!(words(line).unwrap_or_default(), wanted, "{line}");
        }
    }

    #[test]
    fn unsupported_shell_syntax_has_no_words() {
        for line in [
            "",
            "ls >out",
            "ls > /dev/nullx",
            "ls &",
            "ls & pwd",
            "(ls)",
            "echo $X",
            "echo \"$X\"",
            "echo `date`",
            "ls |",
            "| ls",
            "ls || ",
            "cat < a",
            "cat <<E",
            "echo 'a",
            "a\\ b",
            "ls 2>/dev/null x",
            "{ ls; }",
            "ls\npwd",
        ] {
            assert_eq!(words(line), None, "{line}");
        }
    }
}
