//! What the user sees while a run takes long: one line on a terminal, gone in the end; and nothing of
//! it anywhere else.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use super::binary;
use super::fixture::source;

/// `plugcast` held at a step, on a terminal of its own.
fn on_a_terminal(folder: &std::path::Path, options: &str, fault: &str) -> Child {
    let program = binary::faulty().display();
    let line = format!("'{program}' build src --to codex --out out {options}");
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
    command.current_dir(folder).env_clear().env("TERM", "xterm");
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("SHELL", "/bin/sh");
    command.env(binary::VARIABLE, fault);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("`script` of util-linux")
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
    let mut child = on_a_terminal(folder.path(), "", "hold@20");
    let seen = read_until(&mut child, Some("Codex: writing `out/codex` (1 s)"));
    assert!(seen.contains("Codex: writing `out/codex` (1 s)"), "{seen:?}");
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
        let mut child = on_a_terminal(folder.path(), options, "none@0");
        let seen = read_until(&mut child, None);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{seen}");
        assert!(!seen.contains("\u{1b}[K") && !seen.contains("writing"), "{seen:?}");
    }
}
