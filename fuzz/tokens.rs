//! What is spliced into texts (`mutants.rs`).

/// What means something to a reader of YAML, and what no reader expects.
#[rustfmt::skip]
pub const YAML: &[&str] = &[
    "\"", "'", ": ", ":", " #", "#", "- ", "-", "[", "]", "{", "}", ", ", "&a ", "*a", "*", "!!int ", "!!str ",
    "!!null ", "!own ", "! ", "|", "|-\n  ", ">", ">-", "? ", "%", "@", "`", "---", "...", "\t", "\u{1}",
    "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}", "\u{a0}", "\\", "\\x", "\\u12", "\\\"", "\n", "\r", "\r\n",
    "\n\n", "\n  ", "\n\t", "<<: ", "~", "=", "\u{1f600}", "é", "\u{200b}", "\0", "\u{b}", "\u{c}", "{{x}}",
    "$1", "<b>", "''", "\"\"", "%YAML 1.2\n", "\u{fffe}", "\u{d7ff}",
];
/// Values that readers take for different things.
#[rustfmt::skip]
pub const VALUES: &[&str] = &[
    "", "~", "null", "Null", "true", "yes", "on", "no", "1", "0x1F", "0o14", "014", "1_000", "1e3", ".inf",
    ".nan", "1.10", "12:30:45", "2024-01-01", "2024-01-01T10:00:00Z", "[a, b]", "[a] [b]", "{a: b}", "{a: b",
    "\"a", "'a", "\"a\" b", "'a' b: c", "a: b", "a:b", "a #b", "a# b", "*x", "&x", "&x y", "!!int 1", "!!str 1",
    "!!int \"1\"", "!!binary aGk=", "!t x", "! x", "@x", "`x`", "%x", "- x", "-", "--- x", "x --- y",
    "|\n  x\n  y", ">-\n  x: y", "|\nx", "|2\n  x", "\n  - a\n  - b", "\n- a\n- b", "\n  a: b", "\n  x\n  y: z",
    "\"a\\nb\"", "\"a\\qb\"", "\"\\u00e9\"", "\"a\n  b\"", "'it''s'", "it's: so", "x\u{85}y", "x\u{2028}y",
    "x\u{1}y", "\"x\u{1}y\"", "x\ty", "\tx", "x ", "?", "? x", "x?", ":", ": x", "=", "<<", "[", "]", "{", "}",
    ",", "a, b", "Read, Bash(git:*)", "[\"a\", 'b', c: d]", "{\"a\": 1}", "\u{1f600}", "é", "\"---\"", "#x",
    "\"#x\"", "http://x/#y", "C:\\x", "<x> & y", "${x}", "$1",
];
/// Keys that hosts know, and keys that no host expects.
#[rustfmt::skip]
pub const KEYS: &[&str] = &[
    "name", "description", "disable-model-invocation", "user-invocable", "allowed-tools", "tools", "model",
    "metadata", "license", "argument-hint", "arguments", "when_to_use", "version", "color", "x y", "\"name\"",
    "'description'", "? name", "[a]", "{a: b}", "<<", "1", "true", "~", "é", "na\u{85}me", "-", "*x", "&k name",
    "!!str name", "a.b", "DESCRIPTION", "metadata: {a",
];
/// What means something in a text below frontmatter.
#[rustfmt::skip]
pub const MARKDOWN: &[&str] = &[
    "---\n", "\n---\n", "```\n", "```sh\n", "~~~\n", "`", "``", "<!--", "-->", "$ARGUMENTS", "$1",
    "${CLAUDE_PLUGIN_ROOT}/x", "!`ls`", "@README.md", "\n# T\n", "[a](b.md)", "<b>", "\u{1}", "\u{feff}",
    "\r\n", "\t", "&amp;", "|a|b|\n|-|-|\n", "'''", "\"\"\"", "\\", "\u{2028}", "\0",
    "<!-- plugcast:on-this-host -->\n", "<!-- /plugcast:on-this-host -->\n", "{{ x }}", "{% x %}",
];
/// What means something in JSON, and what its cousins take.
#[rustfmt::skip]
pub const JSON: &[&str] = &[
    ",", ":", "{", "}", "[", "]", "\"", "\\", "\\x", "\\u12", "\\ud800", "\\u0000", "\\/", "\u{1}", "\t", "\n",
    "\r", "\0", "// c\n", "/* c */", "# c\n", "'", "\u{feff}", "\u{2028}", "\u{a0}", "null", "true", "5", "-",
    "+1", "01", "1.", ".5", "1e999", "NaN", "Infinity", "undefined", "\"a\": 1,", ",\"name\": \"z\"", "\"\"",
    "{}", "[]", "é", "\u{1f600}", "\u{7f}", "\\u00e9", "\\ud83d\\ude00", "\u{b}", "\u{c}",
];
/// Values of every type, for a value of another one.
#[rustfmt::skip]
pub const JSON_VALUES: &[&str] = &[
    "null", "true", "5", "\"\"", "\"x\"", "[]", "{}", "[1]", "[\"x\"]", "[null]", "{\"name\": 1}",
    "{\"a\": {}}", "\"./x\"", "\"../x\"", "\"./\"", "[\"./x\", 1]", "1e999", "-0", "\"a\\u0000b\"",
    "\"\\ud800\"", "\"a b\"", "\" \"", "{\"name\": \"x\"}", "{\"hooks\": {}}", "{\"hooks\": []}", "[[]]",
    "\"https://x.example\"", "\"1.0.0\"", "\"é\"", "{\"mcpServers\": {}}", "{\"command\": 1}",
    "{\"command\": \"x\", \"args\": \"y\"}",
];
