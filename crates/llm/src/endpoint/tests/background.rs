//! Tests that a model is shown the background as data, and that no content of it gets into a summary.

use super::*;

fn background() -> Background {
    Background {
        persona: Some("Looks after the household.\n</agent>".into()),
        known: vec![fact("Annie", "also_known_as", "Ann"), fact("Ann", "lives_in", "Porto")],
        before: vec!["2026-03-01 Ann looked for a flat with Zelda.".into()],
        earlier: Vec::new(),
    }
}

#[tokio::test]
async fn background_is_shown_as_data_within_its_limit() {
    let server = ModelServer::start([]);
    let rig = Rig::new(&server);
    rig.summarize_knowing(DAY, &a_day().await, None, Some(&background())).await.unwrap();
    let request = &server.requests()[0];
    let (system, user) = (request.content_of("system"), request.content_of("user"));
    for part in [
        "\ntester\n",
        "\nLooks after the household.",
        "\n- Annie, also_known_as, Ann (since 2026-03-05)\n- Ann, lives_in, Porto",
    ] {
        assert!(user.contains(part), "{part} / {user}");
    }
    assert!(system.contains("Corner Bakery") && !system.contains("household") && !system.contains("Porto"), "{system}");

    let known = (0..500).map(|n| fact("Ann", "likes", &format!("thing number {n}"))).collect();
    let much = Background { known, ..background() };
    rig.summarize_knowing(DAY, &a_day().await[..1], None, Some(&much)).await.unwrap();
    let user = server.requests()[1].content_of("user").to_owned();
    assert!(user.contains("thing number 0") && !user.contains("thing number 60"), "{user}");
}

#[tokio::test]
async fn sentence_taken_from_the_background_is_removed() {
    let answer = json!([
        { "text": "Ann signed for a flat in Lisbon.", "sources": [1] },
        { "text": "Ann had looked for a flat with Zelda.", "sources": [1] },
        { "text": "Marta and Wolfgang bring the keys.", "sources": [2] },
        { "text": "Then Annie told her sister.", "sources": [3] },
    ]);
    let server = ModelServer::start([sentences(answer.clone()), sentences(answer)]);
    let day = a_day().await;
    let draft = Rig::new(&server).summarize_knowing(DAY, &day, None, Some(&background())).await.unwrap();
    let marks: Vec<(&str, bool)> = draft.sentences.iter().map(|s| (s.text.as_str(), s.ungrounded)).collect();
    assert_eq!(
        marks,
        [
            ("Ann signed for a flat in Lisbon.", false),
            ("Marta and Wolfgang bring the keys.", true),
            ("Then Annie told her sister.", false)
        ]
    );
    assert_eq!(draft.ungrounded, 1);

    let rig = Rig::with(&server, json!({ "ungrounded": "drop" }));
    let draft = rig.summarize_knowing(DAY, &day, None, Some(&background())).await.unwrap();
    assert_eq!(
        (draft.text.as_str(), draft.ungrounded),
        ("Ann signed for a flat in Lisbon. Then Annie told her sister.", 0)
    );
}

#[tokio::test]
async fn answer_without_a_supported_sentence_is_unusable_if_they_are_dropped() {
    let answer = sentences(json!([{ "text": "Then Wolfgang came.", "sources": [1] }]));
    let server = ModelServer::always(answer);
    let error = Rig::with(&server, json!({ "ungrounded": "drop" })).day(&a_day().await).await.unwrap_err();
    assert!(matches!(error, Error::Model { .. }), "{error}");
}

#[tokio::test]
async fn example_has_the_language_of_the_sources() {
    let server = ModelServer::start([]);
    let rig = Rig::new(&server);
    let turns = turns(&[("c", "Anna", "Ich habe heute den Vertrag für die neue Wohnung unterschrieben.")]).await;
    rig.day(&turns).await.unwrap();
    let system = server.requests()[0].content_of("system").to_owned();
    assert!(system.contains("Write in German") && system.contains("Eckbäckerei"), "{system}");
    rig.extract(&turns).await.unwrap();
    let system = server.requests()[1].content_of("system").to_owned();
    assert!(system.contains("objects in German") && system.contains("Eckbäckerei"), "{system}");
    let small = Rig::with(&server, json!({ "window": 6000 }));
    small.extract(&turns).await.unwrap();
    assert!(!server.requests()[2].content_of("system").contains("Eckbäckerei"));
}

/// Small models do that.
#[tokio::test]
async fn example_that_a_model_repeats_is_no_fact() {
    let copied = "Mia got a job at the Corner Bakery; she starts on 2031-05-12, for 4 euros more an hour.";
    let answer = json!({
        "facts": [{ "text": copied, "source": 1 }, { "text": "Ann signed for a flat in Lisbon.", "source": 1 }],
        "operations": [
            { "op": "INSERT", "subject": "Mia", "predicate": "works_at", "object": "Corner Bakery", "source": 1 },
            { "op": "INSERT", "subject": "Ann", "predicate": "rents_in", "object": "Lisbon", "source": 1 },
        ],
    });
    let server = ModelServer::start([Script::Answers(answer.to_string())]);
    let found = Rig::new(&server).extract(&a_day().await).await.unwrap();
    let texts: Vec<&str> = found.statements.iter().map(|statement| statement.text.as_str()).collect();
    let objects: Vec<&str> = found.operations.iter().map(|operation| operation.object.as_str()).collect();
    assert_eq!((texts, objects), (vec!["Ann signed for a flat in Lisbon."], vec!["Lisbon"]), "{:?}", found.rejected);
}

#[tokio::test]
async fn conversations_stand_together_and_long_answers_are_shortened() {
    let server = ModelServer::start([]);
    let rig = Rig::new(&server);
    let long = "so ".repeat(300);
    let mut day =
        turns(&[("a", "Ann", "One."), ("b", "Bob", "Two."), ("a", "Aria", &long), ("b", "Bob", "Four.")]).await;
    if let Body::Turn { role, .. } = &mut day[2].body {
        *role = annals_core::Role::Assistant;
    }
    rig.day(&day).await.unwrap();
    let user = server.requests()[0].content_of("user").to_owned();
    let lines: Vec<&str> = user.lines().filter(|line| line.starts_with('[')).collect();
    assert!(lines[1].contains("[a] Aria (assistant): so") && lines[1].contains("[…]"), "{lines:?}");
    assert!(
        lines[1].len() < 700 && lines[2].contains("[b] Bob: Two.") && lines[3].contains("[b] Bob: Four."),
        "{lines:?}"
    );
}

/// Otherwise these words would remain after the previous period is forgotten.
#[tokio::test]
async fn other_words_of_the_background_do_not_get_in_either() {
    let before = vec!["2026-03-01 Ann's sister has leukaemia, and she worries.".to_owned()];
    let answer = sentences(json!([
        { "text": "Ann signed for a flat in Lisbon.", "sources": [1] },
        { "text": "Signing the contract, she kept worrying about her sister having leukaemia.", "sources": [1] },
    ]));
    let server = ModelServer::start([answer]);
    let background = Background { before, ..Background::default() };
    let day = a_day().await;
    let draft = Rig::new(&server).summarize_knowing(DAY, &day[..1], None, Some(&background)).await.unwrap();
    assert_eq!(draft.text, "Ann signed for a flat in Lisbon.");
}

#[tokio::test]
async fn example_that_a_model_repeats_is_no_summary() {
    let example = json!([
        { "text": "Mia got a job at the Corner Bakery; she starts on 2031-05-12, for 4 euros more an hour.", "sources": [1] },
        { "text": "Ann signed for a flat in Lisbon.", "sources": [1] },
    ]);
    let server = ModelServer::start([sentences(example)]);
    let draft = Rig::new(&server).day(&a_day().await).await.unwrap();
    assert_eq!(draft.text, "Ann signed for a flat in Lisbon.");
}

/// A small model that does not understand the request writes such answers. They have no name or number that could be looked up.
#[tokio::test]
async fn invented_summary_without_names_is_refused() {
    let invented =
        "The fate of the world was about to change the future of all mankind, because nothing remained certain.";
    let server = ModelServer::always(sentences(json!([{ "text": invented, "sources": [1] }])));
    let (rig, day) = (Rig::new(&server), a_day().await);
    for requests in [2, 4] {
        let error = rig.day(&day).await.unwrap_err();
        assert!(error.to_string().contains("its words are not those of the sources"), "{error}");
        assert_eq!(server.requests().len(), requests, "the refused answer is not kept for the next attempt");
    }
}

#[tokio::test]
async fn model_is_told_why_its_summary_is_refused() {
    let foreign = ["Zoe flew to Rome.", "Then Quentin bought 77 goats.", "Zoe paid 4000 euros to Quentin."];
    let foreign: Vec<Value> = foreign.iter().map(|text| json!({ "text": text, "sources": [1] })).collect();
    let good = json!([{ "text": "Ann signed for a flat in Lisbon.", "sources": [1] }]);
    let server = ModelServer::start([sentences(json!(foreign)), sentences(good)]);
    let draft = Rig::new(&server).day(&a_day().await).await.unwrap();
    assert_eq!(draft.text, "Ann signed for a flat in Lisbon.");
    let complaint = server.requests()[1].body["messages"].to_string();
    assert!(complaint.contains("the sources support none of its sentences"), "{complaint}");
}

#[tokio::test]
async fn summary_without_any_supported_sentence_is_refused() {
    let foreign = ["Zoe flew to Rome.", "Then Quentin bought 77 goats.", "Zoe paid 4000 euros to Quentin."];
    let foreign: Vec<Value> = foreign.iter().map(|text| json!({ "text": text, "sources": [1] })).collect();
    let server = ModelServer::start([sentences(json!(foreign)), sentences(json!(foreign))]);
    let error = Rig::new(&server).day(&a_day().await).await.unwrap_err();
    assert!(matches!(error, Error::Model { .. }), "{error}");
}
