//! The head of a workflow's script, as Claude Code 2.1.330 reads it: the first statement is `export const meta = { …
//! }`, an object of plain values with a `name` and a `description`. Comments, a `#!` line and a byte order mark may
//! precede it. A script without that head is not a workflow, whatever the name of its folder.

mod prompts;

pub use prompts::{AgentPrompt, prompts};

/// The source host does not read scripts with more bytes.
pub const LARGEST: usize = 524_288;

/// The name of the workflow whose script `text` is, if it is one.
pub fn name(text: &str) -> Option<String> {
    if text.len() > LARGEST {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}');
    let text = if text.starts_with("#!") { text.split_once('\n')?.1 } else { text };
    let mut reader = WorkflowReader { rest: text };
    for word in ["export", "const", "meta"] {
        reader.word(word)?;
    }
    reader.sign('=')?;
    let fields = reader.object(0)?;
    // The object must not be part of a larger expression.
    let after = reader.blank()?;
    if after.starts_with(['.', '(', '[', '+', ',', '?', '|', '&']) {
        return None;
    }
    let text = |key: &str| fields.iter().rev().find(|(name, _)| name == key)?.1.clone();
    let description = text("description")?;
    text("name").filter(|name| !name.is_empty() && !description.is_empty())
}

/// The maximum nesting depth of objects.
const DEEPEST: usize = 32;

struct WorkflowReader<'a> {
    rest: &'a str,
}

impl<'a> WorkflowReader<'a> {
    /// Skips white space and comments, and returns the rest.
    fn blank(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            self.rest = if let Some(comment) = self.rest.strip_prefix("//") {
                comment.split_once('\n').map_or("", |(_, rest)| rest)
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                comment.split_once("*/")?.1
            } else {
                return Some(self.rest);
            };
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let rest = self.blank()?.strip_prefix(word)?;
        self.rest = rest;
        (!rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')).then_some(())
    }

    fn sign(&mut self, sign: char) -> Option<()> {
        self.rest = self.blank()?.strip_prefix(sign)?;
        Some(())
    }

    fn skip_to(&mut self, sign: char) -> Option<bool> {
        let rest = self.blank()?.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        Some(rest.is_some())
    }

    /// The keys of an object, each with its value if that is text.
    fn object(&mut self, depth: usize) -> Option<Vec<(String, Option<String>)>> {
        self.sign('{')?;
        let mut fields = Vec::new();
        while !self.skip_to('}')? {
            let key = match self.blank()?.chars().next()? {
                '"' | '\'' => self.text()?,
                _ => self.identifier()?,
            };
            self.sign(':')?;
            fields.push((key, self.value(depth)?));
            if !self.skip_to(',')? {
                self.sign('}')?;
                break;
            }
        }
        Some(fields)
    }

    /// A plain value; its content if it is text.
    fn value(&mut self, depth: usize) -> Option<Option<String>> {
        if depth == DEEPEST {
            return None;
        }
        match self.blank()?.chars().next()? {
            '"' | '\'' | '`' => self.text().map(Some),
            '{' => self.object(depth + 1).map(|_| None),
            '[' => {
                self.sign('[')?;
                while !self.skip_to(']')? {
                    self.value(depth + 1)?;
                    if !self.skip_to(',')? {
                        self.sign(']')?;
                        break;
                    }
                }
                Some(None)
            }
            c if c == '-' || c.is_ascii_digit() => {
                let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-._".contains(c)));
                self.rest = &self.rest[end?..];
                Some(None)
            }
            _ => matches!(&*self.identifier()?, "true" | "false" | "null").then_some(None),
        }
    }

    fn identifier(&mut self) -> Option<String> {
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .filter(|end| *end > 0)?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(name.to_owned())
    }

    /// A string, or a template literal without expressions.
    fn text(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|c| "\"'`".contains(*c))?;
        self.rest = &self.rest[1..];
        let mut out = String::new();
        loop {
            let c = self.rest.chars().next()?;
            if c == quote {
                self.rest = &self.rest[1..];
                return Some(out);
            }
            if c == '\n' && quote != '`' || quote == '`' && self.rest.starts_with("${") {
                return None;
            }
            out.extend(self.character()?);
        }
    }

    /// The next character of a string, with escapes decoded; `Some(None)` for an escaped line break.
    fn character(&mut self) -> Option<Option<char>> {
        let mut characters = self.rest.chars();
        let c = match characters.next()? {
            '\\' => match characters.next()? {
                'n' => Some('\n'),
                't' => Some('\t'),
                'r' => Some('\r'),
                '\n' => None,
                'u' => {
                    let digits: String = characters.by_ref().take(4).collect();
                    Some(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?)
                }
                c => Some(c),
            },
            c => Some(c),
        };
        self.rest = characters.as_str();
        Some(c)
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    /// Whether the real host accepts each script (2.1.330, from the list in its first event).
    #[test]
    fn a_head_of_plain_values_makes_a_workflow() {
        for (text, known) in [
            ("export const meta = { name: \"a\", description: \"d\" }\n", true),
            ("export const meta={name:\"a\",description:\"d\"};const x=1;", true),
            ("// comment\nexport const meta = { name: `a`, description: 'd', }", true),
            (
                "#!/usr/bin/env node\n\n/* c */ export  const meta = {\n// c\n'name': \"\\u0061\", description: \"d\" }",
                true,
            ),
            (
                "\u{feff}export const meta = { name: 'a', description: 'd', n: -5, b: true, z: null, p: [1, { t: `x` }] }\r\n",
                true,
            ),
            ("export const meta = { name: 'a', description: 'd' }\nthis is ( not js", true),
            ("export const meta = { name: 'a' }", false),
            ("export const meta = { name: 'a', description: '' }", false),
            ("export const meta = { name: 5, description: 'd' }", false),
            ("export const meta = { name: n, description: 'd' }", false),
            ("export const meta = { name: 'a', description: 'd' + 'e' }", false),
            ("export const meta = { name: `a${1}`, description: 'd' }", false),
            ("export const meta = { ...{}, name: 'a', description: 'd' }", false),
            ("export const meta = { name: 'a', description: 'd', f: () => 1 }", false),
            ("export const meta = Object.freeze({ name: 'a', description: 'd' })", false),
            ("export let meta = { name: 'a', description: 'd' }", false),
            ("const meta = { name: 'a', description: 'd' }", false),
            ("\"use strict\"\nexport const meta = { name: 'a', description: 'd' }", false),
            ("const x = 1;\nexport const meta = { name: 'a', description: 'd' }", false),
            ("export default { name: 'a', description: 'd' }", false),
            ("export const meta = { name: 'a', description: 'd'", false),
            ("", false),
        ] {
            assert_eq!(name(text), known.then(|| "a".to_owned()), "{text}");
        }
        assert_eq!(
            name(&format!(
                "export const meta = {{ name: 'a', description: 'd' }}//{}",
                "x".repeat(super::LARGEST)
            )),
            None
        );
    }
}
