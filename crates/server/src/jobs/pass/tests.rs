//! Rounds over stores in memory: failures, untrusted clocks, pending erasures, and busy agents.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::ports::{Erasure, ExtractionTask, SummaryTask, Target};
use annals_core::{
    Agent, Digest, Draft, Engine, Error, Extracted, Extractor, Grain, Purpose, Reply, Settings, SignedDuration,
    Timestamp,
};
use annals_retention::{Doubt, Plans, Trust};
use annals_summarizer::Patience;
use annals_testkit::{
    Faulty, MemoryCatalog, MemoryFacts, MemoryStrata, QuotingEngine, WordEmbedder, agent, at, message,
};
use annals_writer::{Eraser, ExtractionPassed, FactWriter, Projected, Writer};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::jobs::Round;
use crate::locks::{Held, History, RollUp};

struct Silent;

#[async_trait]
impl Extractor for Silent {
    fn recipe(&self, _: &Settings) -> Digest {
        Digest::of(["silent"])
    }

    fn is_local(&self, _: &Settings) -> bool {
        true
    }

    async fn extract(&self, _: ExtractionTask<'_>) -> Result<Extracted> {
        Ok(Extracted::default())
    }
}

/// Tables that fail for one agent.
struct Picky {
    inner: Alone,
    refused: &'static str,
}

#[async_trait]
impl Tables for Picky {
    async fn read_for_facts(&self, agent: &Agent, now: Timestamp, enough: Enough<'_>) -> Result<ExtractionPassed> {
        self.inner.read_for_facts(agent, now, enough).await
    }

    async fn make_searchable(&self, agent: &Agent, now: Timestamp) -> Result<Projected> {
        if agent.name() == self.refused {
            return Err(Error::storage("writing a table", "the disk is full"));
        }
        self.inner.make_searchable(agent, now).await
    }

    async fn owed(&self) -> Result<Vec<Agent>> {
        self.inner.owed().await
    }

    async fn clean(&self, agent: &Agent, roll_up: &mut Held<'_, RollUp>, now: Timestamp) -> Result<bool> {
        self.inner.clean(agent, roll_up, now).await
    }
}

struct Given {
    catalog: Arc<MemoryCatalog>,
    tables: Alone,
    pass: Pass,
}

const SAID: &str = "2026-03-04T10:00:00Z";
const NEXT: &str = "2026-03-05T10:00:00Z";

/// Creates agents with one message each, under the plan `free`.
async fn given(names: &[&str]) -> Given {
    let catalog = Arc::new(MemoryCatalog::new());
    let writer =
        Writer::new(catalog.clone(), catalog.clone(), Arc::new(MemoryStrata::new()), Arc::new(WordEmbedder::new()));
    for name in names {
        let settings = Settings { plan: "free".into(), ..Settings::default() };
        catalog.save_settings(&agent(name), &settings).await.unwrap();
        writer.ingest(&agent(name), vec![message(SAID, "tea")], false, at(SAID)).await.unwrap();
    }
    let (engine, silent) = (Arc::new(QuotingEngine), Arc::new(Silent));
    let facts = Arc::new(MemoryFacts::new());
    let fact_writer = FactWriter::new(catalog.clone(), catalog.clone(), facts, silent.clone(), silent);
    let eraser = Eraser::new(writer.clone(), fact_writer.clone(), catalog.clone());
    let tables = Alone { writer, fact_writer, eraser };
    let pass = Pass {
        summarizer: Summarizer::new(catalog.clone(), catalog.clone(), engine.clone(), engine, Patience::default()),
        retention: Retention::new(catalog.clone(), catalog.clone(), catalog.clone(), Plans::built_in()),
        tables: Arc::new(tables.clone()),
        locks: AgentLocks::default(),
        roll_ups: Rota::default(),
        prunings: Rota::default(),
        cleanings: Backoff::default(),
        catalog: catalog.clone(),
        replies: catalog.clone(),
        requests: catalog.clone(),
    };
    Given { catalog, tables, pass }
}

fn moment(now: &str, synchronised: Option<bool>) -> Moment {
    Moment { now: at(now), synchronised }
}

impl Given {
    async fn roll_up(&self, now: &str, synchronised: Option<bool>) -> Round<RolledUp> {
        self.pass.roll_up(1, moment(now, synchronised), &CancellationToken::new()).await.unwrap()
    }

    async fn retain(&self, now: &str, synchronised: Option<bool>) -> Retained {
        let mut round = self.pass.retain(1, moment(now, synchronised), &CancellationToken::new()).await.unwrap();
        round.turns.remove(0).1
    }

    /// Returns the number of memories by grain.
    async fn memories(&self, name: &str) -> [u64; 6] {
        self.catalog.counts(&agent(name)).await.unwrap().memories
    }
}

#[tokio::test]
async fn every_agent_is_read_rolled_up_and_made_searchable() {
    let given = given(&["a", "b"]).await;
    let round = given.roll_up(NEXT, None).await;
    for (_, turn) in &round.turns {
        assert_eq!((turn.extracted.turns, turn.passed.written[0], turn.projected.applied), (1, 1, 2));
    }
    assert_eq!(given.tables.writer.backlog(&agent("a")).await.unwrap(), 0);
    let again = given.roll_up(NEXT, None).await;
    assert!(again.turns.iter().all(|(_, turn)| turn.passed == Default::default() && turn.projected.applied == 0));
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
            self.stop.lock().unwrap().cancel();
        }
        QuotingEngine.summarize(task).await
    }
}

/// One agent has a hundred days to write, a minute each, and a round has ten minutes.
#[tokio::test]
async fn stopped_turn_ends_between_two_steps_and_the_next_continues() {
    let mut given = given(&["a", "b"]).await;
    for day in 0..100 {
        let said = at(SAID) + SignedDuration::from_hours(24 * day);
        given.tables.writer.ingest(&agent("a"), vec![message(&said.to_string(), "tea")], false, said).await.unwrap();
    }
    let slow = Arc::new(Slow { minutes: 0.into(), bound: 0.into(), stop: Mutex::default() });
    let catalog = given.catalog.clone();
    given.pass.summarizer = Summarizer::new(catalog.clone(), catalog, slow.clone(), slow.clone(), Patience::default());
    let (mut rounds, mut left, mut others) = (0, 1, 0);
    while left > 0 {
        let stop = CancellationToken::new();
        let begun = slow.minutes.load(Ordering::SeqCst);
        slow.bound.store(begun + 10, Ordering::SeqCst);
        *slow.stop.lock().unwrap() = stop.clone();
        let round = given.pass.roll_up(1, moment("2027-01-10T10:00:00Z", None), &stop).await.unwrap();
        let minutes = slow.minutes.load(Ordering::SeqCst) - begun;
        // Summaries under way are finished: up to four at once.
        assert!(minutes <= 10 + 4, "{minutes} minutes");
        left = round.turns.iter().map(|(_, turn)| turn.passed.left).sum::<u64>() + round.left.len() as u64;
        others += round.turns.iter().filter(|(agent, _)| agent.name() == "b").count();
        rounds += 1;
    }
    assert!(rounds >= 10 && others > 0, "{rounds} rounds, {others} turns of the other agent");
    let gaps = given.pass.summarizer.coverage(&agent("a"), at("2027-01-10T10:00:00Z")).await.unwrap();
    assert_eq!((gaps.len(), given.memories("a").await[Grain::Daily as usize]), (0, 100));
    assert_eq!(given.memories("b").await[Grain::Daily as usize], 1);
}

/// The table of one agent cannot be written: its summary is written, and other agents are not affected.
#[tokio::test]
async fn failure_of_one_agent_does_not_stop_others() {
    let mut given = given(&["a", "b", "c"]).await;
    given.pass.tables = Arc::new(Picky { inner: given.tables.clone(), refused: "b" });
    let round = given.roll_up(NEXT, None).await;
    assert_eq!(round.turns.iter().map(|(agent, _)| agent.name()).collect::<Vec<_>>(), ["a", "c"]);
    let (failed, error) = &round.failed[0];
    assert_eq!((failed.name(), error.to_string().as_str()), ("b", "writing a table: the disk is full"));
    for name in ["a", "b", "c"] {
        assert_eq!(given.memories(name).await[Grain::Daily as usize], 1, "{name}");
    }
}

/// Each store call in turn fails once; the next round does what is missing.
#[tokio::test]
async fn next_round_recovers_from_a_failure_of_any_store_call() {
    for call in 1.. {
        let mut given = given(&["a", "b"]).await;
        let faulty = Arc::new(Faulty::at_call((*given.catalog).clone(), call));
        let engine = Arc::new(QuotingEngine);
        given.pass.catalog = faulty.clone();
        given.pass.summarizer =
            Summarizer::new(faulty.clone(), given.catalog.clone(), engine.clone(), engine, Patience::default());
        let _ = given.pass.roll_up(1, moment(NEXT, None), &CancellationToken::new()).await;
        if faulty.calls() < call {
            return;
        }
        let round = given.roll_up(NEXT, None).await;
        assert!(round.failed.is_empty(), "failing call {call}: {:?}", round.failed);
        for name in ["a", "b"] {
            assert_eq!(given.memories(name).await, [1, 1, 0, 0, 0, 0], "failing call {call}");
            assert_eq!(given.tables.writer.audit(&agent(name)).await.unwrap(), [], "failing call {call}");
        }
    }
}

/// Under an untrusted clock messages are still read and made searchable.
#[tokio::test]
async fn untrusted_clock_writes_no_summaries() {
    let given = given(&["a"]).await;
    let turn = given.roll_up(NEXT, Some(false)).await.turns.remove(0).1;
    assert_eq!(turn.trust.doubt(), Some(Doubt::Unsynchronised));
    assert_eq!((turn.extracted.turns, turn.passed.written, turn.projected.applied), (1, [0; 5], 1));
    // At the last look the clock was two hours further.
    let turn = given.roll_up("2026-03-05T08:00:00Z", None).await.turns.remove(0).1;
    assert_eq!(turn.trust.doubt(), Some(Doubt::Behind));
    assert_eq!(given.roll_up(NEXT, None).await.turns.remove(0).1.passed.written, [1, 0, 0, 0, 0]);
}

#[tokio::test]
async fn clock_behind_stored_messages_is_not_trusted() {
    let given = given(&["a"]).await;
    given
        .tables
        .writer
        .ingest(&agent("a"), vec![message(SAID, "cake")], false, at("2026-03-09T10:00:00Z"))
        .await
        .unwrap();
    let turn = given.roll_up(NEXT, None).await.turns.remove(0).1;
    assert_eq!((turn.trust.doubt(), turn.passed.written), (Some(Doubt::Behind), [0; 5]));
    // The clock runs on for half an hour and is trusted.
    let turn = given.roll_up("2026-03-05T10:30:00Z", None).await.turns.remove(0).1;
    assert_eq!((turn.trust, turn.passed.written[0]), (Trust::Full, 1));
}

#[tokio::test]
async fn pruning_waits_until_the_clock_has_run_steadily() {
    let given = given(&["a"]).await;
    given.roll_up("2026-03-08T10:00:00Z", None).await;
    let (early, late) = ("2026-03-08T10:29:00Z", "2026-03-08T10:30:00Z");
    let retained = given.retain(early, None).await;
    assert_eq!((retained.trust, retained.pruned.postponed[0].rows), (Trust::ToClose, 1));
    assert_eq!(given.retain(late, Some(false)).await.pruned.pruned[0].rows, 0);
    assert_eq!(given.memories("a").await[0], 1);
    let retained = given.retain("2026-03-08T10:31:00Z", None).await;
    assert_eq!((retained.trust, retained.pruned.pruned[0].rows), (Trust::Full, 1));
    assert_eq!(given.memories("a").await, [0, 1, 0, 0, 0, 0]);
    assert_eq!(given.tables.writer.backlog(&agent("a")).await.unwrap(), 0, "the table knows");
}

/// Ten thousand idle agents cost a round as much as one.
#[tokio::test]
async fn idle_agent_gets_no_turn() {
    let mut given = given(&["a", "b", "c"]).await;
    assert_eq!(given.roll_up(NEXT, None).await.turns.len(), 3);
    let counted = Arc::new(Faulty::during((*given.catalog).clone(), 0..0));
    given.pass.catalog = counted.clone();
    assert_eq!(given.roll_up(NEXT, None).await.turns.len(), 0);
    assert_eq!(counted.calls(), 1);
    given.tables.writer.ingest(&agent("b"), vec![message(SAID, "cake")], false, at(SAID)).await.unwrap();
    let round = given.roll_up(NEXT, None).await;
    assert_eq!(round.turns.iter().map(|(agent, _)| agent.name()).collect::<Vec<_>>(), ["b"]);
}

/// An erasure may take long: no other agent waits for it, and the agent comes first in the next round.
#[tokio::test]
async fn agent_with_locked_history_is_left_for_the_next_round() {
    let given = given(&["a", "b"]).await;
    let forgetting = given.pass.locks.lock::<History>(&agent("a")).await;
    let round = given.roll_up(NEXT, None).await;
    assert_eq!((round.left, round.turns.len()), (vec![agent("a")], 1));
    assert_eq!((given.memories("a").await[1], given.memories("b").await[1]), (0, 1));
    let round = given.pass.retain(2, moment(NEXT, None), &CancellationToken::new()).await.unwrap();
    assert_eq!((round.left, round.turns.len()), (vec![agent("a")], 1));
    drop(forgetting);
    let round = given.roll_up(NEXT, None).await;
    assert_eq!((round.turns.len(), given.memories("a").await[1]), (1, 1), "the other has nothing left to do");
}

#[tokio::test]
async fn pending_cleaning_is_done_even_if_the_agent_was_erased() {
    let given = given(&["a", "gone"]).await;
    given.roll_up(NEXT, None).await;
    given.catalog.erase(&agent("a"), &Target::Conversation("talk".into()), at(NEXT)).await.unwrap();
    given.catalog.erase(&agent("gone"), &Target::Agent, at(NEXT)).await.unwrap();
    let round = given.roll_up(NEXT, Some(false)).await;
    assert_eq!(round.turns.iter().filter(|(_, turn)| turn.cleaned).count(), 2);
    assert_eq!(given.tables.owed().await.unwrap(), []);
    assert_eq!(given.catalog.agents().await.unwrap(), [agent("a")], "nothing is made of who is gone");
    assert!(given.roll_up(NEXT, None).await.turns.iter().all(|(_, turn)| !turn.cleaned));
}

/// Tables whose cleaning fails; counts the tries.
struct Unclean {
    inner: Alone,
    tried: AtomicU64,
}

#[async_trait]
impl Tables for Unclean {
    async fn read_for_facts(&self, agent: &Agent, now: Timestamp, enough: Enough<'_>) -> Result<ExtractionPassed> {
        self.inner.read_for_facts(agent, now, enough).await
    }

    async fn make_searchable(&self, agent: &Agent, now: Timestamp) -> Result<Projected> {
        self.inner.make_searchable(agent, now).await
    }

    async fn owed(&self) -> Result<Vec<Agent>> {
        self.inner.owed().await
    }

    async fn clean(&self, _: &Agent, _: &mut Held<'_, RollUp>, _: Timestamp) -> Result<bool> {
        self.tried.fetch_add(1, Ordering::SeqCst);
        Err(Error::storage("overwriting what was deleted", "the disk is full"))
    }
}

#[tokio::test]
async fn failing_cleaning_is_retried_with_back_off() {
    let mut given = given(&["a"]).await;
    given.catalog.erase(&agent("a"), &Target::Conversation("talk".into()), at(NEXT)).await.unwrap();
    let unclean = Arc::new(Unclean { inner: given.tables.clone(), tried: 0.into() });
    given.pass.tables = unclean.clone();
    for minute in 0..60 {
        let now = at(NEXT) + SignedDuration::from_mins(minute);
        given.roll_up(&now.to_string(), None).await;
    }
    // At minutes 0, 1, 3, 7, 15 and 31.
    assert_eq!(unclean.tried.load(Ordering::SeqCst), 6);
    assert_eq!(given.tables.owed().await.unwrap(), [agent("a")]);
}

/// The erasure holds the agent's lock when the round begins, and has cleaned the files when it releases it.
#[tokio::test]
async fn files_cleaned_by_the_eraser_are_not_cleaned_again() {
    let given = given(&["a"]).await;
    given.catalog.erase(&agent("a"), &Target::Conversation("talk".into()), at(NEXT)).await.unwrap();
    let forgetting = given.pass.locks.lock::<History>(&agent("a")).await;
    assert_eq!(given.roll_up(NEXT, None).await.left, [agent("a")]);
    given.tables.eraser.clean(&agent("a"), at(NEXT)).await.unwrap();
    drop(forgetting);
    assert!(given.roll_up(NEXT, None).await.turns.iter().all(|(_, turn)| !turn.cleaned));
}

#[tokio::test]
async fn cancelled_round_begins_no_turn() {
    let given = given(&["a", "b"]).await;
    let stop = CancellationToken::new();
    stop.cancel();
    let round = given.pass.roll_up(1, moment(NEXT, None), &stop).await.unwrap();
    assert_eq!((round.turns.len(), round.left), (0, vec![agent("a"), agent("b")]));
    assert_eq!(given.memories("a").await[1], 0);
}

#[tokio::test]
async fn old_model_answers_are_dropped() {
    let given = given(&["a"]).await;
    let reply = Reply {
        key: Digest::of(["question"]),
        purpose: Purpose::Extraction,
        model: "m".into(),
        text: "yes".into(),
        tokens_in: 1,
        tokens_out: 1,
        read_seq: 1_000,
    };
    given.catalog.save_reply(&agent("a"), reply, at(SAID)).await.unwrap();
    given.retain("2026-03-12T09:00:00Z", None).await;
    assert_eq!(given.retain("2026-03-12T10:00:00Z", None).await.answers, 0);
    assert_eq!(given.retain("2026-03-12T10:01:00Z", None).await.answers, 1);
}
