//! Names such as `plugin:name` and `plugin:folder:name`: how they are made, and their parts.

/// The name of what `plugin` calls `name`.
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
        assert_eq!(qualify("kit", "plan"), "kit:plan");
    }
}
