//! One case as data: a fixture made by a shell script, a command line, and what it must answer.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// One case.
#[derive(Debug, Default)]
pub struct Case {
    /// `<section>/<number>`, with `-<word>` behind it where several cases show one number.
    pub id: String,
    /// What it shows, where the number alone does not tell.
    pub name: String,
    /// A shell script that runs first, in an empty folder; `$RUN` is the helper.
    pub setup: String,
    /// Whether the real `gh` reaches its own fake GitHub; the word `github` gives it what it holds.
    pub github: bool,
    /// What is called, in order; most cases have one call.
    pub steps: Vec<Step>,
}

/// One call with what it must answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// A shell script that runs before; variables that were captured are set.
    #[serde(default)]
    pub before: String,
    /// Files that are written before, with their content.
    #[serde(default)]
    pub write: BTreeMap<String, String>,
    /// The command line.
    pub argv: Vec<String>,
    /// The folder it runs in, below the fixture's, or absolute.
    #[serde(default)]
    pub folder: String,
    /// Standard input.
    #[serde(default)]
    pub stdin: String,
    /// Variables; an empty value is set and empty.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The exit code.
    pub exit: Option<i32>,
    /// What the answer holds, as JSON.
    pub json: Option<String>,
    /// All of standard output, for other formats than JSON.
    pub stdout: Option<String>,
    /// Values of the answer by the pointers to them: `{NAME}` in what later steps say.
    #[serde(default)]
    pub capture: BTreeMap<String, String>,
    /// A shell script that must succeed afterwards; `$OUT` is the answer's file.
    #[serde(default)]
    pub after: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    fixtures: BTreeMap<String, String>,
    case: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    fixture: String,
    #[serde(default)]
    setup: String,
    #[serde(default)]
    github: bool,
    #[serde(default)]
    step: Vec<Step>,
    argv: Option<Vec<String>>,
    #[serde(default)]
    folder: String,
    #[serde(default)]
    stdin: String,
    #[serde(default)]
    env: BTreeMap<String, String>,
    exit: Option<i32>,
    json: Option<String>,
    stdout: Option<String>,
    #[serde(default)]
    after: String,
}

impl Step {
    /// What the answer must hold, with what `fill` makes of the text.
    ///
    /// # Panics
    /// When it is not JSON.
    pub fn wanted(&self, fill: impl Fn(&str) -> String) -> Option<Value> {
        let text = fill(self.json.as_ref()?);
        Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
    }
}

impl Case {
    /// The number that it stands for.
    pub fn number(&self) -> String {
        let (section, number) = self.id.split_once('/').unwrap_or((&self.id, ""));
        format!("{section}/{}", number.split('-').next().unwrap_or(number))
    }
}

/// A fixture by its name; a line `@NAME` in it stands for another one.
fn fixture(fixtures: &BTreeMap<String, String>, name: &str) -> String {
    let text = fixtures.get(name).unwrap_or_else(|| panic!("no fixture `{name}`"));
    let line =
        |line: &str| line.strip_prefix('@').map_or_else(|| line.to_owned(), |name| fixture(fixtures, name));
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Reads a file of cases.
///
/// # Panics
/// When it is malformed.
pub fn read(path: &str, text: &str) -> Vec<Case> {
    let file: File = toml::from_str(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let whole = |row: Row| {
        let named = match row.fixture.as_str() {
            "" => String::new(),
            name => fixture(&file.fixtures, name),
        };
        let mut steps = row.step;
        if let Some(argv) = row.argv {
            let (folder, stdin, env) = (row.folder, row.stdin, row.env);
            let (exit, json, stdout, after) = (row.exit, row.json, row.stdout, row.after);
            let one = Step { argv, folder, stdin, env, exit, json, stdout, after, ..Step::default() };
            steps.insert(0, one);
        }
        for step in &steps {
            step.wanted(str::to_owned);
        }
        let setup = format!("{named}\n{}", row.setup);
        Case { id: row.id, name: row.name, setup, github: row.github, steps }
    };
    file.case.into_iter().map(whole).collect()
}
