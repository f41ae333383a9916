//! The source host runs some commands in a text without a grant: those of which `target.toml` says so, each by itself.

use plugcast::drivers::script::ModelScript;
use plugcast::target::Targets;

use super::model::{done, main};
use super::stage::{Stage, invoke};
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::tree::Tree;

/// A plugin with one command that runs each of `lines`.
fn plugin(lines: &[String]) -> Tree {
    let items: String = lines.iter().map(|line| format!("- !`{line}`\n")).collect();
    Tree::new()
        .file(".claude-plugin/plugin.json", r#"{ "name": "look" }"#)
        .file("commands/all.md", format!("---\ndescription: Looks.\n---\nThis is all:\n\n{items}"))
}

/// Command lines that show each thing that may follow a command.
fn lines_of(command: &str, followers: &str) -> Vec<String> {
    let end = match command {
        "[" => " a.txt ]",
        "[[" => " a.txt ]]",
        _ => "",
    };
    let words = followers.split(' ').map(|follower| match follower {
        "*" if end.is_empty() => "a.txt".to_owned(),
        "*" => "-f".to_owned(),
        "-#" => "-5".to_owned(),
        _ => match follower.split_once(':') {
            Some((option, "#")) => format!("{option} 5"),
            Some((option, _)) => format!("{option} f"),
            None => follower.strip_suffix('*').map_or(follower.to_owned(), |option| format!("{option}1")),
        },
    });
    // Some need a word behind an option.
    let behind = if end.is_empty() && followers.starts_with('*') { " a.txt" } else { "" };
    words
        .map(|word| {
            if word == "a.txt" {
                format!("{command} {word}")
            } else {
                format!("{command} {word}{end}{behind}")
            }
        })
        .collect()
}

/// Whether the host gives the text to the model: it does not where it would have to ask about a command.
fn runs(hosts: &Hosts, lines: &[String]) -> bool {
    let stage = Stage::of_source(hosts, "claude-code", &plugin(lines));
    let script = ModelScript::default().with_conversation(main().then(done().expects(["This is all:"])));
    let transcript = stage.run(stage.session(invoke("look:all", ""), script));
    let asked = format!("{:?}", transcript.events).contains("Shell command permission check failed");
    let given = transcript.requests("main").next().is_some();
    assert!(asked != given, "{lines:?}: {:?}", transcript.events);
    given
}

#[test]
fn the_host_runs_every_read_only_command_without_a_grant() {
    let hosts = real_hosts!();
    let targets = Targets::embedded().expect("the embedded targets load");
    let source = targets.source();
    let mut lines: Vec<String> = source.read_only_alone.clone();
    for (command, followers) in &source.read_only {
        lines.extend(lines_of(command, followers));
    }
    assert!(lines.len() > 200, "{}", lines.len());
    // What a command says does not matter here, nor whether this machine has it.
    let lines: Vec<String> = lines.iter().map(|line| format!("{line} 2>/dev/null || true")).collect();
    let (brackets, others): (Vec<String>, Vec<String>) =
        lines.into_iter().partition(|line| line.starts_with('['));
    assert!(runs(&hosts, &others));
    assert!(runs(&hosts, &brackets.iter().map(|line| line.replace(" 2>/dev/null", "")).collect::<Vec<_>>()));
}

#[test]
fn the_host_asks_about_what_reads_outside_of_the_project_or_writes() {
    let hosts = real_hosts!();
    for line in [
        "cat /etc/hostname || true",
        "ls .. || true",
        "ls > list.txt",
        "[ -f a.txt ] 2>/dev/null || true",
        "find . -delete",
        "sort -o a.txt b.txt",
        "uniq a.txt b.txt",
        "git branch new",
        "echo $(date)",
    ] {
        assert!(!runs(&hosts, &[line.to_owned()]), "{line}");
    }
}
