//! Qualified names such as `plugin:name` and `plugin:folder:name`, and their parts.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::Serialize;

/// The name of a component, qualified by its plugin. Code compares these names, never the texts that a user reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct QualifiedName(String);

impl QualifiedName {
    /// The qualified name of `name` in `plugin`.
    pub fn new(plugin: &str, name: &str) -> Self {
        Self(qualify(plugin, name))
    }

    /// The name of its plugin.
    pub fn plugin(&self) -> &str {
        plugin_of(&self.0)
    }

    /// The name within the plugin.
    pub fn local(&self) -> &str {
        local_of(&self.0)
    }

    /// The name without its plugin and its folders.
    pub fn last(&self) -> &str {
        last_of(&self.0)
    }

    /// The name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A name as it is written.
impl From<&str> for QualifiedName {
    fn from(written: &str) -> Self {
        Self(written.to_owned())
    }
}

impl From<QualifiedName> for String {
    fn from(name: QualifiedName) -> Self {
        name.0
    }
}

impl From<&QualifiedName> for String {
    fn from(name: &QualifiedName) -> Self {
        name.0.clone()
    }
}

impl Deref for QualifiedName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for QualifiedName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QualifiedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq<str> for QualifiedName {
    fn eq(&self, written: &str) -> bool {
        self.0 == written
    }
}

impl PartialEq<QualifiedName> for str {
    fn eq(&self, name: &QualifiedName) -> bool {
        self == name.0
    }
}

impl PartialEq<&str> for QualifiedName {
    fn eq(&self, written: &&str) -> bool {
        self.0 == *written
    }
}

impl PartialEq<String> for QualifiedName {
    fn eq(&self, written: &String) -> bool {
        self.0 == *written
    }
}

/// The qualified name of `name` in `plugin`, as a string.
pub fn qualify(plugin: &str, name: &str) -> String {
    format!("{plugin}:{name}")
}

/// The plugin of a qualified name, and the name within the plugin; `None` for an unqualified name.
pub fn parts_of(name: &str) -> Option<(&str, &str)> {
    name.split_once(':')
}

/// The plugin of a qualified name; an unqualified name is treated as the plugin's.
pub fn plugin_of(qualified: &str) -> &str {
    parts_of(qualified).map_or(qualified, |(plugin, _)| plugin)
}

/// The name within the plugin: everything after the plugin; an unqualified name is returned unchanged.
pub fn local_of(qualified: &str) -> &str {
    parts_of(qualified).map_or(qualified, |(_, local)| local)
}

/// The name in `written`, a mention of the component `name` without a slash, if it is none of the component's own: that
/// of a skill's frontmatter. The plugin's name is left out.
pub fn other_name<'a>(name: &str, written: &'a str) -> Option<&'a str> {
    let short = parts_of(name).and_then(|(plugin, _)| written.strip_prefix(plugin)?.strip_prefix(':'));
    let short = short.unwrap_or(written);
    let is_own = name.strip_suffix(short).is_some_and(|before| before.ends_with(':'));
    (!is_own).then_some(short)
}

/// What precedes the last part of a name, plugin or folders; `None` if it has one part.
pub fn prefix_of(name: &str) -> Option<&str> {
    name.rsplit_once(':').map(|(prefix, _)| prefix)
}

/// The name without its plugin and its folders.
pub fn last_of(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_name() {
        let parts = |name| (plugin_of(name), local_of(name), last_of(name));
        assert_eq!(parts("kit:review:checker"), ("kit", "review:checker", "checker"));
        assert_eq!(parts("kit:plan"), ("kit", "plan", "plan"));
        assert_eq!(parts("plan"), ("plan", "plan", "plan"));
        assert_eq!(parts_of("kit:review:checker"), Some(("kit", "review:checker")));
        assert_eq!((parts_of("plan"), prefix_of("plan")), (None, None));
        assert_eq!((other_name("kit:a:plan", "kit:plan"), other_name("kit:plan", "plan")), (None, None));
        assert_eq!(other_name("kit:a-plan", "kit:a:plan"), Some("a:plan"));
        assert_eq!(other_name("kit:plan", "planning"), Some("planning"));
        assert_eq!(prefix_of("kit:review:checker"), Some("kit:review"));
        let name = QualifiedName::new("kit", "review:checker");
        assert_eq!((name.plugin(), name.local(), name.last()), ("kit", "review:checker", "checker"));
        assert!(name == "kit:review:checker" && name == *"kit:review:checker");
    }
}
