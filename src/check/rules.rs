//! THE table: every rule, once. A rule is `rules/<name>.rs`, which holds its line of the table and the
//! code, and `rules/<name>.md`, its page: what, why with the evidence, and examples that tests run.

mod byte_order_mark;
mod compatibility_length;
mod component_in_manifest_folder;
mod crlf_shebang;
mod description_length;
mod description_markup;
mod description_missing;
mod duplicate_key;
mod duplicate_name;
mod empty_value;
mod field_type;
mod flat_skill_file;
mod frontmatter_missing;
mod frontmatter_not_first;
mod frontmatter_unclosed;
mod hidden_unicode;
mod json_syntax;
mod listing_budget;
mod lockfile_at_root;
mod manifest_field;
mod manifest_path;
mod manifest_target_missing;
mod manifest_unknown_key;
mod marketplace_duplicate;
mod marketplace_entry_name;
mod marketplace_reserved_name;
mod marketplace_source_missing;
mod name_format;
mod name_mismatch;
mod name_missing;
mod nested_skill_file;
mod not_utf8;
mod reference_size;
mod reserved_name;
mod script_not_executable;
mod shebang_missing;
mod size_allowance;
mod skill_file_name;
mod skill_size;
mod stale_baseline;
mod token_estimate;
mod unknown_key;
mod unlisted_key;
mod unused_suppression;
mod version_drift;
mod version_format;
mod yaml_dialect;
mod yaml_syntax;

use super::rule::Rule;

/// Every rule, by name.
pub const RULES: &[Rule] = &[
    byte_order_mark::RULE,
    compatibility_length::RULE,
    component_in_manifest_folder::RULE,
    crlf_shebang::RULE,
    description_length::RULE,
    description_markup::RULE,
    description_missing::RULE,
    duplicate_key::RULE,
    duplicate_name::RULE,
    empty_value::RULE,
    field_type::RULE,
    flat_skill_file::RULE,
    frontmatter_missing::RULE,
    frontmatter_not_first::RULE,
    frontmatter_unclosed::RULE,
    hidden_unicode::RULE,
    json_syntax::RULE,
    listing_budget::RULE,
    lockfile_at_root::RULE,
    manifest_field::RULE,
    manifest_path::RULE,
    manifest_target_missing::RULE,
    manifest_unknown_key::RULE,
    marketplace_duplicate::RULE,
    marketplace_entry_name::RULE,
    marketplace_reserved_name::RULE,
    marketplace_source_missing::RULE,
    name_format::RULE,
    name_mismatch::RULE,
    name_missing::RULE,
    nested_skill_file::RULE,
    not_utf8::RULE,
    reference_size::RULE,
    reserved_name::RULE,
    script_not_executable::RULE,
    shebang_missing::RULE,
    size_allowance::RULE,
    skill_file_name::RULE,
    skill_size::RULE,
    stale_baseline::RULE,
    token_estimate::RULE,
    unknown_key::RULE,
    unlisted_key::RULE,
    unused_suppression::RULE,
    version_drift::RULE,
    version_format::RULE,
    yaml_dialect::RULE,
    yaml_syntax::RULE,
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
