//! Which files are Markdown by their paths.

use camino::Utf8Path;

/// Whether the file at `path` is Markdown by its extension, which the source host also accepts in upper case.
pub fn is_markdown(path: impl AsRef<Utf8Path>) -> bool {
    path.as_ref().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
}

/// Whether a path ends in `.md` in lower case: only then is the extension no part of a component's name, and may a
/// manifest list the path.
pub fn is_lowercase_markdown(path: impl AsRef<Utf8Path>) -> bool {
    path.as_ref().extension() == Some("md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_in_upper_case_is_markdown_and_part_of_a_name() {
        let of = |path: &str| (is_markdown(path), is_lowercase_markdown(path));
        assert_eq!(
            ["a/b.md", "a/PLAN.MD", "a/b.mdx", "md"].map(of),
            [(true, true), (true, false), (false, false), (false, false)]
        );
    }
}
