//! Which names of commands users can type on a host.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which names of commands users can type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TypedName {
    /// Without white space, which ends a name.
    NoBlanks,
    /// ASCII letters, digits, `_` and `-`.
    Word,
}

impl TypedName {
    /// `name` as users can type it; colons separate its parts.
    pub fn apply(self, name: &str) -> String {
        let keeps = |c: char| match self {
            Self::NoBlanks => !c.is_whitespace(),
            Self::Word => c.is_ascii_alphanumeric() || "_-:".contains(c),
        };
        name.chars().map(|c| if keeps(c) { c } else { '-' }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_cannot_type_becomes_a_dash() {
        for (name, no_blanks, word) in [
            ("go", "go", "go"),
            ("deep dir:fix bug", "deep-dir:fix-bug", "deep-dir:fix-bug"),
            ("spec.plan", "spec.plan", "spec-plan"),
            ("größe", "größe", "gr--e"),
        ] {
            assert_eq!(TypedName::NoBlanks.apply(name), no_blanks);
            assert_eq!(TypedName::Word.apply(name), word);
        }
    }
}
