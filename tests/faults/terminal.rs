//! What the user sees while a run takes long: one line on a terminal, gone in the end; and nothing of
//! it anywhere else.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::binary;
use super::fixture::source;
use crate::support::git::{commit, committed, git, write};
use crate::support::tree::Tree;

/// The variable that holds a run at a line of its progress.
pub const HOLD: &str = "PLUGCAST_HOLD";

/// `plugcast` on a separate terminal, with a variable that only the binary with faults reads.
fn on_a_terminal(folder: &Path, arguments: &str, input: &Path, (variable, value): (&str, &str)) -> Child {
    let program = binary::faulty().display();
    // What is typed on a terminal stands on it.
    let line = format!("'{program}' {arguments} < '{}'", input.display());
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
    command.current_dir(folder).env_clear().env("TERM", "xterm").env("HOME", folder.join("home"));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("SHELL", "/bin/sh");
    command.env(variable, value);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("`script` of util-linux")
}

/// The same for a build that is held at a change of the file system.
fn build_on_a_terminal(folder: &Path, options: &str, fault: &str) -> Child {
    let arguments = format!("build src --to codex --out out {options}");
    on_a_terminal(folder, &arguments, Path::new("/dev/tty"), (binary::VARIABLE, fault))
}

/// Reads until `wanted` was shown, or to the end.
fn read_until(child: &mut Child, wanted: Option<&str>) -> String {
    let output = child.stdout.as_mut().expect("a pipe");
    let (mut seen, mut buffer) = (Vec::new(), [0; 256]);
    loop {
        let text = String::from_utf8_lossy(&seen).into_owned();
        if wanted.is_some_and(|wanted| text.contains(wanted)) {
            return text;
        }
        match output.read(&mut buffer) {
            Ok(0) | Err(_) => return text,
            Ok(read) => seen.extend_from_slice(&buffer[..read]),
        }
    }
}

#[test]
fn a_long_build_says_on_a_terminal_what_it_does_until_it_is_interrupted() {
    let folder = source().temporary();
    let mut child = build_on_a_terminal(folder.path(), "", "hold@20");
    let seen = read_until(&mut child, Some(" (1 s)"));
    assert!(is_counted(&seen, "Codex: writing `out/codex`"), "{seen:?}");
    // Control-C, as the user types it.
    child.stdin.as_mut().expect("a pipe").write_all(b"\x03").unwrap();
    let rest = read_until(&mut child, None);
    assert!(rest.trim_end().ends_with("\r\u{1b}[Kinterrupted"), "the line is taken back: {rest:?}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_short_or_quiet_or_colourless_run_shows_no_progress() {
    let folder = source().temporary();
    for options in ["", "--quiet", "--color never"] {
        let mut child = build_on_a_terminal(folder.path(), options, "none@0");
        let seen = read_until(&mut child, None);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{seen}");
        assert!(!seen.contains("\u{1b}[K") && !seen.contains("writing"), "{seen:?}");
    }
}

/// Whether a line that was drawn says how many of how many are done of what begins with `what`.
fn is_counted(seen: &str, what: &str) -> bool {
    seen.split(CLEAR).any(|drawn| {
        let Some(at) = drawn.find(what) else { return false };
        let words: Vec<&str> = drawn[at + what.len()..].split([' ', ',', '(', ')']).collect();
        let number = |word: &str| word.parse::<usize>().ok();
        words.windows(3).any(|three| {
            three[1] == "of"
                && number(three[0]).is_some_and(|done| number(three[2]).is_some_and(|all| done <= all))
        })
    })
}

/// What a line that is taken back begins and ends with.
const CLEAR: &str = "\r\u{1b}[K";

/// What stands on the terminal in the end.
fn screen(seen: &str) -> String {
    let lines =
        seen.split('\n').map(|line| line.rsplit(CLEAR).next().unwrap_or_default().trim_end_matches('\r'));
    lines.collect::<Vec<_>>().join("\n")
}

/// A plugin with a beta and a labelled tree, in a repository with a release.
fn repository() -> tempfile::TempDir {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Does it when asked to.\n---\nDo it.\n");
    let beta = "---\nname: plan-beta\ndescription: \"[BETA] Does it when asked to.\"\ndisable-model-invocation: true\n---\nDo it.\n";
    let tree = Tree::new()
        .file("src/.claude-plugin/plugin.json", "{ \"name\": \"p\", \"version\": \"1.0.0\" }\n")
        .file("src/skills/a/SKILL.md", skill("a"))
        .file("src/skills/plan-beta/SKILL.md", beta)
        .file("trees/one/expected.json", "[]\n")
        .file("trees/one/in/skills/a/SKILL.md", skill("a"))
        .script("codex", "#!/bin/sh\necho codex 0.0.0\n");
    let folder = committed(&tree);
    git(folder.path(), &["tag", "v1.0.0"]);
    write(folder.path(), "src/skills/b/SKILL.md", &skill("b"));
    commit(folder.path(), "one more");
    folder
}

#[test]
fn every_command_that_takes_long_counts_what_it_does_and_leaves_none_of_it_on_the_terminal() {
    for (arguments, what) in [
        ("build src --to codex --out out", "Codex (1 of 1 hosts): compiling"),
        ("build src --to codex --out out", "Codex: writing"),
        ("build src --to codex --out out", "reading files"),
        ("check src", "checking files"),
        ("diff HEAD~1 src", "reading `HEAD~1`"),
        ("diff HEAD~1 src", "comparing hosts"),
        ("release check src", "reading `v1.0.0`"),
        ("release check src", "comparing with `v1.0.0`"),
        ("promote plan-beta src --dry-run", "looking for the beta's name in files"),
        ("eval trees", "checking labelled trees"),
        ("verify src --to codex --host-bin codex=./codex", "Codex: compiling"),
        ("verify src --to codex --host-bin codex=./codex", "codex: showing the bundles"),
        ("doctor --to codex --host-bin codex=./codex", "asking hosts for their versions"),
    ] {
        let (folder, beside) = (repository(), tempfile::tempdir().expect("a folder"));
        let pipe = beside.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
        // Open for both, so that it waits for nobody.
        let mut input = File::options().read(true).write(true).open(&pipe).expect("a pipe");
        let mut child = on_a_terminal(folder.path(), arguments, &pipe, (HOLD, what));
        let mut seen = read_until(&mut child, Some(" (1 s)"));
        assert!(is_counted(&seen, what), "{arguments}: {what}: {seen:?}");
        input.write_all(b"\n").expect("the run reads it");
        seen.push_str(&read_until(&mut child, None));
        child.wait().unwrap();
        let screen = screen(&seen);
        assert!(!screen.contains(" s)"), "{arguments}: {what}: {screen:?}");
    }
}
