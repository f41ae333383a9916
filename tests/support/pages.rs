//! Trees of files in a Markdown page: a fence holds one tree, and a line `=== path` in it begins a file. Behind the
//! path may stand ` -> target` for a link, ` (executable)`, and ` (escaped)` for a text with `\\`, `\r`, `\xe9` for a
//! byte, `\u{200b}` for a character, and a `\` at the end of a line that ends the file without a line break.

use std::fs;
use std::path::Path;

/// A file of a tree: the line that names it, and its text as the page shows it.
pub type File = (String, String);

/// A tree, and the heading that it stands under.
pub struct Tree {
    /// The text of the nearest heading above; empty without one.
    pub heading: String,
    /// Its files, in order.
    pub files: Vec<File>,
}

/// The trees of a page that are fenced as `kind`, by four backticks or more.
pub fn trees(page: &str, kind: &str) -> Vec<Tree> {
    let mut out: Vec<Tree> = Vec::new();
    let mut heading = "";
    let mut open: Option<(&str, bool)> = None;
    for line in page.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let marks = &bare[..bare.len() - bare.trim_start_matches('`').len()];
        match open {
            Some((fence, _)) if bare == fence => open = None,
            Some((_, false)) => {}
            Some((_, true)) => {
                let files = &mut out.last_mut().expect("an open fence has a tree").files;
                match bare.strip_prefix("=== ") {
                    Some(path) => files.push((path.to_owned(), String::new())),
                    None => {
                        let last = files.last_mut();
                        last.unwrap_or_else(|| panic!("`{bare}` stands in no file")).1.push_str(line);
                    }
                }
            }
            None if marks.len() >= 4 => {
                let counts = &bare[marks.len()..] == kind;
                open = Some((marks, counts));
                if counts {
                    out.push(Tree { heading: heading.to_owned(), files: Vec::new() });
                }
            }
            None => {
                if let Some(text) = bare.strip_prefix('#') {
                    heading = text.trim_start_matches('#').trim();
                }
            }
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    out
}

/// Writes the files of a tree below `folder`.
pub fn write(files: &[File], folder: &Path) {
    for (named, text) in files {
        let (named, link) =
            named.split_once(" -> ").map_or((named.as_str(), None), |(path, to)| (path, Some(to)));
        let (named, escaped) = without(named, " (escaped)");
        let (named, executable) = without(named, " (executable)");
        let path = folder.join(named);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        match link {
            Some(to) => std::os::unix::fs::symlink(to, &path).expect("a link"),
            None if escaped => fs::write(&path, unescaped(text)).expect("a file"),
            None => fs::write(&path, text).expect("a file"),
        }
        if executable {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the mode");
        }
    }
}

fn without<'a>(named: &'a str, mark: &str) -> (&'a str, bool) {
    named.strip_suffix(mark).map_or((named, false), |named| (named, true))
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.extend(before.bytes());
        let number = |digits: &str| u32::from_str_radix(digits, 16).expect("hexadecimal digits");
        rest = if let Some(after) = escape.strip_prefix('\n') {
            after
        } else if let Some(after) = escape.strip_prefix('\\') {
            out.push(b'\\');
            after
        } else if let Some(after) = escape.strip_prefix('r') {
            out.push(b'\r');
            after
        } else if let Some(after) = escape.strip_prefix('x') {
            out.push(u8::try_from(number(&after[..2])).expect("a byte"));
            &after[2..]
        } else {
            let (digits, after) =
                escape.strip_prefix("u{").and_then(|rest| rest.split_once('}')).expect("a known escape");
            out.extend(char::from_u32(number(digits)).expect("a character").to_string().bytes());
            after
        };
    }
    out.extend(rest.bytes());
    out
}

#[test]
fn trees_have_headings_links_modes_and_raw_bytes() {
    let page = "# Rule\n\n## one\n\n`````tree\n=== a.md\n````\n=== b (executable)\n#!x\n\
                === c (escaped)\n\\xff\\\\\\\n=== d -> a.md\n`````\n\n````other\n=== x\n````\n";
    let found = trees(page, "tree");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].heading, "one");
    let folder = tempfile::tempdir().expect("a folder");
    write(&found[0].files, folder.path());
    let read = |name: &str| fs::read(folder.path().join(name)).expect("a file");
    assert_eq!(read("a.md"), b"````\n");
    assert_eq!(read("c"), b"\xff\\");
    assert_eq!(read("d"), b"````\n");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(folder.path().join("b")).expect("a file").permissions(),
    );
    assert_eq!(mode & 0o777, 0o755);
}
