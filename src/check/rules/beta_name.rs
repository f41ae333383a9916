//! A beta skill's folder and name do not both end in `-beta`.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::stage::{ENDING, StageMarks};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;

pub(super) const RULE: Rule = Rule {
    name: "beta-name",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a beta skill's folder and name do not both end in `-beta`",
    page: include_str!("beta_name.md"),
    check: RuleCheck::Component(check),
};

fn check(_: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    let stage = StageMarks::from_component(component, text.plugin);
    let root = component.folder() == text.plugin.root;
    if !stage.is_beta() || stage.folder && stage.name || root {
        return;
    }
    let Some(node) = component.field("name") else { return };
    let Some(name) = component.written_name() else { return };
    let folder = component.folder().file_name().unwrap_or_default();
    if stage.folder {
        let beta = format!("{name}{ENDING}");
        let found = sink.report(
            text.file,
            node.span,
            format!("the folder `{folder}` ends in `-beta`, but the name `{name}` does not"),
        );
        found.help = Some(format!("write `name: {beta}`, or rename the folder"));
        found.fix = Some(replace(text.file, node.span, beta, Applicability::Unsafe));
    } else {
        let found = sink.report(
            text.file,
            node.span,
            format!("the name `{name}` ends in `-beta`, but the folder `{folder}` does not"),
        );
        found.help =
            Some(format!("rename the folder to `{folder}{ENDING}`, or take `{ENDING}` from the name"));
    }
}
