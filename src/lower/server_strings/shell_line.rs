//! A command line with which a shell fills the variables of a server when it starts, for hosts that fill none.

use std::collections::BTreeSet;

use super::parts::{StringPart, parts};

/// How deeply defaults may be nested.
const MOST_DEFAULTS: usize = 32;

/// The command line of a server.
#[derive(Debug, Default)]
pub struct ShellLine {
    /// The text for the shell.
    pub text: String,
    /// The variables that it takes from the environment.
    pub variables: BTreeSet<String>,
    /// Whether it names the plugin's folder.
    pub at_root: bool,
}

/// The line that runs `words`; `None` if one names a variable that the environment cannot have, or that `is_taken`.
/// `root` is the variable of the plugin's folder, and its replacement.
pub fn quote(words: &[String], root: (&str, &str), is_taken: &dyn Fn(&str) -> bool) -> Option<ShellLine> {
    let mut writer = ShellWriter { root, is_taken, line: ShellLine::default() };
    let words: Option<Vec<String>> = words.iter().map(|word| writer.word(word)).collect();
    let mut line = writer.line;
    line.text = format!("exec {}", words?.join(" "));
    Some(line)
}

struct ShellWriter<'a> {
    root: (&'a str, &'a str),
    is_taken: &'a dyn Fn(&str) -> bool,
    line: ShellLine,
}

impl ShellWriter<'_> {
    /// One word, quoted for the shell.
    fn word(&mut self, text: &str) -> Option<String> {
        let mut out = String::new();
        for part in parts(text) {
            match part {
                StringPart::Text(text) => out.push_str(&quote_text(text)),
                StringPart::Variable(name, _) if name == self.root.0 => {
                    out.push_str(&quote_text(self.folder()))
                }
                StringPart::Variable(name, default) => {
                    out.push_str(&format!("\"{}\"", self.variable(name, default, MOST_DEFAULTS)?));
                }
            }
        }
        Some(if out.is_empty() { "''".to_owned() } else { out })
    }

    /// A variable within double quotes. An unset variable without a default is left as written, as on the source host.
    fn variable(&mut self, name: &str, default: Option<&str>, most: usize) -> Option<String> {
        if most == 0 || !is_name(name) || (self.is_taken)(name) {
            return None;
        }
        self.line.variables.insert(name.to_owned());
        let Some(default) = default else { return Some(format!("${{{name}-\\${{{name}\\}}}}")) };
        let mut inner = String::new();
        for part in parts(default) {
            match part {
                StringPart::Text(text) => inner.push_str(&escape_text(text)),
                StringPart::Variable(name, _) if name == self.root.0 => {
                    inner.push_str(&escape_text(self.folder()))
                }
                StringPart::Variable(name, default) => {
                    inner.push_str(&self.variable(name, default, most - 1)?)
                }
            }
        }
        Some(format!("${{{name}-{inner}}}"))
    }

    fn folder(&mut self) -> &str {
        self.line.at_root = true;
        self.root.1
    }
}

/// Whether `name` is valid for a shell variable.
fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Text quoted so that the shell reads it literally.
fn quote_text(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Text escaped for double quotes and a default.
fn escape_text(text: &str) -> String {
    let special = |c: char| matches!(c, '\\' | '"' | '$' | '`' | '}');
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Option<ShellLine> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        quote(&words, ("ROOT", "."), &|name| name == "TAKEN")
    }

    #[test]
    fn the_shell_fills_variables_and_nothing_else() {
        for (words, expected) in [
            (&["${HOME}/bin/x", "-y"][..], r#"exec "${HOME-\${HOME\}}"/bin/x -y"#),
            (&["node", "${ROOT}/a b.js", ""], "exec node .'/a b.js' ''"),
            (&["x", "it's ${A:-b}c $5 `d`"], r#"exec x 'it'\''s '"${A-b}"'c $5 `d`'"#),
            (&["x", "${A:-${ROOT}/${B:-\"}}"], r#"exec x "${A-./${B-\"}}""#),
        ] {
            assert_eq!(line(words).map(|line| line.text).as_deref(), Some(expected), "{words:?}");
        }
        for words in [&["x", "${TAKEN}"][..], &["x", "${a.b}"], &["x", "${1}"], &["x", "${A:-${TAKEN}}"]] {
            assert!(line(words).is_none(), "{words:?}");
        }
        let line = line(&["${ROOT}/x", "${B}${A}"]).unwrap();
        assert!(line.at_root && line.variables.iter().eq(["A", "B"]));
    }
}
