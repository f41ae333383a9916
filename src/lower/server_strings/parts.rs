//! The parts of a server's string: text, and variables with their defaults.

/// A part of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringPart<'a> {
    /// Literal text.
    Text(&'a str),
    /// A variable, and its default.
    Variable(&'a str, Option<&'a str>),
}

/// The variable, with its default, if the string consists of nothing else.
pub fn single_variable(text: &str) -> Option<(&str, Option<&str>)> {
    let parts = parts(text);
    match parts.as_slice() {
        [StringPart::Variable(name, default)] => Some((name, *default)),
        _ => None,
    }
}

/// The parts of a string, in order.
pub fn parts(text: &str) -> Vec<StringPart<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = closing_position(&rest[start + 2..]) else { break };
        let inner = &rest[start + 2..start + 2 + length];
        let (name, default) =
            inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default)));
        if start > 0 {
            out.push(StringPart::Text(&rest[..start]));
        }
        out.push(StringPart::Variable(name, default));
        rest = &rest[start + 2 + length + 1..];
    }
    if !rest.is_empty() {
        out.push(StringPart::Text(rest));
    }
    out
}

/// The end of the variable at the start of `text`; its default may contain variables too.
fn closing_position(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' if text[..at].ends_with('$') => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}
