//! White space as JavaScript has it: with the byte order mark, and without the next line of YAML 1.1.

/// Whether an expression of JavaScript takes `c` for white space.
pub fn is_blank(c: char) -> bool {
    c == '\u{feff}' || c.is_whitespace() && c != '\u{85}'
}
