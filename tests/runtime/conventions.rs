//! What holds for every command: help at every level, one object on one line, published schemas with what a
//! command needs, a wrong call that says what was perhaps meant.

use std::collections::BTreeSet;
use std::process::Command;

use plugcast::runtime::command_line::{Options, Parameter, ParameterKind};
use plugcast::runtime::grammar::GlobalArguments;
use plugcast::runtime::{grammar, published};
use serde_json::Value;

use super::fixture::HELPER;

fn run(words: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let output =
        Command::new(HELPER).args(words).current_dir(folder.path()).env_clear().env("PATH", path).output();
    let output = output.expect("the built helper can be started");
    assert!(output.stderr.is_empty(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn every_level_has_its_help() {
    for (mut words, command) in grammar::tree() {
        words.push("--help");
        let (code, help) = run(&words);
        assert_eq!(code, Some(0), "{words:?}");
        assert!(help.contains("Usage: plugcast-run"), "{words:?}: {help}");
        if command.is_some() {
            assert!(help.contains("Exit codes: 0 ") && help.contains("Examples:"), "{words:?}: {help}");
        }
        let options = help.lines().filter(|line| line.trim_start().starts_with("--")).count();
        assert!(options >= 2, "{words:?}: {help}");
    }
}

#[test]
fn the_tables_of_commands_and_groups_are_sorted_and_fit() {
    let commands: Vec<&str> = published::COMMANDS.iter().map(|row| row.command).collect();
    assert!(commands.is_sorted_by(|one, other| one < other), "{commands:?}");
    let groups: Vec<&str> = grammar::GROUPS.iter().map(|(words, _)| *words).collect();
    assert!(groups.is_sorted_by(|one, other| one < other), "{groups:?}");
    let mut used = BTreeSet::new();
    for command in commands {
        let ends = command.match_indices(' ').map(|(at, _)| &command[..at]);
        used.extend(ends);
    }
    assert_eq!(used, groups.into_iter().collect(), "every group has commands, and a command a group");
}

#[test]
fn the_options_of_a_command_name_each_other_rightly() {
    let global = GlobalArguments::PARAMETERS;
    for row in &published::COMMANDS {
        let names: Vec<&str> = row.parameters.iter().map(Parameter::name).collect();
        let all: BTreeSet<&str> = names.iter().copied().chain(global.iter().map(Parameter::name)).collect();
        assert_eq!(
            all.len(),
            names.len() + global.len(),
            "{}: a name stands twice in {names:?}",
            row.command
        );
        for one in row.parameters {
            let others =
                one.conflicts.iter().chain([&one.requires, &one.unless]).filter(|name| !name.is_empty());
            for other in others {
                assert!(names.contains(other), "{}: `{}` names `{other}`", row.command, one.spelled);
            }
            let has_value = one.is_positional() || one.spelled.contains(" <");
            assert_eq!(has_value, one.kind != ParameterKind::Switch, "{}: `{}`", row.command, one.spelled);
            assert_eq!(
                one.spelled.ends_with("]..."),
                one.is_positional() && one.kind == ParameterKind::Many,
                "{}",
                one.spelled
            );
            assert!(!one.about.is_empty(), "{}: `{}` has no help", row.command, one.spelled);
        }
        let many = row
            .parameters
            .iter()
            .filter(|one| one.is_positional())
            .position(|one| one.kind == ParameterKind::Many);
        let last = row.parameters.iter().filter(|one| one.is_positional()).count();
        assert!(
            many.is_none_or(|many| many + 1 == last),
            "{}: nothing is left for what follows",
            row.command
        );
    }
}

/// Wrong calls, and the message and hint of each.
const WRONG_CALLS: [(&str, &str, &str); 22] = [
    ("reviw", "unknown command `reviw`", "did you mean `review`? see `plugcast-run --help`"),
    ("repo siez", "unknown command `siez`", "did you mean `size`? see `plugcast-run repo --help`"),
    ("repo don't", "unknown command `don't`", "see `plugcast-run repo --help`"),
    ("repo", "no command is named", "see `plugcast-run --help`"),
    (
        "repo base --bsae x",
        "unexpected argument `--bsae`",
        "did you mean `--base`? see `plugcast-run repo base --help`",
    ),
    ("repo base x", "unexpected argument `x`", "see `plugcast-run repo base --help`"),
    ("repo base -x", "unexpected argument `-x`", "see `plugcast-run repo base --help`"),
    (
        "repo project --zzz",
        "unexpected argument `--zzz`",
        "to pass `--zzz` as a value, put `--` before it; see `plugcast-run repo project --help`",
    ),
    ("repo base --base", "missing value for `--base <REF>`", "see `plugcast-run repo base --help`"),
    ("repo base --base --pr 1", "missing value for `--base <REF>`", "see `plugcast-run repo base --help`"),
    (
        "repo base --base a --base=b",
        "argument `--base <REF>` cannot be used more than once",
        "see `plugcast-run repo base --help`",
    ),
    (
        "repo base --base a --pr 1",
        "argument `--pr <PR>` cannot be used with `--base <REF>`",
        "see `plugcast-run repo base --help`",
    ),
    (
        "repo base --require-fresh=no",
        "unexpected value `no` for `--require-fresh`",
        "see `plugcast-run repo base --help`",
    ),
    ("repo surfaces", "missing required argument `--base <REF>`", "see `plugcast-run repo surfaces --help`"),
    (
        "repo ide --port 70000",
        "invalid value `70000` for `--port <PORT>`: expected a number from 1 to 65535",
        "see `plugcast-run repo ide --help`",
    ),
    (
        "gc --older-than x",
        "invalid value `x` for `--older-than <AGE>`: `x` is not an age: write a number and `s`, `m`, `h`, `d` or `w`, such as `7d`",
        "see `plugcast-run gc --help`",
    ),
    (
        "doctor --format jsn",
        "invalid value `jsn` for `--format <FORMAT>`",
        "did you mean `json`? see `plugcast-run doctor --help`",
    ),
    (
        "--format",
        "missing value for `--format <FORMAT>`",
        "possible values: `json`, `sentinel`, `text`; see `plugcast-run --help`",
    ),
    (
        "review approve --run x",
        "missing required argument `[F3,F5]...`",
        "see `plugcast-run review approve --help`",
    ),
    (
        "polish acquire --take-over",
        "missing required argument `--apply`",
        "see `plugcast-run polish acquire --help`",
    ),
    (
        "polish acquire --stdin 4",
        "argument `--stdin` cannot be used with `[TEXT]...`",
        "see `plugcast-run polish acquire --help`",
    ),
    (
        "launch write --mode loud",
        "invalid value `loud` for `--mode <MODE>`",
        "possible values: `interactive`, `headless`; see `plugcast-run launch write --help`",
    ),
];

#[test]
fn each_kind_of_wrong_call_has_its_sentence() {
    for (call, message, hint) in WRONG_CALLS {
        let (code, text) = run(&call.split(' ').collect::<Vec<_>>());
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(code, Some(2), "{call}: {text}");
        assert_eq!(
            (&answer["error"]["message"], &answer["error"]["hint"]),
            (&message.into(), &hint.into()),
            "{call}"
        );
    }
}

#[test]
fn options_of_every_command_stand_anywhere_and_values_in_both_forms() {
    for call in [
        "--format text schema repo base",
        "schema --format=text repo base",
        "schema repo base --format text",
        "schema --format text -- repo base",
        "--require 0.0.1 schema repo --root x base --format text",
    ] {
        let (code, text) = run(&call.split(' ').collect::<Vec<_>>());
        assert!(code == Some(0) && text.contains("rt.repo.base"), "{call}: {text}");
    }
    for call in ["help repo base", "repo base -h", "repo base --base --help", "repo --help base"] {
        let (code, text) = run(&call.split(' ').collect::<Vec<_>>());
        let is_help = text.contains("Usage: plugcast-run repo base [OPTIONS]\n");
        assert_eq!(
            (code, is_help),
            if call.contains("--base") { (Some(2), false) } else { (Some(0), true) },
            "{call}"
        );
    }
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
