//! Tests with every kind of server, as its documentation and issue threads describe it. Each accepts the requests after at most
//! a few refusals, which are remembered, and its answers, errors, windows and counts are read correctly.

use annals_core::Purpose;
use annals_core::ports::{Refusals, TokenRequest, TokenSums};

use super::*;
use crate::endpoint::failure::EndpointError;

const WINDOW: u64 = 6_000;

/// Every dialect with the setting that names its API, and the number of HTTP requests for two model requests.
const DIALECTS: [(Dialect, &str, usize); 10] = [
    (Dialect::Plain, "chat", 2),
    // `max_tokens`, then `temperature` are refused.
    (Dialect::OpenAi, "chat", 4),
    (Dialect::Azure, "azure", 3),
    (Dialect::Anthropic, "anthropic", 2),
    (Dialect::OpenRouter, "chat", 2),
    // `reasoning_effort` is refused.
    (Dialect::Ollama { window: WINDOW }, "chat", 3),
    (Dialect::LlamaCpp { window: WINDOW, slots: 2 }, "chat", 2),
    (Dialect::Vllm { window: WINDOW }, "chat", 2),
    // `stream` is refused.
    (Dialect::Whole, "chat", 3),
    // `stream_options` is refused.
    (Dialect::Mistral, "chat", 3),
];

/// Returns a rig that also sends a key, a temperature and a level of reasoning.
fn rig(server: &ModelServer, api: &str) -> Rig {
    Rig::with(server, json!({ "api": api, "key": "sk-test", "temperature": 0.2, "reasoning": "low" }))
}

fn is_model(error: &Error) -> bool {
    matches!(error, Error::Model { .. })
}

#[tokio::test]
async fn every_dialect_is_understood_and_its_refusals_are_remembered() {
    for (dialect, api, expect) in DIALECTS {
        let server = ModelServer::speaking(dialect, []);
        let rig = rig(&server, api);
        assert_eq!(rig.day(&a_day().await).await.unwrap().sentences.len(), 3, "{dialect:?}");
        let extracted = rig.extract(&a_day().await).await.unwrap();
        assert_eq!(extracted.statements.len(), 3, "{dialect:?}");
        assert_eq!(server.requests().len(), expect, "{dialect:?}: {:?}", server.requests());
        assert_eq!(rig.spent().await.0, 2, "{dialect:?}: refusals cost nothing");
    }
}

#[tokio::test]
async fn next_process_does_not_repeat_refused_requests() {
    for (dialect, api, _) in DIALECTS {
        let server = ModelServer::speaking(dialect, []);
        let table = json!({
            "base_url": server.base_url(), "model": "test", "api": api, "key": "sk-test", "temperature": 0.2, "reasoning": "low",
        });
        let first = Rig::of(table.clone());
        first.day(&a_day().await).await.unwrap();
        let before = server.requests().len();
        let next = Rig::over(first.catalog.clone(), table.clone(), QUICK);
        next.extract(&a_day().await).await.unwrap();
        assert_eq!(server.requests().len(), before + 1, "{dialect:?}: {:?}", server.requests());
        // A week later the full request is tried again, and what is refused then is remembered anew.
        let mut later = Rig::over(first.catalog.clone(), table, QUICK);
        later.now += Refusals::LIFETIME;
        later.extract(&turns(&[("c", "Ann", "A week has passed.")]).await).await.unwrap();
        let tried = server.requests().len() - before - 1;
        assert_eq!(tried, before, "{dialect:?}: {:?}", server.requests());
    }
}

#[tokio::test]
async fn tokens_of_streams_are_booked_as_the_server_counts_them() {
    for (dialect, api, _) in DIALECTS {
        let server = ModelServer::speaking(dialect, []);
        let rig = rig(&server, api);
        let draft = rig.day(&a_day().await).await.unwrap();
        assert_eq!(rig.spent().await, (1, draft.tokens), "{dialect:?}");
        let last = server.requests().pop().unwrap();
        let words = |text: &str| text.split_whitespace().count() as u64;
        let asked = words(last.content_of("system")) + words(last.content_of("user"));
        // Mistral counts nothing in streams, so estimates are booked, which are higher.
        let is_near = |tokens: u64| tokens > asked && (tokens < asked * 2 || dialect == Dialect::Mistral);
        assert!(is_near(draft.tokens), "{dialect:?}: {} of {asked} words", draft.tokens);
        let limit = draft.tokens + 1;
        let limits = TokenSums { agent: limit, workspace: limit, process: limit };
        let rest = TokenRequest { purpose: Purpose::Daily, tokens: 1, limits, access_key: None };
        let reserved = rig.catalog.reserve(&rig.agent, &rest, rig.now).await;
        assert!(reserved.is_ok(), "{dialect:?}: nothing else stays reserved");
    }
}

#[tokio::test]
async fn reasoning_is_thrown_away_in_every_dialect() {
    for (dialect, api, _) in DIALECTS {
        let server = ModelServer::speaking(dialect, [Script::Thinks("Perhaps {\"sentences\": []}? No.".into())]);
        let draft = rig(&server, api).day(&a_day().await).await.unwrap();
        assert_eq!(draft.sentences.len(), 3, "{dialect:?}");
        assert!(!draft.text.contains("Perhaps"), "{dialect:?}: {}", draft.text);
    }
}

#[tokio::test]
async fn window_is_that_of_the_server() {
    async fn check(dialect: Dialect, more: Value, expect: u64) {
        let server = ModelServer::speaking(dialect, []);
        let rig = Rig::with(&server, more);
        let sizes = rig.endpoint.channel(Purpose::Daily).unwrap().sizes().await;
        assert_eq!(sizes.window, expect, "{dialect:?}");
        assert!(sizes.max_output_tokens <= expect / 2);
    }
    for dialect in [
        Dialect::Ollama { window: WINDOW },
        Dialect::LlamaCpp { window: WINDOW, slots: 1 },
        Dialect::Vllm { window: WINDOW },
    ] {
        check(dialect, json!({}), WINDOW).await;
        check(dialect, json!({ "window": 4096 }), 4_096).await;
        check(dialect, json!({ "window": 16384 }), WINDOW).await;
    }
    check(Dialect::OpenRouter, json!({}), 20_000).await;
    check(Dialect::Vllm { window: 262_144 }, json!({}), 32_768).await;
    check(Dialect::Vllm { window: 262_144 }, json!({ "window": 65536 }), 65_536).await;
    check(Dialect::Plain, json!({}), 8_192).await;
}

#[tokio::test]
async fn long_day_fits_the_window_of_every_server() {
    let day = a_long_day(6, 8).await;
    for (dialect, api, _) in DIALECTS {
        let server = ModelServer::speaking(dialect, []);
        let draft = rig(&server, api).day(&day).await.unwrap();
        assert!(draft.text.contains("turn5x7") || draft.sentences.len() > 5, "{dialect:?}: {}", draft.text);
    }
}

#[tokio::test]
async fn window_that_a_refusal_names_is_used_at_once() {
    // The server reports no window beforehand.
    let refusal = json!({ "object": "error", "code": 400, "message": "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens." });
    let server = ModelServer::start([Script::Responds(400, refusal)]);
    let rig = Rig::with(&server, json!({ "window": 16384 }));
    rig.day(&a_long_day(8, 8).await).await.unwrap();
    let requests = server.requests();
    let words = |index: usize| requests[index].content_of("user").split_whitespace().count();
    assert!(requests.len() > 2 && words(1) < words(0), "{}", requests.len());
}

#[tokio::test]
async fn limit_of_answers_is_lowered_to_what_a_refusal_names() {
    async fn check(message: &'static str, most: u64, expect: &[u64]) {
        let limit = |body: &Value| body["max_tokens"].as_u64().or_else(|| body["max_completion_tokens"].as_u64());
        let refuses = move |request: &annals_testkit::ModelRequest| match limit(&request.body) {
            Some(limit) if limit <= most => Script::Good,
            _ => Script::Responds(400, json!({ "error": { "message": message, "param": "max_tokens" } })),
        };
        let server = ModelServer::choosing(refuses);
        let rig = Rig::with(&server, json!({ "max_output_tokens": 6000, "window": 32768 }));
        rig.day(&a_day().await).await.unwrap();
        rig.day(&a_day().await[..2]).await.unwrap();
        let sent: Vec<u64> = server.requests().iter().filter_map(|request| limit(&request.body)).collect();
        assert_eq!(sent, expect, "{message}");
        assert_eq!(rig.spent().await.0, 2, "{message}");
    }
    let openai =
        "max_tokens is too large: 6000. This model supports at most 4096 completion tokens, whereas you provided 6000.";
    check(openai, 4_096, &[6000, 4096, 4096]).await;
    let anthropic = "max_tokens: 6000 > 4096, which is the maximum allowed number of output tokens for small-20240307";
    check(anthropic, 4_096, &[6000, 4096, 4096]).await;
    check("max_tokens is too large", 2_000, &[6000, 3000, 1500, 1500]).await;
}

/// Every request of a batch is refused in the same words.
#[tokio::test]
async fn refusals_of_a_batch_lower_the_limit_of_answers_once() {
    async fn check(numbers: &[u64], expect: u64) {
        let server = ModelServer::start([]);
        let rig = Rig::with(&server, json!({ "max_output_tokens": 6000, "window": 32768 }));
        let channel = rig.endpoint.channel(Purpose::Daily).unwrap();
        for _ in 0..20 {
            channel.note_refusals(&[EndpointError::OutputLimit { numbers: numbers.to_vec() }]);
        }
        assert_eq!(channel.sizes().await.max_output_tokens, expect, "{numbers:?}");
    }
    check(&[6000, 4096, 6000], 4_096).await;
    check(&[6000, 4096, 100], 4_096).await;
    check(&[], 6_000).await;
}

#[tokio::test]
async fn requests_go_to_the_path_of_the_api_with_its_key() {
    async fn check(dialect: Dialect, api: &str, path: &str, header: (&str, &str)) {
        let server = ModelServer::speaking(dialect, []);
        rig(&server, api).day(&a_day().await).await.unwrap();
        let request = server.requests().pop().unwrap();
        assert_eq!((request.path.as_str(), request.headers[header.0].as_str()), (path, header.1));
    }
    check(Dialect::OpenAi, "chat", "/v1/chat/completions", ("authorization", "Bearer sk-test")).await;
    check(Dialect::Azure, "azure", "/v1/chat/completions", ("api-key", "sk-test")).await;
    check(Dialect::Anthropic, "anthropic", "/v1/messages", ("x-api-key", "sk-test")).await;
    check(Dialect::Anthropic, "anthropic", "/v1/messages", ("anthropic-version", "2023-06-01")).await;
}

#[tokio::test]
async fn instructions_come_first_and_are_the_same_in_every_question_of_a_kind() {
    for (dialect, api, _) in DIALECTS {
        let server = ModelServer::speaking(dialect, []);
        let rig = rig(&server, api);
        let day = a_day().await;
        rig.day(&day).await.unwrap();
        let first = server.requests().pop().unwrap();
        rig.day(&day[..2]).await.unwrap();
        let second = server.requests().pop().unwrap();
        assert_eq!(first.content_of("system"), second.content_of("system"), "{dialect:?}");
        assert_ne!(first.content_of("user"), second.content_of("user"), "{dialect:?}");
        if dialect == Dialect::Anthropic {
            assert_eq!(first.body["system"][0]["cache_control"]["type"], "ephemeral");
        }
    }
}

#[tokio::test]
async fn cached_tokens_are_counted() {
    for (dialect, api, _) in DIALECTS.into_iter().filter(|(dialect, ..)| *dialect != Dialect::Mistral) {
        let server = ModelServer::speaking(dialect, [Script::Cached(64)]);
        let rig = rig(&server, api);
        rig.day(&a_day().await).await.unwrap();
        let cached = rig.endpoint.channel(Purpose::Daily).unwrap().learned.speed.now().cached;
        let usage = rig.catalog.usage(&rig.agent, at("2026-01-01T00:00:00Z")).await.unwrap();
        let booked: u64 = usage.iter().map(|usage| usage.cache.read).sum();
        assert_eq!((cached, booked), (64, 64), "{dialect:?}");
    }
}

#[tokio::test]
async fn configured_fields_are_added_to_each_request() {
    let server = ModelServer::start([]);
    let more = json!({ "extra_body": { "chat_template_kwargs": { "enable_thinking": false }, "top_p": 0.5 } });
    Rig::with(&server, more).day(&a_day().await).await.unwrap();
    let body = &server.requests()[0].body;
    assert_eq!((&body["chat_template_kwargs"]["enable_thinking"], &body["top_p"]), (&json!(false), &json!(0.5)));
}

#[tokio::test]
async fn reasoning_that_uses_up_the_answer_gets_more_room_once() {
    let long = Script::ThinksTooLong("Hm. ".repeat(200));
    let server = ModelServer::start([long.clone()]);
    let rig = Rig::with(&server, json!({ "window": 16384 }));
    rig.day(&a_day().await).await.unwrap();
    let limits: Vec<u64> =
        server.requests().iter().map(|request| request.body["max_tokens"].as_u64().unwrap()).collect();
    assert_eq!(limits, [2_048, 4_096]);
    assert_eq!(server.requests()[0].body["messages"], server.requests()[1].body["messages"]);
    let server = ModelServer::always(long);
    let error = Rig::with(&server, json!({ "window": 16384 })).day(&a_day().await).await.unwrap_err();
    assert!(
        is_model(&error) && error.to_string().contains("raise `max_output_tokens` or lower `reasoning`"),
        "{error}"
    );
}

#[tokio::test]
async fn failures_of_each_dialect_are_classified() {
    async fn check(dialect: Dialect, api: &str, script: Script, is_outage: bool) {
        let server = ModelServer::speaking(dialect, std::iter::repeat_n(script.clone(), 30));
        let error = rig(&server, api).day(&a_day().await).await.unwrap_err();
        assert_eq!(matches!(error, Error::Unavailable { .. }), is_outage, "{dialect:?} {script:?}: {error}");
    }
    let overloaded = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    check(Dialect::Anthropic, "anthropic", Script::Responds(529, overloaded.clone()), true).await;
    check(Dialect::Anthropic, "anthropic", Script::Fails(4, overloaded), true).await;
    let loading = json!({ "error": { "code": 503, "message": "Loading model", "type": "unavailable_error" } });
    check(Dialect::LlamaCpp { window: WINDOW, slots: 1 }, "chat", Script::Responds(503, loading), true).await;
    let gone = json!({ "error": { "code": 502, "message": "Provider disconnected" }, "choices": [{ "delta": {}, "finish_reason": "error" }] });
    check(Dialect::OpenRouter, "chat", Script::Fails(5, gone), true).await;
    let poor = json!({ "error": { "code": 402, "message": "Insufficient credits" } });
    check(Dialect::OpenRouter, "chat", Script::Responds(402, poor), true).await;
    let dead = json!({ "object": "error", "message": "EngineDeadError", "type": "InternalServerError", "code": 500 });
    check(Dialect::Vllm { window: WINDOW }, "chat", Script::Responds(500, dead), true).await;
    let unknown =
        json!({ "object": "error", "message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404 });
    check(Dialect::Vllm { window: WINDOW }, "chat", Script::Responds(404, unknown), true).await;
    let long = json!({ "error": { "message": "This model's maximum context length is 200 tokens.", "code": 400 } });
    check(Dialect::Vllm { window: WINDOW }, "chat", Script::Responds(400, long), false).await;
    let invalid = json!({ "object": "error", "message": { "detail": [] }, "type": "invalid_request_error" });
    check(Dialect::Mistral, "chat", Script::Responds(422, invalid), false).await;
    let missing = json!({ "error": { "message": "model \"x\" not found, try pulling it first" } });
    check(Dialect::Ollama { window: WINDOW }, "chat", Script::Responds(404, missing), true).await;
    let filtered = json!({ "error": { "code": "content_filter", "message": "The response was filtered" } });
    check(Dialect::Azure, "azure", Script::Responds(400, filtered), false).await;
    let asked = json!({ "error": { "code": "rate_limit_exceeded", "message": "slow down" } });
    check(Dialect::OpenAi, "chat", Script::Responds(429, asked), true).await;
}
