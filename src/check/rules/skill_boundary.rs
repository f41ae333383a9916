//! A path points from one skill to another part of its plugin.

use camino::Utf8Path;

use crate::check::context::{PluginText, RuleContext};
use crate::check::mention::PathForm;
use crate::check::paths::{PathTarget, in_named_skill};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::{Diagnostic, Severity};
use crate::model::component::Component;
use crate::read::intent;
use crate::source::{ComponentKind, Span};

pub(super) const RULE: Rule = Rule {
    name: "skill-boundary",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a path leaves the skill's own folder for another part of the plugin",
    page: include_str!("skill_boundary.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    let Some(own) = text.component else { return };
    for link in text.links(context).iter().filter(|link| !link.path.is_empty()) {
        let written = &link.path;
        match link.target(context, text) {
            PathTarget::Outside(path) if path.starts_with(&text.plugin.root) => {
                boundary_crossing(context, text, link.span, written, path, sink);
            }
            PathTarget::Missing(_) => report_other_skill(context, text, link.whole, link.span, written, sink),
            _ => {}
        }
    }
    if own.kind != ComponentKind::Skill || text.is_example() {
        return;
    }
    for mention in text.mentions(context).iter().filter(|mention| mention.form == PathForm::Code) {
        if in_link(text, mention.span) {
            continue;
        }
        match mention.target(context, text) {
            PathTarget::Outside(path) if is_of_the_plugin(context, text, path) => {
                boundary_crossing(context, text, mention.span, &mention.path, path, sink);
            }
            PathTarget::Missing(_) if !mention.path.starts_with('.') => {
                report_other_skill(context, text, mention.span, mention.span, &mention.path, sink);
            }
            _ => {}
        }
    }
}

/// Whether a path is the text of a link, whose destination is checked separately.
fn in_link(text: &PluginText<'_>, span: Span) -> bool {
    let links = &text.outline().links;
    let after = links.partition_point(|link| link.span.start <= span.start);
    links[..after].last().is_some_and(|link| link.span.contains(span.start))
}

/// Whether a path in code means a file of the plugin: `../package.json` is one of the user's project.
fn is_of_the_plugin(context: &RuleContext<'_>, text: &PluginText<'_>, path: &Utf8Path) -> bool {
    let inside = path.strip_prefix(&text.plugin.root).is_ok_and(|inner| inner.components().count() > 1);
    inside && context.file(path).is_some()
}

/// Reports a path to another part of the plugin.
fn boundary_crossing(
    context: &RuleContext<'_>,
    text: &PluginText<'_>,
    span: Span,
    written: &str,
    path: &Utf8Path,
    sink: &mut FindingSink,
) {
    let inner = text.plugin.relative_path(path);
    let other = owner(text, path);
    let what = text.component.map_or("skill", |own| own.kind.id());
    let message = match other {
        Some(other) => format!("`{written}` points into the {} `{}`", other.kind.id(), other.name),
        None => format!("`{written}` points outside this {what}, to `{inner}`"),
    };
    let found = sink.report(text.file, span, message);
    found.help = Some(match other {
        Some(other) if path == other.path || path == other.folder() => {
            format!(
                "refer to the {} `{}` by name instead of linking to its file",
                other.kind.id(),
                other.name
            )
        }
        _ => "copy the file into this skill's folder; skills may be installed separately".to_owned(),
    });
    point(context, found, path);
}

fn point(context: &RuleContext<'_>, found: &mut Diagnostic, path: &Utf8Path) {
    if let Some(file) = context.file(path) {
        let related = found.clone().with_related(file, Span::new(0, 0), "the file is here");
        found.related = related.related;
    }
}

/// The other skill, agent or command that `path` belongs to.
fn owner<'t>(text: &PluginText<'t>, path: &Utf8Path) -> Option<&'t Component> {
    let components = || text.plugin.author_files();
    let of_skill = |component: &&Component| {
        component.kind == ComponentKind::Skill && path.starts_with(component.folder())
    };
    let own = components().find(|component| component.path == path);
    own.or_else(|| components().filter(of_skill).max_by_key(|component| component.path.as_str().len()))
        .filter(|other| text.component.is_none_or(|own| own.path != other.path))
}

/// Reports a path that does not exist in this skill but in another one that the text names.
fn report_other_skill(
    context: &RuleContext<'_>,
    text: &PluginText<'_>,
    around: Span,
    span: Span,
    written: &str,
    sink: &mut FindingSink,
) {
    let near = intent::surrounding_text(text.text, around.start, around.end);
    let Some((other, path)) = in_named_skill(context, text, near, written) else { return };
    let message = format!("`{written}` is a file of the skill `{}`, not of this one", other.name);
    let found = sink.report(text.file, span, message);
    found.help = Some(format!(
        "refer to the skill `{}` by name, or copy the file into this skill's folder",
        other.name
    ));
    point(context, found, &path);
}
