//! The target folders that are compiled into the binary.

use std::collections::BTreeMap;

use super::TargetFiles;

macro_rules! embed {
    ($($path:literal),+ $(,)?) => { [$(($path, include_str!(concat!("../../", $path)))),+] };
}

const FILES: [(&str, &str); 8] = embed![
    "targets/claude-code/target.toml",
    "targets/codex/target.toml",
    "targets/opencode/target.toml",
    "targets/opencode/templates/plugcast.plugin.js",
    "targets/opencode/templates/plugcast.events.js",
    "targets/opencode/templates/plugcast.handlers.js",
    "targets/opencode/templates/plugcast.servers.js",
    "targets/opencode/templates/plugcast.tools.js",
];

/// The files of every embedded target, by its folder's name.
pub(super) fn files() -> BTreeMap<String, TargetFiles> {
    let mut out: BTreeMap<String, TargetFiles> = BTreeMap::new();
    for (path, text) in FILES {
        let mut parts = path.splitn(3, '/');
        if let (Some(_), Some(host), Some(inner)) = (parts.next(), parts.next(), parts.next()) {
            out.entry(host.to_owned()).or_default().insert(inner.to_owned(), text.to_owned());
        }
    }
    out
}
