//! Options that the user is asked for: the variables that hold their values, and their defaults.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::plugin::Plugin;
use crate::read::tree::Node;
use crate::source::ComponentKind;
use crate::source_format::SourceFacts;

/// The defaults of options, by key: only plain words, which need no quoting anywhere.
pub(super) fn defaults(plugin: &Plugin, source: &SourceFacts) -> BTreeMap<String, String> {
    let fields = &source.manifest_components;
    let field = fields.iter().find_map(|(field, kind)| (*kind == ComponentKind::UserConfig).then_some(field));
    let Some(field) = field else { return BTreeMap::new() };
    let own = plugin.manifest.iter().filter(|manifest| !manifest.refused.contains(field));
    let own = own.map(|manifest| &manifest.node).chain(plugin.entry.iter().map(|entry| &entry.node));
    let declared: Vec<BTreeMap<&str, &Node>> = own
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

/// `text` with options as environment variables, each with its default.
pub(super) fn as_variables(defaults: &BTreeMap<String, String>, source: &SourceFacts, text: &str) -> String {
    let head = format!("${{{}", source.user_config);
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(head.as_str()) {
        let Some((key, tail)) = after.split_once('}') else { break };
        out.push_str(before);
        let default = defaults.get(key).map(|default| format!(":-{default}")).unwrap_or_default();
        out.push_str(&format!("${{{}{default}}}", variable(source, key)));
        rest = tail;
    }
    out + rest
}

/// The variable that holds the value of the option `key`.
pub(super) fn variable(source: &SourceFacts, key: &str) -> String {
    let shouted: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    source.user_config_variable.replace("{KEY}", &shouted)
}
