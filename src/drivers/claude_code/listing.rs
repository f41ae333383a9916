//! Parses the skill listing in Claude Code's model requests, and the plugin's own server entries.

use std::collections::{BTreeMap, BTreeSet};

use crate::disk::plain_files;
use crate::drivers::loaded_bundle::LoadedPlugin;
use crate::model::qualified_name::parts_of;

/// The heading of the skills, and the one of the agents, in either order.
const SKILLS: &str = "skills are available for use with the Skill tool";
const AGENTS: &str = "Available agent types for the Agent tool";

/// The qualified names in a request's listing of skills and commands: lines such as `- plugin:skill: what it does`, or
/// `- plugin:folder (plugin:name): …` if the two differ.
pub fn names(request: &str) -> BTreeSet<String> {
    entries(request).map(|(name, _)| name.to_owned()).collect()
}

/// The names in parentheses of such lines, by the name before them.
pub fn aliases(request: &str) -> BTreeMap<String, String> {
    let pairs = entries(request).filter_map(|(name, rest)| {
        let alias = rest.trim_start().strip_prefix('(')?.split_once(')')?.0;
        alias.contains(':').then(|| (name.to_owned(), alias.to_owned()))
    });
    pairs.collect()
}

/// Each line's name, and what follows it.
fn entries(request: &str) -> impl Iterator<Item = (&str, &str)> {
    let skills = request.split_once(SKILLS).map_or("", |(_, after)| after);
    let skills = skills.split_once(AGENTS).map_or(skills, |(before, _)| before);
    let entries = skills.lines().filter_map(|line| line.strip_prefix("- "));
    entries
        .map(split_entry)
        .filter(|(name, _)| parts_of(name).is_some_and(|(plugin, _)| !plugin.contains(char::is_whitespace)))
}

/// Splits an entry into its name and the rest. A name may contain a space, like the file name of a command.
fn split_entry(entry: &str) -> (&str, &str) {
    let end = [": ", " ("].iter().filter_map(|sign| entry.find(sign)).min().unwrap_or(entry.len());
    let (name, rest) = entry.split_at(end);
    (name.trim_end_matches(':'), rest.trim_start_matches(':').trim_start())
}

/// Whether a server's command is a file of the plugin, which then must start; other servers may depend on programs that
/// are not installed.
pub fn ships(plugin: &LoadedPlugin, server: &str) -> bool {
    let manifests = [".mcp.json", ".claude-plugin/plugin.json"];
    manifests.iter().filter_map(|file| plain_files::read(&plugin.folder.join(file)).ok()).any(|text| {
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let entry = value["mcpServers"].get(server).or_else(|| value.get(server)).map(ToString::to_string);
        entry.is_some_and(|entry| entry.contains("${CLAUDE_PLUGIN_ROOT}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_with_and_without_a_description() {
        let listing = "Available agent types for the Agent tool:\n- demo:agent: a\n\nThe following skills are available for use with the Skill tool:\n\n- demo:plan: Plans: all.\n- demo:bare\n- demo:fix bug: Fixes.\n- demo:dir (demo:name): x\n- plain: y\n* demo:no: z\n";
        assert_eq!(
            names(listing).into_iter().collect::<Vec<_>>(),
            ["demo:bare", "demo:dir", "demo:fix bug", "demo:plan"]
        );
        assert_eq!(aliases(listing), BTreeMap::from([("demo:dir".to_owned(), "demo:name".to_owned())]));
    }
}
