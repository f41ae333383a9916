//! What the README shows is what the command prints.

use crate::support::root;
use crate::support::run::Plugcast;

#[test]
fn the_readme_shows_the_true_output_of_the_main_job() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let start = "$ cargo run -- build --to codex\n";
    let shown = readme.split_once(start).and_then(|(_, rest)| rest.split_once("```")).expect("the block").0;
    let dist = tempfile::tempdir().expect("a folder");
    let out = dist.path().join("dist");
    let arguments = ["build", "--to", "codex", "--out", out.to_str().expect("UTF-8")];
    let ran = Plugcast::new(root(), &arguments).run().expect_code(0);
    let printed = ran.stdout.replace(&out.display().to_string(), "dist");
    assert_eq!(printed, shown, "write the true output into README.md");
    assert!(out.join("codex/.plugcast/ledger.json").is_file());
}
