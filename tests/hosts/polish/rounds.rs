//! What is the same in every polish with its user: the question before the server, the screen with the checklist, a round of
//! repairs with its agents, and what becomes of seeds.

use plugcast::drivers::script::{ModelReply, ModelRequest, ModelScript, ScriptStep};
use serde_json::{Value, json};

use super::hand::{call, calls, filled, screen, screen_step, wrote};
use super::site;
use crate::hosts::model::{agent, holds};
use crate::hosts::review::hand::Host;
use crate::hosts::review::obedient_model::answer;
use crate::hosts::review::says;
use crate::hosts::stage::instructions;

/// What the user adds.
pub const BY_HAND: &str = "\n## Item 3 — Search\n- action: fix\n- files: app/views/a.html, app/views/b.html, app/views/c.html, app/views/d.html, app/views/e.html, app/views/search.html\n- surface: view\n- notes: find carts by name\n";

/// From the beginning to the question before the server starts.
pub fn begun(host: Host) -> Vec<ScriptStep> {
    let mut steps =
        calls(host, &[("## 1. Begin", 0), ("## 1. Begin", 1), ("## 2. Gate", 0), ("## 4. Start", 0)]);
    steps.push(says(question));
    steps
}

/// The question before the server starts.
pub fn question(request: &ModelRequest) -> Result<String, String> {
    let config = &answer(request, "rt.launch.read/1")?["config"];
    Ok(format!(
        "Start `{} {}` on port {}? It goes on after this conversation.\n1. yes\n2. stop",
        config["runtimeExecutable"].as_str().unwrap_or_default(),
        config["runtimeArgs"][0].as_str().unwrap_or_default(),
        config["port"]
    ))
}

/// The start that finds the port taken, and the question of step 5.
pub fn port_is_taken(host: Host) -> Vec<ScriptStep> {
    let asked = says(|request| {
        let owner = &answer(request, "rt.server.start/1")?["owner"];
        Ok(format!(
            "Port {} has process {}: `{}` in {}\n1. end it\n2. another port\n3. use it\n4. stop",
            answer(request, "rt.launch.read/1")?["config"]["port"],
            owner["pid"],
            owner["command"].as_str().unwrap_or_default(),
            owner["cwd"].as_str().unwrap_or_default()
        ))
    });
    vec![call(host, "## 4. Start", 3), asked.expects([r#""code":"port_in_use""#])]
}

/// From the running server to the screen with the checklist.
pub fn checklist(host: Host) -> Vec<ScriptStep> {
    let mut steps = calls(host, &[("## 6. Look", 0), ("## 6. Look", 1)]);
    steps.push(wrote(host, "RUN/items.json", site::items));
    steps.extend(calls(host, &[("## 7. Write", 1)]));
    steps.push(screen_step(host));
    steps
}

/// The repairs of a round, with the agents of its only group, and the screen again.
pub fn repaired(host: Host) -> Vec<ScriptStep> {
    let mut steps = calls(host, &[("## 8. Repair", 1)]);
    let task = |request: &ModelRequest| {
        let plan = answer(request, "rt.dispatch.plan/1")?;
        let group = &plan["groups"][0];
        holds(&group["fixer"].to_string(), "polish:design:design-iterator")?;
        let task = format!("PATH, the items {}, the files {}, URL", group["items"], group["files"]);
        Ok(filled(request, &task, str::to_owned))
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
    steps.push(ScriptStep::compute(move |request| {
        let rewritten = answer(request, "rt.polish.checklist.rewrite/1")?;
        let result = rewritten["results"][0]["result"].as_str().unwrap_or_default();
        Ok(ModelReply::text(format!("{}\nItem 1: {result}", screen(host, request)?)))
    }));
    steps
}

fn results() -> Value {
    json!({ "results": [{ "id": 1, "result": "fixed", "summary": "greets with a capital" }] })
}

/// The agents of a round: one repairs with a command, two find nothing.
pub fn agents(host: Host, repair: &str) -> ModelScript {
    let repair = ScriptStep::reply(host.shell(repair)).expects(["checklist.md", "http://127.0.0.1:"]);
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
    ModelScript::default()
        .with_conversation(designer)
        .with_conversation(nothing("simplicity"))
        .with_conversation(nothing("maintainability"))
}

/// The seeds that could be opened, as the user is asked.
pub fn seeds_offer(request: &ModelRequest) -> Result<String, String> {
    let written = answer(request, "rt.polish.seed.stacked/1")?;
    let text = |seed: &Value, key: &str| seed[key].as_str().unwrap_or_default().to_owned();
    let seeds = written["seeds"].as_array().into_iter().flatten();
    let lines = seeds
        .map(|seed| format!("{}: {}, {}\n", text(seed, "title"), text(seed, "branch"), text(seed, "path")));
    Ok(format!(
        "{}Open them as pull requests that start from show-cart, or leave the files?",
        lines.collect::<String>()
    ))
}

/// The question where most items are too large.
pub fn too_large(request: &ModelRequest) -> Result<String, String> {
    let warnings = &answer(request, "rt.polish.checklist.parse/1")?["warnings"];
    let seed = answer(request, "rt.polish.seed.replan/1")?;
    holds(&seed["ask"].to_string(), "true")?;
    let totals = &seed["totals"];
    Ok(format!(
        "{}\n{} of {} items are too large.\n1. continue with what is small enough\n2. plan it again\n3. think about it from the start",
        warnings[0].as_str().unwrap_or_default(),
        totals["oversized"],
        totals["items"]
    ))
}
