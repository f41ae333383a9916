//! `plugcast` with the feature `fault`, built on first use into the same build folder: only the
//! package itself is compiled for it, under another name.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{root, target};

/// The variable that only this binary reads.
pub const VARIABLE: &str = "PLUGCAST_FAULT";

/// The compiler.
pub fn faulty() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| built().join("plugcast-fault"))
}

/// The helper, and its store alone.
pub fn faulty_helper() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| built().join("plugcast-run-fault"))
}

/// The folder of both binaries.
///
/// # Panics
/// When they cannot be built.
fn built() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let shipped = Path::new(env!("CARGO_BIN_EXE_plugcast"));
        let profile = shipped.parent().expect("a binary lies in a folder");
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
        build.args(["build", "--quiet", "--locked", "--features", "fault", "--bin", "plugcast-fault"]);
        build.args(["--bin", "plugcast-run-fault"]);
        build.arg("--target-dir").arg(target()).current_dir(root());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        let built = build.output().expect("cargo can be started");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        profile.to_owned()
    })
}
