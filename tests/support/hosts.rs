//! The pinned real hosts: native binaries per platform, fetched on first use; and the record of the
//! tests that ran in them, so that a run that left one out cannot pass for a whole one.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{fetch, print_line, target};

/// Paths of the native binaries.
#[derive(Debug, Clone)]
pub struct Hosts {
    /// `claude`.
    pub claude_code: PathBuf,
    /// `codex`.
    pub codex: PathBuf,
    /// `opencode`.
    pub opencode: PathBuf,
    /// The folder that holds `rg`, which OpenCode needs on its `PATH`.
    pub ripgrep: PathBuf,
}

/// Gives the real hosts to the running test, or leaves the test: `let hosts = real_hosts!();`.
/// A test that uses it is in a module named `hosts`, where `.ci/run` looks for it.
macro_rules! real_hosts {
    () => {{
        fn marker() {}
        match $crate::support::hosts::for_test(std::any::type_name_of_val(&marker)) {
            Some(hosts) => hosts,
            None => return,
        }
    }};
}
pub(crate) use real_hosts;

/// The hosts for a test, given the name of a function inside it; `None` when they are left out.
///
/// # Panics
/// With one line when the hosts cannot be had, or when the test is in another module.
pub fn for_test(inner: &str) -> Option<Hosts> {
    let test = inner.trim_end_matches("::marker");
    let (_, name) = test.split_once("::").unwrap_or(("", test));
    assert!(
        name.starts_with("hosts::") || name.contains("::hosts::"),
        "`{name}` uses the real hosts: move it into a module named `hosts`, where .ci/run counts it"
    );
    let thread = std::thread::current();
    let running = thread.name().filter(|running| *running != "main");
    assert!(
        running.is_none_or(|running| running == name),
        "`{name}` is not a test, and .ci/run counts tests: write `real_hosts!()` into the test itself"
    );
    if std::env::var_os("PLUGCAST_HOSTS").is_some_and(|value| value == "skip") {
        print_line(&format!("left out, because PLUGCAST_HOSTS=skip: {name}"));
        return None;
    }
    let hosts = available().as_ref().unwrap_or_else(|line| panic!("{line}")).clone();
    record(name);
    Some(hosts)
}

/// The hosts, fetched once a process.
fn available() -> &'static Result<Hosts, String> {
    static HOSTS: OnceLock<Result<Hosts, String>> = OnceLock::new();
    HOSTS.get_or_init(|| find(&fetch::modules("hosts")?))
}

/// Appends a name to the list of host tests that ran.
fn record(name: &str) {
    let list = target().join("hosts-ran");
    let file = OpenOptions::new().create(true).append(true).open(&list);
    let written = file.and_then(|mut file| file.write_all(format!("{name}\n").as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", list.display()));
}

fn find(modules: &Path) -> Result<Hosts, String> {
    let (system, processor) = platform();
    let wanted = |package: &str| {
        format!(
            "`{package}` has no binary for {system}-{processor} in tests/hosts/package-lock.json; \
             set PLUGCAST_HOSTS=skip to leave the tests in real hosts out"
        )
    };
    let first = |package: &str, candidates: Vec<String>| {
        let paths = candidates.into_iter().map(|candidate| modules.join(candidate));
        paths.into_iter().find(|path| path.is_file()).ok_or_else(|| wanted(package))
    };
    let forms = libc_forms();
    let named = |stem: &str, binary: &str| {
        forms.iter().map(|form| format!("{stem}-{system}-{processor}{form}/{binary}")).collect::<Vec<_>>()
    };
    let mut opencode = named("opencode", "bin/opencode");
    if !has_avx2() {
        opencode = forms
            .iter()
            .map(|form| format!("opencode-{system}-{processor}-baseline{form}/bin/opencode"))
            .collect();
    }
    let vendor = modules.join(format!("@openai/codex-{system}-{processor}/vendor"));
    let triple = fs::read_dir(&vendor)
        .ok()
        .and_then(|entries| {
            entries.flatten().map(|entry| entry.path()).find(|path| path.join("bin/codex").is_file())
        })
        .ok_or_else(|| wanted("@openai/codex"))?;
    Ok(Hosts {
        claude_code: first("@anthropic-ai/claude-code", named("@anthropic-ai/claude-code", "claude"))?,
        codex: triple.join("bin/codex"),
        opencode: first("opencode-ai", opencode)?,
        ripgrep: triple.join("codex-path"),
    })
}

/// Operating system and processor in npm's words.
fn platform() -> (&'static str, &'static str) {
    let system = if std::env::consts::OS == "macos" { "darwin" } else { std::env::consts::OS };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    (system, processor)
}

/// Which C library forms of a package to try, the likely one first.
fn libc_forms() -> [&'static str; 2] {
    let glibc = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    let musl = std::env::consts::OS == "linux" && !glibc.iter().any(|path| Path::new(path).exists());
    if musl { ["-musl", ""] } else { ["", "-musl"] }
}

/// Whether OpenCode's ordinary x64 build runs here; other processors have one build.
fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

#[test]
fn a_host_test_outside_its_module_is_refused() {
    let refused = std::panic::catch_unwind(|| for_test("all::cases::one::marker"));
    let message = *refused.unwrap_err().downcast::<String>().expect("a message");
    assert!(message.contains("`cases::one`") && message.contains("module named `hosts`"), "{message}");
}
