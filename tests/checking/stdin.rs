//! Text from an editor: it takes the place of its file, in the context of the whole plugin.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{plugin, run, skill};

fn piped(folder: &Path, arguments: &[&str], text: &[u8]) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plugcast"))
        .arg("check")
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the built plugcast");
    child.stdin.take().expect("a pipe").write_all(text).expect("it reads");
    let ended = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout), text(&ended.stderr))
}

#[test]
fn the_text_takes_the_place_of_its_file() {
    let folder = plugin().temporary();
    let src = folder.path().join("src");
    let arguments = ["-", "--stdin-path", "skills/one/SKILL.md", "--format", "agent"];
    assert_eq!(piped(&src, &arguments, skill("one").as_bytes()), (Some(0), String::new(), String::new()));
    let (code, lines, _) = piped(&src, &arguments, skill("uno").as_bytes());
    assert!(lines.starts_with("skills/one/SKILL.md:2:7: info[name-mismatch]: "), "{lines}");
    assert_eq!((code, lines.lines().count()), (Some(0), 1), "{lines}");
    // A file that is not there yet, and a path from elsewhere.
    let new = ["-", "--stdin-path", "skills/new/SKILL.md", "--format", "agent"];
    let (_, lines, _) = piped(&src, &new, skill("old").as_bytes());
    assert!(lines.starts_with("skills/new/SKILL.md:2:7: "), "{lines}");
    let above = ["src", "--stdin-path", "src/skills/one/SKILL.md", "--format", "json"];
    let (_, shown, _) = piped(folder.path(), &above, skill("uno").as_bytes());
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(shown["diagnostics"][0]["path"], "skills/one/SKILL.md");
    assert_eq!(shown["summary"]["files"], 1);
    let absolute = src.join("skills/one/SKILL.md");
    let absolute = ["-", "--stdin-path", absolute.to_str().expect("UTF-8"), "--format", "agent"];
    assert!(piped(&src, &absolute, skill("uno").as_bytes()).1.contains("name-mismatch"));
}

#[test]
fn what_is_wrong_with_the_call_is_said() {
    let folder = plugin().temporary();
    let src = folder.path().join("src");
    let nameless = run(&src, &["-"]).expect_code(2);
    assert!(nameless.stderr.contains("pass `--stdin-path`"), "{}", nameless.stderr);
    for path in ["../other.md", "..", "/tmp"] {
        let (code, _, error) = piped(&src, &["-", "--stdin-path", path], b"x");
        assert!(code == Some(2) && error.contains("is not inside"), "{path}: {error}");
    }
    let (code, _, error) = piped(&src, &["-", "--stdin-path", "skills/one/SKILL.md"], b"\xff\xfe");
    assert!(code == Some(2) && error.contains("in UTF-8"), "{error}");
}
