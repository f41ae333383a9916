//! A skill file is larger than the house allows, or its exception is no longer needed.

use crate::check::context::{Context, Text};
use crate::check::rule::{Check, Group, Rule};
use crate::check::sink::Sink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::source::Kind;

pub(super) const RULE: Rule = Rule {
    name: "house-size",
    group: Group::House,
    severity: Severity::Warning,
    summary: "a skill file has more bytes than the house allows, counted with Windows line endings",
    page: include_str!("house_size.md"),
    check: Check::Component(check),
};

fn check(context: &Context<'_>, component: &Component, text: &Text<'_>, sink: &mut Sink) {
    if component.kind != Kind::Skill {
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
    sink.whole(path, message).help = Some(help);
}
