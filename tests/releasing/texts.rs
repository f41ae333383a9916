//! Versions, changelogs and counts: where each is wrong, and what `--fix` makes of it.

use super::{
    NONE, changelog, committed, found, git, json, manifest, message, plugin, released, run, skill, state,
    write,
};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

#[test]
fn versions_are_equal_wherever_they_stand() {
    let listing = |version: &str| {
        format!(
            "{{\n  \"name\": \"shop\",\n  \"owner\": {{ \"name\": \"Us\" }},\n  \"plugins\": [\n    {{ \"name\": \"demo\", \"source\": \"./\", \"version\": \"{version}\" }}\n  ]\n}}\n"
        )
    };
    let tree = plugin()
        .file(".claude-plugin/marketplace.json", listing("1.0.1"))
        .file(".codex-plugin/plugin.json", manifest("demo", "1.0.2"))
        .file(".cursor-plugin/plugin.json", manifest("demo", "1.0.3"))
        .file(".cursor-plugin/marketplace.json", listing("1.0.4"))
        .file("package.json", "{\n  \"version\": \"1.0.5\", \"private\": true\n}\n")
        .file("Cargo.toml", "[package]\nname = \"demo\"\nversion = \"1.0.6\" # kept\n")
        .file("pyproject.toml", "[project]\nname = \"demo\"\nversion = '1.0.7'\n")
        .file("docs/VERSION", "v1.0.8\n")
        .file("docs/site.toml", "[params]\nrelease = \"1.0.9\"\n")
        .file(
            "plugcast.toml",
            "[release]\nversions = [\"docs/VERSION\", \"docs/site.toml#params.release\"]\n",
        );
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    let wanted = [
        ".claude-plugin/marketplace.json:5 error version-differs",
        ".codex-plugin/plugin.json:3 error version-differs",
        ".cursor-plugin/marketplace.json:5 error version-differs",
        ".cursor-plugin/plugin.json:3 error version-differs",
        "Cargo.toml:3 error version-differs",
        "docs/VERSION:1 error version-differs",
        "docs/site.toml:2 error version-differs",
        "package.json:2 error version-differs",
        "pyproject.toml:3 error version-differs",
    ];
    assert_eq!(found(at, &[]), wanted);
    let safe = json(at, &["--fix"]);
    assert_eq!((&safe["summary"]["fixed"], &safe["summary"]["unsafe_fixable"]), (&0.into(), &9.into()));
    let fixed = json(at, &["--fix", "--unsafe-fixes"]);
    assert_eq!(fixed["summary"]["fixed"], 9, "{fixed:#}");
    assert_eq!(found(at, &[]), NONE);
    let changed = git(at, &["diff", "--stat", "--numstat"]);
    assert_eq!(
        changed.lines().filter(|line| line.starts_with("1\t1\t")).count(),
        9,
        "one line per file: {changed}"
    );
    assert!(std::fs::read_to_string(at.join("Cargo.toml")).unwrap().contains("version = \"1.0.0\" # kept\n"));
    assert!(std::fs::read_to_string(at.join("docs/VERSION")).unwrap() == "v1.0.0\n");
}

#[test]
fn a_version_is_there_and_semantic() {
    let bare = Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"demo\" }\n")
        .file("skills/plan/SKILL.md", skill("plan"));
    let folder = committed(&bare);
    let at = folder.path();
    assert_eq!(found(at, &[])[0], ".claude-plugin/plugin.json:1 error version-missing");
    write(at, ".claude-plugin/plugin.json", &manifest("demo", "1.0"));
    assert!(found(at, &[]).contains(&".claude-plugin/plugin.json:3 error version-format".to_owned()));
    run(at, &[]).expect_code(1);
}

#[test]
fn a_version_file_of_an_unknown_form_is_said() {
    let config = "[release]\nversions = [\"notes.txt\", \"gone.json\", \"other.json\", \"x.xml#a.b\"]\n";
    let tree = plugin()
        .file("plugcast.toml", config)
        .file("notes.txt", "\nThis is release one.\n")
        .file("x.xml", "<a/>\n")
        .file("other.json", "{ \"name\": \"x\" }\n")
        .file("package.json", "{\n  \"version\": 1\n}\n")
        .file("Cargo.toml", "[package\n");
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    let before = state(at);
    let wanted = [
        "Cargo.toml:1 error version-file",
        "gone.json:1 error version-file",
        "notes.txt:1 error version-file",
        "other.json:1 error version-file",
        "package.json:2 error version-file",
        "x.xml:1 error version-file",
    ];
    assert_eq!(found(at, &["--fix"]), wanted);
    assert_eq!(state(at), before, "nothing that cannot be read is changed");
}

#[test]
fn the_changelog_has_an_entry_in_a_form_that_is_known() {
    for entry in [
        "## 1.0.1\n\nx\n",
        "## v1.0.1 (2026-01-31)\n\nx\n",
        "## [1.0.1] - 2026-01-31\n\n### Added\n\n- x\n",
        "## [1.0.1](https://example.org/compare/v1.0.0...v1.0.1) (2026-01-31)\n\n### Features\n\n* x\n",
        "# 1.0.1\n\nx\n",
    ] {
        let folder = released();
        let at = folder.path();
        write(at, ".claude-plugin/plugin.json", &manifest("demo", "1.0.1"));
        assert_eq!(found(at, &[]), ["CHANGELOG.md:3 error changelog-entry"]);
        let finding = message(at, "changelog-entry", &[]);
        assert!(
            finding.contains("no entry for `1.0.1` of `demo`; its first is `## 1.0.0`; add `## 1.0.1`"),
            "{finding}"
        );
        write(at, "CHANGELOG.md", &format!("# Changelog\n\n{entry}\n## 1.0.0\n\n- x\n"));
        assert_eq!(found(at, &[]), NONE, "{entry}");
        write(at, "CHANGELOG.md", &format!("# Changelog\n\n{}\n\n## 1.0.0\n", entry.lines().next().unwrap()));
        assert_eq!(found(at, &[]), ["CHANGELOG.md:3 error changelog-entry"], "nothing under {entry}");
    }
    let folder = released();
    let at = folder.path();
    write(at, "plugcast.toml", "[release]\nchangelog-form = \"keep-a-changelog\"\n");
    assert_eq!(found(at, &[]), ["CHANGELOG.md:3 error changelog-form"]);
    write(at, "plugcast.toml", "[release]\nchangelog = \"docs/NEWS.md\"\n");
    assert_eq!(found(at, &[]), ["docs/NEWS.md:1 error changelog-missing"]);
    write(at, "docs/NEWS.md", "# News\n\n## 1.0.0\n\nx\n");
    assert_eq!(found(at, &[]), NONE);
    write(at, "plugcast.toml", "");
    std::fs::remove_file(at.join("CHANGELOG.md")).unwrap();
    // The news are a file like any other now.
    let wanted = [
        ".claude-plugin/plugin.json:1 warning changelog-missing",
        ".claude-plugin/plugin.json:3 info unreleased",
    ];
    assert_eq!(found(at, &[]), wanted);
    run(at, &[]).expect_code(0);
}

#[test]
fn counts_in_readmes_are_true() {
    let folder = released();
    let at = folder.path();
    write(at, "README.md", "# Demo\n\nIt brings 3 skills.\n\n| Kind | Count |\n|---|---|\n| Agents | 2 |\n");
    let wanted = ["README.md:3 error readme-count", "README.md:7 error readme-count"];
    assert_eq!(found(at, &[]), wanted);
    assert_eq!(json(at, &["--fix"])["summary"]["fixed"], 0);
    assert_eq!(json(at, &["--fix", "--unsafe-fixes"])["summary"]["fixed"], 2);
    let text = std::fs::read_to_string(at.join("README.md")).unwrap();
    assert_eq!(text, "# Demo\n\nIt brings 1 skill.\n\n| Kind | Count |\n|---|---|\n| Agents | 0 |\n");
}

#[test]
fn tables_in_readmes_name_what_is_there() {
    let folder = released();
    let at = folder.path();
    for name in ["work", "review"] {
        write(at, &format!("skills/{name}/SKILL.md"), &skill(name));
    }
    git(at, &["add", "."]);
    git(at, &["commit", "-qm", "more"]);
    git(at, &["tag", "-f", "v1.0.0"]);
    let table = "# Demo\n\n| Skill | What |\n|---|---|\n| `/plan` | a |\n| [`work`](skills/work) | b |\n| `/ship` | c |\n";
    write(at, "README.md", table);
    let wanted = ["README.md:7 error readme-table", "README.md:7 error readme-table"];
    assert_eq!(found(at, &["--fix", "--unsafe-fixes"]), wanted, "rows are nothing to repair alone");
    assert_eq!(std::fs::read_to_string(at.join("README.md")).unwrap(), table);
    let report = json(at, &[]);
    let finding: Vec<String> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| format!("{}; {}", found["message"].as_str().unwrap(), found["help"].as_str().unwrap()))
        .collect();
    assert!(
        finding.iter().any(|finding| finding
            .starts_with("the README lists the skill `ship`, but `demo` has no such skill; remove the row")),
        "{finding:?}"
    );
    let left_out = "the README lists 2 of the 3 skills of `demo`, and leaves out `review`; add `review`, which `skills/review/SKILL.md` describes";
    assert!(finding.iter().any(|finding| finding.starts_with(left_out)), "{finding:?}");
    for right in
        ["| `/ship` | c |\n".to_owned() + "\nIt reviews by `review`.\n", "| `review` | c |\n".to_owned()]
    {
        let text = table.replace("| `/ship` | c |\n", &right).replace("`/ship`", "`demo:review`");
        write(at, "README.md", &text);
        assert_eq!(found(at, &[]), NONE, "{text}");
    }
    write(at, "README.md", "## Skills\n\n- **plan** - a\n- **work** - b\n- **ship**: c\n\nAlso review.\n");
    assert_eq!(found(at, &[]), ["README.md:5 error readme-table"]);
    // A list whose rows mostly name other things does not list components.
    write(at, "README.md", "## Skills\n\n- `plan`\n- `npm`\n- `node`\n\nAlso review and work.\n");
    assert_eq!(found(at, &[]), NONE);
}

#[test]
fn the_readme_of_a_marketplace_is_about_all_plugins() {
    let entry = |name: &str| format!("{{ \"name\": \"{name}\", \"source\": \"./plugins/{name}\" }}");
    let listing = format!(
        "{{ \"name\": \"shop\", \"owner\": {{ \"name\": \"Us\" }}, \"plugins\": [ {}, {}, {} ] }}\n",
        entry("alpha"),
        entry("beta"),
        entry("gamma")
    );
    let mut tree = Tree::new()
        .file(".claude-plugin/marketplace.json", listing)
        .file("CHANGELOG.md", changelog(&["1.0.0"]));
    for (name, skills) in [("alpha", &["one", "two"][..]), ("beta", &["three"]), ("gamma", &["four"])] {
        tree = tree.file(&format!("plugins/{name}/.claude-plugin/plugin.json"), manifest(name, "1.0.0"));
        for own in skills {
            tree = tree.file(&format!("plugins/{name}/skills/{own}/SKILL.md"), skill(own));
        }
    }
    let text = "# Shop\n\n5 plugins with 4 skills and 1 agent.\n\n## Plugins\n\n| Plugin | Skills |\n|---|---:|\n| [alpha](plugins/alpha) | 2 |\n| [beta](plugins/beta) | 2 |\n| [delta](plugins/delta) | 1 |\n\n## alpha\n\nIt has 3 skills.\n\n| Skill | What |\n|---|---|\n| `one` | a |\n| `two` | b |\n| `five` | c |\n\n## Examples\n\nSay that you need 7 skills.\n";
    let folder = committed(&tree.file("README.md", text));
    let at = folder.path();
    for name in ["alpha", "beta", "gamma"] {
        git(at, &["tag", &format!("{name}-v1.0.0")]);
    }
    let wanted = [
        "README.md:3 error readme-count",
        "README.md:3 error readme-count",
        "README.md:10 error readme-count",
        "README.md:11 error readme-table",
        "README.md:11 error readme-table",
        "README.md:15 error readme-count",
        "README.md:21 error readme-table",
    ];
    assert_eq!(found(at, &[]), wanted);
    assert_eq!(json(at, &["--fix", "--unsafe-fixes"])["summary"]["fixed"], 4);
    let fixed = std::fs::read_to_string(at.join("README.md")).unwrap();
    for line in [
        "3 plugins with 4 skills and 0 agents.\n",
        "| [beta](plugins/beta) | 1 |\n",
        "It has 2 skills.\n",
        "you need 7 skills",
    ] {
        assert!(fixed.contains(line), "{line} in {fixed}");
    }
    // A row may say more than its name: its author removes it.
    write(at, "plugcast.toml", "[check]\nselect = [\"readme-table\"]\n");
    Plugcast::new(at, &["check", "--fix", "--unsafe-fixes"]).run();
    let kept = std::fs::read_to_string(at.join("README.md")).unwrap();
    assert_eq!(kept, fixed);
    let shown = Plugcast::new(at, &["check"]).run().stdout;
    assert!(shown.contains("leaves out `gamma`") && shown.contains(" --> README.md:11"), "{shown}");
}

/// Issue 18, point 2: counts were multiplied away, and versions of other packages set.
#[test]
fn no_fix_touches_text_that_is_not_a_count_or_version_of_the_plugin() {
    let readme = "# Demo\n\nA run costs 5 agents × $0.03, or 3 agents at $0.10 each.\n";
    let tree = plugin()
        .file("README.md", readme)
        .file("package.json", "{\n  \"name\": \"@acme/site\",\n  \"version\": \"7.0.0\"\n}\n")
        .file("Cargo.toml", "[package]\nname = \"shower\"\nversion = \"0.1.0\"\n")
        .file("pyproject.toml", "[project]\nname = \"demo-tools\"\nversion = \"2.0.0\"\n")
        .file(".codex-plugin/plugin.json", manifest("demo", "0.9.0"));
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    let (older, newer) =
        (".codex-plugin/plugin.json:3 error version-differs", "pyproject.toml:3 error version-differs");
    assert_eq!(found(at, &[]), [older, newer]);
    assert_eq!(found(at, &["--fix"]), [newer], "what is older follows, and what is newer is not set back");
    assert_eq!(git(at, &["diff", "--name-only"]).trim(), ".codex-plugin/plugin.json");
    assert!(run(at, &["--unsafe-fixes"]).expect_code(2).stderr.contains("--fix"));
}

#[test]
fn the_version_of_a_package_that_is_not_called_like_the_plugin_is_not_set_unasked() {
    let tree = plugin().file("pyproject.toml", "[project]\nname = \"demo-hooks\"\nversion = \"0.1.0\"\n");
    let folder = committed(&tree);
    let at = folder.path();
    git(at, &["tag", "v1.0.0"]);
    let wanted = ["pyproject.toml:3 error version-differs"];
    assert_eq!(found(at, &["--fix"]), wanted);
    assert_eq!(json(at, &["--fix", "--unsafe-fixes"])["summary"]["fixed"], 1);
}
