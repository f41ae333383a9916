//! The calls of the page about seeds, as a shell runs them: no failure of one of them changes a branch that is there.

use crate::hosts::review::obedient_model::{block, put};
use crate::runtime::fixture::{WORDS, environment, shell};
use crate::support::root;

const PAGE: &str = "plugins/polish/skills/polish-beta/references/seeds.md";
const HEADING: &str = "## Open a seed as a pull request";

/// A branch that is pushed, one commit more, and a branch of the same name as the seed's on which somebody works.
const FIXTURE: &str = r#"
repo; git init -q --bare ../origin.git; git remote add origin ../origin.git; git switch -q -c feat; put a.txt pushed; commit pushed
git push -q origin feat; git push -q origin feat~1:refs/heads/taken; put a.txt private; commit private
printf 'Large\n\nwhy\n' > ../message; pushed=$(git rev-parse feat~1)
"#;

fn call(number: usize, values: &[(&str, &str)]) -> String {
    let page = std::fs::read_to_string(root().join(PAGE)).expect("the page");
    let call = block(&page, HEADING, number).expect("a call");
    let values = [&[("MESSAGE", "../message"), ("BRANCH", "feat")], values].concat();
    values.iter().fold(call, |call, (word, value)| put(&call, word, value))
}

fn played(script: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = std::fs::canonicalize(folder.path()).expect("it is there").join("work");
    std::fs::create_dir_all(at.join("../home")).expect("folders");
    std::fs::create_dir_all(&at).expect("folders");
    let variables = environment(&at, &folder.path().join("home"));
    shell(&format!("{WORDS}\n{FIXTURE}\n{script}"), &at, &variables).expect("the script succeeds");
}

#[test]
fn a_seed_begins_at_the_pushed_commit_and_publishes_nothing_else() {
    played(&format!(
        "test \"$({} | cut -c 1-40)\" = \"$pushed\"; commit=$({}); {}; test \"$(git ls-remote origin refs/heads/new | cut -c 1-40)\" = \"$commit\"
        test \"$(git rev-parse \"$commit^\")\" = \"$pushed\"; test -z \"$(git diff \"$pushed\" \"$commit\")\"; test \"$(git log -1 --format=%s \"$commit\")\" = Large",
        call(1, &[]),
        call(2, &[("PUSHED", "$pushed")]),
        call(3, &[("COMMIT", "$commit"), ("NEW", "new")])
    ));
}

/// 20/26-deleted-branch: where the commit could not be made, the push deleted the branch.
#[test]
fn a_commit_that_cannot_be_made_deletes_no_branch() {
    let taken =
        "test \"$(git ls-remote origin refs/heads/taken | cut -c 1-40)\" = \"$(git rev-parse feat~2)\"";
    let push = |commit| call(3, &[("COMMIT", commit), ("NEW", "taken")]);
    played(&format!(
        "{taken}; if {}; then exit 1; fi; {taken}; if {}; then exit 1; fi; {taken}; if {}; then exit 1; fi; {taken}",
        push(""),
        push("$pushed"),
        push("$(git commit-tree 'HEAD^{tree}' -F ../none)"),
    ));
}

#[test]
fn a_branch_that_was_not_pushed_is_told() {
    played(&format!("git push -q origin :feat; if {}; then exit 1; fi", call(1, &[])));
}
