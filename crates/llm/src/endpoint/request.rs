//! Bodies of requests in the two APIs. The parts that are the same in every request of a kind come first, so that servers can
//! cache them.

use async_openai::types::chat::{
    ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage, ChatCompletionRequestSystemMessage,
    ChatCompletionRequestUserMessage, CreateChatCompletionRequest, ResponseFormat,
};
use serde_json::{Map, Value, json};

use super::form::Form;
use super::shape::{LimitName, Shape};
use crate::config::{Api, JsonMode, Model, Reasoning};

/// The smallest budget of reasoning that Anthropic accepts, in tokens. If less is available, no reasoning is requested.
const MIN_REASONING: u64 = 1_024;

/// A message of a request, by its role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChatMessage {
    /// The instructions of the prompt.
    System(String),
    /// Data, or the complaint about an unusable answer.
    User(String),
    /// An unusable answer of the model, shown again with the complaint.
    Assistant(String),
}

impl ChatMessage {
    pub(super) fn text(&self) -> &str {
        match self {
            ChatMessage::System(text) | ChatMessage::User(text) | ChatMessage::Assistant(text) => text,
        }
    }
}

/// A request in a form that does not depend on the API.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelRequest<'a> {
    pub(super) messages: &'a [ChatMessage],
    pub(super) form: Form,
    /// Maximum tokens of the answer, reasoning included.
    pub(super) max_output_tokens: u64,
    /// Whether the server is llama.cpp, which reports how far it has read a prompt.
    pub(super) reports_progress: bool,
}

/// Returns the path of requests to a model, below the base URL.
pub(super) fn path(api: Api) -> &'static str {
    match api {
        Api::Chat | Api::Azure => "chat/completions",
        Api::Anthropic => "messages",
    }
}

/// Returns the body of a request. Configured fields replace those of the same name.
pub(super) fn body(model: &Model, model_request: ModelRequest<'_>, shape: Shape) -> Value {
    let mut body = match model.api {
        Api::Chat | Api::Azure => chat(model, model_request, shape),
        Api::Anthropic => anthropic(model, model_request, shape),
    };
    if shape.streams {
        body.insert("stream".into(), true.into());
    }
    body.extend(model.extra_body.clone());
    Value::Object(body)
}

fn chat(model: &Model, model_request: ModelRequest<'_>, shape: Shape) -> Map<String, Value> {
    let request = CreateChatCompletionRequest {
        model: model.name.clone(),
        messages: model_request.messages.iter().map(message).collect(),
        temperature: model.temperature.filter(|_| shape.temperature),
        response_format: match shape.json {
            JsonMode::Schema => Some(ResponseFormat::JsonSchema { json_schema: model_request.form.schema() }),
            JsonMode::Object => Some(ResponseFormat::JsonObject),
            JsonMode::None => None,
        },
        ..CreateChatCompletionRequest::default()
    };
    let Ok(Value::Object(mut body)) = serde_json::to_value(request) else { unreachable!("requests are plain data") };
    let limit = match shape.limit {
        LimitName::MaxCompletionTokens => Some("max_completion_tokens"),
        LimitName::MaxTokens => Some("max_tokens"),
        LimitName::None => None,
    };
    body.extend(limit.map(|name| (name.to_owned(), model_request.max_output_tokens.into())));
    if let Some(reasoning) = model.reasoning.filter(|_| shape.reasoning) {
        body.insert("reasoning_effort".into(), reasoning.as_str().into());
    }
    if shape.streams && shape.counts {
        body.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    if shape.streams && model_request.reports_progress {
        body.insert("return_progress".into(), true.into());
    }
    body
}

fn message(message: &ChatMessage) -> ChatCompletionRequestMessage {
    match message {
        ChatMessage::System(text) => ChatCompletionRequestSystemMessage::from(text.as_str()).into(),
        ChatMessage::User(text) => ChatCompletionRequestUserMessage::from(text.as_str()).into(),
        ChatMessage::Assistant(text) => ChatCompletionRequestAssistantMessage::from(text.as_str()).into(),
    }
}

fn anthropic(model: &Model, model_request: ModelRequest<'_>, shape: Shape) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), model.name.clone().into());
    body.insert("max_tokens".into(), model_request.max_output_tokens.into());
    let system = model_request.messages.iter().find_map(|message| match message {
        ChatMessage::System(text) => Some(text.as_str()),
        _ => None,
    });
    let mut block = json!({ "type": "text", "text": system.unwrap_or_default() });
    if shape.caches {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
    body.insert("system".into(), json!([block]));
    let messages: Vec<Value> = model_request.messages.iter().filter_map(turn).collect();
    body.insert("messages".into(), messages.into());
    if shape.json == JsonMode::Schema {
        let schema = model_request.form.schema().schema;
        body.insert("output_config".into(), json!({ "format": { "type": "json_schema", "schema": schema } }));
    }
    match thinking(model.reasoning.filter(|_| shape.reasoning), model_request.max_output_tokens) {
        Some(thinking) => drop(body.insert("thinking".into(), thinking)),
        // Anthropic accepts no temperature together with reasoning.
        None if shape.temperature => body.extend(model.temperature.map(|value| ("temperature".into(), value.into()))),
        None => {}
    }
    body
}

fn turn(message: &ChatMessage) -> Option<Value> {
    match message {
        ChatMessage::System(_) => None,
        ChatMessage::User(text) => Some(json!({ "role": "user", "content": text })),
        ChatMessage::Assistant(text) => Some(json!({ "role": "assistant", "content": text })),
    }
}

/// Returns the setting for reasoning: its configured budget, but at most half of the tokens of the answer. `None` without
/// reasoning, or if the budget would be below [`MIN_REASONING`].
fn thinking(reasoning: Option<Reasoning>, max_output_tokens: u64) -> Option<Value> {
    let tokens = reasoning?.tokens().min(max_output_tokens / 2);
    (tokens >= MIN_REASONING).then(|| json!({ "type": "enabled", "budget_tokens": tokens }))
}
