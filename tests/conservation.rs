//! The independent reader: proves that nothing of a source vanished without a ledger row. It is
//! line-based, knows nothing of the program's own model and reads ledgers as plain JSON, so that one
//! wrong idea of what a plugin holds cannot hide in both.
//!
//! Forward: every file, component, frontmatter key, manifest field and named reference of SRC has a
//! row. Backward: every emitted file comes from a source file or is declared as generated, its bytes
//! differ from the source only inside declared edits, and every row is well formed.

use std::path::Path;

mod bundle;
mod components;
mod ledger;
mod listed_texts;
mod markdown;
mod source;
mod tests;

/// What a bundle lost or invented, in sentences; empty when everything is accounted for.
pub fn violations(source: &Path, bundle: &Path) -> Vec<String> {
    let ledger = match ledger::Ledger::read(bundle) {
        Ok(ledger) => ledger,
        Err(error) => return vec![error],
    };
    let mut found = ledger.malformed();
    found.extend(bundle::violations(source, bundle, &ledger));
    let needs = source::needs(source, &bundle::plugin_names(bundle));
    found.extend(needs.iter().filter(|need| !ledger.meets(need)).map(source::Need::sentence));
    found
}

/// How many things of each kind a source holds, by the independent reader.
pub fn counts(source: &Path, plugin: Option<&str>) -> std::collections::BTreeMap<&'static str, usize> {
    let plugins: Vec<String> = plugin.map(str::to_owned).into_iter().collect();
    let mut counts = std::collections::BTreeMap::new();
    for need in source::needs(source, &plugins) {
        *counts.entry(need.what.kind()).or_default() += 1;
    }
    counts
}

/// The qualified names of a source's skills, agents and commands, by the independent reader; `plugins`
/// names the plugin whose source carries no name.
pub fn qualified(source: &Path, plugins: &[String]) -> Vec<String> {
    let tree = crate::support::tree::Tree::read(source);
    components::roots(&tree, plugins).iter().flat_map(components::Root::qualified).collect()
}

/// Fails the test when a bundle lost or invented anything.
///
/// # Panics
/// With every violation, one a line.
#[track_caller]
pub fn assert_conserved(source: &Path, bundle: &Path) {
    let found = violations(source, bundle);
    let what = format!("`{}` is not conserved in `{}`", source.display(), bundle.display());
    crate::support::none_left(&what, &found);
}
