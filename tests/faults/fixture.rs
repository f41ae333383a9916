//! What a walk begins with: a source, an output folder as an earlier build left it, and the two trees
//! that a run may leave behind.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::binary;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

const COMMAND: [&str; 8] = ["build", "src", "--to", "codex", "--out", "out", "--format", "json"];

/// A source and an output folder.
pub struct Fixture {
    start: Tree,
    /// The bundle before, files of others among it; nothing before the first build.
    pub old: Tree,
    /// The bundle that an undisturbed run leaves.
    pub new: Tree,
}

/// One run of a fixture in a fresh folder.
pub struct Act {
    folder: TempDir,
    /// How the run ended.
    pub finished: FinishedRun,
}

/// A plugin in `src`.
pub fn source() -> Tree {
    Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"p\" }\n")
        .file("src/skills/a/SKILL.md", "---\nname: a\ndescription: First.\n---\nBody of a.\n")
        .file("src/skills/a/big.bin", [0; 2000])
}

fn foreign() -> Tree {
    Tree::new()
        .file("out/codex/NOTES.md", "mine\n")
        .script("out/codex/plugins/p/skills/a/mine.sh", "#!/bin/sh\n")
        .file("out/codex/mine/deep/file", "mine\n")
        .link("out/codex/mine/link", "deep/file")
}

fn build(folder: &Path) -> FinishedRun {
    Plugcast::new(folder, &COMMAND).run()
}

impl Fixture {
    /// Nothing is there yet.
    pub fn first_build() -> Self {
        Self::from_folder(source().temporary())
    }

    /// A text changes, and a skill is new.
    pub fn changes() -> Self {
        let folder = built(Tree::new());
        let skill = "---\ndescription: Second.\n---\nBody.\n";
        Tree::new()
            .file("src/skills/b/SKILL.md", skill)
            .file("src/skills/a/SKILL.md", skill)
            .write(folder.path());
        Self::from_folder(folder)
    }

    /// A text changes beside files of others.
    pub fn files_of_others() -> Self {
        let folder = built(foreign());
        let text = "---\ndescription: Other.\n---\nBody.\n";
        fs::write(folder.path().join("src/skills/a/SKILL.md"), text).unwrap();
        Self::from_folder(folder)
    }

    /// A file of the source is gone.
    pub fn one_file_less() -> Self {
        let folder = built(foreign());
        fs::remove_file(folder.path().join("src/skills/a/big.bin")).unwrap();
        Self::from_folder(folder)
    }

    fn from_folder(folder: TempDir) -> Self {
        let start = Tree::read(folder.path());
        build(folder.path()).expect_code(0);
        let new = Tree::read(&folder.path().join("out/codex"));
        Self { old: start.below("out/codex"), new, start }
    }

    /// What is in the output folder before.
    pub fn siblings(&self) -> &[&str] {
        if self.old == Tree::new() { &[] } else { &["codex"] }
    }

    /// Writes it to a fresh folder, and makes ready a run with a fault.
    pub fn ready(&self, fault: &str) -> (TempDir, Plugcast) {
        let folder = self.start.temporary();
        let run = Plugcast::new(folder.path(), &COMMAND).binary(binary::faulty());
        (folder, run.env(binary::VARIABLE, fault))
    }

    /// Runs it with a fault.
    pub fn act(&self, fault: &str) -> Act {
        let (folder, run) = self.ready(fault);
        Act { finished: run.run(), folder }
    }
}

impl Act {
    /// Its folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The bundle that it left.
    pub fn bundle(&self) -> Tree {
        bundle(self.folder.path())
    }

    /// What is in the output folder.
    pub fn siblings(&self) -> Vec<String> {
        siblings(self.folder.path())
    }

    /// The tree that is beside the bundle under this word, if any.
    pub fn left(&self, what: &str) -> Tree {
        let folder = self.folder.path().join(format!("out/.codex.plugcast-{what}"));
        if folder.exists() { Tree::read(&folder) } else { Tree::new() }
    }

    /// What is there now as the beginning of another walk, with the two trees of `fixture`.
    pub fn fixture(&self, fixture: &Fixture) -> Fixture {
        Fixture { start: Tree::read(self.folder.path()), old: fixture.old.clone(), new: fixture.new.clone() }
    }

    /// Runs the shipped program in the same folder.
    pub fn again(&self) -> FinishedRun {
        build(self.folder.path())
    }
}

/// The bundle below a fixture's folder; empty when there is none.
pub fn bundle(folder: &Path) -> Tree {
    let bundle = folder.join("out/codex");
    if bundle.exists() { Tree::read(&bundle) } else { Tree::new() }
}

/// What is in the output folder, empty folders too; nothing when there is none.
pub fn siblings(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("out")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn built(beside: Tree) -> TempDir {
    let folder = source().temporary();
    build(folder.path()).expect_code(0);
    beside.write(folder.path());
    folder
}
