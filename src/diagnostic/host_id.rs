//! The ids of hosts.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The id of a host: the name of its folder in the target table, such as `codex`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostId(String);

impl HostId {
    /// The host of this id.
    pub fn new(id: &str) -> Self {
        Self(id.to_owned())
    }

    /// The id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for HostId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<Path> for HostId {
    fn as_ref(&self) -> &Path {
        self.0.as_ref()
    }
}

impl Borrow<str> for HostId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}
