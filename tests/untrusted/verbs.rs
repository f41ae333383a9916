//! 10 and 13: every verb of both programs, as their own grammars list them, so that a new one is never left out: what
//! happens when its result cannot be written, when nobody reads it, and when each of its values is hostile.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory;
use plugcast::runtime::command_line::{Parameter, ParameterKind};
use plugcast::runtime::published;
use tempfile::TempDir;

use super::demo;
use super::output::{EVIL, RUNS, is_obeyed, is_unsafe};
use crate::runtime::fixture::HELPER;
use crate::support::git::{commit, committed, git, state};
use crate::support::run::{FinishedRun, unread_output};

const COMPILER: &str = env!("CARGO_BIN_EXE_plugcast");

/// Where standard output goes.
enum Output {
    /// To the test.
    Read,
    /// To a disk without room.
    Full,
    /// To nobody.
    Closed,
    /// To the null device, which can be read, too: some callers throw an answer away so.
    Discarded,
}

fn run(program: &str, folder: &TempDir, words: &[&str], output: &Output) -> FinishedRun {
    let stdout = match output {
        Output::Read => Stdio::piped(),
        Output::Full => File::options().write(true).open("/dev/full").expect("a full device").into(),
        Output::Closed => unread_output(),
        Output::Discarded => {
            File::options().read(true).write(true).open("/dev/null").expect("a null device").into()
        }
    };
    let home = folder.path().join("home");
    let ended = Command::new(program)
        .args(words)
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .output()
        .expect("the program starts");
    FinishedRun::from(ended)
}

/// A command with its values: for each the words that give it the hostile text.
struct Verb {
    words: Vec<String>,
    needed: Vec<Vec<String>>,
    others: Vec<Vec<String>>,
}

fn given(option: Option<&str>) -> Vec<String> {
    option.into_iter().chain([EVIL]).map(str::to_owned).collect()
}

/// The commands of a grammar that do something.
fn leaves(command: &clap::Command, words: &[String], found: &mut Vec<Verb>) {
    if !command.has_subcommands() {
        let takes = |argument: &&clap::Arg| argument.get_action().takes_values();
        let spelled = |argument: &clap::Arg| match argument.get_long() {
            Some(long) if !argument.is_positional() => given(Some(&format!("--{long}"))),
            _ => given(None),
        };
        let (needed, others): (Vec<_>, Vec<_>) =
            command.get_arguments().filter(takes).partition(|one| one.is_required_set());
        let of = |some: Vec<&clap::Arg>| some.into_iter().map(spelled).collect();
        found.push(Verb { words: words.to_vec(), needed: of(needed), others: of(others) });
    }
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        leaves(inner, &[words, &[inner.get_name().to_owned()]].concat(), found);
    }
}

fn of_compiler() -> Vec<Verb> {
    let mut found = Vec::new();
    leaves(&plugcast::cli::Cli::command(), &[], &mut found);
    assert!(found.len() > 13, "{}", found.len());
    found
}

fn of_helper() -> Vec<Verb> {
    let of = |some: Vec<&Parameter>| {
        some.into_iter().map(|one| given(Some(one.name()).filter(|_| !one.is_positional()))).collect()
    };
    let verb = |row: &published::PublishedCommand| {
        let takes = |one: &&Parameter| one.kind != ParameterKind::Switch;
        let (needed, others) = row.parameters.iter().filter(takes).partition(|one| one.is_required());
        let words = row.command.split(' ').map(str::to_owned).collect();
        Verb { words, needed: of(needed), others: of(others) }
    };
    published::COMMANDS.iter().map(verb).collect()
}

/// A repository with a plugin, a beta, a changelog and bundles.
fn fixture() -> TempDir {
    let folder = committed(&demo().file(
        "in/skills/t-beta/SKILL.md",
        "---\nname: t-beta\ndescription: \"[BETA] Says it\"\n---\nSay `demo:t-beta`.\n",
    ));
    std::fs::write(folder.path().join("in/CHANGELOG.md"), "# Changelog\n\n## 1.0.0\n\n- First.\n").unwrap();
    commit(folder.path(), "second");
    run(COMPILER, &folder, &["build", "in", "--to", "all", "--out", "out"], &Output::Read).expect_code(0);
    folder
}

/// What is run of a command: the runs that begin with its words, and its help.
fn runs_of(words: &[String]) -> Vec<Vec<&str>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut runs: Vec<Vec<&str>> =
        RUNS.iter().filter(|run| run.starts_with(&words)).map(|run| run.to_vec()).collect();
    assert!(!runs.is_empty(), "`{}` is not among the runs", words.join(" "));
    runs.push([&words[..], &["--help"]].concat());
    runs
}

#[test]
fn case_13_no_command_of_the_compiler_ends_well_without_its_result() {
    let folder = fixture();
    for Verb { words, .. } in of_compiler() {
        for arguments in runs_of(&words) {
            let told = run(COMPILER, &folder, &arguments, &Output::Read);
            let full = run(COMPILER, &folder, &arguments, &Output::Full);
            if told.stdout.is_empty() {
                assert_eq!(full.code, told.code, "{arguments:?}: {}", full.stderr);
                continue;
            }
            assert_eq!(full.code, Some(2), "{arguments:?}: {}", full.stderr);
            let is_told = full.stderr.contains("error: the result cannot be written to standard output");
            // A failure that is itself the result is told by the exit code alone.
            assert!(is_told || told.code == Some(2), "{arguments:?}: {}", full.stderr);
            let closed = run(COMPILER, &folder, &arguments, &Output::Closed);
            assert_eq!((closed.code, &closed.stderr), (told.code, &told.stderr), "{arguments:?}");
        }
    }
}

/// Runs the helper with standard output as `redirected` from the start.
fn run_without_output(folder: &Path, words: &[&str], redirected: &str) -> FinishedRun {
    let ended = Command::new("sh")
        .args(["-c", &format!("exec \"$0\" \"$@\" {redirected}"), HELPER])
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.join("home"))
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .expect("the program starts");
    FinishedRun::from(ended)
}

#[test]
fn case_13_nothing_is_begun_where_standard_output_is_closed() {
    let folder = fixture();
    git(folder.path(), &["switch", "--quiet", "--create", "topic"]);
    let refused = "warning: standard output is closed, so nothing was done\n";
    let before = state(folder.path());
    let begin =
        [["polish", "acquire", "--apply"], ["review", "begin", "base:main"], ["run", "list", "--help"]];
    for words in begin {
        for redirected in [">&-", "1</dev/null", "1<."] {
            let closed = run_without_output(folder.path(), &words, redirected);
            assert_eq!((closed.code, &*closed.stderr), (Some(5), refused), "{words:?} {redirected}");
        }
    }
    assert!(state(folder.path()) == before, "no run was begun");
    let discarded = run(HELPER, &folder, &["--version"], &Output::Discarded);
    assert_eq!((discarded.code, &*discarded.stderr), (Some(0), ""), "the null device is not a closed output");
}

#[test]
fn case_13_a_polish_that_nobody_is_told_of_keeps_no_other_from_its_beginning() {
    let folder = fixture();
    git(folder.path(), &["switch", "--quiet", "--create", "topic"]);
    let acquire = ["polish", "acquire", "--apply"];
    for output in [Output::Full, Output::Closed] {
        assert_eq!(run(HELPER, &folder, &acquire, &output).code, Some(5));
    }
    run(HELPER, &folder, &acquire, &Output::Read).expect_code(0);
}

#[test]
fn case_13_no_command_of_the_helper_ends_well_without_its_answer() {
    let folder = fixture();
    for Verb { words, .. } in of_helper() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for more in [&[][..], &["--help"], &["--no-such-option"]] {
            let arguments = [&words[..], more].concat();
            let told = run(HELPER, &folder, &arguments, &Output::Read);
            assert!(!told.stdout.is_empty(), "{arguments:?}: {}", told.stderr);
            let full = run(HELPER, &folder, &arguments, &Output::Full);
            assert_eq!(full.code, Some(5), "{arguments:?}: {}", full.stderr);
            let expected = "the answer cannot be written to standard output: No space left on device";
            assert!(full.stderr.contains(expected), "{arguments:?}: {}", full.stderr);
            let closed = run(HELPER, &folder, &arguments, &Output::Closed);
            assert_eq!((closed.code, &closed.stderr), (Some(5), &told.stderr), "{arguments:?}");
        }
    }
}

/// One run for each value that a command takes: the hostile text is in its place, and in that of whatever else the
/// command needs.
fn hostile(verb: &Verb) -> Vec<Vec<String>> {
    let needed = [verb.words.clone(), verb.needed.concat()].concat();
    let with = |other: &Vec<String>| [needed.clone(), other.clone()].concat();
    std::iter::once(needed.clone()).chain(verb.others.iter().map(with)).collect()
}

fn safe(arguments: &[&str], finished: &FinishedRun) -> Vec<String> {
    let mut wrong = Vec::new();
    for (stream, text) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        wrong.extend(text.chars().find(|c| is_unsafe(*c)).map(|c| format!("{arguments:?} {stream}: {c:?}")));
        let obeyed = text.split('\n').filter(|line| is_obeyed(line, false));
        wrong.extend(obeyed.map(|line| format!("{arguments:?} {stream}: {line}")));
    }
    wrong
}

/// Runs every command with hostile values. What each may change is a separate repository.
#[track_caller]
fn fed(program: &str, commands: &[Verb], codes: &[i32]) {
    let (mut wrong, mut values) = (Vec::new(), 0);
    for verb in commands {
        let folder = fixture();
        let outside = snapshot(folder.path());
        for arguments in hostile(verb) {
            values += 1;
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let finished = run(program, &folder, &arguments, &Output::Read);
            wrong.extend(safe(&arguments, &finished));
            if !finished.code.is_some_and(|code| codes.contains(&code)) {
                wrong.push(format!("{arguments:?}: ended with {:?}: {}", finished.code, finished.stderr));
            }
        }
        for path in outside {
            if !path.exists() {
                wrong.push(format!("{:?} removed `{}`", verb.words, path.display()));
            }
        }
    }
    assert!(values > commands.len() * 2, "{values} values");
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

fn snapshot(folder: &Path) -> Vec<std::path::PathBuf> {
    std::fs::read_dir(folder.join("in/skills")).unwrap().flatten().map(|entry| entry.path()).collect()
}

#[test]
fn case_10_hostile_values_steer_nothing_in_any_command_of_the_compiler() {
    fed(COMPILER, &of_compiler(), &[0, 1, 2]);
}

#[test]
fn case_10_hostile_values_steer_nothing_in_any_command_of_the_helper() {
    fed(HELPER, &of_helper(), &[0, 1, 2, 3, 4, 5, 6]);
}
