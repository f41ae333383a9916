//! References to skills by a frontmatter name that differs from the folder. A fix that removes the name must update
//! every reference, or is not offered: a reference is certain if it is written with the plugin or a slash, while a bare
//! word may mean anything.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, Match, packed};
use camino::Utf8PathBuf;

use super::context::RuleContext;
use crate::diagnostic::FixEdit;
use crate::model::component::Component;
use crate::model::plugin::Plugin;
use crate::model::qualified_name::{parts_of, qualify};
use crate::model::references::ends_with_slash;
use crate::parallel;
use crate::read::name_words::{is_name_char, is_spaced_letter};
use crate::source::{ComponentKind, SourceFile, Span};

/// A name with more occurrences is an ordinary word of the source.
const MOST: usize = 100;

/// The occurrences of every skill name that differs from the skill's folder.
#[derive(Debug, Default)]
pub struct SkillRenames {
    places: BTreeMap<String, Vec<(Utf8PathBuf, Span)>>,
}

/// Finds names in a text.
enum NameFinder {
    /// If every name is a word, each word matches one name at most: the longest. A SIMD search is fast enough for few
    /// names.
    Words(packed::Searcher),
    Any(AhoCorasick),
}

impl NameFinder {
    /// `None` if there are no names.
    fn new(names: &[String]) -> Option<Self> {
        let are_words = names.iter().all(|name| name.chars().all(is_name_char));
        let words = || {
            let longest = packed::Config::new().match_kind(packed::MatchKind::LeftmostLongest).clone();
            longest.builder().extend(names).build()
        };
        if names.is_empty() {
            return None;
        }
        let words = are_words.then(words).flatten().map(Self::Words);
        // Words have few rare bytes to look for first.
        words.or_else(|| Some(Self::Any(AhoCorasick::builder().prefilter(false).build(names).ok()?)))
    }

    /// The index of each name found and its span; matches may overlap unless the names are words.
    fn find(&self, text: &str) -> Vec<(usize, Span)> {
        let hit = |hit: Match| (hit.pattern().as_usize(), Span::new(hit.start(), hit.end()));
        match self {
            Self::Words(finder) => finder.find_iter(text).map(hit).collect(),
            Self::Any(finder) => finder.find_overlapping_iter(text).map(hit).collect(),
        }
    }
}

/// The frontmatter name of a skill if it differs from the name of its folder, and the latter.
pub fn differing_name<'c>(component: &'c Component, root: &camino::Utf8Path) -> Option<(String, &'c str)> {
    let folder = component.folder();
    let is_own_folder = component.kind == ComponentKind::Skill && folder != root;
    let folder = folder.file_name().filter(|_| is_own_folder)?;
    let name = component.field("name")?.scalar().filter(|name| name != folder)?;
    Some((name, folder))
}

impl SkillRenames {
    /// Searches every text of the source, if there is a name to search for.
    pub fn find(context: &RuleContext<'_>) -> Self {
        let plugins = context.project.plugins.iter();
        let names = plugins.flat_map(|plugin| {
            plugin.author_files().filter_map(|component| Some(differing_name(component, &plugin.root)?.0))
        });
        let names: std::collections::BTreeSet<String> = names.filter(|name| !name.is_empty()).collect();
        let names: Vec<String> = names.into_iter().collect();
        let mut out = Self::default();
        let Some(finder) = NameFinder::new(&names) else { return out };
        let files: Vec<&SourceFile> = context.project.tree.files().chain(&context.project.readme).collect();
        let count = files.len();
        let found = parallel::map(files, count, |file| {
            let Some(text) = file.text().filter(|_| !tells_what_was(file)) else { return Vec::new() };
            let is_whole = |(_, span): &(usize, Span)| {
                !text[..span.start].ends_with(is_name_char) && !text[span.end..].starts_with(is_name_char)
            };
            let hits = finder.find(text).into_iter().filter(is_whole);
            hits.map(|(name, span)| (name, file.path.clone(), span)).collect()
        });
        for (name, path, span) in found.into_iter().flatten() {
            let places = out.places.entry(names[name].clone()).or_default();
            if places.len() <= MOST {
                places.push((path, span));
            }
        }
        out
    }

    /// The edits that replace `name`, a skill of `plugin`, by `new` in every reference; `own` is the declaration in the
    /// skill. `None` if an occurrence may not be a reference.
    pub fn edits(
        &self,
        context: &RuleContext<'_>,
        plugin: &Plugin,
        (name, new): (&str, &str),
        own: (&SourceFile, Span),
    ) -> Option<Vec<FixEdit>> {
        let places = self.places.get(name).map_or(&[][..], Vec::as_slice);
        let mut edits = Vec::new();
        for (path, span) in places {
            if *path == own.0.path && own.1.start <= span.start && span.end <= own.1.end {
                continue;
            }
            let text = context.file(path)?.text()?;
            let (before, after) = (&text[..span.start], &text[span.end..]);
            if let Some(before) = before.strip_suffix(':')
                && before.ends_with(is_name_char)
                && last_word(before) != plugin.name
            {
                // A skill of another plugin.
                continue;
            }
            let qualified = before.ends_with(':') && last_word(&before[..before.len() - 1]) == plugin.name;
            // Qualified by the plugin, the new name equals the old one.
            if !qualified && qualify(&plugin.name, new) == name {
                continue;
            }
            let slash = ends_with_slash(before) && path.starts_with(&plugin.root);
            // A name that has the plugin's in front keeps it.
            let is_whole = !qualified && parts_of(name).is_some_and(|(first, _)| first == plugin.name);
            let called = qualified || slash || is_whole;
            let goes_on = after.starts_with(['/', ':'])
                || after.strip_prefix('.').is_some_and(|after| after.starts_with(is_spaced_letter));
            if !called || goes_on || places.len() > MOST {
                return None;
            }
            let (start, end) = (span.start, span.end);
            let replacement = if is_whole { qualify(&plugin.name, new) } else { new.to_owned() };
            edits.push(FixEdit { path: path.to_string(), start, end, replacement });
        }
        Some(edits)
    }
}

fn last_word(text: &str) -> &str {
    text.rsplit(|c| !is_name_char(c)).next().unwrap_or_default()
}

/// Whether a file is a history, such as a changelog, and keeps old names.
fn tells_what_was(file: &SourceFile) -> bool {
    file.path.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("changelog"))
}
