//! The Anthropic Messages protocol as used by Claude Code 2.1.330: `POST /v1/messages`, answered by server-sent events
//! or by one JSON object.

use serde_json::{Value, json};

use super::http::HttpResponse;
use super::model_server::{Protocol, event, list, text_field, texts_of};
use super::script::{ConversationText, ModelReply, ModelRequest, OfferedTool, ToolResult};

/// The protocol.
pub struct AnthropicMessages;

impl Protocol for AnthropicMessages {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn parse(&self, body: Value) -> Result<ModelRequest, String> {
        if !body.get("messages").is_some_and(Value::is_array) {
            return Err("the request has no `messages`".to_owned());
        }
        let (mut texts, mut tool_results) = (Vec::new(), Vec::new());
        for message in list(&body, "messages") {
            let (role, content) = (text_field(message, "role"), &message["content"]);
            if let Value::String(text) = content {
                texts.push(ConversationText { role: role.clone(), text: text.clone() });
            }
            for block in content.as_array().map_or(&[][..], Vec::as_slice) {
                match block["type"].as_str() {
                    Some("text") => {
                        texts.push(ConversationText { role: role.clone(), text: text_field(block, "text") })
                    }
                    Some("tool_result") => tool_results.push(ToolResult {
                        call: text_field(block, "tool_use_id"),
                        text: texts_of(&block["content"]).join("\n"),
                    }),
                    _ => {}
                }
            }
        }
        let tools = list(&body, "tools").iter().map(|tool| OfferedTool {
            namespace: None,
            name: text_field(tool, "name"),
            description: text_field(tool, "description"),
            parameters: tool["input_schema"].clone(),
        });
        Ok(ModelRequest {
            system: texts_of(&body["system"]).join("\n"),
            texts,
            tools: tools.collect(),
            model: text_field(&body, "model"),
            tool_results,
            raw: body,
        })
    }

    fn token_count(&self) -> Option<(&'static str, &'static str)> {
        Some(("/v1/messages/count_tokens", "input_tokens"))
    }

    fn encode(&self, reply: &ModelReply, request: &ModelRequest, id: &str) -> HttpResponse {
        let (blocks, stop) = match reply {
            ModelReply::Text(text) => (vec![json!({ "type": "text", "text": text })], "end_turn"),
            ModelReply::ToolCalls(calls) => {
                let block = |(index, call): (usize, &super::script::ToolCall)| json!({ "type": "tool_use", "id": format!("toolu_{id}_{index}"), "name": call.name, "input": call.arguments });
                (calls.iter().enumerate().map(block).collect(), "tool_use")
            }
        };
        let usage = json!({ "input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0 });
        let message = |content: &[Value], stop: Value| {
            json!({ "id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": request.model,
                    "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage })
        };
        if request.raw["stream"] != true {
            return HttpResponse::json(200, &message(&blocks, json!(stop)));
        }
        let mut body = event(
            Some("message_start"),
            &json!({ "type": "message_start", "message": message(&[], Value::Null) }),
        );
        for (index, block) in blocks.iter().enumerate() {
            let (empty, delta) = if block["type"] == "text" {
                (
                    json!({ "type": "text", "text": "" }),
                    json!({ "type": "text_delta", "text": block["text"] }),
                )
            } else {
                let mut empty = block.clone();
                empty["input"] = json!({});
                (empty, json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() }))
            };
            for (name, key, value) in
                [("content_block_start", "content_block", empty), ("content_block_delta", "delta", delta)]
            {
                body += &event(Some(name), &json!({ "type": name, "index": index, key: value }));
            }
            body +=
                &event(Some("content_block_stop"), &json!({ "type": "content_block_stop", "index": index }));
        }
        let delta = json!({ "stop_reason": stop, "stop_sequence": null });
        body += &event(
            Some("message_delta"),
            &json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 1 } }),
        );
        body += &event(Some("message_stop"), &json!({ "type": "message_stop" }));
        HttpResponse { status: 200, content_type: "text/event-stream", body: body.into_bytes() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed() -> ModelRequest {
        AnthropicMessages
            .parse(json!({ "model": "m", "stream": true, "system": [{ "type": "text", "text": "be brief" }],
                "tools": [{ "name": "Bash", "description": "runs", "input_schema": { "type": "object" } }],
                "messages": [
                    { "role": "user", "content": "hi" },
                    { "role": "assistant", "content": [{ "type": "tool_use", "id": "t", "name": "Bash", "input": {} }] },
                    { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t", "content": [{ "type": "text", "text": "out" }] }, { "type": "text", "text": "more" }] }] }))
            .unwrap()
    }

    #[test]
    fn reads_a_request() {
        let request = parsed();
        assert_eq!((request.system.as_str(), request.user_text().as_str()), ("be brief", "hi\nmore"));
        assert_eq!(request.tool_results, [ToolResult { call: "t".to_owned(), text: "out".to_owned() }]);
        assert_eq!(request.tool("Bash").map(|tool| tool.description.as_str()), Some("runs"));
        assert!(AnthropicMessages.parse(json!({})).is_err());
    }

    #[test]
    fn writes_events_in_the_order_the_host_reads() {
        let reply = ModelReply::call("Bash", json!({ "command": "true" }));
        let body = String::from_utf8(AnthropicMessages.encode(&reply, &parsed(), "7").body).unwrap();
        let names: Vec<&str> = body.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
        assert_eq!(
            names,
            [
                "message_start",
                "content_block_start",
                "content_block_delta",
                "content_block_stop",
                "message_delta",
                "message_stop"
            ]
        );
        assert!(
            body.contains(r#""partial_json":"{\"command\":\"true\"}""#)
                && body.contains(r#""stop_reason":"tool_use""#)
        );
    }
}
