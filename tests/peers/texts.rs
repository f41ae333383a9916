//! Texts that are changed where they must not be, and files that are taken for something else.

use super::{BadSource, EVERY_HOST, Tree, skill};

const BEGIN: &str = "<!-- plugcast:on-this-host -->\n";
const END: &str = "<!-- /plugcast:on-this-host -->\n";

/// The block of an emitted text, and the text without it.
pub fn split(text: &str) -> (String, String) {
    let Some((before, rest)) = text.split_once(BEGIN) else { return (String::new(), text.to_owned()) };
    let (block, after) = rest.split_once(END).expect("a block ends");
    (block.to_owned(), format!("{before}{}", after.trim_start_matches('\n')))
}

/// A skill whose text must come through as it is, and has no names.
fn untouched(body: &str) {
    let source = Tree::new()
        .file("skills/text/SKILL.md", format!("---\nname: text\ndescription: d\n---\n{body}"))
        .file("commands/hosts.md", skill("description: d"))
        .file("commands/plan.md", skill("description: d"))
        .file("agents/cache.md", skill("name: cache\ndescription: d"))
        .file("agents/key.md", skill("name: key\ndescription: d"));
    let built = BadSource::plugin(source).build();
    for host in EVERY_HOST {
        let (block, text) = split(&built.emitted(host, "skills/text/SKILL.md"));
        assert!(text.ends_with(body), "{host}: {text}");
        assert_eq!(block, "", "{host}: something is taken for a name");
    }
}

#[test]
fn a_slash_is_not_taken_for_a_command_in_paths_and_addresses() {
    untouched("Edit /etc/hosts and ./plan, then open https://example.org/plan and a/plan.\n");
    untouched(
        "# Paths such as /etc/plan/x\n\n`/etc/hosts` and `cat /etc/hosts`, see [x](/docs/plan/a.html).\n",
    );
}

#[test]
fn a_colon_is_not_taken_for_an_agent() {
    untouched("Use redis:cache:key, std::vec::Vec, http://a:80/b at 10:30:00 and map:key.\n");
    untouched("```\nredis:cache:key\nbad::cache::Vec\n```\n");
}

/// Mentions stay as written wherever they stand; the block alone says what they mean.
#[test]
fn a_mention_is_bound_and_not_rewritten() {
    let body = "# Run /plan\n\nType `/plan now`, or /bad:plan; not /planet.\n";
    let source = Tree::new()
        .file("skills/text/SKILL.md", format!("---\nname: text\ndescription: d\n---\n{body}"))
        .file("commands/plan.md", skill("description: d"));
    let built = BadSource::plugin(source).build();
    for host in EVERY_HOST {
        let (block, text) = split(&built.emitted(host, "skills/text/SKILL.md"));
        assert!(text.ends_with(body), "{host}: {text}");
        let is_mentioned = ["bad:plan", "bad:NAME"].iter().any(|name| block.contains(name));
        assert_eq!(is_mentioned, host != "claude-code", "{host}: {block}");
    }
}

#[test]
fn links_are_not_dropped() {
    let body = "See [more](references/more.md), [part](references/more.md#part), ![map](assets/map.png),\n<https://example.org/a>, [ref][r], [other](../ok/SKILL.md) and <a href=\"assets/map.png\">it</a>.\n\n[r]: references/more.md \"More\"\n";
    let more = "Back to [the skill](../SKILL.md) and [down](deep/last.md).\n";
    let source = Tree::new()
        .file("skills/text/SKILL.md", format!("---\nname: text\ndescription: d\n---\n{body}"))
        .file("skills/text/references/more.md", more)
        .file("skills/text/references/deep/last.md", "Last.\n")
        .file("skills/text/assets/map.png", [0x89, b'P', b'N', b'G', 0]);
    let built = BadSource::plugin(source).build();
    built.expect(0, &[]);
    for host in EVERY_HOST {
        assert!(built.emitted(host, "skills/text/SKILL.md").ends_with(body), "{host}");
        assert_eq!(built.emitted(host, "skills/text/references/more.md"), more, "{host}");
        assert_eq!(built.emitted(host, "skills/text/references/deep/last.md"), "Last.\n");
        let map = built.path(&format!("out/{host}/plugins/bad/skills/text/assets/map.png"));
        assert_eq!(std::fs::read(map).expect("the picture"), [0x89, b'P', b'N', b'G', 0]);
    }
}

#[test]
fn a_template_in_a_skill_is_not_installed_as_a_skill() {
    let template = skill("name: example\ndescription: An example.");
    let source = Tree::new()
        .file("skills/maker/SKILL.md", skill("description: d").replace("Body.", "Copy `templates/SKILL.md`."))
        .file("skills/maker/templates/SKILL.md", &template);
    let built = BadSource::plugin(source).build();
    built.expect(0, &[]);
    for host in EVERY_HOST {
        assert_eq!(built.count(host, "skills"), 2, "{host}");
    }
    for host in ["codex", "opencode"] {
        assert_eq!(built.emitted(host, "skills/maker/templates/SKILL.nested.md"), template, "{host}");
        assert!(built.emitted(host, "skills/maker/SKILL.md").contains("Copy `templates/SKILL.nested.md`."));
        assert!(!built.path(&format!("out/{host}/plugins/bad/skills/maker/templates/SKILL.md")).exists());
    }
    assert_eq!(built.emitted("claude-code", "skills/maker/templates/SKILL.md"), template);
}
