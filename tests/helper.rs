//! The helper and other programs that plugins ship: where a build takes them from, what it says when it
//! cannot, what the manifest lists, and what the launchers do.

mod configuration;
mod freshness;
mod launcher;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::helper::{platform, plugin};
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::{Tree, digest};

/// What the helper may have of bytes, a little more than it has: it must stay under 3 MiB with all groups of commands, and
/// a new group raises this on purpose.
const LIMIT: usize = 3_110_000;

/// Runs a build of `src` for one host in a folder.
fn build(folder: &Path, options: &[&str]) -> FinishedRun {
    let mut arguments = vec!["build", "src", "--to", "codex", "--out", "out"];
    arguments.extend(options);
    Plugcast::new(folder, &arguments).run()
}

/// A folder with a source below `src`.
fn source(tree: &Tree) -> TempDir {
    let folder = Tree::new().temporary();
    tree.write(&folder.path().join("src"));
    folder
}

/// A folder with a source and the bundle built from it.
fn built(tree: &Tree, options: &[&str]) -> TempDir {
    let folder = source(tree);
    build(folder.path(), options).expect_code(0);
    folder
}

fn manifest(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("out/codex/.plugcast/manifest.json")).expect("a manifest");
    serde_json::from_str(&text).expect("the manifest is JSON")
}

/// The error of a run that ended with exit code 2.
fn error(finished: FinishedRun) -> Value {
    let answer: Value = serde_json::from_str(&finished.expect_code(2).stdout).expect("one JSON object");
    answer["error"].clone()
}

/// A folder of a plugin in the bundle.
fn emitted(folder: &Path, plugin: &str) -> PathBuf {
    folder.join("out/codex/plugins").join(plugin)
}

/// Runs a program in an environment with `PATH` alone.
fn run(program: &Path, arguments: &[&str]) -> FinishedRun {
    ended(Command::new(program).args(arguments))
}

fn ended(command: &mut Command) -> FinishedRun {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let output = command.env_clear().env("PATH", path).stdin(Stdio::null()).output().expect("it starts");
    FinishedRun {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// What a launcher says when it has no binary: the helper's own shape, exit code 5, nothing else.
#[track_caller]
fn says_how_to_get_one(finished: FinishedRun) -> plugcast::runtime::answer::ErrorDetail {
    let finished = finished.expect_code(5);
    assert_eq!(finished.stderr, "");
    assert_eq!(finished.stdout.lines().count(), 1, "{}", finished.stdout);
    let answer: plugcast::runtime::answer::ErrorResponse =
        serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {}", finished.stdout));
    assert_eq!((answer.schema.as_str(), answer.status.as_str()), ("rt.error/1", "error"));
    assert_eq!(answer.error.code, plugcast::runtime::error_code::ErrorCode::HelperMissing);
    answer.error
}

#[test]
fn a_plugin_ships_a_small_static_helper() {
    let folder = built(&plugin("p"), &[]);
    let bin = emitted(folder.path(), "p").join("bin");
    let printed = run(&bin.join("plugcast-run"), &["--require", "0.1.0", "--version"]).expect_code(0);
    assert_eq!(printed.stdout, format!("plugcast-run {}\n", env!("CARGO_PKG_VERSION")));

    let path = format!("plugins/p/bin/{}/plugcast-run", platform());
    let bytes = fs::read(folder.path().join("out/codex").join(&path)).expect("the helper");
    let listed = serde_json::json!([{
        "plugin": "p", "path": path, "mode": "0755", "platform": platform(),
        "version": env!("CARGO_PKG_VERSION"), "sha256": digest(&bytes),
    }]);
    let manifest = manifest(folder.path());
    assert_eq!(manifest["helpers"], listed);
    let files: Vec<&str> =
        manifest["files"].as_array().into_iter().flatten().filter_map(|file| file["path"].as_str()).collect();
    assert!(
        files.contains(&"plugins/p/bin/plugcast-run") && files.contains(&"plugins/p/bin/plugcast-run.cmd")
    );
    assert!(!files.contains(&path.as_str()), "a helper stands beside the files");

    assert!(bytes.len() < LIMIT, "{} bytes; `cargo run --example sizes` shows of what", bytes.len());
    let holds = |words: &str| bytes.windows(words.len()).any(|window| window == words.as_bytes());
    if platform().starts_with("linux") {
        assert!(!names_an_interpreter(&bytes), "it is not static");
        let plugcast = fs::read(env!("CARGO_BIN_EXE_plugcast")).expect("the program");
        assert!(names_an_interpreter(&plugcast), "a dynamic program would be found");
    }
    for heavy in [
        "clap_builder-",
        "tera-2",
        "annotate-snippets-",
        "clap_mangen-",
        "minreq-",
        env!("CARGO_MANIFEST_DIR"),
    ] {
        assert!(!holds(heavy), "`{heavy}` is in the helper");
    }
    assert!(holds("serde_json-"), "names of crates would be found");
}

/// Whether an ELF file of 64 bits asks for a dynamic linker, by its program headers.
fn names_an_interpreter(bytes: &[u8]) -> bool {
    let number =
        |at: usize, size: usize| bytes[at..at + size].iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
    let (table, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    (0..count).any(|at| number(table + at * size, 4) == 3)
}

#[test]
fn with_and_without_the_helper_the_files_are_the_same() {
    let with = built(&plugin("p"), &[]);
    let without = built(&plugin("p"), &["--helper", "none"]);
    let kept = plugin("p").file("plugcast.toml", "[runtime]\nhelper = true\nship = false\n");
    let kept = built(&kept, &[]);
    assert_eq!(manifest(with.path())["digest"], manifest(without.path())["digest"]);
    for folder in [&without, &kept] {
        assert_eq!(manifest(folder.path())["helpers"], serde_json::json!([]));
        let bin = emitted(folder.path(), "p").join("bin");
        assert_eq!(Tree::read(&bin).top(), ["plugcast-run", "plugcast-run.cmd"]);
        let error = says_how_to_get_one(run(&bin.join("plugcast-run"), &["--version"]));
        assert!(error.message.contains("`plugcast-run`") && error.message.contains(&platform()), "{error:?}");
        assert!(error.hint.contains(&format!("--helper {}=PATH", platform())), "{error:?}");
    }
}

#[test]
fn two_plugins_bring_their_own() {
    let program = |word: &str| format!("#!/bin/sh\necho {word} \"$#\" \"$1\"\nexit 3\n");
    let config = |folder: &str| format!("[runtime.bin.which]\n{} = \"{folder}/which.sh\"\n", platform());
    let one = plugin("one").file("plugcast.toml", "[runtime]\nhelper = true\n".to_owned() + &config("tools"));
    let two = plugin("two").file("plugcast.toml", config("tools"));
    let mut tree = Tree::new().file("plugcast.toml", "[build]\nmarketplace = \"both\"\n");
    for (name, plugin) in [("one", one), ("two", two)] {
        let plugin = plugin.script("tools/which.sh", program(name));
        for (path, entry) in plugin.entries() {
            tree = tree.file(&format!("{name}/{path}"), entry.text());
        }
    }
    let folder = built(&tree, &[]);
    for name in ["one", "two"] {
        let launcher = emitted(folder.path(), name).join("bin/which");
        let printed = run(&launcher, &["a b", "c"]).expect_code(3);
        assert_eq!(printed.stdout, format!("{name} 2 a b\n"));
    }
    assert!(emitted(folder.path(), "one").join("bin/plugcast-run").is_file());
    assert!(!emitted(folder.path(), "two").join("bin/plugcast-run").exists());
}
