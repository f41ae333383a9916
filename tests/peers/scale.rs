//! Large sources and sources that cannot be read: nothing is held that is only copied, and nothing
//! stops the rest.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::{BadSource, EVERY_HOST, Tree, skill};
use crate::support::helper::install;

/// Runs a build for Codex in a folder with `sh` in front of it; `$0` is the program.
fn build(folder: &std::path::Path, script: &str, program: &std::path::Path) -> (Output, Value) {
    let mut command = Command::new("sh");
    let script = format!("{script} \"$0\" build src --to codex --out out --format json");
    command.arg("-c").arg(script).arg(program).current_dir(folder).env_clear();
    let output = command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).output().expect("a shell");
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output, answer)
}

/// The whole process, the program's own code included, has less room than the file has bytes.
#[test]
fn a_large_asset_is_copied_without_being_held() {
    const SIZE: u64 = 100 << 20;
    let folder = BadSource::plugin(Tree::new()).written();
    let asset = File::create(folder.path().join("src/skills/ok/tide.bin")).expect("a file");
    asset.set_len(SIZE).expect("a sparse file");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_plugcast"));
    let (output, _) = build(folder.path(), "ulimit -v 90000; exec", program);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let copied =
        fs::metadata(folder.path().join("out/codex/plugins/bad/skills/ok/tide.bin")).expect("a copy");
    assert_eq!(copied.len(), SIZE);
}

#[test]
fn a_text_of_fifty_megabytes_is_copied_and_no_component() {
    let folder = BadSource::plugin(Tree::new()).written();
    let src = folder.path().join("src");
    fs::create_dir_all(src.join("skills/huge")).expect("a folder");
    for path in ["skills/ok/notes.md", "skills/huge/SKILL.md"] {
        File::create(src.join(path)).and_then(|file| file.set_len(50 << 20)).expect("a sparse file");
    }
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_plugcast"));
    let (output, answer) = build(folder.path(), "exec", program);
    let found = answer["diagnostics"].as_array().expect("findings");
    assert_eq!((output.status.code(), found.len()), (Some(1), 2), "{found:#?}");
    assert_eq!((&found[1]["path"], &found[1]["severity"]), (&"skills/ok/notes.md".into(), &"warning".into()));
    assert_eq!((&found[0]["path"], &found[0]["line"]), (&"skills/huge/SKILL.md".into(), &1.into()));
    assert!(
        found[0]["message"].as_str().is_some_and(|message| message.contains("the file is not text")),
        "{found:#?}"
    );
    let copied =
        fs::metadata(folder.path().join("out/codex/plugins/bad/skills/ok/notes.md")).expect("a copy");
    assert_eq!(copied.len(), 50 << 20);
}

/// Runs as another user where the test's own may read everything.
#[test]
fn an_unreadable_folder_is_left_out() {
    let folder =
        BadSource::plugin(Tree::new().file("skills/shut/SKILL.md", skill("description: d"))).written();
    let shut = folder.path().join("src/skills/shut");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).expect("a mode");
    fs::set_permissions(&shut, Permissions::from_mode(0o000)).expect("a mode");
    let program = folder.path().join("plugcast");
    install(Path::new(env!("CARGO_BIN_EXE_plugcast")), &program);
    let other = if fs::read_dir(&shut).is_ok() {
        "exec setpriv --reuid=65534 --regid=65534 --clear-groups"
    } else {
        "exec"
    };
    let (output, answer) = build(folder.path(), other, &program);
    fs::set_permissions(&shut, Permissions::from_mode(0o755)).expect("a mode");
    let found = answer["diagnostics"].as_array().expect("findings");
    assert_eq!((output.status.code(), found.len()), (Some(1), 1), "{found:#?}");
    assert_eq!(
        found[0]["message"],
        "`skills/shut` is skipped: cannot be listed: Permission denied (os error 13)"
    );
    assert!(folder.path().join("out/codex/plugins/bad/skills/ok/SKILL.md").is_file());
}

/// Codex reads 1,999 folders of skills, so one of 2,000 has an error and a row; the others carry all.
#[test]
fn two_thousand_skills_are_carried_as_far_as_a_host_reads() {
    let source = (0..1999).fold(Tree::new(), |tree, at| {
        tree.file(&format!("skills/s{at:04}/SKILL.md"), skill("description: d"))
    });
    let built = BadSource::plugin(source).build();
    let found = built.findings();
    assert_eq!(EVERY_HOST.map(|host| built.count(host, "skills")), [2000, 1999, 2000]);
    assert_eq!(
        found.last().map(String::as_str),
        Some(
            "error limit skills/s1998/SKILL.md:1:1 `bad:s1998` cannot be carried: Codex reads 1999 folders of skills, and this plugin has 2000 | split the plugin, or leave this host out for the plugin [codex]"
        )
    );
    assert_eq!(found.len(), 3, "{found:#?}");
    for (finding, host) in found.iter().zip([" [opencode]", " [codex]"]) {
        assert!(finding.starts_with("warning listing-budget ") && finding.ends_with(host), "{found:#?}");
    }
    let row = built.row("codex", |row| row["kind"] == "skill" && row["name"] == "bad:s1998");
    assert_eq!((&row["outcome"], &row["loss"]["class"]), (&"dropped".into(), &"behavior".into()));
    assert!(row["loss"]["id"].as_str().is_some_and(|id| id.starts_with("limit/")), "{row}");
}
