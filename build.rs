//! Names the program by what it is made of, for the records that builds leave for the next build: the
//! version alone stays the same while plugcast itself is being worked on.

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
    // The helper has no such records: a change of the compiler must not build it again.
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_COMPILER").is_none() {
        return Ok(());
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
