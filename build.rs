//! Names the program by what it is made of, for the build cache: the version alone stays the same while plugcast itself
//! is being worked on.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a build script reads files and speaks to cargo by printing"
)]

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // The helper has no such cache: a change of the compiler must not build it again.
    if env::var_os("CARGO_FEATURE_COMPILER").is_none() {
        return embed_schemas();
    }
    let mut files = BTreeMap::new();
    for place in ["src", "targets", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={place}");
        gather(Path::new(place), &mut files)?;
    }
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    println!("cargo::rustc-env=PLUGCAST_PROGRAM={:016x}", hasher.finish());
    Ok(())
}

/// Writes the schemas of the helper's answers, packed: as texts they are a third of the code that generates them, and a
/// tenth of that when packed.
fn embed_schemas() -> io::Result<()> {
    println!("cargo::rerun-if-changed=schemas");
    let mut files = BTreeMap::new();
    gather(Path::new("schemas"), &mut files)?;
    let mut all = Vec::new();
    for (path, bytes) in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("rt.") {
            let text = String::from_utf8(bytes).map_err(io::Error::other)?;
            all.push(format!("{name:?}:{}", without_spaces(&text)));
        }
    }
    let packed = miniz_oxide::deflate::compress_to_vec(format!("{{{}}}", all.join(",")).as_bytes(), 10);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no OUT_DIR"))?);
    fs::write(out.join("schemas.bin"), packed)
}

/// JSON without the spaces between its tokens.
fn without_spaces(json: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::new(), false, false);
    for c in json.chars() {
        if quoted || !c.is_whitespace() {
            out.push(c);
        }
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
    }
    out
}

fn gather(path: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            gather(&entry?.path(), files)?;
        }
    } else if path.exists() {
        files.insert(path.to_owned(), fs::read(path)?);
    }
    Ok(())
}
