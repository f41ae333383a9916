//! The source host on the unmodified source: what it lists is in every bundle, or a loss with a class; and what is
//! missing is named with the reason.

use std::fs;
use std::path::Path;

use plugcast::diagnostic::HostId;
use plugcast::drivers;
use plugcast::drivers::observation::ObservationScope;
use plugcast::drivers::source::{self, ComparisonSource, HostRenames};
use plugcast::ledger::ComponentKind;
use serde_json::{Value, json};

use super::stage::installation;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::root;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

/// The host that sources are written for.
pub(super) const SOURCE_HOST: &str = "claude-code";

pub(super) fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\n\nDo {name}.\n")
}

/// A plugin with one component of each kind that hosts list.
pub(super) fn kit() -> Tree {
    Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"kit\", \"version\": \"1.0.0\" }\n")
        .file("skills/plan/SKILL.md", skill("plan"))
        .file("commands/team/go.md", "---\ndescription: Goes.\n---\n\nGo.\n")
        .file("agents/review/judge.md", "---\nname: judge\ndescription: Judges.\n---\n\nJudge.\n")
        .file("hooks/hooks.json", "{ \"hooks\": { \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] }] } }\n")
        .file(".mcp.json", "{ \"mcpServers\": { \"notes\": { \"command\": \"true\" } } }\n")
}

pub(super) fn build(folder: &Path, options: &[&str]) {
    let all = [&["build"], options].concat();
    Plugcast::new(folder, &all).run().expect_code(0);
}

/// `verify` with the binaries of the source host and of Codex.
pub(super) fn verify(hosts: &Hosts, folder: &Path, options: &[&str]) -> FinishedRun {
    let mut arguments: Vec<String> =
        std::iter::once("verify").chain(options.iter().copied()).map(str::to_owned).collect();
    for host in [SOURCE_HOST, "codex"] {
        let binary = installation(hosts, host).binary;
        arguments.extend(["--host-bin".to_owned(), format!("{host}={}", binary.display())]);
    }
    Plugcast::new(folder, &arguments).run()
}

pub(super) fn answer(finished: &FinishedRun) -> Value {
    let document: Value = serde_json::from_str(&finished.stdout).expect("`--format json` prints JSON");
    let schema = fs::read_to_string(root().join("schemas/verify.json")).expect("the schema is there");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    if let Err(error) = validator.validate(&document) {
        panic!("{error}\n{document:#}");
    }
    document
}

#[test]
fn a_bundle_is_compared_with_the_source_around_it() {
    let hosts = real_hosts!();
    let folder = kit().temporary();
    build(folder.path(), &["--to", "codex"]);
    let source = Tree::read(folder.path());
    let finished = verify(&hosts, folder.path(), &["dist", "--format", "json"]).expect_code(0);
    let shown = &answer(&finished)["source"];
    assert_eq!((&shown["host"], &shown["result"]), (&json!(SOURCE_HOST), &json!("pass")), "{shown:#}");
    let listed = json!({
        "skills": ["kit:plan"], "agents": ["kit:review:judge"], "commands": ["kit:team:go"],
        "hooks": ["Stop/*/1"], "mcp_servers": ["notes"],
    });
    assert_eq!(shown["plugins"], json!([{ "name": "kit", "listed": listed, "refused": [] }]));
    assert_eq!(shown["bundles"], json!([{ "host": "codex", "missing": [], "unlisted": [] }]));
    // The host left nothing in the source, and the proof is in the bundle.
    let proof = folder.path().join("dist/codex/.plugcast/verified.json");
    fs::remove_file(proof).expect("a proof");
    assert_eq!(Tree::read(folder.path()), source);

    fs::write(folder.path().join("skills/plan/SKILL.md"), skill("plan") + "More.\n").expect("a file");
    let finished = verify(&hosts, folder.path(), &["dist"]).expect_code(0);
    assert!(finished.stdout.contains("is not what the bundle was built from"), "{}", finished.stdout);
    let finished = verify(&hosts, folder.path(), &["dist", "--against", "."]).expect_code(0);
    let sentence = ["pass: 1 skill, 1 agent, 1 command, 1 hook, 1 server listed", "has changed since"];
    assert!(sentence.iter().all(|sentence| finished.stdout.contains(sentence)), "{}", finished.stdout);
}

#[test]
fn what_a_bundle_lacks_is_named_with_the_reason() {
    let hosts = real_hosts!();
    let folder = kit().temporary();
    build(folder.path(), &["--to", "codex"]);
    let path = folder.path().join("dist/codex/.plugcast/ledger.json");
    let mut ledger: Value =
        serde_json::from_str(&fs::read_to_string(&path).expect("a ledger")).expect("JSON");
    // As if nothing had read the agent, and the hook had been dropped without a class.
    let rows = ledger["rows"].as_array_mut().expect("rows");
    rows.retain(|row| row["kind"] != "agent");
    for row in rows.iter_mut().filter(|row| row["kind"] == "hook") {
        row["outcome"] = json!("dropped");
        row["reason"] = json!("no room");
        row.as_object_mut().expect("a row").remove("loss");
    }
    fs::write(&path, ledger.to_string()).expect("a file");
    let finished = verify(&hosts, folder.path(), &["dist", "--format", "json"]).expect_code(1);
    let missing = &answer(&finished)["source"]["bundles"][0]["missing"];
    let sentence: Vec<(&str, &str, &str)> = missing
        .as_array()
        .expect("a list")
        .iter()
        .map(|missing| {
            let text = |key: &str| missing[key].as_str().expect("a text");
            (text("kind"), text("name"), text("reason"))
        })
        .collect();
    assert_eq!(sentence[0].0, "agent");
    assert!(sentence[0].2.starts_with("`agents/review/judge.md`: "), "{sentence:?}");
    assert_eq!(sentence[1], ("hook", "Stop/*/1", "it is dropped without a loss class: no room"));
    let proof = folder.path().join("dist/codex/.plugcast/verified.json");
    assert!(!proof.exists(), "a bundle that lacks something has a proof");
    let finished = verify(&hosts, folder.path(), &["dist"]).expect_code(1);
    assert!(finished.stdout.contains("codex: `kit` lacks the agent `review:judge`"), "{}", finished.stdout);
}

#[test]
fn what_a_bundle_has_and_the_source_host_does_not_list_is_named() {
    let hosts = real_hosts!();
    let folder = kit().temporary();
    build(folder.path(), &["--to", "codex"]);
    let path = folder.path().join("dist/codex/.plugcast/ledger.json");
    let mut ledger: Value =
        serde_json::from_str(&fs::read_to_string(&path).expect("a ledger")).expect("JSON");
    // As if a file that the host does not read had been taken for a command.
    let rows = ledger["rows"].as_array_mut().expect("rows");
    let row = rows.iter().find(|row| row["kind"] == "command").expect("a row").clone();
    let mut more = row.as_object().expect("a row").clone();
    more.insert("id".to_owned(), json!("kit:commands/alias.md"));
    more.insert("name".to_owned(), json!("kit:alias"));
    more.insert("path".to_owned(), json!("commands/alias.md"));
    rows.push(more.into());
    fs::write(&path, ledger.to_string()).expect("a file");
    let finished = verify(&hosts, folder.path(), &["dist", "--format", "json"]).expect_code(1);
    let unlisted = &answer(&finished)["source"]["bundles"][0]["unlisted"];
    let expected =
        json!([{ "plugin": "kit", "kind": "command", "name": "alias", "path": "commands/alias.md" }]);
    assert_eq!(*unlisted, expected);
    let finished = verify(&hosts, folder.path(), &["dist"]).expect_code(1);
    let sentence =
        "codex: `kit` has the command `alias` (`commands/alias.md`), which claude-code does not list";
    assert!(finished.stdout.contains(sentence), "{}", finished.stdout);
}

/// The plugins of a marketplace are enabled by settings, and what only the marketplace declares is listed.
#[test]
fn every_plugin_of_a_marketplace_is_listed_in_one_start() {
    let hosts = real_hosts!();
    let folder = Tree::read(&root().join("tests/cases/marketplace-entry/in")).temporary();
    let finished = verify(&hosts, folder.path(), &[".", "--to", "codex", "--format", "json"]);
    let shown = answer(&finished);
    let plugins = shown["source"]["plugins"].as_array().expect("a list").clone();
    let listed = |name: &str| {
        let plugin = plugins.iter().find(|plugin| plugin["name"] == name).expect(name);
        assert_eq!(plugin["refused"], json!([]), "{plugin:#}");
        plugin["listed"].clone()
    };
    assert_eq!(listed("bare")["hooks"], json!(["PreToolUse/Bash/1"]));
    assert_eq!(listed("bare")["mcp_servers"], json!(["notes"]));
    assert_eq!(shown["source"]["result"], "pass", "{:#}", shown["source"]["bundles"]);
}

/// A marketplace file that is broken or lists nothing hides nothing of the plugin that is beside it.
#[test]
fn a_plugin_beside_a_marketplace_that_lists_nothing_is_compared() {
    let hosts = real_hosts!();
    for marketplace in
        ["{ \"name\": \"kits\", ", "{ \"name\": \"kits\", \"owner\": { \"name\": \"K\" }, \"plugins\": [] }"]
    {
        let folder = kit().file(".claude-plugin/marketplace.json", marketplace).temporary();
        build(folder.path(), &["--to", "codex"]);
        let finished = verify(&hosts, folder.path(), &["dist", "--against", "."]).expect_code(0);
        let sentence = "pass: 1 skill, 1 agent, 1 command, 1 hook, 1 server listed";
        assert!(finished.stdout.contains(sentence), "{marketplace}: {}", finished.stdout);
    }
}

#[test]
fn without_the_source_host_a_bundle_is_verified_alone() {
    let hosts = real_hosts!();
    let folder = kit().temporary();
    build(folder.path(), &["--to", "codex"]);
    let codex = format!("codex={}", installation(&hosts, "codex").binary.display());
    let run = |more: &[&str], code| {
        let arguments: Vec<&str> =
            ["verify", "dist", "--host-bin", &codex].iter().chain(more).copied().collect();
        Plugcast::new(folder.path(), &arguments).env("PATH", "/nowhere").run().expect_code(code)
    };
    let alone = run(&[], 0);
    assert!(
        alone.stdout.contains("not compared with the source host: host `claude-code` not found"),
        "{}",
        alone.stdout
    );
    let refused = run(&["--against", "."], 2);
    assert!(refused.stderr.contains("host `claude-code` not found"), "{}", refused.stderr);
}

#[test]
fn names_with_spaces_are_read_whole_and_get_one_that_users_can_type() {
    let hosts = real_hosts!();
    let tree = kit()
        .file("commands/fix bug.md", "---\ndescription: Fixes.\n---\n\nFix it.\n")
        .file("commands/spec.plan.md", "---\ndescription: Plans.\n---\n\nWrite the plan.\n")
        .file("agents/reviewer.md", "---\nname: Code Reviewer\ndescription: Reviews.\n---\n\nReview.\n");
    let folder = tree.temporary();
    build(folder.path(), &[".", "--to", "codex", "--out", "out"]);
    let finished =
        verify(&hosts, folder.path(), &["out", "--against", ".", "--all", "--format", "json"]).expect_code(0);
    let document = answer(&finished);
    let plugin = &document["hosts"][0]["plugins"][0];
    let agents = plugin["observed"]["agents"].as_array().expect("a list");
    assert!(agents.contains(&json!("kit:Code Reviewer")), "{plugin:#}");
    assert_eq!(
        plugin["observed"]["commands"],
        json!(["kit:fix-bug", "kit:spec-plan", "kit:team:go"]),
        "{plugin:#}"
    );
    // The host was given both texts by their new names.
    assert_eq!(document["hosts"][0]["invoked"], document["hosts"][0]["total"]);
}

/// Both plugins lie at one root, so that their folders would tell nothing; the host loads no marketplace of that name.
#[test]
fn plugins_of_a_marketplace_with_a_reserved_name_are_shown_by_their_entries() {
    let hosts = real_hosts!();
    let entry = |name: &str| json!({ "name": name, "source": "./", "strict": false, "skills": [format!("./skills/{name}")] });
    let marketplace = json!({
        "name": "anthropic-agent-skills",
        "owner": { "name": "Ann" },
        "plugins": [entry("plan"), entry("sail")],
    });
    let workflow = "export const meta = { name: 'tour', description: 'Tours.' };\nawait agent('Tour.');\n";
    let tree = Tree::new()
        .file(".claude-plugin/marketplace.json", marketplace.to_string())
        .file("workflows/tour.js", workflow)
        .file("skills/plan/SKILL.md", skill("plan"))
        .file("skills/sail/SKILL.md", skill("sail"));
    let folder = tree.temporary();
    build(folder.path(), &[".", "--to", "codex", "--out", "out"]);
    let finished =
        verify(&hosts, folder.path(), &["out", "--against", ".", "--format", "json"]).expect_code(0);
    let document = answer(&finished);
    let plugins = document["source"]["plugins"].as_array().expect("a list");
    let skills: Vec<String> = plugins.iter().map(|plugin| plugin["listed"]["skills"].to_string()).collect();
    assert_eq!(plugins.len(), 2, "{plugins:#?}");
    for (skills, own) in skills.iter().zip(["plan:plan", "sail:sail"]) {
        assert!(skills.contains(own), "{skills}");
        assert!(skills.contains("tour"), "{skills}");
    }
}

/// The host shows what such a skill answers without a model's name.
#[test]
fn a_skill_with_a_separate_context_is_compared() {
    let hosts = real_hosts!();
    let forked =
        "---\nname: survey\ndescription: Surveys.\ncontext: fork\nallowed-tools: Bash\n---\n\nSurvey it.\n";
    let folder = kit().file("skills/survey/SKILL.md", forked).temporary();
    build(folder.path(), &[".", "--to", "claude-code", "--out", "out"]);
    let finished = verify(&hosts, folder.path(), &["out", "--all", "--format", "json"]).expect_code(0);
    let document = answer(&finished);
    assert_eq!(document["hosts"][0]["invoked"], document["hosts"][0]["total"], "{document:#}");
}

#[test]
fn components_are_exactly_what_the_source_host_lists() {
    let hosts = real_hosts!();
    let parked = "---\ndescription: Is for nobody.\ndisable-model-invocation: true\nuser-invocable: false\n---\n\nWait.\n";
    let manifest =
        json!({ "name": "kit", "version": "1.0.0", "commands": ["./other/real.md", "./other/parked.md"] });
    let tree = Tree::new()
        .file(".claude-plugin/plugin.json", manifest.to_string())
        .file("other/real.md", "---\ndescription: Is real.\n---\n\nDo it.\n")
        .file("other/parked.md", parked)
        .file("commands/old.md", "---\ndescription: Is retired.\n---\n\nDelete all.\n");
    let folder = tree.temporary();
    build(folder.path(), &[".", "--to", "claude-code,codex", "--out", "out"]);
    verify(&hosts, folder.path(), &["out", "--against", ".", "--format", "json"]).expect_code(0);
}

/// An ending in upper case belongs to the name, and a bundle has both files on every file system.
#[test]
fn names_whose_files_differ_by_case_alone_are_those_of_the_source_host() {
    let hosts = real_hosts!();
    let agent = |words: &str| format!("---\ndescription: {words}\n---\n\nJudge.\n");
    let tree = kit()
        .file("commands/sail.md", "---\ndescription: Sails.\n---\n\nSail.\n")
        .file("commands/SAIL.MD", "---\ndescription: Shouts.\n---\n\nShout.\n")
        .file("agents/scout.md", agent("Scouts."))
        .file("agents/Scout.md", agent("Scouts loudly."))
        .file("agents/SCOUT.MD", agent("Scouts in capitals."));
    let folder = tree.temporary();
    build(folder.path(), &[".", "--to", "claude-code,codex", "--out", "out"]);
    let finished =
        verify(&hosts, folder.path(), &["out", "--against", ".", "--format", "json"]).expect_code(0);
    let shown = &answer(&finished)["source"]["plugins"][0]["listed"];
    assert_eq!(shown["commands"], json!(["kit:SAIL.MD", "kit:sail", "kit:team:go"]));
    assert_eq!(
        shown["agents"],
        json!(["kit:SCOUT.MD", "kit:Scout", "kit:review:judge", "kit:scout"]),
        "{shown:#}"
    );
    let bundle = Tree::read(&folder.path().join("out/claude-code/plugins/kit"));
    let mut paths: Vec<String> = bundle.entries().map(|(path, _)| path.to_lowercase()).collect();
    paths.sort();
    let all = paths.len();
    paths.dedup();
    assert_eq!(paths.len(), all, "{paths:?}");
}

/// What the source host lists of the source of every case, against the ledgers that the case expects.
#[test]
fn every_case_accounts_for_what_the_source_host_lists() {
    let hosts = real_hosts!();
    let installation = installation(&hosts, SOURCE_HOST);
    let driver = drivers::driver(SOURCE_HOST).expect("a driver");
    let cases = root().join("tests/cases");
    let mut wrong = Vec::new();
    for case in Tree::read(&cases).top() {
        let expected = cases.join(&case).join("expected");
        let bundles: Vec<_> = ["claude-code", "codex", "opencode"]
            .into_iter()
            .map(|host| expected.join(host))
            .filter(|bundle| bundle.join(".plugcast/ledger.json").is_file())
            .collect();
        if bundles.is_empty() {
            continue;
        }
        let renames = renames(&case);
        let against = ComparisonSource::new(&cases.join(&case).join("in"), renames);
        let shown = source::verify(&against, &bundles, driver, &installation, ObservationScope::default());
        let shown = shown.unwrap_or_else(|error| panic!("{case}: {error:#}"));
        for bundle in &shown.bundles {
            let host = &bundle.host;
            wrong.extend(bundle.missing.iter().map(|missing| format!("{case}: {host}: {missing:?}")));
            wrong.extend(bundle.unlisted.iter().map(|unlisted| format!("{case}: {host}: {unlisted:?}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The names that settings of a case, or the keyboards of users, change.
fn renames(case: &str) -> HostRenames {
    const TYPED: [(&str, &str); 3] = [
        ("kit:deep dir:go on", "kit:deep-dir:go-on"),
        ("kit:fix bug", "kit:fix-bug-2"),
        ("kit:spec.plan", "kit:spec-plan"),
    ];
    let named = |kind, from: &str, to: &str| (kind, from.to_owned(), to.to_owned());
    let command = |(from, to): &(&str, &str)| named(ComponentKind::Command, from, to);
    let plan = named(ComponentKind::Skill, "kit:plan", "kit:draft");
    let checker = named(ComponentKind::Agent, "kit:deep:checker", "kit:deep:judge");
    let go = named(ComponentKind::Command, "kit:go", "kit:start");
    match case {
        "per-host" => HostRenames::from([
            (HostId::new("claude-code"), [plan.clone(), checker.clone(), go.clone()].into()),
            (HostId::new("codex"), [plan.clone(), checker].into()),
            (HostId::new("opencode"), [plan, go].into()),
        ]),
        "typed-names" => HostRenames::from([
            (HostId::new("codex"), TYPED.iter().map(command).collect()),
            (HostId::new("opencode"), TYPED[..2].iter().map(command).collect()),
        ]),
        "odd-names" => {
            let slash = named(ComponentKind::Command, "odd:CI/CD", "odd:CI-CD-2");
            let question = named(ComponentKind::Command, "odd:a?b", "odd:a-b");
            HostRenames::from([(HostId::new("codex"), [slash, question].into())])
        }
        "as-listed" => {
            let upper = named(ComponentKind::Command, "upper:DEPLOY.MD", "upper:DEPLOY-MD");
            HostRenames::from([(HostId::new("codex"), [upper].into())])
        }
        "vocabulary" => {
            let fields = named(ComponentKind::Command, "words:fields.cmd", "words:fields-cmd");
            HostRenames::from([(HostId::new("codex"), [fields].into())])
        }
        _ => HostRenames::default(),
    }
}
