//! What tests stand on: trees in memory, runs of the built program in a clean environment, and the
//! real hosts and public plugins that are fetched on first use.

pub mod browser;
pub mod command;
pub mod corpus;
pub mod expected;
pub mod fetch;
pub mod git;
pub mod github;
pub mod helper;
pub mod hosts;
pub mod pages;
pub mod run;
#[expect(dead_code, reason = "benches fetch one more")]
pub mod tools;
pub mod tree;

use std::path::{Path, PathBuf};

/// The root of the checkout.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The build folder, wherever the user put it.
pub fn target() -> PathBuf {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    scratch.parent().unwrap_or(scratch).to_owned()
}

/// Whether expected output is to be rewritten instead of compared: `PLUGCAST_BLESS=1`.
pub fn bless() -> bool {
    std::env::var_os("PLUGCAST_BLESS").is_some_and(|value| value == "1")
}

/// Writes a line that the test harness does not capture.
pub fn print_line(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Fails the running test with every finding, one a line.
///
/// # Panics
/// When there is at least one finding.
#[track_caller]
pub fn none_left(what: &str, findings: &[String]) {
    assert!(findings.is_empty(), "{what}: {} finding(s)\n{}\n", findings.len(), findings.join("\n"));
}

/// Every place of a finding of `check --format json`: its own, and those where the same is wrong.
pub fn places(finding: &serde_json::Value) -> impl Iterator<Item = &serde_json::Value> {
    let related = finding["related"].as_array().map(Vec::as_slice).unwrap_or_default();
    std::iter::once(finding).chain(related.iter().filter(|place| place["message"] == "the same here"))
}

/// Gives a manifest whose files were changed the digest that goes with them.
pub fn with_true_digest(manifest: &mut serde_json::Value) {
    let line = |file: &serde_json::Value| {
        let word = |name: &str| file[name].as_str().expect("a text").to_owned();
        format!("{}\0{}\0{}\n", word("path"), word("mode"), word("sha256"))
    };
    let mut lines: Vec<String> = manifest["files"].as_array().expect("files").iter().map(line).collect();
    lines.sort();
    manifest["digest"] = tree::digest(lines.concat().as_bytes()).into();
}

/// Leaves the bundle at `folder` as a build that was killed between two renames does.
pub fn killed_exchange(folder: &Path) {
    let name = folder.file_name().and_then(|name| name.to_str()).expect("a name");
    let sibling = |what: &str| folder.with_file_name(format!(".{name}.plugcast-{what}"));
    std::fs::rename(folder, sibling("old")).expect("the old tree moves");
    std::fs::write(sibling("swap"), "").expect("the marker is written");
}

/// What `check` finds in each of `items`, sorted; two are looked at at a time.
pub fn found_in_each<T: Sync>(items: &[T], check: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let found = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, std::sync::atomic::Ordering::SeqCst)) {
                    let findings = check(item);
                    found.lock().expect("nobody panics with it").extend(findings);
                }
            });
        }
    });
    let mut found = found.into_inner().expect("nobody panics with it");
    found.sort();
    found
}
