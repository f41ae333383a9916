//! 3: without `--allow-exec` no real host starts anything of a plugin: a server whose name seems qualified, hooks and
//! servers of which the ledger says nothing, a command in a body, a module that was changed.

use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::stage::installation;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;
use crate::support::with_true_digest;
use crate::untrusted::demo;

fn fixture(host: &str) -> TempDir {
    let folder = Tree::new().temporary();
    let mark = folder.path().join("started");
    let mark = mark.to_str().expect("UTF-8");
    let run = |name: &str| json!({ "command": "touch", "args": [format!("{mark}-{name}")] });
    let hook =
        |name: &str| json!([{ "hooks": [{ "type": "command", "command": format!("touch {mark}-{name}") }] }]);
    let servers = json!({ "mcpServers": { "demo:x": run("qualified"), "plain": run("plain") } });
    let hooks = json!({ "hooks": { "SessionStart": hook("session"), "UserPromptSubmit": hook("prompt"), "Stop": hook("stop") } });
    let body = format!(
        "---\nname: s\ndescription: Says it\nallowed-tools: Bash\n---\n\nSay !`touch {mark}-body` it.\n"
    );
    Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
        .file("in/skills/s/SKILL.md", "---\nname: s\ndescription: Says it\n---\n\nSay it.\n")
        .file("in/skills/t/SKILL.md", body.replace("name: s", "name: t"))
        .file(
            "in/commands/c.md",
            body.replace("name: s\n", "").replace("Bash\n", "Bash(*)\n").replace("-body", "-command"),
        )
        .file("in/.mcp.json", servers.to_string())
        .file("in/hooks/hooks.json", hooks.to_string())
        .write(folder.path());
    Plugcast::new(folder.path(), &["build", "in", "--to", host, "--out", "out"]).run().expect_code(0);
    folder
}

pub(super) fn verify(hosts: &Hosts, folder: &Path, host: &str, more: &[&str]) -> FinishedRun {
    let binary = format!("{host}={}", installation(hosts, host).binary.display());
    let ripgrep = format!("rg={}", hosts.ripgrep.join("rg").display());
    let arguments = ["verify", "out", "--all", "--host-bin", &binary, "--host-bin", &ripgrep];
    let arguments: Vec<&str> = arguments.iter().chain(more).copied().collect();
    Plugcast::new(folder, &arguments).run()
}

fn started(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("the folder is there").flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("started")).collect()
}

/// Changes a document of the bundle.
fn change(path: &Path, edit: impl Fn(&mut Value)) {
    let mut value: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("it is there")).expect("JSON");
    edit(&mut value);
    fs::write(path, value.to_string()).expect("it can be written");
}

/// The ledger says nothing of hooks and servers, and takes the other skill's file for the plain one.
fn forge_ledger(bundle: &Path) {
    change(&bundle.join(".plugcast/ledger.json"), |ledger| {
        let rows = ledger["rows"].as_array_mut().expect("rows");
        rows.retain(|row| row["kind"] != "hook" && row["kind"] != "mcp-server");
        for row in rows.iter_mut().filter(|row| row["kind"] == "skill" && row["name"] == "demo:t") {
            row["to"] = "plugins/demo/skills/s/SKILL.md".into();
        }
    });
}

/// The data of OpenCode's module names a command for a text that has none, and what the manifest says of it is true.
fn forge_commands(folder: &Path, host: &str) {
    let bundle = folder.join("out").join(host);
    let data = "plugins/demo/plugcast.plugin.json";
    if host != "opencode" {
        return;
    }
    let mark = folder.join("started");
    change(&bundle.join(data), |data| {
        data["bodies"]["demo:s"]["runs"] = json!([format!("!`touch {}-forged`", mark.display())]);
    });
    vouch(&bundle, data);
}

/// Someone who changes a file of a bundle can change what its manifest says of it.
fn vouch(bundle: &Path, file: &str) {
    let text = fs::read(bundle.join(file)).expect("it is there");
    let sha256: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    change(&bundle.join(".plugcast/manifest.json"), |manifest| {
        let files = manifest["files"].as_array_mut().expect("files");
        let entry = files.iter_mut().find(|entry| entry["path"] == file).expect("it is listed");
        entry["sha256"] = sha256.clone().into();
        entry["size"] = text.len().into();
        with_true_digest(manifest);
    });
}

fn nothing_starts(host: &str, hosts: &Hosts) {
    let folder = fixture(host);
    verify(hosts, folder.path(), host, &[]).expect_code(0);
    assert_eq!(started(folder.path()), Vec::<String>::new());
    forge_commands(folder.path(), host);
    verify(hosts, folder.path(), host, &[]);
    assert_eq!(started(folder.path()), Vec::<String>::new());
    forge_ledger(&folder.path().join("out").join(host));
    verify(hosts, folder.path(), host, &[]);
    assert_eq!(started(folder.path()), Vec::<String>::new());
}

#[test]
fn case_3_claude_code_starts_nothing_of_the_plugin() {
    nothing_starts("claude-code", &real_hosts!());
}

#[test]
fn case_3_codex_starts_nothing_of_the_plugin() {
    nothing_starts("codex", &real_hosts!());
}

#[test]
fn case_3_opencode_starts_nothing_of_the_plugin() {
    nothing_starts("opencode", &real_hosts!());
}

/// It would run as soon as somebody installs the bundle that was found to be right.
#[test]
fn case_3_a_server_that_no_ledger_lists_is_unexpected() {
    let hosts = real_hosts!();
    for host in ["claude-code", "codex", "opencode"] {
        let folder = fixture(host);
        change(&folder.path().join("out").join(host).join(".plugcast/ledger.json"), |ledger| {
            ledger["rows"].as_array_mut().expect("rows").retain(|row| row["kind"] != "mcp-server");
        });
        let finished = verify(&hosts, folder.path(), host, &[]).expect_code(1);
        for server in ["plain", "demo:x"] {
            let expected = |line: &str| line.contains("unexpected") && line.contains(server);
            assert!(finished.stdout.lines().any(expected), "{host}: {}", finished.stdout);
        }
        assert_eq!(started(folder.path()), Vec::<String>::new());
    }
}

/// `verify` failed such a plugin for ever, and took what its source does not show for right.
#[test]
fn case_3_a_plugin_that_is_off_at_first_is_verified() {
    let hosts = real_hosts!();
    let manifest = "{ \"name\": \"demo\", \"version\": \"1.0.0\", \"defaultEnabled\": false }\n";
    let folder = Tree::new()
        .file("in/.claude-plugin/plugin.json", manifest)
        .file("in/skills/s/SKILL.md", "---\nname: s\ndescription: Says it\n---\n\nSay it.\n")
        .temporary();
    let build = ["build", "in", "--to", "claude-code", "--out", "out"];
    Plugcast::new(folder.path(), &build).run().expect_code(0);
    let finished = verify(&hosts, folder.path(), "claude-code", &["--against", "in"]).expect_code(0);
    assert_eq!(finished.stdout.matches("pass: 1 skill listed").count(), 2, "{}", finished.stdout);
}

/// The source host refuses the source, and so lists nothing that a bundle could lack.
#[test]
fn case_3_a_source_that_its_host_refuses_proves_nothing() {
    let hosts = real_hosts!();
    let folder = demo().temporary();
    let build = ["build", "in", "--to", "claude-code", "--out", "out"];
    Plugcast::new(folder.path(), &build).run().expect_code(0);
    let manifest = folder.path().join("in/.claude-plugin/plugin.json");
    fs::write(&manifest, "{ \"name\": \"demo\", \"version\": 5 }").expect("it can be written");
    let told = verify(&hosts, folder.path(), "claude-code", &["--against", "in"]).expect_code(1).stdout;
    assert!(told.contains("fail: nothing listed"), "{told}");
    assert!(told.contains("loads nothing of the source, but the bundles carry parts of it"), "{told}");
}

/// Without a row for the plugin nobody would look at its files.
#[test]
fn case_3_a_ledger_without_the_plugin_proves_nothing() {
    let hosts = real_hosts!();
    for host in ["claude-code", "codex", "opencode"] {
        let folder = demo().temporary();
        Plugcast::new(folder.path(), &["build", "in", "--to", host, "--out", "out"]).run().expect_code(0);
        let ledger = folder.path().join("out").join(host).join(".plugcast/ledger.json");
        change(&ledger, |ledger| ledger["rows"] = json!([]));
        let finished = verify(&hosts, folder.path(), host, &[]).expect_code(2);
        let expected = "the manifest lists files of plugin `demo`, but the ledger has no row for it";
        assert!(finished.stderr.contains(expected), "{host}: {}", finished.stderr);
    }
}

/// Codex asked every server over HTTP how to log in, before it was told to leave them alone.
#[test]
fn case_3_no_host_asks_a_server_of_the_plugin() {
    let hosts = real_hosts!();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
    listener.set_nonblocking(true).expect("it can be asked without waiting");
    let url = format!("http://{}/delete?all=yes", listener.local_addr().expect("it is bound"));
    let server = |kind: &str| json!({ "type": kind, "url": url });
    let servers =
        json!({ "mcpServers": { "h": server("http"), "a b]\n": server("http"), "s": server("sse") } });
    let tree = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
        .file("in/skills/s/SKILL.md", "---\nname: s\ndescription: Says it\n---\n\nSay it.\n")
        .file("in/.mcp.json", servers.to_string());
    for host in ["claude-code", "codex", "opencode"] {
        let folder = tree.temporary();
        Plugcast::new(folder.path(), &["build", "in", "--to", host, "--out", "out"]).run();
        verify(&hosts, folder.path(), host, &[]).expect_code(0);
        let asked = listener.accept().map(|(_, from)| from);
        assert_eq!(asked.map_err(|error| error.kind()), Err(ErrorKind::WouldBlock), "{host}");
        // A server of which no file of the bundle says that it is one of the plugin's.
        if host == "codex" {
            let bundle = folder.path().join("out").join(host);
            let manifest = "plugins/demo/.codex-plugin/plugin.json";
            change(&bundle.join(manifest), |manifest| {
                manifest["mcpServers"] = json!({ "hidden": server("http") })
            });
            vouch(&bundle, manifest);
            verify(&hosts, folder.path(), host, &[]);
            let asked = listener.accept().map(|(_, from)| from);
            assert_eq!(asked.map_err(|error| error.kind()), Err(ErrorKind::WouldBlock), "{host}");
        }
    }
}

#[test]
fn case_3_a_changed_module_of_opencode_is_not_loaded() {
    let hosts = real_hosts!();
    for (file, expected) in [
        ("plugcast.plugin.js", "`plugcast.plugin.js` is not the module"),
        ("package.json", "`package.json` is not the module"),
    ] {
        let folder = fixture("opencode");
        let bundle = folder.path().join("out/opencode");
        let path = bundle.join("plugins/demo").join(file);
        let text = fs::read_to_string(&path).expect("it is there");
        let mark = folder.path().join("started");
        let changed = match file {
            "package.json" => text.replace("./plugcast.plugin.js", "./other.js"),
            _ => format!(
                "import {{ writeFileSync }} from \"node:fs\"\nwriteFileSync({:?}, \"\")\n{text}",
                mark.display().to_string()
            ),
        };
        assert_ne!(changed, text);
        fs::write(&path, &changed).expect("it can be written");
        vouch(&bundle, &format!("plugins/demo/{file}"));
        let finished = verify(&hosts, folder.path(), "opencode", &[]).expect_code(1);
        assert!(finished.stdout.contains(expected), "`{expected}` is missing in {}", finished.stdout);
        assert_eq!(started(folder.path()), Vec::<String>::new());
    }
}

#[test]
fn case_7_every_host_takes_keys_and_line_breaks_that_it_would_refuse() {
    let hosts = real_hosts!();
    every_host_lists(
        &hosts,
        &[
            ("separator", "description: Says\u{2028}it\n"),
            ("next-line", "description: Says\u{85}it\n"),
            ("quoted", "description: \"Says\u{2028}it\"\n"),
            ("block", "description: |\n  Says\u{2029}it\n"),
            ("comment", "# A\u{2028}comment\ndescription: Says it\n"),
            ("broken-key", "description: Says it\nk\u{85}: v\n"),
            ("nothing", "description: Says it\n: x\n"),
            ("mapping", "description: Says it\n{a: b}: x\n"),
            ("asked", "description: Says it\n? {a: b}\n: x\n"),
            ("list", "description: Says it\n[a, b]: x\n"),
            ("inner", "description: Says it\nmetadata:\n  : x\n"),
            ("control", "description: Says it\nlicense: a\u{1}b\n"),
        ],
    );
}

#[test]
fn case_13_every_host_takes_tags_and_documents_that_it_would_refuse() {
    let hosts = real_hosts!();
    every_host_lists(
        &hosts,
        &[
            ("document-keys", "description: Says it\n...\nlicense: MIT\n"),
            ("document-comment", "description: Says it\n... # it\nlicense: MIT\n"),
            ("document-end", "description: Says it\n...\n"),
            ("null", "description: !!null Says it\n"),
            ("int", "description: !!int Says it\n"),
            ("float", "description: !!float Says it\n"),
            ("binary", "description: !!binary Says it\n"),
            ("own", "description: !own Says it\n"),
            ("anchored", "description: &a !x Says it\n"),
            ("verbatim", "description: !<tag:yaml.org,2002:null> Says it\n"),
            ("str", "description: !!str 12\n"),
            ("foreign-timestamp", "description: Says it\nlicense: !!timestamp x\n"),
            ("foreign-map", "description: Says it\nlicense: !!map x\n"),
            ("nested", "description: Says it\nmetadata:\n  a: !!int x\n  b: [!own y]\n"),
            ("key", "description: Says it\n!!int license: MIT\n"),
        ],
    );
}

#[test]
fn case_13_every_host_takes_blanks_behind_marks_and_brackets_that_it_would_refuse() {
    let hosts = real_hosts!();
    let blanks = ["\u{c}", "\u{b}", "\u{a0}", "\u{feff}", "\u{2028}", "\u{3000}", "\t", " \u{c}\n\u{b}\n"];
    let mut texts = Vec::new();
    for (at, blank) in blanks.into_iter().enumerate() {
        let fields = |name: &str| format!("name: {name}\ndescription: Says it");
        let (open, close) = (format!("open-{at}"), format!("close-{at}"));
        texts.push((open.clone(), format!("---{blank}\n{}\n---\nSay it.\n", fields(&open))));
        texts.push((close.clone(), format!("---\n{}\n---{blank}\nSay it.\n", fields(&close))));
    }
    for (name, fields) in [
        ("lines", "{\n\"name\": \"lines\",\n\"description\": \"Says it\",\n\"license\": \"x\"\n}"),
        ("plain", "{name: plain,\ndescription: Says\nit, license: [a,\nb]}"),
        ("quoted", "{name: quoted, description: \"Says\nit\"}"),
        ("deeper", "  {name: deeper,\ndescription: Says it}  # it"),
        ("comment", "# It\n{name: comment,\n#x: y,\ndescription: Says it,\n}"),
        ("marked", "!x {name: marked,\ndescription: Says it}"),
    ] {
        texts.push((name.to_owned(), format!("---\n{fields}\n---\nSay it.\n")));
    }
    every_host_lists_texts(&hosts, &texts);
}

/// Builds a skill with each of these fields, and shows every host all of them.
#[track_caller]
fn every_host_lists(hosts: &Hosts, fields: &[(&str, &str)]) {
    let text = |(name, fields): &(&str, &str)| {
        ((*name).to_owned(), format!("---\nname: {name}\n{fields}---\n\nSay it.\n"))
    };
    every_host_lists_texts(hosts, &fields.iter().map(text).collect::<Vec<_>>());
}

/// Builds a skill of each of these texts, and shows every host all of them.
#[track_caller]
fn every_host_lists_texts(hosts: &Hosts, texts: &[(String, String)]) {
    let mut tree =
        Tree::new().file("in/.claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n");
    for (name, text) in texts {
        tree = tree.file(&format!("in/skills/{name}/SKILL.md"), text);
    }
    for host in ["claude-code", "codex", "opencode"] {
        let folder = tree.temporary();
        Plugcast::new(folder.path(), &["build", "in", "--to", host, "--out", "out"]).run().expect_code(0);
        let finished = verify(hosts, folder.path(), host, &["--format", "json"]);
        let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
        let plugin = &report["hosts"][0]["plugins"][0];
        assert_eq!(finished.code, Some(0), "{host}: {plugin:#}{}", finished.stderr);
        assert_eq!(plugin["observed"]["skills"].as_array().map(Vec::len), Some(texts.len()), "{host}");
    }
}
