//! The extraction watermark, failures of extraction, and turns that it could not read.

use annals_core::ports::Watermark;
use annals_core::{DeadLetter, Error, Extracted, Extraction, ExtractionWatermark, Grain, MemoryId, Settings, Stage};

use super::{found, log, reading, save, store_two_turns};
use crate::suites::Store;
use crate::suites::catalog::{all_changes, later, me, now};
use crate::{agent, at, building, made, operation, set_watermark, statement, summary};

fn letter(memory: &MemoryId, stage: Stage, error: &str) -> DeadLetter {
    let (agent, memory, error) = (me(), memory.clone(), error.into());
    DeadLetter { agent, grain: Grain::Working, memory, stage, error, at: now() }
}

pub(super) async fn unknown_agent_has_no_journal(store: &dyn Store) {
    assert_eq!(store.extraction(&me()).await.unwrap(), ExtractionWatermark::default());
    assert_eq!(store.operations(&me()).await.unwrap(), (0, Vec::new()));
    assert_eq!(store.log_version(&me()).await.unwrap(), 0);
    assert_eq!(store.all_agents().await.unwrap(), []);
}

pub(super) async fn saved_watermark_round_trips_and_ends_failures(store: &dyn Store) {
    let [one, _] = store_two_turns(store).await;
    store.note_extraction_failure(&me(), "no answer", later(), now()).await.unwrap();
    for extracted in [3, 7] {
        save(store, Extraction { extracted, ..reading(&[&one.id], Extracted::default()) }).await;
        let expected = ExtractionWatermark { extracted, ..ExtractionWatermark::default() };
        assert_eq!(store.extraction(&me()).await.unwrap(), expected);
    }
    store.note_extraction_failure(&me(), "no answer", later(), now()).await.unwrap();
    assert_eq!(store.extraction(&me()).await.unwrap().extracted, 7, "a failure moves nothing");
}

/// Expects that saving an extraction fails and changes nothing.
async fn refused(store: &dyn Store, extraction: Extraction) {
    let all = async || {
        let (changes, letters) = (all_changes(store, Grain::Working).await, store.dead_letters(&me()).await.unwrap());
        (changes, log(store).await, letters, store.extraction(&me()).await.unwrap())
    };
    let before = all().await;
    let refused = store.save_extraction(&me(), extraction, later()).await;
    assert!(matches!(refused, Err(Error::Stale { .. })), "{refused:?}");
    assert_eq!(all().await, before);
}

/// A writer was paused while another one read the same turns and moved the watermark. Its extraction is refused.
pub(super) async fn stale_extraction_changes_nothing(store: &dyn Store) {
    let [one, two] = store_two_turns(store).await;
    let of_one = |text: &str| {
        let statements = vec![statement(&me(), &one, text)];
        reading(&[&one.id], found(statements, vec![operation(&one, 0, &format!("Ann likes {text}"))]))
    };
    let slept = Extraction { after: 0, extracted: 1, degraded: Some("bad".into()), ..of_one("coffee") };
    save(store, Extraction { extracted: 1, ..of_one("tea") }).await;
    refused(store, slept.clone()).await;
    refused(store, Extraction { extracted: 9, ..slept.clone() }).await;
    save(store, Extraction { extracted: 2, ..reading(&[&two.id], Extracted::default()) }).await;
    refused(store, Extraction { after: 1, extracted: 2, ..slept }).await;
    // A recorded failure does not move the watermark, so the next extraction is not refused.
    store.note_extraction_failure(&me(), "no answer", later(), now()).await.unwrap();
    let next = Extraction { after: 2, extracted: 3, ..of_one("coffee") };
    store.save_extraction(&me(), next, later()).await.unwrap();
}

pub(super) async fn watermark_does_not_decrease(store: &dyn Store) {
    let [one, _] = store_two_turns(store).await;
    save(store, Extraction { extracted: 7, ..reading(&[&one.id], Extracted::default()) }).await;
    refused(store, Extraction { after: 7, extracted: 6, ..reading(&[&one.id], Extracted::default()) }).await;
    save(store, Extraction { extracted: 7, ..reading(&[&one.id], Extracted::default()) }).await;
}

pub(super) async fn failure_recorded_in_the_future_begins_now(store: &dyn Store) {
    store.note_extraction_failure(&me(), "no answer", later(), later()).await.unwrap();
    store.note_extraction_failure(&me(), "no answer", later(), now()).await.unwrap();
    assert_eq!(store.extraction(&me()).await.unwrap().failing_since, Some(now()));
}

pub(super) async fn failures_are_counted(store: &dyn Store) {
    let much_later = at("2026-07-01T00:00:00Z");
    store.note_extraction_failure(&me(), "no answer", later(), now()).await.unwrap();
    store.note_extraction_failure(&me(), "bad answer", much_later, later()).await.unwrap();
    let expected = ExtractionWatermark {
        extracted: 0,
        attempts: 2,
        failing_since: Some(now()),
        not_before: Some(much_later),
        last_error: Some("bad answer".into()),
    };
    assert_eq!(store.extraction(&me()).await.unwrap(), expected);
}

pub(super) async fn degraded_turns_are_dead_letters_until_extracted(store: &dyn Store) {
    let [one, two] = store_two_turns(store).await;
    let rules = |why: &str| Extraction {
        degraded: Some(why.into()),
        ..reading(&[&one.id], found(Vec::new(), vec![operation(&one, 0, "Ann likes tea")]))
    };
    save(store, rules("first")).await;
    assert_eq!(log(store).await.len(), 1, "what the rules found is saved all the same");
    save(store, rules("again")).await;
    assert_eq!(store.dead_letters(&me()).await.unwrap(), [letter(&one.id, Stage::Extraction, "again")]);
    save(store, reading(&[&two.id], Extracted::default())).await;
    assert_eq!(store.dead_letters(&me()).await.unwrap().len(), 1, "another turn was read");
    save(store, reading(&[&one.id], Extracted::default())).await;
    assert_eq!(store.dead_letters(&me()).await.unwrap(), []);
}

pub(super) async fn dead_letters_of_tables_are_separate(store: &dyn Store) {
    let [one, _] = store_two_turns(store).await;
    let table = letter(&one.id, Stage::Table, "too odd");
    store.add_dead_letters(vec![table.clone()]).await.unwrap();
    save(store, Extraction { degraded: Some("bad".into()), ..reading(&[&one.id], Extracted::default()) }).await;
    assert_eq!(store.dead_letters(&me()).await.unwrap().len(), 2);
    store.remove_dead_letters(&me(), std::slice::from_ref(&one.id)).await.unwrap();
    assert_eq!(store.dead_letters(&me()).await.unwrap(), [letter(&one.id, Stage::Extraction, "bad")]);
    store.add_dead_letters(vec![table.clone()]).await.unwrap();
    save(store, reading(&[&one.id], Extracted::default())).await;
    assert_eq!(store.dead_letters(&me()).await.unwrap(), [table]);
}

/// Returns whether the agent has work at 06:00 UTC on a day in March 2026. No zone has reached the next day by then.
async fn has_work(store: &dyn Store, day: &str) -> bool {
    let workers = store.agents_with_work(at(&format!("2026-03-{day}T06:00:00Z"))).await.unwrap();
    assert!(workers.is_empty() || workers == [me()], "{workers:?}");
    !workers.is_empty()
}

pub(super) async fn agent_has_work_until_all_is_applied_and_again_when_a_period_ends(store: &dyn Store) {
    store.save_settings(&agent("idle"), &Settings::default()).await.unwrap();
    assert!(!has_work(store, "05").await);
    let [one, _] = store_two_turns(store).await;
    let last = all_changes(store, Grain::Working).await.last().unwrap().seq();
    assert!(has_work(store, "04").await, "nothing is applied, nothing is read");
    let watermark = made(0, last);
    set_watermark(store, &me(), Grain::Working, watermark.clone()).await;
    assert!(has_work(store, "04").await, "nothing is read");
    save(store, Extraction { extracted: last, ..reading(&[&one.id], Extracted::default()) }).await;
    assert!(!has_work(store, "04").await, "the first day is over nowhere");
    set_watermark(store, &me(), Grain::Working, Watermark { building: Some(building(1, 0)), ..watermark.clone() })
        .await;
    assert!(has_work(store, "04").await, "a table is being built");
    set_watermark(store, &me(), Grain::Working, watermark.clone()).await;
    assert!(has_work(store, "06").await, "a day is to be written");
    for (day, source) in [("2026-03-04", &one.id), ("2026-03-05", &one.id)] {
        store
            .save_summaries(&me(), vec![summary(day, last, std::slice::from_ref(source), "tea")], now())
            .await
            .unwrap();
    }
    assert!(has_work(store, "06").await, "the table of days is behind");
    let daily = all_changes(store, Grain::Daily).await.last().unwrap().seq();
    set_watermark(store, &me(), Grain::Daily, made(0, daily)).await;
    assert!(!has_work(store, "06").await, "its week goes on");
    assert!(has_work(store, "10").await, "its week may be over");
}
