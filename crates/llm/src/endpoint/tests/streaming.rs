//! Slow servers: an answer may take any time as long as tokens come, and what was paid for is booked.

use super::*;

fn is_unavailable(error: &Error) -> bool {
    matches!(error, Error::Unavailable { .. })
}

/// A pause that is long for a test.
const PAUSE: Duration = Duration::from_millis(30);

#[tokio::test]
async fn answer_may_take_longer_than_the_time_without_a_token() {
    let server = ModelServer::always(Script::Paced(PAUSE, PAUSE));
    let rig = Rig::with(&server, json!({ "timeout": "600ms" }));
    let begun = std::time::Instant::now();
    let draft = rig.day(&a_day().await).await.unwrap();
    assert_eq!(draft.sentences.len(), 3);
    assert!(begun.elapsed() > Duration::from_millis(600), "the test does not show anything: {:?}", begun.elapsed());
}

#[tokio::test]
async fn answer_that_repeats_itself_is_not_received_to_its_end() {
    let endless = r#"{"sentences": [{"text": ""#.to_owned() + &"and the world was about to change ".repeat(20_000);
    let server = ModelServer::start([Script::Answers(endless)]);
    let rig = Rig::new(&server);
    assert_eq!(rig.day(&a_day().await).await.unwrap().sentences.len(), 3);
    let second = server.requests()[1].clone();
    assert_eq!(second.body["messages"][2]["content"], "(nothing)", "the repetition would be continued");
    let (calls, tokens) = rig.spent().await;
    assert!(calls == 2 && tokens < 10_000, "{tokens} tokens of an answer with 140,000 were booked");
}

#[tokio::test]
async fn silence_ends_the_request_and_what_came_is_booked() {
    let long = Duration::from_secs(3_600);
    for (script, expect, calls) in [
        (Script::Paced(long, PAUSE), "no answer within 100ms", 0),
        (Script::Paced(Duration::ZERO, long), "no answer within 100ms", 0),
        (Script::Stalls(6), "no further token within 100ms", 1),
    ] {
        let server = ModelServer::always(script);
        let rig = Rig::with(&server, json!({ "timeout": "100ms" }));
        let error = rig.day(&a_day().await).await.unwrap_err();
        assert!(is_unavailable(&error) && error.to_string().contains(expect), "{error}");
        assert_eq!((server.requests().len(), rig.spent().await.0), (1, calls), "{expect}");
    }
}

#[tokio::test]
async fn answer_that_breaks_off_is_asked_for_again_and_both_are_booked() {
    let server = ModelServer::start([Script::BreaksOff(4)]);
    let rig = Rig::new(&server);
    let draft = rig.day(&a_day().await).await.unwrap();
    assert_eq!((server.requests().len(), draft.sentences.len()), (2, 3));
    let whole = ModelServer::start([]);
    let once = Rig::new(&whole).day(&a_day().await).await.unwrap();
    let (calls, tokens) = rig.spent().await;
    assert!(calls == 2 && tokens > once.tokens * 3 / 2, "{tokens} tokens, {} for one answer", once.tokens);
}

#[tokio::test]
async fn answers_that_only_break_off_are_an_outage_that_was_paid_for() {
    let server = ModelServer::always(Script::BreaksOff(6));
    let rig = Rig::new(&server);
    let error = rig.day(&a_day().await).await.unwrap_err();
    assert!(is_unavailable(&error) && error.to_string().contains("the answer broke off"), "{error}");
    let (calls, tokens) = rig.spent().await;
    assert!(server.requests().len() == 4 && calls == 4 && tokens > 1_000, "{calls} {tokens}");
}

#[tokio::test]
async fn requests_of_a_slow_server_become_smaller_and_the_summary_is_complete() {
    let day = a_long_day(4, 6).await;
    let server = ModelServer::start([]);
    let rig = Rig::new(&server);
    rig.day(&day).await.unwrap();
    assert_eq!(server.requests().len(), 1, "a fast server gets all of it at once");
    let server = ModelServer::start([]);
    let rig = Rig::new(&server);
    // Thirty tokens a second read, five written.
    let timing = Timing { measured: Some((30.0, 5.0)), ..Timing::default() };
    let slow = Completion { tokens_in: Some(1_000), timing, ..Completion::default() };
    let speed = &rig.endpoint.channel(Purpose::Daily).unwrap().learned.speed;
    (0..40).for_each(|_| speed.record(&slow, 0));
    let draft = rig.day(&day).await.unwrap();
    assert!(server.requests().len() >= 3, "{}", server.requests().len());
    assert!(!draft.sentences.is_empty());
}

#[tokio::test]
async fn server_with_one_slot_gets_one_request_at_a_time() {
    let server = ModelServer::speaking(
        Dialect::LlamaCpp { window: 8_192, slots: 1 },
        [0, 1, 2].map(|_| Script::Paced(Duration::from_millis(80), Duration::ZERO)),
    );
    let rig = Rig::with(&server, json!({ "timeout": "5s" }));
    let day = a_day().await;
    let most = async {
        let mut most = 0;
        for _ in 0..100 {
            let speed = &rig.endpoint.channel(Purpose::Daily).unwrap().learned.speed;
            most = most.max(speed.now().running);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        most
    };
    let (one, two, most) = tokio::join!(rig.day(&day), rig.day(&day[..2]), most);
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(most, 1);
}

#[tokio::test]
async fn used_up_quota_delays_the_next_request_only() {
    // Without a header there is no wait. With one the breaker stays closed, and the request is made after the wait.
    let server = ModelServer::speaking(Dialect::OpenAi, [Script::Refuses(429, Some(0))]);
    let rig = Rig::new(&server);
    rig.day(&a_day().await).await.unwrap();
    rig.day(&a_day().await[..2]).await.unwrap();
    // One request is refused for `max_tokens`, one by the rate limit, and two are answered.
    assert_eq!(server.requests().len(), 4);
}

/// Regression: an answer that was ended by the limit for a whole answer cost nothing of the budget.
#[tokio::test]
async fn tokens_of_an_answer_whose_request_is_dropped_are_counted() {
    let server = ModelServer::always(Script::Stalls(3));
    let body = json!({ "model": "test", "stream": true, "messages": [{ "role": "user", "content": "Hello." }] });
    let request = reqwest::Client::new().post(format!("{}/chat/completions", server.base_url())).json(&body);
    let mut spent = stream::Spent::default();
    let watch = stream::Watch {
        begun: tokio::time::Instant::now(),
        first_silence: Duration::from_secs(60),
        silence: Duration::from_secs(60),
        prompt_tokens: 10,
        progress: &|_| (),
        pause: &|_| (),
        spent: &mut spent,
    };
    assert!(tokio::time::timeout(Duration::from_millis(500), stream::receive(request, watch)).await.is_err());
    assert!(spent.tokens_in > 0 && spent.tokens_out > 0, "{spent:?}");
}

/// OpenAI's models send nothing while they think, and so does any model with the setting `reasoning`.
#[tokio::test]
async fn model_that_may_think_unseen_gets_more_time_for_its_first_token() {
    async fn check(more: Value, expect: bool) {
        let server = ModelServer::always(Script::Paced(Duration::from_secs(2), Duration::ZERO));
        let mut table = json!({ "timeout": "1s" });
        table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let done = Rig::with(&server, table).day(&a_day().await).await;
        let is_late = |error: &Error| error.to_string().contains("no answer within 1s");
        assert_eq!(done.is_ok(), expect, "{more} {done:?}");
        assert!(done.as_ref().err().is_none_or(is_late), "{done:?}");
    }
    check(json!({}), false).await;
    check(json!({ "reasoning": "low" }), true).await;
}

#[tokio::test]
async fn late_answer_of_a_distant_server_is_booked_because_it_may_bill_it() {
    async fn check(is_near: bool, calls: u64) {
        let server = ModelServer::always(Script::Hangs);
        let mut rig = Rig::with(&server, json!({ "timeout": "100ms" }));
        for channel in rig.endpoint.channels.values_mut() {
            Arc::get_mut(channel).expect("no request has begun").is_near = is_near;
        }
        assert!(is_unavailable(&rig.day(&a_day().await).await.unwrap_err()));
        let spent = rig.spent().await;
        assert!(spent.0 == calls && (spent.1 > 300) == (calls > 0), "{spent:?}");
    }
    check(true, 0).await;
    check(false, 1).await;
}
