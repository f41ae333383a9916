//! A real browser: headless Chromium, which opens an address and tells what its page has become.

use std::process::{Command, Stdio};

use super::tools;

/// Options of a browser that asks nobody but the address, and keeps nothing.
const OPTIONS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // Milliseconds, for a page that never ends to load.
    "--timeout=60000",
    "--dump-dom",
];

/// The page behind an address, after its scripts ran.
///
/// # Panics
/// With one line that says how to get a browser, and when it shows nothing.
pub fn page(url: &str) -> String {
    let (program, libraries) = tools::chromium().unwrap_or_else(|missing| panic!("{missing}"));
    let home = tempfile::tempdir().expect("a temporary home");
    let mut browser = Command::new(program);
    browser.args(OPTIONS).arg(format!("--user-data-dir={}", home.path().join("data").display())).arg(url);
    browser.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home.path());
    if let Some(libraries) = libraries {
        browser.env("LD_LIBRARY_PATH", libraries);
    }
    let shown = browser.stdin(Stdio::null()).output().expect("the browser can be started");
    let stderr_text = String::from_utf8_lossy(&shown.stderr);
    assert!(shown.status.success(), "the browser ended with {}: {stderr_text}", shown.status);
    String::from_utf8_lossy(&shown.stdout).into_owned()
}
