//! Ports in the configuration of JavaScript frameworks: a number after `port:`. Comments and strings are skipped, and
//! the enclosing object is tracked so that the port of a preview is not used.

use std::path::Path;

use super::PortSearch;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::document;

const ENDINGS: [&str; 4] = ["js", "ts", "mjs", "cjs"];

/// Reads the configuration files with one stem.
pub(super) fn search_files(folder: &Path, stem: &str, search: &mut PortSearch) -> Result<(), CallFailure> {
    for ending in ENDINGS {
        let name = format!("{stem}.{ending}");
        let Some(text) = document::project_text(&folder.join(&name))? else { continue };
        let mut found = ports(&text);
        // Those of the development server first, in the order of the file.
        order::sort_by_key(&mut found, |port| {
            !matches!(port.inside.as_str(), "server" | "devServer" | "dev")
        });
        if let Some(port) =
            found.first().filter(|_| search.candidates.iter().all(|known| known.file.as_ref() != Some(&name)))
        {
            search.add(&port.number, "config", &name, port.line);
        }
    }
    Ok(())
}

struct ScriptPort {
    number: String,
    line: usize,
    /// The key of the object that holds it.
    inside: String,
}

enum Token {
    /// A name, or the text of a quoted key.
    Word(String),
    Number(String),
    Mark(char),
}

/// Every number after `port:`, except in a preview.
fn ports(text: &str) -> Vec<ScriptPort> {
    let tokens = tokens(text);
    let mut around: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for (at, (token, line)) in tokens.iter().enumerate() {
        let mark = |at: usize, wanted: char| matches!(tokens.get(at), Some((Token::Mark(mark), _)) if *mark == wanted);
        match token {
            Token::Mark('{') => {
                let key = match at.checked_sub(2).map(|before| &tokens[before].0) {
                    Some(Token::Word(word)) if mark(at - 1, ':') || mark(at - 1, '=') => word.clone(),
                    _ => String::new(),
                };
                around.push(key);
            }
            Token::Mark('}') => {
                around.pop();
            }
            Token::Word(word) if word == "port" && mark(at + 1, ':') => {
                let ended = match tokens.get(at + 3) {
                    None => true,
                    Some((Token::Mark(mark), _)) => matches!(mark, ',' | '}' | ')' | ']' | ';'),
                    Some((_, next)) => tokens.get(at + 2).is_some_and(|(_, line)| next > line),
                };
                if let Some((Token::Number(number), _)) = tokens.get(at + 2)
                    && ended
                    && !around.iter().any(|key| key == "preview")
                {
                    let inside = around.last().cloned().unwrap_or_default();
                    found.push(ScriptPort { number: number.clone(), line: *line, inside });
                }
            }
            _ => {}
        }
    }
    found
}

/// Words, numbers and punctuation with their lines; comments are skipped, a string is one word.
fn tokens(text: &str) -> Vec<(Token, usize)> {
    let bytes = text.as_bytes();
    let (mut at, mut line) = (0, 1);
    let mut out = Vec::new();
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let taken = match byte {
            b'/' if rest.starts_with(b"//") => {
                rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
            }
            b'/' if rest.starts_with(b"/*") => {
                rest.windows(2).skip(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4)
            }
            b'"' | b'\'' | b'`' => {
                let mut end = 1;
                while end < rest.len() && rest[end] != *byte {
                    end += if rest[end] == b'\\' { 2 } else { 1 };
                }
                let inner = rest.get(1..end.min(rest.len())).unwrap_or_default();
                out.push((Token::Word(String::from_utf8_lossy(inner).into_owned()), line));
                (end + 1).min(rest.len())
            }
            byte if byte.is_ascii_digit() => {
                let end =
                    rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
                let number = String::from_utf8_lossy(&rest[..end]).into_owned();
                let whole = number.bytes().all(|byte| byte.is_ascii_digit());
                out.push((if whole { Token::Number(number) } else { Token::Word(number) }, line));
                end
            }
            byte if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') => {
                let word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
                let end = rest.iter().take_while(word).count();
                out.push((Token::Word(String::from_utf8_lossy(&rest[..end]).into_owned()), line));
                end
            }
            byte if byte.is_ascii_whitespace() => 1,
            byte => {
                out.push((Token::Mark(char::from(*byte)), line));
                1
            }
        };
        line += bytes[at..at + taken].iter().filter(|byte| **byte == b'\n').count();
        at += taken;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_of_the_server_count() {
        for (text, wanted) in [
            ("export default { server: { port: 8888 } }", "8888 server 1"),
            ("preview:{port:4173}, server:{port:4000}", "4000 server 1"),
            ("// port: 1234\n{ port: 4000 } // port: 1", "4000  2"),
            ("{ /* port: 1,\n */ port: 4000\n}", "4000  2"),
            ("port: process.env.PORT || 3000", ""),
            ("port: getPort()", ""),
            ("port: 3000 + 1", ""),
            ("x = 'port: 9'; \"port\": 5,", "5  1"),
            ("a = 'open", ""),
            ("/* open", ""),
            ("'\\", ""),
            ("port: 0x10 }", ""),
        ] {
            let found: Vec<_> = ports(text)
                .into_iter()
                .map(|port| format!("{} {} {}", port.number, port.inside, port.line))
                .collect();
            assert_eq!(found.join("; "), wanted, "{text}");
        }
    }
}
