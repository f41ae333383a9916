//! The paths that a text mentions: in backticks, in shell blocks and in running text, and anywhere after the variable of
//! the plugin's or a skill's folder. Links are not mentions; they are in the outline.

use std::sync::OnceLock;

use memchr::memmem;

use super::context::{PluginText, RuleContext};
use super::path_parts::PathParts;
use super::paths::{self, PathTarget};
use super::rules::SKILL_BOUNDARY;
use super::snippet::may_be_shell;
use super::working_folder::FolderChanges;
use crate::model::paths::is_plain;
use crate::read::markdown::{self, RegionKind};
use crate::read::path_words::{
    is_continued, leading_path, without_lines, without_marks, word_end, word_start,
};
use crate::source::Span;

/// One path that a text mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMention {
    /// The span, including the variable.
    pub span: Span,
    /// How it is written.
    pub form: PathForm,
    /// The path, without the variable.
    pub path: String,
    leads: OnceLock<PathTarget>,
}

impl PathMention {
    fn new(span: Span, form: PathForm, path: &str) -> Self {
        Self { span, form, path: path.to_owned(), leads: OnceLock::new() }
    }

    /// Its target, as seen from the containing `text`; looked up once.
    pub fn target(&self, context: &RuleContext<'_>, text: &PluginText<'_>) -> &PathTarget {
        self.leads.get_or_init(|| paths::mentioned(context, text, self))
    }
}

/// How a path is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathForm {
    /// In backticks.
    Code,
    /// In a shell block.
    Block,
    /// In running text.
    Prose,
    /// After the variable of the plugin's folder.
    Root,
    /// After the variable of a skill's folder.
    Skill,
}

/// The prefix of the path of a skill's own script.
pub const SCRIPTS: &str = "scripts/";

/// The prefix of the path of a document that a skill reads when it needs it.
pub const REFERENCES: &str = "references/";

/// All mentions of `text`, in source order. A path without a variable is left out if nothing in the source has the name
/// of its first folder: such a path is not meant to be part of the plugin. If every such path targets a file of the
/// component, all of them are left out: no rule reports them, and the Markdown is not parsed.
pub fn find(context: &RuleContext<'_>, text: &PluginText<'_>) -> Vec<PathMention> {
    let (source, parts) = (context.targets.source(), context.paths().parts(text));
    let mut out = Vec::new();
    if memmem::find(text.body.slice(text.text).as_bytes(), b"${").is_some() {
        for (variable, form) in
            [(&source.plugin_root, PathForm::Root), (&source.skill_folder, PathForm::Skill)]
        {
            after_variable(text, &format!("${{{variable}}}"), form, &mut out);
        }
    }
    // All paths occur in the raw text, so most texts need no search for their code.
    let mut anywhere = Vec::new();
    words(text, text.body, PathForm::Prose, parts, &mut anywhere);
    anywhere.retain(|mention| is_reportable(context, text, mention));
    if anywhere.is_empty() {
        out.sort_by_key(|mention| mention.span);
        return out;
    }
    let outline = text.outline();
    for region in outline.regions.iter().filter(|region| region.kind == RegionKind::CodeSpan) {
        words_here(context, text, without_backticks(text, region.span), PathForm::Code, parts, &mut out);
    }
    for block in &outline.blocks {
        if block.info.as_deref().is_some_and(may_be_shell) {
            words_here(context, text, block.span, PathForm::Block, parts, &mut out);
        }
    }
    let is_prose = |mention: &PathMention| {
        let region = markdown::region_at(&outline.regions, mention.span.start);
        matches!(region, None | Some(RegionKind::Heading))
    };
    out.extend(anywhere.into_iter().filter(is_prose));
    out.sort_by_key(|mention| mention.span);
    out
}

/// Whether a rule may report a path without a variable: not if it targets a file of the component, nor if it is relative
/// to the user's working directory, except for scripts of a skill.
fn is_reportable(context: &RuleContext<'_>, text: &PluginText<'_>, mention: &PathMention) -> bool {
    match mention.target(context, text) {
        PathTarget::Inside { .. } => false,
        PathTarget::Outside(_) => context.settings.is_enabled(&SKILL_BOUNDARY),
        PathTarget::Missing(_) => {
            mention.path.strip_prefix("./").is_none_or(|path| path.starts_with(SCRIPTS))
        }
        _ => true,
    }
}

/// Inline code without its backticks.
fn without_backticks(text: &PluginText<'_>, span: Span) -> Span {
    let code = span.slice(text.text);
    let ticks = code.len() - code.trim_start_matches('`').len();
    Span::new(span.start + ticks, (span.end - ticks.min(code.len() - ticks)).max(span.start + ticks))
}

/// Paths after `variable`, in prose and code.
fn after_variable(text: &PluginText<'_>, variable: &str, form: PathForm, out: &mut Vec<PathMention>) {
    for at in memmem::find_iter(text.body.slice(text.text).as_bytes(), variable) {
        let start = text.body.start + at;
        let rest = &text.text[start + variable.len()..text.body.end];
        // `"${ROOT}"/path` is the same path.
        let lead = usize::from(rest.starts_with("\"/") || rest.starts_with("'/"));
        let Some(path) = rest[lead..].strip_prefix('/') else { continue };
        // With another variable in the same word, the path is unknown.
        let written = leading_path(path);
        let cut = is_continued(&path[written.len()..]);
        if !cut && is_plain(written) {
            let span = Span::new(start, start + variable.len() + lead + 1 + written.len());
            out.push(PathMention::new(span, form, written));
        }
    }
}

/// The same as [`words`], without those in commands that run outside of the plugin.
fn words_here(
    context: &RuleContext<'_>,
    text: &PluginText<'_>,
    part: Span,
    form: PathForm,
    parts: Option<&PathParts<'_>>,
    out: &mut Vec<PathMention>,
) {
    let before = out.len();
    words(text, part, form, parts, out);
    if out.len() > before {
        let changes = FolderChanges::find(context, text, part.slice(text.text));
        let all = out.split_off(before);
        out.extend(all.into_iter().filter(|mention| !changes.is_outside(mention.span.start - part.start)));
    }
}

/// Relative paths with a folder among the words of `part`.
fn words(
    text: &PluginText<'_>,
    part: Span,
    form: PathForm,
    parts: Option<&PathParts<'_>>,
    out: &mut Vec<PathMention>,
) {
    let code = part.slice(text.text);
    let mut done = 0;
    for slash in memchr::memchr_iter(b'/', code.as_bytes()) {
        if slash < done {
            continue;
        }
        let (mut start, mut end) = (word_start(code, 0, slash), word_end(code, slash));
        done = end;
        if form == PathForm::Prose {
            // Asterisks around running text emphasize it.
            let bare = code[start..end].trim_matches('*');
            start = end - code[start..end].trim_start_matches('*').len();
            end = start + bare.len();
        }
        // A backslash next to it means a Windows path or a line continuation.
        if code[..start].ends_with('\\') || code[end..].starts_with('\\') {
            continue;
        }
        // The author may have forgotten to add a missing folder of scripts or documents.
        let word = &code[start..end];
        let is_own = || [SCRIPTS, REFERENCES].iter().any(|folder| word.starts_with(folder));
        if parts.is_some_and(|parts| !parts.may_hold(word)) && !is_own() {
            continue;
        }
        let word = without_lines(without_marks(word));
        let climbs = word.starts_with("../") || word.starts_with("./");
        let named = word.starts_with(|c: char| c.is_alphanumeric() || c == '_') || climbs;
        let file = word.rsplit('/').next().is_some_and(|last| last.contains('.') && !last.starts_with('.'));
        // A program may have no extension.
        let program = word.starts_with(SCRIPTS) && !word.ends_with('/');
        if named && (file || program || word.starts_with("../")) && is_plain(word) {
            let span = Span::new(part.start + start, part.start + start + word.len());
            out.push(PathMention::new(span, form, word));
        }
    }
}
