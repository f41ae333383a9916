//! The module that registers a plugin on OpenCode, run by Node as the host would: `tests/module/`.

use std::process::Command;

use crate::support::root;

#[test]
fn the_opencode_module_does_what_the_source_host_does() {
    let mut command = Command::new("node");
    let tests = ["plugin", "hooks", "gates", "servers"].map(|name| format!("tests/module/{name}.test.mjs"));
    command.arg("--test").args(tests).current_dir(root()).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("`node` cannot be started ({error}): install Node.js 20 or newer"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("\n# pass 0\n"), "no test of the module ran:\n{text}");
}
