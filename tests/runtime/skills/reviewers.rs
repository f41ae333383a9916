//! Every reviewer reads the same severities, confidence and form of a reply, and has a separate list.

use std::collections::BTreeMap;

use crate::support::root;

/// The text of each reviewer of the review plugin, by name.
fn reviewers() -> BTreeMap<String, String> {
    let folder = root().join("plugins/review/agents");
    let entries = std::fs::read_dir(&folder).expect("the plugin has agents").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let stems = names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned));
    let text =
        |name: &String| std::fs::read_to_string(folder.join(format!("{name}.md"))).expect("an agent is text");
    stems.filter(|name| name != "fixer").map(|name| (name.clone(), text(&name))).collect()
}

/// What is before and from `## How to work`, with the reviewer's own name taken out.
fn parts(name: &str, text: &str) -> (String, String) {
    let (own, shared) =
        text.split_once("\n## How to work\n").unwrap_or_else(|| panic!("{name} has no method"));
    let shared = shared.replace(&format!("\"reviewer\": \"{name}\""), "\"reviewer\": \"NAME\"");
    (own.to_owned(), shared.replace("history and the comments of the pull request.", "history."))
}

#[test]
fn severities_confidence_and_replies_mean_the_same_to_every_reviewer() {
    let reviewers = reviewers();
    let (_, wanted) = parts("correctness", &reviewers["correctness"]);
    for heading in ["## Severity", "## Confidence", "## Reply"] {
        assert!(wanted.contains(heading), "{heading}");
    }
    for (name, text) in &reviewers {
        assert_eq!(parts(name, text).1, wanted, "{name}");
    }
}

#[test]
fn every_reviewer_has_a_separate_list() {
    let reviewers = reviewers();
    assert!(reviewers.len() >= 24, "{:?}", reviewers.keys());
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (name, text) in &reviewers {
        let (own, _) = parts(name, text);
        let is_item = |line: &&str| {
            line.starts_with("- ") || line.split_once(". ").is_some_and(|(n, _)| n.parse::<u8>().is_ok())
        };
        let items: Vec<&str> = own.lines().filter(is_item).collect();
        assert!(items.len() >= 5 && own.contains("\n## Leave\n"), "{name}: {items:?}");
        for item in items {
            let other = seen.insert(item.to_owned(), name);
            assert_eq!(other, None, "{name}: {item}");
        }
    }
}

#[test]
fn the_skill_names_every_reviewer() {
    let skill =
        std::fs::read_to_string(root().join("plugins/review/skills/review/SKILL.md")).expect("the skill");
    for name in reviewers().keys() {
        assert!(skill.contains(&format!("`review:{name}`")), "{name}");
    }
}
