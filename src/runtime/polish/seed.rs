//! `polish seed`: what is too large for a polish, written down as separate work.

pub mod replan;
pub mod stacked;

use serde_json::{Value, json};

use crate::printable;

/// The front matter of a Markdown file. JSON values are valid YAML.
fn front_matter(fields: &[(&str, Value)]) -> String {
    let mut out = "---\n".to_owned();
    for (name, value) in fields {
        out += &format!("{name}: {}\n", printable::json(&value.to_string()));
    }
    out + "---\n"
}

/// A list of paths.
fn paths(files: &[String]) -> String {
    if files.is_empty() {
        return "none\n".to_owned();
    }
    files.iter().map(|file| format!("- {}\n", printable::line(file))).collect()
}

/// A title reduced to letters, digits and dashes, for the name of a branch.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(40);
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "item".to_owned() } else { slug.to_owned() }
}

/// The name of a seed's file.
pub(super) fn file_name(number: usize) -> String {
    format!("stacked-pr-{number}.md")
}

/// The names of the published files of a seed: the commit message and the body of the pull request.
fn published_names(number: usize) -> [String; 2] {
    [format!("stacked-pr-{number}.commit"), format!("stacked-pr-{number}.body.md")]
}

/// A path relative to the store, which reveals nothing about this machine.
fn below_store(path: &str) -> &str {
    path.rfind("/runs/").map_or(path, |at| &path[at + 1..])
}

/// A value that may be missing.
fn or_null(value: Option<&str>) -> Value {
    value.map_or(Value::Null, |value| json!(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_the_name_of_a_branch_whatever_the_title() {
        for (title, expected) in [
            ("Sort the list", "sort-the-list"),
            ("  `git`: --force / été ", "git-force-t"),
            ("漢字", "item"),
            ("a very long title that goes on and on and on", "a-very-long-title-that-goes-on-and-on-an"),
            ("1234567890123456789012345678901234567890", "1234567890123456789012345678901234567890"),
            ("123456789012345678901234567890123456789 x", "123456789012345678901234567890123456789"),
        ] {
            assert_eq!(slug(title), expected, "{title}");
        }
    }

    #[test]
    fn a_path_of_the_store_says_nothing_of_the_machine() {
        for (path, expected) in [
            ("/srv/runs/shop/.plugcast/runs/review/20260101", "runs/review/20260101"),
            ("runs/review/x", "runs/review/x"),
        ] {
            assert_eq!(below_store(path), expected);
        }
    }

    #[test]
    fn no_value_ends_the_front_matter() {
        let text = front_matter(&[("item_title", json!("a\n---\n`b` \"c\": \u{1b}[0m"))]);
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
