//! The components that a text names, for its block: one rule for those whose paths follow from their names, and a list
//! of the others.

use std::borrow::Cow;
use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::paths;
use crate::ledger::ComponentKind;
use crate::model::qualified_name::{QualifiedName, other_name, parts_of};
use crate::target::TypedName;

/// The locations that paths in a block are computed from.
pub struct BlockPaths<'a> {
    /// The folder of the file that gets the block, relative to the plugin's emitted folder.
    pub folder: &'a Utf8Path,
    /// The plugin's folder, relative to that folder.
    pub to_root: &'a str,
    /// The emitted files of the plugin's components, relative to the plugin's folder, by kind and name.
    pub components: &'a BTreeMap<(ComponentKind, QualifiedName), Utf8PathBuf>,
}

/// A component, as named in the text of another one.
#[derive(Debug, Default, Clone, Serialize)]
struct NamedComponent {
    name: String,
    /// The short form that the text uses, if it does.
    alias: Option<String>,
    /// A name in the text from which the component's own name cannot be told, such as that of its frontmatter.
    other_name: Option<String>,
    /// Its file, relative to the file that gets the block; absent if it is in another plugin.
    path: Option<String>,
    /// The same, relative to the plugin's folder.
    inner: Option<String>,
    /// Its plugin, if it is another one, and its file there.
    elsewhere: Option<(String, String)>,
    /// Whether users can type its name.
    typed: bool,
}

/// A rule by which the paths of several components follow from their names.
#[derive(Debug, Clone, Serialize)]
struct NamingRule {
    /// `plugin:NAME`.
    name: String,
    /// The path with `NAME`.
    path: String,
    /// The path from the plugin's folder, with `NAME`.
    inner: String,
    /// The replacement for a colon within `NAME` in the path, if there is one.
    colon: Option<&'static str>,
    /// Whether users can type the names.
    typed: bool,
}

impl NamingRule {
    /// Its texts, without the colon.
    fn spellings(&self) -> [&str; 3] {
        [&self.name, &self.path, &self.inner]
    }
}

/// Components by their qualified names.
#[derive(Debug, Default)]
pub(super) struct NamedComponents(BTreeMap<String, NamedComponent>);

impl NamedComponents {
    /// Adds a component that a text names as `written`; `elsewhere` is its file in the folder of another plugin.
    pub(super) fn note(
        &mut self,
        kind: ComponentKind,
        name: &str,
        written: &str,
        places: &BlockPaths<'_>,
        elsewhere: Option<&Utf8Path>,
    ) {
        let inner = places.components.get(&(kind, name.into()));
        let entry = self.0.entry(name.to_owned()).or_insert_with(|| NamedComponent {
            name: name.to_owned(),
            alias: None,
            other_name: None,
            path: inner.map(|inner| paths::relative(places.folder, inner)),
            inner: inner.map(ToString::to_string),
            elsewhere: elsewhere.and_then(|path| Some((parts_of(name)?.0.to_owned(), path.to_string()))),
            typed: true,
        });
        let written = written.trim_start_matches('/');
        if written != name {
            entry.alias = Some(written.to_owned());
            if let Some(other) = other_name(name, written) {
                entry.other_name = Some(other.to_owned());
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values for a template: all components under `key`, the `rule` that covers at least `least` of them, and the
    /// `others`. Users can type names by the host's rule `typed`.
    pub(super) fn values(&self, key: &str, least: usize, typed: Option<TypedName>) -> Json {
        let is_typed = |name: &str| typed.is_none_or(|rule| rule.apply(name) == name);
        let all = self.0.values().cloned();
        let all: Vec<NamedComponent> =
            all.map(|one| NamedComponent { typed: is_typed(&one.name), ..one }).collect();
        let rules: Vec<Option<NamingRule>> =
            all.iter().map(|one| rule_of(one).filter(|rule| rule.typed == is_typed(&rule.name))).collect();
        let mut counts: BTreeMap<[&str; 3], usize> = BTreeMap::new();
        for rule in rules.iter().flatten() {
            *counts.entry(rule.spellings()).or_default() += 1;
        }
        let best = counts.into_iter().filter(|(_, count)| *count >= least).max_by_key(|(_, count)| *count);
        let best = best.and_then(|(best, _)| rules.iter().flatten().find(|rule| rule.spellings() == best));
        let covered = |rule: &Option<NamingRule>| match (best, rule) {
            (Some(best), Some(rule)) => best.spellings() == rule.spellings(),
            _ => false,
        };
        let colon = rules.iter().filter(|rule| covered(rule)).flatten().find_map(|rule| rule.colon);
        let others: Vec<&NamedComponent> =
            all.iter().zip(&rules).filter(|(_, rule)| !covered(rule)).map(|(one, _)| one).collect();
        let rule = best.map(|rule| NamingRule { colon, ..rule.clone() });
        json!({ key: all, "rule": rule, "others": others })
    }
}

/// How the path of a component follows from its name, if it does.
fn rule_of(one: &NamedComponent) -> Option<NamingRule> {
    let (plugin, local) = parts_of(&one.name)?;
    // A short name does not contain the folders.
    let is_short = |alias: &String| local.contains(':') && alias != local;
    if one.other_name.is_some() || one.alias.as_ref().is_some_and(is_short) {
        return None;
    }
    let (path, inner) = (one.path.as_ref()?, one.inner.as_deref().unwrap_or_default());
    let is_deep = local.contains(':');
    let forms = if is_deep { &["/", "--"][..] } else { &["/"] };
    forms.iter().find_map(|&colon| {
        let form = if is_deep { Cow::Owned(local.replace(':', colon)) } else { Cow::Borrowed(local) };
        let at = path.rfind(&*form)?;
        let (before, after) = (&path[..at], &path[at + form.len()..]);
        let whole = (before.is_empty() || before.ends_with('/')) && after.starts_with(['/', '.']);
        whole.then(|| NamingRule {
            name: format!("{plugin}:NAME"),
            path: format!("{before}NAME{after}"),
            inner: inner.replacen(&format!("{form}{after}"), &format!("NAME{after}"), 1),
            colon: is_deep.then_some(colon),
            typed: one.typed,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rule_covers_what_follows_from_names() {
        let one = |name: &str, path: &str| {
            let path = (!path.is_empty()).then(|| path.to_owned());
            let inner = path.as_ref().map(|path| path.replace("../", "skills/"));
            (
                name.to_owned(),
                NamedComponent { name: name.to_owned(), path, inner, ..NamedComponent::default() },
            )
        };
        let named = NamedComponents(BTreeMap::from([
            one("kit:plan", "../plan/SKILL.md"),
            one("kit:sub:deep", "../sub--deep/SKILL.md"),
            one("kit:odd", "../../SKILL.md"),
            one("kit:v1.2", "../v1.2/SKILL.md"),
            one("other:plan", ""),
        ]));
        let values = named.values("skills", 1, Some(TypedName::Word));
        let rule = json!({
            "name": "kit:NAME", "path": "../NAME/SKILL.md", "inner": "skills/NAME/SKILL.md", "colon": "--", "typed": true
        });
        assert_eq!(values["rule"], rule);
        let others = values["others"].as_array().unwrap().iter();
        let others: Vec<_> =
            others.map(|one| (one["name"].as_str().unwrap(), one["typed"].as_bool())).collect();
        assert_eq!(
            others,
            [("kit:odd", Some(true)), ("kit:v1.2", Some(false)), ("other:plan", Some(true))],
            "what users cannot type has no part in a rule for what they can"
        );
        let named = NamedComponents(BTreeMap::from([one("k.t:plan", "../plan/SKILL.md")]));
        let values = named.values("skills", 1, Some(TypedName::Word));
        assert_eq!((&values["rule"]["name"], &values["rule"]["typed"]), (&json!("k.t:NAME"), &json!(false)));
    }
}
