//! Passes over catalogs in memory: what is rewritten when, and that neither order nor interruption changes the final state.

use std::sync::Arc;

use annals_core::Memory;
use annals_core::ports::{OnConflict, Select, Turn};
use annals_core::prelude::*;
use annals_core::{Engine, SignedDuration};
use annals_testkit::{Faulty, MemoryCatalog, QuotingEngine, agent, at, turn};
use proptest::prelude::*;

use super::*;
use crate::{PassPlan, SchedulePolicy};

mod amend;
mod background;
mod failures;
mod refresh;
mod unlocked;

const NOW: &str = "2027-02-01T00:00:00Z";

fn over(catalog: Arc<MemoryCatalog>) -> Summarizer {
    with(&catalog, Arc::new(QuotingEngine))
}

/// Returns a summarizer with the given engine, and `QuotingEngine` as fallback.
fn with(catalog: &Arc<MemoryCatalog>, engine: Arc<dyn Engine>) -> Summarizer {
    Summarizer::new(catalog.clone(), engine, Arc::new(QuotingEngine), SchedulePolicy::default())
}

async fn ingest(catalog: &MemoryCatalog, turns: Vec<Turn>) {
    catalog.ingest(&agent("a"), turns, OnConflict::Refuse, at(NOW)).await.unwrap();
}

async fn pass(catalog: &Arc<MemoryCatalog>) -> Passed {
    over(catalog.clone()).pass(&agent("a"), at(NOW), &|_| ()).await.unwrap()
}

/// Returns a line per summary: period, text, sources, and the sources of each sentence.
async fn summaries(catalog: &MemoryCatalog) -> Vec<String> {
    let mut all = Vec::new();
    for grain in Grain::SUMMARIES {
        let select = Select::all(grain);
        all.extend(catalog.list(&agent("a"), &select).await.unwrap().iter().map(line));
    }
    all
}

fn line(memory: &Memory) -> String {
    let origins: Vec<_> = memory.sentences().iter().map(|sentence| &sentence.from).collect();
    format!("{} {:?} from {:?} by {origins:?}", memory.period, memory.text, memory.sources())
}

fn days() -> Vec<Turn> {
    let messages = [
        ("2026-03-03T09:00:00Z", "met Bo"),
        ("2026-03-04T09:00:00Z", "left Rome"),
        ("2026-03-04T10:00:00Z", "in Oslo"),
        ("2026-03-11T10:00:00Z", "snow"),
        ("2026-05-11T10:00:00Z", "spring"),
    ];
    messages.map(|(said_at, text)| turn(&agent("a"), said_at, text)).to_vec()
}

#[tokio::test]
async fn closed_periods_are_summarised_once() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    assert_eq!(pass(&catalog).await.written, [4, 3, 2, 2, 1]);
    assert_eq!(over(catalog.clone()).coverage(&agent("a"), at(NOW)).await.unwrap(), []);
    assert_eq!(pass(&catalog).await, Passed::default());
}

#[tokio::test]
async fn open_periods_have_no_summary_until_they_close() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    let at_noon = |day: &str| at(&format!("{day}T12:00:00Z"));
    let summarizer = over(catalog.clone());
    let steps = [
        ("2026-03-04", [1, 0, 0, 0, 0]),
        ("2026-03-05", [1, 0, 0, 0, 0]),
        ("2026-03-09", [0, 1, 0, 0, 0]),
        ("2026-03-30", [1, 1, 1, 1, 0]),
        ("2026-12-31", [1, 1, 1, 1, 0]),
        ("2027-01-04", [0, 0, 0, 0, 1]),
    ];
    for (day, expect) in steps {
        let passed = summarizer.pass(&agent("a"), at_noon(day), &|_| ()).await.unwrap();
        assert_eq!(passed.written, expect, "{day}");
    }
}

#[tokio::test]
async fn late_message_rewrites_its_five_ancestors_only() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    pass(&catalog).await;
    ingest(&catalog, vec![turn(&agent("a"), "2026-03-04T08:00:00Z", "early train")]).await;
    let passed = pass(&catalog).await;
    assert_eq!((passed.written, passed.unchanged), ([1, 1, 1, 1, 1], 0));
}

#[tokio::test]
async fn unchanged_text_stops_propagation() {
    let catalog = Arc::new(MemoryCatalog::new());
    let shouting = with(&catalog, Arc::new(Shouting));
    ingest(&catalog, days()).await;
    shouting.pass(&agent("a"), at(NOW), &|_| ()).await.unwrap();
    ingest(&catalog, vec![turn(&agent("a"), "2026-03-04T08:00:00Z", "early train")]).await;
    let passed = shouting.pass(&agent("a"), at(NOW), &|_| ()).await.unwrap();
    assert_eq!(passed.written, [1, 0, 0, 0, 0]);
}

#[tokio::test]
async fn plan_lists_periods_and_words_and_writes_nothing() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, vec![turn(&agent("a"), "2026-03-04T08:00:00Z", "one two")]).await;
    let labels = |plan: &PassPlan| plan.periods.iter().map(ToString::to_string).collect::<Vec<_>>();
    let plan = over(catalog.clone()).plan(&agent("a"), false, at("2026-04-01T00:00:00Z")).await.unwrap();
    assert_eq!(labels(&plan), ["2026-03-04", "2026-W10", "2026-03", "2026-Q1"]);
    assert_eq!(plan.words, 2, "what is yet to be written cannot be counted");
    assert_eq!(summaries(&catalog).await.len(), 0, "a plan writes nothing");
    pass(&catalog).await;
    let nothing = over(catalog.clone()).plan(&agent("a"), false, at(NOW)).await.unwrap();
    assert_eq!(nothing, PassPlan::default());
}

/// An engine with another recipe that always writes "HO".
struct Shouting;

#[async_trait::async_trait]
impl Engine for Shouting {
    fn recipe(&self, _: &Settings, grain: Grain) -> annals_core::Digest {
        annals_core::Digest::of(["shouting", grain.as_str()])
    }

    async fn summarize(&self, _: annals_core::ports::SummaryTask<'_>) -> Result<annals_core::Draft> {
        Ok(annals_core::Draft { text: "HO".into(), sentences: Vec::new(), tokens: 1, ungrounded: 0, verbatim: false })
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

/// Generates 1 to 39 turns within three months around the end of a year, no two at the same time, because the order of arrival
/// decides between turns of the same time.
fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let moments = prop::collection::btree_map(0_i64..90 * 24, "[a-d]{1,3}( [a-d]{1,3}){0,6}", 1..40);
    moments.prop_map(|moments| {
        let start = at("2026-11-15T00:00:00Z");
        let messages = |(hours, text): (i64, String)| {
            let moment = start + SignedDuration::from_hours(hours);
            turn(&agent("a"), &moment.to_string(), &text)
        };
        let mut turns: Vec<Turn> = moments.into_iter().map(messages).collect();
        turns.sort_by(|a, b| a.id.cmp(&b.id));
        turns.dedup_by(|a, b| a.id == b.id);
        turns
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// If the turns arrive in another order and in pieces, with a pass after each, the final state is the same.
    #[test]
    fn order_and_pieces_do_not_change_the_result(turns in turns(), order in any::<prop::sample::Index>(), pieces in 1_usize..6) {
        let end = at("2028-01-10T00:00:00Z");
        runtime().block_on(async {
            let straight = Arc::new(MemoryCatalog::new());
            ingest(&straight, turns.clone()).await;
            over(straight.clone()).pass(&agent("a"), end, &|_| ()).await.unwrap();

            let piecewise = Arc::new(MemoryCatalog::new());
            let mut shuffled = turns.clone();
            shuffled.rotate_left(order.index(turns.len()));
            shuffled.reverse();
            for piece in shuffled.chunks(turns.len().div_ceil(pieces)) {
                ingest(&piecewise, piece.to_vec()).await;
                over(piecewise.clone()).pass(&agent("a"), at(NOW), &|_| ()).await.unwrap();
            }
            over(piecewise.clone()).pass(&agent("a"), end, &|_| ()).await.unwrap();
            assert_eq!(summaries(&piecewise).await, summaries(&straight).await);
            assert_eq!(over(piecewise).coverage(&agent("a"), end).await.unwrap(), []);
        });
    }

    /// After the catalog failed at any call, the next pass ends with the same summaries as an undisturbed one.
    #[test]
    fn interruption_at_any_call_does_not_change_the_result(turns in turns(), call in 1_u64..200) {
        let end = at("2028-01-10T00:00:00Z");
        runtime().block_on(async {
            let straight = Arc::new(MemoryCatalog::new());
            ingest(&straight, turns.clone()).await;
            over(straight.clone()).pass(&agent("a"), end, &|_| ()).await.unwrap();

            let shaken = Arc::new(MemoryCatalog::new());
            ingest(&shaken, turns).await;
            let faulty = Arc::new(Faulty::at_call((*shaken).clone(), call));
            let engine = Arc::new(QuotingEngine);
            let broken = Summarizer::new(faulty, engine.clone(), engine, SchedulePolicy::default());
            let _ = broken.pass(&agent("a"), end, &|_| ()).await;
            over(shaken.clone()).pass(&agent("a"), end, &|_| ()).await.unwrap();
            assert_eq!(summaries(&shaken).await, summaries(&straight).await);
        });
    }
}
