//! The wire form of an answer: JSON, or a stream of events with pauses between them.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use serde_json::{Value, json};

use super::{Dialect, ModelRequest, good};

/// The content of an answer, and the way in which it is sent.
pub(super) struct Answer {
    pub(super) text: String,
    /// The reasoning before the text.
    pub(super) reasoning: String,
    pub(super) is_cut_off: bool,
    pub(super) tokens_in: u64,
    /// Tokens of the prompt that were cached.
    pub(super) cached: u64,
    /// Time before the first event, and before each further one. Without a stream, the answer comes after the first pause and
    /// one further pause for each token.
    pub(super) pauses: (Duration, Duration),
    /// Number of events after which the stream breaks off, with this last event if there is one.
    pub(super) breaks_off: Option<(usize, Option<Value>)>,
    /// Whether the stream stays open after its last event.
    pub(super) stays_open: bool,
}

impl Answer {
    pub(super) fn new(text: impl Into<String>, tokens_in: u64) -> Answer {
        Answer {
            text: text.into(),
            reasoning: String::new(),
            is_cut_off: false,
            tokens_in,
            cached: 0,
            pauses: Default::default(),
            breaks_off: None,
            stays_open: false,
        }
    }

    pub(super) fn tokens_out(&self) -> u64 {
        good::words(&self.text) + good::words(&self.reasoning)
    }

    /// Sends the answer in the form that the request asks for.
    pub(super) async fn send(self, dialect: Dialect, request: &ModelRequest) -> Response {
        let mut response = if request.body["stream"] == true {
            self.stream(dialect, request)
        } else {
            tokio::time::sleep(self.pauses.0 + self.pauses.1 * u32::try_from(self.tokens_out()).unwrap()).await;
            axum::Json(self.whole(dialect)).into_response()
        };
        for (name, value) in dialect.headers() {
            response.headers_mut().insert(*name, (*value).parse().unwrap());
        }
        response
    }

    pub(super) fn whole(&self, dialect: Dialect) -> Value {
        if dialect == Dialect::Anthropic {
            return json!({
                "type": "message", "role": "assistant", "content": [{ "type": "text", "text": self.text }],
                "stop_reason": if self.is_cut_off { "max_tokens" } else { "end_turn" }, "usage": self.usage(dialect),
            });
        }
        json!({
            "id": "chatcmpl-test", "object": "chat.completion", "created": 0, "model": "test",
            "choices": [{
                "index": 0,
                "message": { "role": "assistant", "content": self.text, dialect.reasoning_field(): self.reasoning },
                "finish_reason": if self.is_cut_off { "length" } else { "stop" },
            }],
            "usage": self.usage(dialect),
        })
    }

    fn usage(&self, dialect: Dialect) -> Value {
        if dialect == Dialect::Anthropic {
            return json!({
                "input_tokens": self.tokens_in - self.cached, "cache_read_input_tokens": self.cached,
                "output_tokens": self.tokens_out(),
            });
        }
        json!({
            "prompt_tokens": self.tokens_in, "completion_tokens": self.tokens_out(),
            "total_tokens": self.tokens_in + self.tokens_out(),
            "prompt_tokens_details": { "cached_tokens": self.cached },
        })
    }

    fn stream(self, dialect: Dialect, request: &ModelRequest) -> Response {
        let mut events = if dialect == Dialect::Anthropic {
            self.events_of_anthropic()
        } else {
            self.events_of_chat(dialect, request)
        };
        if let Some((after, last)) = &self.breaks_off {
            events.truncate(*after);
            events.extend(last.as_ref().map(sse));
        }
        let rest = if self.stays_open {
            futures::stream::pending().left_stream()
        } else {
            futures::stream::empty().right_stream()
        };
        let (first, each) = self.pauses;
        let paused = futures::stream::iter(events.into_iter().enumerate()).then(move |(place, event)| async move {
            let pause = if place == 0 { first } else { each };
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            Ok::<_, Infallible>(event)
        });
        ([(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")], Body::from_stream(paused.chain(rest)))
            .into_response()
    }

    fn events_of_chat(&self, dialect: Dialect, request: &ModelRequest) -> Vec<String> {
        let chunk = |delta: Value, finish: Value| json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
        let mut events: Vec<String> = match dialect {
            Dialect::Azure => vec![sse(&json!({ "choices": [], "prompt_filter_results": [{ "prompt_index": 0 }] }))],
            Dialect::OpenRouter => vec![": OPENROUTER PROCESSING\n\n".into(), ": OPENROUTER PROCESSING\n\n".into()],
            _ => Vec::new(),
        };
        if request.body["return_progress"] == true {
            let progress =
                json!({ "total": self.tokens_in, "cache": self.cached, "processed": self.tokens_in, "time_ms": 10 });
            events.push(sse(&json!({ "choices": [], "prompt_progress": progress })));
        }
        events.push(sse(&chunk(json!({ "role": "assistant", "content": null }), Value::Null)));
        events.extend(
            pieces(&self.reasoning).map(|text| sse(&chunk(json!({ dialect.reasoning_field(): text }), Value::Null))),
        );
        events.extend(pieces(&self.text).map(|text| sse(&chunk(json!({ "content": text }), Value::Null))));
        let finish = if self.is_cut_off { "length" } else { "stop" };
        let mut last = chunk(json!({}), finish.into());
        if let Dialect::LlamaCpp { .. } = dialect {
            last["timings"] =
                json!({ "cache_n": self.cached, "prompt_per_second": 200.0, "predicted_per_second": 20.0 });
        }
        events.push(sse(&last));
        if request.body["stream_options"]["include_usage"] == true {
            events
                .push(sse(&json!({ "object": "chat.completion.chunk", "choices": [], "usage": self.usage(dialect) })));
        }
        events.push("data: [DONE]\n\n".into());
        events
    }

    fn events_of_anthropic(&self) -> Vec<String> {
        let delta = |delta: Value| json!({ "type": "content_block_delta", "index": 0, "delta": delta });
        let start = json!({ "type": "text", "text": "" });
        let mut usage = self.usage(Dialect::Anthropic);
        usage["output_tokens"] = 1.into();
        let mut events = vec![
            named(&json!({ "type": "message_start", "message": { "type": "message", "content": [], "usage": usage } })),
            named(&json!({ "type": "content_block_start", "index": 0, "content_block": start })),
            named(&json!({ "type": "ping" })),
        ];
        let thoughts = pieces(&self.reasoning).map(|text| json!({ "type": "thinking_delta", "thinking": text }));
        let texts = pieces(&self.text).map(|text| json!({ "type": "text_delta", "text": text }));
        events.extend(thoughts.chain(texts).map(|piece| named(&delta(piece))));
        let reason = if self.is_cut_off { "max_tokens" } else { "end_turn" };
        let usage = json!({ "output_tokens": self.tokens_out() });
        events.extend([
            named(&json!({ "type": "content_block_stop", "index": 0 })),
            named(&json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": usage })),
            named(&json!({ "type": "message_stop" })),
        ]);
        events
    }
}

/// Splits a text into words with the spaces after them, which is what tokens mostly are.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

fn sse(event: &Value) -> String {
    format!("data: {event}\n\n")
}

fn named(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
}
