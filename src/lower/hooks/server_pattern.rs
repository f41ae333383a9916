//! Patterns over the names of servers' tools. A name consists of the server's prefix and the tool's own name; if the
//! start of a pattern matches a prefix, the rest of it tells which tools it matches.

use std::collections::BTreeSet;

use regex_automata::meta::Regex;

/// The prefix of the names of all servers' tools.
pub(super) const SERVERS: &str = "mcp__";
/// The maximum number of pieces; a longer pattern is not analysed.
const LONGEST: usize = 128;

/// A pattern, split wherever a server's prefix may end.
#[derive(Debug)]
pub struct ServerPattern<'a> {
    pieces: Vec<&'a str>,
    /// The patterns of the first pieces, for each number of them; `None` if they are not a valid pattern.
    heads: Vec<Option<Regex>>,
}

impl<'a> ServerPattern<'a> {
    /// Splits `pattern`.
    pub fn new(pattern: &'a str) -> Self {
        let bare = pattern.strip_prefix('^').unwrap_or(pattern);
        let pieces = pieces(bare);
        let open = bare.len() == pattern.len();
        let cuts = if pieces.len() > LONGEST { 0 } else { pieces.len() };
        let heads = (1..=cuts).map(|end| {
            let head = pieces[..end].concat();
            Regex::new(&format!("^{}(?:{head})$", if open { "(?s:.*)" } else { "" })).ok()
        });
        Self { heads: heads.collect(), pieces }
    }

    /// The possible rests of the pattern after its first pieces have matched `stem`.
    pub fn remainders(&self, stem: &str) -> BTreeSet<String> {
        let mut out = BTreeSet::new();
        let mut plain = None;
        for (at, head) in self.heads.iter().enumerate() {
            if !head.as_ref().is_some_and(|head| head.is_match(stem)) {
                continue;
            }
            let rest = self.pieces[at + 1..].concat();
            match repeated(self.pieces[at]) {
                Some(_) if rest.is_empty() || rest == "$" => drop(out.insert(".*".to_owned())),
                Some(more) => drop(out.insert(format!("{more}{rest}"))),
                None => plain = Some(rest),
            }
        }
        out.extend(plain);
        out
    }
}

/// A piece that may repeat, in a form that may also match nothing further.
fn repeated(piece: &str) -> Option<String> {
    let bare = piece.strip_suffix('?').filter(|bare| bare.ends_with(['*', '+', '}'])).unwrap_or(piece);
    if let Some(one) = bare.strip_suffix(['*', '+']) {
        return Some(format!("{one}*")).filter(|_| !one.is_empty() && !one.ends_with('\\'));
    }
    let open = bare.strip_suffix('}')?.rfind('{')?;
    Some(format!("{}*", &bare[..open])).filter(|_| open > 0)
}

/// The characters, classes and groups of a pattern, each with its quantifier.
fn pieces(pattern: &str) -> Vec<&str> {
    let (mut out, mut start) = (Vec::new(), 0);
    while start < pattern.len() {
        let mut end = start + atom_length(&pattern[start..]);
        let rest = &pattern[end..];
        let mut times = match rest.chars().next() {
            Some('*' | '+' | '?') => 1,
            Some('{') => rest.find('}').map_or(0, |at| at + 1),
            _ => 0,
        };
        if times > 0 && rest[times..].starts_with('?') {
            times += 1;
        }
        end += times;
        out.push(&pattern[start..end]);
        start = end;
    }
    out
}

/// The length in bytes of the first character, class or group of `text`.
fn atom_length(text: &str) -> usize {
    let (mut depth, mut class, mut escaped) = (0usize, false, false);
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match c {
            _ if escaped => escaped = false,
            '\\' => {
                escaped = true;
                continue;
            }
            ']' if class => class = false,
            _ if class => continue,
            '[' => class = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && !class && !escaped {
            return end;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remainders(pattern: &str) -> Vec<String> {
        ServerPattern::new(pattern).remainders("mcp__plugin_a_x__").into_iter().collect()
    }

    #[test]
    fn what_is_left_behind_a_server_says_which_tools_are_meant() {
        assert_eq!(remainders("mcp__plugin_a_(x|y)__.*"), [".*"]);
        assert_eq!(remainders("mcp__plugin_a_(x|y)__(get|put)_.+$"), ["(get|put)_.+$"]);
        assert_eq!(remainders("^mcp__plugin_(a|b)_[a-z]+__get$"), ["get$"]);
        assert_eq!(remainders("mcp__plugin_a_.*__get"), [".*__get", "get"]);
        assert_eq!(remainders("mcp__plugin_.*"), [".*"]);
        assert_eq!(remainders("plugin_a_x__get"), ["get"]);
        assert!(remainders("mcp__plugin_a_(y|z)__.*").is_empty());
        assert!(remainders("mcp__plugin_a_(?!y)__.*").is_empty());
    }

    #[test]
    fn pieces_keep_what_repeats_them() {
        assert_eq!(pieces("a[)]+?(b|\\))*\\w{2,}c"), ["a", "[)]+?", "(b|\\))*", "\\w{2,}", "c"]);
        assert_eq!(pieces("(a"), ["(a"]);
    }
}
