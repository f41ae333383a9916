//! The helper as a bundle ships it, built once a process by the program under test itself.

use std::path::{Path, PathBuf};
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
        std::fs::copy(&shipped, &fresh).unwrap_or_else(|error| panic!("{}: {error}", shipped.display()));
        std::fs::rename(&fresh, &path).expect("the copy can be put in place");
        path
    })
}
