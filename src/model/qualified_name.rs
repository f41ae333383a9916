//! Names such as `plugin:name` and `plugin:folder:name`: how they are made, and their parts.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::Serialize;

/// The name of a component behind the name of its plugin. Names are only compared, never in what a user reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct QualifiedName(String);

impl QualifiedName {
    /// The name of what `plugin` calls `name`.
    pub fn new(plugin: &str, name: &str) -> Self {
        Self(qualify(plugin, name))
    }

    /// The name of its plugin.
    pub fn plugin(&self) -> &str {
        plugin_of(&self.0)
    }

    /// What the plugin itself calls it.
    pub fn local(&self) -> &str {
        local_of(&self.0)
    }

    /// The name without its plugin and its folders.
    pub fn last(&self) -> &str {
        last_of(&self.0)
    }

    /// As it is written.
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

/// The name of what `plugin` calls `name`, as text.
pub fn qualify(plugin: &str, name: &str) -> String {
    format!("{plugin}:{name}")
}

/// The plugin of a qualified name; a name without one is taken for the plugin's.
pub fn plugin_of(qualified: &str) -> &str {
    qualified.split(':').next().unwrap_or(qualified)
}

/// What the plugin itself calls it: everything behind the plugin; a name without one is that.
pub fn local_of(qualified: &str) -> &str {
    qualified.split_once(':').map_or(qualified, |(_, local)| local)
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
        let name = QualifiedName::new("kit", "review:checker");
        assert_eq!((name.plugin(), name.local(), name.last()), ("kit", "review:checker", "checker"));
        assert!(name == "kit:review:checker" && name == *"kit:review:checker");
    }
}
