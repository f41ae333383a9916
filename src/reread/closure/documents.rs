//! Documents that hosts read: manifests, hooks, servers, the data of a module, marketplaces. Every string in them that
//! names a file of the plugin, in a form that the host resolves, is a claim.

use camino::{Utf8Path, Utf8PathBuf};

use super::claims::{ClaimForm, ClaimScanner};
use super::names::BundleNames;
use super::verdict::ClosureJudge;
use super::{EmittedFile, FileContext};
use crate::ledger::LedgerRow;
use crate::model::paths::{is_plain, join};
use crate::read::path_words::ends_in_command;
use crate::read::tree::{Node, Value};
use crate::read::{json, yaml};
use crate::source::{ComponentKind, Span, is_inside, line_start};

/// Keys whose values are run and not looked up: a path in them is relative to the program's working directory.
const RUN: [&str; 2] = ["command", "args"];

/// Checks a file outside the plugins: the marketplace, or an agent to install.
pub(super) fn check_adjacent(
    judge: &mut ClosureJudge<'_>,
    offered: &BundleNames,
    scanner: &ClaimScanner,
    file: &EmittedFile<'_>,
) {
    let Some(text) = file.text else { return };
    let target = judge.target;
    if target.marketplace.as_ref().is_some_and(|facts| file.path == facts.path) {
        let list = target.marketplace.as_ref().map_or("", |facts| &facts.list);
        let node = json::parse(text).0;
        for entry in node.iter().filter_map(|node| node.get(list)?.items()).flatten() {
            let source = entry.get("source");
            let path = source.and_then(|source| source.as_str().or_else(|| source.get("path")?.as_str()));
            let local = path.filter(|path| path.starts_with("./"));
            if let Some(path) = local
                && !join(Utf8Path::new(""), path).is_some_and(|path| judge.index.contains(&path))
            {
                judge.fault_in(
                    file.path,
                    format!("`{}` lists `{path}`, which the bundle does not contain", file.path),
                );
            }
        }
    } else if reads_beside(file.path) {
        let Some(table) = table(text) else {
            return judge.fault_in(file.path, format!("`{}` is not valid TOML", file.path));
        };
        match table.get("name").and_then(|name| name.as_str()) {
            Some(name) if !offered.contains(name) => {
                judge.fault_in(
                    file.path,
                    format!("`{}` defines `{name}`, which the bundle does not contain", file.path),
                );
            }
            Some(name) => installed(judge, scanner, file.path, text, name),
            None => {}
        }
    }
}

/// The values of a TOML document; `None` if it is not valid. A long literal string is left empty: parsers look at each
/// of its characters several times, and one search tells that it is valid.
fn table(text: &str) -> Option<toml::Table> {
    let short = split_literal(text).and_then(|(before, key, after)| {
        // A key after a complete document is not part of another string.
        before.parse::<toml::Table>().ok()?;
        format!("{before}{key} = ''{after}").parse().ok()
    });
    short.or_else(|| text.parse().ok())
}

/// What is before the first key with a literal string of several lines, the key, and what is after the string; `None`
/// if the string might not be valid, or is the name.
fn split_literal(text: &str) -> Option<(&str, &str, &str)> {
    const OPENING: &str = " = '''\n";
    let (ahead, rest) = text.split_once(OPENING)?;
    let (value, after) = rest.split_once("'''")?;
    let (before, key) = ahead.split_at(line_start(ahead, ahead.len()));
    let is_bare = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    // Without an early exit the loop is vectorized.
    let is_plain =
        value.bytes().fold(true, |all, byte| all & (byte >= b' ' || byte == b'\t' || byte == b'\n'));
    let is_valid = is_bare && is_plain && memchr::memchr(0x7f, value.as_bytes()).is_none();
    (is_valid && !key.is_empty() && key != "name" && !after.starts_with('\'')).then_some((before, key, after))
}

/// Whether the closure check reads the file at `path` as a TOML document outside the plugins and reports invalid TOML,
/// so that no other check has to parse it.
pub fn reads_beside(path: &Utf8Path) -> bool {
    path.extension() == Some("toml") && !path.starts_with("plugins")
}

/// Checks the text of an agent to install. It is the text of the agent's own file, so its paths into the plugin are
/// only usable if it says which file they are relative to. Whether they resolve from there is checked in that file.
fn installed(judge: &mut ClosureJudge<'_>, scanner: &ClaimScanner, path: &Utf8Path, text: &str, name: &str) {
    let is_own = |row: &&LedgerRow| row.kind == ComponentKind::Agent && row.name == name;
    let Some(own) = judge.ledger.rows.iter().find(is_own).and_then(|row| row.to.as_deref()) else { return };
    let own = Utf8Path::new(own);
    let root: Utf8PathBuf = own.components().take(2).collect();
    let inner = own.strip_prefix(&root).unwrap_or(own);
    let folder = own.parent().unwrap_or(Utf8Path::new(""));
    // A folder that contains the agent's own file, as in `go build ./...`, is a working directory.
    let leads = |written: &str| {
        let target = join(folder, written);
        target.is_some_and(|target| {
            is_inside(target.as_str(), root.as_str())
                && !is_inside(folder.as_str(), target.as_str())
                && judge.index.contains(&target)
        })
    };
    let mut first = None;
    scanner.find(text, &mut |claim| {
        if first.is_none() && matches!(claim.form, ClaimForm::Bare | ClaimForm::Link) && leads(claim.written)
        {
            first = Some(claim.written);
        }
    });
    if let Some(written) = first.filter(|_| !text.contains(&format!("`{inner}`"))) {
        let message =
            format!("`{path}` names `{written}`, but does not say which file that path is relative to");
        judge.fault_in(path, message);
    }
}

/// Checks one document of a plugin.
pub(super) fn check(judge: &mut ClosureJudge<'_>, place: &FileContext<'_>) {
    let path = place.file.path;
    let Ok(inner) = path.strip_prefix(place.root()) else { return };
    let (target, source) = (judge.target, judge.source);
    let is_sidecar =
        target.invocation.sidecar_path.as_deref().is_some_and(|sidecar| inner.ends_with(sidecar));
    if is_sidecar && place.owner.is_some() {
        let node = yaml::parse(place.text, Span::new(0, place.text.len())).0;
        let folder = place.skill_folder().and_then(|folder| folder.strip_prefix(place.root()).ok());
        let mut found = Vec::new();
        node.iter().for_each(|node| {
            texts(node, "", false, &mut |node, text, _, _| found.push((node.span, text.to_owned())))
        });
        for (span, text) in found.into_iter().filter(|(_, text)| text.starts_with("./") && is_plain(text)) {
            let inner = folder.unwrap_or(Utf8Path::new("")).join(text.trim_start_matches("./"));
            judge.declared(place, span, inner.as_str());
        }
        return;
    }
    if path.extension() != Some("json") {
        return;
    }
    let manifest = inner == target.manifest.path;
    let data = target.registration.as_ref().is_some_and(|facts| inner == facts.data);
    let variable = format!("${{{}}}", source.plugin_root);
    let listed = source.components.contains_key(inner.as_str());
    let runs =
        target.servers.iter().chain(&target.language_servers).filter_map(|facts| facts.path.as_deref());
    let runs =
        runs.chain(target.hooks.as_ref().and_then(|facts| facts.path.as_deref())).any(|path| inner == path);
    if !(manifest || data || listed || runs || judge.lookup.is_named(place.plugin, inner)) {
        return;
    }
    let Some(node) = json::parse(place.text).0 else { return };
    super::variables::check(judge, place, inner, data, &node);
    let read =
        |key: &str| !manifest || target.manifest.passthrough || target.manifest.document.contains_key(key);
    let mut claims: Vec<(Span, String, bool)> = Vec::new();
    // These name components; a missing one was already reported when the source was read.
    let told = |key: &str| manifest && ["skills", "agents", "commands"].contains(&key);
    for entry in node.entries().iter().filter(|entry| read(&entry.key) && !told(&entry.key)) {
        texts(&entry.node, &entry.key, false, &mut |node, text, key, here| {
            let run = RUN.contains(&key);
            let file = data && matches!(key, "file" | "skill_folders");
            let relative = (manifest || data || run) && text.starts_with("./") && (!run || here);
            if file || relative {
                let called = run && key == "command";
                // In a command, the first word is the path; any other value is a path as a whole, which may have
                // spaces.
                let path = if run { text.split_whitespace().next().unwrap_or(text) } else { text };
                let path = path.trim_start_matches("./");
                if file || is_plain(path) {
                    claims.push((node.span, path.to_owned(), called));
                }
            }
            for (at, path) in paths_after_variable(text, &variable) {
                claims.push((node.span, path.to_owned(), key == "command" && at <= 1));
            }
        });
    }
    for (span, path, called) in claims {
        let executable = judge.index.executable(&place.root().join(&path));
        if called && executable == Some(false) {
            judge.not_executable(place, span, &path);
        } else {
            if called && executable == Some(true) {
                judge.report_missing_shebang(place, span, &path);
            }
            judge.declared(place, span, &path);
        }
    }
}

/// Calls `each` with every string below `node`, its key, and whether the program that it belongs to starts in the
/// plugin's folder.
pub(super) fn texts(node: &Node, key: &str, here: bool, each: &mut dyn FnMut(&Node, &str, &str, bool)) {
    match &node.value {
        Value::String(text) => each(node, text, key, here),
        // If a command is a list, only its first item is the program.
        Value::List(items) => items.iter().enumerate().for_each(|(at, item)| {
            let key = if at > 0 && key == RUN[0] { RUN[1] } else { key };
            texts(item, key, here, each);
        }),
        Value::Map(entries) => {
            let here = node.get("cwd").and_then(Node::as_str).is_some_and(|cwd| matches!(cwd, "." | "./"));
            entries.iter().for_each(|entry| texts(&entry.node, &entry.key, here, each));
        }
        _ => {}
    }
}

/// Paths after `variable` in a command or value, each with the offset of the variable.
fn paths_after_variable<'t>(text: &'t str, variable: &str) -> Vec<(usize, &'t str)> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices(variable) {
        let rest = text[at + variable.len()..].trim_start_matches(['"', '\'']);
        let Some(rest) = rest.strip_prefix('/') else { continue };
        // The start of another variable is not part of a path.
        let ends = |c| ends_in_command(c) || c == '$';
        let end = rest.find(ends).unwrap_or(rest.len());
        if rest[end..].starts_with('$') {
            continue;
        }
        if is_plain(&rest[..end]) {
            out.push((at, &rest[..end]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_literal_string_is_skipped_where_it_is_valid() {
        let agent = "name = \"a\"\ntext = '''\none\n\ttwo '' é\n'''\n\n[more]\nn = 1\n";
        let read = table(agent).unwrap();
        assert_eq!((read["name"].as_str(), read["text"].as_str()), (Some("a"), Some("")));
        assert_eq!(read["more"]["n"].as_integer(), Some(1));
        for text in [
            agent,
            "name = '''\na'''\n",
            "text = '''\na\r\nb'''\nname = \"a\"\n",
            "text = '''\na''''\nname = \"a\"\n",
            "name = \"a = '''\"\n",
            "x = \"\"\"\nname = '''\n\"\"\"\nname = \"a\"\nb = \"'''\"\n",
            "name = \"a\"\ntext = '''\na\u{1}'''\n",
            "name = \"a\"\ntext = '''\na\u{7f}'''\n",
            "name = \"a\"\ntext = '''\na\rb'''\n",
            "name = \"a\"\ntext = '''\na'''\ntext = 1\n",
            "name = \"a\"\ntext = '''\na''' rest\n",
            "name = \"a\"\ntext = '''\na''''''\n",
            "name = \"a\"\ntext = '''\na\n",
            "name = \"a\"\nx\ntext = '''\na'''\n",
            "[x]\ny = [\ntext = '''\na'''\n]\n",
        ] {
            let whole: Option<toml::Table> = text.parse().ok();
            let name = |table: &toml::Table| table.get("name").cloned();
            assert_eq!(table(text).as_ref().map(name), whole.as_ref().map(name), "{text:?}");
        }
    }
}
