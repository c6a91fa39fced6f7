//! Tests of engines that refuse input and of engines that are unavailable: how long periods wait, what the fallback writes, and
//! what is rewritten later.

use std::sync::atomic::{AtomicUsize, Ordering};

use annals_core::ports::SummaryTask;
use annals_core::{Digest, Draft, Error};
use parking_lot::Mutex;

use super::*;

/// How an engine responds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Behaviour {
    Succeeds,
    /// Cannot summarise input that contains `POISON`.
    RejectsPoison,
    Unavailable,
    /// Unavailable, with a retry time in minutes.
    UnavailableFor(i64),
    BudgetSpent(&'static str),
    /// The budget of the request's key is spent.
    KeyBudgetSpent,
}

/// An engine that writes like `QuotingEngine` plus an exclamation mark, or fails, as `behaviour` says.
struct UnreliableEngine {
    behaviour: Mutex<Behaviour>,
    calls: AtomicUsize,
    running: AtomicUsize,
    most: AtomicUsize,
}

impl UnreliableEngine {
    fn new(behaviour: Behaviour) -> Arc<UnreliableEngine> {
        let zero = AtomicUsize::default;
        Arc::new(UnreliableEngine { behaviour: Mutex::new(behaviour), calls: zero(), running: zero(), most: zero() })
    }

    fn set(&self, behaviour: Behaviour) {
        *self.behaviour.lock() = behaviour;
    }

    /// Returns the number of calls since this method was last called.
    fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::SeqCst)
    }
}

#[async_trait::async_trait]
impl Engine for UnreliableEngine {
    fn recipe(&self, _: &Settings, grain: Grain) -> Digest {
        Digest::of(["unreliable", grain.as_str()])
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(self.running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        let behaviour = *self.behaviour.lock();
        let away = |retry_after| Error::Unavailable { what: "asking".into(), retry_after, source: "refused".into() };
        match behaviour {
            Behaviour::Unavailable => return Err(away(None)),
            Behaviour::UnavailableFor(minutes) => return Err(away(Some(SignedDuration::from_mins(minutes)))),
            Behaviour::BudgetSpent(until) => return Err(Error::Budget { limit: 7, of_key: false, again: at(until) }),
            Behaviour::KeyBudgetSpent => {
                return Err(Error::Budget { limit: 7, of_key: true, again: at("2027-02-02T00:00:00Z") });
            }
            Behaviour::RejectsPoison if task.sources.iter().any(|source| source.text.contains("POISON")) => {
                return Err(Error::model("asking", "the answer is no JSON"));
            }
            Behaviour::Succeeds | Behaviour::RejectsPoison => {}
        }
        let draft = QuotingEngine.summarize(task).await?;
        Ok(Draft { text: format!("{}!", draft.text), ..draft })
    }
}

/// Runs a pass `minutes` minutes after [`NOW`].
async fn pass_after(catalog: &Arc<MemoryCatalog>, engine: &Arc<UnreliableEngine>, minutes: i64) -> Passed {
    let now = at(NOW) + SignedDuration::from_mins(minutes);
    with(catalog, engine.clone()).pass(&agent("a"), now, &|_| ()).await.unwrap()
}

async fn degraded(catalog: &MemoryCatalog) -> Vec<String> {
    let ledger = catalog.ledger(&agent("a")).await.unwrap();
    ledger.iter().filter(|row| row.degraded).map(|row| row.period.to_string()).collect()
}

async fn with_poison() -> Arc<MemoryCatalog> {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, [days(), vec![turn(&agent("a"), "2026-05-12T10:00:00Z", "POISON")]].concat()).await;
    catalog
}

#[tokio::test]
async fn failing_period_blocks_only_its_ancestors_and_is_retried() {
    let (catalog, engine) = (with_poison().await, UnreliableEngine::new(Behaviour::RejectsPoison));
    let passed = pass_after(&catalog, &engine, 0).await;
    assert_eq!((passed.written, passed.failed.len()), ([4, 2, 1, 1, 0], 1));
    assert_eq!(pass_after(&catalog, &engine, 0).await, Passed::default(), "not before its time");
    engine.set(Behaviour::Succeeds);
    assert_eq!(pass_after(&catalog, &engine, 1).await.written, [1, 1, 1, 1, 1]);
}

#[tokio::test]
async fn fallback_engine_writes_after_three_failures() {
    let (catalog, engine) = (with_poison().await, UnreliableEngine::new(Behaviour::RejectsPoison));
    for (minutes, expect) in [(0, 0), (1, 0), (2, 0), (3, 1)] {
        let passed = pass_after(&catalog, &engine, minutes).await;
        assert_eq!(passed.degraded, expect, "after {minutes} minutes");
    }
    // The coarser periods are rolled up from the fallback's summary; those whose input contains `POISON` fail in their turn.
    assert!(degraded(&catalog).await.starts_with(&["2026-05-12".into()]));
    let row = row(&catalog, "2026-05-12").await;
    assert_ne!(row.recipe, Some(engine.recipe(&Settings::default(), Grain::Daily)));
    for minutes in 4..200 {
        pass_after(&catalog, &engine, minutes).await;
    }
    assert_eq!(over(catalog.clone()).coverage(&agent("a"), at(NOW)).await.unwrap(), []);

    // The cause is gone: the engine rewrites all of them without a refresh.
    engine.set(Behaviour::Succeeds);
    for minutes in [1_000, 2_000, 3_000] {
        pass_after(&catalog, &engine, minutes).await;
    }
    assert_eq!(degraded(&catalog).await, [""; 0]);
    assert_eq!(pass_after(&catalog, &engine, 30_000).await, Passed::default());
    let straight = Arc::new(MemoryCatalog::new());
    ingest(&straight, [days(), vec![turn(&agent("a"), "2026-05-12T10:00:00Z", "POISON")]].concat()).await;
    pass_after(&straight, &UnreliableEngine::new(Behaviour::Succeeds), 0).await;
    assert_eq!(summaries(&catalog).await, summaries(&straight).await);
}

async fn row(catalog: &MemoryCatalog, label: &str) -> LedgerRow {
    let ledger = catalog.ledger(&agent("a")).await.unwrap();
    ledger.into_iter().find(|row| row.period.to_string() == label).unwrap()
}

#[tokio::test]
async fn unavailable_engine_is_called_once_and_all_periods_wait() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), UnreliableEngine::new(Behaviour::Unavailable));
    ingest(&catalog, many_days()).await;
    let passed = pass_after(&catalog, &engine, 0).await;
    assert_eq!((passed.waiting.len(), passed.failed.len(), passed.written), (200, 0, [0; 5]));
    assert_eq!(passed.outage.as_deref(), Some("asking: refused"));
    assert!(engine.calls() <= 4, "those that were under way already");
    assert_eq!(pass_after(&catalog, &engine, 0).await, Passed::default());
    assert_eq!(engine.calls(), 0);
    engine.set(Behaviour::Succeeds);
    assert_eq!(pass_after(&catalog, &engine, 1).await.written[0], 200);
    assert_eq!(degraded(&catalog).await, [""; 0]);
}

fn many_days() -> Vec<Turn> {
    let start = at("2026-01-05T10:00:00Z");
    let day = |number: i64| turn(&agent("a"), &(start + SignedDuration::from_hours(24 * number)).to_string(), "tea");
    (0..200).map(day).collect()
}

#[tokio::test]
async fn fallback_engine_writes_all_waiting_periods_after_six_hours() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), UnreliableEngine::new(Behaviour::Unavailable));
    ingest(&catalog, days()).await;
    let mut calls = Vec::new();
    for minutes in 0..360 {
        let passed = pass_after(&catalog, &engine, minutes).await;
        assert_eq!(passed.written, [0; 5], "after {minutes} minutes");
        if engine.calls() > 0 {
            calls.push(minutes);
        }
    }
    assert_eq!(calls, [0, 1, 2, 4, 8, 16, 32, 64, 124, 184, 244, 304], "twice as long each time, up to an hour");
    // The coarser grains have waited with the days, and do not wait again.
    let passed = pass_after(&catalog, &engine, 360).await;
    assert_eq!((passed.written, passed.degraded), ([4, 3, 2, 2, 1], 12));
    for minutes in 361..1_000 {
        assert_eq!(pass_after(&catalog, &engine, minutes).await.written, [0; 5]);
    }
    assert_eq!(over(catalog.clone()).coverage(&agent("a"), at(NOW)).await.unwrap(), []);
    engine.calls();
    engine.set(Behaviour::Succeeds);
    assert_eq!(pass_after(&catalog, &engine, 2_100).await.written, [4, 3, 2, 2, 1]);
    assert_eq!((degraded(&catalog).await, engine.calls()), (Vec::new(), 12), "each is written once");
}

#[tokio::test]
async fn retry_time_of_an_outage_is_used_within_bounds() {
    let check = async |behaviour: Behaviour, expect: &str| {
        let (catalog, engine) = (Arc::new(MemoryCatalog::new()), UnreliableEngine::new(behaviour));
        ingest(&catalog, days()).await;
        pass_after(&catalog, &engine, 0).await;
        assert_eq!(row(&catalog, "2026-03-04").await.not_before, Some(at(expect)), "{behaviour:?}");
    };
    check(Behaviour::Unavailable, "2027-02-01T00:01:00Z").await;
    check(Behaviour::UnavailableFor(20), "2027-02-01T00:20:00Z").await;
    check(Behaviour::BudgetSpent("2027-02-01T00:05:00Z"), "2027-02-01T00:05:00Z").await;
    // Somebody may have raised the budget meanwhile.
    check(Behaviour::BudgetSpent("2027-02-01T05:00:00Z"), "2027-02-01T00:15:00Z").await;
    // The retry time is bounded, because by then the fallback writes the period.
    check(Behaviour::UnavailableFor(60 * 24 * 365), "2027-02-01T06:00:00Z").await;
}

/// The key of one request must not delay what everybody else gets, nor have the fallback write in the model's place.
#[tokio::test]
async fn spent_budget_of_a_key_leaves_the_periods_to_the_next_pass() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), UnreliableEngine::new(Behaviour::KeyBudgetSpent));
    ingest(&catalog, days()).await;
    for minutes in [0, 60 * 24] {
        let passed = pass_after(&catalog, &engine, minutes).await;
        assert!(passed.outage.unwrap().contains("of this API key"));
        assert_eq!((passed.written, passed.degraded, passed.waiting), ([0; 5], 0, Vec::new()));
        assert!(passed.left > 0);
        let row = row(&catalog, "2026-03-04").await;
        assert_eq!((row.not_before, row.failing_since, row.attempts, row.last_error), (None, None, 0, None));
    }
    engine.set(Behaviour::Succeeds);
    assert!(pass_after(&catalog, &engine, 60 * 24).await.written[0] > 0, "the next pass needs not wait");
}

#[tokio::test]
async fn waiting_does_not_count_as_a_failure() {
    let (catalog, engine) = (with_poison().await, UnreliableEngine::new(Behaviour::Unavailable));
    for minutes in 0..100 {
        pass_after(&catalog, &engine, minutes).await;
    }
    engine.set(Behaviour::RejectsPoison);
    let passed = pass_after(&catalog, &engine, 200).await;
    assert_eq!((passed.failed.len(), passed.degraded), (1, 0));
    assert_eq!(row(&catalog, "2026-05-12").await.attempts, 1);
}

#[tokio::test]
async fn some_degraded_summaries_are_retried_per_pass_oldest_first() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), UnreliableEngine::new(Behaviour::Unavailable));
    ingest(&catalog, many_days()).await;
    pass_after(&catalog, &engine, 0).await;
    pass_after(&catalog, &engine, 360).await;
    let days = async || degraded(&catalog).await.into_iter().filter(|label| label.len() == 10).collect::<Vec<_>>();
    assert_eq!(days().await.len(), 200);
    engine.set(Behaviour::Succeeds);
    pass_after(&catalog, &engine, 1_000).await;
    let left = days().await;
    assert_eq!((left.len(), left[0].as_str()), (192, "2026-01-13"));
}

#[tokio::test]
async fn degraded_summary_that_fails_again_stays_and_backs_off() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), UnreliableEngine::new(Behaviour::RejectsPoison));
    ingest(&catalog, vec![turn(&agent("a"), "2026-05-12T10:00:00Z", "POISON")]).await;
    for minutes in [0, 1, 3] {
        pass_after(&catalog, &engine, minutes).await;
    }
    let before = summaries(&catalog).await;
    engine.calls();
    let mut calls = Vec::new();
    for hours in 1..2_000 {
        let passed = pass_after(&catalog, &engine, hours * 60).await;
        assert_eq!(passed.written[0], 0);
        calls.extend(passed.failed.iter().filter(|(period, _)| period.grain() == Grain::Daily).map(|_| hours));
    }
    assert_eq!(summaries(&catalog).await[0], before[0]);
    assert!(calls.starts_with(&[1, 2, 4, 8, 16, 32, 64, 128, 256, 384]), "{calls:?}");
}

#[tokio::test]
async fn at_most_four_roll_ups_run_at_once() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), UnreliableEngine::new(Behaviour::Succeeds));
    ingest(&catalog, many_days()).await;
    pass_after(&catalog, &engine, 0).await;
    assert_eq!(engine.most.load(Ordering::SeqCst), 4);
}

/// A failure that was recorded under a clock a year ahead must not block the period for a year.
#[tokio::test]
async fn failure_dated_in_the_future_does_not_block() {
    let (catalog, engine) = (with_poison().await, UnreliableEngine::new(Behaviour::Unavailable));
    pass_after(&catalog, &engine, 365 * 24 * 60).await;
    engine.set(Behaviour::Succeeds);
    assert_eq!(pass_after(&catalog, &engine, 0).await.written[0], 5);
}

#[tokio::test]
async fn failing_store_ends_the_pass() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    let engine = Arc::new(QuotingEngine);
    let faulty = Arc::new(Faulty::at_call((*catalog).clone(), 3));
    let broken = Summarizer::new(faulty, engine.clone(), engine, SchedulePolicy::default());
    let ended = broken.pass(&agent("a"), at(NOW), &|_| ()).await;
    assert!(matches!(ended, Err(Error::Storage { .. })));
    assert!(catalog.ledger(&agent("a")).await.unwrap().iter().all(|row| row.attempts == 0));
}
