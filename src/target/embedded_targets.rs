//! The target folders that are compiled into the binary.

use std::collections::BTreeMap;

use super::{Target, TargetError};
use crate::diagnostic::HostId;

macro_rules! embed {
    ($($path:literal),+ $(,)?) => { [$(($path, include_str!(concat!("../../", $path)))),+] };
}

/// Every `target.toml`, by host, as read by the build script.
const TARGETS: &str = include_str!(concat!(env!("OUT_DIR"), "/targets.json"));

const TEMPLATES: [(&str, &str); 8] = embed![
    "targets/opencode/templates/plugcast.plugin.js",
    "targets/opencode/templates/plugcast.environment.js",
    "targets/opencode/templates/plugcast.events.js",
    "targets/opencode/templates/plugcast.gates.js",
    "targets/opencode/templates/plugcast.handlers.js",
    "targets/opencode/templates/plugcast.servers.js",
    "targets/opencode/templates/plugcast.shell.js",
    "targets/opencode/templates/plugcast.tools.js",
];

/// Every embedded target, by its folder's name.
pub(super) fn targets() -> Result<BTreeMap<HostId, Target>, TargetError> {
    let fail = |message| TargetError { host: "*".into(), message };
    let mut out: BTreeMap<HostId, Target> =
        serde_json::from_str(TARGETS).map_err(|error| fail(error.to_string()))?;
    for (path, text) in TEMPLATES {
        let mut parts = path.split('/').skip(1);
        if let (Some(host), Some(_), Some(name)) = (parts.next(), parts.next(), parts.next())
            && let Some(target) = out.get_mut(host)
        {
            target.templates.insert(name.to_owned(), text.to_owned());
        }
    }
    Ok(out)
}
