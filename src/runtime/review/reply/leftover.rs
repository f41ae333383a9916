//! Checks whether the text around the parsed values looks like more of a reply, or like a finding.

use serde_json::Value;

use super::repair;

/// Characters that may quote a key.
const QUOTES: [char; 9] = ['"', '\'', '\\', '`', '*', '“', '”', '‘', '’'];

/// Whether a text contains something like findings: a key of a reply, quoted or before a list or an object; or a title
/// and a severity.
pub(super) fn looks_like_findings(text: &str) -> bool {
    if ["findings", "rechecked"].iter().any(|key| has_key(text, key)) {
        return true;
    }
    let text = text.to_ascii_lowercase();
    let word = |value: &str| value.chars().take_while(char::is_ascii_alphanumeric).collect::<String>();
    let mut severities = values(&text, "severity").map(|(_, value)| Value::from(word(value)));
    values(&text, "title").next().is_some() && severities.any(|word| repair::severity(&word).is_some())
}

/// Whether a text contains `key:`, quoted or before a list or an object.
pub(super) fn has_key(text: &str, key: &str) -> bool {
    let text = text.to_ascii_lowercase();
    values(&text, key).any(|(quoted, value)| quoted || value.starts_with(['[', '{']))
}

/// The text after each `key:`, and whether the key is in string quotes.
fn values<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = (bool, &'a str)> {
    let is_between = |c: char| c.is_whitespace() || QUOTES.contains(&c);
    text.match_indices(key).filter_map(move |(at, _)| {
        let rest = &text[at + key.len()..];
        let value = rest.trim_start_matches(is_between);
        let between = &rest[..rest.len() - value.len()];
        let quoted = between.contains(|c| QUOTES.contains(&c) && c != '*' && c != '`');
        Some((quoted, value.strip_prefix(':')?.trim_start_matches(is_between)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_findings_is_told_from_prose() {
        for text in [
            "{'reviewer':'correctness','findings':[{'title':'eval'}]}",
            r#""{\"findings\": [1]}""#,
            "{“findings” : [",
            "{findings: [{title",
            "\"critical_findings\":[",
            "{'Rechecked': {",
            "- title: eval\n  severity: high",
            r#"{"title":"eval" "severity":"P0"}"#,
            "**Title**: eval of input\n**Severity:** `P0`",
        ] {
            assert!(looks_like_findings(text), "{text}");
        }
        for text in [
            "",
            "Here are my findings:\n\0",
            "**Findings:** none",
            "`findings`: I found nothing.",
            "The title: severity is unclear",
            "My findings are empty. Title: none. Severity: none",
        ] {
            assert!(!looks_like_findings(text), "{text}");
        }
    }
}
