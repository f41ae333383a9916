//! What the scripts of workflows dispatch, for hosts on which the model does what a script says.

use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::model::project::Project;
use crate::source::Kind;

/// The agents of `plugin` that the script of the workflow `name` names.
pub(super) fn agents<'a>(project: &'a Project, plugin: &'a Plugin, name: &str) -> Vec<&'a Component> {
    let local = name.strip_prefix(&*plugin.name).and_then(|rest| rest.strip_prefix(':'));
    let mut workflows = plugin.others.iter().filter(|other| other.kind == Kind::Workflow.id());
    let script = workflows
        .find(|other| Some(other.name.as_str()) == local)
        .and_then(|other| project.tree.get(&other.path)?.text());
    let Some(script) = script else { return Vec::new() };
    let quoted = |agent: &&Component| {
        let name = &agent.qualified;
        ["'", "\"", "`"].iter().any(|quote| script.contains(&format!("{quote}{name}{quote}")))
    };
    plugin.components.iter().filter(|component| component.kind == Kind::Agent).filter(quoted).collect()
}

/// The qualified name of the workflow of `plugin` whose script lies at `path` in its folder.
pub(super) fn at(plugin: &Plugin, path: &str) -> Option<String> {
    let path = plugin.root.join(path.trim_start_matches('/'));
    let mut workflows = plugin.others.iter().filter(|other| other.kind == Kind::Workflow.id());
    let workflow = workflows.find(|other| !path.as_str().is_empty() && other.path == path)?;
    Some(format!("{}:{}", plugin.name, workflow.name))
}
