//! The OpenAI Responses protocol as used by Codex 0.169.0: `POST /v1/responses`, one request per turn, answered by
//! server-sent events.

use serde_json::{Value, json};

use super::http::HttpResponse;
use super::model_server::{Protocol, event, list, text_field, texts_of};
use super::script::{ConversationText, ModelReply, ModelRequest, OfferedTool, ToolCall, ToolResult};

/// The protocol.
pub struct OpenaiResponses;

impl Protocol for OpenaiResponses {
    fn path(&self) -> &'static str {
        "/v1/responses"
    }

    fn parse(&self, body: Value) -> Result<ModelRequest, String> {
        if !body.get("input").is_some_and(Value::is_array) {
            return Err("the request has no `input` list".to_owned());
        }
        let (mut texts, mut tool_results, mut tools) =
            (Vec::new(), Vec::new(), tools_in(list(&body, "tools"), None));
        for item in list(&body, "input") {
            let kind = text_field(item, "type");
            if kind.ends_with("_output") {
                let output = &item["output"];
                let text = match output {
                    Value::String(_) | Value::Array(_) => texts_of(output).join("\n"),
                    other => other.to_string(),
                };
                tool_results.push(ToolResult { call: text_field(item, "call_id"), text });
            } else if kind == "additional_tools" {
                // Models of the host's own catalogue receive their tools as an item of the input.
                tools.extend(tools_in(list(item, "tools"), None));
            } else {
                let role = text_field(item, "role");
                texts.extend(
                    texts_of(&item["content"])
                        .into_iter()
                        .map(|text| ConversationText { role: role.clone(), text }),
                );
            }
        }
        Ok(ModelRequest {
            system: text_field(&body, "instructions"),
            texts,
            tools,
            model: text_field(&body, "model"),
            tool_results,
            raw: body,
        })
    }

    fn encode(&self, reply: &ModelReply, _request: &ModelRequest, id: &str) -> HttpResponse {
        let items: Vec<Value> = match reply {
            ModelReply::Text(text) => {
                vec![json!({ "type": "message", "role": "assistant", "id": format!("msg_{id}"),
                "content": [{ "type": "output_text", "text": text }] })]
            }
            ModelReply::ToolCalls(calls) => {
                calls.iter().enumerate().map(|(index, call)| call_item(call, id, index)).collect()
            }
        };
        let response = format!("resp_{id}");
        let mut body = event(
            Some("response.created"),
            &json!({ "type": "response.created", "response": { "id": response } }),
        );
        for (index, item) in items.iter().enumerate() {
            let done = json!({ "type": "response.output_item.done", "output_index": index, "item": item });
            body += &event(Some("response.output_item.done"), &done);
        }
        let usage = json!({ "input_tokens": 1, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 1,
            "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 2 });
        let completed =
            json!({ "type": "response.completed", "response": { "id": response, "usage": usage } });
        body += &event(Some("response.completed"), &completed);
        HttpResponse { status: 200, content_type: "text/event-stream", body: body.into_bytes() }
    }
}

/// Object arguments make a function call; text arguments make a call of a free-form tool.
fn call_item(call: &ToolCall, answer: &str, index: usize) -> Value {
    let id = format!("call_{answer}_{index}");
    let mut item = match &call.arguments {
        Value::String(input) => {
            json!({ "type": "custom_tool_call", "call_id": id, "name": call.name, "input": input })
        }
        arguments => {
            json!({ "type": "function_call", "call_id": id, "name": call.name, "arguments": arguments.to_string() })
        }
    };
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

fn tools_in(tools: &[Value], namespace: Option<&str>) -> Vec<OfferedTool> {
    let mut found = Vec::new();
    for tool in tools {
        let name = tool.get("name").or_else(|| tool.get("type")).and_then(Value::as_str).unwrap_or_default();
        if tool["type"] == "namespace" {
            found.extend(tools_in(list(tool, "tools"), Some(name)));
        } else {
            found.push(OfferedTool {
                namespace: namespace.map(str::to_owned),
                name: name.to_owned(),
                description: text_field(tool, "description"),
                parameters: tool["parameters"].clone(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_tools_in_groups_and_results() {
        let request = OpenaiResponses
            .parse(json!({ "model": "m", "instructions": "i", "tools": [
                { "type": "function", "name": "exec_command", "description": "d", "parameters": {} },
                { "type": "namespace", "name": "multi_agent_v1", "tools": [{ "type": "function", "name": "spawn_agent", "description": "s" }] },
                { "type": "web_search" }],
              "input": [
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "hi" }] },
                { "type": "function_call", "call_id": "c", "name": "exec_command", "arguments": "{}" },
                { "type": "function_call_output", "call_id": "c", "output": "out" }] }))
            .unwrap();
        let names: Vec<_> =
            request.tools.iter().map(|tool| (tool.namespace.as_deref(), tool.name.as_str())).collect();
        assert_eq!(
            names,
            [(None, "exec_command"), (Some("multi_agent_v1"), "spawn_agent"), (None, "web_search")]
        );
        assert_eq!((request.user_text().as_str(), request.tool_results[0].text.as_str()), ("hi", "out"));
    }

    #[test]
    fn writes_calls_with_their_group() {
        let request = OpenaiResponses.parse(json!({ "input": [] })).unwrap();
        let body = |reply: &ModelReply| {
            String::from_utf8(OpenaiResponses.encode(reply, &request, "3").body).unwrap()
        };
        let call = body(&ModelReply::call_in("multi_agent_v1", "spawn_agent", json!({ "message": "go" })));
        assert!(
            call.contains(r#""namespace":"multi_agent_v1""#)
                && call.contains(r#""arguments":"{\"message\":\"go\"}""#)
        );
        assert!(body(&ModelReply::call("apply_patch", json!("*** Begin"))).contains("custom_tool_call"));
        let text = body(&ModelReply::text("ok"));
        assert!(
            text.starts_with("event: response.created\n") && text.contains("event: response.completed\n")
        );
    }
}
