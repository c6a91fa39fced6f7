//! Every way in which an endpoint fails, and the error that the caller gets.

use annals_testkit::refused_url;

use super::*;

fn is_model(error: &Error) -> bool {
    matches!(error, Error::Model { .. })
}

fn is_unavailable(error: &Error) -> bool {
    matches!(error, Error::Unavailable { .. })
}

#[tokio::test]
async fn malformed_answer_then_good_one_succeeds() {
    let server = ModelServer::start([Script::Answers("Let me think, Ann moved.".into())]);
    let rig = Rig::new(&server);
    assert_eq!(rig.day(&a_day().await).await.unwrap().sentences.len(), 3);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let messages = requests[1].body["messages"].as_array().unwrap();
    assert_eq!(messages[2]["content"], "Let me think, Ann moved.");
    assert!(requests[1].content_of("user").contains("cannot be used: it holds no JSON object"));
    assert_eq!(rig.spent().await.0, 2, "both answers were paid for");
}

#[tokio::test]
async fn repeatedly_unusable_answer_is_a_model_error() {
    async fn check(script: Script, expect: &str) {
        let server = ModelServer::always(script);
        let rig = Rig::new(&server);
        let error = rig.day(&a_day().await).await.unwrap_err();
        assert!(is_model(&error), "{error}");
        assert!(error.to_string().contains(expect), "{error}");
        assert_eq!((server.requests().len(), rig.spent().await.0), (2, 2));
    }
    check(Script::Answers("No.".into()), "it holds no JSON object").await;
    check(Script::Answers(String::new()), "it holds no JSON object").await;
    check(Script::Answers(r#"{"summary": "Ann moved."}"#.into()), "it has no list `sentences`").await;
    check(Script::Answers(r#"{"sentences": []}"#.into()), "no element of `sentences` has a usable `text`").await;
    let again = r#"{"sentences": [{"text": "The fate of the world "#.to_owned()
        + &"was about to change the fate of the world ".repeat(50);
    check(Script::Answers(again.clone()), "it says the same again and again").await;
    check(Script::CutOff(again), "it says the same again and again").await;
    check(Script::CutOff(r#"{"sentences": [{"text": "Ann"#.into()), "it was cut off at the limit of tokens").await;
}

#[tokio::test]
async fn short_rate_limit_is_waited_for() {
    let server = ModelServer::start([Script::Refuses(429, Some(0)), Script::Refuses(429, Some(0))]);
    let rig = Rig::new(&server);
    rig.day(&a_day().await).await.unwrap();
    assert_eq!(server.requests().len(), 3);
    assert_eq!(rig.spent().await.0, 1, "a refusal costs nothing");
}

#[tokio::test]
async fn account_without_credit_is_asked_once_and_the_error_says_so() {
    let quota = json!({ "error": { "code": "insufficient_quota", "message": "You exceeded your current quota." } });
    for script in [Script::Refuses(402, None), Script::Responds(429, quota)] {
        let server = ModelServer::always(script);
        let rig = Rig::new(&server);
        let error = rig.day(&a_day().await).await.unwrap_err();
        assert!(is_unavailable(&error) && error.to_string().contains("no credit left"), "{error}");
        let again = rig.day(&a_day().await).await.unwrap_err();
        assert!(is_unavailable(&again), "{again}");
        assert_eq!((server.requests().len(), rig.spent().await.0), (1, 0));
    }
}

#[tokio::test]
async fn long_rate_limit_is_returned_to_the_caller() {
    let server = ModelServer::always(Script::Refuses(429, Some(3_600)));
    let rig = Rig::new(&server);
    let error = rig.day(&a_day().await).await.unwrap_err();
    let Error::Unavailable { retry_after, .. } = error else { panic!("{error}") };
    assert_eq!(retry_after, Some(annals_core::SignedDuration::from_secs(3_600)));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn failing_server_is_retried_a_few_times_and_then_opens_the_breaker() {
    let server = ModelServer::always(Script::Refuses(500, None));
    let rig = Rig::new(&server);
    assert!(is_unavailable(&rig.day(&a_day().await).await.unwrap_err()));
    assert_eq!(server.requests().len(), 4);
    // Other work on the same server fails at once, for any agent and purpose.
    let error = rig.extract(&a_day().await).await.unwrap_err();
    assert!(is_unavailable(&error) && error.to_string().contains("the circuit breaker is open"), "{error}");
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn server_is_asked_again_after_the_cool_down() {
    let cool_down = Duration::from_millis(1);
    let server = ModelServer::start([Script::Refuses(401, None)]);
    let table = json!({ "base_url": server.base_url(), "model": "test" });
    let rig = Rig::paced(table, RetryPolicy { cool_down, ..QUICK });
    assert!(is_unavailable(&rig.day(&a_day().await).await.unwrap_err()));
    tokio::time::sleep(Duration::from_millis(20)).await;
    rig.day(&a_day().await).await.unwrap();
}

#[tokio::test]
async fn errors_that_only_the_operator_can_fix_are_not_retried() {
    for status in [401, 403, 404, 302] {
        let server = ModelServer::always(Script::Refuses(status, None));
        let error = Rig::new(&server).day(&a_day().await).await.unwrap_err();
        assert!(is_unavailable(&error), "{status}: {error}");
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn hanging_server_is_waited_for_once() {
    let server = ModelServer::always(Script::Hangs);
    let rig = Rig::with(&server, json!({ "timeout": "50ms" }));
    let error = rig.day(&a_day().await).await.unwrap_err();
    assert!(is_unavailable(&error) && error.to_string().contains("no answer within 50ms"), "{error}");
    assert!(is_unavailable(&rig.day(&a_day().await).await.unwrap_err()));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn closed_port_is_an_outage() {
    let rig = Rig::of(json!({ "base_url": refused_url(), "model": "test" }));
    let error = rig.day(&a_day().await).await.unwrap_err();
    assert!(is_unavailable(&error) && error.to_string().contains("no connection"), "{error}");
}

#[tokio::test]
async fn oversized_answer_is_not_read_to_its_end() {
    let server = ModelServer::always(Script::Floods(2_000_000));
    let rig = Rig::new(&server);
    let error = rig.day(&a_day().await).await.unwrap_err();
    assert!(is_model(&error) && error.to_string().contains("longer than a million bytes"), "{error}");
    assert_eq!(rig.spent().await.0, 1, "it was paid for");
}

#[tokio::test]
async fn non_chat_answer_is_a_model_error() {
    for body in ["", "<html>It works!</html>", "{}", r#"{"choices": []}"#] {
        let server = ModelServer::always(Script::Raw(body.into()));
        let error = Rig::new(&server).day(&a_day().await).await.unwrap_err();
        assert!(is_model(&error), "{body}: {error}");
    }
}

#[tokio::test]
async fn error_inside_status_200_is_recognised() {
    let limited = Script::Raw(r#"{"error": {"code": 429, "message": "slow down"}}"#.into());
    let server = ModelServer::start([limited]);
    Rig::new(&server).day(&a_day().await).await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn silently_truncated_prompt_is_detected() {
    let long = a_long_day(4, 6).await;
    let server = ModelServer::always(Script::Read(700));
    let rig = Rig::new(&server);
    let error = rig.day(&long).await.unwrap_err();
    assert!(is_model(&error) && error.to_string().contains("the server read only 700 of at least"), "{error}");
    assert_eq!((server.requests().len(), rig.spent().await.0), (1, 1));
    // The count of a short prompt gives no indication.
    rig.day(&a_day().await).await.unwrap();
}

#[tokio::test]
async fn unsupported_formats_are_tried_once() {
    let server = ModelServer::always(Script::Formless);
    let rig = Rig::new(&server);
    rig.day(&a_day().await).await.unwrap();
    rig.day(&a_day().await[..2]).await.unwrap();
    let formats: Vec<String> =
        server.requests().iter().map(|request| request.body["response_format"]["type"].to_string()).collect();
    assert_eq!(formats, ["\"json_schema\"", "\"json_object\"", "null", "null"]);
}

#[tokio::test]
async fn refused_question_does_not_change_the_format_of_the_next() {
    let server = ModelServer::start([400, 400, 400, 400].map(|status| Script::Refuses(status, None)));
    let rig = Rig::new(&server);
    let error = rig.day(&a_day().await).await.unwrap_err();
    assert!(is_model(&error) && error.to_string().contains("status 400 (scripted)"), "{error}");
    rig.day(&a_day().await).await.unwrap();
    assert!(server.requests()[3].body.get("stream").is_none(), "the last attempt has nothing optional");
    assert_eq!(server.requests()[4].body["response_format"]["type"], "json_schema");
}

#[tokio::test]
async fn key_is_sent_to_its_server_and_never_shown() {
    let server = ModelServer::start([Script::Good, Script::Refuses(500, None)]);
    let rig = Rig::with(&server, json!({ "key": "sk-secret" }));
    rig.day(&a_day().await).await.unwrap();
    assert_eq!(server.requests()[0].headers["authorization"], "Bearer sk-secret");
    assert_eq!(server.requests()[0].path, "/v1/chat/completions");
    assert!(!format!("{:?}", rig.endpoint).contains("sk-secret"));
    let keyless = ModelServer::start([]);
    Rig::new(&keyless).day(&a_day().await).await.unwrap();
    assert!(!keyless.requests()[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn errors_contain_no_text_of_memories() {
    let day = turns(&[("c", "Ann", "The zebrafinch is called Pip.")]).await;
    let echo =
        r#"{"error": {"code": 400, "message": "cannot read: The zebrafinch is called Pip.", "type": "zebrafinch"}}"#;
    for script in [
        Script::Answers("zebrafinch".into()),
        sentences(json!([{ "words": "zebrafinch" }])),
        Script::Raw(echo.into()),
        Script::Refuses(500, None),
        Script::Raw("zebrafinch".into()),
    ] {
        let server = ModelServer::always(script.clone());
        let error = Rig::new(&server).day(&day).await.unwrap_err();
        // A server may put any word into an error's type. The type is shown; here it is a plain word.
        let shown = format!("{error} {error:?}").replace("(zebrafinch)", "");
        assert!(!shown.contains("zebrafinch"), "{script:?}: {shown}");
    }
}
