//! The dialects of real servers, from their documentation and issue threads: the parameters that they refuse and with which
//! messages, the routes that describe the server, and the deviations of their answers.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{ModelRequest, good};

/// A kind of server that the model server imitates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Accepts every chat completion, and has no routes that describe the server.
    #[default]
    Plain,
    /// OpenAI with a reasoning model: refuses `max_tokens` and any temperature; reports rate limits.
    OpenAi,
    /// Azure OpenAI: requires the header `api-key`, and refuses what OpenAI does; streams begin with an event without choices.
    Azure,
    /// Anthropic's messages API, with its own path, headers and events: refuses unknown fields.
    Anthropic,
    /// OpenRouter: sends comments in streams; states the window in the list of models.
    OpenRouter,
    /// Ollama with a model that is loaded with this window: cuts longer prompts silently; refuses reasoning.
    Ollama {
        /// Maximum number of tokens of prompt and answer together.
        window: u64,
    },
    /// llama.cpp with this window and number of slots: refuses longer prompts; reports progress and its own timings.
    LlamaCpp {
        /// Maximum number of tokens of prompt and answer together.
        window: u64,
        /// Number of concurrent requests.
        slots: u64,
    },
    /// vLLM: refuses a prompt if it and `max_tokens` together exceed the window.
    Vllm {
        /// Maximum number of tokens of prompt and answer together.
        window: u64,
    },
    /// A server without streaming: refuses `stream`.
    Whole,
    /// Mistral: refuses `stream_options` and `max_completion_tokens`.
    Mistral,
}

impl Dialect {
    /// Returns the path of requests for answers.
    pub(super) fn path(self) -> &'static str {
        if self == Dialect::Anthropic { "/v1/messages" } else { "/v1/chat/completions" }
    }

    /// Returns the answer of a route that describes the server, or `None` for any other path.
    pub(super) fn about(self, path: &str) -> Option<Value> {
        let model = |entry: Value| json!({ "object": "list", "data": [entry] });
        Some(match (self, path) {
            (Dialect::Ollama { .. }, "/v1/models") => model(json!({ "id": "test", "owned_by": "library" })),
            (Dialect::Ollama { window }, "/api/ps") => {
                json!({ "models": [{ "name": "test:latest", "model": "test:latest", "context_length": window }] })
            }
            (Dialect::LlamaCpp { .. }, "/v1/models") => {
                model(json!({ "id": "any.gguf", "owned_by": "llamacpp", "meta": { "n_ctx_train": 131_072 } }))
            }
            (Dialect::LlamaCpp { window, slots }, "/props") => {
                json!({ "default_generation_settings": { "n_ctx": window }, "total_slots": slots })
            }
            (Dialect::Vllm { window }, "/v1/models") => {
                model(json!({ "id": "test", "owned_by": "vllm", "max_model_len": window }))
            }
            (Dialect::OpenRouter, "/v1/models") => json!({ "data": [
                { "id": "other", "context_length": 1_000 }, { "id": "test", "context_length": 20_000 },
            ] }),
            (Dialect::OpenAi | Dialect::Whole | Dialect::Mistral, "/v1/models") => {
                model(json!({ "id": "test", "object": "model", "owned_by": "system" }))
            }
            _ => return None,
        })
    }

    /// Returns status and body of a refusal, or `None` if the request is acceptable.
    pub(super) fn refusal(self, request: &ModelRequest) -> Option<(StatusCode, Value)> {
        if request.path != self.path() {
            return Some((StatusCode::NOT_FOUND, json!({ "error": { "message": "no such path" } })));
        }
        match self {
            Dialect::OpenAi => of_openai(request),
            Dialect::Azure if !request.headers.contains_key("api-key") => {
                let message = "Access denied due to missing subscription key.";
                Some((StatusCode::UNAUTHORIZED, json!({ "error": { "code": "401", "message": message } })))
            }
            Dialect::Azure => of_openai(request),
            Dialect::Anthropic => of_anthropic(request),
            Dialect::Ollama { .. } if has(request, "reasoning_effort") => {
                let message = "\"test\" does not support thinking";
                bad(json!({ "error": { "message": message, "type": "api_error", "param": null, "code": null } }))
            }
            Dialect::LlamaCpp { window, .. } => of_llama_cpp(request, window),
            Dialect::Vllm { window } => of_vllm(request, window),
            Dialect::Whole if has(request, "stream") => {
                bad(json!({ "detail": "Streaming is not supported by this server." }))
            }
            Dialect::Mistral => {
                let forbidden = ["stream_options", "max_completion_tokens"].into_iter().find(|name| has(request, name));
                let entry = |name| json!({ "type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted" });
                forbidden.map(|name| (StatusCode::UNPROCESSABLE_ENTITY, json!({ "detail": [entry(name)] })))
            }
            _ => None,
        }
    }

    /// Returns the number of tokens of the prompt that the server reads: the estimate for the whole prompt, or at most the
    /// window of Ollama, which cuts longer prompts.
    pub(super) fn tokens_read(self, request: &ModelRequest) -> u64 {
        let tokens = good::tokens(request);
        if let Dialect::Ollama { window } = self { tokens.min(window) } else { tokens }
    }

    /// Returns the name of the field with reasoning.
    pub(super) fn reasoning_field(self) -> &'static str {
        match self {
            Dialect::OpenRouter | Dialect::Ollama { .. } => "reasoning",
            _ => "reasoning_content",
        }
    }

    /// Returns the extra headers of the server's answers.
    pub(super) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Dialect::OpenAi => &[("x-ratelimit-remaining-requests", "499"), ("x-ratelimit-reset-requests", "120ms")],
            _ => &[],
        }
    }
}

fn has(request: &ModelRequest, name: &str) -> bool {
    request.body.get(name).is_some_and(|value| !value.is_null())
}

fn bad(body: Value) -> Option<(StatusCode, Value)> {
    Some((StatusCode::BAD_REQUEST, body))
}

fn of_openai(request: &ModelRequest) -> Option<(StatusCode, Value)> {
    let error = |message: &str, param: &str, code: &str| {
        bad(json!({ "error": { "message": message, "type": "invalid_request_error", "param": param, "code": code } }))
    };
    if has(request, "max_tokens") {
        let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        return error(message, "max_tokens", "unsupported_parameter");
    }
    if has(request, "temperature") {
        let message = "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.";
        return error(message, "temperature", "unsupported_value");
    }
    None
}

fn of_anthropic(request: &ModelRequest) -> Option<(StatusCode, Value)> {
    const FIELDS: [&str; 9] =
        ["model", "max_tokens", "system", "messages", "stream", "temperature", "thinking", "output_config", "metadata"];
    let error = |status: StatusCode, kind: &str, message: String| {
        Some((status, json!({ "type": "error", "error": { "type": kind, "message": message } })))
    };
    if !request.headers.contains_key("x-api-key") {
        return error(StatusCode::UNAUTHORIZED, "authentication_error", "x-api-key header is required".into());
    }
    let missing = ["max_tokens", "messages", "model"].into_iter().find(|name| !has(request, name));
    if let Some(name) = missing {
        return error(StatusCode::BAD_REQUEST, "invalid_request_error", format!("{name}: Field required"));
    }
    let fields = request.body.as_object().into_iter().flatten();
    let unknown = fields.map(|(name, _)| name).find(|name| !FIELDS.contains(&name.as_str()));
    if let Some(name) = unknown {
        return error(
            StatusCode::BAD_REQUEST,
            "invalid_request_error",
            format!("{name}: Extra inputs are not permitted"),
        );
    }
    let budget = request.body["thinking"]["budget_tokens"].as_u64();
    if budget.is_some_and(|budget| budget >= request.body["max_tokens"].as_u64().unwrap_or_default()) {
        let message = "`max_tokens` must be greater than `thinking.budget_tokens`.";
        return error(StatusCode::BAD_REQUEST, "invalid_request_error", message.into());
    }
    None
}

fn of_llama_cpp(request: &ModelRequest, window: u64) -> Option<(StatusCode, Value)> {
    let tokens = good::tokens(request);
    let error = json!({
        "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": tokens, "n_ctx": window,
        "message": "the request exceeds the available context size, try increasing it",
    });
    if tokens > window { bad(json!({ "error": error })) } else { None }
}

fn of_vllm(request: &ModelRequest, window: u64) -> Option<(StatusCode, Value)> {
    let (tokens, answer) = (good::tokens(request), request.body["max_tokens"].as_u64().unwrap_or_default());
    let message = format!(
        "This model's maximum context length is {window} tokens. However, you requested {} tokens ({tokens} in the messages, \
         {answer} in the completion).",
        tokens + answer
    );
    let error = json!({ "object": "error", "message": message, "type": "BadRequestError", "param": null, "code": 400 });
    if tokens + answer > window { bad(error) } else { None }
}
