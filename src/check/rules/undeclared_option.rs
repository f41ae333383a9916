//! A user option that no manifest declares.

use std::collections::BTreeSet;

use memchr::memmem;

use crate::check::context::RuleContext;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::runnable;
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::plugin::Plugin;
use crate::model::similar_names::nearest;
use crate::read::intent::stands_for_any;
use crate::read::markdown::{self, RegionKind};
use crate::read::tree::Node;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "undeclared-option",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a hook, server or text uses `${user_config.…}` for an option that the manifest does not declare",
    page: include_str!("undeclared_option.md"),
    check: RuleCheck::Plugin(check),
};

fn check(context: &RuleContext<'_>, plugin: &Plugin, sink: &mut FindingSink) {
    let head = format!("${{{}", context.targets.source().user_config);
    let mut declared: Option<BTreeSet<&str>> = None;
    for ran in runnable::hooks(context, plugin).into_iter().chain(runnable::servers(context, plugin)) {
        for (at, _) in ran.text.match_indices(&head) {
            let rest = &ran.text[at + head.len()..];
            let Some(key) = rest.find('}').map(|end| &rest[..end]) else { continue };
            let declared = declared.get_or_insert_with(|| options(plugin));
            if declared.contains(key) {
                continue;
            }
            let span = ran.place(Span::new(at, at + head.len() + key.len() + 1));
            let message = format!("undeclared option `{key}`; the host ignores this hook or server");
            let help = match nearest(key, declared.iter().copied()) {
                Some(near) => format!("did you mean `{head}{near}}}`?"),
                None => {
                    "declare it under `userConfig` in the manifest, with `type`, `title` and `description`"
                        .to_owned()
                }
            };
            sink.report(ran.file, span, message).help = Some(help);
        }
    }
    texts(context, plugin, &head, sink);
}

/// Reports options in the texts of skills, agents and commands, where the source host leaves an undeclared one as it is.
fn texts(context: &RuleContext<'_>, plugin: &Plugin, head: &str, sink: &mut FindingSink) {
    if !context.for_source_host() || !plugin.is_declared() {
        return;
    }
    let finder = memmem::Finder::new(head);
    for component in &plugin.components {
        let Some(file) = context.file(&component.path) else { continue };
        let (text, body) = (file.text().unwrap_or_default(), component.document.body);
        for at in finder.find_iter(body.slice(text).as_bytes()) {
            let rest = &body.slice(text)[at + head.len()..];
            let Some(key) = rest.find('}').map(|end| &rest[..end]) else { continue };
            let declared = options(plugin);
            let is_name = key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
            // A text about plugins shows how an option is written.
            let is_in_code = || {
                let regions = markdown::regions(text, body);
                matches!(
                    markdown::region_at(&regions, body.start + at),
                    Some(RegionKind::CodeBlock | RegionKind::CodeSpan)
                )
            };
            let is_shown = || stands_for_any(key) || key.len() < 2 || declared.is_empty() && is_in_code();
            if !is_name || declared.contains(key) || is_shown() {
                continue;
            }
            let span = Span::new(at, at + head.len() + key.len() + 1).shifted(body.start);
            let message = format!("undeclared option `{key}`; the host leaves it in the text");
            let found = sink.report(file, span, message);
            found.severity = Severity::Warning;
            found.hosts = context.source_host_of_several();
            found.help = Some(match nearest(key, declared.iter().copied()) {
                Some(near) => format!("did you mean `{head}{near}}}`?"),
                None => "declare it under `userConfig` in the manifest, or remove it".to_owned(),
            });
        }
    }
}

/// The options that the plugin, or a channel of it, declares.
fn options(plugin: &Plugin) -> BTreeSet<&str> {
    let channels = plugin.metadata("/channels").and_then(Node::items).unwrap_or_default();
    let of_channels = channels.iter().filter_map(|channel| channel.get("userConfig"));
    let all = plugin.metadata("/userConfig").into_iter().chain(of_channels);
    all.flat_map(Node::entries).map(|entry| entry.key.as_str()).collect()
}
