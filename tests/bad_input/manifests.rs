//! Manifests and marketplace files that are broken, mistyped or point nowhere.

use super::names::nothing_written;
use super::source::{BadSource, skill};
use crate::support::tree::Tree;

const JSON: &str = "write strict JSON: no comments, no trailing commas, keys in double quotes, control characters as `\\u0001`";

fn with_manifest(text: &str) -> BadSource {
    BadSource::plugin(Tree::new().file(".claude-plugin/plugin.json", text))
}

#[test]
fn a_plugin_without_a_manifest_takes_the_name_of_its_folder() {
    let source =
        || BadSource::bare(Tree::new().file("skills/ok/SKILL.md", skill("name: ok\ndescription: Works.")));
    for (given, name) in [(None, "src"), (Some("given"), "given")] {
        let built = match given {
            Some(given) => source().option("--name", given).build(),
            None => source().build(),
        };
        built.expect(0, &[]);
        assert!(built.path(&format!("out/codex/plugins/{name}/skills/ok/SKILL.md")).is_file());
    }
}

#[test]
fn a_manifest_without_a_name_is_shown_with_the_key_that_was_meant() {
    for (text, place, help) in [
        ("{\n  \"nme\": \"bad\"\n}\n", "2:3", "did you mean `name` instead of `nme`?"),
        ("{ \"version\": \"1.0.0\" }\n", "1:1", "add `name`, or pass `--name`"),
    ] {
        let finding = format!(
            "error name-missing .claude-plugin/plugin.json:{place} the manifest has no `name` | {help}"
        );
        with_manifest(text).build().expect(1, &[&finding]);
    }
    with_manifest("{}").option("--name", "bad").build().expect(0, &[]);
}

#[test]
fn broken_json_is_shown_where_it_breaks() {
    let text = "{ \"name\": \"bad\",\n  \"version\": }\n";
    let finding = format!(
        "error json-syntax .claude-plugin/plugin.json:2:14 invalid JSON: unexpected close brace | {JSON}"
    );
    let built = with_manifest(text).build();
    built.expect(1, &[&finding]);
    nothing_written(&built);

    let built = with_manifest(text).option("--name", "bad").build();
    built.expect(1, &[&finding]);
    let emitted = built.emitted("claude-code", ".claude-plugin/plugin.json");
    let emitted: serde_json::Value = serde_json::from_str(&emitted).expect("never a broken manifest");
    assert_eq!(emitted["name"], "bad");
}

#[test]
fn wrong_types_are_named_and_not_carried() {
    let text = "{ \"name\": \"bad\", \"version\": [\"1\"], \"description\": {}, \"keywords\": \"x\", \"author\": [] }\n";
    let built = with_manifest(text).build();
    built.expect(
        1,
        &[
            "error manifest-field .claude-plugin/plugin.json:1:29 `version` must be text, found a list | write `version` as text",
            "error manifest-field .claude-plugin/plugin.json:1:51 `description` must be text, found a mapping | write `description` as text",
            "error manifest-field .claude-plugin/plugin.json:1:67 `keywords` must be a list, found text | write `\"keywords\": [\"…\", \"…\"]`",
            "error manifest-field .claude-plugin/plugin.json:1:82 `author` must be a mapping, found a list | write `author` as a mapping",
        ],
    );
    for (host, file) in [
        ("claude-code", ".claude-plugin/plugin.json"),
        ("codex", ".codex-plugin/plugin.json"),
        ("opencode", "package.json"),
    ] {
        let emitted: serde_json::Value = serde_json::from_str(&built.emitted(host, file)).unwrap();
        for key in ["version", "description", "keywords", "author"] {
            assert!(emitted.get(key).is_none(), "{host}: `{key}` would be refused: {emitted}");
        }
    }
}

#[test]
fn a_name_of_the_wrong_type_is_the_one_finding() {
    let built = with_manifest("{ \"name\": 5 }\n").build();
    built.expect(
        1,
        &["error manifest-field .claude-plugin/plugin.json:1:11 `name` must be text, found a number | write `name` as text"],
    );
    nothing_written(&built);
}

#[test]
fn paths_that_leave_and_missing_paths_are_reported() {
    let text = "{ \"name\": \"bad\", \"skills\": [\"../../etc\", \"./gone\"], \"agents\": [\"./none.md\", 7], \"commands\": \"./nope/\" }\n";
    with_manifest(text).build().expect(
        1,
        &[
            "error manifest-path .claude-plugin/plugin.json:1:29 this path does not start with `./` | start it with `./` and stay inside the plugin",
            "error manifest-target-missing .claude-plugin/plugin.json:1:42 `gone` does not exist in the source | fix the path, or remove the entry",
            "error manifest-target-missing .claude-plugin/plugin.json:1:64 `none.md` does not exist in the source | fix the path, or remove the entry",
            "error manifest-path .claude-plugin/plugin.json:1:77 this path is not text | start it with `./` and stay inside the plugin",
            "error manifest-target-missing .claude-plugin/plugin.json:1:93 `nope` does not exist in the source | fix the path, or remove the entry",
        ],
    );
}

#[test]
fn a_marketplace_names_every_entry_that_cannot_be_built() {
    let listing = r#"{ "name": "m", "plugins": [
  { "name": "a", "source": "./a" },
  { "name": "gone", "source": "./gone" },
  { "name": "up", "source": "../up" },
  { "name": "root", "source": "/etc" },
  { "source": "./a" },
  { "name": "nosource" },
  { "name": "a", "source": "./b" }
] }
"#;
    let one = || skill("description: d");
    let source = Tree::new()
        .file(".claude-plugin/marketplace.json", listing)
        .file("a/skills/s/SKILL.md", one())
        .file("b/skills/s/SKILL.md", one());
    let built = BadSource::bare(source).beside(Tree::new().file("up/skills/s/SKILL.md", one())).build();
    let folder = "write a folder such as `\"./plugins/name\"`, or an object with a `source` kind";
    built.expect(
        1,
        &[
            "error marketplace-source-missing .claude-plugin/marketplace.json:3:31 `gone` is listed at `gone`, which does not exist | fix the path, or remove the entry",
            &format!("error manifest-path .claude-plugin/marketplace.json:4:29 `source` does not start with `./` | {folder}"),
            &format!("error manifest-path .claude-plugin/marketplace.json:5:31 `source` does not start with `./` | {folder}"),
            "error manifest-field .claude-plugin/marketplace.json:6:3 a plugin of the marketplace has no `name` | add `\"name\": \"…\"`",
            &format!("error manifest-field .claude-plugin/marketplace.json:7:3 `source` is missing | {folder}"),
            "error marketplace-duplicate .claude-plugin/marketplace.json:8:13 the marketplace lists `a` twice; only the first entry is used | rename or remove one of them",
        ],
    );
    for host in super::EVERY_HOST {
        assert_eq!(built.count(host, "skills"), 1, "{host}");
    }
}

/// Claude Code 2.1.330 refuses to add a marketplace of these names, and installs no plugin of a kind that it does not know.
#[test]
fn what_the_source_host_refuses_of_a_marketplace_is_said_by_a_build() {
    let listing = r#"{ "name": "inline", "owner": { "name": "Us" }, "plugins": [
  { "name": "a", "source": { "source": "directory", "path": "./a" } },
  { "name": "b", "source": { "source": "shelf", "id": "b" } }
] }
"#;
    let source = Tree::new()
        .file(".claude-plugin/marketplace.json", listing)
        .file("a/skills/s/SKILL.md", skill("description: d"));
    let built = BadSource::bare(source).build();
    built.expect(
        1,
        &[
            "error marketplace-reserved-name .claude-plugin/marketplace.json:1:11 Claude Code reserves the marketplace name `inline` | choose another name; the host refuses third-party marketplaces with this one [claude-code]",
            "error manifest-field .claude-plugin/marketplace.json:2:28 unknown source kind `directory`, which the host does not install | write `\"source\": \"./a\"`",
            "warning manifest-field .claude-plugin/marketplace.json:3:28 unknown source kind `shelf`, which the host does not install | one of: github, url, git-subdir, npm, archive, command",
        ],
    );
    for host in super::EVERY_HOST {
        assert_eq!(built.count(host, "skills"), 1, "{host}");
        let row = built.row(host, |row| row["kind"] == "marketplace-entry" && row["name"] == "b");
        assert_eq!(row["reason"], "the source host installs no `shelf` sources either", "{host}");
    }
}

#[test]
fn a_reserved_name_from_an_option_or_the_only_plugin_is_said_too() {
    let help = "pass another one as `--marketplace`, or set `marketplace` under `[build]` in `plugcast.toml`";
    let finding = |name: &str| {
        format!(
            "error marketplace-reserved-name .:1:1 Claude Code reserves the marketplace name `{name}` | {help} [claude-code]"
        )
    };
    BadSource::plugin(Tree::new())
        .option("--marketplace", "builtin")
        .build()
        .expect(1, &[&finding("builtin")]);
    BadSource::plugin(Tree::new())
        .option("--to", "codex")
        .option("--marketplace", "builtin")
        .build()
        .expect(0, &[]);
    let named =
        Tree::new().file(".claude-plugin/plugin.json", "{ \"name\": \"inline\", \"version\": \"1.0.0\" }\n");
    BadSource::plugin(named).build().expect(1, &[&finding("inline")]);
}
