//! Every file that a plugin ships is compared, and belongs to what runs it.

use super::{changes, fields, json, text};
use crate::support::git::{committed, git, write};
use crate::support::tree::Tree;

const HOSTS: [&str; 3] = ["claude-code", "codex", "opencode"];

/// A plugin whose hook, server and skill run files of it.
fn plugin() -> Tree {
    let hooks = r#"{ "hooks": { "PreToolUse": [ { "matcher": "Bash", "hooks": [
        { "type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh\"" } ] } ] } }"#;
    let servers = r#"{ "mcpServers": { "tide": { "command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/server/index.js"] } } }"#;
    let plan = text("plan", "Plans work.", "") + "\nRun `sh ${CLAUDE_PLUGIN_ROOT}/scripts/sum.sh`.\n";
    Tree::new()
        .file(".claude-plugin/plugin.json", "{ \"name\": \"demo\", \"version\": \"1.0.0\" }\n")
        .file("skills/plan/SKILL.md", plan)
        .file("scripts/sum.sh", "echo 1\n")
        .file("hooks/hooks.json", hooks)
        .file("hooks/guard.sh", ". \"$(dirname \"$0\")/shared.sh\"\n")
        .file("hooks/shared.sh", "exit 0\n")
        .file(".mcp.json", servers)
        .file("server/index.js", "require('./tools.js')\n")
        .file("server/tools.js", "1\n")
        .file("assets/logo.svg", "<svg/>\n")
        .file("README.md", "# Demo\n")
}

#[test]
fn a_file_that_changes_belongs_to_what_runs_it() {
    let folder = committed(&plugin());
    let at = folder.path();
    for (path, owner, kind) in [
        ("hooks/guard.sh", "PreToolUse/Bash/1", "hook"),
        ("hooks/shared.sh", "PreToolUse/Bash/1", "hook"),
        ("server/index.js", "tide", "mcp-server"),
        ("server/tools.js", "tide", "mcp-server"),
        ("scripts/sum.sh", "demo:plan", "skill"),
    ] {
        write(at, path, "# another text\n");
        let report = json(at, &["HEAD", "--to", "all"]);
        for host in HOSTS {
            assert_eq!(changes(&report, host), [format!("changed {kind} {owner}")], "{path} on {host}");
            assert_eq!(fields(&report, host, owner), [format!("file {path}: - -> -")], "{path} on {host}");
        }
        assert_eq!(report["impact"], "patch", "{path}");
        git(at, &["checkout", "-q", "--", path]);
    }
}

/// A file that two scripts read, of which each belongs to another component.
#[test]
fn a_library_belongs_to_all_that_run_it() {
    let tree = plugin().file("scripts/sum.sh", ". \"$(dirname \"$0\")/../hooks/shared.sh\"\n");
    let folder = committed(&tree);
    write(folder.path(), "hooks/shared.sh", "# another text\n");
    let report = json(folder.path(), &["HEAD", "--to", "all"]);
    for host in HOSTS {
        assert_eq!(
            changes(&report, host),
            ["changed skill demo:plan", "changed hook PreToolUse/Bash/1"],
            "{host}"
        );
    }
}

/// A module is named without its extension.
#[test]
fn a_module_belongs_to_what_imports_it() {
    let hooks = r#"{ "hooks": { "Stop": [ { "hooks": [
        { "type": "command", "command": "python3 \"${CLAUDE_PLUGIN_ROOT}/scripts/run.py\"" } ] } ] } }"#;
    let tree = plugin()
        .file("hooks/hooks.json", hooks)
        .file("scripts/run.py", "from lib.common import x\n")
        .file("scripts/lib/__init__.py", "")
        .file("scripts/lib/common.py", "from . import deep\n")
        .file("scripts/lib/deep.py", "x = 1\n");
    let folder = committed(&tree);
    let at = folder.path();
    for path in ["scripts/lib/__init__.py", "scripts/lib/common.py", "scripts/lib/deep.py"] {
        write(at, path, "x = 2\n");
        let report = json(at, &["HEAD", "--to", "all"]);
        for host in HOSTS {
            assert_eq!(changes(&report, host), ["changed hook Stop/*/1"], "{path} on {host}");
        }
        git(at, &["checkout", "-q", "--", path]);
    }
}

#[test]
fn a_file_that_nobody_names_is_a_separate_item() {
    let folder = committed(&plugin());
    let at = folder.path();
    write(at, "assets/logo.svg", "<svg></svg>\n");
    let report = json(at, &["HEAD", "--to", "claude-code"]);
    assert_eq!(changes(&report, "claude-code"), ["changed file assets/logo.svg"]);
    assert_eq!(report["impact"], "patch");
    git(at, &["checkout", "-q", "--", "assets"]);
    // What tells people about a plugin needs no version.
    write(at, "README.md", "# Demo again\n");
    let report = json(at, &["HEAD", "--to", "claude-code"]);
    assert_eq!(changes(&report, "claude-code"), ["changed file README.md"]);
    assert_eq!(report["impact"], "none");
}

/// Issue 18, point 7: an agent that looks at the user's `README.md` does not change with the plugin's documents.
#[test]
fn a_document_that_a_text_mentions_is_not_what_it_runs() {
    let agent = "---\nname: scout\ndescription: Looks at a repository.\n---\nLook for a badge in README.md of the user's project.\n";
    let tree = plugin()
        .file("agents/scout.md", agent)
        .file("README.md", "# Demo\n\nSee [teams](docs/teams.md).\n")
        .file("docs/teams.md", "# Teams\n");
    let folder = committed(&tree);
    let at = folder.path();
    write(at, "docs/teams.md", "# Teams\n\nMore.\n");
    write(at, "README.md", "# Demo\n\nSee [the teams](docs/teams.md).\n");
    let report = json(at, &["HEAD", "--to", "all"]);
    for host in HOSTS {
        let changes = changes(&report, host);
        assert!(changes.iter().all(|change| change.starts_with("changed file ")), "{host}: {changes:?}");
    }
}

#[test]
fn a_command_that_becomes_a_skill_of_its_name_is_called_as_before() {
    let go = "---\ndescription: Goes.\n---\nGo on.\n";
    let folder = committed(&plugin().file("commands/go.md", go));
    let at = folder.path();
    git(at, &["rm", "-q", "commands/go.md"]);
    write(at, "skills/go/SKILL.md", &text("go", "Goes.", ""));
    let report = json(at, &["HEAD", "--to", "claude-code"]);
    assert_eq!(changes(&report, "claude-code"), ["changed skill demo:go"]);
    let found = fields(&report, "claude-code", "demo:go");
    assert!(found.contains(&"kind kind: command -> skill".to_owned()), "{found:?}");
    assert_eq!(report["impact"], "patch");
}

#[test]
fn a_beta_that_becomes_stable_is_promoted_and_breaks_nobody() {
    let folder = committed(&plugin().file("skills/sing-beta/SKILL.md", text("sing-beta", "Sings.", "")));
    let at = folder.path();
    git(at, &["mv", "skills/sing-beta", "skills/sing"]);
    write(at, "skills/sing/SKILL.md", &text("sing", "Sings.", ""));
    let report = json(at, &["HEAD", "--to", "all"]);
    for host in HOSTS {
        assert_eq!(changes(&report, host), ["promoted skill demo:sing-beta to demo:sing"], "{host}");
    }
    assert_eq!(report["impact"], "minor");

    // The beta takes the place of the stable one.
    let both = plugin()
        .file("skills/sing-beta/SKILL.md", text("sing-beta", "Sings.", ""))
        .file("skills/sing/SKILL.md", "---\nname: sing\ndescription: Sang.\n---\nOld.\n");
    let folder = committed(&both);
    let at = folder.path();
    git(at, &["rm", "-q", "-r", "skills/sing-beta"]);
    write(at, "skills/sing/SKILL.md", &text("sing", "Sings.", ""));
    let report = json(at, &["HEAD", "--to", "claude-code"]);
    assert_eq!(changes(&report, "claude-code"), ["promoted skill demo:sing-beta to demo:sing"]);
}

/// The usual folder of bundles may hold the plugins that a marketplace lists: a changed skill was "nothing differs".
#[test]
fn plugins_that_a_marketplace_lists_in_dist_are_compared() {
    let listing = "{ \"name\": \"shop\", \"owner\": { \"name\": \"me\" }, \"plugins\": [{ \"name\": \"demo\", \"source\": \"./dist/plugins/demo\" }] }\n";
    let folder = committed(
        &Tree::new()
            .file(".claude-plugin/marketplace.json", listing)
            .file("dist/plugins/demo/skills/plan/SKILL.md", text("plan", "Plans work.", "")),
    );
    let at = folder.path();
    write(at, "dist/plugins/demo/skills/plan/SKILL.md", &(text("plan", "Plans work.", "") + "More.\n"));
    assert_eq!(
        changes(&json(at, &["HEAD", "--to", "claude-code"]), "claude-code"),
        ["changed skill demo:plan"]
    );
    git(at, &["commit", "-qam", "more"]);
    assert_eq!(
        changes(&json(at, &["HEAD~1", "HEAD", "--to", "claude-code"]), "claude-code"),
        ["changed skill demo:plan"]
    );
}

#[test]
fn files_of_one_name_in_several_plugins_are_each_told() {
    let listing = r#"{ "name": "shop", "owner": { "name": "Us" }, "plugins": [
        { "name": "one", "source": "./one" }, { "name": "two", "source": "./two" } ] }"#;
    let mut tree = Tree::new().file(".claude-plugin/marketplace.json", listing);
    for name in ["one", "two"] {
        tree = tree
            .file(&format!("{name}/.claude-plugin/plugin.json"), format!("{{ \"name\": \"{name}\" }}\n"))
            .file(&format!("{name}/skills/plan/SKILL.md"), text("plan", "Plans work.", ""));
    }
    let folder = committed(&tree.file("one/src/__init__.py", ""));
    let at = folder.path();
    git(at, &["rm", "-q", "one/src/__init__.py"]);
    for name in ["one", "two"] {
        write(at, &format!("{name}/README.md"), &format!("# {name}\n"));
        write(at, &format!("{name}/tests/__init__.py"), "");
    }
    let shown = super::run(at, &["HEAD", "--to", "claude-code"]).expect_code(0).stdout;
    for line in [
        "\nremoved\n  file src/__init__.py of one\n",
        "\n  file README.md of one\n  file README.md of two\n",
        "\n  file tests/__init__.py of one\n  file tests/__init__.py of two\n",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    assert!(!shown.contains("renamed"), "{shown}");
}
