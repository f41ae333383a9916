//! The second attempt of a host whose parser refuses the YAML of frontmatter: it rewrites some of the lines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::blanks::is_blank;
use crate::read::control_chars;

/// Which lines a host rewrites before it tries again, so that their values are text.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LineRescue {
    /// Characters besides letters that the key of such a line may have, including white space before it.
    pub key_signs: String,
    /// A line is rewritten if its value contains one of these or begins with one of `starts`.
    pub holds: Vec<String>,
    /// Whether white space after a value is part of it, and any kind of white space separates it from the key.
    #[serde(default)]
    pub untrimmed: bool,
    /// Whether valid YAML that is not a mapping is left unchanged.
    #[serde(default)]
    pub spares_text: bool,
    /// Whether a valid list in brackets is left unchanged.
    #[serde(default)]
    pub spares_lists: bool,
    /// A line is rewritten if its value begins with one of these or contains one of `holds`.
    #[serde(default)]
    pub starts: Vec<String>,
    /// Whether values that begin with a quote but do not end with it are considered, too.
    #[serde(default)]
    pub opened_quotes: bool,
    /// Whether block values are left unchanged; otherwise their first line is rewritten as a value, which breaks the
    /// lines below.
    #[serde(default)]
    pub spares_blocks: bool,
    /// Whether a comment after such a value remains a comment.
    #[serde(default)]
    pub comments_end: bool,
    /// Whether lines with Windows line endings are considered, too.
    #[serde(default)]
    pub windows_lines: bool,
    /// Whether a value is rewritten as a block, so that the lines below still belong to it.
    #[serde(default)]
    pub as_block: bool,
    /// Whether a value with a colon after its closing quote is cut down to the quoted part.
    #[serde(default)]
    pub quoted_part: bool,
}

impl LineRescue {
    /// The text with its lines rewritten as this host does it.
    pub(super) fn lines(&self, yaml: &str) -> String {
        let mut out = String::new();
        let mut block: Option<usize> = None;
        for line in yaml.split_inclusive('\n') {
            let indent = line.len() - line.trim_start().len();
            block = block.filter(|outer| line.trim().is_empty() || indent > *outer);
            match self.value(line).filter(|_| block.is_none()) {
                Some((key, value)) if self.accepts(value) => {
                    let written = self.rewritten(value);
                    out.push_str(&match self.as_block && !written.starts_with('"') {
                        true => format!("{key}: |-\n  {written}\n"),
                        false => format!("{key}: {written}\n"),
                    });
                }
                found => {
                    if self.spares_blocks && found.is_some_and(|(_, value)| value.starts_with(['|', '>'])) {
                        block = Some(indent);
                    }
                    out.push_str(line);
                }
            }
        }
        out
    }

    /// The key, with everything before it, and the value of a line that is considered.
    fn value<'a>(&self, line: &'a str) -> Option<(&'a str, &'a str)> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        if line.ends_with('\r') && !self.windows_lines {
            return None;
        }
        let (key, value) = line.split_once(':')?;
        let sign = |c: char| c.is_ascii_alphabetic() || self.key_signs.contains(c);
        let value = match self.untrimmed {
            true => value.strip_prefix(is_blank)?.trim_start_matches(is_blank),
            false => value.strip_prefix([' ', '\t'])?.trim(),
        };
        // In a JavaScript regular expression, a line ends at these, too.
        let ends = (self.untrimmed || self.as_block) && value.contains(['\r', '\u{2028}', '\u{2029}']);
        (!key.trim().is_empty() && key.chars().all(sign) && !value.is_empty() && !ends)
            .then_some((key, value))
    }

    fn accepts(&self, value: &str) -> bool {
        let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
        let quoted = match quote {
            Some(quote) => !self.opened_quotes || value.len() > 1 && value.ends_with(quote),
            None => false,
        };
        let block = self.spares_blocks && value.starts_with(['|', '>']);
        let list = self.spares_lists && value.starts_with('[') && value.ends_with(']') && is_list(value);
        let part = self.quoted_part && quote.is_some_and(|quote| quoted_part(value, quote).is_some());
        part || !quoted
            && !block
            && !list
            && (self.holds.iter().any(|sign| value.contains(sign.as_str()))
                || self.starts.iter().any(|sign| value.starts_with(sign.as_str())))
    }

    fn rewritten(&self, value: &str) -> String {
        let text = match value.chars().next().filter(|first| matches!(first, '"' | '\'')) {
            Some(quote) if self.quoted_part => return quote_text(quoted_part(value, quote).unwrap_or(value)),
            _ if self.as_block => return value.to_owned(),
            _ if self.comments_end => value.split(" #").next().unwrap_or(value).trim_end(),
            // Such a host escapes nothing else.
            _ if self.untrimmed => {
                return format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
            }
            _ => value,
        };
        quote_text(text)
    }
}

fn is_list(value: &str) -> bool {
    control_chars::strict(value).is_some_and(|(node, _)| node.items().is_some())
}

fn quote_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn quoted_part(value: &str, quote: char) -> Option<&str> {
    let (part, rest) = value[1..].split_once(quote)?;
    (rest.starts_with(' ') && rest.contains(':')).then_some(part)
}
