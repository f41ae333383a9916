//! Mistakes that converters of plugins make, one test each, named after the mistake. What is expected
//! is read off the source by hand, never off what the program emits.

mod dispatch;
mod fields;
mod paths;
mod scale;
mod texts;

use crate::bad_input::source::{BadSource, BuildResult, EVERY_HOST, skill};
use crate::support::tree::Tree;
