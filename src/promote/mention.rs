//! Finds every place of a text with the beta's name as a whole word, and classifies it: the name of the skill,
//! something else, or something that only the user can tell.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};
use camino::{Utf8Path, Utf8PathBuf};

use super::PromotionEdit;
use super::path::{self, PathDestination, RepositoryPaths};
use super::selection::BetaSkill;
use super::signs::{self, SkillSigns, TextKind};
use crate::model::project::Project;
use crate::read::name_words::{is_name_char, is_spaced_letter, trailing_name};
use crate::read::tree::Node;
use crate::source::{SourceFile, SourceTree, Span};

/// One place.
#[derive(Debug)]
pub(super) struct SkillMention {
    /// The span of the name.
    pub(super) span: Span,
    /// The text after the promotion.
    pub(super) new: String,
    /// Its classification.
    pub(super) verdict: MentionVerdict,
}

/// The classification of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MentionVerdict {
    /// The skill's name.
    Name(&'static str),
    /// The name of something else.
    Other,
    /// It correctly keeps the name.
    Leave(&'static str),
    /// Only the user can tell.
    Unsure(&'static str),
}

impl SkillMention {
    pub(super) fn change(&self, what: &'static str) -> PromotionEdit {
        PromotionEdit { span: self.span, text: self.new.clone(), what }
    }
}

/// Finds the places.
pub(super) struct MentionFinder<'a> {
    beta: &'a BetaSkill<'a>,
    scanner: AhoCorasick,
    paths: RepositoryPaths<'a>,
    /// Folders of plugins, deepest first, with whether the plugin has a component of the same name.
    plugins: Vec<(&'a Utf8Path, &'a str, bool)>,
    /// Spans of frontmatter that contain only names of components, by file.
    fields: BTreeMap<&'a Utf8Path, Vec<Span>>,
    marketplace: Option<&'a Utf8Path>,
}

impl<'a> MentionFinder<'a> {
    pub(super) fn new(project: &'a Project, beta: &'a BetaSkill<'a>, files: &'a SourceTree) -> Self {
        let scanner = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(beta.names.iter().map(|(old, _)| old))
            // Building fails only for more patterns than memory holds.
            .unwrap_or_else(|_| AhoCorasick::new([""; 0]).expect("an empty automaton"));
        let mut plugins: Vec<(&Utf8Path, &str, bool)> = project
            .plugins
            .iter()
            .map(|plugin| {
                let own = |name: &str| beta.names.iter().any(|(old, _)| old == name);
                let has = plugin
                    .components
                    .iter()
                    .any(|found| own(&found.name) && found.path != beta.component.path);
                (plugin.root.as_path(), plugin.name.as_str(), has && plugin.name != beta.plugin.name)
            })
            .collect();
        plugins.sort_by_key(|(root, ..)| std::cmp::Reverse(root.as_str().len()));
        let roots: Vec<Utf8PathBuf> = plugins.iter().map(|(root, ..)| (*root).to_owned()).collect();
        let rivals = plugins.iter().filter(|(_, _, has)| *has).map(|(_, name, _)| *name).collect();
        let mut fields: BTreeMap<&Utf8Path, Vec<Span>> = BTreeMap::new();
        for component in project.plugins.iter().flat_map(|plugin| &plugin.components) {
            for key in ["skills", "skill", "agent"] {
                fields
                    .entry(&component.path)
                    .or_default()
                    .extend(component.field(key).map(|node: &Node| node.span));
            }
        }
        let marketplace = project.marketplace.as_ref().map(|file| file.path.as_path());
        Self {
            beta,
            scanner,
            paths: RepositoryPaths::new(beta, files, roots, rivals),
            plugins,
            fields,
            marketplace,
        }
    }

    /// The places of `text`, in source order.
    pub(super) fn find(&self, file: &SourceFile, text: &str) -> Vec<SkillMention> {
        let mut signs = SkillSigns::new(file, text);
        self.scanner
            .find_iter(text)
            .map(|found| {
                let span = Span::new(found.start(), found.end());
                let (old, new) = &self.beta.names[found.pattern().as_usize()];
                let verdict = self.verdict(file, text, span, old, &mut signs);
                SkillMention { span, new: new.clone(), verdict }
            })
            .collect()
    }

    fn verdict(
        &self,
        file: &SourceFile,
        text: &str,
        span: Span,
        name: &str,
        signs: &mut SkillSigns<'_>,
    ) -> MentionVerdict {
        let (before, after) = (&text[..span.start], &text[span.end..]);
        let mut next = after.chars();
        let (first, second) = (next.next(), next.next());
        let last = before.chars().next_back();
        if last.is_some_and(is_name_char) || first.is_some_and(is_name_char) {
            return MentionVerdict::Other;
        }
        if path::in_address(text, span) {
            return MentionVerdict::Leave("part of an address");
        }
        let own = self.beta.owns(&file.path);
        let ending = matches!(first, Some('.')) && second.is_some_and(is_spaced_letter);
        let part_of_more =
            matches!(first, Some(':')) && second.is_some_and(|c| is_spaced_letter(c) || c == ':');
        if ending {
            return MentionVerdict::Leave("a file name");
        }
        match last {
            Some(':') => return self.qualified(before, own, signs, span),
            _ if part_of_more => return MentionVerdict::Other,
            Some('.' | '@') => return MentionVerdict::Unsure("it may be the skill's name"),
            Some('/' | '\\') if !signs::is_slash_call(before) || matches!(first, Some('/' | '\\')) => {
                return self.path(file, text, span, name, own, signs.form);
            }
            _ if matches!(first, Some('/' | '\\')) => {
                return self.path(file, text, span, name, own, signs.form);
            }
            _ => {}
        }
        if own {
            return MentionVerdict::Name("its own name");
        }
        let here = self.plugins.iter().find(|(root, ..)| file.path.starts_with(root));
        if here.is_some_and(|(_, _, has)| *has) {
            return MentionVerdict::Other;
        }
        let several = self.plugins.iter().any(|(_, _, has)| *has);
        let in_plugin = here.is_some_and(|(root, ..)| !root.as_str().is_empty())
            || self.marketplace.is_some_and(|path| path == file.path)
            || file.path.file_name() == Some("plugcast.toml")
            || here.is_some() && signs.form == TextKind::Data;
        let named_by_field = self.fields.get(file.path.as_path()).is_some_and(|spans| {
            spans.iter().any(|field| field.start <= span.start && span.end <= field.end)
        });
        let plugin_too = self.plugins.iter().any(|(_, plugin, _)| *plugin == name);
        match signs.name(span, named_by_field, in_plugin) {
            MentionVerdict::Name(what) if plugin_too && what != signs::CALL => {
                MentionVerdict::Unsure("a plugin has this name too")
            }
            MentionVerdict::Name(_)
                if several && here.is_none_or(|(_, plugin, _)| *plugin != self.beta.plugin.name) =>
            {
                MentionVerdict::Unsure("several plugins have a skill with this name")
            }
            verdict => verdict,
        }
    }

    /// A name after a colon: `plugin:name`, `skill:name`.
    fn qualified(&self, before: &str, own: bool, signs: &mut SkillSigns<'_>, span: Span) -> MentionVerdict {
        let before = before.trim_end_matches(':');
        let owner = trailing_name(before, ".");
        if owner == self.beta.plugin.name {
            return MentionVerdict::Name("its qualified name");
        }
        let other = self.plugins.iter().any(|(_, name, _)| *name == owner);
        match owner {
            _ if other => MentionVerdict::Other,
            "skill" | "skills" | "Skill" => MentionVerdict::Name("a call"),
            _ if own && !signs.is_prose(span) => MentionVerdict::Name("its own name"),
            _ => MentionVerdict::Unsure("it may be the skill's name"),
        }
    }

    fn path(
        &self,
        file: &SourceFile,
        text: &str,
        span: Span,
        name: &str,
        own: bool,
        form: TextKind,
    ) -> MentionVerdict {
        let leads = self.paths.destination(&file.path, text, span, name);
        let settings = file.path.file_name() == Some("plugcast.toml");
        match leads {
            PathDestination::BetaFolder => MentionVerdict::Name("a path to its files"),
            PathDestination::OtherFolder => MentionVerdict::Other,
            PathDestination::Unknown if own => MentionVerdict::Name("a path in its own files"),
            PathDestination::Unknown if settings && form == TextKind::Data => {
                MentionVerdict::Name("its name in the configuration")
            }
            PathDestination::Unknown => MentionVerdict::Unsure("a path that may lead to the skill"),
        }
    }
}
