//! 25/08 and 25/09: the real hosts take every skill of `tests/cases/damaged`, whose frontmatter readers of YAML refuse or take
//! in different ways. Names come from the folders of the source.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::stage::installation;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::root;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// What `verify` sees of the bundle for `host`.
fn seen(hosts: &Hosts, host: &str) -> Value {
    let folder = Tree::new().temporary();
    let (source, out) = (folder.path().join("in"), folder.path().join("out"));
    Tree::read(&root().join("tests/cases/damaged/in")).write(&source);
    let paths = [&source, &out].map(|path| path.to_str().expect("UTF-8"));
    Plugcast::new(folder.path(), &["build", paths[0], "--to", host, "--out", paths[1]]).run().expect_code(0);
    let binary = format!("{host}={}", installation(hosts, host).binary.display());
    let ripgrep = format!("rg={}", hosts.ripgrep.join("rg").display());
    let arguments = ["verify", paths[1], "--host-bin", &binary, "--host-bin", &ripgrep, "--format", "json"];
    let finished = Plugcast::new(folder.path(), &arguments).run();
    let shown: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    shown["hosts"][0]["plugins"][0].clone()
}

/// Every skill is listed, and the host complains of none.
fn takes_all(hosts: &Hosts, host: &str) {
    let plugin = seen(hosts, host);
    let folders = fs::read_dir(root().join("tests/cases/damaged/in/skills")).expect("the skills").flatten();
    let names = folders.map(|entry| format!("damaged:{}", entry.file_name().to_string_lossy()));
    let names: BTreeSet<String> = names.collect();
    let observed = plugin["observed"]["skills"].as_array().expect("a list").iter();
    let observed: BTreeSet<String> = observed.filter_map(|name| name.as_str().map(str::to_owned)).collect();
    assert_eq!(observed, names, "{host}: {plugin:#}");
    assert_eq!(plugin["errors"], serde_json::json!([]), "{host}: {plugin:#}");
}

#[test]
fn codex_takes_every_damaged_skill() {
    takes_all(&real_hosts!(), "codex");
}

#[test]
fn opencode_takes_every_damaged_skill() {
    takes_all(&real_hosts!(), "opencode");
}

#[test]
fn claude_code_refuses_no_damaged_skill() {
    let hosts = real_hosts!();
    let plugin = seen(&hosts, "claude-code");
    let refused = plugin["errors"].as_array().expect("a list").iter();
    let refused: Vec<&Value> =
        refused.filter(|error| error.as_str().is_some_and(|error| error.contains("refuses"))).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    let named = plugin["missing"].as_array().expect("a list");
    for name in
        ["described-by-a-list", "described-by-a-mapping", "described-by-a-tag", "granted-a-number", "merged"]
    {
        assert!(!named.contains(&format!("damaged:{name}").into()), "{name}: {plugin:#}");
    }
}
