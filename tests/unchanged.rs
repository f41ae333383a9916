//! A build without a change answers from the user's build cache: the same words, nothing written, and whatever has
//! changed since is seen.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

/// A source with one finding (a link to nothing), losses, a binary file and a script.
fn source() -> Tree {
    Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"p\", \"version\": \"1.0.0\" }\n")
        .file("src/skills/a/SKILL.md", "---\nname: a\ndescription: First.\n---\nRead [it](gone.md).\n")
        .file("src/skills/a/data.bin", [0, 159, 146, 150])
        .script("src/skills/a/run.sh", "#!/bin/sh\necho\n")
        .file("src/agents/w.md", "---\nname: w\ndescription: Works.\ntools: Read\n---\nWork.\n")
        .file("src/plugcast.toml", "[build]\nexclude = [\"left/**\"]\n")
        .file("src/left/out.md", "Out.\n")
}

fn build(folder: &Path, options: &[&str]) -> FinishedRun {
    let mut arguments = vec!["build", "src", "--to", "codex,claude-code", "--out", "out"];
    arguments.extend(options);
    let cache = folder.join("cache");
    Plugcast::new(folder, &arguments).env("XDG_CACHE_HOME", cache.to_str().expect("UTF-8")).run()
}

/// A folder with a source and the bundles built from it.
fn built() -> (TempDir, FinishedRun) {
    let folder = source().temporary();
    let first = build(folder.path(), &[]).expect_code(0);
    (folder, first)
}

/// What the cache holds: one file for each host.
fn cached(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder.join("cache/plugcast/builds")).into_iter().flatten().flatten();
    found.map(|entry| entry.path()).collect()
}

/// A finding that no build makes, put into the cache: who prints it has answered from it.
const MARK: &str = "a mark in the cache";

fn mark(folder: &Path) {
    let cached = cached(folder);
    assert_eq!(cached.len(), 2);
    for path in cached {
        let text = fs::read_to_string(&path).expect("a build");
        let mut record: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let finding = serde_json::json!({ "rule": "rule-failed", "severity": "warning", "message": MARK,
            "path": "skills/a/SKILL.md", "line": 1, "column": 1, "end_line": 1, "end_column": 1, "hosts": [] });
        record["found"] = serde_json::json!([finding]);
        fs::write(&path, record.to_string()).expect("it can be written");
    }
}

fn from_the_cache(finished: &FinishedRun) -> bool {
    finished.stderr.contains(MARK)
}

#[test]
fn the_same_words_again_and_nothing_written() {
    let (folder, first) = built();
    assert!(first.stderr.contains("gone.md"), "{}", first.stderr);
    let before = Tree::read(folder.path());
    let again = build(folder.path(), &[]).expect_code(0);
    assert_eq!(again.stderr, first.stderr);
    // Only the first build reports what it wrote.
    let words = |text: &str| {
        text.lines().map(|line| line.split(" (").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(words(&again.stdout), words(&first.stdout));
    assert_eq!(Tree::read(folder.path()), before);

    let json = |finished: &FinishedRun| -> serde_json::Value {
        let mut value: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
        for target in value["targets"].as_array_mut().expect("targets") {
            target["written"] = 0.into();
        }
        value
    };
    let other = source().temporary();
    let new = build(other.path(), &["--format", "json"]).expect_code(0);
    assert_eq!(json(&build(folder.path(), &["--format", "json"]).expect_code(0)), json(&new));

    mark(folder.path());
    assert!(from_the_cache(&build(folder.path(), &[])), "the cache was not asked");
    assert!(!from_the_cache(&build(folder.path(), &["--check"])), "a gate must look for itself");
}

/// One thing that is done to what was built.
type Step = fn(&Path);

#[test]
fn whatever_changes_is_seen() {
    let steps: [(&str, Step); 17] = [
        ("a text of the source", |folder| {
            let text = "---\nname: a\ndescription: First.\n---\nRead [it](gone.md)!\n";
            fs::write(folder.join("src/skills/a/SKILL.md"), text).unwrap();
        }),
        ("bytes of the source", |folder| {
            fs::write(folder.join("src/skills/a/data.bin"), [0, 159, 146, 151]).unwrap()
        }),
        ("a mode of the source", |folder| {
            fs::set_permissions(folder.join("src/skills/a/run.sh"), fs::Permissions::from_mode(0o644))
                .unwrap();
        }),
        ("a new file", |folder| fs::write(folder.join("src/skills/a/more.md"), "More.\n").unwrap()),
        ("a file that went", |folder| fs::remove_file(folder.join("src/skills/a/data.bin")).unwrap()),
        ("another name of a file", |folder| {
            fs::rename(folder.join("src/skills/a/data.bin"), folder.join("src/skills/a/date.bin")).unwrap();
        }),
        ("a link in the place of a file", |folder| {
            fs::rename(folder.join("src/agents/w.md"), folder.join("src/skills/a/w.md")).unwrap();
            symlink("../skills/a/w.md", folder.join("src/agents/w.md")).unwrap();
        }),
        ("an empty folder", |folder| fs::create_dir(folder.join("src/commands")).unwrap()),
        ("a file that takes no part and went", |folder| fs::remove_dir_all(folder.join("src/left")).unwrap()),
        ("the settings", |folder| {
            let text = "[build]\nexclude = [\"left/**\", \"*.bin\"]\n";
            fs::write(folder.join("src/plugcast.toml"), text).unwrap();
        }),
        ("an emitted file", |folder| {
            fs::write(folder.join("out/codex/plugins/p/skills/a/data.bin"), [0, 159, 146, 0]).unwrap();
        }),
        ("the mode of an emitted file", |folder| {
            let path = folder.join("out/codex/plugins/p/skills/a/data.bin");
            fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
        }),
        ("an emitted file that went", |folder| {
            fs::remove_file(folder.join("out/claude-code/plugins/p/skills/a/run.sh")).unwrap();
        }),
        ("a document", |folder| fs::write(folder.join("out/codex/.plugcast/ledger.json"), "{}").unwrap()),
        ("a cache that is none", |folder| {
            cached(folder).iter().for_each(|path| fs::write(path, "{").unwrap());
        }),
        ("a cache that others may read", |folder| {
            let open = fs::Permissions::from_mode(0o644);
            cached(folder).iter().for_each(|path| fs::set_permissions(path, open.clone()).unwrap());
        }),
        ("a file of the cache under the name of another", |folder| {
            let (one, two) = (&cached(folder)[0], &cached(folder)[1]);
            fs::copy(one, two).unwrap();
        }),
    ];
    for (what, step) in steps {
        let (folder, _) = built();
        mark(folder.path());
        assert!(from_the_cache(&build(folder.path(), &[])), "{what}: nothing has changed yet");
        step(folder.path());
        assert!(!from_the_cache(&build(folder.path(), &[])), "{what}: the old answer was given");
        assert_eq!(build(folder.path(), &["--check"]).code, Some(0), "{what}: the bundle is stale");
    }
}

#[test]
fn other_options_build_again() {
    for options in [&["--name", "q"][..], &["--deny-loss", "security"], &["--helper", "none"]] {
        let (folder, _) = built();
        mark(folder.path());
        assert!(!from_the_cache(&build(folder.path(), options)), "{options:?}");
    }
    let (folder, _) = built();
    mark(folder.path());
    let denied = build(folder.path(), &["--deny-new-losses"]);
    assert!(denied.code == Some(0) && from_the_cache(&denied), "no loss is new where nothing changed");
}

/// A plugin without a manifest is called like its folder.
#[test]
fn another_name_of_the_folder_is_another_plugin() {
    let folder = Tree::new().file("src/skills/a/SKILL.md", "---\ndescription: d\n---\nBody.\n").temporary();
    build(folder.path(), &[]).expect_code(0);
    fs::rename(folder.path().join("src"), folder.path().join("moved")).expect("it can be renamed");
    std::os::unix::fs::symlink("moved", folder.path().join("src")).expect("a link can be made");
    build(folder.path(), &[]).expect_code(0);
    let names = |name: &str| folder.path().join("out/codex/plugins").join(name).exists();
    assert_eq!((names("src"), names("moved")), (false, true));
}

#[test]
fn nothing_is_written_to_a_bundle_for_the_sake_of_the_cache() {
    let (folder, _) = built();
    fs::remove_dir_all(folder.path().join("cache")).unwrap();
    let before = Tree::read(&folder.path().join("out"));
    let again = build(folder.path(), &["--format", "json"]).expect_code(0);
    assert!(again.stdout.replace(' ', "").contains("\"written\":0"), "{}", again.stdout);
    assert_eq!(Tree::read(&folder.path().join("out")), before);
    mark(folder.path());
    assert!(from_the_cache(&build(folder.path(), &[])), "what was built without a change is not remembered");
}

#[test]
fn a_cache_that_cannot_be_written_is_none() {
    let folder = source().file("cache", "a file").temporary();
    let first = build(folder.path(), &[]).expect_code(0);
    assert_eq!(build(folder.path(), &[]).expect_code(0).stderr, first.stderr);
    assert_eq!(fs::read_to_string(folder.path().join("cache")).unwrap(), "a file");
}

#[test]
fn the_cache_keeps_the_newest_builds() {
    let (folder, _) = built();
    let cache = folder.path().join("cache/plugcast/builds");
    for number in 0..300 {
        let file = fs::File::create(cache.join(format!("{number}.json"))).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    }
    fs::write(folder.path().join("src/skills/a/more.md"), "More.\n").unwrap();
    build(folder.path(), &[]).expect_code(0);
    assert_eq!(cached(folder.path()).len(), 129, "half of what is kept, and the second host");
    assert!(cached(folder.path()).iter().filter(|path| fs::metadata(path).unwrap().len() > 0).count() == 4);
}

#[test]
fn an_error_stays_an_error() {
    let folder =
        source().link("src/skills/a/away.md", "../../../elsewhere.md").file("elsewhere.md", "-").temporary();
    let first = build(folder.path(), &[]).expect_code(1);
    let again = build(folder.path(), &[]).expect_code(1);
    assert_eq!(again.stderr, first.stderr);
}
