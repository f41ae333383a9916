//! Where the plugins of a source stand and which components each holds, by the source host's file
//! layout alone.

use std::collections::BTreeMap;

use serde_json::Value;

use super::listed_texts::find_markdown;
use super::markdown::frontmatter_name;
use super::source::json;
use crate::support::tree::{Entry, Tree};

/// One plugin of a source.
pub struct Root {
    /// Folder relative to SRC; empty when SRC is the plugin.
    pub folder: String,
    /// The plugin's name, where one is known.
    pub name: Option<String>,
    /// Skill files, agent files and command files, relative to SRC.
    skills: Vec<String>,
    agents: Vec<String>,
    commands: Vec<String>,
    /// Other names of skills and agents: those in their frontmatter.
    aliases: Vec<String>,
    /// Everything that needs a separate row.
    pub components: Vec<Item>,
}

/// One component.
pub struct Item {
    /// Its kind, in the ledger's word.
    pub kind: &'static str,
    /// What its name ends with.
    pub name: String,
    /// The file that declares it, relative to SRC.
    pub path: String,
}

/// What a Markdown file is to its plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// A `SKILL.md`.
    Skill,
    /// Another Markdown file in a skill's folder.
    Reference,
    /// An agent.
    Agent,
    /// A command.
    Command,
}

impl Root {
    /// A path inside the plugin, relative to SRC.
    pub fn path(&self, inner: &str) -> String {
        join(&self.folder, inner)
    }

    /// Whether a path lies inside the plugin.
    pub fn holds(&self, path: &str) -> bool {
        self.folder.is_empty() || path.strip_prefix(&self.folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Names of skills, commands and agents, as the source host shows them.
    pub fn qualified(&self) -> Vec<String> {
        let Some(plugin) = &self.name else { return Vec::new() };
        let named = self
            .components
            .iter()
            .filter(|item| matches!(item.kind, "skill" | "agent" | "command" | "workflow"));
        let names = named.map(|item| &item.name).chain(&self.aliases).filter(|name| !name.is_empty());
        names.map(|name| format!("{plugin}:{name}")).collect()
    }
}

/// What a Markdown file is; `None` for what belongs to no component, whatever its name.
pub fn component_kind(root: &Root, path: &str) -> Option<Component> {
    let has = |list: &[String]| list.iter().any(|item| item == path);
    let inside = |skill: &String| {
        let folder = skill.trim_end_matches("SKILL.md");
        !folder.is_empty() && folder != format!("{}/", root.folder) && path.starts_with(folder)
    };
    if !path.ends_with(".md") {
        None
    } else if has(&root.skills) {
        Some(Component::Skill)
    } else if has(&root.agents) {
        Some(Component::Agent)
    } else if has(&root.commands) {
        Some(Component::Command)
    } else if root.skills.iter().any(inside) {
        Some(if path.ends_with("/SKILL.md") { Component::Skill } else { Component::Reference })
    } else {
        None
    }
}

/// The plugins of a source. `plugins` names the one that carries no name.
pub fn roots(tree: &Tree, plugins: &[String]) -> Vec<Root> {
    let mut folders: Vec<(String, Option<String>, Value)> = Vec::new();
    if let Some(marketplace) = marketplace(tree).and_then(|path| json(tree, path)) {
        for entry in marketplace["plugins"].as_array().into_iter().flatten() {
            let local = entry["source"]["path"].as_str().filter(|_| entry["source"]["source"] == "local");
            let Some(source) = entry["source"].as_str().or(local) else { continue };
            let base = marketplace["metadata"]["pluginRoot"].as_str().unwrap_or("");
            let folder =
                if source.starts_with("./") { join("", source) } else { join(&join("", base), source) };
            folders.push((folder, entry["name"].as_str().map(str::to_owned), entry.clone()));
        }
    } else {
        return unlisted(tree, plugins);
    }
    let only = if let [only] = plugins { Some(only.clone()) } else { None };
    let root_of = |(folder, name, entry): (String, Option<String>, Value)| {
        root(tree, folder, name.or_else(|| only.clone()), &entry)
    };
    folders.into_iter().map(root_of).collect()
}

/// The plugins of a source without a marketplace: SRC itself, or what is below it, with one more for the skills that
/// belong to none. A folder with a skill file and no manifest is a skill, with everything in it.
fn unlisted(tree: &Tree, plugins: &[String]) -> Vec<Root> {
    let only = if let [only] = plugins { Some(only.clone()) } else { None };
    if is_skill(tree, "") {
        return vec![shelf(tree, &[String::new()], only)];
    }
    if is_plugin(tree, "") {
        return vec![root(tree, String::new(), only, &Value::Null)];
    }
    let (mut found, mut skills) = (Vec::new(), Vec::new());
    walk(tree, "", &mut found, &mut skills);
    let own = |folder: &String| folder.rsplit('/').next().map(str::to_owned);
    let mut roots: Vec<Root> =
        found.iter().map(|folder| root(tree, folder.clone(), own(folder), &Value::Null)).collect();
    if !skills.is_empty() || roots.is_empty() {
        let known: Vec<&String> = roots.iter().filter_map(|root| root.name.as_ref()).collect();
        let name = plugins.iter().find(|name| !known.contains(name)).cloned();
        let shelf = shelf(tree, &skills, name);
        roots.push(shelf);
    }
    roots
}

fn is_skill(tree: &Tree, folder: &str) -> bool {
    tree.get(&join(folder, "SKILL.md")).is_some()
        && tree.get(&join(folder, ".claude-plugin/plugin.json")).is_none()
}

fn walk(tree: &Tree, folder: &str, plugins: &mut Vec<String>, skills: &mut Vec<String>) {
    let below = if folder.is_empty() { tree.clone() } else { tree.below(folder) };
    for child in below.top() {
        let path = join(folder, &child);
        if tree.get(&path).is_some() || child.starts_with('.') {
            continue;
        }
        if is_skill(tree, &path) {
            skills.push(path);
        } else if is_plugin(tree, &path) {
            plugins.push(path);
        } else {
            walk(tree, &path, plugins, skills);
        }
    }
}

/// Skills that belong to no plugin, and nothing else.
fn shelf(tree: &Tree, folders: &[String], name: Option<String>) -> Root {
    let mut root = Root {
        folder: String::new(),
        name,
        skills: Vec::new(),
        agents: Vec::new(),
        commands: Vec::new(),
        aliases: Vec::new(),
        components: Vec::new(),
    };
    for folder in folders {
        let own = folder.rsplit('/').next().unwrap_or_default().to_owned();
        add(&mut root, "skill", own, join(folder, "SKILL.md"));
    }
    root.aliases = aliases(tree, &root);
    root
}

/// The marketplace file that lists the plugins: the source host's own, else that of another host in a
/// source that holds nothing else.
pub fn marketplace(tree: &Tree) -> Option<&'static str> {
    let found = |path: &&str| tree.get(path).is_some();
    let own = Some(".claude-plugin/marketplace.json").filter(found);
    let alone = || !is_plugin(tree, "") && !tree.top().iter().any(|child| is_plugin(tree, child));
    own.or_else(|| Some(".agents/plugins/marketplace.json").filter(found).filter(|_| alone()))
}

fn is_plugin(tree: &Tree, folder: &str) -> bool {
    let manifest = tree.get(&join(folder, ".claude-plugin/plugin.json")).is_some();
    let parts = ["skills", "agents", "commands", "hooks", "output-styles"];
    let holds = |part: &str| {
        let part = join(folder, part);
        tree.get(&join(&part, "SKILL.md")).is_none() && !tree.below(&part).top().is_empty()
    };
    manifest
        || parts.iter().any(|part| holds(part))
        || [".mcp.json", ".lsp.json"].iter().any(|file| tree.get(&join(folder, file)).is_some())
        || (folder.is_empty() && tree.get("SKILL.md").is_some())
}

/// The plugin in `folder`, with its entry in the marketplace.
fn root(tree: &Tree, folder: String, name: Option<String>, entry: &Value) -> Root {
    let manifest = json(tree, &join(&folder, ".claude-plugin/plugin.json")).unwrap_or_default();
    let name = manifest["name"].as_str().map(str::to_owned).or(name);
    let (skills, agents, commands) = (Vec::new(), Vec::new(), Vec::new());
    let mut root =
        Root { folder, name, skills, agents, commands, aliases: Vec::new(), components: Vec::new() };
    find_skills(tree, &manifest, &entry["skills"], &mut root);
    find_markdown(tree, &manifest, entry, "agents", &mut root);
    find_markdown(tree, &manifest, entry, "commands", &mut root);
    find_servers(tree, &root.path(".mcp.json"), "mcpServers", "mcp-server", &mut root);
    find_servers(tree, &root.path(".lsp.json"), "lspServers", "lsp-server", &mut root);
    let manifest_path = root.path(".claude-plugin/plugin.json");
    find_servers(tree, &manifest_path, "mcpServers", "mcp-server", &mut root);
    find_servers(tree, &manifest_path, "lspServers", "lsp-server", &mut root);
    find_hooks(tree, &mut root);
    find_workflows(tree, &manifest, &mut root);
    root.aliases = aliases(tree, &root);
    root
}

/// Names that frontmatter gives to skills and agents; an agent keeps the folders in front.
fn aliases(tree: &Tree, root: &Root) -> Vec<String> {
    let mut aliases = Vec::new();
    for item in root.components.iter().filter(|item| matches!(item.kind, "skill" | "agent")) {
        let Some(Entry::File { content, .. }) = tree.get(&item.path) else { continue };
        let Some(name) = frontmatter_name(&String::from_utf8_lossy(content)) else { continue };
        let folders = item.name.rsplit_once(':').filter(|_| item.kind == "agent");
        aliases.push(folders.map_or_else(|| name.clone(), |(folders, _)| format!("{folders}:{name}")));
    }
    // A skill behind a link in the default folder: the tree here holds the link.
    let linked = linked_folders(tree, &root.path("skills"));
    let skills = linked.iter().filter(|folder| tree.get(&join(folder, "SKILL.md")).is_some());
    aliases.extend(skills.filter_map(|folder| folder.rsplit('/').next().map(str::to_owned)));
    aliases
}

/// Skills in the default folder and where the manifest and the entry say; what the entry of a plugin at the root says takes
/// the place of all others.
fn find_skills(tree: &Tree, manifest: &Value, listed: &Value, root: &mut Root) {
    let mut lists = strings(listed);
    let replaced = root.folder.is_empty() && !lists.is_empty();
    if !replaced {
        lists.extend(strings(&manifest["skills"]));
    }
    let default = ["", "skills"].iter().any(|default| lists.iter().any(|path| root.path(path) == *default));
    let mut parents: Vec<String> = lists.iter().map(|path| root.path(path)).collect();
    if !replaced || default {
        parents.insert(0, root.path("skills"));
    }
    if !replaced && !is_plugin(tree, &root.folder) {
        parents.push(root.folder.clone());
    }
    let linked = linked_folders(tree, &root.path("skills"));
    for parent in &parents {
        let below = if parent.is_empty() { tree.clone() } else { tree.below(parent) };
        for child in below.top() {
            let path = join(parent, &format!("{child}/SKILL.md"));
            // A skill that a link in the default folder reaches, too, is listed once: there.
            if tree.get(&path).is_some() && !linked.contains(&join(parent, &child)) {
                add(root, "skill", child, path);
            }
        }
    }
    for folder in lists {
        let path = join(&root.path(&folder), "SKILL.md");
        if tree.get(&path).is_some() {
            let folder = join("", &folder);
            add(root, "skill", folder.rsplit('/').next().unwrap_or_default().to_owned(), path);
        }
    }
    let alone = root.path("SKILL.md");
    // A folder of skills beside it takes its place.
    let beside = !tree.below(&root.path("skills")).top().is_empty();
    if root.skills.is_empty() && !beside && tree.get(&alone).is_some() {
        add(root, "skill", String::new(), alone);
    }
}

/// The folders to which links in `folder` lead under the same name.
fn linked_folders(tree: &Tree, folder: &str) -> Vec<String> {
    let leads = |name: &String| {
        let Some(Entry::Link(target)) = tree.get(&join(folder, name)) else { return None };
        let mut parts: Vec<&str> = folder.split('/').collect();
        for part in target.split('/').filter(|part| *part != ".") {
            if part == ".." {
                parts.pop()?;
            } else {
                parts.push(part);
            }
        }
        parts.last().is_some_and(|last| last == name).then(|| parts.join("/"))
    };
    tree.below(folder).top().iter().filter_map(leads).collect()
}

/// Servers of a JSON file: below the usual key, or a bare map in a separate file.
fn find_servers(tree: &Tree, path: &str, key: &str, kind: &'static str, root: &mut Root) {
    let Some(value) = json(tree, path) else { return };
    let servers = match value.get(key) {
        Some(servers) => servers,
        None if path.ends_with("plugin.json") => return,
        None => &value,
    };
    for name in servers.as_object().into_iter().flat_map(|servers| servers.keys()) {
        add(root, kind, name.clone(), path.to_owned());
    }
}

/// Hook handlers of `hooks/hooks.json`, named `<event>/<matcher or *>/<n>`.
fn find_hooks(tree: &Tree, root: &mut Root) {
    let path = root.path("hooks/hooks.json");
    let Some(value) = json(tree, &path) else { return };
    for (event, groups) in value["hooks"].as_object().into_iter().flatten() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for group in groups.as_array().into_iter().flatten() {
            let matcher = group["matcher"].as_str().filter(|matcher| !matcher.is_empty()).unwrap_or("*");
            for _ in group["hooks"].as_array().into_iter().flatten() {
                let number = seen.entry(matcher).or_default();
                *number += 1;
                let name = format!("{event}/{matcher}/{number}");
                add(root, "hook", name, path.clone());
            }
        }
    }
}

/// Scripts that begin with a head: those that the manifest lists, else those directly in `workflows/`.
fn find_workflows(tree: &Tree, manifest: &Value, root: &mut Root) {
    let mut listed = strings(&manifest["workflows"]);
    if manifest["workflows"].is_null() {
        listed.push("workflows".to_owned());
    }
    for item in listed {
        let path = root.path(&item);
        let inner = tree.below(&path).top().into_iter().map(|name| join(&path, &name));
        for script in inner.chain([path.clone()]).filter(|path| path.ends_with(".js")) {
            let Some(entry @ Entry::File { .. }) = tree.get(&script) else { continue };
            let text = entry.text();
            let code: Vec<&str> = text.lines().filter(|line| !line.starts_with("//")).collect();
            let code = code.join("\n");
            let name =
                code.split_once("name:").and_then(|(_, rest)| rest.trim_start().split(['\'', '"']).nth(1));
            if let Some(name) = name.filter(|_| code.starts_with("export const meta = {")) {
                add(root, "workflow", name.to_owned(), script.clone());
            }
        }
    }
}

pub(super) fn add(root: &mut Root, kind: &'static str, name: String, path: String) {
    if root.components.iter().any(|item| item.kind == kind && item.path == path && item.name == name) {
        return;
    }
    match kind {
        "skill" => root.skills.push(path.clone()),
        "agent" => root.agents.push(path.clone()),
        "command" => root.commands.push(path.clone()),
        _ => {}
    }
    root.components.push(Item { kind, name, path });
}

pub(super) fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Joins two relative paths; `./` and a slash at the end fall away.
pub(super) fn join(folder: &str, inner: &str) -> String {
    let parts = folder.split('/').chain(inner.split('/'));
    parts.filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}
