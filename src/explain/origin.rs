//! The origin of a line of a generated document: the ledger's row of its field, component, hook or server, found by
//! what the target writes at that position.

mod components;

use std::path::Path;

use camino::Utf8Path;
use toml::Value as Toml;

use super::LineOrigin;
use crate::disk;
use crate::ledger::{ComponentKind, Ledger, LedgerRow};
use crate::model::qualified_name::{last_of, local_of};
use crate::read::json;
use crate::read::pointer::{JsonPointer, contains, keys};
use crate::read::tree::{Node, Value};
use crate::source::LineIndex;
use crate::sourcemap::SourceMap;
use crate::target::Target;

/// The documents of a bundle.
pub(super) struct BundleDocuments<'a> {
    /// Its folder.
    pub(super) folder: &'a Path,
    /// The host, if its target is known.
    pub(super) target: Option<&'a Target>,
    /// Its ledger.
    pub(super) ledger: &'a Ledger,
    /// Its source map.
    pub(super) map: &'a SourceMap,
}

/// What of a source a generated line comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldOrigin {
    /// The file.
    pub path: String,
    /// 1-based line.
    pub line: usize,
    /// What it is, and why it was written.
    pub what: String,
}

impl BundleDocuments<'_> {
    /// The origin of the 1-based `line` of the generated file `path` with the content `text`.
    pub(super) fn generated_origin(&self, path: &str, text: &str, line: usize) -> LineOrigin {
        let inner: String = path.split('/').skip(2).collect::<Vec<_>>().join("/");
        let inner = if path.starts_with("plugins/") { inner } else { path.to_owned() };
        match self.origin(path, &inner, text, line) {
            Some(origin) => LineOrigin::Generated(origin),
            None => LineOrigin::Required(self.reason(&inner)),
        }
    }

    fn reason(&self, inner: &str) -> &'static str {
        let Some(target) = self.target else { return "it has no source file" };
        let registration = target.registration.as_ref();
        if registration.is_some_and(|facts| facts.modules.iter().any(|module| inner == module)) {
            "it is the module that registers a plugin's components on the host; it is the same for every plugin"
        } else if registration.is_some_and(|facts| inner == facts.data) {
            "the module needs it to read what it registers"
        } else if inner == target.manifest.path {
            "the host's manifest requires it; no field of the source provides it"
        } else if target.marketplace.as_ref().is_some_and(|facts| inner == facts.path) {
            "the host's list of plugins requires it; no field of the source provides it"
        } else {
            "it has no source file"
        }
    }

    fn origin(&self, path: &str, inner: &str, text: &str, line: usize) -> Option<FieldOrigin> {
        let target = self.target?;
        let plugin =
            path.strip_prefix("plugins/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let sidecar =
            target.invocation.sidecar_path.as_deref().and_then(|sidecar| path.strip_suffix(sidecar));
        if let Some(folder) = sidecar.filter(|_| !plugin.is_empty()) {
            let main = self.component(|row| {
                row.to
                    .as_deref()
                    .is_some_and(|to| Utf8Path::new(to).parent() == Some(folder.trim_end_matches('/').into()))
            })?;
            return self.field(plugin, |row| row.path == main.path && is(row, "/disable-model-invocation"));
        }
        if path.ends_with(".toml") {
            return self.installed(text, line);
        }
        let node = json::parse(text).0?;
        let keys = keys_at(&node, &LineIndex::new(text), line);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        if target.registration.as_ref().is_some_and(|facts| inner == facts.data) {
            let run = || self.run(plugin, &node, &keys);
            return self.registered(plugin, &keys).or_else(run);
        }
        if target.marketplace.as_ref().is_some_and(|facts| path == facts.path) {
            let facts = target.marketplace.as_ref()?;
            return match keys.as_slice() {
                [list, at, rest @ ..] if *list == facts.list => {
                    let entry = node.get(list)?.items()?.get(at.parse::<usize>().ok()?)?;
                    let plugin = entry.get("name")?.as_str()?.to_owned();
                    self.field_origin(&plugin, &facts.entry, rest)
                }
                keys => self.field_origin("", &facts.document, keys),
            };
        }
        if inner == target.manifest.path {
            let origin_found = self.field_origin(plugin, &target.manifest.document, &keys);
            let same = || self.field(plugin, |row| is(row, &pointer(&keys)));
            return origin_found.or_else(same).or_else(|| self.declared(plugin, &keys));
        }
        self.run(plugin, &node, &keys)
    }

    /// The origin of a line of an installable agent: a field, or the body of the agent's file.
    fn installed(&self, text: &str, line: usize) -> Option<FieldOrigin> {
        let table: toml::Table = text.parse().ok()?;
        let name = table.get("name")?.as_str()?;
        let agent = self.component(|row| row.name == name)?;
        let own = text.lines().nth(line.checked_sub(1)?)?;
        let key = own.split_once(" = ").map(|(key, _)| key).filter(|key| table.contains_key(*key));
        if let Some(key) = key.filter(|key| matches!(*key, "name" | "description")) {
            let field = self.field(&agent.plugin, |row| {
                row.path == agent.path && is(row, &JsonPointer::default().key(key))
            });
            return field.or_else(|| Some(row_origin(agent)));
        }
        if let Some(key) = key {
            return self.configured_origin(agent, key).or_else(|| Some(row_origin(agent)));
        }
        // The n-th occurrence of a line here is the n-th one in the emitted file of the agent.
        let before = text.lines().take(line - 1).filter(|other| *other == own).count();
        let emitted = agent.to.as_deref()?;
        let asset = disk::read_text_beneath(self.folder, emitted.into()).ok()?;
        let frontmatter = crate::read::frontmatter::parse(&asset).body.start;
        let body = LineIndex::new(&asset).line(frontmatter);
        let mut lines =
            asset.lines().enumerate().skip(body.saturating_sub(1)).filter(|(_, text)| *text == own);
        // Only the installable agent has the line about relative paths.
        let Some((at, _)) = lines.nth(before) else { return Some(row_origin(agent)) };
        let at = at + 1;
        let mapped = self.map.files.iter().find(|mapped| mapped.path == emitted);
        let (source, what) = match mapped {
            Some(mapped) => {
                let trace = mapped.trace(&asset, at)?;
                let reasons: Vec<&str> = trace.edits.iter().map(|edit| edit.reason.as_str()).collect();
                (trace.source_line, reasons.join("; "))
            }
            None => (at, String::new()),
        };
        let what = if what.is_empty() { "the agent's own text".to_owned() } else { what };
        Some(FieldOrigin { path: agent.path.clone(), line: source, what })
    }

    /// The origin of the data of a module about a component.
    fn registered(&self, plugin: &str, keys: &[&str]) -> Option<FieldOrigin> {
        let ["bodies" | "agents", name, rest @ ..] = keys else { return None };
        let owner = self.component(|row| row.name == *name)?;
        let names: &[&str] = match rest.first().copied() {
            Some("allow" | "deny") => &["/tools", "/disallowedTools", "/allowed-tools"],
            Some("user_only") => &["/disable-model-invocation"],
            _ => &[],
        };
        let told = || self.configured_origin(owner, rest.first()?);
        let origin_found = rest.first().and_then(|key| {
            self.field(plugin, |row| {
                let own = row.to.as_deref() == Some(*key) || is(row, &JsonPointer::default().key(key));
                row.path == owner.path && (own || names.iter().any(|name| is(row, name)))
            })
        });
        origin_found.or_else(told).or_else(|| Some(row_origin(owner)))
    }

    /// The setting of `owner` in `[targets.<host>]` of a `plugcast.toml`; one for its name takes precedence over one
    /// for all.
    fn configured_origin(&self, owner: &LedgerRow, key: &str) -> Option<FieldOrigin> {
        let kind = owner.kind.id();
        let local = local_of(&owner.name);
        let name = owner.name.as_str();
        let own = [name.to_owned(), local.to_owned(), format!("{kind}/{name}"), format!("{kind}/{local}")];
        let section = |row: &LedgerRow| {
            let parts = row.pointer.as_deref()?.strip_prefix("/targets")?;
            let parts: Vec<String> = keys(parts).skip(1).collect();
            parts.get(usize::from(parts.first()? == "frontmatter")).cloned()
        };
        let all = [format!("{kind}s"), "models".to_owned()];
        [&own[..], &all[..]].into_iter().find_map(|names| {
            self.field(&owner.plugin, |row| {
                row.name == key && section(row).is_some_and(|section| names.contains(&section))
            })
        })
    }

    /// The origin of a hook or a server, by its position or its name.
    fn declared(&self, plugin: &str, keys: &[&str]) -> Option<FieldOrigin> {
        let of_kind = |row: &&LedgerRow| {
            matches!(row.kind, ComponentKind::Hook | ComponentKind::McpServer | ComponentKind::LspServer)
                && row.plugin == plugin
        };
        let rows = || self.ledger.rows.iter().filter(of_kind);
        let place = pointer(keys);
        let same = rows().find(|row| row.pointer.as_ref().is_some_and(|own| contains(own, &place)));
        let named = || {
            rows().find(|row| {
                row.kind != ComponentKind::Hook && keys.iter().any(|key| last_of(key) == row.name)
            })
        };
        let row = same.or_else(named)?;
        let what = format!("the {} `{}`", row.kind.id(), row.name);
        Some(FieldOrigin { path: row.path.clone(), line: row.span.map_or(1, |span| span.line), what })
    }

    /// The field of the source that a document of the target writes at `keys`.
    fn field_origin(&self, plugin: &str, document: &toml::Table, keys: &[&str]) -> Option<FieldOrigin> {
        let mut at = Toml::Table(document.clone());
        for key in keys {
            at = match at.get(key) {
                Some(next) => next.clone(),
                // A value that is copied as a whole.
                None if at.is_str() => break,
                None => return None,
            };
        }
        let template = at.as_str()?;
        let names = template.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        for name in names.flat_map(|names| names.split('|')) {
            let name = if matches!(name, "plugin" | "marketplace" | "owner") { "/name" } else { name };
            let found = self.field(plugin, |row| {
                row.pointer.as_deref().is_some_and(|own| {
                    let own = own
                        .strip_prefix("/plugins/")
                        .and_then(|rest| rest.find('/').map(|at| &rest[at..]))
                        .unwrap_or(own);
                    contains(name, own)
                }) && row.path.ends_with(".json")
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn component(&self, is_it: impl Fn(&LedgerRow) -> bool) -> Option<&LedgerRow> {
        let kinds = [ComponentKind::Skill, ComponentKind::Agent, ComponentKind::Command];
        self.ledger.rows.iter().find(|row| kinds.contains(&row.kind) && is_it(row))
    }

    fn field(&self, plugin: &str, is_it: impl Fn(&LedgerRow) -> bool) -> Option<FieldOrigin> {
        let row = self
            .ledger
            .rows
            .iter()
            .find(|row| row.kind == ComponentKind::Field && row.plugin == plugin && is_it(row))?;
        let pointer = row.pointer.as_deref().unwrap_or_default();
        let why = row.reason.as_deref().unwrap_or("it is unchanged");
        let what = format!("the field `{pointer}`: {why}");
        Some(FieldOrigin { path: row.path.clone(), line: row.span.map_or(1, |span| span.line), what })
    }
}

fn row_origin(row: &LedgerRow) -> FieldOrigin {
    let what = format!("the {} `{}`", row.kind.id(), row.name);
    FieldOrigin { path: row.path.clone(), line: 1, what }
}

fn is(row: &LedgerRow, pointer: &str) -> bool {
    row.pointer.as_deref() == Some(pointer)
}

fn pointer(keys: &[&str]) -> JsonPointer {
    JsonPointer::from_keys(keys.iter().copied())
}

/// The keys and list indices of the path to the value on `line`.
fn keys_at(node: &Node, index: &LineIndex, line: usize) -> Vec<String> {
    let holds =
        |start: usize, end: usize| (index.line(start)..=index.line(end.saturating_sub(1))).contains(&line);
    let (key, inner) = match &node.value {
        Value::Map(entries) => {
            let found = entries.iter().find(|entry| holds(entry.key_span.start, entry.span().end));
            let Some(entry) = found else { return Vec::new() };
            (entry.key.clone(), &entry.node)
        }
        Value::List(items) => {
            let found = items.iter().enumerate().find(|(_, item)| holds(item.span.start, item.span.end));
            let Some((at, item)) = found else { return Vec::new() };
            (at.to_string(), item)
        }
        _ => return Vec::new(),
    };
    let mut keys = vec![key];
    keys.extend(keys_at(inner, index, line));
    keys
}
