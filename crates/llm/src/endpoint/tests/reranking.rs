//! Reranking over real HTTP: good answers in every form, bad answers, no answer, and costs.

use annals_core::ports::{RerankTask, Reranker};
use annals_testkit::{ModelRequest, refused_url, reranker_suite};

use super::*;

/// A reranker, and the store in which it records its cost.
struct RerankFixture {
    reranker: RerankEndpoint,
    catalog: MemoryCatalog,
}

impl RerankFixture {
    fn at(url: &str, more: Value) -> RerankFixture {
        RerankFixture::paced(url, more, QUICK)
    }

    fn paced(url: &str, more: Value, retry_policy: RetryPolicy) -> RerankFixture {
        // Long enough for a machine that runs a build at the same time.
        let mut table = json!({ "base_url": url, "model": "judge", "timeout": "1m" });
        table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let config: ModelsConfig = serde_json::from_value(json!({ "rerank": table })).unwrap();
        let model = config.check(|_| None).unwrap().rerank.unwrap();
        let catalog = MemoryCatalog::new();
        let reranker = RerankEndpoint::with_retry_policy(model, Arc::new(catalog.clone()), retry_policy).unwrap();
        RerankFixture { reranker, catalog }
    }

    fn of(server: &ModelServer) -> RerankFixture {
        RerankFixture::at(server.base_url(), json!({}))
    }

    async fn ask(&self, texts: &[&str]) -> Result<Vec<f64>> {
        self.ask_for(None, texts).await
    }

    /// Asks for a request with this key.
    async fn ask_for(&self, access_key: Option<&str>, texts: &[&str]) -> Result<Vec<f64>> {
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        let (agent, question) = (agent("tester"), "Where does Ann live?");
        let task = RerankTask { agent: &agent, question, texts: &texts, access_key, now: at(NOW) };
        self.reranker.rerank(task).await
    }

    /// Returns the booked calls and input tokens by purpose.
    async fn spent(&self) -> Vec<(Purpose, u64, u64)> {
        let usage = self.catalog.usage(&agent("tester"), at("2026-01-01T00:00:00Z")).await.unwrap();
        usage.iter().map(|usage| (usage.purpose, usage.calls, usage.tokens_in)).collect()
    }
}

const TEXTS: [&str; 3] = ["Tea.", "Ann does live in Lisbon.", "Bob came."];

/// Answers like text-embeddings-inference, which rejects requests without `texts`.
fn texts_only(request: &ModelRequest) -> Script {
    if request.body["texts"].is_null() { Script::Refuses(422, None) } else { Script::Good }
}

#[tokio::test]
async fn port_contract_holds_in_both_forms() {
    reranker_suite(&RerankFixture::of(&ModelServer::start([])).reranker).await;
    reranker_suite(&RerankFixture::of(&ModelServer::choosing(texts_only)).reranker).await;
}

#[tokio::test]
async fn request_has_the_common_form() {
    let server = ModelServer::start([]);
    let reranker = RerankFixture::at(server.base_url(), json!({ "key": "sk-secret" }));
    reranker.ask(&TEXTS).await.unwrap();
    let request = &server.requests()[0];
    assert_eq!(request.path, "/v1/rerank");
    assert_eq!(request.headers["authorization"], "Bearer sk-secret");
    let expect = json!({ "model": "judge", "query": "Where does Ann live?", "documents": TEXTS });
    assert_eq!(request.body, expect);
    assert!(!format!("{:?}", reranker.reranker).contains("sk-secret"));
}

#[tokio::test]
async fn other_form_is_discovered_once_and_kept() {
    let server = ModelServer::choosing(texts_only);
    let reranker = RerankFixture::of(&server);
    for _ in 0..2 {
        reranker.ask(&TEXTS).await.unwrap();
    }
    let forms: Vec<bool> = server.requests().iter().map(|request| request.body["texts"].is_array()).collect();
    assert_eq!(forms, [false, true, true]);
    assert_eq!(server.requests()[1].body["truncate"], true);
}

#[tokio::test]
async fn answers_of_several_makes_are_read() {
    async fn check(answer: Value) {
        let server = ModelServer::always(Script::Raw(answer.to_string()));
        assert_eq!(RerankFixture::of(&server).ask(&TEXTS).await.unwrap(), [0.5, 0.25, -7.0], "{answer}");
    }
    let rows = |name: &str| json!([{ "index": 2, name: -7 }, { "index": 0, name: 0.5 }, { "index": 1, name: 0.25 }]);
    check(json!({ "results": rows("relevance_score"), "id": "x" })).await;
    check(json!({ "data": rows("relevance_score"), "object": "list" })).await;
    check(rows("score")).await;
}

#[tokio::test]
async fn reported_tokens_are_booked_or_else_the_estimate() {
    async fn check(more: Value, expect: u64) {
        let mut answer = json!({ "results": [{ "index": 0, "relevance_score": 1 }] });
        answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let server = ModelServer::always(Script::Raw(answer.to_string()));
        let reranker = RerankFixture::of(&server);
        reranker.ask(&["Tea."]).await.unwrap();
        assert_eq!(reranker.spent().await, [(Purpose::Rerank, 1, expect)], "{answer}");
    }
    let estimated = annals_core::tokens("Tea.") + annals_core::tokens("Where does Ann live?");
    check(json!({ "usage": { "total_tokens": 7, "prompt_tokens": 5 } }), 7).await;
    check(json!({ "usage": { "prompt_tokens": 5 } }), 5).await;
    check(json!({ "meta": { "tokens": { "input_tokens": 3 } } }), 3).await;
    check(json!({ "usage": { "total_tokens": 0 } }), estimated).await;
    check(json!({}), estimated).await;
}

#[tokio::test]
async fn requested_wait_is_respected() {
    let server = ModelServer::start([Script::Refuses(503, Some(60))]);
    let reranker =
        RerankFixture::paced(server.base_url(), json!({}), RetryPolicy { cool_down: Duration::ZERO, ..QUICK });
    for _ in 0..2 {
        reranker.ask(&TEXTS).await.unwrap_err();
    }
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn answer_without_exactly_one_score_per_text_is_an_error() {
    async fn check(answer: &str, expect: &str) {
        let server = ModelServer::always(Script::Raw(answer.into()));
        let reranker = RerankFixture::of(&server);
        let error = reranker.ask(&TEXTS).await.unwrap_err();
        assert!(matches!(error, Error::Model { .. }) && error.to_string().ends_with(expect), "{answer}: {error}");
        assert_eq!((server.requests().len(), reranker.spent().await.len()), (1, 1), "asked once, and paid: {answer}");
    }
    fn rows(scores: &[(&str, &str)]) -> String {
        let rows = scores.iter().map(|(index, score)| format!(r#"{{"index": {index}, "relevance_score": {score}}}"#));
        format!(r#"{{"results": [{}]}}"#, rows.collect::<Vec<_>>().join(","))
    }
    let list = "its answer contains no list of scores";
    for body in ["", "<html>It works!</html>", "{}", "null", r#"{"results": 3}"#] {
        check(body, list).await;
    }
    // Neither is valid JSON, so nothing can be read.
    check(&rows(&[("0", "NaN"), ("1", "1"), ("2", "1")]), list).await;
    check(&rows(&[("0", "1e999"), ("1", "1"), ("2", "1")]), list).await;
    check(&rows(&[]), "it left out a text").await;
    check(&rows(&[("0", "1"), ("1", "1")]), "it left out a text").await;
    check(&rows(&[("0", "1"), ("1", "1"), ("1", "2")]), "it scored a text twice").await;
    for index in ["3", "-1", "0.5", "null", "\"1\"", "99999999999999999999"] {
        check(&rows(&[("0", "1"), (index, "1"), ("2", "1")]), "it scored a text that it was not given").await;
    }
    for score in ["null", "\"NaN\"", "true", "[]"] {
        check(&rows(&[("0", "1"), ("1", score), ("2", "1")]), "one of its scores is not a number").await;
    }
}

#[tokio::test]
async fn hanging_server_costs_one_deadline_and_opens_the_breaker() {
    let server = ModelServer::always(Script::Hangs);
    let reranker = RerankFixture::at(server.base_url(), json!({ "timeout": "50ms" }));
    let error = reranker.ask(&TEXTS).await.unwrap_err();
    assert!(error.to_string().ends_with("no answer within 50ms"), "{error}");
    let error = reranker.ask(&TEXTS).await.unwrap_err();
    assert!(error.to_string().ends_with("the circuit breaker is open"), "{error}");
    let spent = reranker.spent().await;
    assert_eq!((server.requests().len(), spent.len()), (1, 1), "only what was sent is paid: {spent:?}");
    assert!(spent[0].1 == 1 && spent[0].2 > 10, "the server may bill what it read: {spent:?}");
}

#[tokio::test]
async fn failed_requests_are_not_retried() {
    for status in [401, 404, 429, 500, 503] {
        let server = ModelServer::start([Script::Refuses(status, Some(0))]);
        let error = RerankFixture::of(&server).ask(&TEXTS).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{status}: {error}");
        assert_eq!(server.requests().len(), 1, "{status}");
    }
    let error = RerankFixture::at(&refused_url(), json!({})).ask(&TEXTS).await.unwrap_err();
    assert!(error.to_string().contains("no connection"), "{error}");
}

#[tokio::test]
async fn refusal_in_both_forms_reports_the_first() {
    let server = ModelServer::start([Script::Refuses(400, None), Script::Refuses(422, None)]);
    let reranker = RerankFixture::of(&server);
    let error = reranker.ask(&TEXTS).await.unwrap_err();
    assert!(error.to_string().contains("status 400"), "{error}");
    reranker.ask(&TEXTS).await.unwrap();
    assert!(server.requests()[2].body["documents"].is_array(), "a refusal changes nothing");
}

#[tokio::test]
async fn oversized_answer_is_not_read_to_its_end() {
    let server = ModelServer::always(Script::Floods(2_000_000));
    let error = RerankFixture::of(&server).ask(&TEXTS).await.unwrap_err();
    assert!(error.to_string().contains("longer than a million bytes"), "{error}");
}

#[tokio::test]
async fn searches_have_their_own_budget() {
    let answer = json!({ "usage": { "total_tokens": 90 }, "results": [{ "index": 0, "relevance_score": 1 }] });
    let server = ModelServer::always(Script::Raw(answer.to_string()));
    let reranker = RerankFixture::at(server.base_url(), json!({ "daily_tokens": 100 }));
    // The cost of other work is not counted.
    let work = annals_core::Reply {
        key: Digest::of(["q"]),
        purpose: Purpose::Daily,
        model: "m".into(),
        text: String::new(),
        tokens_in: 1_000,
        cache: annals_core::CacheTokens::default(),
        tokens_out: 0,
        read_seq: 1_000,
        reservation: None,
        access_key: None,
    };
    reranker.catalog.charge(&agent("tester"), work, at(NOW)).await.unwrap();
    reranker.ask(&["Tea."]).await.unwrap();
    let error = reranker.ask(&["Tea."]).await.unwrap_err();
    assert!(matches!(error, Error::Budget { limit: 100, .. }), "{error}");
    assert_eq!(server.requests().len(), 1);
    assert_eq!(reranker.spent().await, [(Purpose::Daily, 1, 1_000), (Purpose::Rerank, 1, 90)]);
}

#[tokio::test]
async fn request_with_a_key_is_booked_to_agent_and_key_until_the_key_s_limit() {
    let answer = json!({ "usage": { "total_tokens": 90 }, "results": [{ "index": 0, "relevance_score": 1 }] });
    let server = ModelServer::always(Script::Raw(answer.to_string()));
    let reranker = RerankFixture::of(&server);
    for (id, limit) in [("small", Some(100)), ("free", None)] {
        add_key(&reranker.catalog, id, limit).await;
    }
    for id in [Some("small"), Some("free"), None] {
        reranker.ask_for(id, &["Tea."]).await.unwrap();
    }
    let error = reranker.ask_for(Some("small"), &["Tea."]).await.unwrap_err();
    let expect = "the daily budget of 100 tokens of this API key has too little left for this request; it resets at \
        2026-03-06T00:00:00Z";
    assert_eq!((error.to_string().as_str(), error.is_of_key_budget()), (expect, true));
    reranker.ask_for(Some("free"), &["Tea."]).await.unwrap();
    assert_eq!((server.requests().len(), reranker.spent().await), (4, vec![(Purpose::Rerank, 4, 360)]));
    let booked = reranker.catalog.tokens_of_keys(at(NOW)).await.unwrap();
    assert_eq!(booked.into_iter().collect::<Vec<_>>(), [("free".to_owned(), 180), ("small".to_owned(), 90)]);
}

#[tokio::test]
async fn budget_is_exact_and_empty_input_costs_nothing() {
    let need = annals_core::tokens("Tea.") + annals_core::tokens("Where does Ann live?");
    for (limit, expect) in [(need, true), (need - 1, false)] {
        let server = ModelServer::start([]);
        let reranker = RerankFixture::at(server.base_url(), json!({ "daily_tokens": limit }));
        assert_eq!(reranker.ask(&[]).await.unwrap(), [0.0; 0]);
        assert_eq!(reranker.ask(&["Tea."]).await.is_ok(), expect, "{limit} of {need}");
        assert_eq!(server.requests().len(), usize::from(expect));
    }
    // Output tokens count like input tokens.
    let reranker = RerankFixture::at(ModelServer::start([]).base_url(), json!({ "daily_tokens": need }));
    let written = annals_core::Reply {
        key: Digest::of(["q"]),
        purpose: Purpose::Rerank,
        model: "m".into(),
        text: String::new(),
        tokens_in: 0,
        cache: annals_core::CacheTokens::default(),
        tokens_out: 1,
        read_seq: 1_000,
        reservation: None,
        access_key: None,
    };
    reranker.catalog.charge(&agent("tester"), written, at(NOW)).await.unwrap();
    assert!(matches!(reranker.ask(&["Tea."]).await, Err(Error::Budget { .. })));
}

#[tokio::test]
async fn cost_of_searches_does_not_reduce_other_budgets() {
    let server = ModelServer::start([]);
    let rig = Rig::new(&server);
    let reply = annals_core::Reply {
        key: Digest::of(["q"]),
        purpose: Purpose::Rerank,
        model: "m".into(),
        text: String::new(),
        tokens_in: u64::MAX / 4,
        cache: annals_core::CacheTokens::default(),
        tokens_out: 0,
        read_seq: 1_000,
        reservation: None,
        access_key: None,
    };
    rig.catalog.charge(&rig.agent, reply, rig.now).await.unwrap();
    rig.day(&a_day().await).await.unwrap();
}

#[tokio::test]
async fn long_texts_are_truncated() {
    let server = ModelServer::start([]);
    let long = "word ".repeat(10_000);
    RerankFixture::of(&server).ask(&[&long, "Tea."]).await.unwrap();
    let sent = server.requests()[0].body["documents"][0].as_str().unwrap().to_owned();
    assert!(long.starts_with(&sent) && sent.len() < 2_000, "{}", sent.len());
}

#[tokio::test]
async fn errors_contain_neither_memories_nor_keys() {
    let echo = r#"{"error": {"code": 400, "message": "cannot read: The zebrafinch is called Pip."}}"#;
    for script in [
        Script::Raw("zebrafinch".into()),
        Script::Raw(echo.into()),
        Script::Raw(r#"{"results": [{"index": 0, "relevance_score": "zebrafinch"}]}"#.into()),
        Script::Refuses(500, None),
        Script::Hangs,
    ] {
        let server = ModelServer::always(script.clone());
        let reranker = RerankFixture::at(server.base_url(), json!({ "key": "sk-secret", "timeout": "50ms" }));
        let error = reranker.ask(&["The zebrafinch is called Pip."]).await.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("zebrafinch") && !shown.contains("sk-secret"), "{script:?}: {shown}");
    }
}

/// The server bills an answer even if nobody waits for it any more.
#[tokio::test]
async fn scores_for_a_client_that_gave_up_are_booked() {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = parking_lot::Mutex::new(held);
    let server = ModelServer::choosing(move |_| {
        let _ = held.lock().recv();
        Script::Good
    });
    let reranker = RerankFixture::of(&server);
    let arrived = async {
        while server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        done = reranker.ask(&TEXTS) => panic!("not held back: {done:?}"),
        () = arrived => {}
    }
    release.send(()).unwrap();
    for _ in 0..2_000 {
        if !reranker.spent().await.is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("nothing was booked");
}
