//! A polish with its user: the question before the server, one screen with the checklist, an edit, a round of repairs, and the
//! end. Each reply of the user is a session of its own in the same home.

use plugcast::drivers::script::{ModelReply, ModelRequest, ModelScript, ScriptStep};
use plugcast::drivers::session::SessionOpening;
use serde_json::{Value, json};

use super::hand::{SKILL, calls, filled, wrote};
use super::site::{self, Site};
use super::{UNBOUND, envelope, review};
use crate::hosts::model::{agent, holds};
use crate::hosts::review::hand::Host;
use crate::hosts::review::house::House;
use crate::hosts::review::obey::answer;
use crate::hosts::review::{in_turn, said, says};
use crate::hosts::stage::{OWN, Stage, instructions, invoke};
use crate::support::github::{self, GitHub};
use crate::support::hosts::{Hosts, real_hosts};

/// The screen of step 7, filled in.
fn screen(request: &ModelRequest) -> Result<String, String> {
    let written = answer(request, "rt.polish.checklist.write/1")?;
    let started = answer(request, "rt.server.start/1")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(format!(
        "Polish of show-cart\nChecklist: {} ({} items, {} stacked)\nApp: {} (not opened)\nReply ready to repair, done to finish, or cancel.",
        text(&written["path"]),
        written["items"],
        written["stacked"],
        text(&started["server"]["url"])
    ))
}

fn question(request: &ModelRequest) -> Result<String, String> {
    let config = &answer(request, "rt.launch.read/1")?["config"];
    Ok(format!(
        "Start `{} {}` on port {}? It goes on after this conversation.\n1. yes\n2. stop",
        config["runtimeExecutable"].as_str().unwrap_or_default(),
        config["runtimeArgs"][0].as_str().unwrap_or_default(),
        config["port"]
    ))
}

fn results() -> Value {
    json!({ "results": [{ "id": 1, "result": "fixed", "summary": "greets with a capital" }] })
}

/// The calls of a round, with the agents of its only group.
fn round(host: Host) -> Vec<ScriptStep> {
    let mut steps = calls(host, &[("## 8. Repair", 0), ("## 6. Look", 1), ("## 8. Repair", 1)]);
    let task = |request: &ModelRequest| {
        let plan = answer(request, "rt.dispatch.plan/1")?;
        holds(&plan["groups"][0]["fixer"].to_string(), "polish:design:design-iterator")?;
        Ok(filled(
            request,
            &format!(
                "PATH, the items {}, the files {}, URL",
                plan["groups"][0]["items"], plan["groups"][0]["files"]
            ),
            str::to_owned,
        ))
    };
    steps.extend(host.dispatch(&["polish:design:design-iterator"], task));
    let task = |request: &ModelRequest| {
        let plan = answer(request, "rt.dispatch.plan/1")?;
        holds(&plan["afterwards"].to_string(), "review:simplicity")?;
        Ok("The touched files: app/views/cart.html".to_owned())
    };
    steps.extend(host.dispatch(&["review:simplicity", "review:maintainability"], task));
    steps.push(wrote(host, "RUN/results.json", results));
    steps.extend(calls(host, &[("## 8. Repair", 3)]));
    steps.push(says(|request| {
        let rewritten = answer(request, "rt.polish.checklist.rewrite/1")?;
        Ok(format!(
            "{}\n1 {}",
            screen(request)?,
            rewritten["results"][0]["result"].as_str().unwrap_or_default()
        ))
    }));
    steps
}

/// The agents of a round: one repairs, two find nothing.
fn agents(host: Host) -> ModelScript {
    let repair = ScriptStep::reply(host.shell("sed -i s/hello/Hello/ app/views/cart.html"))
        .expects(["checklist.md", "http://127.0.0.1:"]);
    let reply = ModelReply::text(
        json!({ "results": [{ "id": 1, "result": "fixed", "summary": "x" }], "files": [] }).to_string(),
    );
    let designer = agent(&instructions("plugins/polish/agents/design/design-iterator.md"), repair)
        .then(ScriptStep::reply(reply));
    let nothing = |name: &str| {
        let none = json!([]);
        let own = json!({ "reviewer": name, "findings": none, "residual_risks": none, "testing_gaps": none });
        let told = instructions(&format!("plugins/review/agents/{name}.md"));
        agent(&told, ScriptStep::reply(ModelReply::text(own.to_string())).expects(["app/views/cart.html"]))
    };
    ModelScript::default().with(designer).with(nothing("simplicity")).with(nothing("maintainability"))
}

fn polished(hosts: &Hosts, host: Host, more: &[&str]) {
    let github = GitHub::with(&github::tool("feature"));
    let stage = Stage::new(hosts, host.name(), OWN);
    let site = Site::begin(&stage.project());
    review((hosts, &stage, host), &github, more);
    let mut options = more.to_vec();
    let mut variables = github.variables();
    if let Some(path) = variables.get_mut("PATH") {
        *path = format!("{path}:{}", hosts.ripgrep.display());
    }
    if host == Host::Codex {
        options.extend(["-c", "allow_login_shell=false"]);
    }
    let mut house = House::of(&stage, host, &options);
    house.variables.extend(variables);

    // The skill's own rules are enough up to the question.
    let mut steps =
        calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0), ("## 4. Start", 0)]);
    steps.push(says(question));
    let asked = house.session(invoke(SKILL, ""), ModelScript::default().with(in_turn(steps)), &[]);
    assert!(said(&asked).iter().any(|text| text.starts_with("Start `node server.js` on port ")), "{asked:?}");
    let [run] = &site.runs()[..] else { panic!("one run: {:?}", site.runs()) };
    assert!(
        !site.has(&format!("{run}/server.json")) && !site.answers(""),
        "nothing is started without an answer"
    );

    // The host is started again, where the skill's own rules are not asked for.
    let allowed = ["Bash", "Write"];
    let mut steps = calls(host, &[("## 4. Start", 3), ("## 6. Look", 0), ("## 6. Look", 1)]);
    steps.push(wrote(host, "RUN/items.json", site::items));
    steps.extend(calls(host, &[("## 7. Write", 1)]));
    steps.push(says(screen));
    let shown = house.session(
        // A number alone is none to OpenCode's command line.
        SessionOpening::Prompt("the first".to_owned()),
        ModelScript::default().with(in_turn(steps)),
        &allowed,
    );
    assert!(
        said(&shown).iter().any(|text| text.contains("(2 items, 1 stacked)\nApp: http://127.0.0.1:")),
        "{shown:?}"
    );
    assert!(site.answers("hello from the cart"), "the address shows the page");

    // The user edits one line.
    let path = format!("{run}/checklist.md");
    let edited = site.text(&path).replacen("- action: keep", "- action: fix", 1);
    site.write(&path, &edited.replacen("- notes: at /cart", "- notes: greet with a capital", 1));
    let repaired = house.session(
        SessionOpening::Prompt("ready".to_owned()),
        agents(host).with(in_turn(round(host))),
        &allowed,
    );
    assert!(said(&repaired).iter().any(|text| text.ends_with("\n1 fixed")), "{repaired:?}");
    assert!(site.answers("Hello from the cart"), "the running server shows the repair");
    assert!(
        site.text(&path).contains("- result: fixed\n- summary: greets with a capital\n"),
        "{}",
        site.text(&path)
    );

    let mut steps = calls(host, &[("## 8. Repair", 0), ("## 9. Seeds", 0), ("## 10. End", 0)]);
    steps.push(says(envelope));
    let ended = house.session(
        SessionOpening::Prompt("done".to_owned()),
        ModelScript::default().with(in_turn(steps)),
        &allowed,
    );
    let server = site.json(&format!("{run}/server.json"));
    let summary = site.text(&format!("{run}/summary.md"));
    for part in [
        "Polish complete.\n",
        &format!("\nDev server: {} on :{} (logs: ", server["pid"], site.port),
        "\nChecklist items: 2 total (1 fixed, 0 skipped, 1 stacked, 0 replan)\n",
        "\nNext: open the seeds as pull requests of their own, and merge this one\nPolish complete\n",
    ] {
        assert!(summary.contains(part), "`{part}` is missing in {summary}");
    }
    assert!(said(&ended).contains(&summary.trim_end()), "{ended:?}");
    assert_eq!(site.json(&format!("{run}/metadata.json"))["status"], "complete");
    assert_eq!(site.status(), " M app/views/cart.html\n", "nothing is committed");
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
