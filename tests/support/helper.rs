//! The helper as a bundle ships it, built once a process by the program under test itself.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::run::Plugcast;
use super::tree::Tree;

/// The platform of this machine.
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

/// A plugin with one skill that ships the helper.
pub fn plugin(name: &str) -> Tree {
    Tree::new()
        .file(".claude-plugin/plugin.json", format!("{{ \"name\": \"{name}\", \"version\": \"1.0.0\" }}\n"))
        .file(
            "skills/ask/SKILL.md",
            "---\nname: ask\ndescription: Asks.\n---\nRun `\"${CLAUDE_PLUGIN_ROOT}/bin/plugcast-run\" --version`.\n",
        )
        .file("plugcast.toml", "[runtime]\nhelper = true\n")
}

/// The helper for this machine.
///
/// # Panics
/// When the program does not build it.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let folder = plugin("p").temporary();
        Plugcast::new(folder.path(), &["build", "--to", "codex"]).run().expect_code(0);
        let shipped = folder.path().join("dist/codex/plugins/p/bin").join(platform()).join("plugcast-run");
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugcast-run");
        let fresh = path.with_extension(std::process::id().to_string());
        install(&shipped, &fresh);
        std::fs::rename(&fresh, &path).expect("the copy can be put in place");
        path
    })
}

/// Copies a program that a test will run.
///
/// A separate process writes it: where this one has the file open for writing while another test starts a
/// program, that child inherits the descriptor, and the copy is "busy" when it is to be run.
///
/// # Panics
/// When it cannot be copied.
pub fn install(program: &Path, place: &Path) {
    let copied = Command::new("cp").arg(program).arg(place).status().expect("`cp`");
    assert!(copied.success(), "{} cannot be copied to {}", program.display(), place.display());
}
