//! YAML tags, such as `!!int`, and which a host refuses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tree::{Node, Style, Value};
use crate::source::Span;

/// A value or key with a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedNode {
    /// The span of the value.
    pub span: Span,
    /// The tag, resolved: `tag:yaml.org,2002:int`, `!own`.
    pub tag: String,
    /// The value that has the tag.
    pub content: TaggedContent,
    /// How many lists and mappings contain it.
    pub depth: usize,
}

/// A value with a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaggedContent {
    /// A scalar with this text.
    Scalar(String),
    /// A list.
    List,
    /// A mapping.
    Map,
}

/// How a host treats tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TagRule {
    /// They are ignored.
    Ignored,
    /// The host refuses the file if a text field that it reads has a `!!null` tag on a value that is not null.
    NullRefused,
    /// The host refuses the file if it does not know a tag or the tag does not fit its value.
    MustFit,
}

/// The prefix of the tags of YAML's own schemas.
const CORE: &str = "tag:yaml.org,2002:";

impl TagRule {
    /// Whether the host refuses a file because of this tag; `is_read` is true if it is on a text field that the host
    /// reads.
    pub fn refuse(self, tagged: &TaggedNode, is_read: bool) -> bool {
        let core = tagged.tag.strip_prefix(CORE);
        match self {
            TagRule::Ignored => false,
            TagRule::NullRefused => is_read && core == Some("null") && !tag_fits("null", &tagged.content),
            TagRule::MustFit => match core {
                Some(name) => !tag_fits(name, &tagged.content),
                None => tagged.tag != "!",
            },
        }
    }
}

impl TagRule {
    /// The value that a scalar has because of its tag, with or without quotes; `None` if the host ignores the tag.
    pub fn value(self, tagged: &TaggedNode) -> Option<Value> {
        let TaggedContent::Scalar(text) = &tagged.content else { return None };
        if self != TagRule::MustFit || self.refuse(tagged, false) {
            return None;
        }
        match tagged.tag.strip_prefix(CORE) {
            None | Some("str") => Some(Value::String(text.clone())),
            Some("null") => Some(Value::Null),
            Some("bool") => Some(Value::Bool(text.eq_ignore_ascii_case("true"))),
            Some("int" | "float" | "timestamp") => Some(Value::Number(text.clone())),
            Some(_) => None,
        }
    }

    /// Whether the host drops the whole file because of this tag: it refuses the tag, or the tag turns a field that
    /// must be text into something else.
    pub fn drops_file(self, tagged: &TaggedNode, is_read: bool) -> bool {
        let is_text = |value: Value| matches!(value, Value::String(_));
        self.refuse(tagged, is_read) || is_read && self.value(tagged).is_some_and(|value| !is_text(value))
    }

    /// Gives the values of a mapping the types of their tags.
    pub fn apply(self, tagged: &[TaggedNode], mapping: &mut Node) {
        let Value::Map(entries) = &mut mapping.value else { return };
        for tagged in tagged {
            let entry = entries.iter_mut().find(|entry| entry.node.span == tagged.span);
            if let Some((entry, value)) = entry.zip(self.value(tagged)) {
                (entry.node.value, entry.node.style) = (value, Style::Double);
            }
        }
    }
}

/// Whether the tag `name` of YAML's own schemas fits a value.
fn tag_fits(name: &str, content: &TaggedContent) -> bool {
    let TaggedContent::Scalar(text) = content else {
        let list = matches!(content, TaggedContent::List);
        return if list { matches!(name, "seq" | "omap" | "pairs") } else { matches!(name, "map" | "set") };
    };
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let of = |signs: &str| {
        digits.starts_with(|first: char| first.is_ascii_digit())
            && digits.bytes().all(|byte| byte.is_ascii_digit() || signs.as_bytes().contains(&byte))
    };
    match name {
        "str" => true,
        "null" => matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"),
        "bool" => matches!(text.as_str(), "true" | "True" | "TRUE" | "false" | "False" | "FALSE"),
        "int" => of(""),
        "float" => of(".") && digits.parse::<f64>().is_ok(),
        "timestamp" => {
            let bytes = text.as_bytes();
            bytes.len() == 10
                && bytes.iter().enumerate().all(|(at, byte)| match at {
                    4 | 7 => *byte == b'-',
                    _ => byte.is_ascii_digit(),
                })
        }
        "merge" => text == "<<",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::yaml;

    #[test]
    fn case_13_a_tag_that_does_not_fit_its_value_is_refused() {
        let refused = |tags: TagRule, yaml: &str, is_read| {
            let found = yaml::tagged(yaml, Span::new(0, yaml.len()));
            assert!(!found.is_empty(), "{yaml}");
            found.iter().any(|tagged| tags.refuse(tagged, is_read))
        };
        let fine = ["a: !!str 12", "a: !!int 12", "a: !!null", "a: ! x", "a: !!seq [x]", "a: !!set {x, y}"];
        for yaml in fine {
            assert!(!refused(TagRule::MustFit, yaml, true), "{yaml}");
        }
        let bad =
            ["a: !!int x", "a: !own x", "a: !!map x", "a: !!null x", "a: {b: [!!bool x]}", "!!int a: x"];
        for yaml in bad {
            assert!(
                refused(TagRule::MustFit, yaml, true) && !refused(TagRule::Ignored, yaml, true),
                "{yaml}"
            );
            assert_eq!(refused(TagRule::NullRefused, yaml, true), yaml.contains("null"), "{yaml}");
            assert!(!refused(TagRule::NullRefused, yaml, false), "{yaml}");
        }
    }

    #[test]
    fn a_tag_says_what_type_a_value_has() {
        let value = |tags: TagRule, yaml: &str| tags.value(&yaml::tagged(yaml, Span::new(0, yaml.len()))[0]);
        let text = |text: &str| Some(Value::String(text.to_owned()));
        assert_eq!(value(TagRule::MustFit, "a: !!str 12"), text("12"));
        assert_eq!(value(TagRule::MustFit, "a: ! true"), text("true"));
        assert_eq!(value(TagRule::MustFit, "a: !!int \"12\""), Some(Value::Number("12".to_owned())));
        assert_eq!(value(TagRule::MustFit, "a: !!bool 'true'"), Some(Value::Bool(true)));
        assert_eq!(value(TagRule::MustFit, "a: !!int x"), None);
        assert_eq!(value(TagRule::Ignored, "a: !!str 12"), None);
    }
}
