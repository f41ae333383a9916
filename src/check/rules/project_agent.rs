//! A command or the configuration of a project that names an agent which its host cannot run.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::project_config::{config_files, entries_of};
use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::{LocationForm, Plugin};
use crate::model::similar_names::misspelt_name;
use crate::read::tree::{MappingEntry, Node};
use crate::read::{frontmatter, json};
use crate::source::{SourceFile, Span, is_markdown};
use crate::target::{FileFormat, ProjectConfig, ProjectFiles, Target};

pub(super) const RULE: Rule = Rule {
    name: "project-agent",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a command or a session of a project names an unknown agent",
    page: include_str!("project_agent.md"),
    check: RuleCheck::Project(check),
};

fn check(context: &RuleContext<'_>, sink: &mut FindingSink) {
    for host in &context.hosts {
        let Some(config) = &host.checks.project_config else { continue };
        let configs: Vec<(&SourceFile, Node)> =
            config_files(context, host).filter_map(|file| Some((file, parsed(file)?))).collect();
        let uses = agent_uses(context, host, config, &configs);
        let projects: BTreeSet<Utf8PathBuf> = uses.iter().map(|found| found.project.clone()).collect();
        for project in projects {
            let Some(known) = known_agents(context, host, config, &configs, &project) else { continue };
            for found in uses.iter().filter(|found| found.project == project) {
                let wrong = match known.get(&found.name) {
                    Some(AgentRole::Subagent) if found.is_default => {
                        format!("`{}` is a subagent", found.name)
                    }
                    Some(_) => continue,
                    None => format!("unknown agent `{}`", found.name),
                };
                let what = if found.is_default { "every session" } else { "the command" };
                let message = format!("{wrong}: {what} {} on {}", config.unknown_agent, host.host.title);
                let finding = sink.report(found.file, found.span, message);
                finding.hosts = vec![host.name.clone()];
                let near = misspelt_name(&found.name, known.keys().map(String::as_str));
                finding.help = Some(match near.filter(|near| *near != found.name) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if known.contains_key(&found.name) => {
                        "name a primary agent, or remove the field".to_owned()
                    }
                    None => "add an agent of that name to the project, or remove the field".to_owned(),
                });
            }
        }
    }
}

/// Who calls an agent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AgentRole {
    /// The user, in a session.
    Primary,
    /// Only other agents.
    Subagent,
}

impl AgentRole {
    /// By the field `mode`, if it has one.
    fn from_mode(mode: Option<&Node>) -> Self {
        match mode.and_then(Node::as_str) {
            Some("subagent") => Self::Subagent,
            _ => Self::Primary,
        }
    }
}

/// The name of an agent in a command, or in the configuration for every session.
struct AgentUse<'a> {
    project: Utf8PathBuf,
    file: &'a SourceFile,
    span: Span,
    name: String,
    is_default: bool,
}

fn parsed(file: &SourceFile) -> Option<Node> {
    json::parse_with_comments(file.text()?).0
}

/// The commands and configurations that name an agent.
fn agent_uses<'a>(
    context: &RuleContext<'a>,
    host: &Target,
    config: &ProjectConfig,
    configs: &[(&'a SourceFile, Node)],
) -> Vec<AgentUse<'a>> {
    let mut out = Vec::new();
    for (file, root) in configs {
        let entry = root.entry(&config.default_agent_field);
        let used = agent_use(project_of(&file.path, host), file, entry);
        out.extend(used.map(|found| AgentUse { is_default: true, ..found }));
    }
    for files in
        host.checks.project_files.iter().filter(|files| files.formats.contains_key(&config.agent_field))
    {
        for (project, file, _) in files_of(context, files) {
            let fields = file.text().and_then(|text| frontmatter::parse(text).fields);
            let entry = fields.as_ref().and_then(|fields| fields.entry(&config.agent_field));
            out.extend(agent_use(project, file, entry));
        }
        for (file, root) in configs {
            for command in entries_of(root, files.config_field.as_deref()) {
                let entry = command.node.entry(&config.agent_field);
                out.extend(agent_use(project_of(&file.path, host), file, entry));
            }
        }
    }
    out
}

fn agent_use<'a>(
    project: Utf8PathBuf,
    file: &'a SourceFile,
    entry: Option<&MappingEntry>,
) -> Option<AgentUse<'a>> {
    let node = &entry?.node;
    let name = node.as_str().filter(|name| !name.trim().is_empty())?.to_owned();
    Some(AgentUse { project, file, span: node.span, name, is_default: false })
}

/// The agents of the project in the folder `project`, by name; `None` if its programs may add some.
fn known_agents(
    context: &RuleContext<'_>,
    host: &Target,
    config: &ProjectConfig,
    configs: &[(&SourceFile, Node)],
    project: &Utf8Path,
) -> Option<BTreeMap<String, AgentRole>> {
    let has_programs =
        |path: &String| context.project.left_out.iter().any(|one| one.path == project.join(path));
    let own: Vec<&Node> = configs
        .iter()
        .filter(|(file, _)| project.starts_with(project_of(&file.path, host)))
        .map(|(_, root)| root)
        .collect();
    let adds = |root: &&Node| config.programs_fields.iter().any(|field| root.get(field).is_some());
    if config.programs_folders.iter().any(has_programs) || own.iter().any(adds) {
        return None;
    }
    let built_in = config.built_in_agents.iter().map(|name| (name.clone(), AgentRole::Primary));
    let mut known: BTreeMap<String, AgentRole> = built_in.collect();
    known.extend(config.built_in_subagents.iter().map(|name| (name.clone(), AgentRole::Subagent)));
    // Agents are the files without a field that names one.
    let of_agents =
        host.checks.project_files.iter().filter(|files| !files.formats.contains_key(&config.agent_field));
    for files in of_agents {
        for (_, file, name) in files_of(context, files).filter(|(inner, ..)| project.starts_with(inner)) {
            let fields = file.text().and_then(|text| frontmatter::parse(text).fields);
            let own = fields.as_ref().and_then(|fields| fields.get("name")).and_then(Node::as_str);
            let role = AgentRole::from_mode(fields.as_ref().and_then(|fields| fields.get("mode")));
            known.insert(own.map_or(name, str::to_owned), role);
        }
        for entry in own.iter().flat_map(|root| entries_of(root, files.config_field.as_deref())) {
            let mode = entry.node.get("mode");
            // Other fields change an agent that the host or a file has.
            if mode.is_some() || !known.contains_key(&entry.key) {
                known.insert(entry.key.clone(), AgentRole::from_mode(mode));
            }
        }
    }
    Some(known)
}

/// The Markdown files of a kind in all projects: each with its project and its name, which has its folders.
fn files_of<'a>(
    context: &RuleContext<'a>,
    files: &ProjectFiles,
) -> impl Iterator<Item = (Utf8PathBuf, &'a SourceFile, String)> {
    let foreign = context.project.plugins.iter().filter(|plugin| plugin.form == LocationForm::Foreign);
    let reads_markdown = files.format == FileFormat::Markdown;
    let roots = foreign.filter_map(move |plugin| Some((plugin, project_root(plugin, files)?)));
    roots.filter(move |_| reads_markdown).flat_map(move |(plugin, project)| {
        let paths = plugin.files.kept.iter().filter(|path| is_markdown(path));
        paths.filter_map(move |path| {
            let name = path.strip_prefix(&plugin.root).ok()?.with_extension("").into_string();
            Some((project.clone(), context.file(path)?, name))
        })
    })
}

/// The project of a folder that holds such files.
fn project_root(plugin: &Plugin, files: &ProjectFiles) -> Option<Utf8PathBuf> {
    let folder = files.folders.iter().find(|folder| plugin.root.ends_with(folder))?;
    let depth = Utf8Path::new(folder).components().count();
    Some(plugin.root.ancestors().nth(depth)?.to_owned())
}

/// The project of a configuration file, which may be in the folder of its host.
fn project_of(path: &Utf8Path, host: &Target) -> Utf8PathBuf {
    let folder = path.parent().unwrap_or(Utf8Path::new(""));
    let is_own = host.checks.project_folders.iter().any(|own| !own.contains('/') && folder.ends_with(own));
    if is_own { folder.parent().unwrap_or(folder) } else { folder }.to_owned()
}
