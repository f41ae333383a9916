//! The table of all rules. A rule is `rules/<name>.rs`, which contains its line of the table and its code, and
//! `rules/<name>.md`, its page: what, why with the evidence, and examples that tests run. The list of modules here is
//! the list of rules, except for those that other modules report: their lines are in `rules/reported.rs`.

mod absolute_path;
mod agent_category;
mod agent_description_missing;
mod agent_field;
mod agent_name_missing;
mod agent_skill;
mod agent_syntax;
mod argument_hazard;
mod arguments_unbound;
mod bare_interpreter;
mod beta_description;
mod beta_drift;
mod beta_invocation;
mod beta_name;
mod beta_reference;
mod beta_residue;
mod broad_tool_grant;
mod broken_anchor;
mod broken_link;
mod byte_order_mark;
mod command_description_missing;
mod command_in_example;
mod command_placeholder;
mod compatibility_length;
mod component_in_manifest_folder;
mod copied_file_drift;
mod crlf_shebang;
mod cross_skill_reference;
mod description_length;
mod description_markup;
mod description_missing;
mod dispatch_mode;
mod duplicate_key;
mod empty_value;
mod field_type;
mod flat_skill_file;
mod frontmatter_missing;
mod hidden_unicode;
mod hook_key;
mod hook_matcher;
mod hook_path;
mod hook_script_missing;
mod hook_script_not_executable;
mod hook_timeout;
mod host_manifest;
mod house_size;
mod ignored_field;
mod include_missing;
mod include_size;
mod listing_budget;
mod lockfile_at_root;
mod manifest_field;
mod manifest_unknown_key;
mod marketplace_entry_conflict;
mod marketplace_entry_name;
mod marketplace_reserved_name;
mod mcp_command;
mod mcp_path;
mod mcp_tool_name;
mod mcp_transport;
mod mcp_variable;
mod merge_conflict;
mod missing_bundled_path;
mod name_format;
mod name_mismatch;
mod name_missing;
mod name_prefix;
mod nested_skill_file;
mod parallel_fallback;
mod path_case;
mod path_escape;
mod project_agent;
mod project_config;
mod project_file;
mod prompt_override_text;
mod question_fallback;
mod question_options;
mod readme_count;
mod readme_table;
mod reference_by_backtick;
mod reference_size;
mod refused_command;
mod release_owned;
mod remote_pipe_to_shell;
mod reported;
mod reserved_name;
mod reserved_plugin_name;
mod root_relative_link;
mod scheduled_skill_invocation;
mod script_not_executable;
mod semantic_skill_reference;
mod server_file;
mod shebang_missing;
mod shell_exploration;
mod shell_preprocessing;
mod size_allowance;
mod skill_boundary;
mod skill_file_missing;
mod skill_file_name;
mod skill_metadata;
mod skill_shell_chaining;
mod skill_shell_suppression;
mod skill_size;
mod slash_in_prose;
mod task_tool;
mod token_estimate;
mod tool_limit_lost;
mod unclosed_fence;
mod unclosed_tool_rule;
mod undeclared_option;
mod ungranted_command;
mod uninvocable_skill;
mod unknown_agent;
mod unknown_key;
mod unknown_skill;
mod unknown_tool;
mod unlisted_key;
mod unportable_path;
mod unqualified_agent;
mod unquoted_variable;
mod untypable_plugin_name;
mod variable_form;
mod variable_without_fallback;
mod version_drift;
mod version_format;
mod voice;
mod yaml_dialect;

use super::rule::Rule;

/// Every rule, by name. `build.rs` at the top of the package writes it from the modules above and
/// the lines of `reported`.
pub const RULES: &[Rule] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// Rules that make texts be examined more closely if they are enabled.
pub(super) const ROOT_RELATIVE_LINK: Rule = root_relative_link::RULE;
pub(super) const SKILL_BOUNDARY: Rule = skill_boundary::RULE;

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
