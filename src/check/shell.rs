//! The simple commands of a shell text with their words and spans: enough to tell which program a line runs and with
//! which arguments. Nothing is expanded, and parsing cannot fail.

use crate::read::shell_names::is_shell;
use crate::source::{Span, line_end};

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellWord {
    /// Its span, including quotes.
    pub span: Span,
    /// The word without quotes.
    pub text: String,
}

impl ShellWord {
    /// Whether it sets a variable, where a program may stand or behind one that declares variables.
    pub fn is_assignment(&self) -> bool {
        let name = self.text.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    }
}

/// One program with its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The words, including leading assignments.
    pub words: Vec<ShellWord>,
    /// The files that are written or read by `>` and `<`.
    pub redirects: Vec<ShellWord>,
    /// Whether its input is the output of the previous command.
    pub piped: bool,
}

impl SimpleCommand {
    /// The words from the program on, without assignments and without wrapper programs of `through` and their options.
    pub fn program<'a>(&'a self, through: &[&str]) -> &'a [ShellWord] {
        let mut words = self.words.as_slice();
        loop {
            match words {
                [first, rest @ ..] if first.is_assignment() => words = rest,
                [first, rest @ ..] if through.contains(&base(&first.text)) && !rest.is_empty() => {
                    words = rest;
                    while let [option, rest @ ..] = words
                        && option.text.starts_with('-')
                    {
                        words = rest;
                    }
                }
                _ => return words,
            }
        }
    }

    /// The script that the command passes to a shell with `-c`.
    pub fn script(&self) -> Option<&ShellWord> {
        let words = self.program(&["sudo", "env"]);
        let (first, rest) = words.split_first()?;
        if !is_shell(base(&first.text)) {
            return None;
        }
        let at = rest.iter().position(|word| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c')
        })?;
        rest.get(at + 1)
    }
}

/// The last part of a program's path.
pub fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The simple commands of `text`, including those in `$(…)`, with spans shifted by `start`.
pub fn commands(text: &str, start: usize) -> Vec<SimpleCommand> {
    let mut reader = ShellReader::new(text, start, 0, 0);
    reader.run(None);
    reader.out
}

/// Words that open or join commands and are not programs; `$` and `%` are the prompt of a transcript.
const KEYWORDS: [&str; 14] =
    ["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "!", "{", "}", "$"];

/// The maximum nesting depth of substitutions.
const DEPTH: usize = 16;

struct ShellReader<'a> {
    text: &'a str,
    start: usize,
    at: usize,
    out: Vec<SimpleCommand>,
    now: SimpleCommand,
    /// The start of the current word, and its text so far.
    word: Option<(usize, String)>,
    /// Whether the next word is the file of a redirection.
    target: bool,
    /// The current nesting depth of substitutions.
    depth: usize,
}

impl<'a> ShellReader<'a> {
    fn new(text: &'a str, start: usize, at: usize, depth: usize) -> Self {
        let now = SimpleCommand::default();
        Self { text, start, at, out: Vec::new(), now, word: None, target: false, depth }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn starts(&self, with: &str) -> bool {
        self.text[self.at..].starts_with(with)
    }

    fn push(&mut self, part: &str) {
        let at = self.at;
        self.word.get_or_insert_with(|| (at, String::new())).1.push_str(part);
    }

    fn end_word(&mut self) {
        let Some((from, text)) = self.word.take() else { return };
        let word = ShellWord { span: Span::new(self.start + from, self.start + self.at), text };
        if std::mem::take(&mut self.target) {
            self.now.redirects.push(word);
        } else if !self.now.words.is_empty() || !KEYWORDS.contains(&word.text.as_str()) {
            self.now.words.push(word);
        }
    }

    fn end_command(&mut self, piped: bool) {
        self.end_word();
        self.target = false;
        let done = std::mem::replace(&mut self.now, SimpleCommand { piped, ..SimpleCommand::default() });
        if !done.words.is_empty() || !done.redirects.is_empty() {
            self.out.push(done);
        }
    }

    /// Reads up to `close`, or to the end.
    fn run(&mut self, close: Option<char>) {
        while let Some(c) = self.peek() {
            if Some(c) == close {
                break;
            }
            match c {
                '\\' => self.escape(),
                '\'' => self.read_quoted(),
                '"' => self.read_double_quoted(),
                '`' | '$' => self.read_substitution(c),
                '#' if self.word.is_none() => {
                    self.at = line_end(self.text, self.at);
                }
                '\n' | ';' => {
                    self.end_command(false);
                    self.at += 1;
                }
                '(' | ')' => {
                    self.end_command(false);
                    self.at += 1;
                }
                '|' => {
                    let either = self.starts("||");
                    self.end_command(!either);
                    self.at += if either || self.starts("|&") { 2 } else { 1 };
                }
                '&' if self.starts("&>") => self.redirect(),
                '&' => {
                    self.end_command(false);
                    self.at += if self.starts("&&") { 2 } else { 1 };
                }
                '<' | '>' => self.redirect(),
                c if c.is_whitespace() => {
                    self.end_word();
                    self.at += c.len_utf8();
                }
                c => {
                    let mut buffer = [0; 4];
                    self.push(c.encode_utf8(&mut buffer));
                    self.at += c.len_utf8();
                }
            }
        }
        self.end_command(false);
    }

    fn escape(&mut self) {
        let next = self.text[self.at + 1..].chars().next();
        match next {
            // A line continuation.
            Some('\n') => self.at += 2,
            Some(c) => {
                let mut buffer = [0; 4];
                // A name with a backslash is not the plain name of a program.
                self.push("\\");
                self.push(c.encode_utf8(&mut buffer));
                self.at += 1 + c.len_utf8();
            }
            None => self.at += 1,
        }
    }

    fn read_quoted(&mut self) {
        let rest = &self.text[self.at + 1..];
        let length = rest.find('\'').unwrap_or(rest.len());
        let inner = rest[..length].to_owned();
        self.push(&inner);
        self.at = (self.at + length + 2).min(self.text.len());
    }

    fn read_double_quoted(&mut self) {
        self.push("");
        self.at += 1;
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    let next = self.text[self.at + 1..].chars().next();
                    let mut buffer = [0; 4];
                    if let Some(next) = next {
                        self.push(next.encode_utf8(&mut buffer));
                    }
                    self.at += 1 + next.map_or(0, char::len_utf8);
                }
                '`' | '$' => self.read_substitution(c),
                c => {
                    let mut buffer = [0; 4];
                    self.push(c.encode_utf8(&mut buffer));
                    self.at += c.len_utf8();
                }
            }
        }
    }

    /// `$(…)` and `` `…` `` contain separate commands, which are listed before the enclosing one; `${…}` and `$name`
    /// stay unchanged.
    fn read_substitution(&mut self, c: char) {
        let rest = &self.text[self.at..];
        let (open, close) = match c {
            '`' => (1, Some('`')),
            _ if rest.starts_with("$((") => (0, None),
            _ if rest.starts_with("$(") => (2, Some(')')),
            _ => (0, None),
        };
        let length = match (close, rest.starts_with("${")) {
            (Some(_), _) if self.depth < DEPTH => self.read_nested(open, close),
            (None, true) => rest.find('}').map_or(rest.len(), |end| end + 1),
            _ => c.len_utf8(),
        };
        let end = (self.at + length).min(self.text.len());
        let part = self.text[self.at..end].to_owned();
        self.push(&part);
        self.at = end;
    }

    /// Reads the nested commands, and returns the length of the substitution.
    fn read_nested(&mut self, open: usize, close: Option<char>) -> usize {
        let mut inner = ShellReader::new(self.text, self.start, self.at + open, self.depth + 1);
        inner.run(close);
        self.out.append(&mut inner.out);
        inner.at + 1 - self.at
    }

    fn redirect(&mut self) {
        // A number before it is the file descriptor.
        if self.word.as_ref().is_some_and(|(_, text)| text.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        let rest = &self.text[self.at..];
        if self.depth < DEPTH && (rest.starts_with("<(") || rest.starts_with(">(")) {
            let length = self.read_nested(2, Some(')'));
            let end = (self.at + length).min(self.text.len());
            let part = self.text[self.at..end].to_owned();
            self.push(&part);
            self.at = end;
            return;
        }
        if rest.starts_with("<<") && !rest.starts_with("<<<") {
            return self.heredoc();
        }
        let length = rest.find(|c| !"<>&|".contains(c)).unwrap_or(rest.len());
        self.at += length;
        // `2>&1` and `>&-` refer to a descriptor, not a file.
        let stream = self.text[self.at..].chars().next();
        if rest[..length].ends_with('&') && stream.is_some_and(|c| c.is_ascii_digit() || c == '-') {
            self.at += 1;
        } else {
            self.target = true;
        }
    }

    /// Skips a here-document: its text is not a command.
    fn heredoc(&mut self) {
        let rest = &self.text[self.at + 2..];
        let head = rest.lines().next().unwrap_or_default();
        let mark = head.trim_start_matches('-').split_whitespace().next().unwrap_or_default();
        let length = 2 + head.find(mark).unwrap_or(0) + mark.len();
        let mark = mark.trim_matches(['"', '\'', '\\']).to_owned();
        // The rest of the line still belongs to the command.
        let tail_start = self.at + length;
        let line_end = line_end(self.text, self.at);
        if line_end == self.text.len() {
            self.at = line_end;
            return;
        }
        let mut end = line_end + 1;
        for line in self.text[end..].split_inclusive('\n') {
            end += line.len();
            if line.trim() == mark {
                break;
            }
        }
        let tail = commands(self.text.get(tail_start..line_end).unwrap_or_default(), self.start + tail_start);
        let mut tail = tail.into_iter();
        if let Some(first) = tail.next() {
            self.now.redirects.extend(first.redirects);
        }
        self.end_command(false);
        self.out.extend(tail);
        self.at = end.min(self.text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        let all = commands(text, 0);
        all.iter().map(|one| one.words.iter().map(|word| word.text.clone()).collect()).collect()
    }

    #[test]
    fn takes_a_line_apart_into_programs_and_words() {
        assert_eq!(words("a 'b c' && d \"e $F\" | g; # h"), [vec!["a", "b c"], vec!["d", "e $F"], vec!["g"]]);
        assert_eq!(words("if test -f x; then rm -f x; fi"), [vec!["test", "-f", "x"], vec!["rm", "-f", "x"]]);
        assert_eq!(words("x=$(rm -f y) z"), [vec!["rm", "-f", "y"], vec!["x=$(rm -f y)", "z"]]);
        assert_eq!(words("cat <<'E' > o\nrm -rf x\nE\nls"), [vec!["cat"], vec!["ls"]]);
        assert_eq!(words("a 2>&1 > b && bash <(c d)"), [vec!["a"], vec!["c", "d"], vec!["bash", "<(c d)"]]);
        assert_eq!(words("a \\\n b"), [vec!["a", "b"]]);
        assert!(commands(&"<(".repeat(5_000), 0).len() < 5_000);
        for odd in
            ["$(", "`", "\"", "'", "${", "<<", "<(", "\\", "a $(b `c", "<<<", "|&", "\u{e9}\\\u{e9}", "<<E"]
        {
            commands(odd, 0);
        }
    }

    #[test]
    fn knows_what_is_run() {
        let one = |text: &str| commands(text, 0).remove(0);
        assert_eq!(one("A=1 sudo -u rm -f x").program(&["sudo"])[0].text, "rm");
        assert_eq!(one("bash -lc 'cd a; rm b'").script().unwrap().text, "cd a; rm b");
        assert!(one("bash run.sh").script().is_none());
        assert!(commands("a | b", 0)[1].piped && !commands("a || b", 0)[1].piped);
        let spans: Vec<_> = commands("a 'b'", 10)[0].words.iter().map(|word| word.span).collect();
        assert_eq!(spans, [Span::new(10, 11), Span::new(12, 15)]);
    }
}
