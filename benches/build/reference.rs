//! What a build is measured against, besides `cp -r`: the sha256 of files, and one pass of the Markdown
//! parser over every Markdown file.

use std::fs;
use std::io;
use std::path::Path;

use pulldown_cmark::{Options, Parser};
use sha2::{Digest, Sha256};

/// What is done with each file.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Its sha256 is made.
    pub hash: bool,
    /// It is parsed, if it is Markdown.
    pub parse: bool,
}

/// Walks `folder`, reads each file once, and answers with the number of files that were hashed and of parser
/// events, so that nothing is left out.
///
/// # Errors
/// When a file cannot be read.
pub fn walk(folder: &Path, work: Work) -> io::Result<(usize, usize)> {
    let (mut files, mut events) = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            let (inner_files, inner_events) = walk(&path, work)?;
            files += inner_files;
            events += inner_events;
            continue;
        }
        let bytes = fs::read(&path)?;
        files += usize::from(work.hash && Sha256::digest(&bytes)[..] != [0; 32]);
        if work.parse && path.extension().is_some_and(|ending| ending == "md") {
            let text = String::from_utf8(bytes).map_err(io::Error::other)?;
            let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
            events += Parser::new_ext(&text, options).count();
        }
    }
    Ok((files, events))
}
