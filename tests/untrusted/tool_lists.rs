//! 13: lists of tools are split as the source host splits them, and no other host gets more of them.

use super::demo;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// Fields of an agent.
pub struct List {
    /// The agent.
    pub name: &'static str,
    /// The lines.
    pub fields: &'static str,
    /// Which of the tools for files and the shell it has on the source host (2.1.330); `None` where it does not start.
    pub has: Option<&'static str>,
    /// What is in the module's data for OpenCode as allowed and denied, as JSON.
    pub registered: (&'static str, &'static str),
}

const fn list(
    name: &'static str,
    fields: &'static str,
    has: Option<&'static str>,
    registered: (&'static str, &'static str),
) -> List {
    List { name, fields, has, registered }
}

/// `Glob` and `Grep` are there where a list names them and no shell.
const ALL: Option<&str> = Some("Bash Edit Read Write");

pub const LISTS: &[List] = &[
    list("plain", "tools: Read, Grep", Some("Grep Read"), (r#"{"grep":true,"read":true}"#, "null")),
    list("blanks", "tools: Read Grep", Some("Grep Read"), (r#"{"grep":true,"read":true}"#, "null")),
    list("tab", "tools: \"Read\\tGrep, Glob\"", Some("Glob"), (r#"{"glob":true}"#, "null")),
    list("no-break", "tools: \"Read\\u00a0Grep, Glob\"", Some("Glob"), (r#"{"glob":true}"#, "null")),
    list("line", "tools: |\n  Read\n  Grep\n", None, (r#"{}"#, "null")),
    list(
        "nested",
        "tools: Bash(a (b), Read, c) Grep",
        Some("Bash Read"),
        (r#"{"bash":["a (b"],"grep":true,"read":true}"#, "null"),
    ),
    list("open", "tools: Bash(git, Read", None, (r#"{}"#, "null")),
    list("behind", "tools: Bash(git) x", Some("Bash"), (r#"{"bash":["git"]}"#, "null")),
    list("comma-tag", "tools: !a,b [Read]", None, (r#"{}"#, "null")),
    list("flow-tag", "disallowedTools: [!a,b Bash]", Some("Edit Read Write"), ("null", r#"["bash"]"#)),
    list("number", "tools: 12", Some(""), (r#"{}"#, "null")),
    list("numbers", "tools: [12, Read, true]", Some("Read"), (r#"{"read":true}"#, "null")),
    list("mapping", "tools: {Read: true}", Some(""), (r#"{}"#, "null")),
    list("empty", "tools:", Some(""), (r#"{}"#, "null")),
    list("no-text", "tools: \"\"", Some(""), (r#"{}"#, "null")),
    list("no-item", "tools: []", Some(""), (r#"{}"#, "null")),
    list("star", "tools: \"Read, *\"", ALL, ("null", "null")),
    list("all-servers", "tools: mcp__*, Read", Some("Read"), (r#"{"read":true}"#, "null")),
    list("some-servers", "tools: mcp__e*__*, Read", Some("Read"), (r#"{"read":true}"#, "null")),
    list("some-tools", "tools: mcp__e__t*, Read", Some("Read"), (r#"{"read":true}"#, "null")),
    list(
        "server",
        "tools: mcp__external__*, Read",
        Some("Read"),
        (r#"{"external_*":true,"read":true}"#, "null"),
    ),
    // They end and read what a shell began, or the source host has them no more.
    list(
        "no-shell",
        "tools: Read, KillShell, BashOutput, TaskStop",
        Some("Read"),
        (r#"{"read":true}"#, "null"),
    ),
    list("no-edit", "tools: Read, MultiEdit, SlashCommand", Some("Read"), (r#"{"read":true}"#, "null")),
    list(
        "no-reader",
        "tools: WebFetch, LS, NotebookRead, TodoRead",
        Some(""),
        (r#"{"webfetch":true}"#, "null"),
    ),
    list("denied", "disallowedTools: Bash(rm:*), Write", Some("Edit Read"), ("null", r#"["bash","edit"]"#)),
    list("denied-star", "disallowedTools: \"*\"", ALL, ("null", "null")),
    list("denied-all", "disallowedTools: Bash, *", ALL, ("null", "null")),
    list("denied-servers", "disallowedTools: mcp__*", ALL, ("null", r#"["*_*"]"#)),
    list("denied-none", "disallowedTools:", ALL, ("null", "null")),
];

pub fn agent(list: &List) -> String {
    let instruction = instruction(list);
    format!("---\nname: {}\ndescription: Looks\n{}\n---\n\n{instruction}\n", list.name, list.fields)
}

/// Its text.
pub fn instruction(list: &List) -> String {
    format!("Look as the {} one.", list.name)
}

#[test]
fn case_13_lists_of_tools_are_split_as_the_source_host_splits_them() {
    let tree = LISTS
        .iter()
        .fold(demo(), |tree, list| tree.file(&format!("in/agents/{}.md", list.name), agent(list)));
    let folder = tree.temporary();
    Plugcast::new(folder.path(), &["build", "in", "--to", "opencode", "--out", "out"]).run().expect_code(0);
    let out = Tree::read(&folder.path().join("out"));
    let data = out.get("opencode/plugins/demo/plugcast.plugin.json").expect("the data").text();
    let data: serde_json::Value = serde_json::from_str(&data).expect("JSON");
    let mut wrong = Vec::new();
    for list in LISTS {
        let agent = &data["agents"][format!("demo:{}", list.name)];
        let registered = (agent["allow"].to_string(), agent["deny"].to_string());
        if (registered.0.as_str(), registered.1.as_str()) != list.registered {
            wrong.push(format!("{}: {:?}: {registered:?}", list.name, list.fields));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// It had a row as a field that nobody reads.
#[test]
fn case_13_disallowed_tools_of_skills_and_commands_are_a_loss() {
    let text = "---\nname: s\ndescription: Says it\ndisallowedTools: Bash\n---\n\nSay it.\n";
    for place in ["skills/t/SKILL.md", "commands/c.md"] {
        let folder = demo().file(&format!("in/{place}"), text.replace("name: s\n", "")).temporary();
        for host in ["codex", "opencode"] {
            let arguments = ["build", "in", "--to", host, "--out", "out", "--deny-loss", "security"];
            let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(1);
            let told = finished.stdout + &finished.stderr;
            assert!(told.contains("disallowedTools"), "{place} on {host}: {told}");
        }
        let arguments = ["build", "in", "--to", "claude-code", "--out", "out", "--deny-loss", "security"];
        Plugcast::new(folder.path(), &arguments).run().expect_code(0);
    }
}

/// An agent of a public plugin that reads alone had the whole shell on OpenCode, for `KillShell` and `BashOutput`.
#[test]
fn case_13_an_agent_without_a_shell_gets_none_and_loses_nothing() {
    let agent = "---\nname: a\ndescription: Looks\ntools: Glob, Grep, LS, Read, NotebookRead, WebFetch, TodoWrite, \
                 WebSearch, KillShell, BashOutput\n---\n\nLook.\n";
    let folder = demo().file("in/agents/a.md", agent).temporary();
    let arguments = ["build", "in", "--to", "opencode", "--out", "out", "--deny-loss", "any"];
    Plugcast::new(folder.path(), &arguments).run().expect_code(0);
    let data = Tree::read(&folder.path().join("out"));
    let data = data.get("opencode/plugins/demo/plugcast.plugin.json").expect("the data").text();
    assert!(data.contains("\"webfetch\": true") && !data.contains("\"bash\""), "{data}");
}

/// The source host (2.1.330) reads such fields; they were taken for none, and the agent had every tool elsewhere.
#[test]
fn case_13_the_tools_of_an_agent_whose_fields_stand_in_brackets_are_its_limit() {
    for fields in [
        "{\n\"name\": \"a\",\n\"description\": \"Looks\",\n\"tools\": \"Read\"\n}",
        "{name: a,\ndescription: Looks, tools: [\nRead\n]}",
        "{name: a, description: \"Looks\nwell\", tools: Read}",
        "  {name: a,\n description: Looks, tools: Read}  # it",
    ] {
        let folder = demo().file("in/agents/a.md", format!("---\n{fields}\n---\n\nLook.\n")).temporary();
        Plugcast::new(folder.path(), &["build", "in", "--to", "opencode", "--out", "out"])
            .run()
            .expect_code(0);
        let data = Tree::read(&folder.path().join("out"));
        let data = data.get("opencode/plugins/demo/plugcast.plugin.json").expect("the data").text();
        let data: serde_json::Value = serde_json::from_str(&data).expect("JSON");
        assert_eq!(data["agents"]["demo:a"]["allow"].to_string(), r#"{"read":true}"#, "{fields}");
    }
}
