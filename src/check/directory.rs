//! The components of the whole build by every name that a host knows them by, and the likely meaning of unknown names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::model::component::Component;
use crate::model::project::Project;
use crate::model::qualified_name::{last_of, local_of, parts_of, plugin_of, qualify};
use crate::model::similar_names::{self, misspelt_name};
use crate::read::json;
use crate::read::name_words::is_name_char;
use crate::source::{ComponentKind, SourceFile};

/// How many agents of one name are collected: a message lists four of them at most.
const ONE_NAME: usize = 5;

/// How many skills that share their first word are searched for in a text.
const ONE_WORD: usize = 64;

/// Whether `text` contains `name` as a whole word.
fn is_named(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_name_char) && !text[at + name.len()..].starts_with(is_name_char)
    })
}

/// The components of the whole build, by their names.
#[derive(Debug)]
pub struct ComponentDirectory<'a> {
    plugins: BTreeSet<&'a str>,
    /// Skills and commands by qualified name; skills also by their folder.
    skills: BTreeMap<String, &'a Component>,
    agents: BTreeMap<&'a str, &'a Component>,
    /// Agents by the last part of their name.
    last: BTreeMap<&'a str, Vec<&'a Component>>,
    /// The same for each plugin, in lower case.
    lower: BTreeMap<&'a str, BTreeMap<String, Vec<&'a Component>>>,
    /// Agents by their plugin and file stem.
    stems: BTreeMap<(&'a str, &'a str), Vec<&'a Component>>,
    /// Skills by their plugin and the first word of their name.
    words: BTreeMap<(&'a str, &'a str), Vec<&'a Component>>,
    /// Qualified names of everything that is not a skill, agent or command that was read.
    others: BTreeSet<String>,
    /// The names of workflows, by the names that their files would give them.
    workflows: BTreeMap<String, String>,
    /// Built-in agents of the source host.
    built_in: &'a [String],
    project: &'a Project,
    /// The names of the scripts of every `package.json`, read on the first call.
    package_scripts: OnceLock<BTreeSet<String>>,
}

impl<'a> ComponentDirectory<'a> {
    /// Indexes the components of `project`; `built_in` are agents of the source host.
    pub fn new(project: &'a Project, built_in: &'a [String]) -> Self {
        let plugins: BTreeSet<&str> = project.plugins.iter().map(|plugin| plugin.name.as_str()).collect();
        let mut out = Self {
            plugins,
            skills: BTreeMap::new(),
            agents: BTreeMap::new(),
            last: BTreeMap::new(),
            lower: BTreeMap::new(),
            stems: BTreeMap::new(),
            words: BTreeMap::new(),
            others: BTreeSet::new(),
            workflows: BTreeMap::new(),
            built_in,
            project,
            package_scripts: OnceLock::new(),
        };
        for plugin in &project.plugins {
            out.others.extend(plugin.inline.iter().map(|command| command.qualified.to_string()));
            let names = plugin.others.iter().map(|other| &other.name);
            let names = names.chain(plugin.lost.iter().map(|lost| &lost.name));
            out.others.extend(names.map(|name| qualify(&plugin.name, name)));
            let workflows = plugin.others.iter().filter(|other| other.kind == ComponentKind::Workflow);
            out.workflows.extend(workflows.filter_map(|workflow| {
                let by_file = qualify(&plugin.name, workflow.path.file_stem()?);
                Some((by_file, qualify(&plugin.name, &workflow.name)))
            }));
            for component in &plugin.components {
                out.add(component);
                if component.kind == ComponentKind::Skill {
                    let word = component.name.split(|c| !is_name_char(c)).next().unwrap_or_default();
                    let of_word = out.words.entry((plugin.name.as_str(), word)).or_default();
                    if of_word.len() < ONE_WORD {
                        of_word.push(component);
                    }
                }
            }
        }
        out
    }

    fn add(&mut self, component: &'a Component) {
        if component.kind == ComponentKind::Agent {
            self.agents.insert(&component.qualified, component);
            let (plugin, name) = (component.qualified.plugin(), last_of(&component.name));
            self.last.entry(name).or_default().push(component);
            self.lower.entry(plugin).or_default().entry(name.to_lowercase()).or_default().push(component);
            self.stems.entry((plugin, stem(component))).or_default().push(component);
            return;
        }
        self.skills.insert(component.qualified.to_string(), component);
        if let Some(alias) = component.alias() {
            let plugin = component.qualified.plugin();
            // The source host takes the name in the frontmatter as it is, which may have the plugin's in front.
            if parts_of(&alias).is_some_and(|(first, _)| first == plugin) {
                self.skills.entry(alias.clone()).or_insert(component);
            }
            self.skills.entry(qualify(plugin, &alias)).or_insert(component);
        }
    }

    /// Whether a `package.json` of the source has a script of that name.
    pub fn is_package_script(&self, name: &str) -> bool {
        let scripts = |file: &SourceFile| {
            let scripts = json::parse(file.text()?).0?.get("scripts")?.clone();
            Some(scripts.entries().iter().map(|entry| entry.key.clone()).collect::<Vec<_>>())
        };
        let read = || {
            let files = self.project.tree.files();
            let packages = files.filter(|file| file.path.file_name() == Some("package.json"));
            packages.filter_map(scripts).flatten().collect()
        };
        self.package_scripts.get_or_init(read).contains(name)
    }

    /// Whether the build has a plugin of that name.
    pub fn has_plugin(&self, name: &str) -> bool {
        self.plugins.contains(name)
    }

    /// The agent of that qualified name.
    pub fn agent(&self, qualified: &str) -> Option<&'a Component> {
        self.agents.get(qualified).copied()
    }

    /// The skill or command of that qualified name.
    pub fn skill(&self, qualified: &str) -> Option<&'a Component> {
        self.skills.get(qualified).copied()
    }

    /// Whether anything has that qualified name.
    pub fn contains(&self, qualified: &str) -> bool {
        self.agents.contains_key(qualified)
            || self.skills.contains_key(qualified)
            || self.others.contains(qualified)
    }

    /// The name of the workflow whose file is named by `qualified`; the source host does not know that name.
    pub fn workflow_in_file(&self, qualified: &str) -> Option<&str> {
        self.workflows.get(qualified).map(String::as_str)
    }

    /// The qualified names of the workflows of `plugin`.
    pub fn workflows_of(&self, plugin: &str) -> Vec<&str> {
        let of_plugin = |name: &&str| plugin_of(name) == plugin;
        self.workflows.values().map(String::as_str).filter(of_plugin).collect()
    }

    /// Whether any plugin has a skill or command of that name.
    pub fn has_skill_called(&self, name: &str) -> bool {
        self.plugins.iter().any(|plugin| self.skills.contains_key(&qualify(plugin, name)))
    }

    /// Whether the source host has a built-in agent of that name.
    pub fn is_built_in(&self, name: &str) -> bool {
        self.built_in.iter().any(|known| known == name)
    }

    /// The agents of `plugin` whose name without folders is `last`.
    fn agents_named(&self, plugin: &str, last: &str) -> impl Iterator<Item = &'a Component> {
        let same = self.lower.get(plugin).and_then(|names| names.get(&last.to_lowercase()));
        same.into_iter().flatten().copied().filter(move |agent| self::last_of(&agent.name) == last)
    }

    /// The agents of `plugin` whose file is called `stem`.
    fn in_file<'d>(&'d self, plugin: &'d str, stem: &'d str) -> &'d [&'a Component] {
        self.stems.get(&(plugin, stem)).map_or(&[], Vec::as_slice)
    }

    /// The agent of `plugin` for which `last` is probably a typo.
    pub fn agent_near(&self, plugin: &str, last: &str) -> Option<&'a Component> {
        let names = self.lower.get(plugin)?;
        let lower = last.to_lowercase();
        let near = similar_names::neighbours(names, &lower);
        let agents = near.flat_map(|name| names[name].iter().take(ONE_NAME)).copied();
        let near = misspelt_name(last, agents.map(|agent| self::last_of(&agent.name)))?;
        self.agents_named(plugin, near).next()
    }

    /// The qualified names of skills and commands in the plugin of `name` for which it may be a typo.
    pub fn skills_near(&self, name: &str) -> Vec<&str> {
        let prefix = format!("{}:", plugin_of(name));
        similar_names::neighbours(&self.skills, name).filter(|known| known.starts_with(&prefix)).collect()
    }

    /// The skills of `plugin` that `text` names as whole words.
    pub fn skills_named(&self, plugin: &str, text: &str) -> Vec<&'a Component> {
        let words: BTreeSet<&str> = text.split(|c| !is_name_char(c)).collect();
        let by_word = words.into_iter().filter_map(|word| self.words.get(&(plugin, word)));
        by_word.flatten().copied().filter(|skill| is_named(text, &skill.name)).collect()
    }

    /// Resolves `name` where a text of `plugin` dispatches an agent by it.
    pub fn dispatched(&self, plugin: &str, name: &str) -> NameResolution<'a> {
        if name.contains("::") {
            let single = name.replace("::", ":");
            return match self.has_plugin(plugin_of(&single)) {
                true => NameResolution::Syntax(self.agent(&single)),
                false => NameResolution::Valid,
            };
        }
        if self.agents.contains_key(name) {
            return NameResolution::Valid;
        }
        match parts_of(name) {
            Some((first, _)) if self.has_plugin(first) => self.of_plugin(first, name),
            Some((first, rest)) => {
                if let Some(agent) = self.agent(&qualify(plugin, name)) {
                    return NameResolution::Unqualified(vec![agent]);
                }
                let plugin = misspelt_name(first, self.plugins.iter().copied());
                match plugin.and_then(|plugin| self.agent(&qualify(plugin, rest))) {
                    Some(agent) => NameResolution::Unknown(Some(agent)),
                    None => NameResolution::Valid,
                }
            }
            None => self.resolve_unqualified(plugin, name),
        }
    }

    /// Resolves a name that starts with a plugin of the build but is not one of its agents.
    fn of_plugin(&self, plugin: &str, name: &str) -> NameResolution<'a> {
        let mut same: Vec<_> = self.agents_named(plugin, last_of(name)).take(2).collect();
        for agent in self.in_file(plugin, last_of(name)).iter().take(2) {
            if !same.iter().any(|other| other.qualified == agent.qualified) {
                same.push(agent);
            }
        }
        if let [agent] = same[..] {
            return if last_of(&agent.name) == last_of(name) {
                NameResolution::Category(agent)
            } else {
                NameResolution::Unknown(Some(agent))
            };
        }
        let prefix = format!("{plugin}:");
        let known = similar_names::neighbours(&self.agents, name).filter(|known| known.starts_with(&prefix));
        // The plugin is the same in all of them and must not affect the similarity.
        let known: Vec<&str> = known.collect();
        let near = similar_names::nearest(local_of(name), known.iter().map(|known| local_of(known)));
        NameResolution::Unknown(near.and_then(|near| self.agent(&qualify(plugin, near))))
    }

    /// Resolves a name without a plugin.
    fn resolve_unqualified(&self, plugin: &str, name: &str) -> NameResolution<'a> {
        if self.is_built_in(name) {
            return NameResolution::Valid;
        }
        let own: Vec<_> = self.agents_named(plugin, name).take(ONE_NAME).collect();
        if !own.is_empty() {
            return NameResolution::Unqualified(own);
        }
        if let Some(called) = self.last.get(name) {
            return NameResolution::Foreign(called.iter().take(ONE_NAME).copied().collect());
        }
        let by_file = self.in_file(plugin, name).first().copied();
        match by_file.or_else(|| self.agent_near(plugin, name)) {
            Some(agent) => NameResolution::Unknown(Some(agent)),
            None => NameResolution::Valid,
        }
    }
}

/// How the name of a dispatched agent resolves.
#[derive(Debug, Clone)]
pub enum NameResolution<'a> {
    /// A known agent, or a name about which this build can tell nothing.
    Valid,
    /// Written with two colons; the agent that one colon would name.
    Syntax(Option<&'a Component>),
    /// The last part of the name of these agents of the same plugin.
    Unqualified(Vec<&'a Component>),
    /// The last part of the name of these agents of other plugins.
    Foreign(Vec<&'a Component>),
    /// This agent, with a missing or wrong folder.
    Category(&'a Component),
    /// An unknown agent; perhaps this one was meant.
    Unknown(Option<&'a Component>),
}

fn stem(agent: &Component) -> &str {
    agent.path.file_stem().unwrap_or_default()
}
