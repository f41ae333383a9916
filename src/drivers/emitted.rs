//! What a driver reads from an emitted Markdown file: single flags of its frontmatter, its body,
//! and which lines of the body a host passes on unchanged.

/// Splits a Markdown file into frontmatter and body; without frontmatter all of it is body.
pub fn split(text: &str) -> (&str, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return ("", text);
    };
    let mut offset = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (&rest[..offset], &rest[offset + line.len()..]);
        }
        offset += line.len();
    }
    ("", text)
}

/// The value of a top-level frontmatter key when it is written as a literal boolean.
pub fn flag(frontmatter: &str, key: &str) -> Option<bool> {
    let line = frontmatter.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    match line.trim().trim_matches('"') {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Whether the frontmatter gives a key a value, on its own line or on the lines below.
pub fn has_value(frontmatter: &str, key: &str) -> bool {
    let mut lines = frontmatter.lines().skip_while(|line| !line.starts_with(&format!("{key}:")));
    let Some(first) = lines.next() else { return false };
    let value = first[key.len() + 1..].trim();
    let below = lines.next().is_some_and(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    !matches!(value, "" | "\"\"" | "''" | "~" | "null") && !value.starts_with('#')
        || value.is_empty() && below
}

/// Whether the host would run a shell command when it expands this body.
pub fn runs_commands(body: &str) -> bool {
    body.contains("!`") || body.contains("```!")
}

/// The lines of a body that no host substitutes anything in, trimmed at the end; empty ones are
/// left out. Left out are also lines with a comment of HTML, which some hosts strip.
pub fn constant_lines(body: &str) -> Vec<&str> {
    let substituted =
        |line: &str| ["$", "!`", "@", "{{", "<!--", "-->", "\\"].iter().any(|mark| line.contains(mark));
    body.lines().map(str::trim_end).filter(|line| !line.trim().is_empty() && !substituted(line)).collect()
}

/// The first of these lines that does not follow the ones before it in `shown`.
pub fn first_missing<'a>(lines: &[&'a str], shown: &str) -> Option<&'a str> {
    let mut rest = shown;
    for line in lines {
        match rest.find(line) {
            Some(place) => rest = &rest[place + line.len()..],
            None => return Some(line),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_value_on_its_line_or_below() {
        for given in ["d: x\n", "a: b\nd: \"x\"\n", "d:\n  x\n", "d: >-\n  x\n"] {
            assert!(has_value(given, "d"), "{given:?}");
        }
        for given in ["", "d:\n", "d: \"\"\n", "dd: x\n", "d: null\n", "d:\ne: x\n"] {
            assert!(!has_value(given, "d"), "{given:?}");
        }
    }

    #[test]
    fn splits_and_reads_flags() {
        let (front, body) = split("---\nname: a\nuser-invocable: false\n---\nwords\n---\n");
        assert_eq!(
            (flag(front, "user-invocable"), flag(front, "disable-model-invocation")),
            (Some(false), None)
        );
        assert_eq!(body, "words\n---\n");
        assert_eq!(split("no front"), ("", "no front"));
        assert_eq!(split("---\nopen"), ("", "---\nopen"));
    }

    #[test]
    fn finds_the_first_line_out_of_order() {
        let lines = constant_lines("# One\n\ncosts $5\n  two \nthree\n");
        assert_eq!(lines, ["# One", "  two", "three"]);
        assert_eq!(first_missing(&lines, "x\n# One\n  two\nthree"), None);
        assert_eq!(first_missing(&lines, "# One\nthree\n  two"), Some("three"));
    }
}
