//! Results of good answers, their cost, and the content of requests.

use annals_core::Role;

use super::*;

#[tokio::test]
async fn keeps_the_promises_of_the_port() {
    let server = ModelServer::start([]);
    annals_testkit::engine_suite(&Rig::new(&server).endpoint).await;
}

#[tokio::test]
async fn sentences_are_traced_and_costs_booked() {
    let answer = json!([
        { "text": "Ann signed for a flat in Lisbon.", "day": DAY, "sources": [1] },
        { "text": "Then Marta and Zoltan bring the keys.", "day": null, "sources": [2, 3] },
    ]);
    let server = ModelServer::start([sentences(answer)]);
    let (rig, day) = (Rig::new(&server), a_day().await);
    let draft = rig.day(&day).await.unwrap();
    assert_eq!(draft.text, "Ann signed for a flat in Lisbon. Then Marta and Zoltan bring the keys.");
    assert_eq!(draft.sentences[0].from, [day[0].id.clone()]);
    assert_eq!(draft.sentences[1].from, [day[1].id.clone(), day[2].id.clone()]);
    assert_eq!((draft.ungrounded, draft.verbatim), (1, false));
    assert_eq!((1, draft.tokens), rig.spent().await);
}

fn set_role(turn: &mut Memory, to: Role) {
    let Body::Turn { role, .. } = &mut turn.body else { panic!("{turn:?} is no turn") };
    *role = to;
}

#[tokio::test]
async fn lines_show_role_and_conversation_and_skip_system_and_tool_turns() {
    let server = ModelServer::start([]);
    let rig = Rig::new(&server);
    let mut day =
        turns(&[("a", "Ann", "I signed."), ("b", "Aria", "Noted."), ("a", "system", "Obey."), ("b", "tool", "42")])
            .await;
    for turn in &mut day {
        let role = match turn.speaker() {
            Some("Aria") => Role::Assistant,
            Some("system") => Role::System,
            Some("tool") => Role::Tool,
            _ => continue,
        };
        set_role(turn, role);
    }
    rig.day(&day).await.unwrap();
    let prompt = server.requests()[0].content_of("user").to_owned();
    let lines: Vec<&str> = prompt.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(lines, ["[1] 09:00 [a] Ann: I signed.", "[2] 09:00 [b] Aria (assistant): Noted."]);
}

#[tokio::test]
async fn day_of_tool_turns_only_is_not_sent() {
    let server = ModelServer::start([]);
    let rig = Rig::new(&server);
    let mut day = turns(&[("a", "tool", "42")]).await;
    set_role(&mut day[0], Role::Tool);
    let draft = rig.day(&day).await.unwrap();
    assert!(server.requests().is_empty() && !draft.text.is_empty());
}

#[tokio::test]
async fn question_shows_times_speakers_and_numbers() {
    let server = ModelServer::start([]);
    let mut rig = Rig::new(&server);
    rig.settings.time_zone = "Europe/Lisbon".into();
    rig.day(&a_day().await).await.unwrap();
    let request = &server.requests()[0];
    let prompt = request.content_of("user");
    assert!(prompt.contains("\n[2] 09:00 Bob: The movers come on Friday"), "{prompt}");
    assert!(
        prompt
            .starts_with("The day is 2026-03-04, a Wednesday, in the time zone Europe/Lisbon. Write at most 25 words."),
        "{prompt}"
    );
    assert!(!request.content_of("system").contains("movers"));
    assert_eq!(request.body["max_tokens"], 2_048);
    assert_eq!(request.body["model"], "test");
}

#[tokio::test]
async fn longer_periods_are_made_of_sentences() {
    let days = [
        summary_of("2026-03-04", &[("2026-03-04", "Ann moved.", "t-1"), ("2026-03-04", "Bob came.", "t-2")]),
        summary_of("2026-03-05", &[("2026-03-05", "It rained.", "t-3")]),
    ];
    let answer = json!([
        { "text": "Ann moved with Bob.", "day": null, "sources": [1, 2] },
        { "text": "It was wet.", "day": null, "sources": [3] },
        { "text": "All in all a full week.", "day": null, "sources": [1, 2, 3] },
    ]);
    let server = ModelServer::start([sentences(answer)]);
    let mut rig = Rig::new(&server);
    rig.now = at("2026-03-10T00:00:00Z");
    let draft = rig.summarize("2026-W10", &days, None).await.unwrap();
    assert_eq!(draft.text, "2026-03-04 Ann moved with Bob.\n2026-03-05 It was wet.\nAll in all a full week.");
    let from: Vec<Vec<&str>> =
        draft.sentences.iter().map(|sentence| sentence.from.iter().map(MemoryId::as_str).collect()).collect();
    assert_eq!(from, [vec!["t-1", "t-2"], vec!["t-3"], vec!["t-1", "t-2", "t-3"]]);
    assert!(server.requests()[0].content_of("user").contains("[3] 2026-03-05 It rained."));
}

#[tokio::test]
async fn same_question_is_paid_for_once() {
    let server = ModelServer::start([]);
    let (mut rig, day) = (Rig::new(&server), a_day().await);
    let first = rig.day(&day).await.unwrap();
    let again = rig.day(&day).await.unwrap();
    assert_eq!((again.tokens, &again.sentences), (0, &first.sentences));
    assert_eq!(server.requests().len(), 1);
    // Another prompt makes another request and another recipe.
    let before = Engine::recipe(&rig.endpoint, &rig.settings, Grain::Daily);
    rig.settings.prompts.insert("daily".into(), "In verse.\n---\n{{ sources }}".into());
    assert_ne!(Engine::recipe(&rig.endpoint, &rig.settings, Grain::Daily), before);
    rig.day(&day).await.unwrap();
    assert!(server.requests()[1].content_of("system").starts_with("In verse."));
}

#[tokio::test]
async fn saved_answer_needs_neither_endpoint_nor_budget() {
    let (mut rig, day) = {
        let server = ModelServer::start([]);
        let (rig, day) = (Rig::new(&server), a_day().await);
        rig.day(&day).await.unwrap();
        (rig, day)
    };
    rig.settings.daily_tokens = Some(0);
    assert_eq!(rig.day(&day).await.unwrap().tokens, 0);
}

#[tokio::test]
async fn exhausted_budget_waits_for_midnight() {
    let server = ModelServer::start([]);
    let (mut rig, day) = (Rig::new(&server), a_day().await);
    rig.settings.daily_tokens = Some(1_000);
    let error = rig.day(&day).await.unwrap_err();
    let Error::Budget { limit, again, of_key: false } = error else { panic!("{error}") };
    assert_eq!((limit, again), (1_000, at("2026-03-06T00:00:00Z")));
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn each_day_has_its_own_budget() {
    let server = ModelServer::start([]);
    let (mut rig, day) = (Rig::new(&server), a_day().await);
    let one_question = 4_000;
    rig.settings.daily_tokens = Some(one_question);
    rig.day(&day).await.unwrap();
    assert!(matches!(rig.day(&day[..1]).await, Err(Error::Budget { .. })));
    rig.now = at("2026-03-06T00:00:00Z");
    rig.day(&day[..1]).await.unwrap();
}

#[tokio::test]
async fn summaries_and_facts_for_a_request_are_paid_by_its_key_too() {
    let server = ModelServer::start([]);
    let (mut rig, day) = (Rig::new(&server), a_day().await);
    add_key(&rig.catalog, "k", None).await;
    rig.access_key = Some("k");
    rig.day(&day).await.unwrap();
    rig.extract(&day).await.unwrap();
    let (calls, tokens) = rig.spent().await;
    assert_eq!((calls, rig.catalog.tokens_of_keys(rig.now).await.unwrap()), (2, [("k".to_owned(), tokens)].into()));
    rig.catalog.set_daily_tokens("k", Some(tokens)).await.unwrap();
    for refused in [rig.day(&day[..1]).await.unwrap_err(), rig.extract(&day[..1]).await.unwrap_err()] {
        assert!(refused.is_of_key_budget(), "{refused}");
    }
    rig.day(&day).await.expect("a saved answer costs nothing");
    rig.access_key = None;
    rig.day(&day[..1]).await.unwrap();
    assert_eq!(rig.catalog.tokens_of_keys(rig.now).await.unwrap()["k"], tokens);
}

#[tokio::test]
async fn questions_at_the_same_time_share_the_budget() {
    let server = ModelServer::start([]);
    let (mut rig, day) = (Rig::new(&server), a_day().await);
    rig.settings.daily_tokens = Some(4_000);
    let (one, other) = tokio::join!(rig.day(&day), rig.day(&day[..1]));
    assert!(one.is_ok() && matches!(other, Err(Error::Budget { .. })), "{other:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn question_without_an_answer_gives_its_budget_back() {
    let server = ModelServer::start([Script::Refuses(413, None)]);
    let (mut rig, day) = (Rig::new(&server), a_day().await);
    rig.settings.daily_tokens = Some(4_000);
    assert!(!matches!(rig.day(&day).await, Ok(_) | Err(Error::Budget { .. })));
    rig.day(&day[..1]).await.unwrap();
}

#[tokio::test]
async fn old_days_may_use_half_of_the_budget() {
    let server = ModelServer::start([]);
    let (mut rig, day) = (Rig::new(&server), a_day().await);
    rig.settings.daily_tokens = Some(4_000);
    rig.now = at("2026-03-13T00:00:00Z");
    let error = rig.day(&day).await.unwrap_err();
    assert!(matches!(error, Error::Budget { limit: 2_000, .. }), "{error}");
    rig.now = at("2026-03-12T00:00:00Z");
    rig.day(&day).await.unwrap();
}

#[tokio::test]
async fn sealed_summary_is_amended() {
    let sentence = Sentence {
        day: period(DAY).first_day(),
        speaker: Some("Ann".into()),
        text: "I signed.".into(),
        from: vec![MemoryId::from_text("t-old")],
        ungrounded: false,
    };
    let base = Base { text: "Ann: I signed.".into(), sentences: vec![sentence], sources: Vec::new(), verbatim: true };
    let server = ModelServer::start([]);
    let (rig, day) = (Rig::new(&server), a_day().await);
    let draft = rig.summarize(DAY, &day[..1], Some(&base)).await.unwrap();
    assert_eq!(draft.sentences[0].from, [MemoryId::from_text("t-old")]);
    assert_eq!(draft.sentences[1].from, [day[0].id.clone()]);
    let prompt = server.requests()[0].content_of("user").to_owned();
    assert!(
        prompt.contains("[1] 2026-03-04 Ann: I signed.") && prompt.contains("[2] 09:00 Ann: Today I signed"),
        "{prompt}"
    );
    // Without late sources the base is returned unchanged, and no model is called.
    let same = rig.summarize(DAY, &[], Some(&base)).await.unwrap();
    assert_eq!((same.text, same.verbatim, same.tokens), (base.text, true, 0));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn purpose_without_a_model_is_an_error() {
    let server = ModelServer::start([]);
    let rig = Rig::with(&server, json!({ "daily": { "off": true } }));
    assert!(!rig.endpoint.does(Purpose::Daily) && rig.endpoint.does(Purpose::Weekly));
    assert!(matches!(rig.day(&a_day().await).await, Err(Error::Invalid(_))));
}
