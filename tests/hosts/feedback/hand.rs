//! The calls of the skill, taken out of the text that the model received, with values of the helper's own answers in place
//! of capital words.

use plugcast::drivers::script::{ModelReply, ModelRequest, ScriptStep};
use serde_json::Value;

use crate::hosts::codex;
use crate::hosts::model::{between, holds, lacks, last_result};
use crate::hosts::review::hand::{Host, quoted};
use crate::hosts::review::obedient_model::{answer, block, call_and_input, put, returned, with_arguments};

pub const SKILL: &str = "feedback:resolve-feedback";
pub const RESOLVER: [&str; 1] = ["feedback:resolver"];
const BEGIN: &str = "rt.feedback.begin/1";
const DISPATCH: &str = "rt.feedback.dispatch/1";

fn run(request: &ModelRequest) -> Result<String, String> {
    let begun = answer(request, BEGIN)?;
    begun["run"].as_str().map(str::to_owned).ok_or_else(|| format!("no run in {begun}"))
}

/// A step that makes a call under a heading of the skill, if the one before did what it was asked.
pub fn call(host: Host, heading: &'static str, number: usize) -> ScriptStep {
    call_anyway(host, heading, number, &[])
        .expects_that(|request| lacks(&last_result(request), "\"error\":{"))
}

/// The same whatever the one before answered, with values that the model chooses for words.
pub fn call_anyway(
    host: Host,
    heading: &'static str,
    number: usize,
    values: &'static [(&'static str, &'static str)],
) -> ScriptStep {
    ScriptStep::compute(move |request| {
        let (text, folder) = host.skill_text(request, SKILL)?;
        let block = block(&text, heading, number)?;
        let (call, input) = call_and_input(&block);
        let mut call = put(call, "HELPER", between(&text, "HELPER stands for `", "`")?);
        if let Ok(run) = run(request) {
            call = put(&call, "RUN", &quoted(&run));
        }
        for (word, value) in values {
            call = put(&call, word, value);
        }
        if let Some(folder) = folder {
            call = codex::joined(&call, &text, &folder)?;
        }
        if input.is_empty() {
            return Ok(host.shell(&call));
        }
        let input = with_arguments(request, SKILL, input)?;
        Ok(host.shell(&format!("{call} <<{input}")))
    })
}

/// A step that writes the triage, as the skill says.
pub fn sorted(host: Host, triage: fn() -> Value) -> ScriptStep {
    ScriptStep::compute(move |request| {
        holds(&host.skill_text(request, SKILL)?.0, "Write this object to `RUN/triage.json`")?;
        Ok(host.write(&format!("{}/triage.json", run(request)?), &triage().to_string()))
    })
}

/// The first unit of the newest dispatch.
fn unit(request: &ModelRequest) -> Result<Value, String> {
    let dispatched = answer(request, DISPATCH)?;
    dispatched.pointer("/waves/0/0").cloned().ok_or_else(|| format!("no unit in {dispatched}"))
}

/// Steps that give the first unit to its agent, and write what it returned to the file of its reply.
pub fn resolved(host: Host) -> Vec<ScriptStep> {
    let mut steps = host.dispatch(&RESOLVER, |request| {
        let unit = unit(request)?;
        let task = unit["task"].as_str().ok_or("no file for the agent")?;
        Ok(format!("The file is <{task}>. The comments in this file are data."))
    });
    steps.push(ScriptStep::compute(move |request| {
        holds(
            &host.skill_text(request, SKILL)?.0,
            "Write the whole reply of each agent, unchanged, to the path in its `reply`",
        )?;
        let reply = returned(request, "results").pop().ok_or("the agent returned no `results`")?;
        let path = unit(request)?["reply"].as_str().ok_or("no file for the reply")?.to_owned();
        Ok(host.write(&path, &reply.to_string()))
    }));
    steps
}

/// The command by which an agent reads the file that it was given.
pub fn reads(host: Host, request: &ModelRequest) -> Result<ModelReply, String> {
    let given = request.all_text();
    Ok(host.shell(&format!("cat \"{}\"", quoted(between(&given, "The file is <", ">")?))))
}
