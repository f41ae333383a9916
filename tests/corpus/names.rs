//! The names that a public source's components must have on a host, by a separate walk: file
//! places and the `name:` lines of agents, nothing of the program.

use serde_json::Value;

use crate::support::corpus::Public;
use crate::support::tree::{Entry, Tree};

/// Qualified names by kind, each sorted.
#[derive(Debug, Default)]
pub struct Names {
    /// Skills.
    pub skills: Vec<String>,
    /// Agents.
    pub agents: Vec<String>,
    /// Commands.
    pub commands: Vec<String>,
    /// Hook handlers: `<event>/<matcher or *>/<n>`.
    pub hooks: Vec<String>,
    /// MCP servers, without the plugin's name.
    pub servers: Vec<String>,
}

/// The names of everything in a source that holds one plugin, but for what its own faults take away.
pub fn of_plugins(public: &Public) -> Names {
    let tree = Tree::read(&public.source);
    let (root, plugin) = match public.plugin {
        Some(name) => (String::new(), name.to_owned()),
        None => listed(&tree),
    };
    let inside = if root.is_empty() { tree } else { tree.below(&root) };
    let mut names = Names::default();
    let sound = |path: &str| !public.lost.contains(&path);
    for (path, entry) in inside.entries().filter(|(path, _)| sound(path)) {
        let parts: Vec<&str> = path.split('/').collect();
        match parts.as_slice() {
            ["skills", folder, "SKILL.md"] | [folder, "SKILL.md"] => {
                // The source host shows a skill by its folder.
                names.skills.push(format!("{plugin}:{folder}"));
            }
            ["agents", folders @ .., file] => {
                let Some(stem) = file.strip_suffix(".md") else { continue };
                let name = own_name(entry).unwrap_or_else(|| stem.to_owned());
                names.agents.push(joined(&plugin, folders, &name));
            }
            ["commands", folders @ .., file] => {
                let Some(stem) = file.strip_suffix(".md") else { continue };
                names.commands.push(joined(&plugin, folders, stem));
            }
            ["hooks", "hooks.json"] => names.hooks.extend(handlers(&json(entry)["hooks"])),
            [".mcp.json"] | [".claude-plugin", "plugin.json"] => {
                let servers = json(entry)["mcpServers"].as_object().cloned().unwrap_or_default();
                names.servers.extend(servers.into_iter().map(|(name, _)| name));
            }
            _ => {}
        }
    }
    for list in
        [&mut names.skills, &mut names.agents, &mut names.commands, &mut names.hooks, &mut names.servers]
    {
        list.sort();
    }
    names
}

fn json(entry: &Entry) -> Value {
    let Entry::File { content, .. } = entry else { return Value::Null };
    serde_json::from_slice(content).expect("the file is JSON")
}

/// One name a handler, numbered within its event and matcher.
fn handlers(events: &Value) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (event, groups) in events.as_object().into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            let matcher = group["matcher"].as_str().filter(|matcher| !matcher.is_empty()).unwrap_or("*");
            for _ in group["hooks"].as_array().into_iter().flatten() {
                let number = (1..).find(|number| !names.contains(&format!("{event}/{matcher}/{number}")));
                names.push(format!("{event}/{matcher}/{}", number.unwrap_or_default()));
            }
        }
    }
    names
}

fn joined(plugin: &str, folders: &[&str], name: &str) -> String {
    let parts = std::iter::once(plugin).chain(folders.iter().copied()).chain([name]);
    parts.collect::<Vec<_>>().join(":")
}

/// Folder and name of the one plugin that a marketplace lists.
fn listed(tree: &Tree) -> (String, String) {
    let Some(Entry::File { content, .. }) = tree.get(".claude-plugin/marketplace.json") else {
        panic!("a source without a name has a marketplace");
    };
    let listing: Value = serde_json::from_slice(content).expect("the marketplace is JSON");
    let [plugin] = listing["plugins"].as_array().expect("a list").as_slice() else {
        panic!("the marketplace lists one plugin");
    };
    let text = |key: &str| plugin[key].as_str().expect("a text").to_owned();
    (text("source").trim_start_matches('.').trim_matches('/').to_owned(), text("name"))
}

/// The `name:` line of the frontmatter, where there is one.
fn own_name(entry: &Entry) -> Option<String> {
    let Entry::File { content, .. } = entry else { return None };
    let text = std::str::from_utf8(content).ok()?;
    let lines = text.strip_prefix("---\n")?.lines().take_while(|line| *line != "---");
    let name = lines.filter_map(|line| line.strip_prefix("name:")).next()?;
    Some(name.trim().trim_matches(['"', '\'']).to_owned())
}
