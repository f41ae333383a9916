//! A scripted model: the expected requests and the answers of each conversation, independent of the protocol. A request
//! that belongs to no conversation, comes after its end, or lacks what its step expects is rejected with a message and
//! recorded; a step that no request reached is reported.

use serde_json::Value;

/// A model request of a host, parsed from its protocol.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// The system instructions, as one text.
    pub system: String,
    /// Every text in order, including system texts if the protocol puts them in the same list.
    pub texts: Vec<ConversationText>,
    /// The tools the host offers.
    pub tools: Vec<OfferedTool>,
    /// The model's id.
    pub model: String,
    /// The results of tool calls, in order.
    pub tool_results: Vec<ToolResult>,
    /// The raw request.
    pub raw: Value,
}

/// One text of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationText {
    /// `system`, `developer`, `user` or `assistant`.
    pub role: String,
    /// The text.
    pub text: String,
}

/// One tool that a host offers to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedTool {
    /// The group of the tool, if the protocol has groups.
    pub namespace: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Value,
}

/// The result of one tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call.
    pub call: String,
    /// The result as text.
    pub text: String,
}

impl ModelRequest {
    /// Everything the model can read, in order: system, texts and tool results.
    pub fn all_text(&self) -> String {
        let texts = self.texts.iter().map(|spoken| spoken.text.as_str());
        let results = self.tool_results.iter().map(|result| result.text.as_str());
        std::iter::once(self.system.as_str()).chain(texts).chain(results).collect::<Vec<_>>().join("\n")
    }

    /// The texts with the role of the user, including those that the host adds.
    pub fn user_text(&self) -> String {
        let users = self.texts.iter().filter(|spoken| spoken.role == "user");
        users.map(|spoken| spoken.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The texts since the model's last answer, and the last tool result.
    pub fn latest_text(&self) -> String {
        let spoken =
            self.texts.iter().rposition(|spoken| spoken.role == "assistant").map_or(0, |last| last + 1);
        let texts = self.texts[spoken..].iter().map(|spoken| spoken.text.as_str());
        texts
            .chain(self.tool_results.last().map(|result| result.text.as_str()))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<&OfferedTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// What the scripted model answers.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelReply {
    /// A text; the turn ends.
    Text(String),
    /// Tool calls; the host sends their results in the next request.
    ToolCalls(Vec<ToolCall>),
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The group of the tool, if the protocol has groups.
    pub namespace: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments, a JSON object.
    pub arguments: Value,
}

impl ModelReply {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        ModelReply::Text(text.into())
    }

    /// One call of a tool without a group.
    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        ModelReply::ToolCalls(vec![ToolCall { namespace: None, name: name.into(), arguments }])
    }

    /// One call of a tool in a group.
    pub fn call_in(namespace: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        ModelReply::ToolCalls(vec![ToolCall {
            namespace: Some(namespace.into()),
            name: name.into(),
            arguments,
        }])
    }
}

/// What a request must contain: `Err` is a message about what is missing.
pub type Expectation = Box<dyn Fn(&ModelRequest) -> Result<(), String> + Send>;
/// Computes the answer; `Err` rejects the request.
pub type ReplyMaker = Box<dyn Fn(&ModelRequest) -> Result<ModelReply, String> + Send>;

/// One exchange of a conversation.
pub struct ScriptStep {
    expectations: Vec<Expectation>,
    answer: ReplyMaker,
    repeats: bool,
}

impl ScriptStep {
    /// A step that always gives this answer.
    pub fn reply(reply: ModelReply) -> Self {
        Self::compute(move |_| Ok(reply.clone()))
    }

    /// A step whose answer is computed from the request.
    pub fn compute(answer: impl Fn(&ModelRequest) -> Result<ModelReply, String> + Send + 'static) -> Self {
        Self { expectations: Vec::new(), answer: Box::new(answer), repeats: false }
    }

    /// The request must contain each of these texts.
    pub fn expects<T: Into<String>>(mut self, texts: impl IntoIterator<Item = T>) -> Self {
        for text in texts {
            let text: String = text.into();
            self.expectations.push(Box::new(move |request| {
                if request.all_text().contains(&text) {
                    Ok(())
                } else {
                    Err(format!("expected `{text}` in the request"))
                }
            }));
        }
        self
    }

    /// The request must satisfy this check.
    pub fn expects_that(
        mut self,
        check: impl Fn(&ModelRequest) -> Result<(), String> + Send + 'static,
    ) -> Self {
        self.expectations.push(Box::new(check));
        self
    }

    /// Any number of requests, including none, may use this step. It stays the current one.
    pub fn any_number(mut self) -> Self {
        self.repeats = true;
        self
    }
}

/// One conversation: which requests belong to it, and its steps in order.
pub struct Conversation {
    name: String,
    belongs: Box<dyn Fn(&ModelRequest) -> bool + Send>,
    steps: Vec<ScriptStep>,
    next: usize,
}

impl Conversation {
    /// A conversation of the requests for which `belongs` returns true.
    pub fn new(name: impl Into<String>, belongs: impl Fn(&ModelRequest) -> bool + Send + 'static) -> Self {
        Self { name: name.into(), belongs: Box::new(belongs), steps: Vec::new(), next: 0 }
    }

    /// Adds a step.
    pub fn then(mut self, step: ScriptStep) -> Self {
        self.steps.push(step);
        self
    }

    fn answer(&mut self, request: &ModelRequest) -> Result<ModelReply, String> {
        let name = &self.name;
        let step = self.steps.get(self.next);
        let step = step.ok_or_else(|| format!("conversation `{name}` has no step left for this request"))?;
        for expectation in &step.expectations {
            let number = self.next + 1;
            expectation(request)
                .map_err(|missing| format!("step {number} of conversation `{name}`: {missing}"))?;
        }
        let reply = (step.answer)(request)?;
        self.next += usize::from(!step.repeats);
        Ok(reply)
    }
}

/// One request with its conversation.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// The conversation; `None` when it belonged to none.
    pub conversation: Option<String>,
    /// The request.
    pub request: ModelRequest,
}

/// Conversations in order: a request goes to the first one that accepts it.
#[derive(Default)]
pub struct ModelScript {
    conversations: Vec<Conversation>,
    received: Vec<ReceivedRequest>,
    rejected: Vec<String>,
}

impl ModelScript {
    /// Adds a conversation.
    pub fn with_conversation(mut self, conversation: Conversation) -> Self {
        self.conversations.push(conversation);
        self
    }

    /// Answers a request, or rejects it with a message; both are recorded.
    pub(crate) fn answer(&mut self, request: ModelRequest) -> Result<ModelReply, String> {
        let taker = self.conversations.iter_mut().find(|conversation| (conversation.belongs)(&request));
        let (conversation, answer) = match taker {
            Some(conversation) => (Some(conversation.name.clone()), conversation.answer(&request)),
            None => (None, Err("no conversation of the script takes this request".to_owned())),
        };
        if let Err(sentence) = &answer {
            self.rejected.push(sentence.clone());
        }
        self.received.push(ReceivedRequest { conversation, request });
        answer
    }

    /// Records a request that is not a model request.
    pub(crate) fn reject(&mut self, sentence: String) {
        self.rejected.push(sentence);
    }

    /// All requests received and rejected, and the steps that no request reached.
    pub(crate) fn finish(self) -> Exchange {
        let mut unmet = Vec::new();
        for conversation in &self.conversations {
            for (index, step) in conversation.steps.iter().enumerate().skip(conversation.next) {
                if !step.repeats {
                    unmet.push(format!(
                        "step {} of conversation `{}` was never asked for",
                        index + 1,
                        conversation.name
                    ));
                }
            }
        }
        Exchange { received: self.received, rejected: self.rejected, unmet }
    }
}

/// The exchange between a host and its scripted model.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
    /// Every model request in order, including rejected ones.
    pub received: Vec<ReceivedRequest>,
    /// Why requests were rejected.
    pub rejected: Vec<String>,
    /// Steps that no request has reached.
    pub unmet: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> ModelRequest {
        let texts = vec![ConversationText { role: "user".to_owned(), text: text.to_owned() }];
        ModelRequest {
            system: String::new(),
            texts,
            tools: Vec::new(),
            model: "m".to_owned(),
            tool_results: Vec::new(),
            raw: Value::Null,
        }
    }

    fn script() -> ModelScript {
        let main = Conversation::new("main", |request| request.all_text().contains("MAIN"))
            .then(ScriptStep::reply(ModelReply::text("one")).expects(["first"]))
            .then(ScriptStep::compute(|request| Ok(ModelReply::text(request.user_text()))));
        ModelScript::default().with_conversation(main).with_conversation(
            Conversation::new("title", |request| request.all_text().contains("title"))
                .then(ScriptStep::reply(ModelReply::text("t")).any_number()),
        )
    }

    #[test]
    fn answers_in_order_and_tells_conversations_apart() {
        let mut script = script();
        assert_eq!(script.answer(request("title")), Ok(ModelReply::text("t")));
        assert_eq!(script.answer(request("MAIN first")), Ok(ModelReply::text("one")));
        assert_eq!(script.answer(request("MAIN next")), Ok(ModelReply::text("MAIN next")));
        let exchange = script.finish();
        assert_eq!((exchange.received.len(), exchange.rejected.len(), exchange.unmet.len()), (3, 0, 0));
    }

    #[test]
    fn rejects_strangers_surplus_and_unmet_expectations() {
        let mut script = script();
        assert!(script.answer(request("who")).unwrap_err().contains("no conversation"));
        assert!(script.answer(request("MAIN other")).unwrap_err().contains("expected `first`"));
        assert!(script.answer(request("MAIN first")).is_ok());
        assert!(script.answer(request("MAIN")).is_ok());
        assert!(script.answer(request("MAIN")).unwrap_err().contains("no step left"));
        let exchange = script.finish();
        assert_eq!((exchange.received.len(), exchange.rejected.len()), (5, 3));
    }

    #[test]
    fn reports_steps_never_reached() {
        let exchange = script().finish();
        assert_eq!(
            exchange.unmet,
            [
                "step 1 of conversation `main` was never asked for",
                "step 2 of conversation `main` was never asked for"
            ]
        );
    }
}
