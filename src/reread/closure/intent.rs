//! Whether a path that leads nowhere was meant to lead to a file of the plugin. Most that do not are
//! examples, placeholders, or files that the text tells to make; a warning must be right.

use camino::Utf8Path;

use super::claims::Form;
use crate::read::markdown::{self, RegionKind};
use crate::source::Span;

/// Words before a path that tell to use a file that is there.
const USES: [&str; 22] = [
    "see",
    "read",
    "follow",
    "load",
    "run",
    "runs",
    "execute",
    "invoke",
    "consult",
    "open",
    "source",
    "according",
    "per",
    "python",
    "python3",
    "bash",
    "sh",
    "node",
    "bun",
    "deno",
    "ruby",
    "npx",
];

/// Words before a path that tell to make it, or that it stands for any.
const MAKES: [&str; 18] = [
    "create",
    "creates",
    "write",
    "writes",
    "save",
    "saves",
    "generate",
    "generates",
    "output",
    "outputs",
    "touch",
    "mkdir",
    "add",
    "e.g",
    "example",
    "like",
    "would",
    "your",
];

/// Names that stand for any file.
const STANDS: [&str; 14] = [
    "path", "your", "foo", "bar", "baz", "xxx", "example", "name", "file", "filename", "to", "my", "some",
    "script",
];

/// A path of a text, as the source says it.
pub(super) struct Case<'a> {
    /// The whole text.
    pub(super) text: &'a str,
    /// The path, with its variable.
    pub(super) span: Span,
    /// How it is written.
    pub(super) form: Form,
    /// The path.
    pub(super) path: &'a str,
}

impl Case<'_> {
    /// Whether a file of the plugin is meant. `folder` tells whether the folder is there that a path
    /// begins with, `elsewhere` whether a text near the path names another skill that has it.
    pub(super) fn meant(&self, folder: &dyn Fn(&str) -> bool, elsewhere: &dyn Fn(&str) -> bool) -> bool {
        // The cheapest question first: most paths that lead nowhere are none.
        let last = self.path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let file = last.contains('.') && !last.starts_with('.');
        let climbs = self.path.starts_with("../");
        if !(file || self.form == Form::Link && climbs && self.path.ends_with('/')) {
            return false;
        }
        let top = self.path.split('/').find(|part| !matches!(*part, "." | ".."));
        let there = top.is_some_and(folder);
        let says = |list: &[&str]| self.words_before().iter().any(|word| list.contains(&word.as_str()));
        let used = match self.form {
            Form::Link => climbs || there || (!self.path.contains('/') && says(&USES)),
            Form::Bare => there && says(&USES),
            _ => there,
        };
        let made = self.form != Form::Link && (says(&MAKES) || self.redirected());
        used && !made
            && !self.path.split('/').any(stands_for_any)
            && !elsewhere(self.near())
            && (self.form != Form::Link || self.is_link())
    }

    /// Whether Markdown takes it as a link: it is in no code.
    fn is_link(&self) -> bool {
        let regions = markdown::regions(self.text, Span::new(0, self.text.len()));
        markdown::region_at(&regions, self.span.start) == Some(RegionKind::Link)
    }

    /// The words on the same line before the path.
    fn words_before(&self) -> Vec<String> {
        let start = self.text[..self.span.start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[start..self.span.start].to_lowercase();
        let word = |c: char| !(c.is_alphanumeric() || c == '.' || c == '-');
        line.split(word)
            .map(|word| word.trim_matches('.').to_owned())
            .filter(|word| !word.is_empty())
            .collect()
    }

    /// Whether the output of a command goes there.
    fn redirected(&self) -> bool {
        let before = self.text[..self.span.start].trim_end_matches(['"', '\'', ' ']);
        before.ends_with('>') || before.ends_with("-o") || before.ends_with("--output")
    }

    /// The text around the path.
    fn near(&self) -> &str {
        let edge = |mut at: usize| {
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = edge(self.span.start.saturating_sub(200));
        &self.text[start..edge((self.span.end + 200).min(self.text.len()))]
    }
}

fn stands_for_any(part: &str) -> bool {
    let part = part.to_lowercase();
    let stem = part.split('.').next().unwrap_or_default();
    STANDS.contains(&stem)
        || ["your-", "my-", "example"].iter().any(|start| stem.starts_with(start))
        || stem.contains("xxx")
        || stem.contains("yyyy")
}

/// Whether a text lies among examples or templates: its paths are somebody else's.
pub(super) fn in_examples(path: &Utf8Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Utf8Path::components);
    folders.into_iter().any(|part| matches!(part.as_str(), "examples" | "example" | "templates" | "assets"))
}
