//! Tests of the comparison with a fake host: its listing is given, and its binary only reports a version.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::*;
use crate::bundle::ManifestFile;
use crate::bundle::verification::Method;
use crate::disk::plain_files;
use crate::drivers::HostBinary;
use crate::drivers::observation::{BodyInvocation, Invoker};
use crate::drivers::session::{Session, Transcript};
use crate::ledger::ComponentKind;
use crate::progress::Progress;
use crate::temp_dir::TempFolder;

/// A fake host that lists these names, and sends this text to the model for every body.
struct PlayedHost {
    listed: &'static [&'static str],
    given: &'static str,
}

impl Driver for PlayedHost {
    fn binary(&self) -> &'static HostBinary {
        &HostBinary {
            host: "played",
            command: "played",
            pinned: "1.0.0",
            package: "played",
            ..HostBinary::DEFAULT
        }
    }
    fn invoker(&self, _frontmatter: &str, _body: &str, _scope: ObservationScope) -> Option<Invoker> {
        Some(Invoker::User)
    }
    fn lines(&self, body: &str) -> Vec<String> {
        body.lines().map(str::to_owned).collect()
    }
    fn unshown(&self, _kind: ComponentKind) -> &'static str {
        "it keeps them to itself"
    }
    fn observe(
        &self,
        bundle: &LoadedBundle,
        bodies: &[BodyInvocation],
        _installation: &Installation,
        _scope: ObservationScope,
    ) -> Result<Observation> {
        let mut observation = Observation::default();
        let listed: BTreeSet<String> = self.listed.iter().map(|name| (*name).to_owned()).collect();
        for plugin in &bundle.plugins {
            observation.record_listed(plugin, &[ComponentKind::Skill], &listed);
            for component in plugin.components_of(&[ComponentKind::Agent]) {
                observation.record_component(&plugin.name, component, Method::Resolved);
            }
        }
        for invocation in bodies {
            observation.check(invocation, invocation.compare(self.given));
        }
        Ok(observation)
    }
    fn run(&self, _session: Session, _installation: &Installation) -> Result<Transcript> {
        anyhow::bail!("a played host has no sessions")
    }
}

/// A bundle with the skills `demo:one` and `demo:two` (whose words were edited) and an agent; a third
/// skill is dropped. The binary is in it as well.
fn bundle() -> TempFolder {
    let folder = TempFolder::new().unwrap();
    let skill = |name: &str| format!("plugins/demo/skills/{name}/SKILL.md");
    let mut files = Vec::new();
    for name in ["one", "two"] {
        let text = format!("---\nname: {name}\n---\nwords of {name}\n");
        plain_files::write(&folder.path().join(skill(name)), text.as_bytes(), false).unwrap();
        let sha256: String = sha256_of(text.as_bytes());
        files.push(json!({ "path": skill(name), "mode": "0644", "size": text.len(), "sha256": sha256, "from": skill(name) }));
    }
    let row = |kind: &str, name: &str, path: &str, outcome: &str| json!({ "id": name, "plugin": "demo", "kind": kind, "name": name, "path": path, "outcome": outcome, "reason": "x" });
    let rows = [
        row("plugin", "demo", "plugins/demo", "kept"),
        row("skill", "demo:one", &skill("one"), "mapped"),
        row("skill", "demo:two", &skill("two"), "mapped"),
        row("skill", "demo:three", &skill("three"), "dropped"),
        row("agent", "demo:checker", "plugins/demo/agents/checker.md", "mapped"),
    ];
    let counts = json!({ "kept": 0, "mapped": 0, "degraded": 0, "dropped": 0, "losses": { "security": 0, "behavior": 0, "cosmetic": 0 } });
    let range = json!({ "start": 0, "end": 1, "line": 1, "end_line": 1 });
    let edit = json!({ "edit": "variable", "emitted": range, "source": range, "reason": "x" });
    let document = |name: &str, value: serde_json::Value| {
        let path = folder.path().join(".plugcast").join(name);
        plain_files::write(&path, value.to_string().as_bytes(), false).unwrap();
    };
    let listed: Vec<ManifestFile> = serde_json::from_value(json!(files)).unwrap();
    let digest = ManifestFile::digest(&listed);
    document(
        "manifest.json",
        json!({ "schema": "plugcast.manifest/1", "plugcast": "0.1.0", "target": "played", "source_digest": "s", "digest": digest, "files": files, "helpers": [] }),
    );
    document("ledger.json", json!({ "schema": "plugcast.ledger/1", "rows": rows, "summary": counts }));
    document(
        "sourcemap.json",
        json!({ "schema": "plugcast.sourcemap/1", "files": [{ "path": skill("two"), "from": skill("two"), "edits": [edit] }] }),
    );
    plain_files::write(&folder.path().join("played"), b"#!/bin/sh\necho Played 1.0.0\n", true).unwrap();
    folder
}

fn sha256_of(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn shown(folder: &Path, listed: &'static [&'static str], given: &'static str) -> HostVerification {
    let installation = Installation {
        binary: folder.join("played"),
        search_path: String::new(),
        progress: Progress::default(),
    };
    let driver = PlayedHost { listed, given };
    let (result, manifest) = verify(folder, &driver, &installation, ObservationScope::default()).unwrap();
    record(&Folder::open(folder).unwrap(), &manifest, &result, false).unwrap();
    result
}

const BOTH: &[&str] = &["demo:one", "demo:two", "plain"];

#[test]
fn everything_shown_passes_and_leaves_a_proof() {
    let folder = bundle();
    let result = shown(folder.path(), BOTH, "words of one\nwords of two\n");
    let plugin = &result.plugins[0];
    assert_eq!((result.result, result.invoked, result.total), (HostVerdict::Pass, 2, 2), "{plugin:?}");
    assert_eq!(plugin.expected.skills, ["demo:one", "demo:two"]);
    assert_eq!((plugin.method.skills, plugin.method.agents), (Some(Method::Listed), Some(Method::Resolved)));
    let proof = plain_files::read(&folder.path().join(".plugcast/verified.json")).unwrap();
    let proof: VerificationRecord = serde_json::from_str(&proof).unwrap();
    let manifest = loaded_bundle::manifest(folder.path()).unwrap();
    assert_eq!(proof.digest, ManifestFile::digest(&manifest.files));
    assert_eq!((proof.host.as_str(), proof.version.as_str()), ("played", "1.0.0"));
}

#[test]
fn missing_and_unexpected_names_fail_and_take_an_old_proof_away() {
    let folder = bundle();
    shown(folder.path(), BOTH, "words of one\nwords of two\n");
    let result = shown(folder.path(), &["demo:one", "demo:three"], "words of one\nwords of two\n");
    let plugin = &result.plugins[0];
    assert_eq!(result.result, HostVerdict::Fail);
    assert_eq!((plugin.missing[0].as_str(), plugin.unexpected[0].as_str()), ("demo:two", "demo:three"));
    assert!(!plain_files::exists(&folder.path().join(".plugcast/verified.json")));
}

#[test]
fn a_body_that_does_not_arrive_fails() {
    let folder = bundle();
    let result = shown(folder.path(), BOTH, "words of one\n");
    assert_eq!(result.result, HostVerdict::Fail);
    assert!(
        result.plugins[0].errors[0].contains("`demo:two`")
            && result.plugins[0].errors[0].contains("words of two")
    );
}

#[test]
fn a_bundle_that_was_changed_proves_nothing() {
    let folder = bundle();
    let file = folder.path().join("plugins/demo/skills/one/SKILL.md");
    plain_files::write(&file, b"---\nname: one\n---\nwords of one\nand more\n", false).unwrap();
    let result = shown(folder.path(), BOTH, "words of one\nand more\nwords of two\n");
    assert_eq!(result.result, HostVerdict::Fail);
    assert!(result.plugins[0].errors[0].contains("skills/one/SKILL.md` does not match the manifest"));
}

/// Regression test: if the bundle was moved during the run, the proof was written through a link.
#[test]
fn a_proof_is_left_in_the_bundle_that_was_opened() {
    let (folder, elsewhere) = (bundle(), bundle());
    let result = shown(folder.path(), BOTH, "words of one\nwords of two\n");
    let manifest = loaded_bundle::manifest(folder.path()).unwrap();
    let proof = |folder: &Path| plain_files::exists(&folder.join(".plugcast/verified.json"));
    let open = Folder::open(folder.path()).unwrap();
    let own = |name: &str| folder.path().join(name);
    plain_files::remove(&own(".plugcast/verified.json")).unwrap();
    rustix::fs::rename(own(".plugcast"), own("away")).unwrap();
    plain_files::link(&own(".plugcast"), &elsewhere.path().join(".plugcast")).unwrap();
    let refused = record(&open, &manifest, &result, false).unwrap_err().to_string();
    assert!(refused.contains("it is a link or a file, not a folder"), "{refused}");
    assert!(!proof(elsewhere.path()));
}
