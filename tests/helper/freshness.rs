//! `--check` and a second build: helpers are inputs, so their bytes make no bundle stale, but another
//! version does; and what a build wrote, the next one takes away.

use std::fs;

use super::{build, built, emitted, manifest};
use crate::support::helper::{binary, platform, plugin};
use crate::support::tree::{Tree, digest};

/// Changes one value of the helper's entry in the manifest on disk, as if another helper had been shipped.
fn edit(folder: &std::path::Path, key: &str, value: &str) {
    let path = folder.join("out/codex/.plugcast/manifest.json");
    let manifest = manifest(folder);
    let entry = |value: &str| format!("\"{key}\": \"{value}\"");
    let old = manifest["helpers"][0][key].as_str().expect("a text");
    let text = fs::read_to_string(&path).unwrap();
    let (before, helpers) = text.split_once("\"helpers\"").expect("helpers");
    let helpers = helpers.replace(&entry(old), &entry(value));
    fs::write(path, format!("{before}\"helpers\"{helpers}")).unwrap();
}

#[test]
fn check_ignores_a_helper_that_one_side_lacks() {
    for (first, second) in [(&[][..], &["--helper", "none"][..]), (&["--helper", "none"], &[])] {
        let folder = built(&plugin("p"), first);
        let before = Tree::read(&folder.path().join("out"));
        let check: Vec<&str> = ["--check"].iter().chain(second).copied().collect();
        build(folder.path(), &check).expect_code(0);
        let diff: Vec<&str> = ["--diff"].iter().chain(second).copied().collect();
        assert_eq!(build(folder.path(), &diff).expect_code(0).stdout, "");
        assert!(Tree::read(&folder.path().join("out")) == before);
    }
}

#[test]
fn check_compares_versions_and_not_bytes() {
    let folder = built(&plugin("p"), &[]);
    build(folder.path(), &["--check"]).expect_code(0);
    let program = emitted(folder.path(), "p").join(format!("bin/{}/plugcast-run", platform()));
    fs::write(program, "another build of it").unwrap();
    let other = build(folder.path(), &["--check"]).expect_code(1).stdout;
    assert!(other.contains("plugcast-run"), "its bytes are not those that its manifest lists: {other}");
    edit(folder.path(), "sha256", &digest(b"another build of it"));
    build(folder.path(), &["--check"]).expect_code(0);
    edit(folder.path(), "version", "0.0.1");
    let stale = build(folder.path(), &["--check"]).expect_code(1).stdout;
    assert!(stale.contains("~ .plugcast/manifest.json"), "{stale}");
    // A build without one has nothing to compare with.
    build(folder.path(), &["--check", "--helper", "none"]).expect_code(0);
}

#[test]
fn a_program_of_the_plugins_own_is_compared_by_its_bytes() {
    let config = format!("[runtime.bin.tool]\n{} = \"tool.sh\"\n", platform());
    let tree = plugin("p").file("plugcast.toml", config).script("tool.sh", "#!/bin/sh\necho one\n");
    let folder = built(&tree, &[]);
    build(folder.path(), &["--check"]).expect_code(0);
    fs::write(folder.path().join("src/tool.sh"), "#!/bin/sh\necho two\n").unwrap();
    let stale = build(folder.path(), &["--check"]).expect_code(1).stdout;
    assert!(stale.contains(&format!("~ plugins/p/bin/{}/tool", platform())), "{stale}");
}

#[test]
fn the_next_build_takes_away_and_mends_what_it_wrote() {
    let folder = built(&plugin("p"), &[]);
    let bin = emitted(folder.path(), "p").join("bin");
    let shipped = bin.join(platform()).join("plugcast-run");
    fs::write(bin.join(platform()).join("mine"), "mine\n").unwrap();
    fs::write(&shipped, "damaged").unwrap();
    build(folder.path(), &[]).expect_code(0);
    assert!(fs::read(&shipped).unwrap() == fs::read(binary()).unwrap());
    build(folder.path(), &["--helper", "none"]).expect_code(0);
    assert!(!shipped.exists());
    assert_eq!(fs::read_to_string(bin.join(platform()).join("mine")).unwrap(), "mine\n");

    // A file that no build wrote is not overwritten.
    fs::write(&shipped, "mine too\n").unwrap();
    let refused = build(folder.path(), &["--format", "json"]);
    let error = super::error(refused);
    assert_eq!(error["code"], "conflict");
    assert!(error["message"].as_str().unwrap_or_default().contains("plugcast-run"), "{error}");
    assert_eq!(fs::read_to_string(&shipped).unwrap(), "mine too\n");
}
