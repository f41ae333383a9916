//! A polish with its user: the question before the server, one screen with the checklist, an edit, a round of repairs, and the
//! end; or the user's `cancel`.

use super::dialogue::{Dialogue, assert_said};
use super::hand::{call, calls};
use super::rounds::{agents, begun, checklist, repaired};
use super::site::Site;
use super::{UNBOUND, envelope, review};
use crate::hosts::model::between;
use crate::hosts::review::hand::Host;
use crate::hosts::review::obedient_model::shown;
use crate::hosts::review::{model_texts, says};
use crate::hosts::stage::{OWN, Stage};
use crate::support::browser;
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

fn polished(hosts: &Hosts, host: Host, more: &[&str]) {
    let github = GitHub::with_state(&github::tool("feature"));
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::begin(&stage.project());
    review((hosts, &stage, host), &github, more);
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "polish");

    assert_said(&dialogue.start("", begun(host)), "Start `node server.js` on port ");
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    assert!(
        !site.has(&format!("{run}/server.json")) && !site.answers(""),
        "nothing is started without an answer"
    );

    let mut steps = calls(host, &[("## 4. Start", 3)]);
    steps.extend(checklist(host));
    let shown = dialogue.reply("the first", steps);
    assert_said(
        &shown,
        &format!("(2 items, 1 stacked)\nApp: http://127.0.0.1:{}/ (not opened)\n", site.port),
    );
    let screen = model_texts(&shown).into_iter().rfind(|text| text.starts_with("Polish of show-cart\n"));
    let screen = screen.expect("the user sees it");
    assert_eq!(screen.lines().count(), 5, "one screen, and nothing else: {screen}");
    // A browser opens the address that stands there.
    let url = between(screen, "\nApp: ", " ").expect("it has an address");
    let page = browser::page(url);
    assert!(page.contains("hello from the cart") && page.contains(&format!("seen at {url}")), "{page}");

    // The user edits one line.
    let path = format!("{run}/checklist.md");
    site.edit(
        &path,
        &[("- action: keep", "- action: fix"), ("- notes: at /cart", "- notes: greet with a capital")],
    );
    let mut steps = calls(host, &[("## 8. Repair", 0), ("## 6. Look", 1)]);
    steps.extend(repaired(host));
    let repair = agents(host, "sed -i s/hello/Hello/ app/views/cart.html");
    assert_said(&dialogue.reply_with("ready", repair, steps), "\nItem 1: fixed");
    assert!(browser::page(url).contains("Hello from the cart"), "the running server shows the repair");
    assert!(
        site.text(&path).contains("- result: fixed\n- summary: greets with a capital\n"),
        "{}",
        site.text(&path)
    );

    let mut steps = calls(host, &[("## 8. Repair", 0), ("## 9. Seeds", 0), ("## 10. End", 0)]);
    steps.push(says(envelope));
    let ended = dialogue.reply("done", steps);
    let server = site.json(&format!("{run}/server.json"));
    let summary = site.text(&format!("{run}/summary.md"));
    for part in [
        "Polish complete.\n",
        &format!("\nDev server: {} on :{} (logs: ", server["pid"], site.port),
        "\nChecklist items: 2 total (1 fixed, 0 skipped, 1 stacked, 0 replan)\n",
        "\nNext: open the seeds as separate pull requests, and merge this one\nPolish complete\n",
    ] {
        assert!(summary.contains(part), "`{part}` is missing in {summary}");
    }
    assert!(model_texts(&ended).contains(&summary.trim_end()), "{ended:?}");
    assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "complete");
    assert_eq!(site.status(), " M app/views/cart.html\n", "nothing is committed");
    assert!(github.requests().iter().all(|request| request.call == "POST /graphql"), "nothing is opened");
    site.end(server["pid"].as_u64().expect("a number"));
}

#[test]
fn claude_code_polishes_with_its_user() {
    polished(&real_hosts!(), Host::ClaudeCode, &[]);
}

#[test]
fn opencode_polishes_with_its_user() {
    polished(&real_hosts!(), Host::OpenCode, &[]);
}

#[test]
fn codex_polishes_with_its_user_outside_of_its_sandbox() {
    polished(&real_hosts!(), Host::Codex, &UNBOUND);
}

/// The user has chosen a repair, edits its file, and says `cancel`: nothing is taken back, and the text names what was left.
fn cancelled(hosts: &Hosts, host: Host) {
    let github = GitHub::with_state(&github::tool("feature"));
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), "");
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "cancel");
    dialogue.start("", begun(host));
    let mut steps = calls(host, &[("## 4. Start", 3)]);
    steps.extend(checklist(host));
    dialogue.reply("the first", steps);
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    let path = format!("{run}/checklist.md");
    site.edit(&path, &[("- action: keep", "- action: fix")]);
    site.write("app/views/cart.html", "the user's own words\n");
    let (edited, before) = (site.text(&path), site.snapshot());

    let mut steps = vec![call(host, "## 11. Cancel", 0)];
    steps.push(says(|request| shown(request, "Polish cancelled", "\nPolish complete")));
    let transcript = dialogue.reply("cancel", steps);
    assert_said(
        &transcript,
        "\nChecklist items: 2 total (0 fixed, 0 skipped, 1 stacked, 0 replan, 1 not dispatched)\n",
    );
    assert_said(&transcript, "\nNext: begin another polish for what was not dispatched, or merge it\n");
    assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "cancelled");
    assert_eq!((site.text(&path), site.snapshot()), (edited, before), "nothing is taken back");
    assert_eq!(site.text("app/views/cart.html"), "the user's own words\n");
    assert!(site.answers("the user's own words"), "the server is left to the user");
    assert_eq!(site.claims(), 0, "the next polish can begin");
    site.end(site.json(&format!("{run}/server.json"))["pid"].as_u64().expect("a number"));
}

#[test]
fn every_host_ends_a_polish_when_its_user_cancels() {
    let hosts = real_hosts!();
    cancelled(&hosts, Host::ClaudeCode);
    cancelled(&hosts, Host::OpenCode);
    cancelled(&hosts, Host::Codex);
}
