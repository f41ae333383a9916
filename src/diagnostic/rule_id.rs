//! The ids under which findings are reported. `build.rs` at the top of the package writes one constant for each rule of
//! `check` and for each page of a finding that only builds and releases report.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// The id of a rule, or of another finding with a page, in kebab-case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RuleId(&'static str);

include!(concat!(env!("OUT_DIR"), "/rule_ids.rs"));

impl RuleId {
    /// The id of a line of the table of rules.
    pub const fn from_static(name: &'static str) -> Self {
        Self(name)
    }

    /// The id as people write it.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = ALL.iter().find(|known| known.0 == name).copied();
        known.ok_or_else(|| serde::de::Error::custom(format!("unknown rule `{name}`")))
    }
}
