//! `plugcast verify` on built bundles: it passes when the real host shows exactly the names of the
//! source, leaves its proof, and fails with names when the bundle was damaged.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::stage::{DEMO, OWN, Stage, bundles, installation};
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::root;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

const HOSTS: [&str; 3] = ["claude-code", "codex", "opencode"];
/// What the fixture holds, by hand.
const SKILLS: [&str; 6] =
    ["demo:greet", "demo:house-style", "demo:measure", "demo:publish", "demo:standup", "demo:tally"];
const AGENTS: [&str; 1] = ["demo:review:checker"];
const COMMANDS: [&str; 1] = ["demo:team:audit"];

pub(super) fn verify(hosts: &Hosts, folder: &Path, more: &[&str]) -> FinishedRun {
    let mut arguments = vec!["verify".to_owned(), folder.display().to_string()];
    for host in HOSTS {
        let binary = installation(hosts, host).binary;
        arguments.extend(["--host-bin".to_owned(), format!("{host}={}", binary.display())]);
    }
    let ripgrep = hosts.ripgrep.join("rg");
    arguments.extend(["--host-bin".to_owned(), format!("rg={}", ripgrep.display())]);
    arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    Plugcast::new(root(), &arguments).run()
}

/// Reads a document and checks it against its schema.
fn document(text: &str, schema: &str) -> Value {
    let path = root().join("schemas").join(schema);
    let known: Value =
        serde_json::from_str(&fs::read_to_string(&path).expect("the schema is there")).expect("JSON");
    let document: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let validator = jsonschema::validator_for(&known).expect("a schema");
    if let Err(error) = validator.validate(&document) {
        panic!("{schema}: {error}\n{document:#}");
    }
    document
}

/// A copy of the bundles of a source, or of one host's.
fn copy(source: &str, host: &str) -> TempDir {
    let folder = Tree::new().temporary();
    Tree::read(&bundles(source).join(host)).write(folder.path());
    folder
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A whole bundle passes and gets its proof.
fn passes(hosts: &Hosts, host: &str, bundle: &Path) {
    let finished = verify(hosts, bundle, &["--all", "--allow-exec", "--format", "json"]).expect_code(0);
    let shown = document(&finished.stdout, "verify.json");
    let shown = &shown["hosts"][0];
    assert_eq!((&shown["host"], &shown["result"]), (&json!(host), &json!("pass")));
    let bodies = SKILLS.len() + COMMANDS.len();
    assert_eq!((&shown["invoked"], &shown["total"]), (&json!(bodies), &json!(bodies)), "{shown:#}");
    let names = json!({
        "skills": SKILLS, "agents": AGENTS, "commands": COMMANDS, "hooks": [], "mcp_servers": [],
    });
    let plugin = &shown["plugins"][0];
    assert_eq!((&plugin["expected"], &plugin["observed"]), (&names, &names));
    assert_eq!(plugin["method"], json!({ "skills": "listed", "agents": "listed", "commands": "listed" }));

    let read =
        |name: &str| fs::read_to_string(bundle.join(".plugcast").join(name)).expect("the file is there");
    let proof = document(&read("verified.json"), "verified.json");
    let manifest: Value = serde_json::from_str(&read("manifest.json")).expect("the manifest is JSON");
    assert_eq!(proof["schema"], "plugcast.verified/1");
    assert_eq!((&proof["digest"], &proof["host"]), (&manifest["digest"], &json!(host)));
    assert_eq!((&proof["version"], &proof["plugins"]), (&shown["version"], &shown["plugins"]));
}

/// One skill is removed, the frontmatter of one is broken, and one is added: the host does not show the first, complains of
/// the second (Claude Code lists it without its fields) and shows the third, and the proof goes.
fn fails_when_damaged(hosts: &Hosts, bundle: &Path, (missing, added): (&[&str], &str), complaint: &str) {
    let skills = bundle.join("plugins/demo/skills");
    fs::remove_dir_all(skills.join("measure")).expect("the skill is there");
    fs::write(skills.join("tally/SKILL.md"), "---\nname: tally\ndescription: \"open\n---\n\n# Tally\n")
        .expect("the skill is there");
    let stranger = "---\nname: stranger\ndescription: Came aboard later\n---\n\n# Stranger\n";
    Tree::new().file("stranger/SKILL.md", stranger).write(&skills);

    // With leave only: without it, no host is started with what the manifest does not list.
    let finished = verify(hosts, bundle, &["--allow-exec", "--format", "json"]).expect_code(1);
    let shown = document(&finished.stdout, "verify.json");
    let plugin = &shown["hosts"][0]["plugins"][0];
    assert_eq!(shown["hosts"][0]["result"], "fail");
    assert_eq!(strings(&plugin["missing"]), missing, "{plugin:#}");
    assert_eq!(strings(&plugin["unexpected"]), [added], "{plugin:#}");
    let errors = strings(&plugin["errors"]);
    for sentence in [complaint, "`plugins/demo/skills/measure/SKILL.md` does not match the manifest"] {
        assert!(
            errors.iter().any(|error| error.contains(sentence)),
            "`{sentence}` is missing in {errors:#?}"
        );
    }
    assert!(!bundle.join(".plugcast/verified.json").exists(), "the proof of the whole bundle is left");
}

#[test]
fn claude_code_shows_the_bundle_until_it_is_damaged() {
    let hosts = real_hosts!();
    let bundle = copy(DEMO, "claude-code");
    passes(&hosts, "claude-code", bundle.path());
    let complaint = "plugins/demo/skills/tally/SKILL.md: frontmatter: YAML frontmatter failed to parse";
    fails_when_damaged(&hosts, bundle.path(), (&["demo:measure"], "demo:stranger"), complaint);
}

#[test]
fn codex_shows_the_bundle_until_it_is_damaged() {
    let hosts = real_hosts!();
    let bundle = copy(DEMO, "codex");
    passes(&hosts, "codex", bundle.path());
    let complaint = "plugins/demo/skills/tally/SKILL.md: invalid YAML: found unexpected end of stream";
    fails_when_damaged(&hosts, bundle.path(), (&["demo:measure", "demo:tally"], "demo:stranger"), complaint);
}

#[test]
fn opencode_shows_the_bundle_until_it_is_damaged() {
    let hosts = real_hosts!();
    let bundle = copy(DEMO, "opencode");
    passes(&hosts, "opencode", bundle.path());
    // The host says nothing of a skill that it cannot read: it is missing, that is all.
    let complaint = "`plugins/demo/skills/tally/SKILL.md` does not match the manifest";
    fails_when_damaged(&hosts, bundle.path(), (&["demo:measure", "demo:tally"], "stranger"), complaint);
}

#[test]
fn what_opencode_refuses_is_said_in_its_words() {
    let hosts = real_hosts!();
    let bundle = copy(DEMO, "opencode");
    let path = bundle.path().join("plugins/demo/plugcast.plugin.json");
    let text = fs::read_to_string(&path).expect("the module has its data");
    let mut data: Value = serde_json::from_str(&text).expect("the data is JSON");
    data["agents"]["demo:review:checker"]["mode"] = json!("worker");
    fs::write(&path, data.to_string()).expect("the data can be written");
    let finished = verify(&hosts, bundle.path(), &["--allow-exec"]).expect_code(1);
    for sentence in ["missing agent `demo:review:checker`", "`GET /agent` of `opencode serve`: HTTP 400"] {
        assert!(finished.stdout.contains(sentence), "`{sentence}` is missing in {}", finished.stdout);
    }
}

/// What each plugin of this repository holds, from the names of its source files.
fn own_plugins() -> Value {
    let named = |plugin: &str, below: &Tree, end: &str| -> Vec<String> {
        let names = below.entries().filter_map(|(path, _)| path.strip_suffix(end));
        let mut names: Vec<String> =
            names.map(|name| format!("{plugin}:{}", name.replace('/', ":"))).collect();
        names.sort();
        names
    };
    let source = Tree::read(&root().join(OWN));
    let plugins = source.top().into_iter().map(|plugin| {
        let tree = source.below(&plugin);
        let skills = named(&plugin, &tree.below("skills"), "/SKILL.md");
        let agents = named(&plugin, &tree.below("agents"), ".md");
        let commands = named(&plugin, &tree.below("commands"), ".md");
        assert!(!skills.is_empty(), "`{plugin}` has no skill");
        json!({ "name": plugin, "skills": skills, "agents": agents, "commands": commands })
    });
    plugins.collect()
}

#[test]
fn every_host_shows_the_plugins_of_this_repository() {
    let hosts = real_hosts!();
    let folder = Tree::new().temporary();
    for host in HOSTS {
        Tree::read(&bundles(OWN).join(host)).write(&folder.path().join(host));
    }
    let finished = verify(&hosts, folder.path(), &["--allow-exec", "--format", "json"]).expect_code(0);
    let shown = document(&finished.stdout, "verify.json");
    let listed: Vec<&Value> =
        shown["hosts"].as_array().into_iter().flatten().map(|host| &host["host"]).collect();
    assert_eq!(listed, HOSTS);
    for host in shown["hosts"].as_array().into_iter().flatten() {
        let plugins = host["plugins"].as_array().into_iter().flatten();
        let observed: Value = plugins
            .map(|plugin| {
                let of = |kind: &str| plugin["observed"][kind].clone();
                json!({ "name": plugin["name"], "skills": of("skills"), "agents": of("agents"), "commands": of("commands") })
            })
            .collect();
        assert_eq!(observed, own_plugins(), "{}", host["host"]);
    }
}

#[test]
fn a_source_is_shown_and_stays_as_it_is() {
    let hosts = real_hosts!();
    let source = Tree::read(&root().join(DEMO));
    let folder = source.temporary();
    let finished = verify(&hosts, folder.path(), &["--to", "codex", "--format", "json"]).expect_code(0);
    let shown = document(&finished.stdout, "verify.json");
    assert_eq!(shown["hosts"].as_array().map(Vec::len), Some(1));
    assert_eq!(strings(&shown["hosts"][0]["plugins"][0]["observed"]["skills"]), SKILLS);
    assert_eq!(Tree::read(folder.path()), source);
}

/// The source host loads nothing of a plugin without its dependencies, and once nothing of it was found.
#[test]
fn a_dependency_that_is_not_there_keeps_nothing_from_its_proof() {
    let hosts = real_hosts!();
    let manifest =
        "{\"name\": \"demo\", \"dependencies\": [\"kit\", {\"name\": \"far\", \"version\": \"^2.0.0\"}]}";
    let folder = Tree::new()
        .file("src/.claude-plugin/plugin.json", manifest)
        .file("src/commands/go.md", "---\ndescription: Goes.\n---\nGo.\n")
        .temporary();
    let build = ["build", "src", "--to", "claude-code", "--out", "out"];
    Plugcast::new(folder.path(), &build).run().expect_code(0);
    let source = folder.path().join("src");
    let against = ["--against", source.to_str().expect("UTF-8")];
    let finished = verify(&hosts, &folder.path().join("out/claude-code"), &against).expect_code(0);
    let note = "dependencies `far`, `kit`: empty plugins stand in for them";
    assert_eq!(finished.stdout.matches(note).count(), 2, "{}", finished.stdout);
}

#[test]
fn a_host_without_a_driver_cannot_be_shown_anything() {
    let hosts = real_hosts!();
    let targets = Tree::new().temporary();
    let file = root().join("targets/codex/target.toml");
    let target = fs::read_to_string(file).expect("the target is there");
    let target = target.replacen("Codex", "Mars", 2);
    Tree::new().file("mars/target.toml", target).write(targets.path());
    let (dist, targets) = (targets.path().join("dist"), targets.path().to_str().expect("UTF-8"));
    let out = dist.to_str().expect("UTF-8");
    let build = ["build", DEMO, "--to", "mars", "--targets-dir", targets, "--out", out];
    Plugcast::new(root(), &build).run().expect_code(0);
    let finished = verify(&hosts, &dist.join("mars"), &[]).expect_code(2);
    assert!(finished.stderr.contains("no driver for host `mars`"), "{}", finished.stderr);
    let finished = verify(&hosts, &dist.join("mars"), &["--format", "json"]).expect_code(2);
    let error = document(&finished.stdout, "error.json");
    assert_eq!(error["error"]["message"], "no driver for host `mars`");
}

#[test]
fn a_missing_binary_is_said_with_the_way_to_get_it() {
    let _hosts = real_hosts!();
    let bundle = copy(DEMO, "codex");
    let folder = bundle.path().to_str().expect("UTF-8");
    let run = |more: &[&str]| {
        let arguments: Vec<&str> = ["verify", folder].iter().chain(more).copied().collect();
        Plugcast::new(root(), &arguments).env("PATH", "/nowhere").run().expect_code(2)
    };
    let help = "pass its path with `--host-bin codex=PATH`";
    let stderr_text = run(&[]).stderr;
    assert!(stderr_text.contains("host `codex` not found") && stderr_text.contains(help), "{stderr_text}");
    let error = document(&run(&["--format", "json"]).stdout, "error.json");
    assert!(
        error["error"]["help"].as_str().is_some_and(|stderr_text| stderr_text.contains(help)),
        "{error:#}"
    );
    let stderr_text = run(&["--host-bin", "codex=/nowhere/codex"]).stderr;
    assert!(stderr_text.contains("`/nowhere/codex` is not an executable file"), "{stderr_text}");
    assert!(!bundle.path().join(".plugcast/verified.json").exists());
}

/// All of a run once ended before it began.
#[test]
fn a_missing_host_keeps_no_other_from_its_proof() {
    let hosts = real_hosts!();
    let folder = Tree::new().temporary();
    for host in ["codex", "opencode"] {
        Tree::read(&bundles(DEMO).join(host)).write(&folder.path().join(host));
    }
    let binary = format!("opencode={}", installation(&hosts, "opencode").binary.display());
    let ripgrep = format!("rg={}", hosts.ripgrep.join("rg").display());
    let path = folder.path().to_str().expect("UTF-8");
    let arguments = ["verify", path, "--format", "json", "--host-bin", &binary, "--host-bin", &ripgrep];
    let finished = Plugcast::new(root(), &arguments).env("PATH", "/usr/bin:/bin").run().expect_code(1);
    let answer = document(&finished.stdout, "verify.json");
    assert_eq!(
        (&answer["hosts"][0]["host"], &answer["hosts"][0]["result"]),
        (&json!("opencode"), &json!("pass"))
    );
    assert_eq!(answer["absent"][0]["host"], "codex", "{answer:#}");
    let proof = |host: &str| folder.path().join(host).join(".plugcast/verified.json").exists();
    assert!(proof("opencode") && !proof("codex"));
}

#[test]
fn doctor_finds_the_pinned_hosts_in_their_versions() {
    let hosts = real_hosts!();
    let mut arguments = vec!["doctor".to_owned(), "--format".to_owned(), "json".to_owned()];
    for host in HOSTS {
        let binary = installation(&hosts, host).binary;
        arguments.extend(["--host-bin".to_owned(), format!("{host}={}", binary.display())]);
    }
    arguments.extend(["--host-bin".to_owned(), format!("rg={}", hosts.ripgrep.join("rg").display())]);
    let finished = Plugcast::new(root(), &arguments).run().expect_code(0);
    let answer = document(&finished.stdout, "doctor.json");
    for (at, host) in HOSTS.iter().enumerate() {
        assert_eq!(answer["hosts"][at]["host"], *host);
        assert_eq!(answer["hosts"][at]["state"], "pinned");
    }
}

/// Hooks, a server and commands that only the marketplace's entry declares are shown by every host; a
/// hook of an event that no host has is lost, and said to be.
#[test]
fn what_only_a_marketplace_declares_is_shown_by_every_host() {
    let hosts = real_hosts!();
    let folder = bundles("tests/cases/marketplace-entry/in");
    let finished = verify(&hosts, &folder, &["--all", "--format", "json"]).expect_code(0);
    let shown = document(&finished.stdout, "verify.json");
    for host in shown["hosts"].as_array().expect("a list") {
        assert_eq!(host["result"], "pass", "{host:#}");
        let (bare, own) = (&host["plugins"][0]["expected"], &host["plugins"][1]["expected"]);
        assert_eq!(strings(&bare["commands"]), ["bare:go", "bare:wait"], "{host:#}");
        assert!(strings(&bare["mcp_servers"])[0].ends_with("notes"), "{host:#}");
        assert_eq!(strings(&bare["hooks"]), ["PreToolUse/Bash/1"], "{host:#}");
        assert_eq!(strings(&own["hooks"]), ["Stop/*/1"], "{host:#}");
        assert!(strings(&own["mcp_servers"])[0].ends_with("kept"), "{host:#}");
    }
}

/// A component that a `plugcast.toml` renames for one host has the new name there and the old one elsewhere.
#[test]
fn a_name_that_is_told_to_one_host_is_the_one_it_shows() {
    let hosts = real_hosts!();
    let folder = bundles("tests/cases/per-host/in");
    let finished = verify(&hosts, &folder, &["--all", "--format", "json"]).expect_code(0);
    let shown = document(&finished.stdout, "verify.json");
    let told = [
        ("claude-code", ["kit:draft", "kit:look"], ["kit:deep:judge", "kit:scout"], "kit:start"),
        ("codex", ["kit:draft", "kit:look"], ["kit:deep:judge", "kit:scout"], "kit:go"),
        ("opencode", ["kit:draft", "kit:look"], ["kit:deep:checker", "kit:scout"], "kit:start"),
    ];
    for (host, (name, skills, agents, command)) in shown["hosts"].as_array().expect("a list").iter().zip(told)
    {
        assert_eq!((&host["host"], &host["result"]), (&name.into(), &"pass".into()), "{host:#}");
        let expected = &host["plugins"][0]["expected"];
        assert_eq!(strings(&expected["skills"]), skills, "{host:#}");
        assert_eq!(strings(&expected["agents"]), agents, "{host:#}");
        assert_eq!(strings(&expected["commands"]), [command], "{host:#}");
    }
}

/// Names that no file can have are shown as the source host shows them; users of Codex cannot type some of a command.
#[test]
fn names_that_no_file_has_are_shown_by_every_host() {
    let hosts = real_hosts!();
    let folder = bundles("tests/cases/odd-names/in");
    let finished = verify(&hosts, &folder, &["--all", "--format", "json"]).expect_code(0);
    let shown = document(&finished.stdout, "verify.json");
    let agents = [".templates:block", "UI-UX-Designer", "UI/UX Designer", "con", "ui/ux designer"]
        .map(|name| format!("odd:{name}"));
    for host in shown["hosts"].as_array().expect("a list") {
        let observed = &host["plugins"][0]["observed"];
        assert_eq!(strings(&observed["agents"]), agents, "{host:#}");
        let commands = match host["host"].as_str() {
            Some("codex") => ["odd:CI-CD-2", "odd:a-b", "odd:ci-cd"],
            _ => ["odd:CI/CD", "odd:a?b", "odd:ci-cd"],
        };
        assert_eq!(strings(&observed["commands"]), commands, "{host:#}");
    }
}

/// A command of OpenCode may name an agent, which the model is asked in before the session goes on.
#[test]
fn a_command_with_an_agent_is_compared_there() {
    let hosts = real_hosts!();
    let command = |text: &str| format!("---\ndescription: Does it.\n---\n{text} of the kit.\n");
    let told =
        |name: &str, what: &str| format!("[targets.opencode.frontmatter.\"command/{name}\"]\n{what}\n");
    let settings = told("plan-it", "agent = \"plan\"\nsubtask = true")
        + &told("fork-it", "subtask = true")
        + &told("turn-to", "agent = \"plan\"");
    let source = Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"kit\", \"version\": \"1.0.0\" }\n")
        .file("plugcast.toml", settings)
        .file("commands/plan-it.md", command("The plan"))
        .file("commands/fork-it.md", command("The fork"))
        .file("commands/turn-to.md", command("The turn"));
    let stage = Stage::of_source(&hosts, "opencode", &source);
    let finished = verify(&hosts, &stage.bundle, &["--all", "--format", "json"]).expect_code(0);
    let shown = document(&finished.stdout, "verify.json");
    assert_eq!((&shown["hosts"][0]["invoked"], &shown["hosts"][0]["total"]), (&json!(3), &json!(3)));
}
