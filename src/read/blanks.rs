//! White space as JavaScript defines it: it includes the byte order mark but not NEL (U+0085), which YAML 1.1 has.

/// Whether `\s` in a JavaScript regular expression matches `c`.
pub fn is_blank(c: char) -> bool {
    c == '\u{feff}' || c.is_whitespace() && c != '\u{85}'
}
