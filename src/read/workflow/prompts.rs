//! The prompts of a workflow's script: the first argument of each call of `agent`, if it is a single string or template
//! literal. If a script assembles any prompt from parts, none are returned.

use super::WorkflowReader;

/// The maximum nesting depth of code in calls and templates.
const DEEPEST: usize = 16;

/// One call of `agent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPrompt {
    /// Its first argument, with `${…}` as written.
    pub text: String,
    /// The `agentType` in its options, if that is a string.
    pub agent: Option<String>,
}

/// The prompts of `script`, in order; `None` if there are none, or one of them is not a single literal.
pub fn prompts(script: &str) -> Option<Vec<AgentPrompt>> {
    let mut scanner = PromptScanner { rest: script, before: None, prompts: Vec::new() };
    scanner.code(None, 0)?;
    Some(scanner.prompts).filter(|prompts| !prompts.is_empty())
}

struct PromptScanner<'a> {
    rest: &'a str,
    /// The last character of code that is not white space.
    before: Option<char>,
    prompts: Vec<AgentPrompt>,
}

impl<'a> PromptScanner<'a> {
    /// Scans code up to the unmatched closing bracket `end`, or to the end of the script.
    fn code(&mut self, end: Option<char>, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let mut open = 0_usize;
        loop {
            self.blank()?;
            let Some(c) = self.rest.chars().next() else { return end.is_none().then_some(()) };
            if open == 0 && Some(c) == end {
                self.advance(c);
                return Some(());
            }
            match c {
                '"' | '\'' | '`' => {
                    self.text(depth)?;
                }
                '/' if self.is_expression() => self.pattern()?,
                c if is_word(c) => {
                    let word = self.word();
                    if word == "agent" && self.before != Some('.') {
                        self.call(depth)?;
                    }
                    self.before = Some(if word == "return" { '(' } else { 'a' });
                }
                c => {
                    match c {
                        '(' | '[' | '{' => open += 1,
                        ')' | ']' | '}' => open = open.checked_sub(1)?,
                        _ => {}
                    }
                    self.advance(c);
                }
            }
        }
    }

    /// After the word `agent`: reads the prompt, if this is a call.
    fn call(&mut self, depth: usize) -> Option<()> {
        self.blank()?;
        let Some(rest) = self.rest.strip_prefix('(') else { return Some(()) };
        self.rest = rest;
        self.before = Some('(');
        self.blank()?;
        let at = self.prompts.len();
        let text = self.text(depth)?;
        self.blank()?;
        let rest = self.rest;
        if !rest.starts_with([',', ')']) {
            return None;
        }
        self.code(Some(')'), depth + 1)?;
        let agent = agent_type(&rest[..rest.len() - self.rest.len()]);
        self.prompts.insert(at, AgentPrompt { text, agent });
        Some(())
    }

    /// A string or template literal; expressions in a template are kept as written.
    fn text(&mut self, depth: usize) -> Option<String> {
        let quote = self.rest.chars().next().filter(|c| "\"'`".contains(*c))?;
        self.advance(quote);
        let mut out = String::new();
        loop {
            let mut reader = WorkflowReader { rest: self.rest };
            let c = self.rest.chars().next()?;
            if c == quote {
                self.advance(quote);
                return Some(out);
            }
            if quote == '`' && self.rest.starts_with("${") {
                let from = self.rest;
                self.rest = &self.rest[2..];
                self.before = Some('{');
                self.code(Some('}'), depth + 1)?;
                out.push_str(&from[..from.len() - self.rest.len()]);
                continue;
            }
            if c == '\n' && quote != '`' {
                return None;
            }
            out.extend(reader.character()?);
            self.rest = reader.rest;
        }
    }

    /// Whether a value can begin here, judged by the code before it: a slash then starts a regular expression,
    /// otherwise it is a division.
    fn is_expression(&self) -> bool {
        self.before.is_none_or(|c| "(,=:[!&|?{};+-*%<>~^".contains(c))
    }

    /// A regular expression.
    fn pattern(&mut self) -> Option<()> {
        let (mut class, mut escaped) = (false, false);
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                '\n' => return None,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => class = true,
                ']' => class = false,
                '/' if !class => {
                    self.rest = &self.rest[at + 1..];
                    self.before = Some('a');
                    return Some(());
                }
                _ => {}
            }
        }
        None
    }

    fn blank(&mut self) -> Option<()> {
        let mut reader = WorkflowReader { rest: self.rest };
        self.rest = reader.blank()?;
        Some(())
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn advance(&mut self, c: char) {
        self.rest = &self.rest[c.len_utf8()..];
        self.before = Some(if "\"'`".contains(c) { 'a' } else { c });
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The `agentType` among the options of a call.
fn agent_type(options: &str) -> Option<String> {
    let (_, behind) = options.split_once("agentType")?;
    let mut reader = WorkflowReader { rest: behind.trim_start_matches(['"', '\'']) };
    reader.sign(':')?;
    reader.blank()?;
    reader.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(script: &str) -> Option<Vec<(String, Option<String>)>> {
        let found = prompts(script)?;
        Some(found.into_iter().map(|prompt| (prompt.text, prompt.agent)).collect())
    }

    #[test]
    fn prompts_are_the_texts_of_calls() {
        for (script, expected) in [
            ("await agent('Look.')", &[("Look.", None)][..]),
            (
                "const a = agent(\"It's \\\"here\\\"\\n\", { label: 'x', agentType: 'k:a' })\nagent(`Two\n${a.map(x => `- ${x}`)}`)",
                &[("It's \"here\"\n", Some("k:a")), ("Two\n${a.map(x => `- ${x}`)}", None)],
            ),
            ("parallel(x.map(y => () => agent(`See ${y}`, { schema: {a: [1]} })))", &[("See ${y}", None)]),
            ("// agent('no')\nconst r = /['\"`(]/.test(x) / 2; agent('yes')", &[("yes", None)]),
            ("subagent('no'); x.agent('no'); const agents = agent; agent('yes')", &[("yes", None)]),
            ("agent(`a ${await agent('b')}`)", &[("a ${await agent('b')}", None), ("b", None)]),
        ] {
            let expected: Vec<(String, Option<String>)> =
                expected.iter().map(|(text, agent)| ((*text).to_owned(), agent.map(str::to_owned))).collect();
            assert_eq!(found(script), Some(expected), "{script}");
        }
    }

    #[test]
    fn a_prompt_that_is_put_together_has_none() {
        for script in [
            "agent(PROMPT)",
            "agent('a' + b)",
            "agent('fine'); agent(text(x))",
            "agent('fine'",
            "agent(`open ${a`)",
            "log('nothing')",
            "",
        ] {
            assert_eq!(found(script), None, "{script}");
        }
    }
}
