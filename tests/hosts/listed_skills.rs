//! 17/11: the names of skills that a manifest or a marketplace lists, as the real source host shows them: by the folder where
//! the folder above is looked through, and by what the skill calls itself where its own folder is listed.

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

/// Holds that the source host and our bundle show exactly these skills, plugin by plugin.
#[track_caller]
fn shows(hosts: &Hosts, tree: &Tree, expected: &[&[&str]]) {
    let folder = tree.temporary();
    let source = folder.path().to_str().expect("UTF-8");
    let binary = format!("claude-code={}", installation(hosts, "claude-code").binary.display());
    let arguments = ["verify", source, "--to", "claude-code", "--host-bin", &binary, "--format", "json"];
    let finished = Plugcast::new(root(), &arguments).run().expect_code(0);
    let shown: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    let skills = |plugins: &Value, key: &str| -> Vec<Value> {
        plugins.as_array().into_iter().flatten().map(|plugin| plugin[key]["skills"].clone()).collect()
    };
    let expected: Vec<Value> = expected.iter().map(|names| json!(names)).collect();
    assert_eq!(skills(&shown["source"]["plugins"], "listed"), expected, "{shown:#}");
    assert_eq!(skills(&shown["hosts"][0]["plugins"], "observed"), expected, "{shown:#}");
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
    let tree = marketplace(skills(), json!([entry("own", json!(["./skills/land"]))]));
    let own = json!({ "name": "own", "skills": ["./other"] }).to_string();
    shows(&hosts, &tree.file(".claude-plugin/plugin.json", own), &[&["own:shore"]]);
}
