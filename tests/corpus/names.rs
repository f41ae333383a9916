//! The names that a public source's components must have on a host, by a walk of its own: file
//! places and `name:` lines, nothing of the program.

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
}

/// The names of everything in a source that holds one plugin.
pub fn of(public: &Public) -> Names {
    let tree = Tree::read(&public.source);
    let (root, plugin) = match public.plugin {
        Some(name) => (String::new(), name.to_owned()),
        None => listed(&tree),
    };
    let inside = if root.is_empty() { tree } else { tree.below(&root) };
    let mut names = Names::default();
    for (path, entry) in inside.entries() {
        let parts: Vec<&str> = path.split('/').collect();
        match parts.as_slice() {
            ["skills", folder, "SKILL.md"] | [folder, "SKILL.md"] => {
                names.skills.push(format!("{plugin}:{}", own_name(entry).unwrap_or_else(|| (*folder).to_owned())));
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
            _ => {}
        }
    }
    for list in [&mut names.skills, &mut names.agents, &mut names.commands] {
        list.sort();
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
    let listing: serde_json::Value = serde_json::from_slice(content).expect("the marketplace is JSON");
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
