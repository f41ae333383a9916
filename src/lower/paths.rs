//! Updates relative paths in Markdown to files that move on the host: a renamed template, a skill whose folder follows
//! its name, a command that becomes a skill.

use std::cell::LazyCell;

use camino::{Utf8Path, Utf8PathBuf};

use super::context::LoweringContext;
use crate::bundle::draft::DraftEdit;
use crate::model::paths::join;
pub(super) use crate::model::paths::relative;
use crate::read::intent::is_for_maintainers;
use crate::read::markdown::{self, RegionKind};
use crate::read::path_words::{is_path_char, leading_path};
use crate::source::{ComponentKind, SourceFile, Span, is_markdown, last_line};
use crate::source_format::SourceFacts;
use crate::sourcemap::EditKind;

/// An edit for each path in the part `body` of `file` that would no longer lead to its file. `inner` is the
/// emitted path of `file` itself.
pub(super) fn path_edits(
    context: &LoweringContext<'_>,
    file: &SourceFile,
    inner: &Utf8Path,
    body: Span,
) -> Vec<DraftEdit> {
    let Some(text) = file.text().filter(|text| may_follow(context, text)) else { return Vec::new() };
    let mover = PathMover::new(context, file, inner);
    let mut edits = mover.relative_edits(text, body);
    if !mover.tells_of_source {
        edits.extend(mover.variable_edits(text, body));
    }
    edits
}

/// The paths of one text, some of which lead to files that move.
struct PathMover<'a> {
    context: &'a LoweringContext<'a>,
    /// The emitted path of the text.
    inner: &'a Utf8Path,
    /// The folder of the text.
    here: &'a Utf8Path,
    /// The folder of the skill that the text belongs to.
    skill: Option<&'a Utf8Path>,
    /// Whether the text is a second copy, which is beside other second copies, in the places that the source has.
    is_extra: bool,
    /// Whether a host loads the text.
    is_loaded: bool,
    /// Whether the text describes the source, so that its paths stay correct.
    tells_of_source: bool,
}

impl<'a> PathMover<'a> {
    fn new(context: &'a LoweringContext<'a>, file: &'a SourceFile, inner: &'a Utf8Path) -> Self {
        let places = &context.places;
        let is_main = places.mains.contains(&file.path);
        let skill = places.skills.get(&file.path).map(|at| context.plugin.components[*at].folder());
        Self {
            context,
            inner,
            here: file.path.parent().unwrap_or(Utf8Path::new("")),
            skill,
            is_extra: places.extra_paths.get(&file.path).is_some_and(|extra| extra == inner),
            is_loaded: skill.is_some() || is_main,
            tells_of_source: !is_main && is_for_maintainers(&file.path),
        }
    }

    /// The place of a second copy of `target`.
    fn extra(&self, target: &Utf8Path) -> Option<&'a Utf8Path> {
        let extra = self.context.places.extra_paths.get(target).filter(|_| self.is_extra);
        extra.map(Utf8PathBuf::as_path)
    }

    /// The emitted folder that paths relative to `base` are relative to.
    fn emitted_base(&self, base: &Utf8Path) -> Utf8PathBuf {
        match self.is_extra {
            true if base == self.context.plugin.root => Utf8PathBuf::new(),
            true => self.context.plugin.relative_path(base).to_owned(),
            false => emitted_folder(self.context, base, self.inner, self.here),
        }
    }

    /// The folder that `path` is relative to, the file or folder that it names, and the emitted one. A path that
    /// `runs` is relative to where a command runs, so it names no folder.
    fn resolve(&self, path: &str, runs: bool) -> Option<(&'a Utf8Path, Utf8PathBuf, Utf8PathBuf)> {
        [Some(self.here), self.skill].into_iter().flatten().find_map(|base| {
            let target = join(base, path)?;
            let climbs = path.starts_with("../") && !self.here.starts_with(&target);
            let file = self.extra(&target).or_else(|| file_at(self.context, &target)).map(Utf8Path::to_owned);
            let folder = || folder_at(self.context, &target, self.is_extra).filter(|_| climbs && !runs);
            let placed = file.or_else(folder)?;
            Some((base, target, placed))
        })
    }

    /// The edits of relative paths.
    fn relative_edits(&self, text: &str, body: Span) -> Vec<DraftEdit> {
        let regions = LazyCell::new(|| markdown::regions(text, body));
        let in_code = |span: Span, kinds: &[RegionKind]| {
            markdown::region_at(&regions, span.start).is_some_and(|kind| kinds.contains(&kind))
        };
        let is_link = |span: Span| {
            is_destination(&text[..span.start])
                && !in_code(span, &[RegionKind::CodeBlock, RegionKind::CodeSpan])
        };
        let is_run =
            |span: Span| text[..span.start].ends_with("cd ") || in_code(span, &[RegionKind::CodeBlock]);
        let mut edits = Vec::new();
        for (span, path) in candidates(text, body) {
            let Some((base, target, placed)) = self.resolve(path, is_run(span)) else { continue };
            let wanted = relative(&self.emitted_base(base), &placed);
            let plain = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
            // A plain file name may also mean a file where the model works, and a text that no host loads describes the
            // source.
            let is_named = plain.contains('/') || placed.file_name() == target.file_name();
            let is_path = is_named && !self.tells_of_source && (self.is_loaded || path.starts_with("../"));
            if wanted != plain && (is_path || is_link(span)) {
                let is_marked = path.starts_with("./") && !wanted.starts_with("..");
                let wanted = if is_marked { format!("./{wanted}") } else { wanted };
                let slashes = path.len() - path.trim_end_matches('/').len();
                edits.push(edit(Span::new(span.start, span.end - slashes), wanted, &target));
            }
        }
        edits
    }

    /// The edits of paths after a variable of the source host.
    fn variable_edits(&self, text: &str, body: Span) -> Vec<DraftEdit> {
        let (context, own) = (self.context, self.skill.unwrap_or(self.here));
        let folders = [
            (&context.source.plugin_root, context.plugin.root.as_path(), Utf8PathBuf::new()),
            (&context.source.skill_folder, own, self.emitted_base(own)),
        ];
        let mut edits = Vec::new();
        for (variable, base, from) in folders {
            for (span, path) in paths_after_variable(text, body, variable) {
                let Some(target) = join(base, path) else { continue };
                let Some(placed) = self.extra(&target).or_else(|| emitted_path(context, &target)) else {
                    continue;
                };
                let wanted = relative(&from, placed);
                // The block states the folder that such a path is relative to.
                let is_within = !wanted.starts_with("..") || path.starts_with("..");
                if is_within && wanted != relative(base, &target) {
                    edits.push(edit(span, wanted, &target));
                }
            }
        }
        edits
    }
}

fn edit(span: Span, text: String, target: &Utf8Path) -> DraftEdit {
    let reason = format!("`{target}` has another path on the host");
    DraftEdit { span, text, tag: (EditKind::Path, reason) }
}

/// Whether any path in a text may need to change for the host.
pub(super) fn may_follow(context: &LoweringContext<'_>, text: &str) -> bool {
    context.places.moved
        || memchr::memmem::find(text.as_bytes(), context.source.manifest.as_bytes()).is_some()
}

/// Whether the text after `before` is the destination of a link.
fn is_destination(before: &str) -> bool {
    let before = before.strip_suffix('<').unwrap_or(before);
    let line = last_line(before).trim_start();
    before.ends_with("](") || line.starts_with('[') && line.trim_end().ends_with("]:")
}

/// The path of a file of the plugin in the plugin's emitted folder; its manifest becomes the host's own.
pub(super) fn file_at<'a>(context: &'a LoweringContext<'_>, target: &Utf8Path) -> Option<&'a Utf8Path> {
    let manifest = context.plugin.manifest.as_ref().filter(|manifest| manifest.path == target);
    let emitted = manifest.map(|_| Utf8Path::new(&context.target.manifest.path));
    emitted.or_else(|| context.places.files.get(target).map(Utf8PathBuf::as_path))
}

/// The emitted path of a folder of the plugin, or of its second copy, judged by its first file.
fn folder_at(context: &LoweringContext<'_>, target: &Utf8Path, is_extra: bool) -> Option<Utf8PathBuf> {
    let files = if is_extra { &context.places.extra_paths } else { &context.places.files };
    let first = files.first_from(target)?;
    let inner = first.strip_prefix(target).ok().filter(|inner| !inner.as_str().is_empty())?;
    let folder = files.get(first)?.as_str().strip_suffix(inner.as_str())?;
    folder.strip_suffix('/').map(Utf8PathBuf::from)
}

/// The path of a file of the plugin, or of the folder of a skill, in the plugin's emitted folder.
fn emitted_path<'a>(context: &'a LoweringContext<'_>, target: &Utf8Path) -> Option<&'a Utf8Path> {
    if let Some(file) = file_at(context, target) {
        return Some(file);
    }
    let skills = context.plugin.components.iter().filter(|component| component.kind == ComponentKind::Skill);
    let skill = skills.into_iter().find(|skill| skill.folder() == target && target != context.plugin.root)?;
    context.places.files.get(&skill.path)?.parent()
}

/// Paths after the variable of a folder, which may be quoted separately; without a trailing `/`.
fn paths_after_variable<'a>(text: &'a str, body: Span, variable: &str) -> Vec<(Span, &'a str)> {
    let variable = format!("${{{variable}}}");
    let part = body.slice(text);
    let found = part.match_indices(&variable).filter_map(|(at, _)| {
        let rest = &part[at + variable.len()..];
        let lead = ["/", "\"/", "'/"].into_iter().find(|lead| rest.starts_with(lead))?.len();
        let start = at + variable.len() + lead;
        let word = leading_path(&rest[lead..]).trim_end_matches('/');
        (!word.is_empty()).then(|| (Span::new(start, start + word.len()).shifted(body.start), word))
    });
    found.collect()
}

/// Whether the part `body` of `file` names a file or a folder of the plugin by a relative path. The folders around
/// `file` do not count, since a command with `./...` may run anywhere.
pub(super) fn has_relative_path(context: &LoweringContext<'_>, file: &SourceFile, body: Span) -> bool {
    let here = file.path.parent().unwrap_or(Utf8Path::new(""));
    let files = &context.places.files;
    let below = |target: &Utf8PathBuf| {
        let first = files.first_from(target);
        first.is_some_and(|path| path.starts_with(target)) && !here.starts_with(target)
    };
    let mut found = candidates(file.text().unwrap_or_default(), body);
    found.any(|(_, path)| join(here, path).is_some_and(|target| below(&target)))
}

/// The emitted folder for `base`: that of the file itself, or that of its skill.
fn emitted_folder(
    context: &LoweringContext<'_>,
    base: &Utf8Path,
    inner: &Utf8Path,
    here: &Utf8Path,
) -> Utf8PathBuf {
    if base == here {
        return inner.parent().unwrap_or(Utf8Path::new("")).to_owned();
    }
    let component = context.plugin.components.iter().find(|component| component.folder() == base);
    let main = component.and_then(|component| context.places.files.get(&component.path));
    main.and_then(|path| path.parent()).unwrap_or(Utf8Path::new("")).to_owned()
}

/// Words of the text that look like a relative path to a file.
fn candidates(text: &str, body: Span) -> impl Iterator<Item = (Span, &str)> {
    let part = body.slice(text);
    let mut done = 0;
    // Each candidate contains a dot, and dots are rare.
    std::iter::from_fn(move || {
        let dot = done + memchr::memchr(b'.', &part.as_bytes()[done..])?;
        let start = done + part[done..dot].trim_end_matches(is_path_char).len();
        let end = part.len() - part[dot..].trim_start_matches(is_path_char).len();
        done = end;
        Some((start, end))
    })
    .filter_map(move |(start, end)| {
        let word = part[start..end].trim_end_matches('.');
        let before = part[..start].chars().next_back();
        let relative = !word.starts_with(['/', '@'])
            && word.contains('.')
            && !before.is_some_and(|c| "}$:~\\%".contains(c));
        (relative && (word.contains('/') || is_markdown(word)))
            .then(|| (Span::new(start, start + word.len()).shifted(body.start), word))
    })
}

/// The path of the folder that a variable names, relative to the file; `None` for variables of other things.
pub(super) fn own_place<'a>(source: &SourceFacts, name: &str, to_root: &'a str) -> Option<&'a str> {
    if name == source.plugin_root { Some(to_root) } else { (name == source.skill_folder).then_some(".") }
}

/// The rest of a path that begins with a variable; empty if something else follows.
pub(super) fn rest_of_path(text: &str, at: usize) -> &str {
    let path = leading_path(&text[at..]);
    if path.starts_with('/') { path } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_paths_and_skips_everything_else() {
        let text = "see `references/a.md`, ../b/SKILL.md. Not /etc/x.conf, https://e.org/x.md, ${X}/y.md, v1.2 or e.g. this; plain.md, \
                    @a/b.md, assets/icon@2x.png";
        let found: Vec<_> = candidates(text, Span::new(0, text.len())).map(|(_, word)| word).collect();
        assert_eq!(found, ["references/a.md", "../b/SKILL.md", "plain.md", "assets/icon@2x.png"]);
        let text = "run ${ROOT}/a/b.sh, `cd ${ROOT}/pack/`, \"${ROOT}\"/c.md and ${ROOT}.";
        let found: Vec<_> = paths_after_variable(text, Span::new(0, text.len()), "ROOT")
            .into_iter()
            .map(|(_, word)| word)
            .collect();
        assert_eq!(found, ["a/b.sh", "pack", "c.md"]);
    }

    #[test]
    fn a_destination_is_told_by_what_stands_before_it() {
        for before in ["see [a](", "[a](<", "x\n[a]: ", "[a]: <"] {
            assert!(is_destination(before), "{before}");
        }
        for before in ["see (", "`", "x [a]: ", "[a] (", ""] {
            assert!(!is_destination(before), "{before}");
        }
    }
}
