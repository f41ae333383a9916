//! Where the hosts' binaries are: as named, else the pinned ones that the tests fetch into
//! `target/hosts`. Nothing on `PATH` counts, since the counts belong to the pinned versions.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use plugcast::drivers::installation::HostSearch;
use plugcast::progress::Progress;

/// The binaries by host; one that is not there is left out.
pub fn search(named: &[String]) -> Result<HostSearch> {
    let mut found = Vec::new();
    for pair in named {
        let (host, path) =
            pair.split_once('=').with_context(|| format!("`--host-bin {pair}`: expected `HOST=PATH`"))?;
        found.push((host.to_owned(), PathBuf::from(path)));
    }
    for (host, path) in pinned() {
        if path.is_file() && !found.iter().any(|(other, _)| other == host) {
            found.push((host.to_owned(), path));
        }
    }
    // What the hosts start themselves, but none of the hosts.
    Ok(HostSearch {
        named: found,
        search_path: std::env::var("PATH").unwrap_or_default(),
        progress: Progress::default(),
    })
}

/// Whether a binary was named or is pinned.
pub fn has(search: &HostSearch, host: &str) -> bool {
    search.named.iter().any(|(other, _)| other == host)
}

fn pinned() -> Vec<(&'static str, PathBuf)> {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/hosts/node_modules");
    let system = if std::env::consts::OS == "macos" { "darwin" } else { std::env::consts::OS };
    let processor = if std::env::consts::ARCH == "aarch64" { "arm64" } else { "x64" };
    let platform = format!("{system}-{processor}");
    let vendor = modules.join(format!("@openai/codex-{platform}/vendor"));
    let triple = std::fs::read_dir(&vendor).ok().and_then(|mut entries| entries.next()?.ok());
    let triple = triple.map_or(vendor, |entry| entry.path());
    vec![
        ("claude-code", modules.join(format!("@anthropic-ai/claude-code-{platform}/claude"))),
        ("codex", triple.join("bin/codex")),
        ("opencode", modules.join(format!("opencode-{platform}/bin/opencode"))),
        ("rg", triple.join("codex-path/rg")),
    ]
}
