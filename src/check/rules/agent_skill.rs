//! An agent preloads an unknown skill.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::tools;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::model::qualified_name::{local_of, parts_of, plugin_of, qualify};
use crate::model::similar_names;
use crate::source::{ComponentKind, SKILL_FILE};

pub(super) const RULE: Rule = Rule {
    name: "agent-skill",
    group: RuleGroup::Correctness,
    severity: Severity::Warning,
    summary: "`skills` of an agent names an unknown skill",
    page: include_str!("agent_skill.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if component.kind != ComponentKind::Agent
        || !context.for_source_host()
        || context.is_for_another_host(&component.path)
    {
        return;
    }
    let directory = context.directory();
    for entry in tools::entries(component, &["skills"]) {
        for skill in tools::listed_tools(text.text, &entry.node) {
            let name = skill.text;
            let plain = name.chars().all(|c| c.is_alphanumeric() || ":_-.".contains(c));
            let known = match parts_of(name) {
                Some((plugin, _)) => directory.contains(name) || !directory.has_plugin(plugin),
                None => directory.has_skill_called(name),
            };
            if known || !plain || is_misspelt_file(context, text, name) {
                continue;
            }
            let qualified = match parts_of(name) {
                Some(_) => name.to_owned(),
                None => qualify(&text.plugin.name, name),
            };
            let found = sink.report(
                text.file,
                skill.span,
                format!("unknown skill `{name}`: the agent starts without it"),
            );
            let known = directory.skills_near(&qualified);
            let near =
                similar_names::nearest(local_of(&qualified), known.iter().map(|known| local_of(known)));
            let near = near.map(|near| qualify(plugin_of(&qualified), near));
            found.help = Some(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "name a skill of the plugin, or add this one".to_owned(),
            });
            found.hosts = context.source_host_of_several();
        }
    }
}

/// Whether the skill is unknown because its file name is misspelt, which `skill-file-name` reports.
fn is_misspelt_file(context: &RuleContext<'_>, text: &PluginText<'_>, name: &str) -> bool {
    let (plugin, local) = parts_of(name).unwrap_or((&text.plugin.name, name));
    let mut plugins = context.project.plugins.iter().filter(|other| other.name == plugin);
    plugins.any(|plugin| {
        context.paths().case_variant(&plugin.root.join("skills").join(local).join(SKILL_FILE)).is_some()
    })
}
