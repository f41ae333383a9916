//! Texts of a plugin that belong to none of its components, and that its components read: those whose paths a component
//! names. What such a text asks for, the component that reads it is asked for.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use super::component::Component;
use super::paths::join;
use super::plugin::Plugin;
use crate::read::path_words::is_path_char;
use crate::source::{SourceTree, is_markdown};
use crate::source_format::SourceFacts;

/// How many texts lead to another one at most: a component names a text, which names the other one.
const STEPS: usize = 2;

/// What the paths of texts end with.
const ENDING: &str = ".md";

/// The shared texts that `component` of `plugin` reads, in order.
pub(super) fn read_by<'t>(
    tree: &'t SourceTree,
    plugin: &Plugin,
    component: &Component,
    source: &SourceFacts,
) -> Vec<(&'t Utf8Path, &'t str)> {
    let mut found: BTreeSet<&Utf8Path> = BTreeSet::new();
    let mut texts = Vec::new();
    let own = std::iter::once(&component.path).chain(&component.files);
    let own = own.filter(|path| is_markdown(path));
    let mut left: Vec<(&Utf8Path, &str)> = own.filter_map(|path| text_at(tree, path)).collect();
    for _ in 0..STEPS {
        let mut next = Vec::new();
        for (path, text) in left {
            for target in named_in(text, path, plugin, component, source) {
                let Some((target, text)) = text_at(tree, &target) else { continue };
                let is_own = component.files.iter().any(|file| file == target);
                if !is_own && is_shared(plugin, target) && found.insert(target) {
                    next.push((target, text));
                }
            }
        }
        texts.extend(next.iter().copied());
        left = next;
    }
    texts
}

fn text_at<'t>(tree: &'t SourceTree, path: &Utf8Path) -> Option<(&'t Utf8Path, &'t str)> {
    let file = tree.get(path)?;
    Some((&file.path, file.text()?))
}

/// Whether the file at `path` is in the bundle and belongs to no component.
fn is_shared(plugin: &Plugin, path: &Utf8Path) -> bool {
    let belongs = |component: &Component| {
        path.starts_with(component.folder())
            && (component.path == path || component.files.iter().any(|file| file == path))
    };
    plugin.files.kept_below(path).next().is_some_and(|kept| kept == path)
        && !plugin.components.iter().chain(&plugin.shadowed).any(belongs)
}

/// The paths of Markdown files that the text of `component` at `path` names, whether or not they exist.
fn named_in(
    text: &str,
    path: &Utf8Path,
    plugin: &Plugin,
    component: &Component,
    source: &SourceFacts,
) -> Vec<Utf8PathBuf> {
    let here = path.parent().unwrap_or(Utf8Path::new(""));
    let mut out = Vec::new();
    for at in memmem::find_iter(text.as_bytes(), ENDING) {
        let end = at + ENDING.len();
        let start = text[..at].trim_end_matches(is_path_char).len();
        let word = &text[start..end];
        let mut after = text[end..].chars();
        let (next, second) = (after.next(), after.next());
        let goes_on = |c: Option<char>| c.is_some_and(is_path_char);
        if goes_on(next) && (next != Some('.') || goes_on(second)) {
            continue;
        }
        let before = text[..start].trim_end_matches(['"', '\'']);
        let below = |variable: &str| before.ends_with(&format!("${{{variable}}}"));
        let inner = word.strip_prefix('/');
        match inner {
            Some(inner) if below(&source.plugin_root) => out.extend(join(&plugin.root, inner)),
            Some(inner) if below(&source.skill_folder) => out.extend(join(component.folder(), inner)),
            Some(_) => {}
            None if text[..start].ends_with(['}', '$', ':', '~', '\\', '%']) => {}
            None => {
                let bases =
                    [Some(here), Some(component.folder()), word.contains('/').then_some(&*plugin.root)];
                out.extend(bases.into_iter().flatten().filter_map(|base| join(base, word)));
            }
        }
    }
    out
}
