//! The design agents of a polish are given what their texts say that a task gives.

use crate::support::root;

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join("plugins/polish").join(path)).expect("the plugin has it")
}

#[test]
fn step_8_gives_each_design_agent_what_its_task_names() {
    let skill = text("skills/polish-beta/SKILL.md");
    let (_, step) = skill.split_once("\n## 8. Repair\n").expect("a step repairs");
    let (step, _) = step.split_once("\n## ").expect("a step follows");
    for (agent, given, told) in [
        ("iterator", "path of a checklist", "the task is the path PATH, the ids in `items`"),
        ("iterator", "address of the running app", "the paths in `files` and URL"),
        ("reviewer", "files", "The task is the files that were touched and URL"),
        ("reviewer", "link to the design", "Give `polish:design:design-reviewer` the link to the design"),
        ("sync", "differences", "Give `polish:design:design-sync` the `differences`"),
        ("sync", "address of the running app", "The task is the files that were touched and URL"),
    ] {
        let own = text(&format!("agents/design/design-{agent}.md"));
        let task = own.lines().find(|line| line.starts_with("The task gives ")).expect("it says so");
        assert!(task.contains(given), "{agent}: `{given}` is not in `{task}`");
        assert!(step.contains(told), "{agent}: `{told}` is not in step 8");
    }
    assert!(step.contains("leave it out if there are none or `seen` is false"), "{step}");
}
