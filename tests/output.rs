//! What a build does to its output folder: nothing where nothing changed, nothing with `--check` and
//! `--diff`, never anything to files of others, and one build at a time.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::git::{git, write};
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

const SKILL: &str = "---\nname: a\ndescription: First.\n---\nBody of a.\n";

fn source() -> Tree {
    Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"p\", \"version\": \"1.0.0\" }\n")
        .file("src/skills/a/SKILL.md", SKILL)
        .file("src/skills/b/SKILL.md", "---\nname: b\ndescription: Second.\n---\nUse TodoWrite.\n")
}

/// A folder with a source and the bundles built from it.
fn built() -> TempDir {
    let folder = source().temporary();
    build(folder.path(), &[]).expect_code(0);
    folder
}

fn build(folder: &Path, options: &[&str]) -> FinishedRun {
    let mut arguments = vec!["build", "src", "--to", "codex,opencode", "--out", "out"];
    arguments.extend(options);
    Plugcast::new(folder, &arguments).run()
}

fn answer(finished: &FinishedRun) -> Value {
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}\n{}", finished.stdout))
}

/// Path, content, inode and time of change of everything: what no look may alter.
fn state(folder: &Path) -> Vec<(String, u64, i64)> {
    let tree = Tree::read(folder);
    let one = |path: &str| {
        let meta = fs::symlink_metadata(folder.join(path)).expect("an entry");
        (path.to_owned(), meta.ino(), meta.mtime_nsec())
    };
    tree.entries().map(|(path, _)| one(path)).collect()
}

fn change(folder: &Path) {
    fs::write(folder.join("src/skills/a/SKILL.md"), SKILL.replace("Body of a.", "Another body.")).unwrap();
}

#[test]
fn check_of_a_fresh_bundle_is_clean_and_of_a_stale_one_is_not() {
    let folder = built();
    let before = state(folder.path());
    let fresh = build(folder.path(), &["--check"]).expect_code(0);
    assert_eq!(fresh.stdout, "Codex: `out/codex` is up to date\nOpenCode: `out/opencode` is up to date\n");
    assert_eq!(state(folder.path()), before);

    change(folder.path());
    let before = state(folder.path());
    let stale = build(folder.path(), &["--check"]).expect_code(1);
    let lines: Vec<&str> = stale.stdout.lines().collect();
    assert!(lines[0].starts_with("Codex: `out/codex` is stale, "), "{}", stale.stdout);
    assert!(lines.contains(&"  ~ plugins/p/skills/a/SKILL.md"), "{}", stale.stdout);
    assert_eq!(state(folder.path()), before, "`--check` wrote something");
    let stale = build(folder.path(), &["--check", "--format", "json"]).expect_code(1);
    let targets = answer(&stale)["targets"].clone();
    assert!(targets.as_array().into_iter().flatten().all(|target| target["written"] == 0), "{targets}");
}

#[test]
fn check_before_any_build_is_stale_and_creates_nothing() {
    let folder = source().temporary();
    build(folder.path(), &["--check"]).expect_code(1);
    build(folder.path(), &["--diff"]).expect_code(0);
    assert!(!folder.path().join("out").exists());
}

#[test]
fn diff_prints_what_would_change_and_writes_nothing() {
    let folder = built();
    assert_eq!(build(folder.path(), &["--diff"]).expect_code(0).stdout, "");
    change(folder.path());
    fs::create_dir(folder.path().join("src/agents")).unwrap();
    fs::write(folder.path().join("src/agents/new.md"), "---\nname: new\ndescription: d\n---\nYou.\n")
        .unwrap();
    fs::remove_dir_all(folder.path().join("src/skills/b")).unwrap();
    let before = state(folder.path());
    let diff = build(folder.path(), &["--diff"]).expect_code(0).stdout;
    for lines in [
        "--- a/out/codex/plugins/p/skills/a/SKILL.md\n+++ b/out/codex/plugins/p/skills/a/SKILL.md\n@@ -2,4 +2,4 @@\n name: a\n description: First.\n ---\n-Body of a.\n+Another body.\n",
        "--- /dev/null\n+++ b/out/codex/plugins/p/agents/new.md\n@@ -0,0 +1,5 @@\n",
        "--- a/out/codex/plugins/p/skills/b/SKILL.md\n+++ /dev/null\n",
        "+++ b/out/opencode/plugins/p/skills/a/SKILL.md\n",
    ] {
        assert!(diff.contains(lines), "{lines}\nis not in\n{diff}");
    }
    assert_eq!(state(folder.path()), before, "`--diff` wrote something");
    assert_eq!(build(folder.path(), &["--diff", "--check"]).expect_code(1).stdout, diff);
    assert_eq!(state(folder.path()), before, "`--diff --check` wrote something");
}

#[test]
fn a_second_build_writes_nothing() {
    let folder = built();
    let before = state(&folder.path().join("out/codex"));
    let again = build(folder.path(), &["--format", "json"]).expect_code(0);
    let written: Vec<Value> = answer(&again)["targets"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|target| target["written"].clone())
        .collect();
    assert_eq!(written, [0, 0]);
    assert_eq!(state(&folder.path().join("out/codex")), before);
}

#[test]
fn files_of_others_stay_and_those_of_removed_components_go() {
    let folder = built();
    let out = folder.path().join("out/codex");
    fs::write(out.join("plugins/p/skills/a/mine.txt"), "mine\n").unwrap();
    fs::write(out.join("NOTES.md"), "mine\n").unwrap();
    fs::write(out.join("plugins/p/skills/b/mine.txt"), "mine\n").unwrap();
    fs::remove_dir_all(folder.path().join("src/skills/b")).unwrap();
    change(folder.path());
    build(folder.path(), &[]).expect_code(0);
    for path in ["plugins/p/skills/a/mine.txt", "NOTES.md", "plugins/p/skills/b/mine.txt"] {
        assert_eq!(fs::read_to_string(out.join(path)).expect(path), "mine\n");
    }
    assert!(!out.join("plugins/p/skills/b/SKILL.md").exists());
    let opencode = folder.path().join("out/opencode/plugins/p/skills");
    assert!(!opencode.join("b").exists(), "an empty folder is left");
    assert!(fs::read_to_string(opencode.join("a/SKILL.md")).unwrap().contains("Another body."));
    let beside: Vec<String> = fs::read_dir(folder.path().join("out"))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with("codex") && !name.starts_with("opencode"))
        .collect();
    assert_eq!(beside, [""; 0], "the build left a temporary folder");
}

/// A changed mode is a change, and a file that somebody edited is written again.
#[test]
fn edited_files_are_restored() {
    let folder = built();
    let skill = folder.path().join("out/codex/plugins/p/skills/a/SKILL.md");
    fs::write(&skill, "edited\n").unwrap();
    build(folder.path(), &["--check"]).expect_code(1);
    build(folder.path(), &[]).expect_code(0);
    assert_eq!(fs::read_to_string(&skill).unwrap(), SKILL);
    build(folder.path(), &["--check"]).expect_code(0);
}

#[test]
fn a_verification_stays_only_while_it_is_about_these_files() {
    let folder = built();
    let own = folder.path().join("out/codex/.plugcast");
    let manifest: Value = serde_json::from_slice(&fs::read(own.join("manifest.json")).unwrap()).unwrap();
    let record =
        serde_json::json!({"schema": "plugcast.verified/1", "digest": manifest["digest"]}).to_string();
    fs::write(own.join("verified.json"), &record).unwrap();
    build(folder.path(), &["--check"]).expect_code(0);
    build(folder.path(), &[]).expect_code(0);
    assert_eq!(fs::read_to_string(own.join("verified.json")).unwrap(), record);

    // The ledger changes, the files do not.
    fs::write(folder.path().join("src/package-lock.json"), "{}\n").unwrap();
    let ledger = fs::read(own.join("ledger.json")).unwrap();
    build(folder.path(), &[]).expect_code(0);
    assert_ne!(fs::read(own.join("ledger.json")).unwrap(), ledger);
    assert_eq!(fs::read_to_string(own.join("verified.json")).unwrap(), record);

    change(folder.path());
    build(folder.path(), &[]).expect_code(0);
    assert!(!own.join("verified.json").exists(), "a verification of other files is left");
}

/// Takes ten seconds, which is how long a build waits for another one.
#[test]
fn a_second_build_at_the_same_time_names_the_first() {
    let folder = built();
    let lock = folder.path().join("out/.plugcast.lock");
    let mut held = File::options().read(true).write(true).create(true).truncate(true).open(lock).unwrap();
    held.lock().unwrap();
    write!(held, "{}", std::process::id()).unwrap();
    change(folder.path());
    let before = Tree::read(&folder.path().join("out"));
    // A look needs no lock.
    build(folder.path(), &["--check"]).expect_code(1);
    let refused = build(folder.path(), &["--format", "json"]).expect_code(2);
    let error = answer(&refused)["error"].clone();
    assert_eq!(error["code"], "locked");
    assert_eq!(error["message"], format!("another build (process {}) is writing `out`", std::process::id()));
    assert_eq!(error["help"], "wait for it to finish, or stop it");
    assert_eq!(Tree::read(&folder.path().join("out")), before);
    drop(held);
    build(folder.path(), &[]).expect_code(0);
}

#[test]
fn a_bundle_of_a_newer_plugcast_is_left_alone() {
    let folder = built();
    let manifest = folder.path().join("out/codex/.plugcast/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap().replace("plugcast.manifest/1", "plugcast.manifest/99");
    fs::write(&manifest, text).unwrap();
    change(folder.path());
    let before = state(&folder.path().join("out/codex"));
    let refused = build(folder.path(), &["--format", "json"]).expect_code(2);
    let error = answer(&refused)["error"].clone();
    assert_eq!(error["code"], "document");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("out/codex/.plugcast/manifest.json") && message.contains("plugcast.manifest/99"),
        "{error}"
    );
    assert!(message.contains("newer"), "it says which plugcast it needs: {error}");
    assert_eq!(state(&folder.path().join("out/codex")), before);
}

/// `dist` below SRC is not part of the source.
#[test]
fn the_output_may_lie_in_the_source() {
    let folder = source().temporary();
    let src = folder.path().join("src");
    let arguments = ["build", "--to", "codex,claude-code", "--format", "json"];
    let first = answer(&Plugcast::new(&src, &arguments).run().expect_code(0));
    let second = answer(&Plugcast::new(&src, &arguments).run().expect_code(0));
    for (first, second) in first["targets"]
        .as_array()
        .into_iter()
        .flatten()
        .zip(second["targets"].as_array().into_iter().flatten())
    {
        assert_eq!(first["digest"], second["digest"]);
        assert_eq!(second["written"], 0, "the first output was read as a source");
    }
}

/// What the author's own build makes is often ignored by git, or is in `dist`, where bundles go by default.
#[test]
fn include_carries_what_is_ignored_or_lies_in_the_output_folder() {
    let with = |config: &str| {
        source()
            .file("src/.gitignore", "/dist/\n/gen/\n")
            .file("src/dist/server.js", "1\n")
            .file("src/dist/server.map", "2\n")
            .file("src/gen/deep/a.js", "3\n")
            .file("src/plugcast.toml", config)
            .temporary()
    };
    let carried = |config: &str| {
        let folder = with(config);
        let run =
            || Plugcast::new(&folder.path().join("src"), &["build", "--to", "codex"]).run().expect_code(0);
        run();
        // The second build finds the first one's bundle in the folder.
        run();
        let plugin = folder.path().join("src/dist/codex/plugins/p");
        let all = Tree::read(&plugin);
        let names = all.entries().map(|(path, _)| path.to_owned());
        names.filter(|path| path.ends_with(".js") || path.ends_with(".map")).collect::<Vec<_>>()
    };
    assert!(carried("").is_empty());
    assert_eq!(
        carried("[build]\ninclude = [\"dist/*.js\", \"gen/**\"]\n"),
        ["dist/server.js", "gen/deep/a.js"]
    );
    // A folder stands for everything in it.
    assert_eq!(carried("[build]\ninclude = [\"./gen/\"]\n"), ["gen/deep/a.js"]);
}

/// Hosts install from a clone, which has whatever git tracks. Such files once stayed out of bundles.
#[test]
fn a_tracked_file_is_part_of_the_plugin_although_a_pattern_ignores_it() {
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
        .file("src/.gitignore", "lib/\n*.[gG]en.js\n")
        .file("src/commands/go.md", "---\ndescription: Goes.\n---\nRun `${CLAUDE_PLUGIN_ROOT}/lib/a.js`.\n")
        .file("src/lib/a.js", "a\n")
        .file("src/b.gen.js", "b\n")
        .file("src/dist/claude-code/x.gen.js", "no bundle\n")
        .temporary();
    let at = folder.path();
    git(at, &["init", "-q"]);
    git(at, &["add", "-f", "."]);
    git(at, &["commit", "-qm", "first"]);
    write(at, "src/lib/untracked.js", "u\n");
    write(at, "src/untracked.gen.js", "u\n");
    let arguments = ["build", "--to", "all", "--out", "../out"];
    let built = Plugcast::new(&at.join("src"), &arguments).run().expect_code(0);
    assert!(!built.stderr.contains("closure"), "{}", built.stderr);
    for host in ["claude-code", "codex", "opencode"] {
        let bundle = Tree::read(&at.join("out").join(host).join("plugins/demo"));
        let files: Vec<&str> =
            bundle.entries().map(|(path, _)| path).filter(|path| path.ends_with(".js")).collect();
        let shipped = |path: &&str| !path.contains("plugcast.");
        let files: Vec<&str> = files.into_iter().filter(shipped).collect();
        assert_eq!(files, ["b.gen.js", "dist/claude-code/x.gen.js", "lib/a.js"], "{host}");
    }
    // A commit holds the same files as the work tree.
    let same = Plugcast::new(at, &["diff", "HEAD:src", "src"]).run().expect_code(0);
    assert!(same.stdout.contains("nothing differs"), "{}", same.stdout);
    std::fs::remove_dir_all(at.join(".git")).expect("the repository can be removed");
    Plugcast::new(&at.join("src"), &arguments).run().expect_code(1);
    assert!(!at.join("out/codex/plugins/demo/lib").exists(), "without git, nothing is known to be tracked");
}
