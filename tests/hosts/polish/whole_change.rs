//! A change that is work for a plan as a whole: the user plans it again before a checklist is written, or thinks about it from
//! the start when most items turn out to be too large.

use plugcast::drivers::script::ModelRequest;

use super::dialogue::{Dialogue, assert_said};
use super::envelope;
use super::hand::{call, call_with, calls};
use super::rounds::{BY_HAND, begun, checklist, too_large};
use super::site::Site;
use crate::hosts::model::holds;
use crate::hosts::review::hand::Host;
use crate::hosts::review::obedient_model::answer;
use crate::hosts::review::says;
use crate::hosts::stage::{OWN, Stage};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// More files than a polish looks at, and the plan that they follow.
const LARGE: &str = r#"
put docs/plans/cart.md 'Show the cart.'
for number in $(seq 40); do put "src/pages/$number.txt" one; done
commit 'Many pages'
reviewed
"#;

/// The question where all that changed is too much.
fn whole(request: &ModelRequest) -> Result<String, String> {
    let seed = answer(request, "rt.polish.seed.replan/1")?;
    holds(&seed["ask"].to_string(), "true")?;
    let totals = &seed["totals"];
    Ok(format!(
        "{} files and {} lines changed, which is much for a polish.\n1. continue with what is small enough\n2. plan it again\n3. think about it from the start",
        totals["files"], totals["lines"]
    ))
}

fn planned_again(hosts: &Hosts, host: Host) {
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), LARGE);
    let github = GitHub::with_state(&github::tool("feature"));
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "planned-again");
    let before = site.snapshot();
    dialogue.start("plan:docs/plans/cart.md", begun(host));
    let mut steps = calls(host, &[("## 4. Start", 3), ("## 6. Look", 0), ("## 6. Look", 1)]);
    steps.push(says(whole));
    assert_said(&dialogue.reply("the first", steps), "49 files and 50 lines changed");
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    let has = |name: &str| site.has(&format!("{run}/{name}"));
    assert!(has("replan-seed.md") && !has("escalation.json") && !has("metadata.json"), "it waits");

    let mut steps = vec![call_with(host, "## 6. Look", 1, "--answer replan", &[])];
    steps.extend(calls(host, &[("## 10. End", 0)]));
    steps.push(says(envelope));
    let ended = dialogue.reply("plan it again", steps);
    let server = site.json(&format!("{run}/server.json"));
    for part in [
        format!("\nDev server: {} on :{} (logs: ", server["pid"], site.port),
        "\nChecklist items: 0 total (0 fixed, 0 skipped, 0 stacked, 0 replan)\n".to_owned(),
        format!("{run}/replan-seed.md\nEscalation: replan-required\n"),
        "\nNext: plan it again with `refine:review-plan docs/plans/cart.md`, from the replan seed\n"
            .to_owned(),
    ] {
        assert_said(&ended, &part);
    }
    assert_eq!(site.json(&format!("{run}/escalation.json"))["answer"], "replan");
    assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "complete");
    let seed = site.text(&format!("{run}/replan-seed.md"));
    for part in ["trigger: \"batch_diff_preemptive\"\n", "source_plan: \"docs/plans/cart.md\"\n"] {
        assert!(seed.contains(part), "`{part}` is missing in {seed}");
    }
    assert!(!has("checklist.md"), "no checklist was made");
    ended_without_a_change(&site, &github, &before, &server);
}

/// Nothing here or on GitHub is changed, the next polish can begin, and the server goes on until it is ended here.
fn ended_without_a_change(site: &Site, github: &GitHub, before: &str, server: &serde_json::Value) {
    assert_eq!((&*site.snapshot(), site.claims()), (before, 0), "nothing is changed");
    assert!(github.requests().iter().all(|request| request.call == "POST /graphql"), "nothing is opened");
    assert!(site.answers("hello from the cart"), "the server is left to the user");
    site.end(server["pid"].as_u64().expect("a number"));
}

fn thought_about_again(hosts: &Hosts, host: Host) {
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), "");
    let github = GitHub::with_state(&github::tool("feature"));
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "thought-about-again");
    let before = site.snapshot();
    dialogue.start("", begun(host));
    let mut steps = calls(host, &[("## 4. Start", 3)]);
    steps.extend(checklist(host));
    dialogue.reply("the first", steps);
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    let path = format!("{run}/checklist.md");
    site.edit(&path, &[("- action: keep", "- action: fix")]);
    site.write(&path, &(site.text(&path) + BY_HAND));
    let edited = site.text(&path);
    let steps = vec![call(host, "## 8. Repair", 0), call(host, "## 6. Look", 1), says(too_large)];
    assert_said(&dialogue.reply("ready", steps), "2 of 3 items are too large.\n1. continue");

    let mut steps = vec![call_with(host, "## 6. Look", 1, "--answer rethink", &[])];
    steps.extend(calls(host, &[("## 10. End", 0)]));
    steps.push(says(envelope));
    let ended = dialogue.reply("think about it from the start", steps);
    for part in [
        "\nChecklist items: 3 total (0 fixed, 0 skipped, 2 stacked, 0 replan, 1 not dispatched)\n",
        "/replan-seed.md\nEscalation: replan-required\n",
        "\nNext: rethink it with `refine:ideate`, from the replan seed\n",
    ] {
        assert_said(&ended, part);
    }
    assert_eq!(site.json(&format!("{run}/escalation.json"))["answer"], "rethink");
    assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "complete");
    let seed = site.text(&format!("{run}/replan-seed.md"));
    assert!(seed.contains("trigger: \"majority_oversized\"\n"), "{seed}");
    assert_eq!(site.text(&path), edited, "nothing is repaired");
    ended_without_a_change(&site, &github, &before, &site.json(&format!("{run}/server.json")));
}

#[test]
fn claude_code_hands_over_a_change_as_a_whole() {
    let hosts = real_hosts!();
    planned_again(&hosts, Host::ClaudeCode);
    thought_about_again(&hosts, Host::ClaudeCode);
}

#[test]
fn opencode_hands_over_a_change_as_a_whole() {
    let hosts = real_hosts!();
    planned_again(&hosts, Host::OpenCode);
    thought_about_again(&hosts, Host::OpenCode);
}

#[test]
fn codex_hands_over_a_change_as_a_whole() {
    let hosts = real_hosts!();
    planned_again(&hosts, Host::Codex);
    thought_about_again(&hosts, Host::Codex);
}
