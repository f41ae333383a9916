//! `launch`: how the project is started for development, configured in `.claude/launch.json`.

mod addresses;
mod configuration;
pub(super) mod listening;
pub mod read;
pub(super) mod scripts;
pub(super) mod stub;
pub mod write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command_line::choices;

choices! {
    /// Whether a user is present.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum LaunchMode {
        /// A user answers questions
        Interactive = "interactive",
        /// Nobody answers
        Headless = "headless",
    }
}
