//! Plugins whose files are real ones with tokens of YAML, JSON and Markdown spliced in: what a hand slips, what an
//! editor leaves, what another format would take. The same number makes the same plugin everywhere.

#[path = "tokens.rs"]
mod tokens;

use tokens::{JSON, JSON_VALUES, KEYS, MARKDOWN, VALUES, YAML};

/// Real texts to begin with, by what they are.
#[derive(Debug, Default)]
pub struct Corpus {
    /// Skills, agents and commands.
    pub markdown: Vec<String>,
    /// Manifests of plugins.
    pub manifests: Vec<String>,
    /// Files of hooks.
    pub hooks: Vec<String>,
    /// Files of servers.
    pub servers: Vec<String>,
}

/// Pseudo-random numbers (SplitMix64), the same for a seed on every machine.
pub struct Numbers(u64);

impl Numbers {
    /// The numbers that begin with `seed`.
    pub fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count as u64).unwrap_or_default()
    }

    /// One of `items`.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// True in one of `of` cases.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// The files of the plugin that `seed` makes, by path.
pub fn plugin(corpus: &Corpus, seed: u64) -> Vec<(String, String)> {
    let numbers = &mut Numbers::from_seed(seed);
    let mut files = Vec::new();
    let places = ["skills/a/SKILL.md", "skills/b/SKILL.md", "commands/c.md", "commands/d.md", "agents/e.md"];
    for place in places {
        let text = clipped(numbers.pick::<String>(&corpus.markdown));
        let damaged = !numbers.one_in(4);
        files.push((place.to_owned(), if damaged { markdown(numbers, &text, corpus) } else { text }));
    }
    let manifest = numbers.pick(&corpus.manifests).clone();
    let manifest = if numbers.one_in(2) { json(numbers, &manifest) } else { manifest };
    files.push((".claude-plugin/plugin.json".to_owned(), manifest));
    for (place, texts) in [("hooks/hooks.json", &corpus.hooks), (".mcp.json", &corpus.servers)] {
        if numbers.one_in(3) && !texts.is_empty() {
            let text = numbers.pick(texts).clone();
            files.push((place.to_owned(), json(numbers, &text)));
        }
    }
    if numbers.one_in(6) {
        let text = "interface:\n  display_name: \"A\"\npolicy:\n  allow_implicit_invocation: true\n";
        files.push(("skills/a/agents/openai.yaml".to_owned(), lines(numbers, text, corpus)));
    }
    if numbers.one_in(8) {
        files.push((
            "package.json".to_owned(),
            json(numbers, "{\"name\": \"x\", \"main\": \"i.js\", \"type\": \"module\"}"),
        ));
    }
    if numbers.one_in(8) {
        let text = "{\"name\": \"x\", \"interface\": {\"displayName\": \"X\"}, \"skills\": \"./skills\"}";
        files.push((".codex-plugin/plugin.json".to_owned(), json(numbers, text)));
    }
    files
}

/// The text with its frontmatter and the beginning of what stands below.
fn clipped(text: &str) -> String {
    let body = text.match_indices("\n---").next().map_or(0, |(at, _)| at + 4);
    let mut end = text.len().min(body + 500);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

/// A Markdown file with one to three slips.
pub fn markdown(numbers: &mut Numbers, text: &str, corpus: &Corpus) -> String {
    let mut text = text.to_owned();
    for _ in 0..=numbers.below(3) {
        let end = text.get(3..).and_then(|rest| rest.find("\n---")).map_or(0, |at| at + 4);
        text = if end > 0 && !numbers.one_in(8) {
            lines(numbers, &text[..end], corpus) + &text[end..]
        } else {
            let head = text[..end].to_owned();
            head + &spliced(numbers, &text[end..], MARKDOWN)
        };
    }
    match numbers.below(24) {
        0 => text.replace('\n', "\r\n"),
        1 => format!("\u{feff}{text}"),
        2 => format!("\n{text}"),
        3 => format!(" {text}"),
        4 => text.replacen("\n---", "\n ---", 1),
        5 => text.replacen("\n---", "\n...", 1),
        6 => text.replacen("\n---", "\n--- ", 1),
        7 => text.replacen("---", "--- ", 1),
        _ => text,
    }
}

/// Lines of YAML with one slip.
fn lines(numbers: &mut Numbers, text: &str, corpus: &Corpus) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let first = usize::from(lines.first().is_some_and(|line| line.starts_with("---")));
    if lines.len() <= first {
        return spliced(numbers, text, YAML);
    }
    let at = first + numbers.below(lines.len() - first);
    match numbers.below(12) {
        0..=3 => lines[at] = spliced(numbers, &lines[at], YAML),
        4 | 5 => {
            if let Some((key, _)) = lines[at].split_once(':') {
                lines[at] = format!("{key}: {}", numbers.pick(VALUES));
            }
        }
        6 => lines.insert(at, format!("{}: {}", numbers.pick(KEYS), numbers.pick(VALUES))),
        7 => {
            let line = lines[at].clone();
            lines.insert(at, line);
        }
        8 => drop(lines.remove(at)),
        9 => {
            let other = numbers.pick(&corpus.markdown);
            let mut others = other.lines().skip(1).take_while(|line| !line.starts_with("---"));
            let skipped = numbers.below(4);
            if let Some(line) = others.nth(skipped) {
                lines.insert(at, line.to_owned());
            }
        }
        10 => lines[at] = format!("{}{}", numbers.pick(&["\t", " ", "  ", "    "]), lines[at]),
        _ => {
            let flag = numbers.pick(&["disable-model-invocation", "user-invocable"]);
            let value = numbers.pick(&[
                "true",
                "\"true\"",
                "yes",
                "'on'",
                "1",
                "false",
                "True",
                "!!bool true",
                "true #x",
                "[true]",
            ]);
            lines.insert(at, format!("{flag}: {value}"));
        }
    }
    lines.join("\n")
}

/// A JSON file with one or two slips.
pub fn json(numbers: &mut Numbers, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..=numbers.below(2) {
        text = match numbers.below(3) {
            0 => spliced(numbers, &text, JSON),
            1 => exchanged(numbers, &text),
            _ => without_a_token(numbers, &text),
        };
    }
    text
}

/// The text with a value of another type behind one of its colons.
fn exchanged(numbers: &mut Numbers, text: &str) -> String {
    let colons: Vec<usize> = text.match_indices("\":").map(|(at, _)| at + 2).collect();
    if colons.is_empty() {
        return text.to_owned();
    }
    let at = *numbers.pick(&colons);
    let rest = &text[at..];
    let blank = rest.len() - rest.trim_start().len();
    let end = at + blank + value_length(&rest[blank..]);
    format!("{} {}{}", &text[..at], numbers.pick(JSON_VALUES), &text[end..])
}

/// How long the JSON value is with which `text` begins.
fn value_length(text: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' => depth += 1,
            '}' | ']' if depth == 0 => return at,
            '}' | ']' => depth -= 1,
            ',' | '\n' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn without_a_token(numbers: &mut Numbers, text: &str) -> String {
    let tokens: Vec<usize> =
        text.char_indices().filter(|(_, c)| "{}[]:,\"\\".contains(*c)).map(|(at, _)| at).collect();
    if tokens.is_empty() {
        return text.to_owned();
    }
    let at = *numbers.pick(&tokens);
    format!("{}{}", &text[..at], &text[at + 1..])
}

/// The text with one of `tokens` at some place.
fn spliced(numbers: &mut Numbers, text: &str, tokens: &[&str]) -> String {
    let mut at = numbers.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    format!("{}{}{}", &text[..at], numbers.pick(tokens), &text[at..])
}
