//! JSON documents: keys in the order of the value, one line feed at the end. Documents that people also edit are
//! indented by two spaces; plugcast's own long lists have one line per entry, so that a search or diff shows whole
//! entries.

use std::io;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// The text of `value`.
pub fn to_string(value: &impl Serialize) -> String {
    // Serialization cannot fail for the types of this crate that are written here.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// The text of `value`; what is nested more than `deep` levels deep stays on one line.
pub fn entries(value: &impl Serialize, deep: usize) -> String {
    let mut text = Vec::new();
    let formatter = Entries { deep, depth: 0, empty: true };
    let written = value.serialize(&mut Serializer::with_formatter(&mut text, formatter));
    text.push(b'\n');
    // As above, and JSON is UTF-8.
    written.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_default()
}

/// Breaks lines down to a depth; what is nested deeper stays on one line.
struct Entries {
    deep: usize,
    depth: usize,
    /// Whether nothing of the innermost list or object has been written yet.
    empty: bool,
}

impl Entries {
    fn open(&mut self, out: &mut (impl io::Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.empty = true;
        out.write_all(bracket)
    }

    fn next(&self, out: &mut (impl io::Write + ?Sized), first: bool) -> io::Result<()> {
        let broken = self.depth <= self.deep;
        out.write_all(match (first, broken) {
            (true, _) => b"",
            (false, true) => b",",
            (false, false) => b", ",
        })?;
        if broken { self.line(out) } else { Ok(()) }
    }

    fn close(&mut self, out: &mut (impl io::Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        let broken = self.depth <= self.deep && !self.empty;
        self.depth -= 1;
        self.empty = false;
        if broken {
            self.line(out)?;
        }
        out.write_all(bracket)
    }

    fn line(&self, out: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Entries {
    fn begin_array<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn begin_array_value<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn end_array_value<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.empty = false;
        Ok(())
    }

    fn end_array<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_object<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.empty = false;
        Ok(())
    }

    fn end_object<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_has_a_line() {
        let value =
            json!({ "files": [{ "a": [1, 2], "b": {} }, { "c": null }], "none": [], "of": { "it": 1 } });
        let text = entries(&value, 2);
        assert_eq!(
            text,
            "{\n  \"files\": [\n    {\"a\": [1, 2], \"b\": {}},\n    {\"c\": null}\n  ],\n  \"none\": [],\n  \"of\": {\n    \"it\": 1\n  }\n}\n"
        );
        assert_eq!(entries(&value, 9), to_string(&value));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
