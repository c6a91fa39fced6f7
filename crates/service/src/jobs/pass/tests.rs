//! Tests of runs of the jobs over stores in memory: failures, untrusted clocks, pending erasures, and busy agents.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::ports::{Erasure, OnConflict, Replies, SummaryTask, Target};
use annals_core::prelude::*;
use annals_core::{CacheTokens, Digest, Draft, Engine, Grain, Purpose, Reply, Settings, SignedDuration};
use annals_retention::{Doubt, Trust};
use annals_summarizer::{SchedulePolicy, Summarizer};
use annals_testkit::{
    Faulty, MemoryCatalog, MemoryStrata, QuotingEngine, SilentExtractor, WordEmbedder, agent, at, message, one_embedder,
};
use annals_writer::{Eraser, Writer};
use async_trait::async_trait;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::Parts;
use crate::fixture::in_memory;
use crate::jobs::Sweep;
use crate::locks::History;

struct Fixture {
    catalog: Arc<MemoryCatalog>,
    parts: Parts,
    pass: Pass,
}

const FIRST_AT: &str = "2026-03-04T10:00:00Z";
const NEXT: &str = "2026-03-05T10:00:00Z";

/// Creates agents with one message each, under the plan `free`.
async fn fixture(names: &[&str]) -> Fixture {
    let catalog = Arc::new(MemoryCatalog::new());
    let parts = Parts::over(in_memory(catalog.clone(), Arc::new(SilentExtractor), Arc::new(|| at(NEXT))));
    for name in names {
        let settings = Settings { plan: "free".into(), ..Settings::default() };
        catalog.save_settings(&agent(name), &settings).await.unwrap();
        parts
            .writer
            .ingest(&agent(name), vec![message(FIRST_AT, "tea")], OnConflict::Refuse, at(FIRST_AT))
            .await
            .unwrap();
    }
    let pass = Pass::of(&Service::new(parts.clone()));
    Fixture { catalog, parts, pass }
}

fn moment(now: &str, synchronised: Option<bool>) -> Moment {
    Moment { now: at(now), synchronised }
}

impl Fixture {
    /// Assembles the service again with changed parts.
    fn assemble(&mut self, change: impl FnOnce(Parts) -> Parts) {
        self.parts = change(self.parts.clone());
        self.pass = Pass::of(&Service::new(self.parts.clone()));
    }

    async fn roll_up(&self, now: &str, synchronised: Option<bool>) -> Sweep<RolledUp> {
        self.pass.roll_up(1, moment(now, synchronised), &CancellationToken::new()).await.unwrap()
    }

    async fn retain(&self, now: &str, synchronised: Option<bool>) -> Retained {
        let mut sweep = self.pass.retain(1, moment(now, synchronised), &CancellationToken::new()).await.unwrap();
        sweep.slots.remove(0).1
    }

    /// Returns the number of memories by grain.
    async fn memories(&self, name: &str) -> [u64; 6] {
        self.catalog.counts(&agent(name)).await.unwrap().memories
    }
}

#[tokio::test]
async fn every_agent_is_read_rolled_up_and_made_searchable() {
    let fixture = fixture(&["a", "b"]).await;
    let sweep = fixture.roll_up(NEXT, None).await;
    for (_, slot) in &sweep.slots {
        assert_eq!((slot.extracted.turns, slot.passed.written[0], slot.projected.applied), (1, 1, 2));
    }
    assert_eq!(fixture.parts.writer.backlog(&agent("a")).await.unwrap(), 0);
    let again = fixture.roll_up(NEXT, None).await;
    assert!(again.slots.iter().all(|(_, slot)| slot.passed == Default::default() && slot.projected.applied == 0));
}

/// An engine that advances a clock by a minute per summary, and cancels the round at its bound.
struct Slow {
    minutes: AtomicU64,
    bound: AtomicU64,
    stop: Mutex<CancellationToken>,
}

#[async_trait]
impl Engine for Slow {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        QuotingEngine.recipe(settings, grain)
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        if self.minutes.fetch_add(1, Ordering::SeqCst) + 1 >= self.bound.load(Ordering::SeqCst) {
            self.stop.lock().cancel();
        }
        QuotingEngine.summarize(task).await
    }
}

/// One agent has a hundred daily summaries to write, a minute each, and each round ends after ten minutes.
#[tokio::test]
async fn stopped_turn_ends_between_two_steps_and_the_next_continues() {
    let mut fixture = fixture(&["a", "b"]).await;
    for day in 0..100 {
        let sent_at = at(FIRST_AT) + SignedDuration::from_hours(24 * day);
        fixture
            .parts
            .writer
            .ingest(&agent("a"), vec![message(&sent_at.to_string(), "tea")], OnConflict::Refuse, sent_at)
            .await
            .unwrap();
    }
    let slow = Arc::new(Slow { minutes: 0.into(), bound: 0.into(), stop: Mutex::default() });
    let summarizer = Summarizer::new(fixture.catalog.clone(), slow.clone(), slow.clone(), SchedulePolicy::default());
    fixture.assemble(|parts| Parts { summarizer, ..parts });
    let (mut rounds, mut left, mut others) = (0, 1, 0);
    while left > 0 {
        let stop = CancellationToken::new();
        let begun = slow.minutes.load(Ordering::SeqCst);
        slow.bound.store(begun + 10, Ordering::SeqCst);
        *slow.stop.lock() = stop.clone();
        let sweep = fixture.pass.roll_up(1, moment("2027-01-10T10:00:00Z", None), &stop).await.unwrap();
        let minutes = slow.minutes.load(Ordering::SeqCst) - begun;
        // Summaries under way are finished: up to four at once.
        assert!(minutes <= 10 + 4, "{minutes} minutes");
        left = sweep.slots.iter().map(|(_, slot)| slot.passed.left).sum::<u64>() + sweep.left.len() as u64;
        others += sweep.slots.iter().filter(|(agent, _)| agent.name() == "b").count();
        rounds += 1;
    }
    assert!(rounds >= 10 && others > 0, "{rounds} rounds, {others} slots of the other agent");
    let gaps = fixture.parts.summarizer.coverage(&agent("a"), at("2027-01-10T10:00:00Z")).await.unwrap();
    assert_eq!((gaps.len(), fixture.memories("a").await[Grain::Daily as usize]), (0, 100));
    assert_eq!(fixture.memories("b").await[Grain::Daily as usize], 1);
}

/// Creates agents with one message each, and tables that may fail.
async fn with_strata(names: &[&str], strata: Faulty<MemoryStrata>) -> (Fixture, Arc<Faulty<MemoryStrata>>) {
    let (mut fixture, strata) = (fixture(names).await, Arc::new(strata));
    let writer = writer(&fixture.parts, strata.clone());
    fixture.assemble(|parts| Parts { writer, ..parts });
    (fixture, strata)
}

fn writer(parts: &Parts, strata: Arc<Faulty<MemoryStrata>>) -> Writer {
    Writer::new(parts.store.clone(), strata, one_embedder(WordEmbedder::new()))
}

/// The table of one agent cannot be written: its summary is written, and other agents are not affected.
#[tokio::test]
async fn failure_of_one_agent_does_not_stop_others() {
    let one = with_strata(&["a"], Faulty::during(MemoryStrata::new(), 0..0)).await;
    one.0.roll_up(NEXT, None).await;
    let first_call_of_b = one.1.calls() + 1;
    let (fixture, _) = with_strata(&["a", "b", "c"], Faulty::at_call(MemoryStrata::new(), first_call_of_b)).await;
    let sweep = fixture.roll_up(NEXT, None).await;
    assert_eq!(sweep.slots.iter().map(|(agent, _)| agent.name()).collect::<Vec<_>>(), ["a", "c"]);
    let (failed, error) = &sweep.failed[0];
    assert_eq!((failed.name(), error.to_string().as_str()), ("b", "reaching the store: it is away"));
    for name in ["a", "b", "c"] {
        assert_eq!(fixture.memories(name).await[Grain::Daily as usize], 1, "{name}");
    }
}

/// Each store call in turn fails once; the next round does what is missing.
#[tokio::test]
async fn next_round_recovers_from_a_failure_of_any_store_call() {
    for call in 1.. {
        let mut fixture = fixture(&["a", "b"]).await;
        let faulty = Arc::new(Faulty::at_call((*fixture.catalog).clone(), call));
        let engine = Arc::new(QuotingEngine);
        let summarizer = Summarizer::new(faulty.clone(), engine.clone(), engine, SchedulePolicy::default());
        fixture.assemble(|parts| Parts { store: faulty.clone(), summarizer, ..parts });
        let _ = fixture.pass.roll_up(1, moment(NEXT, None), &CancellationToken::new()).await;
        if faulty.calls() < call {
            return;
        }
        let sweep = fixture.roll_up(NEXT, None).await;
        assert!(sweep.failed.is_empty(), "failing call {call}: {:?}", sweep.failed);
        for name in ["a", "b"] {
            assert_eq!(fixture.memories(name).await, [1, 1, 0, 0, 0, 0], "failing call {call}");
            assert_eq!(fixture.parts.writer.audit(&agent(name)).await.unwrap(), [], "failing call {call}");
        }
    }
}

/// Under an untrusted clock messages are still read and made searchable.
#[tokio::test]
async fn untrusted_clock_writes_no_summaries() {
    let fixture = fixture(&["a"]).await;
    let slot = fixture.roll_up(NEXT, Some(false)).await.slots.remove(0).1;
    assert_eq!(slot.trust.doubt(), Some(Doubt::Unsynchronised));
    assert_eq!((slot.extracted.turns, slot.passed.written, slot.projected.applied), (1, [0; 5], 1));
    // This time is two hours before the one of the round above.
    let slot = fixture.roll_up("2026-03-05T08:00:00Z", None).await.slots.remove(0).1;
    assert_eq!(slot.trust.doubt(), Some(Doubt::Behind));
    assert_eq!(fixture.roll_up(NEXT, None).await.slots.remove(0).1.passed.written, [1, 0, 0, 0, 0]);
}

#[tokio::test]
async fn clock_behind_stored_messages_is_not_trusted() {
    let fixture = fixture(&["a"]).await;
    fixture
        .parts
        .writer
        .ingest(&agent("a"), vec![message(FIRST_AT, "cake")], OnConflict::Refuse, at("2026-03-09T10:00:00Z"))
        .await
        .unwrap();
    let slot = fixture.roll_up(NEXT, None).await.slots.remove(0).1;
    assert_eq!((slot.trust.doubt(), slot.passed.written), (Some(Doubt::Behind), [0; 5]));
    // After half an hour of steady running the clock is trusted.
    let slot = fixture.roll_up("2026-03-05T10:30:00Z", None).await.slots.remove(0).1;
    assert_eq!((slot.trust, slot.passed.written[0]), (Trust::Full, 1));
}

#[tokio::test]
async fn pruning_waits_until_the_clock_has_run_steadily() {
    let fixture = fixture(&["a"]).await;
    fixture.roll_up("2026-03-08T10:00:00Z", None).await;
    let (early, late) = ("2026-03-08T10:29:00Z", "2026-03-08T10:30:00Z");
    let retained = fixture.retain(early, None).await;
    assert_eq!((retained.trust, retained.pruned.postponed[0].rows), (Trust::ToClose, 1));
    assert_eq!(fixture.retain(late, Some(false)).await.pruned.pruned[0].rows, 0);
    assert_eq!(fixture.memories("a").await[0], 1);
    let retained = fixture.retain("2026-03-08T10:31:00Z", None).await;
    assert_eq!((retained.trust, retained.pruned.pruned[0].rows), (Trust::Full, 1));
    assert_eq!(fixture.memories("a").await, [0, 1, 0, 0, 0, 0]);
    assert_eq!(fixture.parts.writer.backlog(&agent("a")).await.unwrap(), 0, "the table knows");
}

/// A round makes one call to the catalog for all idle agents together.
#[tokio::test]
async fn idle_agent_gets_no_turn() {
    let mut fixture = fixture(&["a", "b", "c"]).await;
    assert_eq!(fixture.roll_up(NEXT, None).await.slots.len(), 3);
    let counted = Arc::new(Faulty::during((*fixture.catalog).clone(), 0..0));
    fixture.assemble(|parts| Parts { store: counted.clone(), ..parts });
    assert_eq!(fixture.roll_up(NEXT, None).await.slots.len(), 0);
    assert_eq!(counted.calls(), 1);
    fixture
        .parts
        .writer
        .ingest(&agent("b"), vec![message(FIRST_AT, "cake")], OnConflict::Refuse, at(FIRST_AT))
        .await
        .unwrap();
    let sweep = fixture.roll_up(NEXT, None).await;
    assert_eq!(sweep.slots.iter().map(|(agent, _)| agent.name()).collect::<Vec<_>>(), ["b"]);
}

/// An erasure may hold the lock for long. No other agent waits for it, and the agent comes first in the next round.
#[tokio::test]
async fn agent_with_locked_history_is_left_for_the_next_round() {
    let fixture = fixture(&["a", "b"]).await;
    let forgetting = fixture.pass.service.locks.lock::<History>(&agent("a")).await;
    let sweep = fixture.roll_up(NEXT, None).await;
    assert_eq!((sweep.left, sweep.slots.len()), (vec![agent("a")], 1));
    assert_eq!((fixture.memories("a").await[1], fixture.memories("b").await[1]), (0, 1));
    let sweep = fixture.pass.retain(2, moment(NEXT, None), &CancellationToken::new()).await.unwrap();
    assert_eq!((sweep.left, sweep.slots.len()), (vec![agent("a")], 1));
    drop(forgetting);
    let sweep = fixture.roll_up(NEXT, None).await;
    assert_eq!((sweep.slots.len(), fixture.memories("a").await[1]), (1, 1), "the other has nothing left to do");
}

#[tokio::test]
async fn pending_cleaning_is_done_even_if_the_agent_was_erased() {
    let fixture = fixture(&["a", "gone"]).await;
    fixture.roll_up(NEXT, None).await;
    fixture.catalog.erase(&agent("a"), &Target::Conversation("talk".into()), at(NEXT)).await.unwrap();
    fixture.catalog.erase(&agent("gone"), &Target::Agent, at(NEXT)).await.unwrap();
    let sweep = fixture.roll_up(NEXT, Some(false)).await;
    assert_eq!(sweep.slots.iter().filter(|(_, slot)| slot.cleaned).count(), 2);
    assert_eq!(fixture.parts.eraser.pending_cleanings().await.unwrap(), []);
    assert_eq!(fixture.catalog.all_agents().await.unwrap(), [agent("a")], "nothing is made of who is gone");
    assert!(fixture.roll_up(NEXT, None).await.slots.iter().all(|(_, slot)| !slot.cleaned));
}

#[tokio::test]
async fn failing_cleaning_is_retried_with_back_off() {
    let mut fixture = fixture(&["a"]).await;
    fixture.catalog.erase(&agent("a"), &Target::Conversation("talk".into()), at(NEXT)).await.unwrap();
    let away = Arc::new(Faulty::during(MemoryStrata::new(), 0..u64::MAX));
    let writer = writer(&fixture.parts, away.clone());
    fixture.assemble(|parts| Parts {
        eraser: Eraser::new(writer, parts.fact_writer.clone(), parts.store.clone()),
        ..parts
    });
    for minute in 0..60 {
        let now = at(NEXT) + SignedDuration::from_mins(minute);
        fixture.roll_up(&now.to_string(), None).await;
    }
    // All tables, at minutes 0, 1, 3, 7, 15 and 31.
    assert_eq!(away.calls(), 6 * Grain::ALL.len() as u64);
    assert_eq!(fixture.parts.eraser.pending_cleanings().await.unwrap(), [agent("a")]);
}

/// An erasure holds the agent's lock when the first round begins, and releases it after it has cleaned the files.
#[tokio::test]
async fn files_cleaned_by_the_eraser_are_not_cleaned_again() {
    let fixture = fixture(&["a"]).await;
    fixture.catalog.erase(&agent("a"), &Target::Conversation("talk".into()), at(NEXT)).await.unwrap();
    let forgetting = fixture.pass.service.locks.lock::<History>(&agent("a")).await;
    assert_eq!(fixture.roll_up(NEXT, None).await.left, [agent("a")]);
    fixture.parts.eraser.clean(&agent("a"), at(NEXT)).await.unwrap();
    drop(forgetting);
    assert!(fixture.roll_up(NEXT, None).await.slots.iter().all(|(_, slot)| !slot.cleaned));
}

#[tokio::test]
async fn cancelled_round_begins_no_turn() {
    let fixture = fixture(&["a", "b"]).await;
    let stop = CancellationToken::new();
    stop.cancel();
    let sweep = fixture.pass.roll_up(1, moment(NEXT, None), &stop).await.unwrap();
    assert_eq!((sweep.slots.len(), sweep.left), (0, vec![agent("a"), agent("b")]));
    assert_eq!(fixture.memories("a").await[1], 0);
}

#[tokio::test]
async fn old_model_answers_are_dropped() {
    let fixture = fixture(&["a"]).await;
    let reply = Reply {
        key: Digest::of(["question"]),
        purpose: Purpose::Extraction,
        model: "m".into(),
        text: "yes".into(),
        tokens_in: 1,
        cache: CacheTokens::default(),
        tokens_out: 1,
        read_seq: 1_000,
        reservation: None,
        access_key: None,
    };
    fixture.catalog.save_reply(&agent("a"), reply, at(FIRST_AT)).await.unwrap();
    fixture.retain("2026-03-12T09:00:00Z", None).await;
    assert_eq!(fixture.retain("2026-03-12T10:00:00Z", None).await.answers, 0);
    assert_eq!(fixture.retain("2026-03-12T10:01:00Z", None).await.answers, 1);
}
