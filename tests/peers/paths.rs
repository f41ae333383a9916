//! Names and path fields that would lead out of the plugin.

use super::{BadSource, EVERY_HOST, Tree, skill};

/// Every field of a manifest that holds a path, with what it would hold if it were sound.
const FIELDS: [&str; 9] = [
    "skills",
    "commands",
    "agents",
    "hooks",
    "mcpServers",
    "lspServers",
    "outputStyles",
    "workflows",
    "themes",
];

/// Ways out, and why each is none.
const WAYS_OUT: [(&str, &str); 5] = [
    ("./../secret.json", "leaves its folder"),
    ("../secret.json", "does not start with `./`"),
    ("./docs/../../secret.json", "leaves its folder"),
    ("/etc/passwd", "does not start with `./`"),
    ("secret.json", "does not start with `./`"),
];

fn finding(line: usize, column: usize, why: &str) -> String {
    format!(
        "error manifest-path .claude-plugin/plugin.json:{line}:{column} this path {why} | start it with `./` and stay inside the plugin"
    )
}

/// Builds with one line in the manifest, and looks for the path in what was emitted.
fn refused(line: &str, path: &str, expected: &str) {
    let manifest = format!("{{ \"name\": \"bad\",\n{line}\n}}\n");
    let source = Tree::new().file(".claude-plugin/plugin.json", manifest);
    let built =
        BadSource::plugin(source).beside(Tree::new().file("secret.json", "{ \"secret\": 1 }\n")).build();
    built.expect(1, &[expected]);
    for host in EVERY_HOST {
        let plugin = Tree::read(&built.path(&format!("out/{host}/plugins/bad")));
        let text = plugin.text();
        assert!(!text.contains("secret\"") && !text.contains(path), "{host}: {line}\n{text}");
    }
}

#[test]
fn a_path_field_does_not_read_outside_the_plugin() {
    for field in FIELDS {
        for (path, why) in WAYS_OUT {
            refused(&format!("\"{field}\": \"{path}\""), path, &finding(2, field.len() + 5, why));
            refused(&format!("\"{field}\": [\"{path}\"]"), path, &finding(2, field.len() + 6, why));
        }
    }
    for field in ["themes", "monitors"] {
        let line = format!("\"experimental\": {{ \"{field}\": \"./../secret.json\" }}");
        refused(&line, "secret.json", &finding(2, field.len() + 23, "leaves its folder"));
    }
    let line = "\"commands\": { \"go\": { \"source\": \"./../secret.json\" } }";
    refused(line, "secret.json", &finding(2, 33, "leaves its folder"));
}

#[test]
fn a_marketplace_does_not_read_outside_either() {
    let listing = r#"{ "name": "../../pwned", "owner": { "name": "o" },
  "metadata": { "pluginRoot": "../.." },
  "plugins": [
    { "name": "../../../pwned", "source": "./a" },
    { "name": "up", "source": "./../up" },
    { "name": "bad", "source": "./b", "hooks": "./../../secret.json" }
  ]
}
"#;
    let source = Tree::new()
        .file(".claude-plugin/marketplace.json", listing)
        .file("a/skills/s/SKILL.md", skill("description: d"))
        .file("b/skills/ok/SKILL.md", skill("description: d"));
    let beside = Tree::new().file("up/skills/s/SKILL.md", skill("description: d")).file("secret.json", "{}");
    let built = BadSource::bare(source).beside(beside).build();
    let file = ".claude-plugin/marketplace.json";
    let folder = "write a folder such as `\"./plugins/name\"`, or an object with a `source` kind";
    built.expect(
        1,
        &[
            &format!("error name-format {file}:1:11 the marketplace name `../../pwned` would leave the output folder | use letters, digits and `-`, such as `my-marketplace`"),
            &format!("error manifest-path {file}:2:31 `pluginRoot` is not a folder of the marketplace | write a folder such as `\"./plugins\"`"),
            &format!("error name-format {file}:4:15 the plugin name `../../../pwned` would leave the output folder | use letters, digits and `-`, such as `my-plugin`"),
            &format!("error manifest-path {file}:5:31 `source` leaves its folder | {folder}"),
            &format!("error manifest-path {file}:6:48 this path leaves its folder | start it with `./` and stay inside the plugin"),
        ],
    );
    for host in EVERY_HOST {
        let plugins = Tree::read(&built.path(&format!("out/{host}/plugins")));
        assert_eq!(plugins.top(), ["bad"], "{host}");
        assert!(!plugins.text().contains("secret.json") && !plugins.text().contains("pwned"), "{host}");
    }
}

#[test]
fn a_name_is_not_written_outside() {
    let manifest =
        "{ \"name\": \"bad\",\n\"commands\": { \"../../../pwned\": { \"source\": \"./go.md\" } }\n}\n";
    let source = Tree::new()
        .file(".claude-plugin/plugin.json", manifest)
        .file("go.md", skill("description: d"))
        .file("skills/x/SKILL.md", skill("name: ../../../pwned\ndescription: d"))
        .file("agents/x.md", skill("name: ../../../pwned\ndescription: d"));
    let built = BadSource::plugin(source).build();
    let reason_at = |place: &str| {
        format!(
            "error name-format {place} the name `../../../pwned` would leave the output folder | use letters, digits and `-`, such as `my-name`"
        )
    };
    built.expect(1, &[&reason_at(".claude-plugin/plugin.json:2:15"), &reason_at("agents/x.md:2:1")]);
    for host in EVERY_HOST {
        let plugins = Tree::read(&built.path(&format!("out/{host}/plugins")));
        assert!(!plugins.entries().any(|(path, _)| path.contains("pwned")), "{host}: {}", plugins.text());
        // On the source host the frontmatter stays as it is: no file is named by it.
        let is_kept = host == "claude-code";
        assert_eq!(plugins.text().contains("pwned"), is_kept, "{host}: {}", plugins.text());
        assert_eq!(["skills", "agents", "commands"].map(|kind| built.count(host, kind)), [2, 0, 0], "{host}");
    }
}
