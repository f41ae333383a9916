//! Components other than skills, agents and commands: found by file and by manifest field, one by one (a hook is one
//! handler), so that none of them is skipped.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Declaration, LocationForm, Plugin, settings};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::credentials::Secret;
use crate::model::hook::{self, Hook};
use crate::model::manifest;
use crate::model::server::{self, ServerDefinition};
use crate::read::pointer::JsonPointer;
use crate::read::tree::{FaultKind, MappingEntry, Node, Value};
use crate::read::workflow;
use crate::source::{ComponentKind, SourceFile, SourceTree, Span};
use crate::source_format::SourceFacts;

/// A component of another kind.
#[derive(Debug, Clone)]
pub struct OtherComponent {
    /// Its kind.
    pub kind: ComponentKind,
    /// Its name: of a hook `<event>/<matcher or *>/<n>`, of a server its key, else its file's.
    pub name: String,
    /// The file that declares it, relative to SRC.
    pub path: Utf8PathBuf,
    /// Its JSON pointer in the file; empty for the whole file.
    pub pointer: JsonPointer,
    /// The bytes that declare it.
    pub span: Option<Span>,
    /// Whether the file holds nothing but components of this kind.
    pub own_file: bool,
    /// Its content.
    pub body: OtherBody,
    /// Why no host gets it, if none does; also reported as a finding.
    pub fault: Option<String>,
    /// Whether it may be a guard, so that the source host refuses the whole plugin because of the fault.
    pub guards: bool,
}

/// The content of a component of another kind.
#[derive(Debug, Clone)]
pub enum OtherBody {
    /// Anything whose content is not inspected.
    Whole,
    /// A file for components that declares none: it only has a ledger row as a file.
    Nothing,
    /// A hook.
    Hook(Box<Hook>),
    /// A server.
    Server(Box<ServerDefinition>),
}

impl OtherComponent {
    /// The entry of a hook or server, with variables in place of credentials.
    pub fn node(&self) -> Option<&Node> {
        match &self.body {
            OtherBody::Hook(hook) => Some(&hook.node),
            OtherBody::Server(server) => Some(&server.node),
            _ => None,
        }
    }

    /// Credentials that were in plain text in it.
    pub fn secrets(&self) -> &[Secret] {
        match &self.body {
            OtherBody::Hook(hook) => &hook.secrets,
            OtherBody::Server(server) => &server.secrets,
            _ => &[],
        }
    }
}

struct OtherFinder<'a> {
    tree: &'a SourceTree,
    source: &'a SourceFacts,
    root: Utf8PathBuf,
    out: Vec<OtherComponent>,
    found: &'a mut Vec<Diagnostic>,
}

/// Fills `plugin.others`.
pub(super) fn find(
    tree: &SourceTree,
    plugin: &mut Plugin,
    source: &SourceFacts,
    found: &mut Vec<Diagnostic>,
) {
    let mut finder = OtherFinder { tree, source, root: plugin.root.clone(), out: Vec::new(), found };
    let is_project = plugin.form == LocationForm::Project;
    for (place, &kind) in &source.components {
        if is_project && settings::OF_PLUGINS.contains(&kind) {
            continue;
        }
        // A field of the manifest that names workflows replaces their folder.
        if kind == ComponentKind::Workflow && own_field(plugin, source, kind).is_some() {
            continue;
        }
        for path in &plugin.files.kept {
            let inner = plugin.relative_path(path);
            let folder = place.strip_suffix('/');
            // The place of a folder ends in `/`, so every path with this prefix is below it.
            let hit = folder.map_or(inner.as_str() == place, |_| inner.as_str().starts_with(place.as_str()));
            match hit.then(|| tree.get(path)).flatten() {
                Some(file) if folder.is_none() => finder.file(kind, file),
                Some(_)
                    if kind == ComponentKind::Workflow && inner.parent().map(Utf8Path::as_str) != folder => {}
                Some(file) if kind == ComponentKind::Workflow => finder.workflow(file),
                Some(file) => finder.whole_file(kind, file),
                None => {}
            }
        }
    }
    let own = plugin.manifest.as_ref();
    let own = own.and_then(|own| Some((&own.node, tree.get(&own.path)?, JsonPointer::default())));
    let listed = plugin
        .entry
        .as_ref()
        .and_then(|entry| Some((&entry.node, tree.get(&source.marketplace)?, entry.pointer.clone())));
    for (field, &kind) in &source.manifest_components {
        // The manifest takes precedence if both declare a field.
        let refused = plugin.manifest.iter().any(|manifest| manifest.refused.iter().any(|key| key == field));
        let place =
            own.iter().chain(&listed).find_map(|(node, file, base)| Some((node.entry(field)?, *file, base)));
        let Some((entry, file, base)) = place.filter(|_| !refused) else { continue };
        finder.field(kind, entry, file, &base.key(field));
    }
    let mut others = finder.out;
    if is_project {
        others.extend(settings::hooks(tree, plugin, source, found));
    }
    plugin.others = others;
}

/// Kinds whose files the source host reads as JSON, whatever their content.
const READ_AS_JSON: [ComponentKind; 3] =
    [ComponentKind::Setting, ComponentKind::Monitor, ComponentKind::Theme];

/// Kinds of which each one is declared in JSON, and read.
fn is_inspected(kind: ComponentKind) -> bool {
    matches!(kind, ComponentKind::Hook | ComponentKind::McpServer | ComponentKind::LspServer)
}

/// The field of the plugin's own manifest that declares components of that kind.
fn own_field<'a>(plugin: &'a Plugin, source: &SourceFacts, kind: ComponentKind) -> Option<&'a Node> {
    let field = source.manifest_components.iter().find_map(|(field, of)| (*of == kind).then_some(field))?;
    plugin.manifest.as_ref()?.node.get(field)
}

impl OtherFinder<'_> {
    /// A file that holds components of one kind.
    fn file(&mut self, kind: ComponentKind, file: &SourceFile) {
        if !is_inspected(kind) || self.out.iter().any(|other| other.path == file.path && other.own_file) {
            return self.whole_file(kind, file);
        }
        let blank = kind == ComponentKind::Hook && file.text().is_some_and(|text| text.trim().is_empty());
        let (node, mut faults) = if blank { Default::default() } else { manifest::read_object(file) };
        if is_marked(file) {
            faults.retain(|found| found.rule != FaultKind::ByteOrderMark.rule());
            self.found.append(&mut faults);
            return self.add_marked(kind, file);
        }
        self.found.append(&mut faults);
        if blank || kind == ComponentKind::Hook && node.as_ref().is_some_and(hook::is_nothing) {
            self.found.push(hook::empty_hooks(file));
            let fault = Some("it declares no hooks".to_owned());
            return self.out.push(OtherComponent {
                fault,
                body: OtherBody::Nothing,
                ..whole_component(kind, &file.path)
            });
        }
        let before = self.out.len();
        let Some(node) = node else {
            let fault = Some("it cannot be read".to_owned());
            return self.out.push(OtherComponent { fault, ..whole_component(kind, &file.path) });
        };
        self.declared(&Declaration { kind, file, pointer: JsonPointer::default(), own_file: true }, &node);
        if self.out.len() == before {
            // A list declares nothing either, but hosts refuse it.
            let is_refused = node.entries().iter().any(|entry| {
                matches!(entry.key.as_str(), "hooks" | "mcpServers") && entry.node.items().is_some()
            });
            let fault = is_refused.then(|| "it declares nothing, in a form that hosts refuse".to_owned());
            self.out.push(OtherComponent {
                fault,
                body: OtherBody::Nothing,
                ..whole_component(kind, &file.path)
            });
        }
    }

    /// A file with a byte order mark, in which the source host reads no hooks, servers, settings or monitors (2.1.330).
    fn add_marked(&mut self, kind: ComponentKind, file: &SourceFile) {
        let message = "the file starts with a byte order mark, so the source host ignores it";
        let found =
            Diagnostic::in_file(file, Span::new(0, 3), Severity::Error, RuleId::BYTE_ORDER_MARK, message);
        self.found.push(found.help("save it as UTF-8 without BOM"));
        self.out
            .push(OtherComponent { fault: Some(message.to_owned()), ..whole_component(kind, &file.path) });
    }

    /// A file that only hosts inspect. If they read it as JSON, it must be valid JSON.
    fn whole_file(&mut self, kind: ComponentKind, file: &SourceFile) {
        let is_json = file.path.extension() == Some("json");
        if is_json && READ_AS_JSON.contains(&kind) {
            let (node, mut faults) = manifest::read_value(file);
            if is_marked(file) && kind != ComponentKind::Theme {
                faults.retain(|found| found.rule != FaultKind::ByteOrderMark.rule());
                self.found.append(&mut faults);
                return self.add_marked(kind, file);
            }
            self.found.append(&mut faults);
            let fault = node.is_none().then(|| "it cannot be read".to_owned());
            return self.out.push(OtherComponent { fault, ..whole_component(kind, &file.path) });
        }
        if let Some(text) = file.text().filter(|_| is_json) {
            self.found.extend(manifest::hidden_characters(file, text));
        }
        self.out.push(whole_component(kind, &file.path));
    }

    /// Adds a script if it is a workflow; otherwise it is an ordinary file.
    fn workflow(&mut self, file: &SourceFile) {
        let name = file.text().filter(|_| file.path.extension() == Some("js")).and_then(workflow::name);
        if let Some(name) = name {
            self.out.push(OtherComponent { name, ..whole_component(ComponentKind::Workflow, &file.path) });
        }
    }

    /// Adds the workflows at the paths that a field names: scripts, and scripts directly in folders.
    fn workflows(&mut self, file: &SourceFile, node: &Node) {
        let tree = self.tree;
        for (path, item) in manifest::paths(file, &self.root, node, self.found) {
            match tree.get(&path) {
                Some(script) => self.workflow(script),
                None if tree.has_folder(&path) => {
                    let scripts =
                        tree.files_below(&path).filter(|script| script.path.parent() == Some(&path));
                    scripts.for_each(|script| self.workflow(script));
                }
                None => self.found.push(manifest::missing_path(file, &item, &path)),
            }
        }
    }

    /// A field of the manifest: a path, an object, or a list of both.
    fn field(&mut self, kind: ComponentKind, entry: &MappingEntry, file: &SourceFile, pointer: &JsonPointer) {
        if kind == ComponentKind::Workflow {
            return self.workflows(file, &entry.node);
        }
        let before = self.out.len();
        let mut reported = false;
        let items: Vec<(&Node, JsonPointer)> = match &entry.node.value {
            Value::List(items) if is_inspected(kind) => {
                items.iter().enumerate().map(|(at, item)| (item, pointer.item(at))).collect()
            }
            _ => vec![(&entry.node, pointer.clone())],
        };
        for (node, pointer) in items {
            let place = Declaration { kind, file, pointer, own_file: false };
            match &node.value {
                Value::Map(_) => {
                    self.declared(&place, node);
                    // What is inspected and adds no component declares nothing: `{}`, or an event without handlers.
                    reported |= node.entries().is_empty() || is_inspected(kind);
                }
                Value::String(_) if is_inspected(kind) => reported |= self.add_listed(&place, node),
                Value::String(_) | Value::List(_) => self.check_named(file, node),
                _ => {}
            }
            // `experimental` contains path fields itself.
            for inner in node.entries().iter().filter(|_| entry.key == "experimental") {
                self.check_named(file, &inner.node);
            }
        }
        if self.out.len() == before && !reported && !is_empty(&entry.node) {
            let place = Declaration { kind, file, pointer: pointer.clone(), own_file: false };
            self.out.push(place.component(
                None,
                &entry.key,
                pointer,
                entry.node.span,
                OtherBody::Whole,
                None,
            ));
        }
    }

    /// Checks that the files and folders that a field names exist; their content is not inspected.
    fn check_named(&mut self, file: &SourceFile, node: &Node) {
        // Paths out of the plugin are reported for all fields at once.
        for (path, item) in manifest::paths(file, &self.root, node, &mut Vec::new()) {
            if self.tree.get(&path).is_none() && !self.tree.has_folder(&path) {
                self.found.push(manifest::missing_path(file, &item, &path));
            }
        }
    }

    /// Adds the file that the manifest names; returns whether it is a file that is read by default.
    fn add_listed(&mut self, place: &Declaration<'_>, node: &Node) -> bool {
        let text = node.as_str().unwrap_or_default();
        let component =
            |fault| place.component(None, text, &place.pointer, node.span, OtherBody::Whole, fault);
        if text.contains("://") || text.ends_with(".mcpb") || text.ends_with(".dxt") {
            self.out.push(component(None));
            return false;
        }
        let paths = manifest::paths(place.file, &self.root, node, self.found);
        let Some((path, item)) = paths.into_iter().next() else {
            self.out.push(component(Some("its path does not exist in the plugin".to_owned())));
            return false;
        };
        let inner = path.strip_prefix(&self.root).unwrap_or(&path);
        match self.tree.get(&path) {
            Some(_) if self.source.components.contains_key(inner.as_str()) => {
                if place.kind == ComponentKind::Hook {
                    let message = format!("`{path}` is loaded by default and need not be listed");
                    let help = "remove it here: older versions of the source host refuse hooks that are loaded twice";
                    let rule = RuleId::HOOKS_RELISTED;
                    let finding =
                        Diagnostic::in_file(place.file, item.span, Severity::Warning, rule, message);
                    self.found.push(finding.help(help));
                }
                true
            }
            Some(file) => {
                let file = file.clone();
                self.file(place.kind, &file);
                false
            }
            None => {
                let finding = manifest::missing_path(place.file, &item, &path);
                self.out.push(component(Some(finding.message.clone())));
                self.found.push(finding);
                false
            }
        }
    }

    /// Adds the components that the object `node` declares.
    fn declared(&mut self, place: &Declaration<'_>, node: &Node) {
        match place.kind {
            ComponentKind::Hook => hook::find(node, place, self.source, &mut self.out, self.found),
            ComponentKind::McpServer | ComponentKind::LspServer => {
                server::find(place.kind, node, place, self.source, &mut self.out, self.found);
            }
            ComponentKind::UserConfig => {
                for entry in node.entries() {
                    let pointer = place.pointer.key(&entry.key);
                    self.out.push(place.component(
                        None,
                        &entry.key,
                        &pointer,
                        entry.span(),
                        OtherBody::Whole,
                        None,
                    ));
                }
            }
            _ => {}
        }
    }
}

/// Whether a value is an empty mapping or list, which declares nothing.
fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::Map(_) => node.entries().is_empty(),
        Value::List(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether the file starts with a byte order mark.
fn is_marked(file: &SourceFile) -> bool {
    file.text().is_some_and(|text| text.starts_with('\u{feff}'))
}

fn whole_component(kind: ComponentKind, path: &Utf8Path) -> OtherComponent {
    let name = path.file_name().unwrap_or(path.as_str()).to_owned();
    let (path, body) = (path.to_owned(), OtherBody::Whole);
    OtherComponent {
        kind,
        name,
        path,
        pointer: JsonPointer::default(),
        span: None,
        own_file: true,
        body,
        fault: None,
        guards: false,
    }
}
