//! THE table: every rule, once. A rule is `rules/<name>.rs`, which holds its line of the table and the
//! code, and `rules/<name>.md`, its page: what, why with the evidence, and examples that tests run.

mod component_in_manifest_folder;
mod json_syntax;
mod lockfile_at_root;
mod manifest_field;
mod manifest_path;
mod manifest_target_missing;
mod manifest_unknown_key;
mod marketplace_duplicate;
mod marketplace_entry_name;
mod marketplace_reserved_name;
mod marketplace_source_missing;
mod name_mismatch;
mod skill_size;
mod unused_suppression;
mod version_drift;
mod version_format;

use super::rule::Rule;

/// Every rule, by name.
pub const RULES: &[Rule] = &[
    component_in_manifest_folder::RULE,
    json_syntax::RULE,
    lockfile_at_root::RULE,
    manifest_field::RULE,
    manifest_path::RULE,
    manifest_target_missing::RULE,
    manifest_unknown_key::RULE,
    marketplace_duplicate::RULE,
    marketplace_entry_name::RULE,
    marketplace_reserved_name::RULE,
    marketplace_source_missing::RULE,
    name_mismatch::RULE,
    skill_size::RULE,
    unused_suppression::RULE,
    version_drift::RULE,
    version_format::RULE,
];

/// The rule of that name.
pub fn find(name: &str) -> Option<&'static Rule> {
    RULES.binary_search_by(|rule| rule.name.cmp(name)).ok().map(|at| &RULES[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_pages_have_their_parts() {
        assert!(RULES.is_sorted_by(|a, b| a.name < b.name));
        for rule in RULES {
            let title = format!("# {}\n", rule.name);
            assert!(rule.page.starts_with(&title), "{}: the page starts with its name", rule.name);
            for part in ["## What it does", "## Why", "## Example"] {
                assert!(rule.page.contains(part), "{}: the page has no `{part}`", rule.name);
            }
        }
    }
}
