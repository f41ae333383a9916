//! Agents that a text dispatches, in the ways that authors name them.

use super::texts::split;
use super::{BadSource, BuildResult, Tree, skill};

/// Each way to name an agent, with the agent that it means.
const WAYS: [(&str, &str); 16] = [
    ("Use the Task tool with `subagent_type: \"scout\"`.", "bad:scout"),
    ("Task(subagent_type=\"bad:scout\", prompt=\"go\")", "bad:scout"),
    ("- Task bad:review:deep:reader(the report)", "bad:review:deep:reader"),
    ("Ask the scout agent first.", "bad:scout"),
    ("Ask the `scout` subagent first.", "bad:scout"),
    ("Have agent **scout** look.", "bad:scout"),
    ("1. bad:scout\n2. then rest", "bad:scout"),
    ("Dispatch review:deep:reader now.", "bad:review:deep:reader"),
    ("```yaml\nsubagent_type: reader\n```", "bad:review:deep:reader"),
    ("Dispatch in parallel:\n- tide-watch\n- scout", "bad:tide-watch"),
    ("Run each:\n1. tide-watch: the tide\n2. the log", "bad:tide-watch"),
    ("First `tide-watch`, then write.", "bad:tide-watch"),
    ("Launch @agent-scout first.", "bad:scout"),
    ("Launch @tide-watch first.", "bad:tide-watch"),
    ("Spawn a scout agent and tide-watch at once.", "bad:tide-watch"),
    ("agent: tide-watch", "bad:tide-watch"),
];

/// What names an agent and asks nobody to run it.
const MENTIONS: [&str; 3] =
    ["The reader agent (see below).", "| **tide-watch** | the tide |", "- `scout`: looks ahead\n- the log"];

/// Prose that resembles names.
const LOOK_ALIKES: [&str; 6] = [
    "Keep tide-watch at night.",
    "The tide-watches and tide-watch.md, see docs/tide-watch and https://example.org/tide-watch.",
    "Mail me@tide-watch.org; scout ahead, reader of maps.",
    "map:scout:key, scout::reader::Vec and http://scout:80/reader at 10:30:00.",
    "- scout the pier\n- reader beware",
    "x-tide-watch and tide-watch_2",
];

#[test]
fn prose_that_looks_like_an_agent_is_left_alone() {
    for text in LOOK_ALIKES.into_iter().chain(MENTIONS) {
        let built = build_with(text);
        for host in ["codex", "opencode"] {
            let (block, own) = split(&built.emitted(host, "skills/lead/SKILL.md"));
            assert!(block.is_empty() && own.contains(text), "{host}: {text}\n{block}");
        }
    }
}

/// A plugin with three agents, and a skill that says `text`.
fn build_with(text: &str) -> BuildResult {
    let source = Tree::new()
        .file("agents/scout.md", skill("name: scout\ndescription: d"))
        .file("agents/tide-watch.md", skill("name: tide-watch\ndescription: d"))
        .file("agents/review/deep/reader.md", skill("name: reader\ndescription: d"))
        .file("skills/lead/SKILL.md", format!("---\ndescription: d\n---\n{text}\n"));
    let built = BadSource::plugin(source).build();
    built.expect(0, &[]);
    built
}

#[test]
fn no_agent_that_a_text_dispatches_is_left_unresolved() {
    for (text, agent) in WAYS {
        let built = build_with(text);
        for host in ["codex", "opencode"] {
            assert_eq!(built.count(host, "agents"), 3, "nested agents are found");
            let (block, own) = split(&built.emitted(host, "skills/lead/SKILL.md"));
            let named = ["scout", "tide-watch", "reader"].iter().filter(|name| text.contains(*name)).count();
            // Of several, a rule may say where their files are.
            let says = block.contains(&format!("`{agent}`")) || named > 1 && block.contains("`bad:NAME`");
            assert!(says, "{host}: {text}\n{block}");
            assert!(own.contains(text), "{host}: {own}");
        }
        let path = agent.trim_start_matches("bad:").replace(':', "--");
        assert!(built.path(&format!("out/codex/agents/bad/{path}.toml")).is_file(), "{text}");
    }
}
