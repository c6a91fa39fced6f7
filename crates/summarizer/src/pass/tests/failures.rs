//! Engines that refuse, and engines that are away: who waits for how long, who steps in, and what is made good later.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use annals_core::ports::SummaryTask;
use annals_core::{Digest, Draft, Error};

use super::*;

/// What an engine does at present.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mood {
    Well,
    /// Cannot write what contains `POISON`.
    Picky,
    Away,
    /// Away, and says for how many minutes.
    AwayFor(i64),
    Spent(&'static str),
}

/// Writes as `QuotingEngine` does, with an exclamation mark, when it is in the mood.
struct Moody {
    mood: Mutex<Mood>,
    calls: AtomicUsize,
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Moody {
    fn new(mood: Mood) -> Arc<Moody> {
        let zero = AtomicUsize::default;
        Arc::new(Moody { mood: Mutex::new(mood), calls: zero(), running: zero(), most: zero() })
    }

    fn turns(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// How often it was asked since the last time.
    fn asked(&self) -> usize {
        self.calls.swap(0, Ordering::SeqCst)
    }
}

#[async_trait::async_trait]
impl Engine for Moody {
    fn recipe(&self, _: &Settings, grain: Grain) -> Digest {
        Digest::of(["moody", grain.as_str()])
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(self.running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        let mood = *self.mood.lock().unwrap();
        let away = |retry_after| Error::Unavailable { what: "asking".into(), retry_after, source: "refused".into() };
        match mood {
            Mood::Away => return Err(away(None)),
            Mood::AwayFor(minutes) => return Err(away(Some(SignedDuration::from_mins(minutes)))),
            Mood::Spent(until) => return Err(Error::Budget { limit: 7, again: at(until) }),
            Mood::Picky if task.sources.iter().any(|source| source.text.contains("POISON")) => {
                return Err(Error::model("asking", "the answer is no JSON"));
            }
            Mood::Well | Mood::Picky => {}
        }
        let draft = QuotingEngine.summarize(task).await?;
        Ok(Draft { text: format!("{}!", draft.text), ..draft })
    }
}

/// A pass so many minutes after [`NOW`].
async fn pass_after(catalog: &Arc<MemoryCatalog>, engine: &Arc<Moody>, minutes: i64) -> Passed {
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
async fn a_failing_period_blocks_only_its_own_ancestors_and_is_tried_again() {
    let (catalog, engine) = (with_poison().await, Moody::new(Mood::Picky));
    let passed = pass_after(&catalog, &engine, 0).await;
    assert_eq!((passed.written, passed.failed.len()), ([4, 2, 1, 1, 0], 1));
    assert_eq!(pass_after(&catalog, &engine, 0).await, Passed::default(), "not before its time");
    engine.turns(Mood::Well);
    assert_eq!(pass_after(&catalog, &engine, 1).await.written, [1, 1, 1, 1, 1]);
}

#[tokio::test]
async fn after_three_failures_of_its_own_the_spare_engine_writes_it() {
    let (catalog, engine) = (with_poison().await, Moody::new(Mood::Picky));
    for (minutes, expect) in [(0, 0), (1, 0), (2, 0), (3, 1)] {
        let passed = pass_after(&catalog, &engine, minutes).await;
        assert_eq!(passed.degraded, expect, "after {minutes} minutes");
    }
    // The ancestors go on with what there is; those that hold its words are refused in their turn.
    assert!(degraded(&catalog).await.starts_with(&["2026-05-12".into()]));
    let row = row(&catalog, "2026-05-12").await;
    assert_ne!(row.recipe, Some(engine.recipe(&Settings::default(), Grain::Daily)));
    for minutes in 4..200 {
        pass_after(&catalog, &engine, minutes).await;
    }
    assert_eq!(over(catalog.clone()).coverage(&agent("a"), at(NOW)).await.unwrap(), []);

    // The cause is gone: all of it is written by the engine, without being asked.
    engine.turns(Mood::Well);
    for minutes in [1_000, 2_000, 3_000] {
        pass_after(&catalog, &engine, minutes).await;
    }
    assert_eq!(degraded(&catalog).await, [""; 0]);
    assert_eq!(pass_after(&catalog, &engine, 30_000).await, Passed::default());
    let straight = Arc::new(MemoryCatalog::new());
    ingest(&straight, [days(), vec![turn(&agent("a"), "2026-05-12T10:00:00Z", "POISON")]].concat()).await;
    pass_after(&straight, &Moody::new(Mood::Well), 0).await;
    assert_eq!(summaries(&catalog).await, summaries(&straight).await);
}

async fn row(catalog: &MemoryCatalog, label: &str) -> LedgerRow {
    let ledger = catalog.ledger(&agent("a")).await.unwrap();
    ledger.into_iter().find(|row| row.period.to_string() == label).unwrap()
}

#[tokio::test]
async fn an_engine_that_is_away_is_asked_once_and_all_wait() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), Moody::new(Mood::Away));
    ingest(&catalog, many_days()).await;
    let passed = pass_after(&catalog, &engine, 0).await;
    assert_eq!((passed.waiting.len(), passed.failed.len(), passed.written), (200, 0, [0; 5]));
    assert_eq!(passed.outage.as_deref(), Some("asking: refused"));
    assert!(engine.asked() <= 4, "those that were under way already");
    assert_eq!(pass_after(&catalog, &engine, 0).await, Passed::default());
    assert_eq!(engine.asked(), 0);
    engine.turns(Mood::Well);
    assert_eq!(pass_after(&catalog, &engine, 1).await.written[0], 200);
    assert_eq!(degraded(&catalog).await, [""; 0]);
}

fn many_days() -> Vec<Turn> {
    let start = at("2026-01-05T10:00:00Z");
    let day = |number: i64| turn(&agent("a"), &(start + SignedDuration::from_hours(24 * number)).to_string(), "tea");
    (0..200).map(day).collect()
}

#[tokio::test]
async fn after_six_hours_the_spare_engine_writes_all_that_waited() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), Moody::new(Mood::Away));
    ingest(&catalog, days()).await;
    let mut asked = Vec::new();
    for minutes in 0..360 {
        let passed = pass_after(&catalog, &engine, minutes).await;
        assert_eq!(passed.written, [0; 5], "after {minutes} minutes");
        if engine.asked() > 0 {
            asked.push(minutes);
        }
    }
    assert_eq!(asked, [0, 1, 2, 4, 8, 16, 32, 64, 124, 184, 244, 304], "twice as long each time, up to an hour");
    // The coarser grains have waited with the days, and do not wait again.
    let passed = pass_after(&catalog, &engine, 360).await;
    assert_eq!((passed.written, passed.degraded), ([4, 3, 2, 2, 1], 12));
    for minutes in 361..1_000 {
        assert_eq!(pass_after(&catalog, &engine, minutes).await.written, [0; 5]);
    }
    assert_eq!(over(catalog.clone()).coverage(&agent("a"), at(NOW)).await.unwrap(), []);
    engine.asked();
    engine.turns(Mood::Well);
    assert_eq!(pass_after(&catalog, &engine, 2_100).await.written, [4, 3, 2, 2, 1]);
    assert_eq!((degraded(&catalog).await, engine.asked()), (Vec::new(), 12), "each is written once");
}

#[tokio::test]
async fn an_outage_says_when_to_come_again_and_is_believed_within_bounds() {
    let check = async |mood: Mood, expect: &str| {
        let (catalog, engine) = (Arc::new(MemoryCatalog::new()), Moody::new(mood));
        ingest(&catalog, days()).await;
        pass_after(&catalog, &engine, 0).await;
        assert_eq!(row(&catalog, "2026-03-04").await.not_before, Some(at(expect)), "{mood:?}");
    };
    check(Mood::Away, "2027-02-01T00:01:00Z").await;
    check(Mood::AwayFor(20), "2027-02-01T00:20:00Z").await;
    check(Mood::Spent("2027-02-01T05:00:00Z"), "2027-02-01T05:00:00Z").await;
    // But by then it is written without.
    check(Mood::AwayFor(60 * 24 * 365), "2027-02-01T06:00:00Z").await;
    check(Mood::Spent("2027-02-02T00:00:00Z"), "2027-02-01T06:00:00Z").await;
}

#[tokio::test]
async fn waiting_is_no_failure_of_ones_own() {
    let (catalog, engine) = (with_poison().await, Moody::new(Mood::Away));
    for minutes in 0..100 {
        pass_after(&catalog, &engine, minutes).await;
    }
    engine.turns(Mood::Picky);
    let passed = pass_after(&catalog, &engine, 200).await;
    assert_eq!((passed.failed.len(), passed.degraded), (1, 0));
    assert_eq!(row(&catalog, "2026-05-12").await.attempts, 1);
}

#[tokio::test]
async fn only_some_degraded_summaries_are_tried_again_in_one_pass_the_oldest_first() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), Moody::new(Mood::Away));
    ingest(&catalog, many_days()).await;
    pass_after(&catalog, &engine, 0).await;
    pass_after(&catalog, &engine, 360).await;
    let days = async || degraded(&catalog).await.into_iter().filter(|label| label.len() == 10).collect::<Vec<_>>();
    assert_eq!(days().await.len(), 200);
    engine.turns(Mood::Well);
    pass_after(&catalog, &engine, 1_000).await;
    let left = days().await;
    assert_eq!((left.len(), left[0].as_str()), (192, "2026-01-13"));
}

#[tokio::test]
async fn a_degraded_summary_that_fails_again_stays_as_it_is_and_waits() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), Moody::new(Mood::Picky));
    ingest(&catalog, vec![turn(&agent("a"), "2026-05-12T10:00:00Z", "POISON")]).await;
    for minutes in [0, 1, 3] {
        pass_after(&catalog, &engine, minutes).await;
    }
    let before = summaries(&catalog).await;
    engine.asked();
    let mut asked = Vec::new();
    for hours in 1..2_000 {
        let passed = pass_after(&catalog, &engine, hours * 60).await;
        assert_eq!(passed.written[0], 0);
        asked.extend(passed.failed.iter().filter(|(period, _)| period.grain() == Grain::Daily).map(|_| hours));
    }
    assert_eq!(summaries(&catalog).await[0], before[0]);
    assert!(asked.starts_with(&[1, 2, 4, 8, 16, 32, 64, 128, 256, 384]), "{asked:?}");
}

#[tokio::test]
async fn no_more_than_four_are_asked_for_at_once() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), Moody::new(Mood::Well));
    ingest(&catalog, many_days()).await;
    pass_after(&catalog, &engine, 0).await;
    assert_eq!(engine.most.load(Ordering::SeqCst), 4);
}

/// A clock that ran a year ahead when something failed must not stop it for a year.
#[tokio::test]
async fn failures_noted_in_a_future_that_did_not_come_are_forgotten() {
    let (catalog, engine) = (with_poison().await, Moody::new(Mood::Away));
    pass_after(&catalog, &engine, 365 * 24 * 60).await;
    engine.turns(Mood::Well);
    assert_eq!(pass_after(&catalog, &engine, 0).await.written[0], 5);
}

#[tokio::test]
async fn a_failing_store_ends_the_pass() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    let engine = Arc::new(QuotingEngine);
    let faulty = Arc::new(Faulty::at_call((*catalog).clone(), 3));
    let broken = Summarizer::new(faulty, catalog.clone(), engine.clone(), engine, Patience::default());
    let ended = broken.pass(&agent("a"), at(NOW), &|_| ()).await;
    assert!(matches!(ended, Err(Error::Storage { .. })));
    assert!(catalog.ledger(&agent("a")).await.unwrap().iter().all(|row| row.attempts == 0));
}
