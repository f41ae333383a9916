//! READMEs: the plugins that they describe, and their tables and lists of components or plugins.

use std::sync::OnceLock;

use super::context::{PluginText, RuleContext};
use super::prose;
use crate::model::component::Component;
use crate::model::marketplace::EntrySource;
use crate::model::plugin::Plugin;
use crate::model::qualified_name::last_of;
use crate::read::markdown::{self, Heading};
use crate::source::{ComponentKind, Span};

/// The file name of a README, at every level.
const NAME: &str = "README.md";
/// Column heads that may stand above names if the heading of the table names their kind.
const NEUTRAL: [&str; 4] = ["", "name", "component", "id"];
/// A heading of more words does not just name the kind of the list below it.
const WORDS: usize = 5;

/// One README.
#[derive(Debug)]
pub struct Readme<'a> {
    /// Its text; for a README above all plugins, `plugin` is the first of them.
    pub text: PluginText<'a>,
    /// The plugins that it describes: the one that it belongs to, or all.
    pub plugins: Vec<&'a Plugin>,
    /// Whether it is above all plugins.
    pub above: bool,
    /// How many plugins of the marketplace are in other repositories.
    pub remote: usize,
    listings: OnceLock<Vec<ReadmeListing>>,
}

/// A table or a list whose rows name things of one kind.
#[derive(Debug)]
pub struct ReadmeListing {
    /// The kind of things listed, by its column head or the heading above it.
    pub of: ListedKind,
    /// Whether it is a table.
    pub table: bool,
    /// The cells of its head; empty for a list.
    pub head: Vec<Span>,
    /// Its rows.
    pub rows: Vec<ListedRow>,
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedKind {
    /// Skills, agents or commands.
    Components(ComponentKind),
    /// Plugins.
    Plugins,
}

/// A row.
#[derive(Debug)]
pub struct ListedRow {
    /// The span of the row.
    pub span: Span,
    /// Its cells.
    pub cells: Vec<Span>,
    /// The name in the row, if it has one.
    pub name: Option<ListedName>,
}

/// A name in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedName {
    /// Its bytes, without marks.
    pub span: Span,
    /// Whether markup, such as backticks, identifies it as a name.
    pub marked: bool,
}

/// The README of every plugin.
pub(super) fn of_plugins<'a>(context: &RuleContext<'a>) -> Vec<Readme<'a>> {
    let project = context.project;
    let own = project.plugins.iter().filter_map(|plugin| {
        let path = plugin.files.kept.iter().find(|path| plugin.relative_path(path) == NAME)?;
        let text = context.text(plugin, project.tree.get(path)?, None)?;
        Some(Readme { text, plugins: vec![plugin], above: false, remote: 0, listings: OnceLock::new() })
    });
    own.collect()
}

/// The README above all plugins, if it was read.
pub(super) fn root_readme<'a>(context: &RuleContext<'a>) -> Option<Readme<'a>> {
    let project = context.project;
    let plugins: Vec<&Plugin> = project.plugins.iter().filter(|plugin| !plugin.is_check_only).collect();
    let first = project.plugins.first()?;
    let text = context.text(first, project.readme.as_ref()?, None)?;
    let entries = project.marketplace.iter().flat_map(|listing| &listing.entries);
    let remote = entries.filter(|entry| matches!(entry.source, EntrySource::Remote(_))).count();
    Some(Readme { text, plugins, above: true, remote, listings: OnceLock::new() })
}

impl<'a> Readme<'a> {
    /// The headings above a place, nearest first.
    pub fn headings(&self, at: usize) -> Vec<&Heading> {
        let mut level = u8::MAX;
        let mut out = Vec::new();
        for heading in self.text.outline().headings.iter().rev().filter(|one| one.span.start <= at) {
            if heading.level < level {
                level = heading.level;
                out.push(heading);
            }
        }
        out
    }

    /// The plugins that `words` mention.
    pub fn mentioned_plugins(&self, words: &str) -> Vec<&'a Plugin> {
        let is_said =
            |plugin: &&&'a Plugin| prose::word_spans(words, &plugin.name.to_lowercase()).next().is_some();
        self.plugins.iter().filter(is_said).copied().collect()
    }

    /// The tables and lists of components or plugins, in source order.
    pub fn listings(&self) -> &[ReadmeListing] {
        self.listings.get_or_init(|| {
            let all = markdown::rows(self.text.text, self.text.body);
            all.into_iter().filter_map(|rows| self.listing(rows)).collect()
        })
    }

    fn listing(&self, found: markdown::ListBlock) -> Option<ReadmeListing> {
        let text = self.text.text;
        let table = !found.head.is_empty();
        let above =
            || self.headings(found.span.start).into_iter().find_map(|heading| of_heading(&heading.text));
        let heads: Vec<String> = found.head.iter().map(|cell| plain_cell(cell.slice(text))).collect();
        let column = heads.iter().position(|head| of_head(head).is_some());
        let (of, column) = match column {
            Some(column) => (of_head(&heads[column])?, column),
            None if heads.first().is_none_or(|head| NEUTRAL.contains(&head.as_str())) => (above()?, 0),
            None => return None,
        };
        let row = |row: markdown::ListRow| {
            let name = row.cells.get(column).and_then(|cell| name(text, *cell, table));
            ListedRow { span: row.span, cells: row.cells, name }
        };
        let rows = found.rows.into_iter().map(row).collect();
        Some(ReadmeListing { of, table, head: found.head, rows })
    }
}

/// Whether `name`, as written in a text, refers to `component`.
pub fn is(component: &Component, name: &str) -> bool {
    let bare = name.strip_prefix(component.plugin()).and_then(|rest| rest.strip_prefix(':')).unwrap_or(name);
    component.name == bare
        || last_of(&component.name) == bare
        || component.alias().is_some_and(|alias| alias == bare)
}

/// The kind that the head of a column names.
fn of_head(head: &str) -> Option<ListedKind> {
    Some(match head {
        "skill" | "skills" | "skill name" => ListedKind::Components(ComponentKind::Skill),
        "agent" | "agents" | "subagent" | "subagents" | "agent name" => {
            ListedKind::Components(ComponentKind::Agent)
        }
        "command" | "commands" | "slash command" | "slash commands" => {
            ListedKind::Components(ComponentKind::Command)
        }
        "plugin" | "plugins" | "plugin name" => ListedKind::Plugins,
        _ => return None,
    })
}

/// The kind that a heading names: it has to be a single plural.
fn of_heading(heading: &str) -> Option<ListedKind> {
    let lower = heading.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let mut plurals = words.iter().filter(|word| word.ends_with('s')).filter_map(|word| of_head(word));
    let first = plurals.next().filter(|_| words.len() <= WORDS)?;
    plurals.next().is_none().then_some(first)
}

/// A cell without marks, in lower case.
fn plain_cell(cell: &str) -> String {
    let bare: String = cell.chars().filter(|c| !"*_`#".contains(*c)).collect();
    bare.trim().to_lowercase()
}

/// The name at the start of a cell or an item. Without markup it must be the whole cell of a table.
fn name(text: &str, cell: Span, table: bool) -> Option<ListedName> {
    let words = cell.slice(text).trim_end();
    let mut rest = words.trim_start();
    let mut marked = false;
    let mut link = false;
    let mut bold = false;
    loop {
        let opened = rest.trim_start_matches(['*', '_']);
        bold |= opened.len() < rest.len();
        rest = opened;
        if let Some(inner) = rest.strip_prefix('[').filter(|_| !link) {
            (rest, link) = (inner, true);
        } else if let Some(inner) = rest.strip_prefix('`') {
            (rest, marked) = (inner.trim_start_matches('`'), true);
            break;
        } else {
            break;
        }
    }
    let start = cell.start + words.len() - rest.len();
    // In code a star is not markup: `ce-*` means several names.
    let stops = if marked { "`]|<(," } else { "`]*|<(," };
    let end = rest.find(|c: char| c.is_whitespace() || stops.contains(c)).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    if !marked {
        // Several words are a title, not a name.
        let closed = match (link, bold) {
            (true, _) => after.starts_with(']') || after.starts_with('*'),
            (_, true) => after.starts_with('*'),
            _ => after.is_empty() && table || word.starts_with('/'),
        };
        if !closed {
            return None;
        }
    }
    let bare = word.trim_start_matches(['/', '@', '$']);
    marked |= link || bold || bare.len() < word.len();
    let start = start + word.len() - bare.len();
    let bare = bare.trim_end_matches([':', '.', ',']);
    let is_name = bare.chars().all(|c| c.is_alphanumeric() || "-_:".contains(c))
        && bare.chars().any(char::is_alphabetic)
        && !bare.starts_with('-');
    is_name.then(|| ListedName { span: Span::new(start, start + bare.len()), marked })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_a_cell_begins_with() {
        let of = |cell: &str| {
            name(cell, Span::new(0, cell.len()), true)
                .map(|name| (name.span.slice(cell).to_owned(), name.marked))
        };
        for (cell, wanted, marked) in [
            ("`plan`", "plan", true),
            (" `/demo:plan <what>` ", "demo:plan", true),
            ("[`/plan`](docs/plan.md)", "plan", true),
            ("**[plan](skills/plan)**", "plan", true),
            ("**plan** - plans", "plan", true),
            ("/plan", "plan", true),
            ("plan", "plan", false),
        ] {
            assert_eq!(of(cell), Some((wanted.to_owned(), marked)), "{cell}");
        }
        for cell in [
            "",
            "Plan it",
            "**Plan the work**",
            "`--fix`",
            "`skills/plan`",
            "`a.md`",
            "`ce-*`",
            "~~`plan`~~",
            "3",
        ] {
            assert_eq!(of(cell), None, "{cell}");
        }
    }

    #[test]
    fn headings_say_what_is_listed() {
        assert_eq!(of_heading("Skills (3)"), Some(ListedKind::Components(ComponentKind::Skill)));
        assert_eq!(
            of_heading("Available slash commands"),
            Some(ListedKind::Components(ComponentKind::Command))
        );
        assert_eq!(of_heading("The plugins"), Some(ListedKind::Plugins));
        for heading in ["Skills and agents", "Add a skill", "What to know about the skills of this plugin"] {
            assert_eq!(of_heading(heading), None, "{heading}");
        }
    }
}
