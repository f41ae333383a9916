//! 13: what a file may hold thousands of costs time in proportion, 40,000 variables, 100,000 suppressions and 20,000
//! servers among it. The measure is the processor time of the program itself, at one size and at four times as much: a
//! loop within a loop would take sixteen times as long.

use super::demo;
use super::scale_servers::servers;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// The processor time of a run in hundredths of a second, by the shell's own count of its children.
fn cost(tree: &Tree, arguments: &[&str]) -> f64 {
    let folder = tree.temporary();
    // A separate shell would become the program if nothing came after it.
    let line = "\"$0\" \"$@\" > answer 2>&1; echo $? >&2; times";
    let finished = Plugcast::new(folder.path(), arguments).below("sh", &["-c", line]).run();
    assert!(["0\n", "1\n"].contains(&finished.stderr.as_str()), "{arguments:?}: {}", finished.stderr);
    children_in_hundredths(&finished.stdout)
}

/// The processor time of a shell's children in hundredths of a second, of what its `times` prints.
pub(super) fn children_in_hundredths(times: &str) -> f64 {
    let children = times.lines().nth(1).expect("two lines of times");
    let seconds = |time: &str| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').expect("minutes and seconds");
        minutes.parse::<f64>().expect("a number") * 60.0 + seconds.parse::<f64>().expect("a number")
    };
    children.split_whitespace().map(seconds).sum::<f64>() * 100.0
}

/// At `many`, which is a size that was told, and at a quarter of it: what is more than in proportion shows there.
#[track_caller]
pub(super) fn at_told_size(many: usize, source: impl Fn(usize) -> Tree, command: &[&str]) {
    let (quarter, whole) = (cost(&source(many / 4), command), cost(&source(many), command));
    assert!(whole <= 6.0 * quarter + 25.0, "{command:?}: {quarter} for {}, {whole} for {many}", many / 4);
}

#[track_caller]
pub(super) fn in_proportion(many: usize, source: fn(usize) -> Tree, command: &[&str]) {
    let (one, four) = (cost(&source(many), command), cost(&source(many * 4), command));
    // A quarter of a second for what is the same at every size, and for a machine that does much else.
    assert!(four <= 9.0 * one + 25.0, "{command:?}: {one} for {many}, {four} for four times as many");
}

pub(super) const CHECK: [&str; 5] = ["check", "in", "--to", "all", "--quiet"];
pub(super) const BUILD: [&str; 6] = ["build", "in", "--to", "all", "--out", "out"];

/// `part` once for each number, which stands for `#` in it.
pub(super) fn repeated(many: usize, part: &str) -> String {
    let mut text = String::new();
    for number in 0..many {
        text += &part.replace('#', &number.to_string());
    }
    text
}

pub(super) fn skill(body: &str) -> Tree {
    demo().file("in/skills/s/SKILL.md", format!("---\nname: s\ndescription: Says it\n---\n\n{body}\n"))
}

#[test]
fn case_13_variables_on_one_line_cost_in_proportion() {
    let source = |many| skill(&repeated(many, "${CLAUDE_PLUGIN_ROOT}/a#.md "));
    at_told_size(40_000, source, &CHECK);
    at_told_size(40_000, source, &BUILD);
}

#[test]
fn case_13_variables_on_many_lines_cost_in_proportion() {
    let source = |many| skill(&repeated(many, "Read ${CLAUDE_PLUGIN_ROOT}/a#.md and ${VARIABLE_#}.\n"));
    at_told_size(40_000, source, &CHECK);
    at_told_size(40_000, source, &BUILD);
}

#[test]
fn case_13_names_of_agents_in_one_list_cost_in_proportion() {
    let source = |many| {
        let text = format!(
            "Dispatch the agents of this list.\n\n{}",
            repeated(many, "- demo:scout and scout: takes #\n")
        );
        skill(&text).file("in/agents/scout.md", "---\nname: scout\ndescription: Looks\n---\n\nLook.\n")
    };
    in_proportion(5000, source, &BUILD);
}

#[test]
fn case_13_suppressions_cost_in_proportion() {
    let blocks =
        |many| skill(&repeated(many, "<!-- plugcast-allow hidden-unicode: reason # -->\nSay\u{200b} #.\n\n"));
    let unused = |many| skill(&repeated(many, "<!-- plugcast-allow hidden-unicode: reason # -->\n"));
    let one_line = |many| skill(&repeated(many, "<!-- plugcast-allow skill-sise: # --> "));
    let whole = |many| {
        let allowed = repeated(many, "# plugcast-allow hidden-unicode: reason #\n");
        let body = repeated(many, "Say\u{200b} #.\n\n");
        demo().file(
            "in/skills/s/SKILL.md",
            format!("---\nname: s\ndescription: Says it\n{allowed}---\n\n{body}\n"),
        )
    };
    for source in [blocks, unused, one_line, whole] {
        at_told_size(100_000, source, &CHECK);
    }
    at_told_size(100_000, blocks, &BUILD);
}

#[test]
fn case_13_files_that_hooks_name_cost_in_proportion() {
    let source = |many| {
        let command = "${CLAUDE_PLUGIN_ROOT}/x ".repeat(20);
        let hook = format!("{{ \"hooks\": [{{ \"command\": \"{command}\", \"type\": \"command\" }}] }},");
        let hooks = format!("{{ \"hooks\": {{ \"PreToolUse\": [{} {{}}] }} }}", repeated(many, &hook));
        demo().file("in/hooks/hooks.json", hooks)
    };
    in_proportion(250, source, &CHECK);
    in_proportion(250, source, &BUILD);
}

#[test]
fn case_13_a_manifest_of_servers_and_options_costs_in_proportion() {
    let source = |many| {
        let entry = "\"s#\": { \"command\": \"node\", \"args\": [\"${CLAUDE_PLUGIN_ROOT}/x#\", \"${user_config.k#}\"] },";
        let option = "\"k#\": { \"type\": \"string\", \"title\": \"a\", \"description\": \"b\" },";
        let manifest = format!(
            "{{ \"name\": \"demo\", \"version\": \"1.0.0\", \"mcpServers\": {{ {} \"x\": {{ \"command\": \"a\" }} }}, \"userConfig\": {{ {} \"x\": {{ \"type\": \"string\", \"title\": \"a\", \"description\": \"b\" }} }} }}",
            repeated(many, entry),
            repeated(many, option)
        );
        demo().file("in/.claude-plugin/plugin.json", manifest)
    };
    in_proportion(500, source, &CHECK);
    in_proportion(250, source, &BUILD);
}

#[test]
fn case_13_a_marketplace_of_many_costs_in_proportion() {
    let source = |many| {
        let entry = "{ \"name\": \"p#\", \"source\": { \"source\": \"github\", \"repo\": \"a/b#\" } },";
        let list = repeated(many, entry) + "{ \"name\": \"demo\", \"source\": \"./\" }";
        demo().file(
            "in/.claude-plugin/marketplace.json",
            format!("{{ \"name\": \"shop\", \"owner\": {{ \"name\": \"a\" }}, \"plugins\": [{list}] }}"),
        )
    };
    in_proportion(2500, source, &CHECK);
    in_proportion(1000, source, &BUILD);
}

#[test]
fn case_10_words_without_an_end_cost_in_proportion() {
    for part in
        ["http://a.b/", "</a>", "[a](", "[a](<b", "${CLAUDE_PLUGIN_ROOT}/", "${CLAUDE_PLUGIN_ROOT}/a.md~"]
    {
        let source = |many| skill(&repeated(many, part));
        at_told_size(8000, source, &BUILD);
        at_told_size(8000, source, &CHECK);
    }
    at_told_size(30_000, |many| skill(&format!("a{}\n\n```\nx\n```\n", "<".repeat(many))), &BUILD);
}

#[test]
fn case_10_broken_links_cost_in_proportion() {
    let source = |many| {
        let text = repeated(many, "Read [it](references/a#.md), and run demo:other#.\n");
        skill(&text).file("in/skills/s/references/own.md", "# Own\n")
    };
    at_told_size(6000, source, &BUILD);
    at_told_size(6000, source, &CHECK);
}

#[test]
fn case_10_hooks_cost_in_proportion() {
    let hooks = |many: usize, matcher: &str| {
        let group = format!(
            "{{ \"matcher\": \"{matcher}\", \"hooks\": [{{ \"type\": \"command\", \"command\": \"x#\" }}] }}, "
        );
        let groups = repeated(many, &group);
        let groups = groups.trim_end_matches([',', ' ']);
        let servers = repeated(many, "\"s#\": { \"command\": \"node\" },");
        demo().file("in/hooks/hooks.json", format!("{{ \"hooks\": {{ \"PreToolUse\": [{groups}] }} }}")).file(
            "in/.mcp.json",
            format!("{{ \"mcpServers\": {{ {servers} \"x\": {{ \"command\": \"a\" }} }} }}"),
        )
    };
    at_told_size(12_000, |many| hooks(many, "Bash"), &BUILD);
    at_told_size(6000, |many| hooks(many, "Write"), &BUILD);
}

/// `empty` beside a source of many things, so that all of it has come, or has gone.
fn beside_nothing(tree: Tree) -> Tree {
    tree.file("empty/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
}

#[test]
fn case_10_differences_cost_in_proportion() {
    let manifest = |text: &str| {
        let text = format!("{{ \"name\": \"demo\", \"version\": \"1.0.0\", {text} }}");
        beside_nothing(demo().file("in/.claude-plugin/plugin.json", text))
    };
    let options = |many| {
        let entry = "\"k#\": { \"type\": \"string\", \"title\": \"a\", \"description\": \"b\" },";
        manifest(&format!("\"userConfig\": {{ {} \"x\": {{}} }}", repeated(many, entry)))
    };
    let commands = |many| {
        let entry = "\"c#\": { \"content\": \"Say # to the user.\" },";
        manifest(&format!("\"commands\": {{ {} \"x\": {{ \"content\": \"x\" }} }}", repeated(many, entry)))
    };
    for command in [["diff", "in", "in", "--to", "all"], ["diff", "empty", "in", "--to", "all"]] {
        at_told_size(10_000, options, &command);
        at_told_size(10_000, commands, &command);
    }
    let servers = |many| {
        beside_nothing(servers(&repeated(many, "\"s#\": { \"command\": \"node\", \"args\": [\"x#\"] },")))
    };
    at_told_size(8000, servers, &["diff", "in", "empty", "--to", "all"]);
}

#[test]
fn case_10_renames_cost_in_proportion() {
    let source = |many| {
        let commands = |name: &str| {
            let entry = format!(
                "\"{name}#\": {{ \"content\": \"Say # to the user in words that are many enough to tell what is like it, and more.\" }},"
            );
            format!(
                "{{ \"name\": \"demo\", \"version\": \"1.0.0\", \"commands\": {{ {} \"x\": {{ \"content\": \"x\" }} }} }}",
                repeated(many, &entry)
            )
        };
        demo()
            .file("in/.claude-plugin/plugin.json", commands("c"))
            .file("old/.claude-plugin/plugin.json", commands("d"))
    };
    at_told_size(6000, source, &["diff", "old", "in", "--to", "codex"]);
}

#[test]
fn case_13_names_on_one_line_cost_in_proportion() {
    at_told_size(50_000, |many| skill(&"/".repeat(many)), &BUILD);
    at_told_size(20_000, |many| skill(&"[a]((".repeat(many)), &BUILD);
    let tools = |many| skill(&repeated(many, "TodoWrite AskUserQuestion Task Bash("));
    at_told_size(20_000, tools, &CHECK);
    let agents = |many| {
        skill(&repeated(many, "code-scout and "))
            .file("in/agents/code-scout.md", "---\nname: code-scout\ndescription: Looks\n---\n\nLook.\n")
    };
    at_told_size(8000, agents, &CHECK);
}

/// A tenth as many skills beside one whose text is `body`.
fn skills(many: usize, body: &str) -> Tree {
    (0..many / 10).fold(skill(body), |tree, number| {
        let text = format!("---\nname: s{number}\ndescription: Says it {number}\n---\n\nSay it.\n");
        tree.file(&format!("in/skills/s{number}/SKILL.md"), text)
    })
}

#[test]
fn case_13_many_skills_and_many_broken_links_cost_in_proportion() {
    let source = |many| skills(many, &repeated(many, "Read [it](references/a#.md).\n"));
    in_proportion(1500, source, &CHECK);
    in_proportion(1500, source, &BUILD);
}

#[test]
fn case_13_many_unknown_names_and_many_known_ones_cost_in_proportion() {
    // Above the size from which on only neighbours are compared.
    let source = |many| skills(many, &repeated(many, "Run /demo:other# and `demo:x#`.\n"));
    in_proportion(3000, source, &CHECK);
    in_proportion(1500, source, &BUILD);
}

/// Half as many agents beside a skill whose text is `body`, each in a file that `named` names.
fn agents(many: usize, named: &str, body: &str) -> Tree {
    (0..many / 2).fold(skill(body), |tree, number| {
        let path = named.replace('#', &number.to_string());
        let name = path.rsplit('/').next().unwrap_or_default();
        let text = format!("---\nname: {name}\ndescription: Looks {number}\n---\n\nLook.\n");
        tree.file(&format!("in/agents/{path}.md"), text)
    })
}

#[test]
fn case_13_many_unknown_agents_and_many_known_ones_cost_in_proportion() {
    const TEXT: &str =
        "subagent_type: demo:other# subagent_type: agent-x# subagent_type: demo:agent-x# demo:agnt-# ";
    let source = |many| agents(many, "agent-#", &repeated(many, TEXT));
    in_proportion(600, source, &CHECK);
    in_proportion(600, source, &BUILD);
    let one_name =
        |many| agents(many, "d#/scout", &repeated(many, "subagent_type: scout subagent_type: demo:scout "));
    in_proportion(600, one_name, &CHECK);
}

#[test]
fn case_13_many_plugins_in_a_folder_cost_in_proportion() {
    let source = |many: usize| {
        let entry = |at| format!("{{ \"name\": \"p{at}\", \"source\": \"./plugins/p{at}\" }}");
        let entries: Vec<String> = (0..many).map(entry).collect();
        let list = format!(
            "{{ \"name\": \"shop\", \"owner\": {{ \"name\": \"a\" }}, \"plugins\": [{}] }}",
            entries.join(", ")
        );
        (0..many).fold(Tree::new().file("in/.claude-plugin/marketplace.json", list), |tree, at| {
            tree.file(
                &format!("in/plugins/p{at}/.claude-plugin/plugin.json"),
                format!("{{ \"name\": \"p{at}\", \"version\": \"1.0.0\" }}"),
            )
            .file(
                &format!("in/plugins/p{at}/skills/s/SKILL.md"),
                "---\nname: s\ndescription: Says it\n---\n\nSay it.\n",
            )
        })
    };
    in_proportion(125, source, &CHECK);
    in_proportion(125, source, &BUILD);
}
