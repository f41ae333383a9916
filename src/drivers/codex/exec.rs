//! `codex exec` against a scripted model: one request per turn, skills injected by mention.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::home::CodexHome;
use crate::drivers::model_server::{FixedAnswer, ModelServer};
use crate::drivers::openai_responses::OpenaiResponses;
use crate::drivers::script::{ModelRequest, ModelScript};
use crate::drivers::session::{Session, Transcript};

/// The name of the scripted model. The host does not know the model, reports that once, and offers its
/// general list of tools.
const MODEL: &str = "scripted";
/// The host's requests outside of conversations: none (0.169.0).
const FIXED_ANSWERS: &[FixedAnswer] = &[];

/// The host's message about every unknown model (0.169.0).
pub const UNKNOWN_MODEL: &str = "Model metadata for `scripted` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.";

/// Runs one prompt in a folder.
pub fn prompt(
    home: &CodexHome,
    folder: &Path,
    prompt: &str,
    script: ModelScript,
    more: &[String],
    environment: Vec<(String, String)>,
) -> Result<Transcript> {
    let model = ModelServer::start(&OpenaiResponses, FIXED_ANSWERS)?;
    model.switch_script(script);
    let provider = format!(
        "model_providers.scripted={{name=\"scripted\",base_url=\"{}/v1\",wire_api=\"responses\",request_max_retries=0,stream_max_retries=0,supports_websockets=false}}",
        model.address()
    );
    let command = home
        .command(folder)
        .arguments([
            "exec",
            "--skip-git-repo-check",
            "--json",
            "-c",
            "model_provider=scripted",
            "-c",
            &format!("model={MODEL}"),
            "-c",
            &provider,
        ])
        .arguments(more.iter().cloned())
        .arguments(["--", prompt])
        .environment(environment);
    let ended = command.run().context("cannot start `codex exec`")?;
    Ok(Transcript::new(&ended, model.finish()))
}

/// Runs one session for a test.
pub fn session(home: &CodexHome, session: Session, text: &str) -> Result<Transcript> {
    prompt(home, &session.project, text, session.script, &session.arguments, session.environment)
}

/// The error items among a run's events.
pub fn errors(events: &[Value]) -> Vec<String> {
    let items = events.iter().map(|event| if event["item"].is_object() { &event["item"] } else { event });
    let errors = items.filter(|item| item["type"] == "error");
    errors
        .filter_map(|item| item["message"].as_str().map(str::to_owned))
        .filter(|message| message != UNKNOWN_MODEL)
        .collect()
}

/// The text that the host injected for a mentioned skill.
pub fn injected_skill<'a>(request: &'a ModelRequest, skill: &str) -> Option<&'a str> {
    let head = format!("<skill>\n<name>{skill}</name>");
    request.texts.iter().map(|spoken| spoken.text.as_str()).find(|text| text.starts_with(&head))
}

/// The custom agents in the description of the spawn tool, one per line as `NAME: {`.
pub fn roles(request: &ModelRequest) -> Vec<String> {
    let Some(tool) = request.tool("spawn_agent") else { return Vec::new() };
    let described = tool.parameters["properties"]["agent_type"]["description"].as_str().unwrap_or_default();
    let lines = described.lines().filter_map(|line| line.strip_suffix(": {"));
    lines.filter(|name| !name.starts_with(char::is_whitespace)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drivers::script::{ConversationText, OfferedTool};
    use serde_json::json;

    fn request() -> ModelRequest {
        let spawn = OfferedTool {
            namespace: Some("multi_agent_v1".to_owned()),
            name: "spawn_agent".to_owned(),
            description: String::new(),
            parameters: json!({ "properties": { "agent_type": { "description": "x\nAvailable roles:\ndemo:a:b: {\ndemo:Code Reviewer: {\nChecks: {\n}\ndefault: {\nD.\n}" } } }),
        };
        let texts = vec![ConversationText {
            role: "user".to_owned(),
            text: "<skill>\n<name>demo:plan</name>\n<path>/p</path>\nbody".to_owned(),
        }];
        ModelRequest {
            system: String::new(),
            texts,
            tools: vec![spawn],
            model: String::new(),
            tool_results: Vec::new(),
            raw: Value::Null,
        }
    }

    #[test]
    fn reads_roles_injected_skills_and_errors() {
        assert_eq!(roles(&request()), ["demo:a:b", "demo:Code Reviewer", "Checks", "default"]);
        assert!(
            injected_skill(&request(), "demo:plan").is_some()
                && injected_skill(&request(), "demo:pla").is_none()
        );
        let events = [
            json!({ "type": "item.completed", "item": { "type": "error", "message": "bad" } }),
            json!({ "type": "error", "message": UNKNOWN_MODEL }),
        ];
        assert_eq!(errors(&events), ["bad"]);
    }
}
