//! A link points to a missing file.

use camino::{Utf8Path, Utf8PathBuf};

use crate::check::context::{PluginText, RuleContext};
use crate::check::link::LocalLink;
use crate::check::paths::{self, PathTarget, in_named_skill};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::paths as model;
use crate::model::plugin::LocationForm;
use crate::model::similar_names::misspelt_name;
use crate::read::intent::{is_called_planned, line_around, surrounding_text};
use crate::source::{ComponentKind, Span, is_inside};

pub(super) const RULE: Rule = Rule {
    name: "broken-link",
    group: RuleGroup::Correctness,
    severity: Severity::Error,
    summary: "a link points to a missing file",
    page: include_str!("broken_link.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    for link in text.links(context).iter().filter(|link| !link.path.is_empty()) {
        let wanted = match link.target(context, text) {
            PathTarget::Missing(wanted) => wanted,
            // Files outside of the plugins were not read, so they may exist.
            PathTarget::MissingOutside(wanted) if wanted.starts_with(&text.plugin.root) => wanted,
            _ => continue,
        };
        let around = surrounding_text(text.text, link.whole.start, link.whole.end);
        if is_page(context, wanted)
            || is_called_planned(text.text, link.whole.end)
            || is_of_project(context, text, link)
            || in_named_skill(context, text, around, &link.path).is_some()
        {
            continue;
        }
        let inner = text.plugin.relative_path(wanted);
        let found = sink.report(text.file, link.span, format!("broken link: `{inner}` does not exist"));
        let same = paths::files_named(text, wanted);
        let Some(meant) = same.first().copied().or_else(|| paths::nearest_file(text, wanted)) else {
            found.help = Some("add the file, or fix the path".to_owned());
            continue;
        };
        let written = paths::from_text(text, meant);
        found.help = Some(match same.get(1) {
            Some(other) => {
                format!("did you mean `{written}` or `{}`?", paths::from_text(text, other))
            }
            None => format!("did you mean `{written}`?"),
        });
        let own = paths::own_folder(text);
        let name = model::file_name(meant);
        let has_name =
            |path: &&Utf8PathBuf| model::file_name(path) == name && is_inside(path.as_str(), own.as_str());
        let is_only = || text.plugin.files.kept.iter().filter(has_name).count() == 1;
        let folder =
            |path: &Utf8Path| path.parent().and_then(Utf8Path::file_name).unwrap_or_default().to_owned();
        let is_slip = || misspelt_name(&folder(wanted), [folder(meant).as_str()]).is_some();
        if same == [meant] && meant.starts_with(own) && (is_only() || is_slip()) {
            found.fix = Some(replace(text.file, link.span, written, Applicability::Unsafe));
        }
    }
}

/// Whether `wanted` is a page that a site generates from a file: the same path with an extension.
fn is_page(context: &RuleContext<'_>, wanted: &Utf8Path) -> bool {
    wanted.extension().is_none() && context.paths().contains(&Utf8PathBuf::from(format!("{wanted}.md")))
}

/// Whether a path is one of the user's project: it begins with a folder that projects have and this skill
/// has not. The texts of commands and agents come without a folder, so there only a folder of the plugin
/// counts, and in a plugin what is beside the text or climbs out of its folder.
fn is_of_project(context: &RuleContext<'_>, text: &PluginText<'_>, link: &LocalLink) -> bool {
    const FOLDERS: [&str; 10] =
        ["docs", "doc", "src", "lib", "app", "test", "tests", "spec", "packages", "config"];
    let top = link.path.split('/').next().unwrap_or_default();
    let bases = [text.file.path.parent(), Some(paths::own_folder(text))];
    let loose = text.component.is_some_and(|own| own.kind != ComponentKind::Skill);
    let installed = text.plugin.form == LocationForm::Plugin && !text.lies_in_a_project();
    if loose && installed && (top == ".." || !link.path.contains('/')) {
        return is_quoted(text.text, link.whole);
    }
    (loose || FOLDERS.contains(&top))
        && !bases.into_iter().flatten().any(|base| context.paths().has_folder(&base.join(top)))
}

/// Whether a link is in double quotes: it is shown, as a part of what is to be written.
fn is_quoted(text: &str, link: Span) -> bool {
    let (before, behind) = line_around(text, link.start, link.end);
    before.matches('"').count() % 2 == 1 && behind.contains('"')
}
