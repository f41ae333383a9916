//! The calls of the skill, taken out of the text that the model received, with values of the helper's own answers in place
//! of capital words.

use plugcast::drivers::script::{ModelReply, ModelRequest, ScriptStep};
use serde_json::Value;

use crate::hosts::codex;
use crate::hosts::model::{between, holds, lacks, last_result};
use crate::hosts::review::hand::{Host, quoted};
use crate::hosts::review::obedient_model::{answer, block, call_and_input, put, with_arguments};

pub const SKILL: &str = "polish:polish-beta";

/// A capital word, and the answer and the place in it that it stands for.
const VALUES: [(&str, &str, &str); 12] = [
    ("RUN", "rt.polish.acquire/1", "/run"),
    ("BASE", "rt.polish.acquire/1", "/base_ref"),
    ("NAME", "rt.launch.read/1", "/config/name"),
    ("PORT", "rt.launch.read/1", "/config/port"),
    ("SEEN", "rt.polish.checklist.parse/1", "/sha256"),
    ("PATH", "rt.polish.checklist.write/1", "/path"),
    // Of a polish that is continued.
    ("PATH", "rt.polish.checklist.parse/1", "/path"),
    ("URL", "rt.server.start/1", "/server/url"),
    ("URL", "rt.server.status/1", "/server/url"),
    ("PORT", "rt.server.status/1", "/server/port"),
    ("PID", "rt.server.start/1", "/owner/pid"),
    ("TIME", "rt.server.start/1", "/owner/start_time"),
];

/// A text with the values of its capital words, as far as they are known, each as `quote` writes it.
pub fn filled(request: &ModelRequest, text: &str, quote: fn(&str) -> String) -> String {
    let known = VALUES.iter().filter_map(|(word, schema, place)| {
        let answer = answer(request, schema).ok()?;
        let value = answer.pointer(place).filter(|value| !value.is_null())?;
        Some((*word, value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
    });
    known.fold(text.to_owned(), |text, (word, value)| put(&text, word, &quote(&value)))
}

/// The skill's own folder: of the `<path>` that the host names, else beside the helper's.
pub fn skill_folder(host: Host, request: &ModelRequest) -> Result<String, String> {
    let (text, folder) = host.skill_text(request, SKILL)?;
    if let Some(folder) = folder {
        return Ok(folder);
    }
    let plugin = between(&text, "HELPER stands for `\"", "/bin/plugcast-run\"`")?;
    Ok(format!("{plugin}/skills/polish-beta"))
}

/// A step that makes a call under a heading of the skill.
pub fn call(host: Host, heading: &'static str, number: usize) -> ScriptStep {
    call_with(host, heading, number, "", &[])
}

/// The same with an option that the text mentions, and with values that the model or the user chooses.
pub fn call_with(
    host: Host,
    heading: &'static str,
    number: usize,
    option: &'static str,
    values: &[(&'static str, String)],
) -> ScriptStep {
    let values = values.to_vec();
    ScriptStep::compute(move |request| {
        let (text, folder) = host.skill_text(request, SKILL)?;
        let block = block(&text, heading, number)?;
        let (call, input) = call_and_input(&block);
        let call = values.iter().fold(call.to_owned(), |call, (word, value)| put(&call, word, value));
        let helper = between(&text, "HELPER stands for `", "`")?;
        let mut call = filled(request, &put(&call, "HELPER", helper), quoted);
        if let Some(flag) = option.split(' ').next().filter(|flag| !flag.is_empty()) {
            holds(&text, &format!("`{flag}`"))?;
            call = format!("{call} {option}");
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

/// Steps that make calls one after the other, each if the one before did what it was asked.
pub fn calls(host: Host, wanted: &[(&'static str, usize)]) -> Vec<ScriptStep> {
    let fine = |request: &ModelRequest| lacks(&last_result(request), "\"error\":{");
    wanted.iter().map(|(heading, number)| call(host, heading, *number).expects_that(fine)).collect()
}

/// The screen with the checklist, as the skill has it.
pub fn screen(host: Host, request: &ModelRequest) -> Result<String, String> {
    let (text, _) = host.skill_text(request, SKILL)?;
    // Once the file was read, it holds what the user has made of it.
    let counts = match answer(request, "rt.polish.checklist.parse/1") {
        Ok(read) => {
            let items: Vec<&Value> = read["items"].as_array().into_iter().flatten().collect();
            let stacked = items.iter().filter(|item| item["action"] == "stacked").count();
            [items.len().to_string(), stacked.to_string()]
        }
        Err(_) => {
            let written = answer(request, "rt.polish.checklist.write/1")?;
            ["items", "stacked"].map(|key| written[key].to_string())
        }
    };
    let screen = put(&block(&text, "## 7. Write", 2)?, "BRANCH", "show-cart");
    let screen = ["ITEMS", "STACKED"]
        .iter()
        .zip(&counts)
        .fold(screen, |screen, (word, count)| put(&screen, word, count));
    Ok(filled(request, &screen, str::to_owned).replace("(opened in IDE)", "(not opened)"))
}

/// A step that shows it.
pub fn screen_step(host: Host) -> ScriptStep {
    ScriptStep::compute(move |request| Ok(ModelReply::text(screen(host, request)?)))
}

/// A step that writes an object to a file of the run, as the skill says.
pub fn wrote(host: Host, path: &'static str, value: fn() -> Value) -> ScriptStep {
    ScriptStep::compute(move |request| {
        let (text, _) = host.skill_text(request, SKILL)?;
        if !text.contains(&format!("`{path}`")) {
            return Err(format!("the skill does not name `{path}`"));
        }
        Ok(host.write(&filled(request, path, str::to_owned), &value().to_string()))
    })
}
