//! 10, 13: servers with thousands of variables, or by the thousand, cost time in proportion.

use std::fmt::Write;

use super::demo;
use super::scale::{BUILD, CHECK, at_told_size, in_proportion, repeated, skill};
use crate::support::tree::Tree;

pub(super) fn servers(entries: &str) -> Tree {
    let mut text = String::from("{ \"mcpServers\": { ");
    write!(text, "{entries} \"last\": {{ \"command\": \"node\" }} }} }}").expect("a string takes all");
    demo().file("in/.mcp.json", text)
}

#[test]
fn case_13_variables_of_servers_cost_in_proportion() {
    let source = |many| {
        let arguments = repeated(many, "\"${VARIABLE_#}\", \"${user_config.key#}\", ");
        servers(&format!("\"x\": {{ \"command\": \"node\", \"args\": [{arguments} \"a\"] }},"))
    };
    at_told_size(40_000, source, &CHECK);
    at_told_size(40_000, source, &BUILD);
}

#[test]
fn case_13_environments_of_servers_cost_in_proportion() {
    let source = |many| {
        let arguments = repeated(many, "\"${ARGUMENT_#}\", ");
        let env = repeated(many, "\"SET_#\": \"x\", \"PASSED_#\": \"${PASSED_#}\", ");
        servers(&format!(
            "\"x\": {{ \"command\": \"node\", \"args\": [{arguments} \"a\"], \"env\": {{ {env} \"A\": \"b\" }} }},"
        ))
    };
    at_told_size(20_000, source, &CHECK);
    at_told_size(20_000, source, &BUILD);
}

#[test]
fn case_13_servers_cost_in_proportion() {
    let own = |many| servers(&repeated(many, "\"s#\": { \"command\": \"node\", \"args\": [\"x\"] },"));
    let secrets = |many| {
        let entry = "\"s#\": { \"type\": \"http\", \"url\": \"https://example.com/#\", \"headers\": { \"Authorization\": \"Bearer ghp_012345678901234567890123456789012345\" } },";
        servers(&repeated(many, entry))
    };
    let faulty = |many| servers(&repeated(many, "\"s#\": { \"command\": # },"));
    for source in [own, secrets, faulty] {
        at_told_size(20_000, source, &CHECK);
        at_told_size(20_000, source, &BUILD);
    }
}

#[test]
fn case_10_missing_paths_of_servers_cost_in_proportion() {
    for written in ["a#", "\\u0061#", "\\\"a#"] {
        let source = |many| {
            let arguments = repeated(many, &format!("\"${{CLAUDE_PLUGIN_ROOT}}/{written}\", "));
            servers(&format!("\"x\": {{ \"command\": \"node\", \"args\": [{arguments} \"a\"] }},"))
        };
        at_told_size(24_000, source, &BUILD);
    }
}

#[test]
fn case_13_values_of_servers_cost_in_proportion() {
    let commands = |many| servers(&repeated(many, "\"s#\": { \"command\": \"${CLAUDE_PLUGIN_ROOT}/x#\" },"));
    in_proportion(2500, commands, &BUILD);
    let environment = |many| {
        let entries = repeated(many, "\"K#\": \"${V#}\", ");
        servers(&format!("\"x\": {{ \"command\": \"x\", \"env\": {{ {entries} \"k\": \"v\" }} }},"))
    };
    at_told_size(20_000, environment, &BUILD);
    let options = |many| {
        let option = "\"k#\": { \"type\": \"string\", \"title\": \"t\", \"description\": \"d\" },";
        let manifest = format!(
            "{{ \"name\": \"demo\", \"version\": \"1.0.0\", \"userConfig\": {{ {} \"k\": {{}} }} }}",
            repeated(many, option)
        );
        let arguments = repeated(many, "\"${user_config.k#}\", ");
        servers(&format!("\"x\": {{ \"command\": \"x\", \"args\": [{arguments} \"a\"] }},"))
            .file("in/.claude-plugin/plugin.json", manifest)
    };
    at_told_size(15_000, options, &BUILD);
}

#[test]
fn case_13_other_forms_of_variables_cost_in_proportion() {
    fn hook(written: &str, many: usize) -> Tree {
        let command = format!("echo {}", written.repeat(many));
        let hooks = format!(
            "{{ \"hooks\": {{ \"Stop\": [{{ \"hooks\": [{{ \"type\": \"command\", \"command\": \"{command}\" }}] }}] }} }}"
        );
        demo().file("in/hooks/hooks.json", hooks)
    }
    let misspelt = |many| hook("${CLAUDE_PLUGIN_ROT}/a ", many);
    let percent = |many| hook("%CLAUDE_PLUGIN_ROOT%/a ", many);
    let template = |many| skill(&"{CLAUDE_PLUGIN_ROOT}/a\n".repeat(many));
    let relative = |many| {
        let one = "\"s#\": { \"command\": \"node\", \"args\": [\"./a.js\"] },";
        servers(&repeated(many, one)).file("in/a.js", "")
    };
    let sources: [fn(usize) -> Tree; 4] = [misspelt, percent, template, relative];
    for source in sources {
        at_told_size(10_000, source, &CHECK);
    }
}

#[test]
fn case_13_variables_within_defaults_cost_in_proportion() {
    fn nested(many: usize) -> String {
        format!("{}x{}", "${A:-".repeat(many), "}".repeat(many))
    }
    let server =
        |many| servers(&format!("\"x\": {{ \"command\": \"node\", \"args\": [\"{}\"] }},", nested(many)));
    let open = |many| {
        servers(&format!("\"x\": {{ \"command\": \"node\", \"args\": [\"{}\"] }},", "${A:-".repeat(many)))
    };
    let hooks = |many| {
        let hook = format!(
            "{{ \"hooks\": {{ \"Stop\": [{{ \"hooks\": [{{ \"type\": \"command\", \"command\": \"{}\" }}] }}] }} }}",
            nested(many)
        );
        demo().file("in/hooks/hooks.json", hook)
    };
    let text = |many| skill(&nested(many));
    let sources: [fn(usize) -> Tree; 4] = [server, open, hooks, text];
    for source in sources {
        at_told_size(40_000, source, &CHECK);
        at_told_size(40_000, source, &BUILD);
    }
}
