//! A long polish with its user: a server of the user has the port and is used as it is, the checklist is damaged and repaired,
//! an item that is added by hand is too large, most items are, there are two rounds, and one of two seeds is opened.

use plugcast::drivers::script::{ModelReply, ModelRequest, ScriptStep};
use serde_json::Value;

use super::dialogue::{Dialogue, assert_said};
use super::envelope;
use super::hand::{call, call_with, calls, skill_folder};
use super::rounds::{BY_HAND, agents, begun, checklist, port_is_taken, repaired, seeds_offer, too_large};
use super::site::Site;
use crate::hosts::model::between;
use crate::hosts::review::hand::{Host, quoted};
use crate::hosts::review::obedient_model::{answer, block, put};
use crate::hosts::review::says;
use crate::hosts::stage::{OWN, Stage};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// The faults of the checklist, as the user is told, and what to type.
fn faults(request: &ModelRequest) -> Result<String, String> {
    let read = answer(request, "rt.polish.checklist.parse/1")?;
    let line = |fault: &Value| {
        format!("Line {}: {}\n", fault["line"], fault["message"].as_str().unwrap_or_default())
    };
    let lines: String = read["errors"].as_array().into_iter().flatten().map(line).collect();
    Ok(format!("{lines}Reply ready to repair, done to finish, or cancel."))
}

/// A step that reads the page about seeds.
fn page(host: Host) -> ScriptStep {
    ScriptStep::compute(move |request| {
        let folder = skill_folder(host, request)?;
        Ok(host.shell(&format!("cat \"{}/references/seeds.md\"", quoted(&folder))))
    })
}

/// A step that makes a call of that page for the first seed.
fn seed_call(host: Host, number: usize) -> ScriptStep {
    ScriptStep::compute(move |request| {
        let heading = "## Open a seed as a pull request";
        let results = request.tool_results.iter().rev().map(|result| result.text.as_str());
        let page = results.clone().find(|text| text.contains(heading)).ok_or("the page was not read")?;
        let seed = &answer(request, "rt.polish.seed.stacked/1")?["seeds"][0];
        let text = |key: &str| seed[key].as_str().unwrap_or_default().to_owned();
        let mut values = vec![
            ("MESSAGE", quoted(&text("message"))),
            ("BODY", quoted(&text("body"))),
            ("NEW", text("branch")),
            ("TITLE", text("title")),
            ("BRANCH", "show-cart".to_owned()),
        ];
        if number > 1 {
            let hash = hash(&request.latest_text()).ok_or("no commit was printed")?;
            values.extend([("PUSHED", hash.clone()), ("COMMIT", hash)]);
        }
        if number > 0 {
            let mut results = results;
            let found = results.find_map(|text| between(text, "https://", "/owner/tool").ok());
            let host = found.ok_or("the address of the remote was not printed")?;
            values.extend([
                ("HOST", host.to_owned()),
                ("OWNER", "owner".to_owned()),
                ("REPO", "tool".to_owned()),
            ]);
        }
        let call =
            values.iter().fold(block(page, heading, number)?, |call, (word, value)| put(&call, word, value));
        Ok(host.shell(&call))
    })
}

/// The first hash in what a call printed.
fn hash(text: &str) -> Option<String> {
    let mut words = text.split(|c: char| !c.is_ascii_hexdigit());
    words.find(|word| word.len() == 40).map(str::to_owned)
}

fn opened(request: &ModelRequest) -> Result<String, String> {
    let results = request.tool_results.iter().rev().map(|result| result.text.as_str());
    let opened = results.clone().find(|text| text.contains("\"html_url\"")).ok_or("nothing was opened")?;
    Ok(format!("{}\n{}", between(opened, "\"html_url\":\"", "\"")?, envelope(request)?))
}

fn polished(hosts: &Hosts, host: Host) {
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::reviewed(&stage.project(), "git push -q ../origin.git show-cart");
    let mut state = github::tool("feature");
    state["repositories"][0]["git"] = site.remote().display().to_string().into();
    let github = GitHub::with_state(&state);
    let mut own = site.own_server();
    let mut dialogue = Dialogue::begin(hosts, &stage, host, &github, "adopted");
    let before = site.git(&["for-each-ref", "refs/heads"]);

    // The kill is declined: the user's own server is used.
    dialogue.start("", begun(host));
    let asked = dialogue.reply("the first", port_is_taken(host));
    assert_said(&asked, &format!("Port {} has process {}: `node -e require('http')", site.port, own.pid()));
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    assert!(own.is_alive() && !site.has(&format!("{run}/server.json")), "nothing ends without a yes");
    let mut steps = vec![call(host, "## 5. A port", 1)];
    steps.extend(checklist(host));
    assert_said(&dialogue.reply("use it", steps), "(2 items, 1 stacked)\nApp: http://127.0.0.1:");
    let server = site.json(&format!("{run}/server.json"));
    assert_eq!((&server["adopted"], server["pid"].as_u64()), (&true.into(), Some(own.pid().into())));

    let path = format!("{run}/checklist.md");
    damages_checklist(&mut dialogue, &site, host, &path);

    // An item that is added by hand is measured, and now most of them are too large.
    site.edit(
        &path,
        &[("- action: repair it", "- action: fix"), ("- notes: at /cart", "- notes: greet with a capital")],
    );
    site.write(&path, &(site.text(&path) + BY_HAND));
    let steps = vec![call(host, "## 8. Repair", 0), call(host, "## 6. Look", 1), says(too_large)];
    let asked = dialogue.reply("ready", steps);
    assert_said(&asked, "item 3 is too large (file_count > 5): it is `stacked`\n2 of 3 items are too large.");
    assert!(site.answers("hello from the cart"), "nothing is repaired before the answer");

    // The user goes on: a round, and a second one.
    let mut steps = vec![call_with(host, "## 6. Look", 1, "--answer continue", &[])];
    steps.extend(repaired(host));
    let repair = agents(host, "sed -i s/hello/Hello/ app/views/cart.html");
    let shown = dialogue.reply_with("continue", repair, steps);
    assert_said(&shown, "\nItem 1: fixed");
    assert_said(&shown, "(3 items, 2 stacked)\nApp: http://127.0.0.1:");
    assert_eq!(site.json(&format!("{run}/escalation.json"))["answer"], "continue");
    assert!(site.answers("Hello from the cart"), "the user's server shows the repair");
    site.edit(&path, &[("- notes: greet with a capital", "- notes: greet in Swedish")]);
    let mut steps = calls(host, &[("## 8. Repair", 0), ("## 6. Look", 1)]);
    steps.extend(repaired(host));
    let repair = agents(host, "sed -i s/Hello/Hej/ app/views/cart.html");
    assert_said(&dialogue.reply_with("ready", repair, steps), "\nItem 1: fixed");
    assert!(site.answers("Hej from the cart"), "the second round repairs what was edited");

    // One of the seeds is opened, and the other one stays a file.
    let mut steps = calls(host, &[("## 8. Repair", 0), ("## 9. Seeds", 0)]);
    steps.push(says(seeds_offer));
    let offered = dialogue.reply("done", steps);
    assert_said(&offered, "All pages: show-cart-polish-1-all-pages, ");
    assert_said(&offered, "Search: show-cart-polish-2-search, ");
    assert!(github.requests().iter().all(|request| request.call == "POST /graphql"), "nothing is opened yet");
    let mut steps = vec![page(host)];
    steps.extend((0..5).map(|number| seed_call(host, number)));
    steps.extend([
        call(host, "## 10. End", 0),
        ScriptStep::compute(|request| Ok(ModelReply::text(opened(request)?))),
    ]);
    let ended = dialogue.reply("open the first one", steps);
    assert_said(&ended, "https://github.com/owner/tool/pull/8\nPolish complete.\n");

    assert_first_seed_is_open(&stage, &github, &site, run);
    assert_eq!(site.git(&["for-each-ref", "refs/heads"]), before, "no branch here is new or moved");
    assert_eq!(site.status(), " M app/views/cart.html\n", "nothing is committed");
    assert_summary(&site, run, own.pid());
    assert!(own.is_alive(), "the user's server goes on");
}

/// The checklist is damaged, and stays as the user left it.
fn damages_checklist(dialogue: &mut Dialogue, site: &Site, host: Host, path: &str) {
    site.edit(path, &[("- action: keep", "- action: repair it")]);
    let damaged = site.text(path);
    let steps = vec![call(host, "## 8. Repair", 0), says(faults).expects([r#""status":"malformed""#])];
    let line = 1 + damaged.lines().position(|line| line == "- action: repair it").expect("it stands there");
    let words = format!(
        "Line {line}: unknown action `repair it`, expected one of `keep`, `skip`, `fix`, `note`, `stacked`, `replan`\nReply ready"
    );
    assert_said(&dialogue.reply("ready", steps), &words);
    assert_eq!(site.text(path), damaged);
}

/// The summary names the server, counts the items and tells what was suggested.
fn assert_summary(site: &Site, run: &str, pid: u32) {
    let summary = site.text(&format!("{run}/summary.md"));
    for part in [
        format!("\nDev server: {} on :{} (logs: none)\n", pid, site.port),
        "\nChecklist items: 3 total (1 fixed, 0 skipped, 2 stacked, 0 replan)\n".to_owned(),
        "\nEscalation: replan-suggested\n".to_owned(),
    ] {
        assert!(summary.contains(&part), "`{part}` is missing in {summary}");
    }
}

/// The first seed is a draft pull request on the branch of the polish, and the second one stays a file.
fn assert_first_seed_is_open(stage: &Stage, github: &GitHub, site: &Site, run: &str) {
    let (code, listed) =
        github.gh(&stage.project(), &["api", "--hostname", "github.com", "repos/owner/tool/pulls"]);
    let listed: Value = serde_json::from_str(&listed).unwrap_or_default();
    let pulls = listed.as_array().cloned().unwrap_or_default();
    assert_eq!((code, pulls.len()), (Some(0), 2), "{listed}");
    let pull = pulls.iter().find(|one| one["number"] == 8).expect("it was opened");
    let (head, base) = (&pull["head"]["ref"], &pull["base"]["ref"]);
    assert_eq!((head, base), (&"show-cart-polish-1-all-pages".into(), &"show-cart".into()), "{pull}");
    assert_eq!((&pull["title"], &pull["draft"]), (&"All pages".into(), &true.into()), "{pull}");
    assert_eq!(pull["body"], site.text(&format!("{run}/stacked-pr-1.body.md")));
    let remote = site.remote().display().to_string();
    let there = |words: &[&str]| site.git(&[&["--git-dir", &remote], words].concat());
    let names = there(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    assert_eq!(names, "main\nshow-cart\nshow-cart-polish-1-all-pages\n", "the other seed stays a file");
    let tree = |name: &str| there(&["rev-parse", &format!("{name}^{{tree}}")]);
    assert_eq!(tree("show-cart-polish-1-all-pages"), tree("show-cart"), "the commit changes no file");
    let parent = there(&["rev-parse", "show-cart-polish-1-all-pages^"]);
    assert_eq!(parent, there(&["rev-parse", "show-cart"]));
    let subject = there(&["log", "-1", "--format=%s", "show-cart-polish-1-all-pages"]);
    assert_eq!(subject, "All pages\n");
}

#[test]
fn claude_code_uses_a_server_of_its_user_and_opens_one_seed() {
    polished(&real_hosts!(), Host::ClaudeCode);
}

#[test]
fn opencode_uses_a_server_of_its_user_and_opens_one_seed() {
    polished(&real_hosts!(), Host::OpenCode);
}

#[test]
fn codex_uses_a_server_of_its_user_and_opens_one_seed() {
    polished(&real_hosts!(), Host::Codex);
}
