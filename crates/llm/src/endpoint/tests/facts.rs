//! Extraction: filtering of answers, and content of requests.

use annals_core::ports::Estimate;

use super::*;

fn operation(op: &str, subject: &str, predicate: &str, object: &str, source: u64) -> Value {
    json!({ "op": op, "subject": subject, "predicate": predicate, "object": object, "replaces": null,
            "confidence": 0.9, "when": null, "source": source })
}

#[tokio::test]
async fn facts_and_operations_have_turn_time_and_speaker() {
    let turns = a_day().await;
    let facts = json!([{ "text": "Ann lives in Lisbon.", "kind": "Home", "importance": "0.8", "confidence": 1.5, "when": "2026-03-06",
                         "who": ["I", "Ann"], "source": "[1]" }]);
    let mut moved = operation("update", "I", "Lives in", "Lisbon", 1);
    moved["replaces"] = json!("Porto");
    moved["when"] = json!("2026-03");
    let server = ModelServer::start([found(facts, json!([moved, operation("INSERT", "Ann", "likes", "keys", 1)]))]);
    let rig = Rig::new(&server);
    let Extracted { statements, operations, rejected } = rig.extract(&turns).await.unwrap();
    assert!(rejected.is_empty(), "{rejected:?}");
    let fact = &statements[0];
    assert_eq!((fact.topic.as_str(), fact.importance, fact.who.as_slice()), ("home", 0.8, &["Ann".to_owned()][..]));
    assert_eq!(fact.confidence, Some(1.0));
    assert_eq!((fact.when, fact.day), (Some(at("2026-03-06T00:00:00Z")), turns[0].period));
    assert_eq!((fact.cover, &fact.sources), (turns[0].cover, &vec![turns[0].id.clone()]));
    assert_eq!(fact.id, MemoryId::statement(&rig.agent, &turns[0].id, "Ann lives in Lisbon."));
    let [moved, likes] = operations.as_slice() else { panic!("{operations:?}") };
    assert_eq!(
        (moved.subject.as_str(), moved.predicate.as_str(), moved.object.as_str()),
        ("Ann", "lives_in", "Lisbon")
    );
    assert_eq!((moved.replaces.as_deref(), moved.at), (Some("Porto"), at("2026-03-01T00:00:00Z")));
    assert_eq!((likes.at, likes.said_at, likes.recorded_at), (turns[0].at(), turns[0].at(), rig.now));
    assert_eq!((moved.position, likes.position), (0, 1));
    assert_eq!(likes.id, annals_core::FactOperation::id(&turns[0].id, 1));
}

#[tokio::test]
async fn bad_operation_does_not_discard_the_good_ones() {
    let turns = turns(&[("c", "Ann", "I like many things."), ("c", "Ann", "And more of them.")]).await;
    let mut operations: Vec<Value> =
        (0..9).map(|n| operation("INSERT", "Ann", "likes", &"thing".repeat(n + 1), 1 + n as u64 % 2)).collect();
    operations.insert(4, json!({ "op": "INSERT", "subject": 7 }));
    let server = ModelServer::start([found(json!([]), json!(operations))]);
    let found = Rig::new(&server).extract(&turns).await.unwrap();
    assert_eq!(found.operations.len(), 9);
    assert_eq!(found.rejected, ["operation 5: cites no turn"]);
}

#[tokio::test]
async fn unusable_elements_are_rejected_with_a_reason() {
    async fn check(element: Value, expect: &str) {
        let turns = turns(&[("c", "Ann", "I stopped playing the cello.")]).await;
        let good = operation("INSERT", "Ann", "likes", "rest", 1);
        let server = ModelServer::start([found(json!([]), json!([good, element]))]);
        let found = Rig::new(&server).extract(&turns).await.unwrap();
        assert_eq!((found.operations.len(), found.rejected), (1, vec![format!("operation 2: {expect}")]), "{element}");
    }
    for (subject, name) in [("Ann", "Bob"), ("Bob", "Bobby")] {
        let alias = operation("INSERT", subject, "also_known_as", name, 1);
        check(alias, "gives a name that is not a form of the speaker's own").await;
    }
    check(operation("INSERT", "Ann", "likes", "tea", 2), "cites no turn").await;
    check(operation("MERGE", "Ann", "likes", "tea", 1), "has no known op").await;
    check(operation("INSERT", " ", "likes", "tea", 1), "has no usable subject").await;
    check(operation("INSERT", "Ann", "...", "tea", 1), "has no usable predicate").await;
    check(operation("INSERT", "Ann", "likes", &"tea ".repeat(60), 1), "has no usable object").await;
    check(operation("DELETE", "Ann", "plays", "", 1), "has no usable object").await;
    check(operation("DELETE", "", "plays", "cello", 1), "has no usable subject").await;
    check(operation("DELETE", "Ann", "lives_in", "Lisbon", 1), "deletes what nobody named").await;
    check(operation("INSERT", "Ann", "has_password", "swordfish", 1), "reads like a credential").await;
    for (subject, object) in [("Ann", "Paris"), ("Quentin", "cello"), ("Ann", "77 goats"), ("Ann", "flat since 2011")] {
        check(operation("INSERT", subject, "has", object, 1), "has a name, number or date that was not shown").await;
    }
    let mut moved = operation("UPDATE", "Ann", "lives_in", "Paris", 1);
    moved["replaces"] = json!("Oslo");
    check(moved, "has a name, number or date that was not shown").await;
}

#[tokio::test]
async fn statement_with_a_name_number_or_date_that_was_not_shown_is_rejected() {
    async fn check(text: &str, is_kept: bool) {
        let all = turns(&[
            ("c", "Ann", "My sister Marta rents a flat in Porto."),
            ("c", "Ann", "On Friday at seven I move in with her, for 300 euros. We have known it for two years."),
        ])
        .await;
        let (context, read) = all.split_at(1);
        let server = ModelServer::start([found(json!([{ "text": text, "source": 1 }]), json!([]))]);
        let found = Rig::new(&server).extract_knowing(read, context, &[]).await.unwrap();
        let expect = if is_kept { vec![] } else { vec!["fact 1: has a name, number or date that was not shown"] };
        assert_eq!((found.statements.len(), found.rejected), (usize::from(is_kept), owned(&expect)), "{text}");
    }
    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }
    check("Ann moves in with Marta on 2026-03-06.", true).await;
    check("Ann moves in with her sister in Porto, for 300 euros.", true).await;
    check("Ann moves in on Friday at 19:00.", true).await;
    check("Ann has known it since 2024.", true).await;
    check("Ann moves in with Bernadette.", false).await;
    check("Ann moves to Lisbon.", false).await;
    check("Ann moves in for 400 euros.", false).await;
    check("Ann moves in on Friday at 20:15.", false).await;
}

#[tokio::test]
async fn statement_with_a_date_that_follows_from_nothing_is_rejected() {
    let turns = turns(&[("c", "Ann", "I move in with Marta.")]).await;
    let facts = json!([
        { "text": "Ann moves in with Marta on 2026-03-05.", "source": 1 },
        { "text": "Ann moves in with Marta on 17 May 2026.", "source": 1 },
        { "text": "Ann zieht im Juni 2026 zu Marta.", "source": 1 },
    ]);
    let server = ModelServer::start([found(facts, json!([]))]);
    let found = Rig::new(&server).extract(&turns).await.unwrap();
    assert_eq!((found.statements.len(), found.rejected.len()), (1, 2), "{:?}", found.rejected);
}

#[tokio::test]
async fn named_object_can_be_deleted() {
    let turns = turns(&[("c", "Ann", "I stopped playing the cello.")]).await;
    let server = ModelServer::start([found(json!([]), json!([operation("DELETE", "I", "plays", "the Cello", 1)]))]);
    let found = Rig::new(&server).extract(&turns).await.unwrap();
    assert_eq!((found.operations.len(), found.rejected.len()), (1, 0));
}

#[tokio::test]
async fn update_without_former_value_becomes_an_insert() {
    let turns = turns(&[("c", "Ann", "I like tea now.")]).await;
    let server = ModelServer::start([found(json!([]), json!([operation("UPDATE", "Ann", "likes", "tea", 1)]))]);
    let found = Rig::new(&server).extract(&turns).await.unwrap();
    assert_eq!(found.operations[0].verb, annals_core::Verb::Insert);
}

#[tokio::test]
async fn facts_and_operations_per_turn_are_limited() {
    let turns = turns(&[("c", "Ann", "I like everything.")]).await;
    let operations: Vec<Value> = (0..30).map(|n| operation("INSERT", "Ann", "likes", &format!("x{n}"), 1)).collect();
    let facts: Vec<Value> = (0..30).map(|n| json!({ "text": format!("Ann likes x{n}."), "source": 1 })).collect();
    let server = ModelServer::start([found(json!(facts), json!(operations))]);
    let found = Rig::new(&server).extract(&turns).await.unwrap();
    assert_eq!((found.operations.len(), found.statements.len(), found.rejected.len()), (8, 8, 44));
}

#[tokio::test]
async fn question_shows_known_facts_and_preceding_turns() {
    let turns = a_day().await;
    let known = fact("Ann", "lives_in", "Porto");
    let server = ModelServer::start([]);
    Rig::new(&server).extract_knowing(&turns[1..], &turns[..1], &[known]).await.unwrap();
    let prompt = server.requests()[0].content_of("user").to_owned();
    for part in [
        "The day is 2026-03-04, a Wednesday, in the time zone UTC.",
        "\nAnn, Bob\n",
        "\n- Ann, lives_in, Porto (since 2026-03-05)\n",
        "\nlives_in, likes\n",
        "\n2026-03-04 09:00 Ann: Today I signed",
        "\n[1] 2026-03-04 09:00 Bob: The movers",
    ] {
        assert!(prompt.contains(part), "{part} / {prompt}");
    }
}

#[tokio::test]
async fn empty_lists_are_a_valid_answer() {
    let server = ModelServer::start([found(json!([]), json!([]))]);
    let rig = Rig::new(&server);
    assert_eq!(rig.extract(&a_day().await).await.unwrap(), Extracted::default());
    assert_eq!(rig.extract(&[]).await.unwrap(), Extracted::default());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn answer_of_another_format_is_retried() {
    let server = ModelServer::start([
        Script::Answers(r#"["Ann lives in Lisbon"]"#.into()),
        found(json!(["Ann lives in Lisbon"]), json!([])),
    ]);
    let error = Rig::new(&server).extract(&a_day().await).await.unwrap_err();
    assert!(matches!(error, Error::Model { .. }), "{error}");
    assert_eq!(server.requests().len(), 2);
    assert!(server.requests()[1].content_of("user").contains("neither a list `facts`"));
}

#[tokio::test]
async fn many_turns_are_read_in_parts_with_distinct_positions() {
    let turns = a_long_day(3, 10).await;
    let server = ModelServer::start([]);
    let rig = Rig::with(&server, json!({ "window": 3_600, "max_output_tokens": 400 }));
    let found = rig.extract(&turns).await.unwrap();
    assert!(server.requests().len() > 2);
    assert_eq!((found.operations.len(), found.statements.len()), (30, 30));
    let ids: std::collections::BTreeSet<&String> = found.operations.iter().map(|operation| &operation.id).collect();
    assert_eq!(ids.len(), 30);
    assert!(found.operations.iter().all(|operation| operation.position == 0 && operation.subject == "Ann"));
}

/// Otherwise a name that only an earlier turn gives would remain after that turn is forgotten.
#[tokio::test]
async fn turns_and_facts_that_give_a_name_are_sources_too() {
    let all = turns(&[
        ("c", "Ann", "My therapist is called Doctor Quillon."),
        ("c", "Ann", "Nice weather."),
        ("c", "Ann", "She helps me a lot with my sleep."),
    ])
    .await;
    let (context, read) = all.split_at(2);
    let facts = json!([
        { "text": "Doctor Quillon helps Ann to sleep.", "source": 1 },
        { "text": "Ann sleeps better.", "source": 1 },
        { "text": "Bernadette helps Ann.", "source": 1 },
    ]);
    let operations = json!([
        operation("INSERT", "Ann", "sees", "Doctor Quillon", 1),
        operation("INSERT", "Ann", "sleeps", "better", 1),
        operation("INSERT", "Ann", "sees", "Bernadette", 1),
    ]);
    let server = ModelServer::start([found(facts, operations)]);
    let sister = Fact { sources: vec![MemoryId::from_text("t-old")], ..fact("Ann", "has_sister", "Bernadette") };
    let found = Rig::new(&server).extract_knowing(read, context, std::slice::from_ref(&sister)).await.unwrap();
    let [own, earlier] = [&read[0].id, &context[0].id].map(Clone::clone);
    let sources: Vec<&Vec<MemoryId>> = found.statements.iter().map(|statement| &statement.sources).collect();
    assert_eq!(sources, [&vec![own.clone(), earlier.clone()], &vec![own.clone()]]);
    assert_eq!(found.rejected, ["fact 3: states what only the background says"]);
    let sources: Vec<Vec<MemoryId>> = found.operations.iter().map(annals_core::FactOperation::sources).collect();
    let known: Vec<MemoryId> = std::iter::once(own.clone()).chain(sister.sources).collect();
    assert_eq!(sources, [vec![own.clone(), earlier], vec![own], known]);
}

#[tokio::test]
async fn counted_requests_are_those_that_would_be_sent() {
    let day = a_day().await;
    let server = ModelServer::start([]);
    let rig = Rig::new(&server);
    let tally = Arc::new(Tally::default());
    let counter = Rig {
        endpoint: rig
            .endpoint
            .clone()
            .with_batches(Arc::new(rig.catalog.clone()))
            .in_mode(Mode::Counting(Arc::clone(&tally))),
        ..Rig::new(&server)
    };
    let nothing = counter.extract(&day).await.unwrap();
    assert!(nothing.statements.is_empty() && nothing.operations.is_empty() && server.requests().is_empty());
    let counted = tally.counted();
    rig.extract(&day).await.unwrap();
    let sent: u64 = server.requests()[0].body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| annals_core::tokens(message["content"].as_str().unwrap()))
        .sum();
    let [Estimate { purpose: Purpose::Extraction, calls: 1, tokens_in, .. }] = counted.as_slice() else {
        panic!("{counted:?}")
    };
    assert!((sent..sent + 20).contains(tokens_in), "{tokens_in} of {sent}");
    counter.extract(&day).await.unwrap();
    assert_eq!(tally.counted(), counted, "a saved answer costs nothing");
}
