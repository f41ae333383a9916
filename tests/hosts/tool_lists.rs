//! 13: how the pinned source host splits lists of tools, by the tools that each agent has; `untrusted::tool_lists`
//! says the same of a build.

use plugcast::drivers::script::{Conversation, ModelRequest, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;

use super::claude_code::dispatch;
use super::model::{done, main};
use super::stage::{Stage, tools};
use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;
use crate::untrusted::tool_lists::{LISTS, agent, instruction};

#[test]
fn case_13_the_source_host_splits_lists_of_tools_so() {
    let hosts = real_hosts!();
    let source = Tree::new()
        .file("plugcast.toml", "[build]\nname = \"kit\"\n")
        .file("skills/sound/SKILL.md", "---\nname: sound\ndescription: Sounds.\n---\nSound.\n");
    let stage = Stage::of_source(&hosts, "claude-code", &source);
    let folder = stage.bundle.join("plugins/kit/agents");
    std::fs::create_dir_all(&folder).expect("a folder");
    for list in LISTS {
        std::fs::write(folder.join(format!("{}.md", list.name)), agent(list)).expect("a file");
    }
    let mut session = main();
    let mut script = ModelScript::default();
    for list in LISTS {
        session = session.then(ScriptStep::reply(dispatch(&format!("kit:{}", list.name), "look")));
        let first = instruction(list);
        let belongs = move |request: &ModelRequest| {
            request.system.contains(&first) || request.texts.iter().any(|spoken| spoken.text.contains(&first))
        };
        script = script.with_conversation(Conversation::new(list.name, belongs).then(done()));
    }
    let opening = SessionOpening::Prompt("look".to_owned());
    let transcript = stage.run(stage.session(opening, script.with_conversation(session.then(done()))));
    let mut wrong = Vec::new();
    for list in LISTS {
        let known = ["Bash", "Edit", "Glob", "Grep", "Read", "Write"];
        let had = transcript.requests(list.name).next().map(|request| {
            let mut had = tools(request);
            had.retain(|tool| known.contains(tool));
            had.join(" ")
        });
        if had.as_deref() != list.has {
            wrong.push(format!("{}: {:?}: the agent has {had:?}", list.name, list.fields));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
