//! Reads the names in a text line by line, and the names that a line of a block binds.

use std::collections::BTreeSet;

use super::tool_names::tools;

/// Agents of the source host.
const BUILT_IN: [&str; 5] = ["Explore", "Plan", "claude", "general-purpose", "statusline-setup"];

/// Commands that one of the hosts refuses in its default sandbox.
const REFUSED: [&str; 11] = [
    "git add",
    "git commit",
    "git push",
    "git checkout",
    "git tag",
    "gh",
    "curl",
    "npm install",
    "npm ci",
    "npx",
    "pip install",
];

/// Fences that hold a file and no command.
const DOCUMENTS: [&str; 8] = ["yaml", "yml", "json", "jsonc", "toml", "markdown", "md", "dockerfile"];

/// What a file is to its plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A skill file.
    Skill,
    /// An agent.
    Agent,
    /// A command.
    Command,
}

/// What the file at an emitted path is.
pub fn kind(path: &str) -> Option<Kind> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["skills", _, "SKILL.md"] => Some(Kind::Skill),
        ["agents", ..] => Some(Kind::Agent),
        ["commands", ..] => Some(Kind::Command),
        _ => None,
    }
}

/// A text with what its frontmatter says about arguments.
pub struct Text<'a> {
    body: &'a str,
    filled: bool,
    declared: Vec<String>,
    main: bool,
    agent: bool,
    includes: bool,
}

impl<'a> Text<'a> {
    /// The file of a component.
    pub fn main(text: &'a str, kind: Kind) -> Self {
        let fields = text
            .trim_start_matches('\u{feff}')
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---\n"));
        let (fields, body) = fields.unwrap_or(("", text));
        let field = |key: &str| fields.lines().find_map(|line| line.strip_prefix(key));
        let declared = field("arguments:").map(|list| {
            let words = list.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
            words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
        });
        let takes = kind == Kind::Command
            || declared.is_some()
            || field("argument-hint:").is_some()
            || body.contains("$ARGUMENTS");
        Self {
            body,
            filled: kind != Kind::Agent && takes,
            declared: declared.unwrap_or_default(),
            main: true,
            agent: kind == Kind::Agent,
            includes: kind == Kind::Command,
        }
    }

    /// A file beside a skill's, or one that several components read.
    pub fn outside_block(body: &'a str) -> Self {
        let (filled, main, agent, includes) = (false, false, false, false);
        Self { body, filled, declared: Vec::new(), main, agent, includes }
    }

    /// Every name in the text that `host` does not know, and names that a block may bind as well; `components` are the
    /// qualified names, `agents` the last words of those of agents.
    pub fn names(
        &self,
        components: &[String],
        agents: &BTreeSet<String>,
        host: &str,
    ) -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut found, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
        if host == "claude-code" {
            return (found, mentioned);
        }
        let bare: Vec<(&str, &str)> =
            components.iter().filter_map(|name| Some((name.rsplit(':').next()?, name.as_str()))).collect();
        let (mut fence, mut document, mut leads_to_forbidden) = (false, false, false);
        for line in self.body.lines() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                fence = !fence;
                document = fence && DOCUMENTS.contains(&language.trim());
                // A fence marked `!` is run by the source host.
                if self.main && fence && line.trim_start().starts_with("```!") {
                    found.insert("!".to_owned());
                }
                continue;
            }
            let asks = !self.agent && asks(line);
            let is_item = line.trim_start().starts_with("- ");
            if !is_item && !line.trim().is_empty() {
                leads_to_forbidden = line.trim_end().ends_with(':') && forbids(line);
            }
            let forbids = forbids(line) || is_item && leads_to_forbidden;
            if forbids { &mut mentioned } else { &mut found }.extend(tools(line));
            for agent in BUILT_IN {
                let before = |at: usize| line[..at].trim_end_matches(['"', '\'', '`', ' ', ':', '=']);
                let is_typed = occurrences(line, agent).any(|at| before(at).ends_with("subagent_type"));
                let is_asked = is_typed && !self.agent && !forbids;
                if is_asked { &mut found } else { &mut mentioned }
                    .extend(occurrences(line, agent).next().map(|_| agent.to_owned()));
            }
            for name in components {
                if occurrences(line, name).next().is_some() {
                    let agent = agents.contains(name.rsplit(':').next().unwrap_or_default());
                    if agent && !asks || forbids { &mut mentioned } else { &mut found }.insert(name.clone());
                }
            }
            let plain = line.replace('*', "").to_lowercase();
            for (short, _) in &bare {
                // An agent's name in capitals.
                if plain.contains(&format!("{} agent", short.replace('-', " "))) {
                    mentioned.insert((*short).to_owned());
                }
                let mentions = ["agent", "skill", "command"].map(|word| format!("`{short}` {word}"));
                let called =
                    |at: usize| line[..at].ends_with('/') || line[..at].ends_with("subagent_type=\"");
                if occurrences(line, short).any(called)
                    || mentions.iter().any(|mentions| line.contains(mentions.as_str()))
                {
                    let only = agents.contains(*short) && !asks || forbids;
                    if only { &mut mentioned } else { &mut found }.insert((*short).to_owned());
                }
            }
            if host == "codex" {
                for command in code(line, fence) {
                    let runs =
                        |refused: &&str| command == *refused || command.starts_with(&format!("{refused} "));
                    // Nobody runs what is in a file of data or text.
                    let named = if document { &mut mentioned } else { &mut found };
                    named.extend(
                        REFUSED.iter().filter(|refused| runs(refused)).map(|refused| (*refused).to_owned()),
                    );
                }
                self.arguments(line, fence, &mut found, &mut mentioned);
            }
            self.placeholders(line, host, &mut found);
            self.commands_of_host(line, fence, host, (&mut found, &mut mentioned));
        }
        (found, mentioned)
    }

    /// What the line leaves to be replaced on the host.
    fn placeholders(&self, line: &str, host: &str, found: &mut BTreeSet<String>) {
        for (at, _) in line.match_indices("mcp__plugin_").filter(|_| self.main) {
            if let Some(end) = line[at + "mcp__plugin_".len()..].find("__") {
                found.insert(format!("{}NAME", &line[at..at + "mcp__plugin_".len() + end + 2]));
            }
        }
        for (at, _) in line.match_indices("${user_config.") {
            found.insert(line[at..].chars().take_while(|c| *c != '}').chain(['}']).collect());
        }
        for (at, _) in line.match_indices("${CLAUDE_") {
            let name: String = line[at..].chars().take_while(|c| *c != '}').chain(['}']).collect();
            let filled = ["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_SKILL_DIR}"].contains(&name.as_str());
            if host == "codex" || !filled {
                found.insert(name);
            }
        }
        if self.main && !self.agent {
            found.extend(includes(line).filter(|word| word.starts_with("@${CLAUDE_")));
        }
    }

    /// What the source host includes or runs before the model reads the line.
    fn commands_of_host(
        &self,
        line: &str,
        fence: bool,
        host: &str,
        (found, mentioned): (&mut BTreeSet<String>, &mut BTreeSet<String>),
    ) {
        if self.includes && !fence {
            // A host may include what a command names by itself.
            let by_itself = host == "opencode";
            let names = if by_itself { &mut *mentioned } else { &mut *found };
            names.extend(includes(line));
        }
        if self.main {
            for (at, _) in line.match_indices("!`") {
                let alone = line[..at].chars().next_back().is_none_or(char::is_whitespace);
                if alone && line[at + 2..].contains('`') {
                    let by_itself = host == "opencode" && self.includes;
                    let names = if by_itself { &mut *mentioned } else { &mut *found };
                    names.insert("!".to_owned());
                }
            }
        }
    }

    /// A number is an argument only beside others or in a text that is given any; whether it is meant, the user tells.
    fn arguments(
        &self,
        line: &str,
        fence: bool,
        found: &mut BTreeSet<String>,
        mentioned: &mut BTreeSet<String>,
    ) {
        if !self.filled {
            return;
        }
        for (at, _) in line.match_indices('$') {
            if line[..at].ends_with('\\') {
                continue;
            }
            let rest = &line[at + 1..];
            let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let index: String =
                rest[word.len()..].chars().take_while(|c| *c == '[' || c.is_ascii_digit()).collect();
            let closed = index.len() > 1 && rest[word.len() + index.len()..].starts_with(']');
            if word == "ARGUMENTS" && closed {
                found.insert(format!("$ARGUMENTS{index}]"));
            } else if word == "ARGUMENTS" || self.declared.contains(&word) {
                found.insert(format!("${word}"));
            } else if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
                let sure = matches!(word.as_str(), "0" | "1") && !line.contains("awk") && index.is_empty();
                let amount = rest[word.len()..].starts_with(['.', ',', '-', '/']) || fence;
                if sure && !amount { &mut *found } else { &mut *mentioned }.insert(format!("${word}"));
            }
        }
    }
}

/// Words such as `@docs/rules.md`, which include a file in a command.
pub fn includes(text: &str) -> impl Iterator<Item = String> {
    let words = text.split_whitespace().filter(|word| word.starts_with('@') && word.contains('/'));
    words.map(|word| word.trim_end_matches(['.', ',', ';', ':']).to_owned())
}

/// The paths in a text that begin with `./` or `../`.
pub fn paths(text: &str) -> BTreeSet<String> {
    let quotes = ['`', '"', '\'', '(', ')', '<', '>', '=', '@'];
    let words = text.split(|c: char| c.is_whitespace() || quotes.contains(&c));
    let paths = words.filter(|word| word.starts_with("./") || word.starts_with("../"));
    // A folder that is quoted alone ends with dots.
    let is_folder = |path: &str| path.ends_with("/..");
    let paths =
        paths.map(|path| if is_folder(path) { path } else { path.trim_end_matches(['.', ',', ';', ':']) });
    paths
        .flat_map(|path| {
            let folders = path.match_indices('/').map(|(at, _)| path[..=at].to_owned());
            folders.chain([path.to_owned(), format!("{path}/")]).collect::<Vec<_>>()
        })
        .collect()
}

/// The paths of scripts of workflows in a text, as written.
pub fn scripts(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| c.is_whitespace() || "`\"'()".contains(c));
    words.filter(|word| word.contains("workflows/") && word.ends_with(".js")).map(str::to_owned)
}

/// Whether a line asks to dispatch what it names.
fn asks(line: &str) -> bool {
    let words: Vec<String> =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_ascii_lowercase).collect();
    let has = |all: &[&str]| words.iter().any(|word| all.contains(&word.as_str()));
    has(&["dispatch", "spawn", "launch", "subagent_type"])
        && !has(&["never", "not", "don", "without", "avoid", "cannot"])
}

/// Whether a line may only forbid what it names: a line that does so has a word of a ban.
fn forbids(line: &str) -> bool {
    let words: Vec<String> = line.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    words.windows(2).any(|two| {
        let [first, second] = two else { return false };
        let is_first = matches!(first.as_str(), "never" | "no" | "not" | "don" | "avoid");
        is_first || first == "instead" && second == "of"
    }) || ["禁止", "不要", "を使わない"].iter().any(|ban| line.contains(ban))
}

/// The last word of the name of the agent at an emitted path.
pub fn agent(path: &str, text: &str) -> Option<String> {
    (kind(path) == Some(Kind::Agent)).then(|| own_name(text, path))
}

/// The last word of a component's own name.
pub fn own_name(text: &str, path: &str) -> String {
    let field = text.strip_prefix("---\n").and_then(|rest| {
        rest.lines().take_while(|line| *line != "---").find_map(|line| line.strip_prefix("name:"))
    });
    let parts: Vec<&str> = path.split('/').collect();
    let place = match parts.as_slice() {
        ["skills", folder, ..] => folder,
        [.., file] => file.trim_end_matches(".md"),
        [] => path,
    };
    let name = field.map_or(place, |name| name.trim().trim_matches(['"', '\'']));
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

/// Whether a text uses a variable for a folder.
pub fn names_folders(text: &str) -> bool {
    ["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_SKILL_DIR}"].iter().any(|name| text.contains(name))
}

/// Whole-word places of a name, outside addresses and paths.
pub(super) fn occurrences<'a>(line: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    line.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let (before, after) = (&line[..*at], &line[at + name.len()..]);
        let word_before = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let slash = word_before.trim_start_matches(['`', '"', '\'', '(', '*']) == "/";
        // The mark of an agent is not part of its name.
        let before = before.strip_suffix("@agent-").unwrap_or(before);
        let glued = before.ends_with(|c: char| c.is_alphanumeric() || "_-:.$\\/".contains(c));
        let next = after.trim_start_matches(['.', ':']);
        let ends = !next.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && !after.starts_with(['-', '/', '\\']);
        (slash || !glued) && ends
    })
}

/// The code of a line: the line itself inside a fence, else its code spans.
fn code(line: &str, fence: bool) -> Vec<String> {
    if fence {
        return vec![line.trim().trim_start_matches("$ ").to_owned()];
    }
    // Of commands that are joined each one runs.
    let spans = line.split('`').skip(1).step_by(2);
    spans.flat_map(|code| code.split(['&', '|', ';'])).map(|code| code.trim().to_owned()).collect()
}

/// The code spans of a line.
pub fn spans(line: &str) -> BTreeSet<String> {
    line.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The names that a line of a block binds: its code spans, and the mark of commands to run. `kit:NAME` stands for
/// every name of `kit`, with its last word: in a line about agents for their names, elsewhere for the others.
pub fn bound(line: &str, components: &[String], agents: &BTreeSet<String>) -> BTreeSet<String> {
    let spans = spans(line);
    let covered = |name: &&String| {
        let plugin = name.split(':').next().unwrap_or_default();
        let agent = agents.contains(name.rsplit(':').next().unwrap_or_default());
        spans.contains(*name)
            || agent == line.starts_with("- Agents:") && spans.contains(&format!("{plugin}:NAME"))
    };
    let whole: Vec<String> = components.iter().filter(covered).cloned().collect();
    let short =
        whole.iter().filter_map(|name| name.rsplit(':').next()).map(str::to_owned).collect::<Vec<_>>();
    spans.into_iter().chain(whole).chain(short).collect()
}

/// Short names of several words that are in a text: an agent of that name may be meant.
pub fn apart(text: &str, names: &[String]) -> BTreeSet<String> {
    let short = names.iter().filter_map(|name| name.rsplit(':').next());
    let several = short.filter(|short| short.contains(['-', '_']));
    several.filter(|short| text.contains(short)).map(str::to_owned).collect()
}
