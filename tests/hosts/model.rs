//! How the scripted models act: each takes what it does next out of the text that the host gave it,
//! and knows nothing of where the bundle lies.

use plugcast::drivers::script::{Conversation, ModelReply, ModelRequest, ScriptStep};

/// The first line of the first fenced code block after a heading.
pub fn command_under(given: &str, heading: &str) -> Result<String, String> {
    let (_, text) = given.split_once(heading).ok_or_else(|| format!("no `{heading}` in `{given}`"))?;
    let mut lines = text.lines().skip_while(|line| !line.trim_start().starts_with("```")).skip(1);
    lines.next().map(str::to_owned).ok_or_else(|| format!("no code block under `{heading}`"))
}

/// The words between two marks in a text.
pub fn between<'a>(text: &'a str, before: &str, after: &str) -> Result<&'a str, String> {
    let (_, rest) = text.split_once(before).ok_or_else(|| format!("no `{before}` in `{text}`"))?;
    rest.split_once(after).map(|(found, _)| found).ok_or_else(|| format!("no `{after}` in `{rest}`"))
}

/// Fails with the whole text when it lacks some words.
pub fn holds(text: &str, words: &str) -> Result<(), String> {
    if text.contains(words) { Ok(()) } else { Err(format!("expected `{words}` in `{text}`")) }
}

/// Fails with the whole text when it has some words.
pub fn lacks(text: &str, words: &str) -> Result<(), String> {
    if text.contains(words) { Err(format!("`{words}` was not to stand in `{text}`")) } else { Ok(()) }
}

/// The conversation of an agent with one step, which must have brought every line of the agent's
/// instructions. It is known by the first sentence of them, outside of any tool result.
pub fn agent(instructions: &[String], answer: ScriptStep) -> Conversation {
    let first = instructions.iter().find(|line| !line.starts_with('#')).expect("a sentence").clone();
    let belongs = move |request: &ModelRequest| {
        request.system.contains(&first) || request.texts.iter().any(|spoken| spoken.text.contains(&first))
    };
    Conversation::new("agent", belongs).then(answer.expects(instructions.iter().cloned()))
}

/// The conversation of the session itself. Without any tools a host asks only for side work, such
/// as a title.
pub fn main() -> Conversation {
    Conversation::new("main", |request| !request.tools.is_empty())
}

/// The last step of a conversation.
pub fn done() -> ScriptStep {
    ScriptStep::reply(ModelReply::text("done"))
}

/// A step whose request must bring this in the last tool result.
pub fn after(result: &'static str, step: ScriptStep) -> ScriptStep {
    step.expects_that(move |request| holds(&last_result(request), result))
}

/// The last tool result of a request.
pub fn last_result(request: &ModelRequest) -> String {
    request.tool_results.last().map(|result| result.text.clone()).unwrap_or_default()
}
