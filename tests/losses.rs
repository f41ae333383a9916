//! What an author says about losses: `--deny-loss`, `--deny-new-losses`, `[[accept-loss]]`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::git::committed;
use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

/// An agent whose tool limit Codex cannot enforce, and a skill with a grant that it does not know.
fn source(config: &str) -> Tree {
    let tree = Tree::new()
        .file("in/agents/checker.md", "---\ndescription: Checks.\ntools: Read\n---\nCheck.\n")
        .file(
            "in/skills/plan/SKILL.md",
            "---\ndescription: Plans.\nallowed-tools: Read\n---\nPlan, then spawn the `kit:checker` agent.\n",
        );
    if config.is_empty() { tree } else { tree.file("in/plugcast.toml", config) }
}

fn build(folder: &Path, more: &[&str]) -> FinishedRun {
    let arguments =
        [&["build", "in", "--name", "kit", "--to", "codex", "--out", "out", "--format", "json"], more]
            .concat();
    Plugcast::new(folder, &arguments).run()
}

/// The ids of denied losses, and how many files were written.
fn denied(finished: &FinishedRun) -> (Vec<String>, u64) {
    let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let diagnostics = report["diagnostics"].as_array().expect("a list");
    let messages = diagnostics.iter().filter(|found| found["rule"] == "denied-loss");
    let ids = messages.map(|found| {
        found["message"].as_str().unwrap_or_default().split('`').nth(1).unwrap_or_default().to_owned()
    });
    (ids.collect(), report["targets"][0]["written"].as_u64().expect("a number"))
}

const LIMIT: &str = "tool-limits/kit/agent/checker/tools";
const GRANT: &str = "tool-grants/kit/skill/plan/allowed-tools";

#[test]
fn a_denied_class_takes_graver_ones_with_it_and_nothing_is_written() {
    let folder = source("").temporary();
    let finished = build(folder.path(), &["--deny-loss", "security"]).expect_code(1);
    assert_eq!(denied(&finished), (vec![LIMIT.to_owned()], 0));
    let finished = build(folder.path(), &["--deny-loss", "behavior"]).expect_code(1);
    assert_eq!(denied(&finished), (vec![LIMIT.to_owned(), GRANT.to_owned()], 0));
    assert!(!folder.path().join("out/codex").exists());
    build(folder.path(), &[]).expect_code(0);
}

#[test]
fn the_configuration_denies_and_accepts_for_the_hosts_it_names() {
    let accept = |hosts: &str| {
        format!(
            "[build]\ndeny-loss = [\"security\"]\n[[accept-loss]]\nid = \"tool-limits/kit/**\"\nhosts = [{hosts}]\nreason = \"r\"\n"
        )
    };
    let folder = source(&accept("\"opencode\"")).temporary();
    assert_eq!(denied(&build(folder.path(), &[]).expect_code(1)).0, [LIMIT]);
    let folder = source(&accept("\"codex\"")).temporary();
    let finished = build(folder.path(), &[]).expect_code(0);
    assert!(denied(&finished).0.is_empty());
    let ledger =
        std::fs::read_to_string(folder.path().join("out/codex/.plugcast/ledger.json")).expect("a ledger");
    let ledger: Value = serde_json::from_str(&ledger).expect("JSON");
    let rows = ledger["rows"].as_array().expect("rows");
    let accepted =
        rows.iter().filter(|row| row["loss"]["accepted"] == true).map(|row| row["loss"]["id"].as_str());
    assert_eq!(accepted.collect::<Vec<_>>(), [Some(LIMIT)]);
}

#[test]
fn a_loss_is_new_when_the_last_ledger_does_not_have_it() {
    let folder = source("").temporary();
    assert_eq!(denied(&build(folder.path(), &["--deny-new-losses"]).expect_code(1)).0.len(), 2);
    build(folder.path(), &[]).expect_code(0);
    build(folder.path(), &["--deny-new-losses"]).expect_code(0);
    let agent = folder.path().join("in/agents/checker.md");
    std::fs::write(&agent, "---\ndescription: Checks.\ntools: Read\nmemory: user\n---\nCheck.\n")
        .expect("written");
    let finished = build(folder.path(), &["--deny-new-losses"]).expect_code(1);
    assert_eq!(denied(&finished), (vec!["agent-options/kit/agent/checker/memory".to_owned()], 0));
}

#[test]
fn an_unknown_class_is_a_usage_error() {
    let folder = source("[build]\ndeny-loss = [\"grave\"]\n").temporary();
    let finished = build(folder.path(), &[]).expect_code(2);
    assert!(finished.stdout.contains("`grave`"), "{}", finished.stdout);
}

/// Credentials in whatever a host runs: no bundle has them, and each has its row and its finding.
#[test]
fn a_credential_in_clear_is_in_no_bundle() {
    let (shaped, plain) = (format!("ghp_{}", "a1B2".repeat(9)), "a1B2c3D4e5f6G7h8");
    let servers = serde_json::json!({ "mcpServers": {
        "shop": { "command": "npx", "args": ["shop", "--api-key", plain], "env": { "KEY": shaped } },
        "far": { "type": "http", "url": format!("https://e.org/?token={plain}"), "headers": { "X-Api-Key": plain } },
    } });
    let languages = serde_json::json!({ "notes": {
        "command": "notes", "args": [format!("--token={plain}")], "extensionToLanguage": { ".txt": "text" },
    } });
    let quoted = format!("curl -H 'Authorization: Bearer {shaped}' https://e.org");
    let hooks = serde_json::json!({ "hooks": { "Stop": [{ "hooks": [
        { "type": "command", "command": quoted },
        { "type": "command", "command": format!("TOKEN=\"{plain}\" ./x.sh") },
        { "type": "command", "command": "node", "args": ["x.js", format!("--secret={plain}")] },
    ] }] } });
    let folder = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"kit\" }\n")
        .file("in/.mcp.json", servers.to_string())
        .file("in/.lsp.json", languages.to_string())
        .file("in/hooks/hooks.json", hooks.to_string())
        .temporary();
    let arguments = ["build", "in", "--to", "all", "--format", "json"];
    let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(0);
    let answer: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    let found = answer["diagnostics"].as_array().expect("findings").iter();
    assert_eq!(found.filter(|found| found["rule"] == "secret-in-config").count(), 8, "{answer:#}");
    let out = Tree::read(&folder.path().join("dist"));
    for value in [shaped.as_str(), plain] {
        assert!(!finished.stdout.contains(value), "the answer shows a credential");
        for (path, entry) in out.entries() {
            assert!(!entry.text().contains(value), "{path} holds a credential");
        }
    }
    let text = |path: &str| out.get(path).unwrap_or_else(|| panic!("no {path}")).text();
    for (path, wanted) in [
        ("claude-code/plugins/kit/.mcp.json", "${SHOP_API_KEY}"),
        ("claude-code/plugins/kit/.mcp.json", "https://e.org/?token=${FAR_TOKEN}"),
        ("claude-code/plugins/kit/.lsp.json", "--token=${NOTES_TOKEN}"),
        (
            "claude-code/plugins/kit/hooks/hooks.json",
            "'Authorization: Bearer '\\\"${HOOK_AUTHORIZATION}\\\"'' https",
        ),
        ("codex/plugins/kit/hooks/hooks.json", "TOKEN=\\\"${HOOK_TOKEN}\\\" ./x.sh"),
        ("opencode/plugins/kit/plugcast.plugin.json", "https://e.org/?token=${FAR_TOKEN}"),
        ("opencode/plugins/kit/plugcast.plugin.json", "--secret=${HOOK_SECRET}"),
    ] {
        assert!(text(path).contains(wanted), "{path}: {wanted}: {}", text(path));
    }
    for host in ["claude-code", "codex", "opencode"] {
        let ledger: Value =
            serde_json::from_str(&text(&format!("{host}/.plugcast/ledger.json"))).expect("JSON");
        let ids: BTreeSet<&str> = ledger["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .filter_map(|row| row["loss"]["id"].as_str())
            .filter(|id| id.contains("/secret/"))
            .collect();
        let languages = usize::from(host != "codex");
        assert_eq!(ids.len(), 7 + languages, "{host}: {ids:#?}");
    }
}

/// `count` skills of `plugin` with descriptions of 200 characters.
fn skills(tree: Tree, plugin: &str, count: usize) -> Tree {
    let skill = format!("---\ndescription: {}\n---\n\nMeasure.\n", "x".repeat(200));
    (0..count).fold(tree, |tree, at| tree.file(&format!("in/{plugin}/skills/s{at:04}/SKILL.md"), &skill))
}

/// The rows of plugins, and what is said on standard error.
fn listing_of(tree: Tree, host: &str) -> (Vec<Value>, String) {
    let folder = tree.temporary();
    let finished = Plugcast::new(
        folder.path(),
        &["build", "in", "--marketplace", "shelf", "--to", host, "--out", "out"],
    )
    .run()
    .expect_code(0);
    let path = folder.path().join("out").join(host).join(".plugcast/ledger.json");
    let ledger: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("a ledger")).expect("JSON");
    let rows = ledger["rows"].as_array().expect("rows").iter();
    (rows.filter(|row| row["kind"] == "plugin").cloned().collect(), finished.stderr)
}

/// The figures are those of Codex 0.169.0; `hosts::listing` compares them with what it shows.
#[test]
fn the_list_of_skills_belongs_to_the_session() {
    let two = skills(skills(Tree::new(), "ask", 45), "reply", 45);
    let (rows, remark) = listing_of(two, "codex");
    let reason = "Codex shows 21,760 bytes of all skills of a session, 1,728 of them its own, and the bundle's have 21,780 when all 2 plugins are installed: it cuts about 90 of 90 descriptions to about 188 characters";
    for (row, name) in rows.iter().zip(["ask", "reply"]) {
        assert_eq!(row["reason"], reason, "{row}");
        assert_eq!(row["loss"]["id"], format!("limit/{name}/plugin/{name}/listing"));
        assert_eq!((&row["loss"]["class"], &row["outcome"]), (&"behavior".into(), &"degraded".into()));
    }
    assert!(remark.contains(&format!("warning[listing-budget]: {reason}")), "{remark}");

    let (rows, _) = listing_of(skills(skills(Tree::new(), "ask", 300), "reply", 300), "codex");
    let reasons: Vec<&str> = rows.iter().filter_map(|row| row["reason"].as_str()).collect();
    assert!(
        reasons[0].ends_with("it removes all descriptions and shows about 515 of 600 skills"),
        "{reasons:#?}"
    );
    assert!(reasons[1].ends_with("; of the 300 of this plugin, 215 are shown"), "{reasons:#?}");

    // The finding and the row of one plugin agree.
    let (rows, remark) = listing_of(skills(Tree::new(), "ask", 832), "codex");
    let effect = rows[0]["reason"].as_str().and_then(|reason| reason.split(": ").last()).expect("a reason");
    assert!(
        effect.starts_with("it removes all descriptions and shows ") && effect.ends_with(" of 832 skills"),
        "{effect}"
    );
    assert!(remark.contains(&format!("of one plugin: {effect}")), "{remark}");

    let (rows, remark) = listing_of(skills(skills(Tree::new(), "ask", 41), "reply", 41), "codex");
    assert!(rows.iter().all(|row| row["outcome"] == "kept") && remark.is_empty(), "{rows:#?} {remark}");
}

#[test]
fn a_list_that_makes_every_request_large_is_said() {
    let (rows, remark) = listing_of(skills(Tree::new(), "ask", 200), "opencode");
    assert!(rows.iter().all(|row| row["outcome"] == "kept"), "{rows:#?}");
    let message = "warning[listing-budget]: the 200 skills of the bundle fill ";
    assert!(
        remark.contains(message) && remark.contains("bytes of each request: OpenCode lists them all"),
        "{remark}"
    );
    let (_, remark) = listing_of(skills(Tree::new(), "ask", 100), "opencode");
    assert!(!remark.contains("listing-budget"), "{remark}");
}

/// An author who wants to accept or explain a loss needs its id, and once had to look for it in the bundle.
#[test]
fn verbose_prints_the_ids_that_explain_and_acceptance_take() {
    let folder = source("").temporary();
    let arguments = ["build", "in", "--name", "kit", "--to", "codex", "--verbose"];
    let shown = Plugcast::new(folder.path(), &arguments).run().expect_code(0).stdout;
    assert!(shown.contains(&format!("agents/checker.md:3: {LIMIT}\n")), "{shown}");
    let of_axis = Plugcast::new(folder.path(), &["explain", "tool-limits"]).run().expect_code(0).stdout;
    assert!(
        of_axis.starts_with("# tool-limits\n") && of_axis.contains(&format!("codex: {LIMIT}: ")),
        "{of_axis}"
    );
}

#[test]
fn an_accepted_loss_that_no_host_has_is_reported() {
    let entry = |id: &str, hosts: &str| format!("[[accept-loss]]\nid = \"{id}\"\n{hosts}reason = \"r\"\n");
    let rules = |config: String| {
        let finished = build(source(&config).temporary().path(), &[]).expect_code(0);
        let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
        let found = report["diagnostics"].as_array().expect("a list").clone();
        let line = |found: &Value| {
            format!(
                "{} {}:{}",
                found["rule"].as_str().unwrap_or_default(),
                found["path"].as_str().unwrap_or_default(),
                found["line"]
            )
        };
        found.iter().map(line).collect::<Vec<_>>()
    };
    let codex = "hosts = [\"codex\"]\n";
    assert!(rules(entry("tool-limits/kit/**", codex)).is_empty());
    assert_eq!(
        rules(entry("tool-limits/kit/agent/gone/**", codex)),
        ["unmatched-acceptance plugcast.toml:2"]
    );
    // Another host may have it, and was not built; where the author builds for no other, none has.
    assert!(rules(entry("tool-limits/kit/agent/gone/**", "")).is_empty());
    let gone = |to: &str| format!("[build]\nto = [{to}]\n{}", entry("tool-limits/kit/agent/gone/**", ""));
    assert_eq!(rules(gone("\"codex\"")), ["unmatched-acceptance plugcast.toml:4"]);
    assert!(rules(gone("\"codex\", \"opencode\"")).is_empty());
    // No host has a loss along an axis that does not exist.
    assert_eq!(rules(entry("tol-limits/kit/**", "")), ["unmatched-acceptance plugcast.toml:2"]);
    assert!(rules(entry("tool-limits/kit/agent/gone/**", "hosts = [\"opencode\"]\n")).is_empty());
}

/// `check` and `release check` once said nothing about it.
#[test]
fn every_command_reports_an_accepted_loss_that_no_host_has() {
    let entry = |id: &str| format!("[[accept-loss]]\nid = \"{id}\"\nreason = \"r\"\n");
    let config = entry("tool-limits/kit/**") + &entry("tool-limits/kit/agent/gone/**");
    let manifest = "{ \"name\": \"kit\", \"version\": \"1.0.0\", \"description\": \"A kit.\" }\n";
    let tree = source(&config).file("in/.claude-plugin/plugin.json", manifest);
    let folder = committed(&tree);
    let found = |arguments: &[&str]| {
        let finished = Plugcast::new(&folder.path().join("in"), arguments).run();
        let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
        let all = report["diagnostics"].as_array().expect("a list").iter();
        let all = all.filter(|found| found["rule"] == "unmatched-acceptance");
        all.map(|found| (found["path"].clone(), found["line"].clone(), found["message"].clone()))
            .collect::<Vec<_>>()
    };
    let at = |path: &str| {
        let message = "no loss has the id `tool-limits/kit/agent/gone/**`, which `[[accept-loss]]` accepts";
        vec![(path.into(), 5.into(), message.into())]
    };
    assert_eq!(found(&["build", "--to", "all", "--out", "../out", "--format", "json"]), at("plugcast.toml"));
    assert_eq!(found(&["check", "--format", "json"]), at("plugcast.toml"));
    // Paths of a release are relative to the top of the repository.
    assert_eq!(found(&["release", "check", "--format", "json"]), at("in/plugcast.toml"));
    // One host of several proves nothing.
    assert!(found(&["check", "--to", "codex", "--format", "json"]).is_empty());
    assert!(found(&["check", "agents/checker.md", "--format", "json"]).is_empty());
    assert!(found(&["check", "--ignore", "unmatched-acceptance", "--format", "json"]).is_empty());
}

/// Entries for the other plugins of a repository are none of its business.
#[test]
fn one_plugin_of_a_repository_is_not_judged_by_the_entries_of_the_others() {
    let manifest = |name: &str| format!("{{ \"name\": \"{name}\", \"version\": \"1.0.0\" }}\n");
    let agent = "---\ndescription: Checks.\ntools: Read\n---\nCheck.\n";
    let accept = "id = \"tool-limits/one/**\"\nhosts = [\"codex\"]\nreason = \"r\"\n";
    let gone = "id = \"appearance/two/**\"\nhosts = [\"codex\"]\nreason = \"r\"\n";
    let folder = Tree::new()
        .file("plugcast.toml", format!("[[accept-loss]]\n{accept}[[accept-loss]]\n{gone}"))
        .file("one/.claude-plugin/plugin.json", manifest("one"))
        .file("one/agents/checker.md", agent)
        .file("two/.claude-plugin/plugin.json", manifest("two"))
        .file("two/agents/checker.md", agent)
        .temporary();
    let lines = |src: &str| {
        let arguments = ["check", src, "--select", "unmatched-acceptance", "--format", "json"];
        let finished = Plugcast::new(folder.path(), &arguments).run();
        let report: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
        let all = report["diagnostics"].as_array().expect("a list").clone();
        all.iter().map(|found| found["line"].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    assert_eq!((lines("."), lines("one"), lines("two")), (vec![6], vec![], vec![6]));
}

/// The component was once dropped on that host, with a loss.
#[test]
fn a_new_name_that_the_host_refuses_is_an_error_before_anything_is_written() {
    for (host, name, why) in [
        ("codex", "p".repeat(65), "has 65 characters, but Codex allows 64"),
        ("claude-code", "my-claude-plan".to_owned(), "contains `claude`, which Claude Code reserves"),
    ] {
        let config = format!("[targets.{host}.rename]\nplan = \"{name}\"\n");
        let folder = source(&config).temporary();
        let arguments = ["build", "in", "--name", "kit", "--to", "all", "--out", "out"];
        let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(2);
        assert!(
            finished.stderr.contains(why) && finished.stderr.contains("plugcast.toml:2:8"),
            "{}",
            finished.stderr
        );
        assert!(!folder.path().join("out").exists());
    }
}

/// tool-limits-in-two-orders: one cause was reported as two, by the order of the tools.
#[test]
fn the_order_of_tools_makes_no_other_loss() {
    let agent = |tools: &str| format!("---\ndescription: Checks.\ntools: {tools}\n---\nCheck.\n");
    let folder = Tree::new()
        .file("in/agents/one.md", agent("Edit, Bash(git log:*)"))
        .file("in/agents/two.md", agent("Bash(git log:*), Edit"))
        .temporary();
    let arguments = ["build", "in", "--name", "kit", "--to", "opencode", "--out", "out"];
    Plugcast::new(folder.path(), &arguments).run().expect_code(0);
    let ledger = std::fs::read_to_string(folder.path().join("out/opencode/.plugcast/ledger.json"));
    let ledger: Value = serde_json::from_str(&ledger.expect("a ledger")).expect("JSON");
    let rows = ledger["rows"].as_array().expect("rows").iter();
    let reasons: Vec<&str> = rows
        .filter(|row| row["loss"]["id"].as_str().is_some_and(|id| id.starts_with("tool-limits/")))
        .filter_map(|row| row["reason"].as_str())
        .collect();
    assert!(reasons.len() == 2 && reasons[0] == reasons[1] && reasons[0].contains("; "), "{reasons:?}");
}
