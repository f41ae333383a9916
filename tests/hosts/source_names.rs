//! Names, places and texts that only the source host takes as they are: what it lists of them is in every bundle, under a
//! name that the other host takes, and nothing else is.

use std::fs;

use plugcast::drivers::script::ModelScript;
use serde_json::{Value, json};

use super::model::{between, done, main};
use super::source_lists::{SOURCE_HOST, answer, build, kit, skill, verify};
use super::stage::{Stage, invoke};
use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;

/// The plugins of a host, as `verify` saw them.
fn plugins<'a>(document: &'a Value, host: &str) -> &'a Value {
    let hosts = document["hosts"].as_array().expect("a list");
    let found = hosts.iter().find(|one| one["host"] == host).expect("the host");
    &found["plugins"]
}

/// A hook names a file beside a skill that the manifest lists below another folder, so the files stay at their old paths
/// too; the skill file inside the skill is none of the plugin's skills at either.
#[test]
fn a_skill_file_inside_a_skill_is_not_a_skill_at_its_old_path() {
    let hosts = real_hosts!();
    let manifest = json!({ "name": "kit", "version": "1.0.0", "skills": ["./skills/process/orch"] });
    let command = "sh \"${CLAUDE_PLUGIN_ROOT}/skills/process/orch/scripts/go.sh\"";
    let hooks = json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": command }] }] } });
    let tree = Tree::new()
        .file(".claude-plugin/plugin.json", manifest.to_string())
        .file("hooks/hooks.json", hooks.to_string())
        .file("lib.sh", "true\n")
        .file("skills/process/orch/SKILL.md", skill("orch"))
        .file("skills/process/orch/scripts/go.sh", "#!/bin/sh\n. \"$(dirname \"$0\")/../../../../lib.sh\"\n")
        .file("skills/process/orch/skills/inner/SKILL.md", skill("inner"));
    let folder = tree.temporary();
    build(folder.path(), &[".", "--to", "claude-code,codex", "--out", "out"]);
    let finished =
        verify(&hosts, folder.path(), &["out", "--against", ".", "--format", "json"]).expect_code(0);
    let document = answer(&finished);
    assert_eq!(plugins(&document, "codex")[0]["observed"]["skills"], json!(["kit:orch"]), "{document:#}");
}

/// Hosts read a NUL character as any other, and the source host shows two dashes for an emoji in a folder's name.
#[test]
fn a_skill_may_have_any_character_in_its_folder_and_in_its_text() {
    let hosts = real_hosts!();
    let tree = kit()
        .file("skills/ship🚀/SKILL.md", "---\nname: ship\ndescription: Ships.\n---\n\nShip it.\n")
        .file("skills/chart/SKILL.md", skill("chart") + "\u{1c}\0\0 charts/\n");
    let folder = tree.temporary();
    build(folder.path(), &[".", "--to", "claude-code,codex", "--out", "out"]);
    let finished =
        verify(&hosts, folder.path(), &["out", "--against", ".", "--all", "--format", "json"]).expect_code(0);
    let document = answer(&finished);
    let skills = json!(["kit:chart", "kit:plan", "kit:ship--"]);
    assert_eq!(document["source"]["plugins"][0]["listed"]["skills"], skills, "{document:#}");
    assert_eq!(plugins(&document, "codex")[0]["observed"]["skills"], skills, "{document:#}");
}

#[test]
fn a_marketplace_gets_a_name_that_the_host_accepts() {
    let hosts = real_hosts!();
    let marketplace = json!({
        "name": "harbour.tools",
        "owner": { "name": "Ann" },
        "plugins": [{ "name": "kit", "source": "./kit", "description": "Plans." }],
    });
    let tree = Tree::new()
        .file(".claude-plugin/marketplace.json", marketplace.to_string())
        .file("kit/skills/plan/SKILL.md", skill("plan"));
    let folder = tree.temporary();
    build(folder.path(), &[".", "--to", "claude-code,codex", "--out", "out"]);
    verify(&hosts, folder.path(), &["out", "--against", "."]).expect_code(0);
    let own = fs::read_to_string(folder.path().join("out/codex/.agents/plugins/marketplace.json"));
    assert!(own.expect("a marketplace").contains("\"name\": \"harbour-tools\""));
}

/// A repository of one plugin often has a marketplace that names the repository itself by its address.
#[test]
fn a_plugin_that_its_marketplace_names_by_address_is_compared() {
    let hosts = real_hosts!();
    let by_address = json!({
        "name": "kits",
        "owner": { "name": "Ann" },
        "plugins": [{ "name": "kit", "source": { "source": "url", "url": "https://example.org/kit.git" } }],
    });
    for marketplace in [by_address.to_string(), "{ \"name\": \"kits\", ".to_owned()] {
        let folder = kit().file(".claude-plugin/marketplace.json", marketplace).temporary();
        build(folder.path(), &[".", "--to", "codex", "--out", "out"]);
        let inner = folder.path().join("skills/sail");
        fs::create_dir_all(&inner).expect("a folder");
        fs::write(inner.join("SKILL.md"), skill("sail")).expect("a file");
        let finished = verify(&hosts, folder.path(), &["out", "--against", "."]).expect_code(1);
        assert!(finished.stdout.contains("codex: `kit` lacks the skill `sail`"), "{}", finished.stdout);
    }
}

/// The same for a folder of the repository, beside one that is not listed.
#[test]
fn a_folder_that_a_marketplace_names_by_address_is_compared() {
    let hosts = real_hosts!();
    let url = "https://example.org/kits.git";
    let marketplace = json!({
        "name": "kits",
        "owner": { "name": "Ann" },
        "plugins": [{ "name": "kit", "source": { "source": "git-subdir", "url": url, "path": "plugins/kit" } }],
    });
    let tree = Tree::new()
        .file(".claude-plugin/marketplace.json", marketplace.to_string())
        .file("plugins/kit/.claude-plugin/plugin.json", "{ \"name\": \"kit\", \"version\": \"1.0.0\" }\n")
        .file("plugins/kit/skills/plan/SKILL.md", skill("plan"))
        .file("plugins/other/.claude-plugin/plugin.json", "{ \"name\": \"other\" }\n")
        .file("plugins/other/skills/sail/SKILL.md", skill("sail"));
    let folder = tree.temporary();
    build(folder.path(), &[".", "--to", "codex", "--out", "out"]);
    let finished =
        verify(&hosts, folder.path(), &["out", "--against", ".", "--format", "json"]).expect_code(0);
    let listed = &answer(&finished)["source"]["plugins"];
    assert_eq!(listed[0]["listed"]["skills"], json!(["kit:plan"]), "{listed:#}");
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
}

/// The source host takes the name in a skill's frontmatter besides that of its folder, and other hosts take the latter
/// alone: what the skill's own text calls it, users can type.
#[test]
fn a_skill_is_called_as_its_own_text_says() {
    let hosts = real_hosts!();
    let text = |name: &str, usage: &str| {
        format!("---\nname: {name}\ndescription: Plans.\n---\n\nUsage: `{usage} TEXT`\n\nPlan the pier.\n")
    };
    let source = Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"dev\", \"version\": \"1.0.0\" }\n")
        .file("skills/auto-plan/SKILL.md", text("dev:auto:plan", "/dev:auto:plan"))
        .file("skills/plan/SKILL.md", text("plan2", "/plan2"));
    let unmodified = Tree::new().temporary();
    source.write(&unmodified.path().join("plugins/dev"));
    for host in ["claude-code", "codex", "opencode"] {
        let mut stage = Stage::of_source(&hosts, host, &source);
        let mut bundles = vec![stage.bundle.clone()];
        bundles.extend((host == SOURCE_HOST).then(|| unmodified.path().to_owned()));
        for (bundle, folder) in bundles
            .into_iter()
            .flat_map(|bundle| ["auto-plan", "plan"].map(|folder| (bundle.clone(), folder)))
        {
            let path = bundle.join(format!("plugins/dev/skills/{folder}/SKILL.md"));
            let own = fs::read_to_string(path).expect("a skill");
            let typed = between(&own, "Usage: `", " TEXT`").expect("a usage line");
            assert_eq!(typed.starts_with('$'), host == "codex", "{typed}");
            let listed = ["- dev:auto-plan (dev:auto:plan): Plans.", "- dev:plan (dev:plan2): Plans."];
            let listed = if host == SOURCE_HOST { &listed[..] } else { &[] };
            let step = done().expects(["Plan the pier."]).expects(listed.iter().copied());
            stage.bundle = bundle;
            stage.play(stage.session(
                invoke(&typed[1..], "soon"),
                ModelScript::default().with_conversation(main().then(step)),
            ));
        }
    }
}
