//! Where the helper comes from: beside an installed `plugcast`, from cargo in a checkout, from the
//! command line; and what is said where there is none.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{build, built, emitted, error, manifest, run, source};
use crate::support::helper::{binary, install, platform, plugin};
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::{Tree, digest};

/// An executable's header and, like in a helper, the words that it prints.
fn made_up(machine: u8, version: &str) -> Vec<u8> {
    let mut bytes = b"\x7fELF".to_vec();
    bytes.extend([0; 14]);
    bytes.extend([machine, 0]);
    bytes.extend(format!("\0plugcast-run {version}\n").bytes());
    bytes
}

const ARM: u8 = 0xb7;

fn installed(folder: &Path, more: &[&str]) -> FinishedRun {
    let mut arguments = vec!["build", "src", "--to", "codex", "--out", "out", "--format", "json"];
    arguments.extend(more);
    Plugcast::with_program(&folder.join("installed/plugcast"), folder, &arguments).run()
}

#[test]
fn an_installed_program_takes_the_one_beside_it() {
    let folder = source(&plugin("p"));
    fs::create_dir(folder.path().join("installed")).unwrap();
    install(Path::new(env!("CARGO_BIN_EXE_plugcast")), &folder.path().join("installed/plugcast"));
    let missing = error(installed(folder.path(), &[]));
    assert_eq!(missing["code"], "helper");
    let help = missing["help"].as_str().unwrap_or_default();
    for way in ["cargo install", &format!("--helper {}=PATH", platform()), "--helper none"] {
        assert!(help.contains(way), "`{way}` is not in {missing}");
    }
    assert!(!folder.path().join("out/codex").exists());
    // A look misses nothing.
    installed(folder.path(), &["--check"]).expect_code(1);

    install(binary(), &folder.path().join("installed/plugcast-run"));
    installed(folder.path(), &[]).expect_code(0);
    let launcher = emitted(folder.path(), "p").join("bin/plugcast-run");
    run(&launcher, &["--version"]).expect_code(0);
    // Where no plugin ships one, none is needed.
    fs::remove_file(folder.path().join("installed/plugcast-run")).unwrap();
    fs::write(folder.path().join("src/plugcast.toml"), "").unwrap();
    installed(folder.path(), &[]).expect_code(0);
    assert_eq!(manifest(folder.path())["helpers"], json!([]));
}

#[test]
fn in_a_checkout_the_one_beside_is_never_taken() {
    let folder = built(&plugin("p"), &[]);
    let beside = Path::new(env!("CARGO_BIN_EXE_plugcast-run"));
    assert_eq!(beside.parent(), Path::new(env!("CARGO_BIN_EXE_plugcast")).parent());
    let shipped = manifest(folder.path())["helpers"][0]["sha256"].clone();
    assert_ne!(shipped, digest(&fs::read(beside).unwrap()));
}

#[test]
fn a_build_that_fails_is_told_in_cargos_words() {
    let folder = Tree::new().temporary();
    let package = "[package]\nname = \"plugcast\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[profile.helper]\ninherits = \"release\"\n[features]\ncompiler = []\n";
    let tree = Tree::new()
        .file("Cargo.toml", package)
        .file("Cargo.lock", "version = 4\n[[package]]\nname = \"plugcast\"\nversion = \"0.1.0\"\n")
        .file("src/bin/plugcast-run.rs", "fn main() { lighthouse }\n");
    tree.write(&folder.path().join("checkout"));
    plugin("p").write(&folder.path().join("src"));
    let checkout = folder.path().join("checkout");
    let arguments = ["build", "src", "--to", "codex", "--out", "out", "--format", "json"];
    let run = || {
        Plugcast::new(folder.path(), &arguments)
            .env("CARGO_MANIFEST_DIR", checkout.to_str().unwrap())
            .env("CARGO_TARGET_DIR", "built here")
            .run()
    };
    let failed = error(run());
    assert_eq!(failed["code"], "helper");
    let message = failed["message"].as_str().unwrap_or_default();
    assert!(message.contains("cannot find value `lighthouse`"), "{message}");
    assert!(folder.path().join("built here/helper").is_dir(), "the user's build folder counts");
    assert!(!checkout.join("target").exists());
}

#[test]
fn other_platforms_come_from_the_command_line() {
    let folder = source(&plugin("p"));
    fs::write(folder.path().join("arm helper"), made_up(ARM, "0.3.0")).unwrap();
    build(folder.path(), &["--helper", "linux-aarch64=arm helper"]).expect_code(0);
    let listed = |manifest: &Value| -> Vec<(String, String)> {
        let text = |helper: &Value, key: &str| helper[key].as_str().unwrap_or_default().to_owned();
        let helpers = manifest["helpers"].as_array().into_iter().flatten();
        helpers.map(|helper| (text(helper, "platform"), text(helper, "version"))).collect()
    };
    let mut wanted = vec![
        ("linux-aarch64".to_owned(), "0.3.0".to_owned()),
        (platform(), env!("CARGO_PKG_VERSION").to_owned()),
    ];
    wanted.sort();
    wanted.dedup_by(|later, first| later.0 == first.0);
    assert_eq!(listed(&manifest(folder.path())), wanted);
}

#[test]
fn a_file_that_is_not_a_helper_for_its_platform_is_refused() {
    let folder = source(&plugin("p"));
    for (name, bytes) in [
        ("arm", made_up(ARM, "0.3.0")),
        ("nameless", made_up(ARM, "soon")),
        ("script", b"#!/bin/sh\necho plugcast-run 0.3.0\n".to_vec()),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    for (given, part) in [
        ("macos-aarch64=arm", "is a program for linux-aarch64, not for macos-aarch64"),
        ("linux-aarch64=nameless", "is not a `plugcast-run`"),
        ("linux-aarch64=script", "is not a program for a known platform"),
        ("linux-aarch64=nowhere", "the file `nowhere` does not exist"),
    ] {
        let refused = error(build(folder.path(), &["--format", "json", "--helper", given]));
        assert!(refused["message"].as_str().unwrap_or_default().contains(part), "{given}: {refused}");
        assert!(refused["help"].is_string());
    }
    for given in [
        &["--helper", "linux-riscv64=arm"][..],
        &["--helper", "all"],
        &["--helper", "none", "--helper", "linux-aarch64=arm"],
        &["--helper", "linux-aarch64=arm", "--helper", "linux-aarch64=arm"],
    ] {
        let arguments: Vec<&str> = ["--format", "json"].iter().chain(given).copied().collect();
        assert_eq!(error(build(folder.path(), &arguments))["code"], "usage", "{given:?}");
    }
    assert!(!folder.path().join("out/codex").exists());
}
