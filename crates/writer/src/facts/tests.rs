use annals_core::{FactQuery, Facts};
use annals_testkit::{agent, at};

use super::*;
use crate::fixture::{Fixture, NOW};

async fn add(fixture: &Fixture, words: [&str; 3], from: &str, now: &str) -> Result<Option<Fact>> {
    let [subject, predicate, object] = words;
    fixture.fact_writer().add(&agent("a"), subject, predicate, object, at(from), at(now)).await
}

async fn retract(fixture: &Fixture, subject: &str, object: Option<&str>, from: &str, now: &str) -> Result<()> {
    fixture.fact_writer().retract(&agent("a"), subject, "likes", object, at(from), at(now)).await
}

#[tokio::test]
async fn facts_are_added_and_retracted_by_hand() {
    let fixture = Fixture::new();
    add(&fixture, [" Ann ", "Likes", "tea"], "2026-01-01T00:00:00Z", NOW).await.unwrap();
    add(&fixture, [" Ann ", "Likes", "tea"], "2026-01-01T00:00:00Z", NOW).await.unwrap();
    add(&fixture, ["Ann", "likes", "figs"], "2026-01-01T00:00:00Z", NOW).await.unwrap();
    assert_eq!(fixture.log().await.len(), 2);
    assert_eq!(fixture.held().await, ["Ann likes figs", "Ann likes tea"]);
    retract(&fixture, "ann", Some("Tea"), "2026-02-01T00:00:00Z", NOW).await.unwrap();
    assert_eq!(fixture.held().await, ["Ann likes figs"]);
    add(&fixture, ["Ann", "likes", "tea"], "2026-02-01T00:00:00Z", "2026-03-06T00:00:00Z").await.unwrap();
    assert_eq!(fixture.held().await.len(), 2, "said later, though of the same moment");
    retract(&fixture, "Ann", None, "2026-02-02T00:00:00Z", NOW).await.unwrap();
    assert_eq!(fixture.held().await, [""; 0]);
}

#[tokio::test]
async fn added_fact_that_has_already_ended_is_returned() {
    let fixture = Fixture::new();
    let home = |place| ["Ann", "lives_in", place];
    let oslo = add(&fixture, home("Oslo"), "2026-02-01T00:00:00Z", NOW).await.unwrap();
    let rome = add(&fixture, home("Rome"), "2026-01-01T00:00:00Z", NOW).await.unwrap().unwrap();
    assert_eq!((oslo, rome.valid_to), (None, Some(at("2026-02-01T00:00:00Z"))));
    assert_eq!(fixture.held().await, ["Ann lives_in Oslo"]);
}

#[tokio::test]
async fn invalid_fields_of_a_fact_are_refused() {
    async fn check(words: [&str; 3], from: &str, expect: &str) {
        let error = add(&Fixture::new(), words, from, NOW).await.unwrap_err();
        assert_eq!(error.to_string(), expect);
    }
    check(["", "likes", "tea"], NOW, "subject is empty").await;
    check(["Ann", "!?", "tea"], NOW, "predicate is empty").await;
    check(["Ann", "likes", " "], NOW, "object is empty").await;
    check(["Ann", "likes", "a\tb"], NOW, "object contains the control character '\\t'").await;
    check(["Ann", "likes", "tea"], "0001-01-01T00:00:00Z", "at is in the year 1; years 2 to 9998 are allowed").await;
}

#[tokio::test]
async fn fact_that_does_not_hold_cannot_be_retracted() {
    let fixture = Fixture::new();
    add(&fixture, ["Ann", "likes", "tea"], NOW, NOW).await.unwrap();
    for (subject, object) in [("Bob", None), ("Ann", Some("figs"))] {
        let error = retract(&fixture, subject, object, NOW, NOW).await.unwrap_err();
        assert!(matches!(error, Error::NotFound { .. }), "{error}");
    }
    assert_eq!(fixture.log().await.len(), 1);
}

#[tokio::test]
async fn outdated_table_is_refreshed_and_differing_table_is_reported() {
    let fixture = Fixture::new();
    add(&fixture, ["Ann", "likes", "tea"], NOW, NOW).await.unwrap();
    let writer = fixture.fact_writer();
    assert!(!writer.bring_facts(&agent("a")).await.unwrap());
    assert!(!writer.facts_differ(&agent("a")).await.unwrap());

    let version = fixture.facts.version(&agent("a")).await.unwrap();
    fixture.facts.replace(&agent("a"), Vec::new(), version).await.unwrap();
    assert!(writer.facts_differ(&agent("a")).await.unwrap());
    fixture.facts.remove(&agent("a")).await.unwrap();
    fixture.facts.replace(&agent("a"), Vec::new(), version - 1).await.unwrap();
    assert!(!writer.facts_differ(&agent("a")).await.unwrap(), "it is only behind");
    assert!(writer.bring_facts(&agent("a")).await.unwrap());
    assert_eq!(writer.find(&agent("a"), &FactQuery::default()).await.unwrap().len(), 1);
}

/// The table has a later version than the log, as after the catalog was restored from an earlier copy.
#[tokio::test]
async fn table_of_a_later_log_than_the_catalogs_is_folded_anew() {
    let fixture = Fixture::new();
    add(&fixture, ["Ann", "likes", "tea"], NOW, NOW).await.unwrap();
    fixture.facts.replace(&agent("a"), Vec::new(), 1_000).await.unwrap();
    assert!(fixture.fact_writer().bring_facts(&agent("a")).await.unwrap());
    assert_eq!(fixture.held().await, ["Ann likes tea"]);
}
