//! Finds scripts that read files of the plugin that move on the host. A script is not edited, since only its author
//! knows what it does with the file; its row tells which file it will not find.

use std::borrow::Cow;
use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use super::context::LoweringContext;
use super::paths::file_at;
use crate::model::paths::join;
use crate::read::path_words::is_path_char;
use crate::source::{SourceFile, script_kind_of};

/// Names by which scripts refer to their own folder.
const OWN_FOLDER: [&str; 5] = ["dirname", "__file__", "import.meta", "BASH_SOURCE", "BASEDIR"];

/// How many bytes before a path are searched for its base folder: a script may be a single long line.
const SEARCHED_BYTES: usize = 200;

/// Why the script `file` will not find a file that it reads, if so; names the first such file in its text.
pub(super) fn missed(context: &LoweringContext<'_>, file: &SourceFile) -> Option<String> {
    if !context.places.moved && context.plugin.manifest.is_none() {
        return None;
    }
    let text = file.text().filter(|text| is_script(file, text))?;
    let here = file.path.parent().unwrap_or(Utf8Path::new(""));
    let root = &context.plugin.root;
    let words = Words::new(text, &context.source.plugin_root);
    let (path, placed) = words.paths().find_map(|(base, path)| {
        let target = join(if base == PathBase::Root { root } else { here }, path.as_str())?;
        let placed = file_at(context, &target)?;
        let inner = context.plugin.relative_path(&target);
        let also = context.places.extra_paths.get(&target).is_some_and(|also| also == inner);
        (placed != inner && !also).then(|| (inner.to_owned(), placed.to_owned()))
    })?;
    Some(format!("it reads `{path}`, which is `{placed}` on the host"))
}

fn is_script(file: &SourceFile, text: &str) -> bool {
    text.starts_with("#!") || script_kind_of(&file.path).is_some()
}

/// The folder that a path in a script is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathBase {
    /// The plugin's folder.
    Root,
    /// The script's own folder.
    ScriptFolder,
}

/// The words of a script that may be paths.
struct Words<'a> {
    text: &'a str,
    root_variable: &'a str,
    /// Variables that are set from the root variable.
    same: BTreeSet<&'a str>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str, root_variable: &'a str) -> Self {
        let is_named = memmem::find(text.as_bytes(), root_variable.as_bytes()).is_some();
        let set = if is_named { text } else { "" }
            .lines()
            .filter(|line| line.contains(root_variable))
            .filter_map(|line| {
                let (left, value) = line.split_once('=')?;
                let left = left.trim_end();
                let name = &left[left.trim_end_matches(is_of_name).len()..];
                (value.contains(root_variable) && !name.is_empty()).then_some(name)
            });
        Self { text, root_variable, same: set.collect() }
    }

    /// The paths after the variable of the plugin's folder, or after one that is set from it, and those that leave the
    /// script's own folder.
    fn paths(&self) -> impl Iterator<Item = (PathBase, Utf8PathBuf)> + '_ {
        // Most scripts name neither, and their lines need not be taken apart.
        let has = |word: &str| memmem::find(self.text.as_bytes(), word.as_bytes()).is_some();
        let (leaves, root) = (has(".."), has(self.root_variable));
        let text = if leaves || root { self.text } else { "" };
        let names_root = move |line: &str| {
            root && (line.contains(self.root_variable) || self.same.iter().any(|name| line.contains(name)))
        };
        let lines = text.lines().filter(move |line| leaves && line.contains("..") || names_root(line));
        lines.filter(|line| line.contains('.')).flat_map(move |line| self.paths_in_line(line))
    }

    fn paths_in_line(&self, line: &'a str) -> Vec<(PathBase, Utf8PathBuf)> {
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(start) = line[at..].find(is_path_char).map(|found| at + found) {
            let length = line[start..].find(|c| !is_path_char(c)).unwrap_or(line.len() - start);
            let near = line.floor_char_boundary(start.saturating_sub(SEARCHED_BYTES));
            let (word, before) = (&line[start..start + length], &line[near..start]);
            at = start + length;
            // `join(ROOT, "commands", "plan.md")` and `ROOT / "commands" / "plan.md"`
            let mut path = Cow::Borrowed(word);
            while let Some((next, end)) = next_part(line, at) {
                path = format!("{}/{next}", path.trim_end_matches('/')).into();
                at = end;
            }
            // `$ROOT/commands/plan.md`
            let parts = path.split_once('/').filter(|_| before.ends_with('$'));
            let base = match parts {
                Some((_, rest)) if rest.starts_with("..") => Some(PathBase::ScriptFolder),
                Some((name, _)) => self.is_root(name).then_some(PathBase::Root),
                None => self.base(before, &path),
            };
            let path = parts.map_or(&*path, |(_, rest)| rest).trim_start_matches('/');
            out.extend(base.map(|base| (base, path.into())));
        }
        out
    }

    /// The folder that `path` is relative to, judged by the text before it on its line.
    fn base(&self, before: &str, path: &str) -> Option<PathBase> {
        if path.trim_start_matches('/').starts_with("..") {
            let own = path.starts_with('/') || OWN_FOLDER.iter().any(|name| before.contains(name));
            return own.then_some(PathBase::ScriptFolder);
        }
        let name = before.trim_end_matches(['"', '\'', '`', '/', ',', '+', ' ', '}', ')', ']']);
        let start = name.trim_end_matches(is_of_name).len();
        let is_apart = before.len() > name.len();
        (path.contains('/') && is_apart && self.is_root(&name[start..])).then_some(PathBase::Root)
    }

    /// Whether the variable `name` holds the plugin's folder.
    fn is_root(&self, name: &str) -> bool {
        name == self.root_variable || self.same.contains(name)
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The quoted part of a path that follows the part ending at `at`, and its end.
fn next_part(line: &str, at: usize) -> Option<(&str, usize)> {
    let quote = line[at..].chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let rest = line[at + 1..].trim_start();
    let rest = rest.strip_prefix([',', '/'])?.trim_start().strip_prefix(quote)?;
    let end = rest.find(|c| !is_path_char(c)).unwrap_or(rest.len());
    (end > 0 && rest[end..].starts_with(quote)).then(|| (&rest[..end], line.len() - rest.len() + end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::is_markdown;

    fn paths(text: &str) -> Vec<(PathBase, String)> {
        let words = Words::new(text, "ROOT_OF_ALL");
        let found = words.paths().map(|(base, path)| (base, path.into_string()));
        found.filter(|(_, path)| is_markdown(path)).collect()
    }

    #[test]
    fn paths_of_a_script_count_from_the_folders_that_it_names() {
        for (text, base, path) in [
            ("cat \"${ROOT_OF_ALL}/a/b.md\"", PathBase::Root, "a/b.md"),
            ("cat $ROOT_OF_ALL/a/b.md", PathBase::Root, "a/b.md"),
            ("cat \"$ROOT_OF_ALL\"/a/b.md", PathBase::Root, "a/b.md"),
            ("R=\"${ROOT_OF_ALL:-.}\"\ncat \"$R/a/b.md\"", PathBase::Root, "a/b.md"),
            ("const r = process.env.ROOT_OF_ALL;\njoin(r, 'a', 'b.md')", PathBase::Root, "a/b.md"),
            ("join(process.env.ROOT_OF_ALL, \"a\", \"b.md\")", PathBase::Root, "a/b.md"),
            ("os.environ['ROOT_OF_ALL'] + '/a/b.md'", PathBase::Root, "a/b.md"),
            ("cat \"$(dirname \"$0\")/../a/b.md\"", PathBase::ScriptFolder, "../a/b.md"),
            ("join(__dirname, '..', 'a', 'b.md')", PathBase::ScriptFolder, "../a/b.md"),
        ] {
            assert_eq!(paths(text), [(base, path.to_owned())], "{text}");
        }
        for text in ["cat a/b.md", "cat \"$PROJECT/a/b.md\"", "cat ../a/b.md", "§ROOT_OF_ALL: “see — a/b.md”"]
        {
            assert!(paths(text).is_empty(), "{text}");
        }
    }
}
