//! Agents that a text dispatches, in the ways that authors name them.

use super::texts::split;
use super::{Bad, Tree, skill};

/// Each way to name an agent, with the agent that it means.
const WAYS: [(&str, &str); 10] = [
    ("Use the Task tool with `subagent_type: \"scout\"`.", "bad:scout"),
    ("Task(subagent_type=\"bad:scout\", prompt=\"go\")", "bad:scout"),
    ("- Task bad:review:deep:reader(the report)", "bad:review:deep:reader"),
    ("Ask the scout agent first.", "bad:scout"),
    ("Ask the `scout` subagent first.", "bad:scout"),
    ("Have agent **scout** look.", "bad:scout"),
    ("1. bad:scout\n2. then rest", "bad:scout"),
    ("Dispatch review:deep:reader now.", "bad:review:deep:reader"),
    ("```yaml\nsubagent_type: reader\n```", "bad:review:deep:reader"),
    ("The reader agent (see below).", "bad:review:deep:reader"),
];

#[test]
fn no_agent_that_a_text_dispatches_is_left_unresolved() {
    for (text, agent) in WAYS {
        let source = Tree::new()
            .file("agents/scout.md", skill("name: scout\ndescription: d"))
            .file("agents/review/deep/reader.md", skill("name: reader\ndescription: d"))
            .file("skills/lead/SKILL.md", format!("---\ndescription: d\n---\n{text}\n"));
        let built = Bad::plugin(source).build();
        built.expect(0, &[]);
        for host in ["codex", "opencode"] {
            assert_eq!(built.count(host, "agents"), 2, "nested agents are found");
            let (block, own) = split(&built.emitted(host, "skills/lead/SKILL.md"));
            assert!(block.contains(&format!("`{agent}`")), "{host}: {text}\n{block}");
            assert!(own.contains(text), "{host}: {own}");
        }
        let path = agent.trim_start_matches("bad:").replace(':', "--");
        assert!(built.path(&format!("out/codex/agents/bad/{path}.toml")).is_file(), "{text}");
    }
}
