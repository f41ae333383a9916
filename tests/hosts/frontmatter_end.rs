//! 13: where the pinned source host ends frontmatter, by what it offers to the model of skills whose flag is before or
//! behind the first dashes; `untrusted::frontmatter` says the same of a build.

use plugcast::drivers::script::ModelScript;
use plugcast::drivers::session::SessionOpening;

use super::model::{done, main};
use super::stage::Stage;
use crate::support::hosts::real_hosts;
use crate::support::tree::Tree;
use crate::untrusted::frontmatter::{EARLY, ending};

#[test]
fn case_13_the_source_host_ends_frontmatter_at_the_first_dashes() {
    let hosts = real_hosts!();
    let source = Tree::new()
        .file("plugcast.toml", "[build]\nname = \"kit\"\n")
        .file("skills/sound/SKILL.md", "---\nname: sound\ndescription: Sounds.\n---\nSound.\n");
    let stage = Stage::of_source(&hosts, "claude-code", &source);
    for (name, fields, _) in EARLY {
        let folder = stage.bundle.join("plugins/kit/skills").join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("SKILL.md"), ending(name, fields)).expect("a file");
    }
    let script = ModelScript::default().with_conversation(main().then(done()));
    let transcript = stage.run(stage.session(SessionOpening::Prompt("sound".to_owned()), script));
    let text = transcript.requests("main").next().expect("a request").all_text();
    for (name, fields, user_only) in EARLY {
        let is_offered = text.contains(&format!("- kit:{name}: Says {name}"));
        assert_eq!(is_offered, !user_only, "{name}: {fields:?}");
    }
}
