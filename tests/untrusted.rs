//! Input that nobody vouches for, one module for each way in. Each test carries the number of its case in the list of
//! attacks: nothing outside is read, written or run, whatever a source, a bundle or a repository says.

mod bundles;
mod content;
pub mod documents;
mod environment;
mod forged_bundles;
pub mod frontmatter;
mod git_settings;
mod git_trees;
mod hidden_chars;
mod large_files;
mod links;
mod output;
mod races;
mod readers;
mod scale;
mod scale_checklists;
mod scale_markdown;
mod scale_servers;
mod scale_settings;
mod settings;
pub mod source_host;
mod special_files;
mod swaps;
pub mod tool_lists;
mod unlisted_files;
mod verbs;

use crate::support::tree::Tree;

/// A plugin `demo` with one skill.
pub fn demo() -> Tree {
    Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
        .file("in/skills/s/SKILL.md", "---\nname: s\ndescription: Says it\n---\n\nSay it.\n")
}
