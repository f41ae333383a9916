//! The helper's answers when it cannot do what it was asked: one JSON object on one line, and an exit
//! code that says which kind of trouble it is.

use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};

/// Exit code: answered.
pub const OK: u8 = 0;
/// Exit code: the call is wrong.
pub const USAGE: u8 = 2;
/// Exit code: the machine, or what is installed on it, cannot do it.
pub const ENVIRONMENT: u8 = 5;

/// What is printed with any exit code but 0 where no command was reached: `rt.error/1`. The launcher of
/// a bundle prints the same shape when it has no binary for the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// `rt.error/1`.
    pub schema: String,
    /// `error`.
    pub status: String,
    /// What went wrong.
    pub error: Error,
}

/// One error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Error {
    /// A short name: `usage`, `helper_too_old`, and from a launcher `helper_missing`.
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// An answer with its exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: u8,
    /// What is printed.
    pub error: Error,
}

impl Failure {
    fn new(exit: u8, code: &str, message: String, hint: String) -> Self {
        Self { exit, error: Error { code: code.to_owned(), message, hint } }
    }

    /// The call is wrong.
    pub fn usage(message: &str) -> Self {
        Self::new(USAGE, "usage", message.to_owned(), "see `plugcast-run --help`".to_owned())
    }

    /// This helper, of version `own`, is older than what the caller needs.
    pub fn too_old(own: &str, needed: &Version) -> Self {
        let message = format!("this `plugcast-run` is {own}, and `{needed}` or newer is needed");
        let hint = format!("update the plugin, or build it again with plugcast {needed} or newer");
        Self::new(ENVIRONMENT, "helper_too_old", message, hint)
    }

    /// The object, on one line.
    pub fn text(&self) -> String {
        let answer =
            Answer { schema: "rt.error/1".to_owned(), status: "error".to_owned(), error: self.error.clone() };
        // Strings alone always serialize.
        serde_json::to_string(&answer).unwrap_or_default() + "\n"
    }
}
