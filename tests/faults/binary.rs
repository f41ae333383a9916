//! `plugcast` with the feature `fault`, built on first use into the same build folder: only the
//! package itself is compiled for it, under a name of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{root, target};

/// The variable that only this binary reads.
pub const VARIABLE: &str = "PLUGCAST_FAULT";

/// The binary.
///
/// # Panics
/// When it cannot be built.
pub fn faulty() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let shipped = Path::new(env!("CARGO_BIN_EXE_plugcast"));
        let profile = shipped.parent().expect("a binary lies in a folder");
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
        build.args(["build", "--quiet", "--locked", "--features", "fault", "--bin", "plugcast-fault"]);
        build.arg("--target-dir").arg(target()).current_dir(root());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        let built = build.output().expect("cargo can be started");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        profile.join("plugcast-fault")
    })
}
