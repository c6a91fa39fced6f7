//! Answers of the tools that read.

use super::*;

#[tokio::test]
async fn search_returns_dated_lines_between_marks() {
    let service = service_with_memories(&agent("a")).await;
    let reply = good(&service, "search_memory", json!({"query": "sailing trip", "grains": ["working"]})).await;
    let lines: Vec<&str> = reply.text.lines().collect();
    assert_eq!((lines[2], lines.last().copied()), ("<annals-memory>", Some("</annals-memory>")), "{}", reply.text);
    let recalled: Vec<&&str> = lines.iter().filter(|line| line.starts_with("- [t-")).collect();
    assert_eq!(recalled.len(), reply.structured["results"].as_array().unwrap().len());
    assert!(recalled.iter().all(|line| line.contains("] 2026-03-0")), "{}", reply.text);

    let weekly = good(&service, "search_memory", json!({"grains": ["weekly"], "from": "2026-03-03"})).await;
    assert!(weekly.text.contains("] 2026-03-02 to 2026-03-08, weekly summary 2026-W10 (1 day outside the range):"));
}

#[tokio::test]
async fn empty_range_is_reported_with_a_search_of_all_grains() {
    let service = service_with_memories(&agent("a")).await;
    let reply = good(&service, "search_memory", json!({"grains": ["daily"], "period": "1999-03-04"})).await;
    assert_eq!(reply.structured["range_is_empty"], true);
    assert!(reply.text.starts_with("Memory holds nothing on 1999-03-04"), "{}", reply.text);
    assert!(reply.text.contains("search without grains") && !reply.text.contains("annals-memory"), "{}", reply.text);
}

#[tokio::test]
async fn range_with_unindexed_memories_is_not_reported_as_empty() {
    let service = service(Arc::new(|| at(NOW)));
    let messages = vec![message("2026-03-04T18:30:00Z", "Ann planned a trip.")];
    ingest(&service, &agent("a"), messages).await;
    // The message is not in the search tables yet.
    let reply = good(&service, "search_memory", json!({"query": "trip", "period": "2026-03-04"})).await;
    assert!(reply.text.starts_with("Nothing on 2026-03-04 matches the query."), "{}", reply.text);
}

#[tokio::test]
async fn get_memory_returns_sources_on_request() {
    let service = service_with_memories(&agent("a")).await;
    let day = good(&service, "timeline", json!({"grains": ["daily"], "to": "2026-03-04"})).await;
    let id = &day.structured["memories"][0]["id"];
    let without = good(&service, "get_memory", json!({"id": id})).await;
    assert!(without.structured.get("sources").is_none());
    let with = good(&service, "get_memory", json!({"id": id, "sources": true})).await;
    assert_eq!(with.structured["sources"].as_array().unwrap().len(), 2);
    assert!(
        with.text.starts_with("One memory, then 2 sources. Days are local: UTC.\n<annals-memory>"),
        "{}",
        with.text
    );
    assert!(with.text.contains("] 2026-03-04, working turn"), "{}", with.text);
}

#[tokio::test]
async fn timeline_is_ordered_and_names_open_periods() {
    let service = service_with_memories(&agent("a")).await;
    let reply = good(&service, "timeline", json!({})).await;
    let periods: Vec<&str> = reply.structured["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["period"].as_str().unwrap())
        .collect();
    assert_eq!(periods, ["2026-03-04", "2026-03-06"]);
    let weekly = good(&service, "timeline", json!({"grains": ["weekly", "daily"]})).await;
    assert_eq!(weekly.structured["memories"].as_array().unwrap().len(), 3);
    assert!(reply.text.contains("not summarized: 2026-03, 2026-Q1, 2026."), "{}", reply.text);
}

#[tokio::test]
async fn facts_show_since_when_they_hold() {
    let service = service_with_memories(&agent("a")).await;
    let reply = good(&service, "search_facts", json!({"about": "Ann"})).await;
    assert!(reply.text.contains("Ann lives_in Bern: holds from 2026-03-04; said 2026-03-04"));
    let before = good(&service, "search_facts", json!({"as_of": "2026-03-01T00:00:00Z"})).await;
    assert_eq!(before.structured["facts"], json!([]));
}

#[tokio::test]
async fn search_facts_follows_walks_and_paths() {
    let service = service_with_memories(&agent("a")).await;
    for (subject, object) in [("Ann", "Ben"), ("Ben", "Eve"), ("Ida", "Kai")] {
        let entry = FactEntry {
            verb: Verb::Add,
            subject: subject.into(),
            predicate: "knows".into(),
            object: Some(object.into()),
            at: Some(at("2026-03-01T00:00:00Z").into()),
        };
        service.enter_fact(&agent("a"), entry, service.now()).await.unwrap();
    }
    let walk = good(&service, "search_facts", json!({"about": "Eve", "depth": 2, "direction": "in"})).await;
    let lines: Vec<&str> = walk.text.lines().filter(|line| line.starts_with("- [")).collect();
    assert!(lines[0].contains("Ben knows Eve") && lines[0].ends_with("; 1 step away"), "{}", walk.text);
    assert!(lines[1].contains("Ann knows Ben") && lines[1].ends_with("; 2 steps away"), "{}", walk.text);
    assert_eq!(walk.structured["facts"][1]["depth"], 2);

    let path = good(&service, "search_facts", json!({"about": "Bern", "to": "Eve"})).await;
    assert!(path.text.starts_with("Connected by 3 facts, from one to the other."), "{}", path.text);
    let none = good(&service, "search_facts", json!({"about": "Bern", "to": "Kai"})).await;
    assert_eq!((&none.structured["connected"], &none.structured["facts"]), (&json!(false), &json!([])));
    let same = good(&service, "search_facts", json!({"about": "Ann", "to": "ANN"})).await;
    assert_eq!(same.text, "Both are names of one person or thing.");
    for (wrong, field) in [(json!({"depth": 2}), "about"), (json!({"about": "Ann", "depth": 11}), "depth")] {
        let text = refusal(&service, &local(Some("a")), "search_facts", wrong).await;
        assert!(text.contains(field), "{text}");
    }
}

#[tokio::test]
async fn context_is_fenced() {
    let service = service_with_memories(&agent("a")).await;
    let reply = good(&service, "memory_context", json!({"prompt": "Why was the sailing trip cancelled?"})).await;
    assert!(reply.text.starts_with("<annals-memory>") && reply.text.contains("broke his arm"), "{}", reply.text);
}

#[tokio::test]
async fn short_ids_of_a_context_map_to_full_ids() {
    let service = service_with_memories(&agent("a")).await;
    let reply = good(&service, "memory_context", json!({"prompt": "Why was the sailing trip cancelled?"})).await;
    let ids = reply.structured["ids"].as_object().unwrap();
    assert!(ids.len() > 1, "{ids:?}");
    for (short, id) in ids {
        assert!(reply.text.contains(&format!("\n[{short}] ")), "{short} in {}", reply.text);
        if !short.starts_with('f') {
            let one = good(&service, "get_memory", json!({"id": id})).await;
            assert_eq!(&one.structured["memory"]["id"], id);
        }
    }
    let rest = reply.structured.to_string().len() - reply.text.len();
    assert!(rest < 200 + 50 * ids.len(), "the structure repeats no line of the text: {}", reply.structured);
}

#[tokio::test]
async fn context_over_the_budget_is_not_reported_as_unknown() {
    let service = service_with_memories(&agent("a")).await;
    let ask = async |prompt: &str, budget: u64| {
        good(&service, "memory_context", json!({"prompt": prompt, "budgetTokens": budget})).await
    };
    let tight = ask("Why was the sailing trip cancelled?", 64).await;
    assert!(tight.text.contains("the budget") && !tight.text.contains("nothing"), "{}", tight.text);
    assert_eq!(tight.structured["known"], true);
    let all = ask("Why was the sailing trip cancelled?", 4000).await;
    assert!(all.text.ends_with("</annals-memory>"), "{}", all.text);
    let unknown = ask("Good morning!", 4000).await;
    assert_eq!(unknown.text, "Memory knows nothing about this.");
    assert_eq!((&unknown.structured["known"], &unknown.structured["ids"]), (&json!(false), &json!({})));
}
