//! Tags of YAML, such as `!!int`, and which of them a host refuses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::source::Span;

/// A value or key with a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged {
    /// Where the value stands.
    pub span: Span,
    /// The tag, resolved: `tag:yaml.org,2002:int`, `!own`.
    pub tag: String,
    /// What has it.
    pub content: TaggedContent,
    /// How many lists and mappings it stands in.
    pub depth: usize,
}

/// What has a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaggedContent {
    /// A scalar with this text.
    Scalar(String),
    /// A list.
    List,
    /// A mapping.
    Map,
}

/// What a host makes of tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tags {
    /// They mean nothing.
    Ignored,
    /// A text field that the host reads and that says that it is null makes it refuse the file.
    NullRefused,
    /// A tag that the host does not know, or that does not fit its value, makes it refuse the file.
    MustFit,
}

/// The tags of the schemas of YAML begin so.
const CORE: &str = "tag:yaml.org,2002:";

impl Tags {
    /// Whether the host refuses a file because of this tag; `is_read` tells whether it is that of a text field that the
    /// host reads.
    pub fn refuse(self, tagged: &Tagged, is_read: bool) -> bool {
        let core = tagged.tag.strip_prefix(CORE);
        match self {
            Tags::Ignored => false,
            Tags::NullRefused => is_read && core == Some("null") && !fits("null", &tagged.content),
            Tags::MustFit => match core {
                Some(name) => !fits(name, &tagged.content),
                None => tagged.tag != "!",
            },
        }
    }
}

/// Whether a value can have a tag of YAML's own schemas.
fn fits(name: &str, content: &TaggedContent) -> bool {
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
        let refused = |tags: Tags, yaml: &str, is_read| {
            let found = yaml::tagged(yaml, Span::new(0, yaml.len()));
            assert!(!found.is_empty(), "{yaml}");
            found.iter().any(|tagged| tags.refuse(tagged, is_read))
        };
        let fine = ["a: !!str 12", "a: !!int 12", "a: !!null", "a: ! x", "a: !!seq [x]", "a: !!set {x, y}"];
        for yaml in fine {
            assert!(!refused(Tags::MustFit, yaml, true), "{yaml}");
        }
        let bad =
            ["a: !!int x", "a: !own x", "a: !!map x", "a: !!null x", "a: {b: [!!bool x]}", "!!int a: x"];
        for yaml in bad {
            assert!(refused(Tags::MustFit, yaml, true) && !refused(Tags::Ignored, yaml, true), "{yaml}");
            assert_eq!(refused(Tags::NullRefused, yaml, true), yaml.contains("null"), "{yaml}");
            assert!(!refused(Tags::NullRefused, yaml, false), "{yaml}");
        }
    }
}
