//! A polish whose conversation ends in the middle of a repair: a new one offers to go on with it, what was given out is given
//! out again, and a branch that its user amends between two rounds ends nothing.

use plugcast::drivers::script::{ModelRequest, ScriptStep};

use super::dialogue::{Dialogue, assert_said};
use super::envelope;
use super::hand::{call, call_with, calls, screen_step};
use super::rounds::{agents, begun, checklist, repaired};
use super::site::Site;
use crate::hosts::model::holds;
use crate::hosts::review::hand::Host;
use crate::hosts::review::obedient_model::answer;
use crate::hosts::review::says;
use crate::hosts::stage::{OWN, Stage};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// The question after a refusal that names a way on.
fn whether_to_go_on(request: &ModelRequest, schema: &str) -> Result<String, String> {
    let error = answer(request, schema)?["error"].clone();
    holds(error["hint"].as_str().unwrap_or_default(), "polish acquire --apply --continue DIR")?;
    let message = error["message"].as_str().unwrap_or_default();
    Ok(format!("{message}\nGo on with that polish?\n1. yes\n2. no"))
}

fn interrupted(hosts: &Hosts, host: Host) {
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), "");
    let github = GitHub::with_state(&github::tool("feature"));
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "interrupted");
    dialogue.start("", begun(host));
    let mut steps = calls(host, &[("## 4. Start", 3)]);
    steps.extend(checklist(host));
    dialogue.reply("the first", steps);
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    let folder = stage.project().join(run).display().to_string();
    let path = format!("{run}/checklist.md");
    site.edit(
        &path,
        &[("- action: keep", "- action: fix"), ("- notes: at /cart", "- notes: greet with a capital")],
    );

    // Half of a repair, and no more of that conversation.
    let mut steps = calls(host, &[("## 8. Repair", 0), ("## 6. Look", 1), ("## 8. Repair", 1)]);
    steps.push(ScriptStep::reply(host.shell("sed -i s/hello/Hullo/ app/views/cart.html")));
    steps.push(says(|_| Ok("The power fails.".to_owned())));
    dialogue.reply("ready", steps);
    let (edited, half) = (site.text(&path), site.snapshot());
    assert!(half.ends_with(" M app/views/cart.html\n"), "{half}");

    let steps = vec![
        call(host, "## 1. Begin", 0),
        says(|request| whether_to_go_on(request, "rt.polish.acquire/1")).expects([r#""code":"dirty""#]),
    ];
    assert_said(&dialogue.start("", steps), "has changes: `app/views/cart.html`\nGo on with that polish?");
    assert_eq!((site.runs().len(), site.text(&path), site.snapshot()), (1, edited.clone(), half.clone()));

    let mut steps = vec![
        call_with(host, "## 1. Begin", 2, "", &[("RUN", folder)]),
        call(host, "## 5. A port", 2).expects(["dispatched without a result, and to be dispatched again: 1"]),
    ];
    steps.extend(calls(host, &[("## 6. Look", 0), ("## 6. Look", 1), ("## 8. Repair", 0)]));
    steps.push(screen_step(host));
    let shown = dialogue.reply("yes", steps);
    assert_said(
        &shown,
        &format!("(2 items, 1 stacked)\nApp: http://127.0.0.1:{}/ (not opened)\n", site.port),
    );
    assert_eq!((site.text(&path), site.snapshot()), (edited, half), "nothing is lost");

    let mut steps = calls(host, &[("## 8. Repair", 0), ("## 6. Look", 1)]);
    steps.extend(repaired(host));
    let repair = agents(host, "sed -i s/Hullo/Hello/ app/views/cart.html");
    assert_said(&dialogue.reply_with("ready", repair, steps), "\nItem 1: fixed");
    assert!(site.answers("Hello from the cart"), "the same server shows the repair");

    // The user amends what was repaired, and ends the polish.
    site.run("git commit -q -a --amend -m 'Show the cart, with a capital'");
    let (amended, list) = (site.snapshot(), site.text(&path));
    let steps = vec![
        call(host, "## 8. Repair", 0),
        says(|request| whether_to_go_on(request, "rt.polish.checklist.parse/1"))
            .expects([r#""code":"history_rewritten""#]),
    ];
    assert_said(&dialogue.reply("done", steps), "`show-cart` was rewritten since run `");
    assert_eq!((site.text(&path), site.snapshot()), (list, amended.clone()), "nothing is lost");
    let mut steps = vec![call(host, "## 1. Begin", 2)];
    steps.extend(calls(host, &[("## 8. Repair", 0), ("## 9. Seeds", 0), ("## 10. End", 0)]));
    steps.push(says(envelope));
    let ended = dialogue.reply("yes", steps);
    assert_said(&ended, "\nChecklist items: 2 total (1 fixed, 0 skipped, 1 stacked, 0 replan)\n");
    assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "complete");
    assert_eq!((site.snapshot(), site.claims(), site.runs().len()), (amended, 0, 1));
    let log = site.json(&format!("{run}/dispatch-log.json"));
    assert_eq!(log["entries"].as_array().map(Vec::len), Some(1), "it was repaired once: {log}");
    site.end(site.json(&format!("{run}/server.json"))["pid"].as_u64().expect("a number"));
}

#[test]
fn claude_code_continues_an_interrupted_polish() {
    interrupted(&real_hosts!(), Host::ClaudeCode);
}

#[test]
fn opencode_continues_an_interrupted_polish() {
    interrupted(&real_hosts!(), Host::OpenCode);
}

#[test]
fn codex_continues_an_interrupted_polish() {
    interrupted(&real_hosts!(), Host::Codex);
}
