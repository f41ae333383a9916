//! The target folders that are compiled into the binary.

use std::collections::BTreeMap;

use super::TargetFiles;

macro_rules! target {
    ($host:literal: $($path:literal),+ $(,)?) => {
        ($host.to_owned(), BTreeMap::from([$(
            ($path.to_owned(), include_str!(concat!("../../targets/", $host, "/", $path)).to_owned())
        ),+]))
    };
}

pub(super) fn files() -> BTreeMap<String, TargetFiles> {
    BTreeMap::from([
        target!("claude-code": "target.toml"),
        target!("codex": "target.toml"),
        target!("opencode": "target.toml", "templates/plugcast.plugin.js"),
    ])
}
