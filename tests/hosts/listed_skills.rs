//! 17/11: what a manifest or a marketplace lists, as the real source host shows it: skills by the folder where the folder
//! above is looked through, and by what the skill calls itself where its own folder is listed; agents and commands of an
//! entry beside those of the plugin.

use serde_json::{Value, json};

use super::stage::installation;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::root;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

fn skill(tree: Tree, folder: &str, name: &str) -> Tree {
    let text = format!("---\nname: {name}\ndescription: Watches the {name}.\n---\nWatch.\n");
    tree.file(&format!("{folder}/SKILL.md"), text)
}

fn manifest(tree: Tree, plugin: &str, skills: Value) -> Tree {
    let name = plugin.rsplit('/').next().unwrap_or_default();
    let document = json!({ "name": name, "skills": skills });
    tree.file(&format!("{plugin}/.claude-plugin/plugin.json"), document.to_string())
}

fn marketplace(tree: Tree, plugins: Value) -> Tree {
    let document = json!({ "name": "shelf", "owner": { "name": "Ann" }, "plugins": plugins });
    tree.file(".claude-plugin/marketplace.json", document.to_string())
}

/// Holds that the source host and our bundle show exactly these skills, commands and agents, plugin by plugin.
#[track_caller]
fn shows(hosts: &Hosts, tree: &Tree, expected: &[&[&str]]) {
    let folder = tree.temporary();
    let source = folder.path().to_str().expect("UTF-8");
    let binary = format!("claude-code={}", installation(hosts, "claude-code").binary.display());
    let arguments = ["verify", source, "--to", "claude-code", "--host-bin", &binary, "--format", "json"];
    let finished = Plugcast::new(root(), &arguments).run().expect_code(0);
    let shown: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    let names = |plugins: &Value, key: &str| -> Vec<Vec<String>> {
        let of_plugin = |plugin: &Value| {
            let kinds = ["skills", "commands", "agents"].into_iter();
            let names = kinds.flat_map(|kind| plugin[key][kind].as_array().cloned().unwrap_or_default());
            let mut names: Vec<String> = names.filter_map(|name| name.as_str().map(str::to_owned)).collect();
            names.sort();
            names
        };
        plugins.as_array().into_iter().flatten().map(of_plugin).collect()
    };
    assert_eq!(names(&shown["source"]["plugins"], "listed"), expected, "{shown:#}");
    assert_eq!(names(&shown["hosts"][0]["plugins"], "observed"), expected, "{shown:#}");
}

#[test]
fn a_listed_folder_is_named_by_its_skill_and_one_below_a_listed_folder_by_itself() {
    let hosts = real_hosts!();
    let mut tree = Tree::new();
    for plugin in ["above", "both", "direct", "usual"] {
        let parent = if plugin == "usual" { "skills" } else { "pack" };
        tree = skill(tree, &format!("{plugin}/{parent}/sea"), "ocean");
        tree = skill(tree, &format!("{plugin}/{parent}/land"), "shore");
    }
    tree = manifest(tree, "above", json!(["./pack"]));
    tree = manifest(tree, "both", json!(["./pack", "./pack/sea"]));
    tree = manifest(tree, "direct", json!(["./pack/land", "./pack/sea"]));
    tree = manifest(tree, "usual", json!(["./skills/sea"]));
    let plugins = ["above", "both", "direct", "usual"];
    let plugins: Vec<Value> =
        plugins.iter().map(|name| json!({ "name": name, "source": format!("./{name}") })).collect();
    let tree = marketplace(tree, json!(plugins));
    shows(
        &hosts,
        &tree,
        &[
            &["above:land", "above:sea"],
            &["both:land", "both:ocean"],
            &["direct:ocean", "direct:shore"],
            &["usual:land", "usual:sea"],
        ],
    );
}

#[test]
fn what_an_entry_at_the_root_lists_takes_the_place_of_every_other_skill() {
    let hosts = real_hosts!();
    let skills = || {
        let tree = skill(skill(Tree::new(), "skills/sea", "ocean"), "skills/land", "shore");
        skill(tree, "other/sky", "air")
    };
    let entry = |name: &str, skills: Value| json!({ "name": name, "source": "./", "strict": false, "skills": skills });
    let two =
        json!([entry("dry", json!(["./skills/land"])), entry("wet", json!(["./skills/sea", "./other"]))]);
    shows(&hosts, &marketplace(skills(), two), &[&["dry:shore"], &["wet:ocean", "wet:sky"]]);
    let all = json!([entry("all", json!(["./skills/land", "./skills"]))]);
    shows(&hosts, &marketplace(skills(), all), &[&["all:land", "all:sea"]]);
    // Where the manifest declares skills, too, the entry takes their place, or is refused if it is not strict.
    let own = json!({ "name": "own", "skills": ["./other"] }).to_string();
    let strict = json!([{ "name": "own", "source": "./", "skills": ["./skills/land"] }]);
    let lax = json!([entry("own", json!(["./skills/land"]))]);
    for (plugins, expected) in [(strict, &["own:shore"][..]), (lax, &["own:land", "own:sea", "own:sky"])] {
        let tree = marketplace(skills(), plugins);
        shows(&hosts, &tree.file(".claude-plugin/plugin.json", &own), &[expected]);
    }
}

#[test]
fn agents_and_commands_of_an_entry_are_added_to_those_of_the_plugin() {
    let hosts = real_hosts!();
    let mut tree = Tree::new();
    for plugin in ["bare", "own"] {
        for (path, name) in
            [("agents/deep/judge", "judge"), ("agents/scout", "scout"), ("more/pilot", "pilot")]
        {
            let text = format!("---\nname: {name}\ndescription: Is the {name}.\n---\nLook.\n");
            tree = tree.file(&format!("{plugin}/{path}.md"), text);
        }
        for path in ["commands/deep/dive", "commands/go", "extra/stop"] {
            tree = tree.file(&format!("{plugin}/{path}.md"), "---\ndescription: Does it.\n---\nDo it.\n");
        }
    }
    let entry = |name: &str| {
        let (agents, commands) =
            (["./more/pilot.md", "./agents/deep/judge.md"], ["./extra", "./commands/go.md"]);
        json!({ "name": name, "source": format!("./{name}"), "agents": agents, "commands": commands })
    };
    let manifest =
        json!({ "name": "own", "agents": ["./agents/scout.md"], "commands": ["./commands/go.md"] })
            .to_string();
    let tree = marketplace(tree, json!([entry("bare"), entry("own")]));
    shows(
        &hosts,
        &tree.file("own/.claude-plugin/plugin.json", manifest),
        &[
            &["bare:deep:dive", "bare:deep:judge", "bare:go", "bare:pilot", "bare:scout", "bare:stop"],
            &["own:go", "own:judge", "own:pilot", "own:scout", "own:stop"],
        ],
    );
}

/// Skills that belong to no plugin, one of them in a folder `agents`: other files there are not components.
#[test]
fn what_lies_beside_skills_of_no_plugin_is_shown_by_neither() {
    let hosts = real_hosts!();
    let workflow = "export const meta = { name: 'tour', description: 'Tours.' };\nawait agent('Tour.');\n";
    let tree = Tree::new()
        .file("plugcast.toml", "[build]\nname = \"kit\"\n")
        .file("commands/notes.md", "---\ndescription: Notes.\n---\nNotes.\n")
        .file("workflows/tour.js", workflow);
    let tree = skill(skill(tree, "agents", "agents"), "plan", "plan");
    shows(&hosts, &tree, &[&["kit:agents", "kit:plan"]]);
}
