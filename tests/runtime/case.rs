//! One case as data: a scene made by a shell script, a command line, and what it must answer.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// One case.
#[derive(Debug)]
pub struct Case {
    /// `<section>/<number>`, with `-<word>` behind it where several cases show one number.
    pub id: String,
    /// What it shows, where the number alone does not tell.
    pub name: String,
    /// A shell script that runs first, in an empty folder; `$RUN` is the helper.
    pub scene: String,
    /// The command line.
    pub argv: Vec<String>,
    /// The folder it runs in, below the scene's.
    pub folder: String,
    /// Standard input.
    pub stdin: String,
    /// Variables; an empty value is set and empty.
    pub env: BTreeMap<String, String>,
    /// The exit code.
    pub exit: Option<i32>,
    /// What the answer holds.
    pub json: Option<Value>,
    /// All of standard output, for other formats than JSON.
    pub stdout: Option<String>,
    /// A shell script that must succeed afterwards; `$OUT` is the answer's file.
    pub after: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    scenes: BTreeMap<String, String>,
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
    scene: String,
    argv: Vec<String>,
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

impl Case {
    /// The number that it stands for.
    pub fn number(&self) -> String {
        let (section, number) = self.id.split_once('/').unwrap_or((&self.id, ""));
        format!("{section}/{}", number.split('-').next().unwrap_or(number))
    }
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
            name => file.scenes.get(name).unwrap_or_else(|| panic!("{}: no scene `{name}`", row.id)).clone(),
        };
        let json = row.json.map(|json| {
            serde_json::from_str(&json).unwrap_or_else(|error| panic!("{}: {error}: {json}", row.id))
        });
        Case {
            id: row.id,
            name: row.name,
            scene: format!("{named}\n{}", row.scene),
            argv: row.argv,
            folder: row.folder,
            stdin: row.stdin,
            env: row.env,
            exit: row.exit,
            json,
            stdout: row.stdout,
            after: row.after,
        }
    };
    file.case.into_iter().map(whole).collect()
}
