//! `promote`: a repository in, one command, the whole repository out. The cases stand in
//! `tests/promoting/cases`, in the form of `tests/cases`; what a folder of plain files cannot show stands
//! in the modules below.

mod bytes;
mod choice;
mod harm;
mod repositories;

use std::path::Path;

use serde_json::Value;

use crate::support::root;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

#[test]
fn every_promotion_leaves_the_expected_repository() {
    crate::cases::hold(&root().join("tests/promoting/cases"));
}

/// A beta skill of the plugin `demo`, without anything beside it.
fn beta(name: &str) -> String {
    format!(
        "---\nname: {name}-beta\ndescription: \"[BETA] Does a thing when it is asked for.\"\n\
         disable-model-invocation: true\n---\nDo it.\n"
    )
}

/// The stable form of [`beta`].
fn stable(name: &str) -> String {
    format!("---\nname: {name}\ndescription: \"Does a thing when it is asked for.\"\n---\nDo it.\n")
}

/// The plugin `demo` in `src`, with the beta `plan-beta`.
fn plugin() -> Tree {
    Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("src/skills/plan-beta/SKILL.md", beta("plan"))
}

fn run(folder: &Path, arguments: &[&str]) -> FinishedRun {
    Plugcast::new(folder, &[&["promote"], arguments].concat()).run()
}

/// The one JSON object that a run prints.
#[track_caller]
fn json(finished: &FinishedRun) -> Value {
    serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", finished.stdout, finished.stderr))
}

/// Promotes `plan-beta` of `tree`, whose plugin is in `src`, and answers with what is there then.
#[track_caller]
fn promoted(tree: &Tree) -> Tree {
    let folder = tree.temporary();
    run(folder.path(), &["plan-beta", "src"]).expect_code(0);
    Tree::read(folder.path())
}
