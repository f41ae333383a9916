//! A skill file is larger than the house allows, or its exception is no longer needed.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::ComponentKind;

pub(super) const RULE: Rule = Rule {
    name: "house-size",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a skill file has more bytes than the house allows, counted with Windows line endings",
    page: include_str!("house_size.md"),
    check: RuleCheck::Component(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    if component.kind != ComponentKind::Skill {
        return;
    }
    let house = &context.settings.house;
    let path = &text.file.path;
    let feeds = text.text.bytes().filter(|byte| *byte == b'\n').count();
    let returns = text.text.matches("\r\n").count();
    let size = text.text.len() + feeds - returns;
    let (message, help) = match house.sizes.get(path.as_str()) {
        None if size > house.size => (
            format!("the file has {size} bytes with Windows line endings (limit {})", house.size),
            "move details into files under `references/`".to_owned(),
        ),
        Some(allowed) if size <= house.size => (
            format!("the file has {size} bytes and no longer needs the exception of {allowed}"),
            "remove it from `[check.house.sizes]` in `plugcast.toml`".to_owned(),
        ),
        Some(allowed) if size > *allowed => (
            format!("the file has grown to {size} bytes, and the exception allows {allowed}"),
            "an exception may only shrink: move details into files under `references/`".to_owned(),
        ),
        Some(allowed) if size < *allowed => (
            format!("the file has shrunk to {size} bytes, and the exception allows {allowed}"),
            format!("write {size} in `[check.house.sizes]`, so that it does not grow again"),
        ),
        _ => return,
    };
    sink.report_file(path, message).help = Some(help);
}
