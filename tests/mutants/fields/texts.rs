//! Texts of skills, commands and agents from a seed: every way to write a field that the user, an editor or an attacker
//! may choose, alone and beside others.

use crate::fuzz::bodies::mutants::Numbers;

/// Fields that decide who may start a component and with what, and those that are shown.
const KEYS: &[&str] = &[
    "description",
    "when_to_use",
    "disable-model-invocation",
    "user-invocable",
    "allowed-tools",
    "disallowed-tools",
    "tools",
    "disallowedTools",
    "model",
    "argument-hint",
    "arguments",
    "context",
    "agent",
    "license",
    "metadata",
    "maxTurns",
];
/// How a key may be written; the word stands for `KEY`.
const WRITTEN: &[&str] = &[
    "KEY: ",
    "KEY: ",
    "KEY: ",
    "KEY: ",
    "KEY: ",
    "KEY:  ",
    "\"KEY\": ",
    "'KEY' : ",
    "KEY : ",
    "? KEY\n: ",
    "!!str KEY: ",
];
const VALUES: &[&str] = &[
    "true",
    "false",
    "yes",
    "True",
    "\"true\"",
    "'on'",
    "1",
    "0x1",
    "1.0",
    "1e2",
    "-3",
    ".5",
    "~",
    "null",
    "",
    "Read",
    "Read, Grep",
    "Read Grep",
    "Bash(git add:*), Read",
    "[Read, Grep]",
    "[Read, 'Bash(git:*)']",
    "[]",
    "{}",
    "{a: b, c: [d]}",
    "\n  - Read\n  - Grep",
    "\n- Read\n- Grep",
    "Says it",
    "Says it: at once",
    "Says #1",
    "Says it # now",
    "\"Says it\"",
    "'it''s said'",
    "\"a\\tb \\u00e9 \\x41\"",
    "|\n  Says it\n  twice",
    ">-\n  Says it\n  twice",
    "|2\n   Says it",
    ">\n\n  Says\n\n  it\n",
    "|+\n  Says it\n\n",
    "Says it\n  twice",
    "\"Says it\n  twice\"",
    "!!str true",
    "!!str 12",
    "!!bool \"true\"",
    "!!bool true",
    "!!int \"12\"",
    "!!float 1",
    "!!null x",
    "!<tag:yaml.org,2002:bool> \"true\"",
    "!<tag:yaml.org,2002:str> true",
    "!<tag:yaml.org,2002:null> ''",
    "!<!own> x",
    "!own true",
    "[!a,b Read]",
    "[Read, !!str , !a , Grep]",
    "! true",
    "!!seq [a]",
    "!!map {a: b}",
    "!!set {a, b}",
    "&x true",
    "&x Read",
    "&x [Read]",
    "&x {disable-model-invocation: true}",
    "*x",
    "[*x]",
    "2024-01-01",
    "12:30",
    "0o17",
    "1_000",
    ".inf",
    ".nan",
    "+1",
    "[a] [b]",
    "`code`",
    "@at",
    "%x",
    "- x",
    "a\tb",
    "{{x}}",
    "*",
    "mcp__*",
    "\u{feff}true",
    "\"\\ud83d\\ude00\"",
];
/// Lines of other kinds.
const LINES: &[&str] = &[
    "# a comment",
    "",
    "  ",
    "<<: {disable-model-invocation: true}",
    "<<: {disable-model-invocation: false, disable-model-invocation: true}",
    "<<: [{tools: Read}, {tools: Grep, model: x}]",
    "<<: [{tools: Read, tools: Grep}, {tools: Bash}]",
    "b: &b {disable-model-invocation: true}\n<<: *b",
    "b: &b {tools: Read}\nc: &c {tools: Grep, model: y}\n<<: [*b, *c]",
    "b: &b\n  <<: {user-invocable: false}\n  tools: Read\n<<: *b",
    "<<: x",
    "<<: null",
    "<<: []",
    "<<: [x, {tools: Read}]",
    "\"<<\": {tools: Read}",
    "!!merge <<: {tools: Read}",
    "metadata:\n  a: b\n  a: c",
    "metadata:\n  <<: {a: b}\n  a: c\n  <<: {a: d, e: f}",
    "[disable-model-invocation]: true",
    "1: a",
    "true: a",
    "null: a",
    "12: a",
    "x y: z",
    "a.b: c",
    "&k tools: Read",
    "...",
];

/// The text that `seed` makes.
pub fn text(seed: u64) -> String {
    let numbers = &mut Numbers::from_seed(seed);
    let mut out = String::from("---\n");
    if numbers.one_in(20) {
        out.insert(0, '\u{feff}');
    }
    if numbers.one_in(20) {
        out.push_str("  \n");
    }
    let kind = numbers.below(3);
    if kind != 1 {
        out.push_str("name: one\n");
    }
    let indent = if numbers.one_in(25) { "  " } else { "" };
    for _ in 0..1 + numbers.below(4) {
        let line = match numbers.one_in(4) {
            true => (*numbers.pick::<&str>(LINES)).to_owned(),
            false => {
                let key = numbers.pick::<&str>(KEYS);
                let value = numbers.pick::<&str>(VALUES);
                numbers.pick::<&str>(WRITTEN).replace("KEY", key) + value
            }
        };
        for line in line.split('\n') {
            out.push_str(&format!("{}{line}\n", if line.is_empty() { "" } else { indent }));
        }
    }
    out.push_str(match numbers.below(20) {
        0 => "  ---\n",
        1 => "----\n",
        2 => "--- x\n",
        _ => "---\n",
    });
    out.push_str("\nThe text.\n");
    match numbers.below(20) {
        0 => out.replace('\n', "\r\n"),
        _ => out,
    }
}
