//! The files that the checks look at.

use std::fs;
use std::path::Path;

use ignore::WalkBuilder;

use crate::support::root;

/// One text file.
#[derive(Clone)]
pub struct SourceFile {
    /// Path relative to the checkout, with `/`.
    pub path: String,
    /// The content.
    pub text: String,
}

impl SourceFile {
    /// A made-up file, to show that a check can fail.
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

/// Every Rust file below some folders, in order.
pub fn rust_files(folders: &[&str]) -> Vec<SourceFile> {
    let below = |path: &str| folders.iter().any(|folder| path.starts_with(&format!("{folder}/")));
    // Case folders hold sources of plugins, not of this program.
    let ours = |path: &str| path.ends_with(".rs") && !path.starts_with("tests/cases/");
    tracked().into_iter().filter(|file| below(&file.path) && ours(&file.path)).collect()
}

/// Every text file that version control would track, in order.
pub fn tracked() -> Vec<SourceFile> {
    let walk = WalkBuilder::new(root())
        .hidden(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_path(Path::cmp)
        .build();
    let mut files = Vec::new();
    for entry in walk {
        let entry = entry.expect("the checkout can be walked");
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let Ok(text) = fs::read_to_string(entry.path()) else { continue };
        let path = entry.path().strip_prefix(root()).expect("the walk stays in the checkout");
        files.push(SourceFile { path: path.to_string_lossy().into_owned(), text });
    }
    files
}
