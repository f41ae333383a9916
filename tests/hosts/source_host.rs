//! 7: what the pinned source host loads of plugins whose hooks and servers are wrong in part; `untrusted::source_host` says
//! the same of a build.

use std::collections::BTreeSet;

use plugcast::drivers::script::ModelScript;
use plugcast::drivers::session::SessionOpening;

use super::model::{done, main};
use super::stage::Stage;
use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;
use crate::untrusted::source_host::PLUGINS;

#[test]
fn case_7_the_source_host_loads_hooks_and_servers_so() {
    let hosts = real_hosts!();
    let source = Tree::new()
        .file("plugcast.toml", "[build]\nname = \"kit\"\n")
        .file("skills/sound/SKILL.md", "---\nname: sound\ndescription: Sounds.\n---\nSound.\n");
    let stage = Stage::of_source(&hosts, "claude-code", &source);
    for plugin in PLUGINS {
        plugin.tree().write(&stage.bundle.join("plugins").join(plugin.name));
    }
    let script = ModelScript::default().with_conversation(main().then(done()));
    let mut session = stage.session(SessionOpening::Prompt("sound".to_owned()), script);
    let log = stage.project().join("debug.log");
    session.arguments.extend(["--debug-file".to_owned(), log.to_str().expect("UTF-8").to_owned()]);
    let transcript = stage.run(session);
    let request = transcript.requests("main").next().expect("a request").all_text();
    let events = format!("{request}{}", serde_json::Value::from(transcript.events.clone()));
    let init = transcript.events.iter().find(|event| event["subtype"] == "init").expect("a beginning");
    let listed = init["mcp_servers"].as_array().into_iter().flatten();
    let servers: BTreeSet<&str> = listed.filter_map(|server| server["name"].as_str()).collect();
    let log = std::fs::read_to_string(log).expect("a log");
    let mut wrong = Vec::new();
    for plugin in PLUGINS {
        let name = plugin.name;
        let ran: String = ["a", "b", "c"]
            .into_iter()
            .filter(|letter| events.contains(&format!("RAN-{name}-{letter}")))
            .collect();
        let prefix = format!("plugin:{name}:");
        let has: BTreeSet<&str> = servers.iter().filter_map(|server| server.strip_prefix(&prefix)).collect();
        let read = format!(" LSP server(s) from plugin: {name}\n");
        let reads = match plugin.language_servers {
            0 => !log.contains(&read),
            count => log.contains(&format!("Loaded {count}{read}")),
        };
        if ran != plugin.hooks || has != plugin.servers.iter().copied().collect() || !reads {
            wrong.push(format!("{name}: hooks {ran:?}, servers {has:?}, LSP servers as said: {reads}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
