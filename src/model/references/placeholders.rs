//! Argument placeholders and constructs that the source host acts on, found by its own rules
//! (Claude Code 2.1.197 and 2.1.330).

use memchr::memmem;

use super::{Reference, ReferenceTarget};
use crate::read::path_words::is_path_char;
use crate::source::Span;

/// `$ARGUMENTS`, `$ARGUMENTS[N]`, `$N` and `$name` for declared names; `\$` is an escape.
pub(super) fn arguments(text: &str, body: Span, declared: &[String]) -> Vec<Reference> {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'$', body.slice(text).as_bytes()) {
        let at = at + body.start;
        if at > 0 && bytes[at - 1] == b'\\' {
            continue;
        }
        let rest = &text[at + 1..body.end];
        let length = if let Some(tail) = rest.strip_prefix("ARGUMENTS") {
            Some("ARGUMENTS".len() + index(tail))
                .filter(|_| !tail.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        } else {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let word = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            let named = declared.iter().any(|name| name == &rest[..word]);
            if digits > 0 && digits == word {
                Some(digits)
            } else if named {
                Some(word)
            } else {
                None
            }
        };
        if let Some(length) = length {
            let span = Span::new(at, at + 1 + length);
            out.push(Reference::new(span, ReferenceTarget::Argument(span.slice(text).to_owned())));
        }
    }
    out
}

fn index(tail: &str) -> usize {
    let Some(inner) = tail.strip_prefix('[') else { return 0 };
    match inner.split_once(']') {
        Some((digits, _)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.len() + 2
        }
        _ => 0,
    }
}

/// `` !`command` `` at the start of a line or after white space, over several lines as well, and blocks marked `!`, which
/// the source host finds anywhere: in a list, in a quote, within a line.
pub(super) fn shell(text: &str, body: Span) -> Vec<Reference> {
    let mut out = Vec::new();
    let body_text = body.slice(text);
    let mut from = 0;
    for at in memmem::find_iter(body_text.as_bytes(), "!`") {
        let starts = body_text[..at].chars().next_back().is_none_or(char::is_whitespace);
        if at < from || !starts {
            continue;
        }
        let Some(end) = body_text[at + 2..].find('`') else { break };
        if end > 0 {
            from = at + 2 + end + 1;
            push(&mut out, text, Span::new(at, from).shifted(body.start));
        }
    }
    from = 0;
    for at in memmem::find_iter(body_text.as_bytes(), "```!") {
        if at < from {
            continue;
        }
        let Some(end) = memmem::find(&body_text.as_bytes()[at + 4..], b"```") else { break };
        from = at + 4 + end + 3;
        push(&mut out, text, Span::new(at, from).shifted(body.start));
    }
    out
}

fn push(out: &mut Vec<Reference>, text: &str, span: Span) {
    out.push(Reference::new(span, ReferenceTarget::Shell(span.slice(text).to_owned())));
}

/// `@path` after white space or at the start of a line, if the path looks like that of a file.
pub(super) fn find_includes(text: &str, body: Span) -> Vec<Reference> {
    let mut out = Vec::new();
    let body_text = body.slice(text);
    for at in memchr::memchr_iter(b'@', body_text.as_bytes()) {
        let starts = body_text[..at].chars().next_back().is_none_or(char::is_whitespace);
        let path = path_word(&body_text[at + 1..]);
        let allowed = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./~$".contains(&byte));
        let file = path.rsplit('/').next().is_some_and(|name| name.contains('.') && !name.ends_with('.'));
        if starts && allowed && file && path.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            push_include(&mut out, text, Span::new(at, at + 1 + path.len()).shifted(body.start));
        }
    }
    out
}

/// `@${VARIABLE}/path` after white space or at the start of a line, for the variables in `folders`: the source host
/// includes the file wherever it stands, also in a block of code.
pub(super) fn includes_of_plugin(text: &str, body: Span, folders: &[String]) -> Vec<Reference> {
    let mut out = Vec::new();
    let body_text = body.slice(text);
    for at in memmem::find_iter(body_text.as_bytes(), "@${") {
        let starts = body_text[..at].chars().next_back().is_none_or(char::is_whitespace);
        let word = path_word(&body_text[at + 1..]);
        let inner = word.strip_prefix("${").and_then(|rest| rest.split_once("}/"));
        let is_file = inner.is_some_and(|(name, path)| {
            folders.iter().any(|folder| folder == name) && !path.is_empty() && path.chars().all(is_path_char)
        });
        if starts && is_file {
            push_include(&mut out, text, Span::new(at, at + 1 + word.len()).shifted(body.start));
        }
    }
    out
}

/// The word that `rest` begins with, without the punctuation after a path.
fn path_word(rest: &str) -> &str {
    let word = rest.split(char::is_whitespace).next().unwrap_or("");
    word.trim_end_matches(['.', ',', ';', ':', ')', '!', '?', '*', '`', '"', '\''])
}

fn push_include(out: &mut Vec<Reference>, text: &str, span: Span) {
    let named = ReferenceTarget::Include(span.slice(text).to_owned());
    out.push(Reference::new(span, named));
}
