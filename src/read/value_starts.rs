//! Where the source host's parser (Bun 1.4.4) differs from YAML at the start of a value: a comma is text, and the name
//! of a tag ends before any character that is invalid in a URI, such as a backslash, so that the rest is the value.

/// The text with `comma` in place of each comma that begins a value or a line, and a space after each tag name that
/// ends at such a character; `None` if nothing needs to change.
pub(super) fn as_yaml(yaml: &str, comma: char) -> Option<String> {
    let out: String = yaml.split_inclusive(['\n', '\r']).map(|line| with_comma(line, comma)).collect();
    (out != yaml).then_some(out)
}

fn with_comma(line: &str, comma: char) -> String {
    let mut out = String::new();
    let mut rest = line;
    let mut is_keyed = false;
    loop {
        let inner = rest.trim_start_matches([' ', '\t']);
        out.push_str(&rest[..rest.len() - inner.len()]);
        rest = inner;
        if let Some((mark, behind)) = mark(rest) {
            out.push_str(&mark);
            rest = behind;
        } else if let Some(text) = rest.strip_prefix(',') {
            out.push(comma);
            rest = text;
            break;
        } else if rest.starts_with("- ") || rest.starts_with("-\t") {
            out.push('-');
            rest = &rest[1..];
        } else if let Some(colon) = key_end(rest).filter(|_| !is_keyed) {
            out.push_str(&rest[..colon]);
            rest = &rest[colon..];
            is_keyed = true;
        } else {
            break;
        }
    }
    let in_brackets = rest.starts_with(['[', '{']);
    out + &if in_brackets { in_items(rest) } else { rest.to_owned() }
}

/// Splits a text that begins with a tag or an anchor into this, with a space added if needed, and the rest.
fn mark(text: &str) -> Option<(String, &str)> {
    if text.starts_with('&') {
        let end = text.find([' ', '\t', '\n', '\r'])?;
        return Some((text[..end].to_owned(), &text[end..]));
    }
    let is_core = text.starts_with("!!");
    let name = text.strip_prefix('!')?;
    let name = name.strip_prefix('!').unwrap_or(name);
    let of_name = |c: char| c.is_ascii_alphanumeric() || "-#;/?:@&=+$_.~*'()%".contains(c);
    let length = name.find(|c| !of_name(c)).unwrap_or(name.len());
    let (name, rest) = name.split_at(length);
    if !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '-') {
        return None;
    }
    let is_ended = name.is_empty()
        || rest.is_empty()
        || rest.starts_with([' ', '\t', '\n', '\r', '!', '[', ']', '{', '}']);
    // Only white space ends the name of YAML's own tags.
    let blank = if is_core || is_ended { "" } else { " " };
    Some((format!("{}{}{blank}", if is_core { "!!" } else { "!" }, name.replace('#', "-")), rest))
}

/// If `text` begins with a key, the offset after its colon.
fn key_end(text: &str) -> Option<usize> {
    let colon = text.find([':', '[', '{', '#'])?;
    let is_key = text[colon..].starts_with(": ") || text[colon..].starts_with(":\t");
    is_key.then_some(colon + 1)
}

/// Adapts the values of a flow list or mapping.
fn in_items(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(next) = rest.find(['[', '{', ',', ':']) {
        let value = &rest[next + 1..];
        let inner = value.trim_start_matches([' ', '\t']);
        out.push_str(&rest[..rest.len() - inner.len()]);
        rest = inner;
        if let Some((mark, behind)) = mark(rest) {
            out.push_str(&mark);
            rest = behind;
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_begin_as_they_do_for_the_source_host() {
        let pairs = [
            ("a: !ow\\xn x", "a: !ow \\xn x"),
            ("- !x,y z", "- !x ^y z"),
            ("- - , b\n", "- - ^ b\n"),
            ("a:\t ,b, c\n,d", "a:\t ^b, c\n^d"),
            ("a: [!x, y, !y\\z, !é]", "a: [!x , y, !y \\z, !é]"),
            ("a: !x#y z", "a: !x-y z"),
            ("a: !!str# z", "a: !!str- z"),
            ("a: &b !xé", "a: &b !x é"),
            ("a: !x|\n  b", "a: !x |\n  b"),
        ];
        for (yaml, wanted) in pairs {
            assert_eq!(super::as_yaml(yaml, '^').as_deref(), Some(wanted));
        }
        for yaml in
            ["a: wow !x, y", "a: b!x, y", "a: !x y", "a: b, !x,y", "a: !", "a: !#", "a: !!str\\ x", ""]
        {
            assert_eq!(super::as_yaml(yaml, '^'), None, "{yaml}");
        }
    }
}
