//! The independent reader against small hand-written bundles: it accepts a whole one, and finds every
//! single row, file and byte that is taken away.
#![cfg(test)]

use serde_json::{Value, json};

use super::bundle::whole_digests;
use super::{assert_conserved, violations};
use crate::support::tree::{Entry, Tree, digest};

const SKILL: &str = "---\nname: go\ndescription: Use me\nallowed-tools:\n  - Read\n---\nCall `Read`, then demo:check:eye \
                     with $ARGUMENTS.\n\n```sh\n${CLAUDE_PLUGIN_ROOT}/bin/run `Bash`\n```\nNot demo:check:eyes, \\$ARGUMENTS.\n";

fn source() -> Tree {
    Tree::new()
        .file(".claude-plugin/plugin.json", r#"{"name":"demo","version":"1.0.0"}"#)
        .file("skills/go/SKILL.md", SKILL)
        .file("agents/check/eye.md", "---\nname: eye\nmodel: inherit\n---\nLook.\n")
        .file("hooks/hooks.json", r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#)
        .file(".mcp.json", r#"{"mcpServers":{"srv":{"command":"x"}}}"#)
        .file("build/cache.bin", [0, 1, 2])
        .file(".gitignore", "/build\n")
}

fn row(kind: &str, name: &str, path: &str) -> Value {
    json!({"id": format!("demo {kind} {name} {path}"), "plugin": "demo", "kind": kind, "name": name, "path": path,
        "outcome": "kept", "to": format!("plugins/demo/{path}")})
}

fn field(path: &str, key: &str) -> Value {
    let mut row = row("field", key, path);
    row["pointer"] = json!(format!("/{key}"));
    row
}

fn reference(text: &str) -> Value {
    let start = SKILL.find(text).expect("the text is in the skill");
    let mut row = row("reference", text, "skills/go/SKILL.md");
    row["span"] = json!({"start": start, "end": start + text.len(), "line": 1, "column": 1});
    row
}

fn rows() -> Vec<Value> {
    let mut rows: Vec<Value> = source()
        .entries()
        .filter(|(path, _)| !path.starts_with("build/"))
        .map(|(path, _)| row("file", path, path))
        .collect();
    rows.push(row("skill", "demo:go", "skills/go/SKILL.md"));
    rows.push(row("agent", "demo:check:eye", "agents/check/eye.md"));
    rows.push(row("hook", "Stop/*/1", "hooks/hooks.json"));
    rows.push(row("mcp-server", "plugin:demo:srv", ".mcp.json"));
    for key in ["name", "version"] {
        rows.push(field(".claude-plugin/plugin.json", key));
    }
    for key in ["name", "description", "allowed-tools"] {
        rows.push(field("skills/go/SKILL.md", key));
    }
    for key in ["name", "model"] {
        rows.push(field("agents/check/eye.md", key));
    }
    rows.extend(["Read`", "demo:check:eye ", "$ARGUMENTS.", "${CLAUDE_PLUGIN_ROOT}/bin/run"].map(reference));
    let mut ignored = row("file", "build", "build");
    ignored["outcome"] = json!("dropped");
    ignored["reason"] = json!("ignored by .gitignore");
    rows.push(ignored);
    rows
}

/// A bundle in which everything is a copy, with the given rows.
fn bundle(rows: &[Value], change: impl Fn(&mut Tree, &mut Value)) -> Tree {
    let mut tree = Tree::new();
    let mut files = Vec::new();
    for (path, entry) in source().entries().filter(|(path, _)| !path.starts_with("build/")) {
        let Entry::File { content, .. } = entry else { continue };
        let to = format!("plugins/demo/{path}");
        files.push(json!({"path": to, "mode": "0644", "size": content.len(), "sha256": digest(content), "from": path}));
        tree = tree.file(&to, content);
    }
    let mut manifest = json!({"files": files, "helpers": []});
    change(&mut tree, &mut manifest);
    manifest["digest"] = json!(whole_digests(&manifest)[0]);
    let count = |outcome: &str| rows.iter().filter(|row| row["outcome"] == outcome).count();
    let summary = json!({"kept": count("kept"), "mapped": count("mapped"), "degraded": count("degraded"),
        "dropped": count("dropped")});
    tree.file(".plugcast/ledger.json", json!({"rows": rows, "summary": summary}).to_string())
        .file(".plugcast/manifest.json", manifest.to_string())
        .file(".plugcast/sourcemap.json", json!({"files": []}).to_string())
}

fn found(rows: &[Value], change: impl Fn(&mut Tree, &mut Value)) -> Vec<String> {
    violations(source().temporary().path(), bundle(rows, change).temporary().path())
}

#[test]
fn a_whole_ledger_is_accepted() {
    assert_eq!(found(&rows(), |_, _| {}), Vec::<String>::new());
}

#[test]
fn every_missing_row_is_found() {
    let rows = rows();
    for left_out in 0..rows.len() {
        let mut fewer = rows.clone();
        let gone = fewer.remove(left_out);
        let found = found(&fewer, |_, _| {});
        assert!(!found.is_empty(), "nobody misses the row {gone}");
        let path = gone["path"].as_str().unwrap();
        assert!(found.iter().all(|sentence| sentence.contains(path)), "{gone}: {found:?}");
    }
}

#[test]
#[should_panic(expected = "has no row")]
fn a_missing_row_fails_the_test() {
    let bundle = bundle(&rows()[1..], |_, _| {});
    assert_conserved(source().temporary().path(), bundle.temporary().path());
}

#[test]
fn a_row_that_names_another_place_does_not_count() {
    let mut rows = rows();
    let place = rows.iter().position(|row| row["name"] == "Read`").unwrap();
    rows[place]["span"]["start"] = json!(0);
    rows[place]["span"]["end"] = json!(1);
    assert!(found(&rows, |_, _| {})[0].contains("skills/go/SKILL.md: `Read` at byte"));
}

#[test]
fn malformed_rows_are_found() {
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut rows = rows();
        change(&mut rows[0]);
        found(&rows, |_, _| {}).join("\n")
    };
    assert!(broken(&|row| row["outcome"] = json!("mapped")).contains("without a reason"));
    assert!(broken(&|row| row["to"] = json!("plugins/demo/nowhere")).contains("not in the bundle"));
    assert!(broken(&|row| row["id"] = json!("")).contains("empty or used twice"));
    let loss = |id: &str, class: &str| {
        let (id, class) = (id.to_owned(), class.to_owned());
        broken(&move |row| {
            row["outcome"] = json!("degraded");
            row["reason"] = json!("it is");
            row["loss"] = json!({"id": id, "class": class});
        })
    };
    assert_eq!(loss("tools/demo/skill/go/Read", "security"), "");
    assert!(loss("tools/demo/skill", "security").contains("is not `<axis>"));
    assert!(loss("tools/other/skill/go", "security").contains("another plugin"));
    assert!(loss("tools/demo/skill/go", "grave").contains("unknown class"));
}

#[test]
fn emitted_files_without_an_origin_are_found() {
    let add = |from: Option<&'static str>| {
        move |tree: &mut Tree, manifest: &mut Value| {
            *tree = tree.clone().file("plugins/demo/new", "x");
            let mut file =
                json!({"path": "plugins/demo/new", "mode": "0644", "size": 1, "sha256": digest(b"x")});
            if let Some(from) = from {
                file["from"] = json!(from);
            }
            manifest["files"].as_array_mut().unwrap().push(file);
        }
    };
    assert!(found(&rows(), add(None))[0].contains("has no `from`"));
    assert!(found(&rows(), add(Some("nowhere")))[0].contains("not in the source"));
    assert!(found(&rows(), add(Some(".mcp.json")))[0].contains("the source map does not say where"));
    let unlisted = |tree: &mut Tree, _: &mut Value| *tree = tree.clone().file("plugins/demo/new", "x");
    assert!(found(&rows(), unlisted)[0].contains("not in the manifest"));
    let changed = |tree: &mut Tree, _: &mut Value| *tree = tree.clone().file("plugins/demo/.mcp.json", "{}");
    assert!(found(&rows(), changed).iter().any(|sentence| sentence.contains("size or sha256 differ")));
}

#[test]
fn bytes_may_differ_only_inside_declared_edits() {
    let edited = |emitted: &str, start: usize| {
        let rows: Vec<Value> = rows()
            .into_iter()
            .map(|mut row| {
                if row["kind"] == "file" && row["path"] == ".gitignore" {
                    row["outcome"] = json!("mapped");
                    row["reason"] = json!("edited");
                }
                row
            })
            .collect();
        let bundle = bundle(&rows, |tree, manifest| {
            *tree = tree.clone().file("plugins/demo/.gitignore", emitted);
            for file in manifest["files"].as_array_mut().unwrap() {
                if file["from"] == ".gitignore" {
                    file["size"] = json!(emitted.len());
                    file["sha256"] = json!(digest(emitted.as_bytes()));
                }
            }
        });
        let edit = json!({"emitted": {"start": start, "end": start + 3}, "source": {"start": 1, "end": 6}});
        let map =
            json!({"files": [{"path": "plugins/demo/.gitignore", "from": ".gitignore", "edits": [edit]}]});
        let bundle = bundle.file(".plugcast/sourcemap.json", map.to_string());
        violations(source().temporary().path(), bundle.temporary().path())
    };
    assert_eq!(edited("/out\n", 1), Vec::<String>::new());
    assert!(edited("/out!\n", 1)[0].contains("outside the edits"));
    assert!(edited("/out\n", 0)[0].contains("outside the edits"));
}
