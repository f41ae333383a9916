//! 4, 6 and 12: somebody swaps names in the output folder, or in the repository that is changed, while a command writes
//! there. Each run is stopped at one change of the file system, a name is swapped, and the run goes on; a walk stops at
//! every change. Wherever the new name leads, nothing there is written, removed, linked or given another mode, and the
//! run ends well or says why not.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::demo;
use crate::faults::binary;
use crate::support::git::{commit, git};
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

/// How often a walk may go on at most, so that one that never ends is a failure.
const MOST: usize = 500;
/// What is outside, and is nobody's to touch.
const OUTSIDE: &str = "outside";

/// A name that is swapped, relative to the folder of the fixture.
struct Swap {
    name: &'static str,
    with: Replacement,
}

/// What takes its place.
#[derive(Clone, Copy, PartialEq)]
enum Replacement {
    /// A link to what is outside.
    Link,
    /// What lay outside itself, moved there.
    Folder,
}

impl Swap {
    fn make(&self, fixture: &Path) {
        let place = fixture.join(self.name);
        let aside = fixture.join("aside");
        if fs::symlink_metadata(&place).is_ok() {
            fs::rename(&place, aside).unwrap();
        }
        if !place.parent().is_some_and(Path::is_dir) {
            // The name is not there yet, or not any more.
            return;
        }
        match self.with {
            Replacement::Link => symlink(fixture.join(OUTSIDE), place).unwrap(),
            Replacement::Folder => fs::rename(fixture.join(OUTSIDE), place).unwrap(),
        }
    }
}

/// Names as a bundle and a repository have them, so that a swap there finds what it wants to write or remove.
fn outside(tree: Tree) -> Tree {
    let names = [
        "file",
        "SKILL.md",
        "README.md",
        "manifest.json",
        "verified.json",
        ".plugcast/manifest.json",
        ".plugcast/verified.json",
        "plugins/demo/skills/s/SKILL.md",
        "plugins/demo/skills/s/mine.txt",
        "skills/s/SKILL.md",
        "demo/skills/s/SKILL.md",
        "s/SKILL.md",
        ".SKILL.md.plugcast-new",
    ];
    names
        .iter()
        .fold(tree, |tree, name| tree.file(&format!("{OUTSIDE}/{name}"), format!("{name} of others\n")))
}

/// Everything that a change would change: each entry with its bytes, its mode, and how many names it has.
fn snapshot(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for path in entries(&at) {
            let meta = fs::symlink_metadata(&path).unwrap();
            let bytes = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let links = if meta.is_file() { meta.nlink() } else { 0 };
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            found.push(format!("{name} {:o} {links} {}", meta.mode(), String::from_utf8_lossy(&bytes)));
            if meta.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Every text of a file below a folder, links not followed.
fn texts(folder: &Path) -> Vec<String> {
    Tree::read(folder).entries().map(|(_, entry)| entry.text()).collect()
}

/// Stops a run at every change, and swaps a name there.
fn walk(fixture: impl Fn() -> TempDir, command: &[&str], more: &str, swap: &Swap) -> usize {
    for step in 1..MOST {
        let folder = fixture();
        let at = folder.path();
        let cache = at.join("cache");
        let mut strict = Permissions::from_mode(0o700);
        fs::set_permissions(at.join(OUTSIDE), strict.clone()).unwrap();
        strict.set_mode(0o640);
        fs::set_permissions(at.join(OUTSIDE).join("file"), strict).unwrap();
        let before = snapshot(&at.join(OUTSIDE));
        let theirs = texts(&at.join(OUTSIDE));
        let run = Plugcast::new(at, command)
            .binary(binary::faulty())
            .env("XDG_CACHE_HOME", cache.to_str().unwrap())
            .env(binary::VARIABLE, &format!("pause@{step}{more}"));
        let mut started = run.start_with_input();
        let mut errors = BufReader::new(started.child.stderr.take().expect("a pipe"));
        // What it has to say may come before.
        let (mut printed, mut paused) = (String::new(), false);
        while !paused && errors.read_line(&mut printed).expect("text") > 0 {
            paused = printed.lines().next_back().is_some_and(|line| line.starts_with("paused at step"));
        }
        if paused {
            swap.make(at);
            writeln!(started.child.stdin.take().expect("a pipe"), "go on").expect("it waits for this");
        }
        let mut stderr = printed;
        errors.read_to_string(&mut stderr).expect("text");
        let finished = FinishedRun::from(started.child.wait_with_output().expect("it ends"));
        let what = format!("{command:?}, step {step}{more}, `{}`: {stderr}{}", swap.name, finished.stdout);
        match swap.with {
            Replacement::Link => assert_eq!(snapshot(&at.join(OUTSIDE)), before, "{what}"),
            Replacement::Folder => {
                let kept = texts(at);
                let lost = theirs.iter().find(|text| !kept.contains(text));
                assert!(lost.is_none(), "lost {lost:?}: {what}");
            }
        }
        assert!(matches!(finished.code, Some(0..=2)), "{what}");
        if finished.code == Some(2) {
            let is_said = stderr.lines().any(|line| line.starts_with("error: "));
            assert!(is_said && stderr.contains("help: "), "{what}");
        }
        if !paused {
            return step - 1;
        }
    }
    panic!("no end of the walk");
}

const BUILD: [&str; 6] = ["build", "in", "--to", "codex", "--out", "out"];

/// A source whose bundle is stale, beside files of others.
fn stale() -> TempDir {
    let folder = outside(demo()).temporary();
    let at = folder.path();
    Plugcast::new(at, &BUILD).run().expect_code(0);
    Tree::new()
        .file("out/codex/plugins/demo/skills/s/mine.txt", "mine\n")
        .file("out/codex/mine/deep/file", "mine\n")
        .link("out/codex/mine/link", "deep/file")
        .file("in/skills/t/SKILL.md", "---\nname: t\ndescription: Says more\n---\n\nSay more.\n")
        .file("in/skills/s/more.md", "More.\n")
        .write(at);
    folder
}

/// The same without a bundle.
fn fresh() -> TempDir {
    outside(demo()).temporary()
}

/// What an earlier build left when it was killed between two renames.
fn killed() -> TempDir {
    let folder = stale();
    let at = |name: &str| folder.path().join("out").join(name);
    Tree::read(&at("codex")).write(&at(".codex.plugcast-new"));
    fs::rename(at("codex"), at(".codex.plugcast-old")).unwrap();
    fs::write(at(".codex.plugcast-swap"), "").unwrap();
    folder
}

#[test]
fn case_12_a_swap_of_the_staging_folder_leads_no_build_outside() {
    for name in ["out/.codex.plugcast-new", "out/.codex.plugcast-new/plugins"] {
        let swap = Swap { name, with: Replacement::Link };
        assert!(walk(fresh, &BUILD, "", &swap) > 10);
        assert!(walk(stale, &BUILD, "", &swap) > 20);
    }
    walk(killed, &BUILD, "", &Swap { name: "out/.codex.plugcast-new", with: Replacement::Link });
    walk(killed, &BUILD, "", &Swap { name: "out/.codex.plugcast-old", with: Replacement::Link });
}

#[test]
fn case_12_a_swap_of_the_bundle_leads_no_build_outside() {
    for name in ["out/codex", "out/codex/plugins", "out/codex/.plugcast", "out/codex/mine"] {
        assert!(walk(stale, &BUILD, "", &Swap { name, with: Replacement::Link }) > 20);
    }
    walk(fresh, &BUILD, "", &Swap { name: "out/codex", with: Replacement::Link });
}

#[test]
fn case_12_a_swap_leads_no_build_outside_where_folders_cannot_be_exchanged() {
    for name in ["out/codex", "out/.codex.plugcast-new", "out/.codex.plugcast-old"] {
        assert!(walk(stale, &BUILD, ",renames", &Swap { name, with: Replacement::Link }) > 20);
    }
}

/// A folder of somebody else was once emptied as the old bundle when it took its name in time.
#[test]
fn case_12_a_folder_that_takes_the_place_of_the_bundle_is_not_emptied() {
    for more in ["", ",renames"] {
        assert!(walk(stale, &BUILD, more, &Swap { name: "out/codex", with: Replacement::Folder }) > 20);
    }
}

#[test]
fn case_4_a_swap_of_the_lock_leads_no_build_outside() {
    walk(fresh, &BUILD, "", &Swap { name: "out/.plugcast.lock", with: Replacement::Link });
    walk(fresh, &BUILD, "", &Swap { name: "out", with: Replacement::Link });
    walk(stale, &BUILD, "", &Swap { name: "out", with: Replacement::Link });
    walk(fresh, &["build", "in", "--to", "codex"], "", &Swap { name: "dist", with: Replacement::Link });
}

#[test]
fn case_12_a_swap_of_the_build_cache_leads_no_build_outside() {
    let fixture = || {
        let folder = fresh();
        fs::create_dir(folder.path().join("cache")).unwrap();
        folder
    };
    for name in ["cache/plugcast/builds", "cache/plugcast", "cache"] {
        walk(fixture, &BUILD, "", &Swap { name, with: Replacement::Link });
    }
}

/// A repository in which a beta takes the place of a skill.
fn repository() -> TempDir {
    let skill = |name: &str, body: &str| format!("---\nname: {name}\ndescription: Says it\n---\n\n{body}\n");
    outside(demo())
        .file("in/skills/plan/SKILL.md", skill("plan", "Plan."))
        .file("in/skills/plan/deep/old.md", "# Old\n")
        .file("in/skills/plan-beta/SKILL.md", skill("plan-beta", "Plan again."))
        .file("in/skills/plan-beta/deep/new.md", "# plan-beta\n")
        .file("in/skills/s/SKILL.md", skill("s", "Run `/demo:plan-beta`."))
        .file("in/README.md", "Run `/demo:plan-beta`.\n")
        .temporary()
}

#[test]
fn case_6_a_swap_leads_no_promotion_outside() {
    let command = ["promote", "plan-beta", "in", "--replace"];
    let names = [
        "in/skills",
        "in/skills/plan",
        "in/skills/plan-beta",
        "in/skills/s",
        "in/skills/.plan.plugcast-old",
        "in/skills/s/.SKILL.md.plugcast-new",
        "in/.plugcast-promote.json",
    ];
    for name in names {
        assert!(walk(repository, &command, "", &Swap { name, with: Replacement::Link }) > 10, "{name}");
    }
}

#[test]
fn case_12_a_swap_leads_no_fix_outside() {
    let fixture = || {
        // The names are those of no folder.
        let skill =
            |name: &str| format!("---\nname: old-{name}\ndescription: Says it when asked.\n---\nSay it.\n");
        outside(demo())
            .file("in/skills/t/SKILL.md", skill("t"))
            .file("in/skills/s/SKILL.md", skill("s"))
            .temporary()
    };
    let folder = fixture();
    Plugcast::new(folder.path(), &["check", "in", "--fix", "--unsafe-fixes"]).run();
    assert_ne!(
        Tree::read(&folder.path().join("in")),
        Tree::read(&fixture().path().join("in")),
        "nothing is fixed"
    );
    for name in ["in/skills", "in/skills/s", "in/skills/t", "in/skills/s/.SKILL.md.plugcast-new"] {
        walk(
            fixture,
            &["check", "in", "--fix", "--unsafe-fixes"],
            "",
            &Swap { name, with: Replacement::Link },
        );
    }
}

/// A repository whose README has two wrong counts, and whose plugin has another version than its marketplace.
fn unreleased() -> TempDir {
    let marketplace = "{ \"name\": \"shop\", \"owner\": { \"name\": \"Us\" }, \"plugins\": [ { \"name\": \"demo\", \"source\": \"./\", \"version\": \"0.9.0\" } ] }\n";
    let fixture = outside(demo())
        .file("in/.claude-plugin/marketplace.json", marketplace)
        .file("in/README.md", "# Demo\n\nIt has 3 skills.\n")
        .file(&format!("{OUTSIDE}/.claude-plugin/plugin.json"), "{ \"name\": \"theirs\" }\n")
        .file(&format!("{OUTSIDE}/plugin.json"), "{ \"name\": \"theirs\" }\n")
        .file(&format!("{OUTSIDE}/marketplace.json"), marketplace);
    let folder = fixture.temporary();
    let at = folder.path().join("in");
    git(&at, &["init", "--quiet"]);
    commit(&at, "all");
    folder
}

#[test]
fn case_12_a_swap_leads_no_fix_of_a_release_outside() {
    let command = ["release", "check", "in", "--fix"];
    let folder = unreleased();
    let before = Tree::read(&folder.path().join("in/.claude-plugin"));
    Plugcast::new(folder.path(), &command).run();
    assert_ne!(Tree::read(&folder.path().join("in/.claude-plugin")), before, "nothing is fixed");
    for name in [
        "in",
        "in/.claude-plugin",
        "in/.claude-plugin/plugin.json",
        "in/.claude-plugin/marketplace.json",
        "in/.claude-plugin/.plugin.json.plugcast-new",
        "in/.claude-plugin/.marketplace.json.plugcast-new",
    ] {
        let walked = walk(unreleased, &command, "", &Swap { name, with: Replacement::Link });
        assert!(walked > 1, "{name}: {walked}");
    }
}

/// A host that says its version and then fails, which takes an older proof away.
const FAILING: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo codex-cli 0.169.0 && exit\nexit 1\n";

#[test]
fn case_4_a_swap_leads_no_proof_outside() {
    let fixture = || {
        let folder = outside(demo()).script("codex", FAILING).temporary();
        Plugcast::new(folder.path(), &BUILD).run().expect_code(0);
        fs::write(folder.path().join("out/codex/.plugcast/verified.json"), "{}").unwrap();
        fs::write(folder.path().join("out/codex/plugins/demo/skills/s/SKILL.md"), "other").unwrap();
        folder
    };
    for name in ["out", "out/codex", "out/codex/.plugcast"] {
        let command = ["verify", "out", "--host-bin", "codex=codex"];
        assert!(walk(fixture, &command, "", &Swap { name, with: Replacement::Link }) > 3);
    }
}
