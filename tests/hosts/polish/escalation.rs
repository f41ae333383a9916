//! A polish that turns out to be work for a plan: the port is taken, the user takes another one, asks to plan an item again,
//! leaves the seed a file, and has the server ended after the end.

use super::dialogue::{Dialogue, assert_said};
use super::envelope;
use super::hand::{call, call_with, calls};
use super::rounds::{begun, checklist, port_is_taken, seeds_offer};
use super::site::{Site, free_port};
use crate::hosts::model::holds;
use crate::hosts::review::hand::Host;
use crate::hosts::review::obedient_model::answer;
use crate::hosts::review::says;
use crate::hosts::stage::{OWN, Stage};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

fn escalated(hosts: &Hosts, host: Host) {
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), "git push -q ../origin.git show-cart");
    let github = GitHub::with_state(&github::tool("feature"));
    let mut own = site.own_server();
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "escalated");
    let remote = site.remote().display().to_string();
    let published = || site.git(&["--git-dir", &remote, "for-each-ref", "refs/heads"]);
    let before = (site.snapshot(), published());

    dialogue.start("", begun(host));
    dialogue.reply("the first", port_is_taken(host));
    let port = free_port();
    let started = call_with(host, "## 4. Start", 3, "", &[("PORT", port.to_string())]);
    let steps = std::iter::once(started).chain(checklist(host)).collect();
    assert_said(
        &dialogue.reply(&format!("take port {port}"), steps),
        &format!("\nApp: http://127.0.0.1:{port}/ "),
    );
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    let server = site.json(&format!("{run}/server.json"));
    assert_eq!((&server["adopted"], server["port"].as_u64()), (&false.into(), Some(port.into())));
    assert!(own.is_alive() && site.answers_on(port, "hello from the cart"), "both run");

    // An item that is work for a plan halts the round.
    let path = format!("{run}/checklist.md");
    site.edit(&path, &[("- action: keep", "- action: replan")]);
    let mut steps =
        calls(host, &[("## 8. Repair", 0), ("## 6. Look", 1), ("## 8. Repair", 1), ("## 9. Seeds", 0)]);
    steps.push(says(|request| {
        holds(&answer(request, "rt.polish.seed.replan/1")?["ask"].to_string(), "false")?;
        holds(&answer(request, "rt.dispatch.plan/1")?["status"].to_string(), "halt")?;
        Ok(format!("Nothing is repaired: an item is to be planned again.\n{}", seeds_offer(request)?))
    }));
    assert_said(&dialogue.reply("ready", steps), "All pages: show-cart-polish-1-all-pages, ");
    assert!(site.text(&format!("{run}/replan-seed.md")).contains("trigger: \"replan_actions\"\n"));

    // The seed stays a file.
    let steps = vec![call(host, "## 10. End", 0), says(envelope)];
    let ended = dialogue.reply("leave the files", steps);
    for part in [
        format!("\nDev server: {} on :{port} (logs: ", server["pid"]),
        "\nChecklist items: 2 total (0 fixed, 0 skipped, 1 stacked, 1 replan)\n".to_owned(),
        format!("{run}/replan-seed.md\nEscalation: replan-required\n"),
        "\nNext: plan it again with `refine:review-plan`, from the replan seed\n".to_owned(),
    ] {
        assert_said(&ended, &part);
    }
    assert!(github.requests().iter().all(|request| request.call == "POST /graphql"), "nothing was opened");
    assert_eq!((site.snapshot(), published()), before, "nothing was changed or pushed");

    // The server of the polish can be ended after it.
    let value = |key: &str| server[key].to_string();
    let values = [("PORT", port.to_string()), ("PID", value("pid")), ("TIME", value("start_time"))];
    let stopped = call_with(host, "## 5. A port", 0, "", &values);
    let steps = vec![
        stopped,
        says(|request| Ok(format!("server: {}", answer(request, "rt.server.stop/1")?["status"]))),
    ];
    assert_said(&dialogue.reply("end the server, too", steps), r#"server: "stopped""#);
    assert!(!site.answers_on(port, "") && own.is_alive(), "that server alone has ended");
}

#[test]
fn claude_code_hands_over_what_is_work_for_a_plan() {
    escalated(&real_hosts!(), Host::ClaudeCode);
}

#[test]
fn opencode_hands_over_what_is_work_for_a_plan() {
    escalated(&real_hosts!(), Host::OpenCode);
}

#[test]
fn codex_hands_over_what_is_work_for_a_plan() {
    escalated(&real_hosts!(), Host::Codex);
}
