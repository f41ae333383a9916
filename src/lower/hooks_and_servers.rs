//! What a host runs: hooks and servers are written into documents of their own, or into the data of
//! the module, and where the source's own files are carried, what must not be passed on goes out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use super::component::root;
use super::registration::Registration;
use super::{LoweredBundle, LoweringContext, hooks, rows, servers};
use crate::bundle::{BundleNode, NodeContent};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::manifest;
use crate::model::plugin::{OtherBody, OtherComponent, Plugin};
use crate::model::references::ANY_TOOL;
use crate::read::format::SourceFacts;
use crate::read::tree::{Node as Tree, unescaped};
use crate::source::SourceFile;
use crate::target::{Axis, VariableFacts};

/// Lowers every hook and server of the plugin.
pub(super) fn lower(scene: &LoweringContext<'_>, registered: &mut Registration, cast: &mut LoweredBundle) {
    if let Some(facts) = &scene.target.hooks
        && let Some(document) = hooks::lower(scene, facts, cast)
    {
        emit(scene, &facts.path, &facts.key, document, registered, cast);
    }
    let kinds = [("mcp-server", &scene.target.servers), ("lsp-server", &scene.target.language_servers)];
    for (kind, facts) in kinds {
        if let Some(facts) = facts
            && let Some(document) = servers::lower(scene, kind, facts, cast)
        {
            emit(scene, &facts.path, &facts.key, document, registered, cast);
        }
    }
}

fn emit(
    scene: &LoweringContext<'_>,
    path: &Option<String>,
    key: &str,
    value: Json,
    registered: &mut Registration,
    cast: &mut LoweredBundle,
) {
    let Some(path) = path else { return registered.also(key, value) };
    let path = root(scene).join(path);
    let document = Json::Object(Map::from_iter([(key.to_owned(), value)]));
    let content = NodeContent::document(&path, document);
    cast.nodes.push(BundleNode { path, executable: false, content, from: None });
}

/// Where hooks or servers are said, for a row.
pub(super) fn place(scene: &LoweringContext<'_>, path: &Option<String>) -> String {
    let data = scene.target.registration.as_ref().map(|facts| &facts.data);
    let path = path.as_ref().or(data).map_or("", String::as_str);
    root(scene).join(path).into_string()
}

/// Whether the target has a section for this kind of component.
pub(super) fn section(scene: &LoweringContext<'_>, kind: &str) -> bool {
    match kind {
        "hook" => scene.target.hooks.is_some(),
        "mcp-server" => scene.target.servers.is_some(),
        "lsp-server" => scene.target.language_servers.is_some(),
        _ => false,
    }
}

/// Whether a component is lowered here.
pub(super) fn handles(scene: &LoweringContext<'_>, other: &OtherComponent) -> bool {
    !matches!(other.body, OtherBody::Whole | OtherBody::Nothing) && section(scene, &other.kind)
}

impl LoweringContext<'_> {
    /// What stands for a tool of the source host, or for those of a server.
    pub(super) fn tool(&self, name: &str) -> Option<&String> {
        self.target.tools.get(name).or_else(|| self.server_tools.stands.get(name))
    }

    /// What becomes of a variable in a body; of a value that the user is asked for by what they all begin with.
    pub(super) fn variable(&self, name: &str) -> Option<&VariableFacts> {
        let option = name.starts_with(&self.source.user_config);
        self.target.variables.get(if option { self.source.user_config.as_str() } else { name })
    }

    /// Why the host does not get the server of whose tools this is the name or its beginning.
    pub(super) fn lost_server(&self, tool: &str) -> Option<&String> {
        let start = tool.strip_suffix(ANY_TOOL).unwrap_or(tool);
        self.server_tools.lost.iter().find_map(|(ours, reason)| start.starts_with(ours).then_some(reason))
    }
}

/// What counts where the user gives no value for an option, by its key: a word that is the same in every place.
pub(super) fn defaults(plugin: &Plugin, source: &SourceFacts) -> BTreeMap<String, String> {
    let fields = &source.manifest_components;
    let field = fields.iter().find_map(|(field, kind)| (kind == "user-config").then_some(field));
    let Some(field) = field else { return BTreeMap::new() };
    let own = plugin.manifest.iter().filter(|manifest| !manifest.refused.contains(field));
    let own = own.map(|manifest| &manifest.node).chain(plugin.entry.iter().map(|entry| &entry.node));
    let declared: Vec<BTreeMap<&str, &Tree>> = own
        .filter_map(|node| node.get(field))
        .map(|options| options.entries().iter().map(|entry| (entry.key.as_str(), &entry.node)).collect())
        .collect();
    let plain = |c: char| c.is_alphanumeric() || "_-./:=@%+, ".contains(c);
    let default = |key: &str| {
        let option = |part| declared.iter().find_map(|options| options.get(key)?.get(part));
        let secret = option("sensitive").is_some_and(|value| value.scalar().as_deref() == Some("true"));
        let default = option("default").filter(|_| !secret)?.scalar()?;
        Some(default).filter(|default| !default.is_empty() && default.chars().all(plain))
    };
    let keys: BTreeSet<&str> = declared.iter().flat_map(BTreeMap::keys).copied().collect();
    keys.into_iter().filter_map(|key| Some((key.to_owned(), default(key)?))).collect()
}

/// What the block says stands for the variable `name`.
pub(super) fn stands(scene: &LoweringContext<'_>, name: &str, stands: &str) -> String {
    let Some(key) = name.strip_prefix(&scene.source.user_config) else { return stands.to_owned() };
    let stands = stands.replace("{variable}", &option_variable(scene.source, key));
    match scene.defaults.get(key) {
        Some(default) => format!("{stands}, or `{default}` where that is not set"),
        None => stands,
    }
}

/// Values that the user is asked for, as variables with their defaults.
pub(super) fn own_options(defaults: &BTreeMap<String, String>, source: &SourceFacts, text: &str) -> String {
    let head = format!("${{{}", source.user_config);
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(head.as_str()) {
        let Some((key, tail)) = after.split_once('}') else { break };
        out.push_str(before);
        let default = defaults.get(key).map(|default| format!(":-{default}")).unwrap_or_default();
        out.push_str(&format!("${{{}{default}}}", option_variable(source, key)));
        rest = tail;
    }
    out + rest
}

/// The variable that holds a value that the user is asked for.
pub(super) fn option_variable(source: &SourceFacts, key: &str) -> String {
    let shouted: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    source.user_config_variable.replace("{KEY}", &shouted)
}

/// Rows for credentials that are not passed on. The rows of `other` itself begin at `since`.
pub(super) fn secrets(
    scene: &LoweringContext<'_>,
    other: &OtherComponent,
    since: usize,
    cast: &mut LoweredBundle,
) {
    let Some(file) = scene.project.tree.get(&other.path).filter(|_| !other.secrets().is_empty()) else {
        return;
    };
    let mut known: BTreeSet<String> = cast.rows[since..].iter().map(|row| row.id.clone()).collect();
    for secret in other.secrets() {
        let name = secret.name.as_str();
        let reason =
            format!("a credential in clear is not passed on; set `{}` in the environment", secret.variable);
        let owner =
            (ComponentKind::from_id(&other.kind).unwrap_or(ComponentKind::McpServer), other.name.as_str());
        // The value may have a row for its form too.
        let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::Construct, name, &other.path)
            .at(rows::span(file, secret.span))
            .pointer(&secret.pointer)
            .became(RowOutcome::Degraded, reason);
        let axis = if owner.0 == ComponentKind::Hook { Axis::Hooks } else { Axis::Servers };
        let row = row.loss(axis.id(), axis.floor(), owner, &format!("secret/{name}"));
        if known.insert(row.id.clone()) {
            cast.rows.push(row);
        }
    }
}

/// A JSON file of the source without the parts that the source host would refuse, and with variables
/// for credentials; `None` when it can stay as it is.
pub(super) fn cleaned(scene: &LoweringContext<'_>, file: &SourceFile) -> Option<Json> {
    // Compared as text, since every file is held against every hook and server.
    let is_here = |other: &&OtherComponent| other.path.as_str() == file.path.as_str();
    let mut here = scene.plugin.others.iter().filter(is_here).peekable();
    let own = scene.plugin.manifest.iter().filter(|manifest| manifest.path == file.path);
    let mut escaping = own.flat_map(|manifest| &manifest.escaping).peekable();
    if here.peek().is_none() && escaping.peek().is_none() {
        return None;
    }
    let (node, _) = manifest::read_object(file);
    let node = node?;
    let mut document = node.to_json();
    // Of keys that are repeated, the document has the last one.
    let is_last = |other: &OtherComponent| {
        let found = at(&node, &other.pointer).map(|found| found.span.start);
        other.span.zip(found).is_none_or(|(span, start)| span.contains(start) || span.end == start)
    };
    let mut changed = false;
    for pointer in escaping {
        changed |= document.pointer_mut(pointer).map(|place| *place = GONE.into()).is_some();
    }
    for other in here.filter(|other| is_last(other)) {
        if other.fault.is_some() && !other.pointer.is_empty() {
            changed |= document.pointer_mut(&other.pointer).map(|place| *place = GONE.into()).is_some();
        }
        let given = remote_type(scene, other).zip(document.pointer_mut(&other.pointer));
        if let Some((kind, Json::Object(fields))) = given {
            fields.insert("type".to_owned(), kind.into());
            changed = true;
        }
        for secret in other.secrets() {
            let inner = secret.pointer.strip_prefix(&other.pointer).unwrap_or_default();
            let safe = other.node().and_then(|node| at(node, inner)).map(Tree::to_json);
            if let (Some(place), Some(safe)) = (document.pointer_mut(&secret.pointer), safe) {
                *place = safe;
                changed = true;
            }
        }
    }
    prune(&mut document);
    changed.then_some(document)
}

/// The `type` that the host needs of a server, and that the source does not say.
pub(super) fn remote_type<'a>(scene: &'a LoweringContext<'_>, other: &OtherComponent) -> Option<&'a str> {
    let OtherBody::Server(server) = &other.body else { return None };
    let facts = scene.target.components.get(&other.kind)?;
    facts.remote_type.as_deref().filter(|_| other.kind == "mcp-server" && server.untyped())
}

fn at<'a>(node: &'a Tree, pointer: &str) -> Option<&'a Tree> {
    let steps = pointer.split('/').skip(1).map(unescaped);
    steps.into_iter().try_fold(node, |node, key| match node.items() {
        Some(items) => items.get(key.parse::<usize>().ok()?),
        None => node.get(&key),
    })
}

/// Stands for a part that is taken out.
const GONE: &str = "\0gone";

fn prune(value: &mut Json) {
    let gone = |value: &Json| value.as_str() == Some(GONE);
    match value {
        Json::Array(items) => {
            items.retain(|item| !gone(item));
            items.iter_mut().for_each(prune);
            // A group of hooks that has lost all of them says nothing.
            items.retain(|item| {
                item.get("hooks").and_then(Json::as_array).is_none_or(|left| !left.is_empty())
            });
        }
        Json::Object(map) => {
            map.retain(|_, value| !gone(value));
            map.values_mut().for_each(prune);
        }
        _ => {}
    }
}
