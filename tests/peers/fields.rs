//! Frontmatter that loses its meaning on the way.

use serde_json::Value;

use super::{BadSource, BuildResult, EVERY_HOST, Tree, skill};

fn rows(built: &BuildResult, host: &str) -> Vec<Value> {
    let text =
        std::fs::read_to_string(built.path(&format!("out/{host}/.plugcast/ledger.json"))).expect("a ledger");
    let ledger: Value = serde_json::from_str(&text).expect("JSON");
    ledger["rows"].as_array().cloned().expect("rows")
}

/// The source host takes what is behind ` #` without quotes for a comment, and what is quoted for text.
#[test]
fn a_number_sign_in_a_description_is_not_read_back_as_a_comment() {
    let whole = "Fix issue #123 now";
    let source = Tree::new()
        .file("skills/double/SKILL.md", skill("description: \"Fix issue #123 now\""))
        .file("skills/single/SKILL.md", skill("description: 'Fix issue #123 now'"))
        .file("skills/folded/SKILL.md", skill("description: >-\n  Fix issue\n  #123 now"))
        .file("skills/bare/SKILL.md", skill("description: Fix issue #123 now"))
        .file(
            "skills/caller/SKILL.md",
            skill("description: d").replace("Body.", "Ask the `mender` agent and the `bare-mender` agent."),
        )
        .file("agents/mender.md", skill("name: mender\ndescription: \"Fix issue #123 now\""))
        .file("agents/bare-mender.md", skill("name: bare-mender\ndescription: Fix issue #123 now"))
        .file("commands/fix.md", skill("description: 'Fix issue #123 now'"));
    let built = BadSource::plugin(source).build();
    built.expect(0, &[]);
    for host in EVERY_HOST {
        for (name, line) in [
            ("double", "description: \"Fix issue #123 now\"\n"),
            ("single", "description: 'Fix issue #123 now'\n"),
            ("folded", "description: >-\n  Fix issue\n  #123 now\n"),
            ("bare", "description: Fix issue #123 now\n"),
        ] {
            let text = built.emitted(host, &format!("skills/{name}/SKILL.md"));
            assert!(text.contains(line), "{host}/{name}: {text}");
        }
    }
    let data: Value = serde_json::from_str(&built.emitted("opencode", "plugcast.plugin.json")).expect("JSON");
    for (name, description) in [
        ("bad:double", whole),
        ("bad:single", whole),
        ("bad:folded", whole),
        ("bad:fix", whole),
        ("bad:bare", "Fix issue"),
    ] {
        assert_eq!(data["bodies"][name]["description"], description, "{name}");
    }
    assert_eq!(data["agents"]["bad:mender"]["description"], whole);
    assert_eq!(data["agents"]["bad:bare-mender"]["description"], "Fix issue");
    for (name, description) in [("mender", whole), ("bare-mender", "Fix issue")] {
        let path = built.path(&format!("out/codex/agents/bad/{name}.toml"));
        let text = std::fs::read_to_string(&path).expect("an installable agent");
        let agent: toml::Table = text.parse().expect("TOML");
        assert_eq!(agent["description"].as_str(), Some(description), "{name}");
    }
}

/// Fifty agents: 12 limited to reading, 12 to a list with a shell pattern, 12 denied some, 14 without.
#[test]
fn no_tool_limit_of_fifty_agents_is_lost_without_a_word() {
    let limit = |at: usize| match at {
        0..12 => "\ntools: Read, Grep",
        12..24 => "\ntools: Read, Bash(git log:*)",
        24..36 => "\ndisallowedTools: Write, Edit",
        _ => "",
    };
    let agent = |at: usize| skill(&format!("name: a{at:02}\ndescription: d{}", limit(at)));
    let source = (0..50).fold(Tree::new(), |tree, at| tree.file(&format!("agents/a{at:02}.md"), agent(at)));
    let built = BadSource::plugin(source).build();
    built.expect(0, &[]);
    let limits = |host: &str| -> Vec<(String, String)> {
        let rows = rows(&built, host);
        let own = rows.iter().filter(|row| {
            row["kind"] == "field" && matches!(row["name"].as_str(), Some("tools" | "disallowedTools"))
        });
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        own.map(|row| (text(&row["outcome"]), text(&row["loss"]["class"]))).collect()
    };
    let count = |host: &str, outcome: &str, class: &str| {
        limits(host).iter().filter(|row| (row.0.as_str(), row.1.as_str()) == (outcome, class)).count()
    };
    for host in EVERY_HOST {
        assert_eq!((limits(host).len(), built.count(host, "agents")), (36, 50), "{host}");
    }
    assert_eq!(count("claude-code", "kept", "-"), 36);
    assert_eq!(count("codex", "dropped", "security"), 36);
    // A shell pattern bounds less on OpenCode, and that is said; the other lists hold whole.
    assert_eq!(count("opencode", "mapped", "-"), 24, "{:?}", limits("opencode"));
    assert_eq!(count("opencode", "degraded", "security"), 12);
}

#[test]
fn a_command_for_the_user_alone_is_neither_dropped_nor_opened_to_the_model() {
    let source = Tree::new()
        .file("commands/ship.md", skill("description: Ships.\ndisable-model-invocation: true"))
        .file("skills/publish/SKILL.md", skill("description: Publishes.\ndisable-model-invocation: true"));
    let built = BadSource::plugin(source).build();
    built.expect(0, &[]);
    for host in EVERY_HOST {
        assert_eq!((built.count(host, "skills"), built.count(host, "commands")), (2, 1), "{host}");
    }
    assert!(built.emitted("claude-code", "commands/ship.md").contains("disable-model-invocation: true\n"));
    for folder in ["ship", "publish"] {
        let policy = built.emitted("codex", &format!("skills/{folder}/agents/openai.yaml"));
        assert!(policy.contains("allow_implicit_invocation") && policy.contains("false"), "{policy}");
    }
    let data: Value = serde_json::from_str(&built.emitted("opencode", "plugcast.plugin.json")).expect("JSON");
    assert_eq!(data["bodies"]["bad:publish"]["user_only"], true);
    assert_eq!(data["bodies"]["bad:ship"]["kind"], "command");
}

/// A host refuses each of these, and two of them take every plugin of the user down.
#[test]
fn an_agent_that_the_host_would_refuse_is_not_written_as_it_is() {
    let fields =
        "name: painter\ndescription: [a, b]\nmodel: sonnet\ncolor: blue\nmaxTurns: many\ntools: [Read]";
    let built = BadSource::plugin(Tree::new().file("agents/painter.md", skill(fields))).build();
    built.expect(
        0,
        &["warning field-type agents/painter.md:3:14 `description` must be text, found a list | write `description: \"…\"` on one line"],
    );
    let data: Value = serde_json::from_str(&built.emitted("opencode", "plugcast.plugin.json")).expect("JSON");
    let agent = &data["agents"]["bad:painter"];
    assert!(agent["mode"] == "subagent" && agent["model"].is_null(), "{agent}");
    let color = agent["color"].as_str().unwrap_or("#000000");
    let words = ["primary", "secondary", "accent", "success", "warning", "error", "info"];
    assert!(color.starts_with('#') || words.contains(&color), "{agent}");
    assert!(agent["description"].is_null() || agent["description"].is_string(), "{agent}");
    assert!(agent["steps"].is_null() || agent["steps"].is_u64(), "{agent}");
    for key in ["/model", "/maxTurns"] {
        let row = built.row("opencode", |row| row["pointer"] == key);
        assert_eq!(row["outcome"], "dropped", "{row}");
    }
}
