//! Every argument of `search_facts`, `search_memory` and `memory_context` has an effect.

use super::*;

#[tokio::test]
async fn every_argument_of_search_facts_has_an_effect() {
    let service = service_with_memories(&agent("a")).await;
    let enter = async |subject: &str, predicate: &str, object: &str, from: &str| {
        let (subject, predicate, object) = (subject.into(), predicate.into(), Some(object.into()));
        let entry = FactEntry { verb: Verb::Add, subject, predicate, object, at: Some(at(from).into()) };
        service.enter_fact(&agent("a"), entry, service.now()).await.unwrap();
    };
    enter("Ann", "knows", "Ben", "2026-03-01T00:00:00Z").await;
    enter("Ben", "knows", "Eve", "2026-03-02T00:00:00Z").await;
    enter("Ann", "likes", "tea", "2026-03-03T00:00:00Z").await;
    enter("Ann", "lives_in", "Rome", "2026-04-01T00:00:00.5Z").await;
    for number in 0..7 {
        enter(&format!("P{number}"), "before", &format!("P{}", number + 1), "2026-03-01T00:00:00Z").await;
    }
    let check = async |arguments: Value, expect: &[&str]| {
        let reply = good(&service, "search_facts", arguments.clone()).await;
        let facts = reply.structured["facts"].as_array().unwrap().iter();
        let line = |fact: &Value| {
            let id = format!("- [{}] ", fact["sources"][0].as_str().unwrap());
            let line = reply.text.lines().find_map(|line| line.strip_prefix(&id)).unwrap();
            line.split(':').next().unwrap().to_owned()
        };
        assert_eq!(facts.map(line).collect::<Vec<_>>(), expect, "{arguments}");
        reply
    };
    let (ben, eve, tea) = ("Ann knows Ben", "Ben knows Eve", "Ann likes tea");
    let (bern, rome) = ("Ann lives_in Bern", "Ann lives_in Rome");
    // Facts that hold now, not those that start later.
    check(json!({"about": "Ann"}), &[ben, tea, bern]).await;
    check(json!({"about": "Ann", "limit": 1}), &[ben]).await;
    check(json!({"about": "Ann", "predicate": "likes"}), &[tea]).await;
    check(json!({"about": "Ann", "as_of": "2026-03-02T12:00:00Z"}), &[ben]).await;
    let all = check(json!({"about": "Ann", "history": true}), &[ben, tea, bern, rome]).await;
    let id = all.structured["facts"][2]["sources"][0].as_str().unwrap();
    let line = format!("- [{id}] Ann lives_in Bern: holds from 2026-03-04 until 2026-04-01; said");
    assert!(all.text.contains(&line), "{}", all.text);
    // Walks.
    check(json!({"about": "Ben", "depth": 1}), &[ben, eve]).await;
    check(json!({"about": "Ben", "depth": 1, "direction": "out"}), &[eve]).await;
    check(json!({"about": "Ben", "depth": 1, "direction": "in"}), &[ben]).await;
    let walk = check(json!({"about": "Ann", "depth": 2}), &[ben, tea, bern, eve]).await;
    assert!(walk.text.starts_with("4 facts, the nearest first."), "{}", walk.text);
    check(json!({"about": "Ann", "depth": 2, "limit": 2}), &[ben, tea]).await;
    check(json!({"about": "Ann", "depth": 2, "predicate": "knows, likes"}), &[ben, tea, eve]).await;
    check(json!({"about": "Ann", "depth": 2, "as_of": "2026-03-01T12:00:00Z"}), &[ben]).await;
    check(json!({"about": "Ann", "depth": 2, "predicate": "lives_in", "history": true}), &[bern, rome]).await;
    // Paths.
    check(json!({"about": "Ann", "to": "Eve"}), &[ben, eve]).await;
    check(json!({"about": "Ann", "to": "Eve", "depth": 1}), &[]).await;
    check(json!({"about": "Ann", "to": "Eve", "direction": "in"}), &[]).await;
    assert_eq!(good(&service, "search_facts", json!({"about": "P0", "to": "P6"})).await.structured["connected"], true);
    assert_eq!(good(&service, "search_facts", json!({"about": "P0", "to": "P7"})).await.structured["connected"], false);
}

#[tokio::test]
async fn every_argument_of_search_memory_has_an_effect() {
    let service = service_with_memories(&agent("a")).await;
    let check = async |arguments: Value, expect: &[&str]| {
        let reply = good(&service, "search_memory", arguments.clone()).await;
        let results = reply.structured["results"].as_array().unwrap().iter();
        let mut moments: Vec<&str> = results.map(|found| found["date"].as_str().unwrap()).collect();
        moments.sort_unstable();
        assert_eq!(moments, expect, "{arguments}");
    };
    let (early, late) = ("2026-03-04", "2026-03-06");
    check(json!({"grains": ["working"], "query": "Bern", "limit": 1}), &[early]).await;
    check(json!({"grains": ["working"], "limit": 1}), &[late]).await;
    check(json!({"grains": ["working"], "min_days_ago": 5}), &[early, early]).await;
    check(json!({"grains": ["working"], "max_days_ago": 5}), &[late]).await;
    check(json!({"grains": ["working"], "from": late}), &[late]).await;
    check(json!({"grains": ["working"], "to": early}), &[early, early]).await;
    check(json!({"grains": ["working"], "period": late}), &[late]).await;
    check(json!({"grains": ["daily"]}), &[early, late]).await;
}

#[tokio::test]
async fn every_argument_of_memory_context_has_an_effect() {
    let service = service_with_memories(&agent("a")).await;
    let ask = async |arguments: Value| good(&service, "memory_context", arguments).await;
    let is_known = |reply: &Reply| reply.text.contains("Ann lives in Bern (since");
    assert!(!is_known(&ask(json!({"prompt": "hello"})).await));
    assert!(is_known(&ask(json!({"prompt": "hello", "speaker": "Ann"})).await));
    // The last turns of the conversation are included whatever is asked.
    let has_turns = async |arguments: Value| ask(arguments).await.text.contains("\nSaid:\n");
    assert!(!has_turns(json!({"prompt": "hello"})).await);
    assert!(!has_turns(json!({"prompt": "hello", "conversation": "other"})).await);
    assert!(has_turns(json!({"prompt": "hello", "conversation": "talk"})).await);
    for (bounds, expect) in [
        (json!({}), ["2026-03-04", "2026-03-06"].as_slice()),
        (json!({"from": "2026-03-05"}), &["2026-03-06"]),
        (json!({"to": "2026-03-05"}), &["2026-03-04"]),
    ] {
        let mut arguments = object(json!({"prompt": "sailing trip"}));
        arguments.extend(object(bounds));
        let text = ask(Value::Object(arguments)).await.text;
        let days: Vec<&str> =
            text.lines().filter_map(|line| line.strip_suffix(':')).filter(|day| day.starts_with("2026")).collect();
        assert_eq!(days, expect);
    }
    let tight = ask(json!({"prompt": "Why was the trip cancelled?", "budget_tokens": 80})).await;
    assert!(tight.structured["tokens"].as_u64().unwrap() <= 80, "{}", tight.text);
    assert!(tight.text.contains(" more match the prompt but exceed the budget"), "{}", tight.text);
}
