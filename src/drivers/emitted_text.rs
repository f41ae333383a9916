//! The parts of an emitted Markdown file that drivers need: single flags of its frontmatter, its body, and the lines of
//! the body that a host passes on unchanged.

use crate::read::tree::{Node, Value};
use crate::read::{frontmatter, yaml};
use crate::source::Span;

/// Splits a Markdown file into frontmatter and body; without frontmatter all of it is body.
pub fn split_frontmatter(text: &str) -> (&str, &str) {
    let document = frontmatter::parse(text);
    (document.yaml.map_or("", |yaml| yaml.slice(text)), document.body.slice(text))
}

/// The value of a top-level boolean frontmatter key; a value that the host does not understand counts as off.
pub fn flag(frontmatter: &str, key: &str) -> Option<bool> {
    Some(value(frontmatter, key)?.switch().unwrap_or(false))
}

/// Whether the frontmatter gives a key a value.
pub fn has_value(frontmatter: &str, key: &str) -> bool {
    value(frontmatter, key).is_some_and(|value| match &value.value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    })
}

/// The value of a top-level key in any notation, including merged mappings.
fn value(frontmatter: &str, key: &str) -> Option<Node> {
    let node = yaml::parse(frontmatter, Span::new(0, frontmatter.len())).0?;
    node.get(key).cloned()
}

/// Whether the host would run a shell command when it expands this body.
pub fn runs_commands(body: &str) -> bool {
    body.contains("!`") || body.contains("```!")
}

/// The lines of a body without substitutions on any host, trimmed at the end, without empty lines, blanks before the
/// first one, and lines with an HTML comment, which some hosts strip.
pub fn constant_lines(body: &str) -> Vec<&str> {
    let substituted =
        |line: &str| ["$", "!`", "@", "{{", "<!--", "-->", "\\"].iter().any(|mark| line.contains(mark));
    body.trim_start()
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty() && !substituted(line))
        .collect()
}

/// The first of `lines` that is missing or out of order in `shown`.
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
        for given in [
            "d: x\n",
            "a: b\nd: \"x\"\n",
            "d:\n  x\n",
            "d: >-\n  x\n",
            "  a: b\n  d: x\n",
            "a: b\r\r\nd: x\r\r\n",
            "\"d\": x\n",
            "\"\\x64\": x\n",
            "d : x\n",
            "{a: b, d: x}\n",
            "!x\na: b\nd: x\n",
            "a: &a {d: x}\n<<: *a\n",
            "a: &a {d: x}\n<<: [{}, *a]\n",
            "[d]: x\n",
        ] {
            assert!(has_value(given, "d"), "{given:?}");
        }
        for given in ["", "d:\n", "d: \"\"\n", "dd: x\n", "d: null\n", "d:\ne: x\n"] {
            assert!(!has_value(given, "d"), "{given:?}");
        }
    }

    #[test]
    fn splits_and_reads_flags() {
        let (front, body) = split_frontmatter("---\nname: a\nuser-invocable: false\n---\nwords\n---\n");
        assert_eq!(
            (flag(front, "user-invocable"), flag(front, "disable-model-invocation")),
            (Some(false), None)
        );
        assert_eq!(body, "words\n---\n");
        assert_eq!(flag("a:\nb: perhaps\n", "a"), Some(false));
        assert_eq!(flag("a:\nb: perhaps\n", "b"), Some(false));
        assert_eq!(flag("  'user-invocable' : \"true\"\r\r\n", "user-invocable"), Some(true));
        assert_eq!(split_frontmatter("---\r\r\na: b\r\r\n---\r\r\nx"), ("a: b\r\r\n", "x"));
        assert_eq!(split_frontmatter("no front"), ("", "no front"));
        assert_eq!(split_frontmatter("---\nopen"), ("", "---\nopen"));
    }

    #[test]
    fn finds_the_first_line_out_of_order() {
        let lines = constant_lines("# One\n\ncosts $5\n  two \nthree\n");
        assert_eq!(lines, ["# One", "  two", "three"]);
        assert_eq!(first_missing(&lines, "x\n# One\n  two\nthree"), None);
        assert_eq!(first_missing(&lines, "# One\nthree\n  two"), Some("three"));
    }
}
