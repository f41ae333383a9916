//! The scripted-model servers, over plain HTTP: each answers what it was scripted for in its own
//! protocol, and rejects everything else and keeps it for the report.

use plugcast::drivers::anthropic_messages::AnthropicMessages;
use plugcast::drivers::model_server::{ModelServer, Protocol};
use plugcast::drivers::openai_chat::OpenaiChat;
use plugcast::drivers::openai_responses::OpenaiResponses;
use plugcast::drivers::script::{Conversation, Exchange, ModelReply, ModelScript, ScriptStep};
use serde_json::{Value, json};

use crate::hosts::review::obedient_model::{block, put};

/// One protocol as a client sees it.
struct ProtocolSample {
    protocol: &'static dyn Protocol,
    path: &'static str,
    /// A request with this text of the user.
    request: fn(&str) -> Value,
    /// How an answer with the text `good evening` reads.
    answer: &'static str,
}

fn messages(text: &str) -> Value {
    json!({ "model": "m", "max_tokens": 9, "messages": [{ "role": "user", "content": text }] })
}

const ANTHROPIC: ProtocolSample = ProtocolSample {
    protocol: &AnthropicMessages,
    path: "/v1/messages",
    request: messages,
    answer: r#""text":"good evening""#,
};

const RESPONSES: ProtocolSample = ProtocolSample {
    protocol: &OpenaiResponses,
    path: "/v1/responses",
    request: |text| {
        let content = json!([{ "type": "input_text", "text": text }]);
        json!({ "model": "m", "stream": true, "input": [{ "type": "message", "role": "user", "content": content }] })
    },
    answer: r#"{"type":"output_text","text":"good evening"}"#,
};

const CHAT: ProtocolSample = ProtocolSample {
    protocol: &OpenaiChat,
    path: "/v1/chat/completions",
    request: messages,
    answer: r#""content":"good evening""#,
};

struct Answer {
    status: u16,
    body: String,
}

/// Sends requests to a server that is scripted for one request with `keys`, then returns the
/// answers and what the server kept.
fn exchange(spoken: &ProtocolSample, requests: &[(&str, &str, String)]) -> (Vec<Answer>, Exchange) {
    let server = ModelServer::start(spoken.protocol, &[]).expect("a port of loopback");
    let evening = ScriptStep::reply(ModelReply::text("good evening")).expects(["keys"]);
    let known = |request: &plugcast::drivers::script::ModelRequest| request.user_text().starts_with("hello");
    server.switch_script(
        ModelScript::default().with_conversation(Conversation::new("main", known).then(evening)),
    );
    let send = |(method, path, body): &(&str, &str, String)| {
        let url = format!("{}{path}", server.address());
        let request = match *method {
            "GET" => minreq::get(url),
            _ => minreq::post(url).with_header("content-type", "application/json").with_body(body.as_str()),
        };
        let response = request.with_timeout(60).send().expect("an answer");
        Answer { status: response.status_code, body: response.as_str().expect("text").to_owned() }
    };
    let answers = requests.iter().map(send).collect();
    (answers, server.finish())
}

/// Every way of going beside the script ends in status 400 with the reason, which the server keeps.
fn answers_its_script_and_rejects_the_rest(spoken: &ProtocolSample) {
    let post = |text: &str| ("POST", spoken.path, (spoken.request)(text).to_string());
    let requests = [
        post("hello, where are the lamps?"),
        post("hello, where are the keys?"),
        post("hello, where are the keys?"),
        post("who is there?"),
        ("POST", spoken.path, "no JSON".to_owned()),
        ("POST", spoken.path, "{}".to_owned()),
        ("POST", "/v1/embeddings", "{}".to_owned()),
        ("GET", "/v1/models", String::new()),
        ("GET", spoken.path, String::new()),
    ];
    let (answers, kept) = exchange(spoken, &requests);
    assert_eq!(answers[1].status, 200);
    assert!(answers[1].body.contains(spoken.answer), "{}", answers[1].body);
    let reasons = [
        "step 1 of conversation `main`: expected `keys` in the request",
        "conversation `main` has no step left for this request",
        "no conversation of the script takes this request",
        "the request body is not valid JSON",
        "the request has no `",
        "`POST /v1/embeddings` is not a request that the script knows",
        "`GET /v1/models` is not a request that the script knows",
        &format!("`GET {}` is not a request that the script knows", spoken.path),
    ];
    let refused: Vec<&Answer> =
        answers.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, answer)| answer).collect();
    assert_eq!((refused.len(), kept.rejected.len()), (reasons.len(), reasons.len()), "{:#?}", kept.rejected);
    for ((answer, sentence), reason) in refused.iter().zip(&kept.rejected).zip(reasons) {
        assert_eq!(answer.status, 400, "{reason}");
        assert!(sentence.starts_with(reason), "`{reason}` is not how `{sentence}` begins");
        let told: Value = serde_json::from_str(&answer.body).expect("the error is JSON");
        let told = told["error"]["message"].as_str().expect("an error has a message");
        assert_eq!(told, format!("rejected by the scripted model: {sentence}"));
    }
    assert_eq!(kept.received.len(), 4, "whatever is a model request is kept, rejected or not");
    assert!(kept.unmet.is_empty());
}

/// A step that no request has reached is reported.
fn reports_what_was_never_asked(spoken: &ProtocolSample) {
    let (_, kept) = exchange(spoken, &[]);
    assert_eq!(kept.unmet, ["step 1 of conversation `main` was never asked for"]);
}

#[test]
fn anthropic_messages_keep_to_the_script() {
    answers_its_script_and_rejects_the_rest(&ANTHROPIC);
    reports_what_was_never_asked(&ANTHROPIC);
}

/// The host counts the tokens of a file that a skill includes before it sends the conversation.
#[test]
fn anthropic_messages_count_tokens_beside_the_script() {
    let short = messages("hello, where are the keys?").to_string();
    let long = messages(&"where are the keys? ".repeat(100)).to_string();
    let path = "/v1/messages/count_tokens";
    let (answers, kept) =
        exchange(&ANTHROPIC, &[("POST", path, short.clone()), ("POST", path, long.clone())]);
    for (answer, body) in answers.iter().zip([short, long]) {
        let counted: Value = serde_json::from_str(&answer.body).expect("the count is JSON");
        assert_eq!((answer.status, counted), (200, json!({ "input_tokens": body.len().div_ceil(4) })));
    }
    assert!(kept.rejected.is_empty() && kept.received.is_empty(), "a count is not a turn of a conversation");
    let (answers, _) = exchange(&RESPONSES, &[("POST", path, "{}".to_owned())]);
    assert_eq!(answers[0].status, 400, "a protocol without such requests rejects them");
}

#[test]
fn openai_responses_keep_to_the_script() {
    answers_its_script_and_rejects_the_rest(&RESPONSES);
    reports_what_was_never_asked(&RESPONSES);
}

#[test]
fn openai_chat_completions_keep_to_the_script() {
    answers_its_script_and_rejects_the_rest(&CHAT);
    reports_what_was_never_asked(&CHAT);
}

#[test]
fn only_words_that_stand_alone_get_their_value() {
    assert_eq!(
        put("run --run 'RUN' RUNS <<END_RUN_1\nRUN", "RUN", "/a b"),
        "run --run '/a b' RUNS <<END_RUN_1\n/a b"
    );
    let text = "## A\n```sh\none\n```\n```sh\ntwo\nthree\n```\n## B\n```sh\nfour\n```\n";
    assert_eq!(block(text, "## A", 1), Ok("two\nthree".to_owned()));
    assert!(block(text, "## A", 2).is_err() && block(text, "## C", 0).is_err());
}
