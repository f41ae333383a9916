//! 7: what the pinned source host loads of documents of hooks and servers; `untrusted::documents` says the same of a build.

use plugcast::drivers::script::ModelScript;
use plugcast::drivers::session::SessionOpening;

use super::model::{done, main};
use super::stage::Stage;
use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;
use crate::untrusted::documents::DOCUMENTS;

#[test]
fn case_7_the_source_host_loads_these_documents_so() {
    let hosts = real_hosts!();
    let source = Tree::new()
        .file("plugcast.toml", "[build]\nname = \"kit\"\n")
        .file("skills/sound/SKILL.md", "---\nname: sound\ndescription: Sounds.\n---\nSound.\n");
    for document in DOCUMENTS {
        let stage = Stage::of_source(&hosts, "claude-code", &source);
        let path = stage.bundle.join("plugins/kit").join(document.path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, document.text()).expect("a file");
        let script = ModelScript::default().with_conversation(main().then(done()));
        let transcript = stage.run(stage.session(SessionOpening::Prompt("sound".to_owned()), script));
        let init = transcript.events.iter().find(|event| event["subtype"] == "init").expect("an event");
        let is_loaded = init["skills"].to_string().contains("kit:sound");
        assert_eq!(is_loaded, document.loaded, "{}: {init:#}", document.text);
        let mut servers: Vec<String> = init["mcp_servers"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|server| Some(server["name"].as_str()?.strip_prefix("plugin:kit:")?.to_owned()))
            .collect();
        servers.sort();
        assert_eq!(servers, document.servers, "{}", document.text);
    }
}
