//! The ids of losses, which users accept by id or by glob.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::source::ComponentKind;
use crate::target::Axis;

/// The id of a loss: `<axis>/<plugin>/<kind>/<name>[/<field or construct>]`, without positions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LossId(String);

impl LossId {
    /// The loss on `axis` of the component `name` of `plugin`, which may be qualified by the plugin; `part` is the field
    /// or construct, or empty for the whole.
    pub fn new(axis: Axis, plugin: &str, (kind, name): (ComponentKind, &str), part: &str) -> Self {
        let local = name.strip_prefix(plugin).and_then(|rest| rest.strip_prefix(':')).unwrap_or(name);
        let separator = if part.is_empty() { "" } else { "/" };
        Self(format!("{}/{plugin}/{}/{local}{separator}{part}", axis.id(), kind.id()))
    }

    /// The id of its axis.
    pub fn axis(&self) -> &str {
        part(&self.0, 0)
    }

    /// Whether it is a loss on `axis`.
    pub fn is_on(&self, axis: Axis) -> bool {
        self.axis() == axis.id()
    }

    /// The plugin that has it.
    pub fn plugin(&self) -> &str {
        part(&self.0, 1)
    }

    /// The glob of the losses of its kind: the id with any component in its place.
    pub fn pattern(&self) -> String {
        let parts: Vec<&str> = self.0.split('/').collect();
        match parts.as_slice() {
            [axis, plugin, kind, _] => format!("{axis}/{plugin}/{kind}/*"),
            [axis, plugin, kind, .., field] => format!("{axis}/{plugin}/{kind}/*/{field}"),
            _ => self.0.clone(),
        }
    }

    /// The id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The axis that a glob of loss ids begins with.
pub fn axis_in_glob(glob: &str) -> &str {
    part(glob, 0)
}

/// The plugin that a glob of loss ids names.
pub fn plugin_in_glob(glob: &str) -> &str {
    part(glob, 1)
}

fn part(id: &str, at: usize) -> &str {
    id.split('/').nth(at).unwrap_or_default()
}

impl Deref for LossId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for LossId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LossId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_the_name_within_the_plugin_and_gives_its_parts() {
        let whole = LossId::new(Axis::Limit, "kit", (ComponentKind::Skill, "kit:plan"), "");
        assert_eq!(whole.as_str(), "limit/kit/skill/plan");
        assert_eq!((whole.axis(), whole.plugin(), &*whole.pattern()), ("limit", "kit", "limit/kit/skill/*"));
        let part = LossId::new(Axis::Model, "kit", (ComponentKind::Agent, "review:all"), "model");
        assert_eq!(part.as_str(), "model/kit/agent/review:all/model");
        assert!(part.is_on(Axis::Model) && part.pattern() == "model/kit/agent/*/model");
    }
}
