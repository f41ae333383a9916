//! Faults in a `plugcast.toml`, with their positions.

use std::path::Path;

use camino::Utf8PathBuf;

use super::BuildError;
use crate::model::config::{Config, ConfigFault};
use crate::source::{LineIndex, Span};

/// A fault with its file, line and column.
pub(super) fn in_file(config: &Config, fault: ConfigFault) -> BuildError {
    let position = LineIndex::new(&config.text).position(&config.text, fault.span.start);
    BuildError::Config {
        path: config.path.display().to_string(),
        line: position.line,
        column: position.column,
        message: fault.message,
        help: fault.help,
    }
}

/// The path of a settings file relative to SRC, and whether it lies above SRC.
pub(super) fn seen_from(src: &Path, file: &Path) -> (Utf8PathBuf, bool) {
    let name = || Utf8PathBuf::from("plugcast.toml");
    let Some(folder) = file.parent() else { return (name(), false) };
    let up = src.ancestors().position(|above| above == folder).unwrap_or(0);
    (Utf8PathBuf::from("../".repeat(up)).join(name()), up > 0)
}

/// A fault at `span`.
pub(super) fn fault(
    span: std::ops::Range<usize>,
    message: String,
    help: impl Into<Option<String>>,
) -> ConfigFault {
    ConfigFault { span: Span::new(span.start, span.end), message, help: help.into() }
}
