//! Writes: stored values, separation of agents, and removal of former content.

use annals_core::{Agent, Error, Fact, FactQuery, Facts, Interval, MemoryId, Properties, Timestamp};
use serde_json::json;

use super::{about, everything, fact, facts, ids, me, store};
use crate::{agent, at};

pub(super) async fn unwritten_table_is_empty(tables: &dyn Facts) {
    assert_eq!(tables.version(&me()).await.unwrap(), 0);
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), []);
    assert_eq!(tables.predicates(&me(), 9).await.unwrap(), Vec::<String>::new());
    assert_eq!(tables.find_leftovers(&me(), &["Ann".into()]).await.unwrap(), Vec::<String>::new());
    tables.remove(&me()).await.unwrap();
    assert_eq!(tables.version(&me()).await.unwrap(), 0);
}

pub(super) async fn table_without_facts_has_a_version(tables: &dyn Facts) {
    tables.replace(&me(), Vec::new(), 7).await.unwrap();
    assert_eq!(tables.version(&me()).await.unwrap(), 7);
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), []);
    assert_eq!(tables.predicates(&me(), 9).await.unwrap(), Vec::<String>::new());
}

fn properties(value: serde_json::Value) -> Properties {
    value.as_object().unwrap().clone()
}

pub(super) async fn facts_round_trip(tables: &dyn Facts) {
    let whole = Fact {
        id: "o-1".into(),
        subject: "José  García".into(),
        predicate: "lives_in".into(),
        object: "The Hague".into(),
        properties: properties(json!({ "since": "spring", "with": ["Bob", { "n": 1.5, "none": null }], "sure": true })),
        confidence: 0.1 + 0.2,
        valid_from: at("2026-03-04T10:00:00.000001Z"),
        valid_to: Some(at("2026-03-05T10:00:00.999999Z")),
        recorded_at: at("2026-03-06T00:00:00.123456Z"),
        mentioned: Interval { start: at("2026-03-04T10:00:00.000001Z"), end: at("2026-03-04T11:00:00Z") },
        sources: ["t-b", "u-a", "t-c"].map(MemoryId::from_text).to_vec(),
        superseded_by: Some("o-2".into()),
    };
    let bare = Fact { sources: Vec::new(), confidence: 0.0, ..fact("o-2", "Ann likes tea 2026-03-05") };
    let many = (0..300).map(|number| MemoryId::from_text(format!("t-{number}"))).rev().collect();
    let with_many_sources = Fact { sources: many, confidence: 1.0, ..fact("o-3", "Ann likes jazz 2026-03-06") };
    let written = vec![whole, bare, with_many_sources];
    tables.replace(&me(), written.clone(), 3).await.unwrap();
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), written);
    assert_eq!(tables.version(&me()).await.unwrap(), 3);
}

pub(super) async fn any_text_round_trips(tables: &dyn Facts) {
    let long = "word ".repeat(50_000);
    let odd = [
        "",
        " ",
        "'; DROP TABLE facts; --",
        "a\0b",
        "\"\\",
        "👩‍👩‍👧",
        "\u{feff}\r\n\t",
        "NULL",
        "[1, 2]",
        "{}",
        "東京",
        &long,
    ];
    let odd_fact = |(number, text): (usize, &&str)| Fact {
        id: format!("{number:02} {text}"),
        subject: text.to_string(),
        predicate: text.to_string(),
        object: text.to_string(),
        properties: [(text.to_string(), json!([text]))].into_iter().collect(),
        sources: vec![MemoryId::from_text(*text)],
        superseded_by: Some(text.to_string()),
        ..fact("", "a b c")
    };
    let written: Vec<Fact> = odd.iter().enumerate().map(odd_fact).collect();
    tables.replace(&me(), written.clone(), 1).await.unwrap();
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), written);
}

pub(super) async fn early_and_late_years_round_trip(tables: &dyn Facts) {
    let instants = [
        "0002-01-01T00:00:00Z",
        "1582-10-10T00:00:00Z",
        "1677-09-21T00:12:43.145225Z",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "2262-04-11T23:47:16.854776Z",
        "9998-12-31T23:59:59.999999Z",
    ];
    let dated = |(number, instant): (usize, &&str)| {
        let instant = at(instant);
        let mentioned =
            Interval { start: instant, end: Timestamp::from_microsecond(instant.as_microsecond() + 1).unwrap() };
        Fact { valid_from: instant, recorded_at: instant, mentioned, ..fact(&number.to_string(), "Ann likes tea") }
    };
    let written: Vec<Fact> = instants.iter().enumerate().map(dated).collect();
    tables.replace(&me(), written.clone(), 1).await.unwrap();
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), written);
    for (number, fact) in written.iter().enumerate() {
        let then = FactQuery { as_of: Some(fact.valid_from), ..FactQuery::default() };
        assert_eq!(tables.find(&me(), &then).await.unwrap().len(), number + 1, "{}", fact.valid_from);
        let mentioned = FactQuery { said_within: Some(fact.mentioned), ..FactQuery::default() };
        assert_eq!(ids(tables, mentioned).await, fact.id);
    }
}

pub(super) async fn replacing_removes_the_former_table(tables: &dyn Facts) {
    store(tables, "Ann likes tea\nAnn likes jazz").await;
    tables.replace(&me(), facts("Bob likes rain"), 2).await.unwrap();
    assert_eq!(tables.version(&me()).await.unwrap(), 2);
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), facts("Bob likes rain"));
    assert_eq!(tables.find_leftovers(&me(), &["Ann".into(), "jazz".into()]).await.unwrap(), Vec::<String>::new());
    tables.replace(&me(), Vec::new(), 3).await.unwrap();
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), []);
    assert_eq!(tables.find_leftovers(&me(), &["Bob".into()]).await.unwrap(), Vec::<String>::new());
}

pub(super) async fn replacing_twice_changes_nothing(tables: &dyn Facts) {
    for _ in 0..2 {
        store(tables, "Ann likes tea").await;
        assert_eq!(tables.find(&me(), &everything()).await.unwrap(), facts("Ann likes tea"));
    }
    // Other facts under the same version also replace the table.
    store(tables, "Ann likes jazz").await;
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), facts("Ann likes jazz"));
    assert_eq!(tables.find_leftovers(&me(), &["tea".into()]).await.unwrap(), Vec::<String>::new());
}

/// A writer was paused while another one folded a later log. Its table is refused.
pub(super) async fn newer_table_is_not_replaced(tables: &dyn Facts) {
    for version in [9, 10, u64::MAX] {
        let now = facts(&format!("Ann counts {version}"));
        tables.replace(&me(), now.clone(), version).await.unwrap();
        for earlier in [0, 8, version - 1] {
            let refused = tables.replace(&me(), facts("Ann slept late"), earlier).await;
            assert!(matches!(refused, Err(Error::Stale { .. })), "{version} by {earlier}: {refused:?}");
            assert_eq!(tables.version(&me()).await.unwrap(), version);
            assert_eq!(tables.find(&me(), &everything()).await.unwrap(), now);
        }
        assert_eq!(tables.find_leftovers(&me(), &["slept".into()]).await.unwrap(), Vec::<String>::new());
    }
    tables.remove(&me()).await.unwrap();
    store(tables, "Ann likes tea").await;
}

pub(super) async fn many_facts_are_stored(tables: &dyn Facts) {
    let numbered = |number: i32| fact(&format!("{number:05}"), &format!("n{} likes n{}", number % 100, number % 7));
    let written: Vec<Fact> = (0..5000).map(numbered).collect();
    tables.replace(&me(), written.iter().rev().cloned().collect(), 1).await.unwrap();
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), written);
    assert_eq!(tables.find(&me(), &about("N42")).await.unwrap().len(), 50);
}

pub(super) async fn tables_are_per_agent(tables: &dyn Facts) {
    let agents = [
        me(),
        agent("TESTER"),
        agent("../tester"),
        agent("' OR '1'='1"),
        Agent::in_workspace("elsewhere", "tester").unwrap(),
    ];
    for (number, agent) in (1..).zip(&agents) {
        tables.replace(agent, facts(&format!("Ann counts number-{number}-")), number).await.unwrap();
    }
    for (number, agent) in (1..).zip(&agents) {
        assert_eq!(tables.version(agent).await.unwrap(), number);
        let expect = facts(&format!("Ann counts number-{number}-"));
        assert_eq!(tables.find(agent, &about("ann")).await.unwrap(), expect);
        for other in 1..=5 {
            let held = tables.find_leftovers(agent, &[format!("number-{other}-")]).await.unwrap();
            assert_eq!(held.len(), usize::from(other == number), "{agent} {other}");
        }
    }
    tables.remove(&me()).await.unwrap();
    for (number, agent) in (1..).zip(&agents) {
        assert_eq!(tables.version(agent).await.unwrap(), if number == 1 { 0 } else { number });
    }
}

pub(super) async fn removed_table_is_empty_and_writable(tables: &dyn Facts) {
    store(tables, "Ann likes tea").await;
    for _ in 0..2 {
        tables.remove(&me()).await.unwrap();
        assert_eq!(tables.version(&me()).await.unwrap(), 0);
        assert_eq!(tables.find(&me(), &everything()).await.unwrap(), []);
        assert_eq!(tables.find_leftovers(&me(), &["Ann".into()]).await.unwrap(), Vec::<String>::new());
    }
    store(tables, "Bob likes tea").await;
    assert_eq!(tables.find(&me(), &everything()).await.unwrap(), facts("Bob likes tea"));
}

pub(super) async fn leftovers_are_searched_in_every_text_of_a_fact(tables: &dyn Facts) {
    let ended = Fact {
        subject: "Ann of Rome".into(),
        properties: properties(json!({ "why": ["she said \"no\"\n", { "in a letter": "émue" }], "n": 1 })),
        superseded_by: Some("o-successor".into()),
        sources: vec![MemoryId::from_text("t-first"), MemoryId::from_text("t-second")],
        ..fact("o-self", "x lives_in Old_Street 2026-03-01..2026-03-02")
    };
    tables.replace(&me(), vec![fact("o-other", "Bob likes tea"), ended], 1).await.unwrap();
    let held = [
        "of Rome",
        "lives_in",
        "Old Street",
        "said \"no\"\n",
        "a letter",
        "émue",
        "o-succ",
        "t-second",
        "o-self",
        "Bob",
    ];
    for word in held {
        assert_eq!(tables.find_leftovers(&me(), &[word.into()]).await.unwrap().len(), 1, "{word:?}");
        assert_eq!(tables.find_leftovers(&me(), &["absent".into(), word.into()]).await.unwrap().len(), 1, "{word:?}");
        assert_eq!(tables.find_leftovers(&agent("other"), &[word.into()]).await.unwrap().len(), 0, "{word:?}");
    }
    for word in ["absent", "RomeX", "t-third", "' OR true --", "%", "_treet"] {
        assert_eq!(tables.find_leftovers(&me(), &[word.into()]).await.unwrap().len(), 0, "{word:?}");
    }
    assert_eq!(tables.find_leftovers(&me(), &[]).await.unwrap().len(), 0);
}
