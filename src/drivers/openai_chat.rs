//! The OpenAI chat completions protocol as used by OpenCode 1.18.33 with a compatible provider: `POST
//! /v1/chat/completions`, answered by server-sent events or by one JSON object.

use serde_json::{Value, json};

use super::http::HttpResponse;
use super::model_server::{Protocol, event, list, text_field, texts_of};
use super::script::{ConversationText, ModelReply, ModelRequest, OfferedTool, ToolResult};

/// The protocol.
pub struct OpenaiChat;

impl Protocol for OpenaiChat {
    fn path(&self) -> &'static str {
        "/v1/chat/completions"
    }

    fn parse(&self, body: Value) -> Result<ModelRequest, String> {
        if !body.get("messages").is_some_and(Value::is_array) {
            return Err("the request has no `messages`".to_owned());
        }
        let (mut system, mut texts, mut tool_results) = (Vec::new(), Vec::new(), Vec::new());
        for message in list(&body, "messages") {
            let (role, spoken) = (text_field(message, "role"), texts_of(&message["content"]));
            match role.as_str() {
                "system" => system.extend(spoken),
                "tool" => tool_results
                    .push(ToolResult { call: text_field(message, "tool_call_id"), text: spoken.join("\n") }),
                _ => {
                    texts.extend(spoken.into_iter().map(|text| ConversationText { role: role.clone(), text }))
                }
            }
        }
        let tools = list(&body, "tools").iter().map(|tool| OfferedTool {
            namespace: None,
            name: text_field(&tool["function"], "name"),
            description: text_field(&tool["function"], "description"),
            parameters: tool["function"]["parameters"].clone(),
        });
        Ok(ModelRequest {
            system: system.join("\n"),
            texts,
            tools: tools.collect(),
            model: text_field(&body, "model"),
            tool_results,
            raw: body,
        })
    }

    fn encode(&self, reply: &ModelReply, request: &ModelRequest, id: &str) -> HttpResponse {
        let (message, reason) = match reply {
            ModelReply::Text(text) => (json!({ "role": "assistant", "content": text }), "stop"),
            ModelReply::ToolCalls(calls) => {
                let calls: Vec<Value> = calls
                    .iter()
                    .enumerate()
                    .map(|(index, call)| {
                        json!({ "index": index, "id": format!("call_{id}_{index}"), "type": "function",
                                "function": { "name": call.name, "arguments": call.arguments.to_string() } })
                    })
                    .collect();
                (json!({ "role": "assistant", "content": null, "tool_calls": calls }), "tool_calls")
            }
        };
        let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
        let base = |object: &str, choice: Value| json!({ "id": format!("chat_{id}"), "object": object, "created": 1, "model": request.model, "choices": [choice] });
        if request.raw["stream"] != true {
            let mut whole =
                base("chat.completion", json!({ "index": 0, "message": message, "finish_reason": reason }));
            whole["usage"] = usage;
            return HttpResponse::json(200, &whole);
        }
        let mut last =
            base("chat.completion.chunk", json!({ "index": 0, "delta": {}, "finish_reason": reason }));
        last["usage"] = usage;
        let first =
            base("chat.completion.chunk", json!({ "index": 0, "delta": message, "finish_reason": null }));
        let body = format!("{}{}data: [DONE]\n\n", event(None, &first), event(None, &last));
        HttpResponse { status: 200, content_type: "text/event-stream", body: body.into_bytes() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_answers() {
        let request = OpenaiChat
            .parse(json!({ "model": "m", "stream": true, "messages": [
                { "role": "system", "content": "be brief" },
                { "role": "user", "content": [{ "type": "text", "text": "hi" }] },
                { "role": "tool", "tool_call_id": "c", "content": "out" }],
              "tools": [{ "type": "function", "function": { "name": "bash", "description": "d", "parameters": {} } }] }))
            .unwrap();
        assert_eq!((request.system.as_str(), request.user_text().as_str()), ("be brief", "hi"));
        assert_eq!((request.tools[0].name.as_str(), request.tool_results[0].text.as_str()), ("bash", "out"));
        let body = String::from_utf8(
            OpenaiChat.encode(&ModelReply::call("bash", json!({ "command": "true" })), &request, "1").body,
        )
        .unwrap();
        assert!(body.contains(r#""finish_reason":"tool_calls""#) && body.ends_with("data: [DONE]\n\n"));
    }
}
