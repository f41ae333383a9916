//! The repository that is reviewed: a branch with one changed file, whose words hold the findings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::tree::Tree;

const BEFORE: &str = "def price(prices):\n    return sum(prices)\n";
const AFTER: &str = "\
# Prices are whole cents.
def price(prices):
    # What all of them cost.
    totl = 0
    count = len(prices)
    for place in range(count - 1):
        totl += prices[place]
    return totl
";

/// A repository in a project.
pub struct Repository {
    folder: PathBuf,
}

impl Repository {
    /// Begins one with the branches `main` and `feature`, the latter checked out.
    pub fn begin(folder: &Path) -> Self {
        let repository = Self { folder: folder.to_owned() };
        // What the stage brings of other plugins is none of this review.
        fs::remove_dir_all(folder.join(".plugcast")).expect("the stage has one");
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit(BEFORE, "Add up prices");
        repository.git(&["switch", "-q", "-c", "feature"]);
        repository.commit(AFTER, "Add up prices one by one");
        repository
    }

    fn commit(&self, text: &str, subject: &str) {
        let path = self.folder.join("src/price.py");
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        fs::write(path, text).expect("it can be written");
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", subject]);
    }

    fn git(&self, words: &[&str]) -> String {
        let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
        let done = Command::new("git").args(identity).args(words).current_dir(&self.folder).output();
        let done = done.expect("git can be started");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    /// The commit that is checked out.
    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// What git finds changed.
    pub fn status(&self) -> String {
        self.git(&["--no-optional-locks", "status", "--porcelain"])
    }

    /// A file.
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A JSON file.
    pub fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Whether something is there.
    pub fn has(&self, path: &str) -> bool {
        self.folder.join(path).exists()
    }

    /// The folders of runs.
    pub fn runs(&self) -> Vec<String> {
        let runs = fs::read_dir(self.folder.join(".plugcast/runs/review")).into_iter().flatten().flatten();
        let mut names: Vec<String> = runs
            .filter(|entry| entry.path().is_dir())
            .map(|entry| format!(".plugcast/runs/review/{}", entry.file_name().to_string_lossy()))
            .collect();
        names.sort();
        names
    }

    /// Every file but those that git keeps for itself, with its refs.
    pub fn tree(&self) -> (Tree, String) {
        let mut tree = Tree::new();
        for path in self.git(&["ls-files", "-z", "--cached", "--others"]).split_terminator('\0') {
            let bytes = fs::read(self.folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            tree = tree.file(path, bytes);
        }
        (tree, self.git(&["show-ref", "--head"]))
    }
}
