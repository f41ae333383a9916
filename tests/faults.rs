//! Everything that can go wrong while a bundle or a run of the helper is written: a kill or a failing disk at every single
//! change of the file system, an interrupt, a folder that cannot be written.

pub mod binary;
mod causes;
mod feedback;
mod fixes;
mod fixture;
mod interrupt;
mod place;
mod polish;
mod promotion;
mod store;
mod terminal;
mod walk;

use serde_json::Value;

use crate::support::run::{FinishedRun, Plugcast};

/// The error object of a run with `--format json`.
#[track_caller]
fn error(finished: &FinishedRun) -> Value {
    let answer: Value = serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", finished.stdout, finished.stderr));
    assert_eq!(answer["schema"], "plugcast.error/1", "{answer}");
    answer["error"].clone()
}

#[test]
fn the_shipped_binary_has_no_faults() {
    for name in [binary::VARIABLE, terminal::HOLD] {
        let holds = |path: &std::path::Path| {
            std::fs::read(path).expect("a binary").windows(name.len()).any(|bytes| bytes == name.as_bytes())
        };
        assert!(!holds(env!("CARGO_BIN_EXE_plugcast").as_ref()), "it reads `{name}`");
        assert!(holds(binary::faulty()), "the search finds nothing anywhere");
    }

    let folder = fixture::source().temporary();
    let arguments = ["build", "src", "--to", "codex", "--out", "out"];
    Plugcast::new(folder.path(), &arguments).env(binary::VARIABLE, "abort@1").run().expect_code(0);
    let faulty = Plugcast::new(folder.path(), &["build", "src", "--to", "codex", "--out", "other"]);
    assert_eq!(faulty.binary(binary::faulty()).env(binary::VARIABLE, "abort@1").run().code, None);
}

#[test]
fn faults_are_not_on_by_default() {
    let text = std::fs::read_to_string(crate::support::root().join("Cargo.toml")).expect("Cargo.toml");
    let package: toml::Table = text.parse().expect("Cargo.toml is TOML");
    let features = package["features"].as_table().expect("features");
    let named = |list: &toml::Value| list.as_array().expect("a list").contains(&"fault".into());
    assert!(features.values().all(|list| !named(list)), "no other feature brings it along");
    let bins = package["bin"].as_array().expect("binaries");
    let faulty = bins.iter().find(|bin| bin["name"].as_str() == Some("plugcast-fault")).expect("its entry");
    assert!(named(&faulty["required-features"]));
}
