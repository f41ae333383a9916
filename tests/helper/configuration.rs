//! `[runtime]` in `plugcast.toml`: mistakes with their place, whose keys win, and programs of a plugin's
//! own from inside and outside of the source.

use serde_json::{Value, json};

use super::{build, built, emitted, error, manifest, run, source};
use crate::conservation::assert_conserved;
use crate::support::helper::{platform, plugin};
use crate::support::tree::Tree;

#[test]
fn mistakes_are_named_with_their_place() {
    let here = platform();
    for (text, place, part, help) in [
        ("[runtime]\nhelper = 1\n".to_owned(), (2, 10), "invalid type", "helper, ship"),
        ("[runtime]\nhelp = true\n".to_owned(), (2, 1), "unknown field", "did you mean `helper`"),
        (
            "[runtime.bin.tool]\nlinux-sparc = \"x\"\n".to_owned(),
            (2, 1),
            "unknown platform `linux-sparc`",
            "linux-aarch64",
        ),
        (
            format!("[runtime.bin.tool]\n{here} = \"no/such\"\n"),
            (2, here.len() + 4),
            "the file `no/such` does not exist",
            "plugcast.toml",
        ),
        (
            format!("[runtime.bin.\"my tool\"]\n{here} = \"skills\"\n"),
            (1, 14),
            "program name `my tool`",
            "letters",
        ),
        (
            format!("[runtime.bin.Plugcast-Run]\n{here} = \"x\"\n"),
            (1, 14),
            "reserved for the helper",
            "letters",
        ),
    ] {
        let folder = source(&plugin("p").file("plugcast.toml", &text));
        let fault = error(build(folder.path(), &["--format", "json"]));
        assert_eq!(fault["code"], "config", "{text}: {fault}");
        assert!(fault["path"].as_str().is_some_and(|path| path.ends_with("src/plugcast.toml")), "{fault}");
        assert_eq!((&fault["line"], &fault["column"]), (&json!(place.0), &json!(place.1)), "{fault}");
        assert!(fault["message"].as_str().unwrap_or_default().contains(part), "{fault}");
        assert!(fault["help"].as_str().unwrap_or_default().contains(help), "{fault}");
        assert!(!folder.path().join("out").exists());
    }
}

/// Everything of a tree below a folder.
fn below(folder: &str, tree: &Tree) -> Tree {
    tree.entries().fold(Tree::new(), |out, (path, entry)| out.file(&format!("{folder}/{path}"), entry.text()))
}

#[test]
fn the_keys_of_a_plugin_win() {
    let shared = format!(
        "[build]\nmarketplace = \"all\"\n[runtime]\nhelper = true\n[runtime.bin.tool]\n{} = \"shared.sh\"\n",
        platform()
    );
    let own = format!("[runtime]\nhelper = false\n[runtime.bin.tool]\n{} = \"own.sh\"\n", platform());
    let tree = below("a", &plugin("a").file("plugcast.toml", ""))
        .and(below("b", &plugin("b").file("plugcast.toml", own).file("own.sh", "#!/bin/sh\necho own\n")))
        .and(below("c", &plugin("c").file("plugcast.toml", "[runtime]\nship = false\n")))
        .file("plugcast.toml", shared)
        .file("shared.sh", "#!/bin/sh\necho shared\n");
    let folder = built(&tree, &[]);
    for (name, launcher, ships, says) in
        [("a", true, true, "shared\n"), ("b", false, false, "own\n"), ("c", true, false, "shared\n")]
    {
        let bin = emitted(folder.path(), name).join("bin");
        assert_eq!(bin.join("plugcast-run").is_file(), launcher, "{name}");
        assert_eq!(bin.join(platform()).join("plugcast-run").is_file(), ships, "{name}");
        assert_eq!(run(&bin.join("tool"), &[]).expect_code(0).stdout, says, "{name}");
    }
}

#[test]
fn a_program_is_shipped_once_from_wherever_it_lies() {
    let here = platform();
    let config = format!(
        "[runtime.bin.near]\n{here} = \"tools/near.sh\"\n[runtime.bin.far]\n{here} = \"far from it/far away.sh\"\n[runtime.bin.placed]\n{here} = \"bin/{here}/placed\"\n"
    );
    let script = |word: &str| format!("#!/bin/sh\necho {word}\n");
    let tree = plugin("p")
        .file("plugcast.toml", config)
        .file("tools/near.sh", script("near"))
        .file("tools/notes.md", "Beside it.\n")
        .file("far from it/far away.sh", script("far"))
        .script(&format!("bin/{here}/placed"), script("placed"));
    let folder = source(&tree);
    build(folder.path(), &[]).expect_code(0);
    let root = emitted(folder.path(), "p");
    for name in ["near", "far", "placed"] {
        assert_eq!(run(&root.join("bin").join(name), &[]).expect_code(0).stdout, format!("{name}\n"));
    }
    assert!(!root.join("tools/near.sh").exists() && root.join("tools/notes.md").is_file());
    let manifest = manifest(folder.path());
    let helpers: Vec<&Value> = manifest["helpers"].as_array().into_iter().flatten().collect();
    assert_eq!(helpers.len(), 3);
    assert!(helpers.iter().all(|helper| helper.get("version").is_none()), "{helpers:?}");
    let files = manifest["files"].as_array().into_iter().flatten();
    assert!(files.clone().all(|file| !file["path"].as_str().unwrap_or_default().contains(&here)));
    assert_conserved(&folder.path().join("src"), &folder.path().join("out/codex"));
}

#[test]
fn a_file_of_the_plugin_in_the_way_is_an_error() {
    for path in
        ["bin/plugcast-run", "bin/Plugcast-Run.cmd", "bin/plugcast-run/notes.txt", "bin", "bin/linux-x86_64"]
    {
        let folder = source(&plugin("p").file(path, "mine\n"));
        let finished = build(folder.path(), &["--format", "json"]).expect_code(1);
        let answer: Value = serde_json::from_str(&finished.stdout).unwrap();
        let found = &answer["diagnostics"][0];
        assert_eq!((&found["rule"], &found["path"]), (&json!("generated-name"), &json!(path)), "{answer}");
        assert!(found["help"].as_str().unwrap_or_default().contains("rename"), "{found}");
        let launcher = emitted(folder.path(), "p").join("bin/plugcast-run");
        run(&launcher, &["--version"]).expect_code(0);
    }
}
