//! What holds for every command: help at every level, one object on one line, published schemas with what a
//! command needs, a wrong call that says what was perhaps meant.

use std::process::Command;

use plugcast::runtime::{grammar, published};
use serde_json::Value;

use super::scene::HELPER;

fn run(words: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let output =
        Command::new(HELPER).args(words).current_dir(folder.path()).env_clear().env("PATH", path).output();
    let output = output.expect("the built helper can be started");
    assert!(output.stderr.is_empty(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

/// The words of every command of the grammar, groups included.
fn commands(command: &clap::Command, words: &[String], out: &mut Vec<(Vec<String>, bool)>) {
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        let mut words = words.to_vec();
        words.push(inner.get_name().to_owned());
        out.push((words.clone(), inner.has_subcommands()));
        commands(inner, &words, out);
    }
}

#[test]
fn every_level_has_its_help() {
    let mut all = vec![(Vec::new(), true)];
    commands(&grammar::command(), &[], &mut all);
    for (words, group) in all {
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.push("--help");
        let (code, help) = run(&words);
        assert_eq!(code, Some(0), "{words:?}");
        assert!(help.contains("Usage: plugcast-run"), "{words:?}: {help}");
        if !group {
            assert!(help.contains("Exit codes: 0 ") && help.contains("Examples:"), "{words:?}: {help}");
        }
        let options = help.lines().filter(|line| line.trim_start().starts_with("--")).count();
        assert!(options >= 2, "{words:?}: {help}");
    }
}

#[test]
fn the_grammar_and_the_table_hold_the_same_commands() {
    let mut all = Vec::new();
    commands(&grammar::command(), &[], &mut all);
    let mut own: Vec<String> =
        all.into_iter().filter(|(_, group)| !group).map(|(words, _)| words.join(" ")).collect();
    own.sort();
    let table: Vec<&str> = published::COMMANDS.iter().map(|row| row.command).collect();
    assert_eq!(own, table, "COMMANDS is sorted and whole");
}

/// The numbers that open a clause of the paragraph `Exit codes:`.
fn exits_in_help(help: &str) -> Vec<u8> {
    let (_, rest) = help.split_once("Exit codes:").expect("a paragraph of exit codes");
    let paragraph = rest.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let number = |clause: &str| clause.split_whitespace().next()?.parse().ok();
    paragraph.split(';').filter_map(number).collect()
}

#[test]
fn the_help_of_every_command_names_its_exit_codes() {
    for row in &published::COMMANDS {
        let mut words: Vec<&str> = row.command.split(' ').collect();
        words.push("--help");
        let mut exits = published::codes::exits(row.command);
        // The help of the program itself says that of every command.
        exits.retain(|exit| *exit != 130);
        assert_eq!(exits_in_help(&run(&words).1), exits, "{}", row.command);
    }
}

#[test]
fn a_schema_says_what_its_command_needs() {
    let (code, text) = run(&["schema", "repo", "base"]);
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, &schema["needs"]), (Some(0), &serde_json::json!(["git_write", "network"])));
    let (code, text) = run(&["schema"]);
    let list: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(code, Some(0));
    assert_eq!(list["commands"].as_array().map(Vec::len), Some(published::COMMANDS.len()));
    let (code, text) = run(&["schema", "repo", "bse"]);
    assert!(code == Some(2) && text.contains("`repo bse`"), "{text}");
}

#[test]
fn a_wrong_call_says_what_was_perhaps_meant() {
    for (words, schema, parts) in [
        (&["repo", "bse"][..], "rt.error/1", &["bse", "`base`"][..]),
        (&["repoo"], "rt.error/1", &["repoo", "`repo`"]),
        (&["repo"], "rt.error/1", &["no command"]),
        (&["repo", "base", "--bas", "x"], "rt.repo.base/1", &["--bas", "`--base`"]),
        (&["repo", "surfaces"], "rt.repo.surfaces/1", &["--base <REF>"]),
        (&["--format", "xml", "doctor"], "rt.doctor/1", &["xml"]),
        (&["repo", "ide", "--port"], "rt.repo.ide/1", &["--port"]),
    ] {
        let (code, text) = run(words);
        let answer: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?}: {error}: {text}"));
        assert_eq!(code, Some(2), "{words:?}: {text}");
        assert_eq!((&answer["schema"], &answer["status"]), (&schema.into(), &"error".into()), "{words:?}");
        for part in parts {
            assert!(text.contains(part), "{words:?}: `{part}` is missing in {text}");
        }
        assert!(answer["error"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{text}");
    }
}

#[test]
fn an_old_helper_says_so_before_anything_else() {
    for words in [
        &["--require", "9.0.0", "polish", "unheard-of", "--new"][..],
        &["repo", "base", "--require=9.0.0"],
        &["--require", "9.0.0"],
    ] {
        let (code, text) = run(words);
        assert!(code == Some(5) && text.contains("\"helper_too_old\""), "{words:?}: {text}");
    }
}

#[test]
fn text_and_sentinel_are_for_people_and_scripts() {
    let (code, text) = run(&["--format", "text", "repo", "project"]);
    assert_eq!(code, Some(5));
    assert!(text.starts_with("error: ") && text.contains("\nhelp: "), "{text}");
    let (code, _) = run(&["repo", "project", "--format", "sentinel"]);
    assert_eq!(code, Some(1));
    let (code, text) = run(&["doctor", "--format=text"]);
    assert!(code == Some(0) && text.contains("helper: 0.1.0") && text.contains("- name: git"), "{text}");
}
