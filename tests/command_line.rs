//! What the command line says of itself to shells and in manual pages.

use crate::support::none_left;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

fn run(arguments: &[&str], code: i32) -> (String, String) {
    let folder = Tree::new().temporary();
    let finished = Plugcast::new(folder.path(), arguments).run().expect_code(code);
    (finished.stdout, finished.stderr)
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = run(&["--help"], 0).0;
    let list =
        help.split_once("Commands:\n").expect("a list").1.split("\n\n").next().expect("its end").to_owned();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The README promises it of every command; six had no examples, and seven no exit codes.
#[test]
fn the_help_of_every_command_has_examples_and_exit_codes() {
    let mut lacking = Vec::new();
    for command in commands().iter().filter(|command| *command != "help") {
        let words: &[&str] = if command == "release" { &["release", "check"] } else { &[command] };
        let help = run(&[words, &["--help"]].concat(), 0).0;
        for part in ["Examples:\n", "Exit codes: "] {
            if !help.contains(part) {
                lacking.push(format!("{}: {part}", words.join(" ")));
            }
        }
    }
    none_left("parts that the help of a command lacks", &lacking);
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell], 0).0;
        for command in commands() {
            assert!(script.contains(&command), "{shell}: `{command}` is missing");
        }
        assert!(script.contains("deny-loss"), "{shell}: options are missing");
    }
    assert!(run(&["completions", "tcl"], 2).1.contains("possible values"));
}

#[test]
fn bash_takes_the_completions() {
    let script = run(&["completions", "bash"], 0).0;
    let asked = "COMP_WORDS=(plugcast prom); COMP_CWORD=1; _plugcast plugcast prom plugcast; echo \"${COMPREPLY[@]}\"";
    let bash = std::process::Command::new("bash")
        .args(["-c", &format!("{script}\n{asked}")])
        .output()
        .expect("bash");
    let printed = String::from_utf8_lossy(&bash.stdout);
    assert_eq!(printed.trim(), "promote", "{}", String::from_utf8_lossy(&bash.stderr));
}

#[test]
fn every_command_has_a_manual_page() {
    let page = |arguments: &[&str]| run(&[&["man"], arguments].concat(), 0).0.replace("\\-", "-");
    let whole = page(&[]);
    assert!(whole.contains(".TH plugcast 1"), "{whole}");
    for command in commands() {
        assert!(whole.contains(&format!("plugcast-{command}(1)")), "`{command}` is missing:\n{whole}");
        let own = page(&[&command]);
        assert!(own.contains(&format!(".TH plugcast-{command} 1")), "{own}");
    }
    let failed = run(&["man", "chekc"], 2).1;
    assert!(
        failed.contains("unknown command `chekc`") && failed.contains("did you mean `check`?"),
        "{failed}"
    );
}
