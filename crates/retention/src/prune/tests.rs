//! Pruning over a catalog in memory: what is pruned, what is only counted, and what stays if something changes meanwhile.

use std::sync::Arc;

use annals_core::ports::{Journal, OnConflict, Seals};
use annals_core::prelude::*;
use annals_core::{Extraction, Grain, ObjectKind, Settings, SignedDuration};
use annals_summarizer::{SchedulePolicy, Summarizer};
use annals_testkit::{Dice, MemoryCatalog, QuotingEngine, agent, at, period, turn};

use super::*;
use crate::{Hold, Plans};

const NOW: &str = "2026-04-12T12:00:00Z";

/// Creates two days of one week, rolled up and read by extraction, under the plan `free`.
async fn catalog() -> Arc<MemoryCatalog> {
    catalog_read_up_to(u64::MAX).await
}

/// Creates the same catalog as [`catalog`], but extraction has read only up to the sequence number `extracted`.
async fn catalog_read_up_to(extracted: u64) -> Arc<MemoryCatalog> {
    let (catalog, agent) = (Arc::new(MemoryCatalog::new()), agent("a"));
    catalog.save_settings(&agent, &Settings { plan: "free".into(), ..Settings::default() }).await.unwrap();
    let turns = ["2026-03-04T10:00:00Z", "2026-03-05T10:00:00Z"].map(|said_at| turn(&agent, said_at, "tea"));
    let last = catalog.ingest(&agent, turns.to_vec(), OnConflict::Refuse, at(NOW)).await.unwrap().seq;
    let extracted = last.min(extracted);
    let read = Extraction { turns: Vec::new(), found: Default::default(), after: 0, extracted, degraded: None };
    catalog.save_extraction(&agent, read, at(NOW)).await.unwrap();
    let engine = Arc::new(QuotingEngine);
    let summarizer = Summarizer::new(catalog.clone(), engine.clone(), engine, SchedulePolicy::default());
    summarizer.pass(&agent, at(NOW), &|_| ()).await.unwrap();
    catalog
}

fn over(catalog: &Arc<MemoryCatalog>) -> Retention {
    Retention::new(catalog.clone(), Plans::built_in())
}

async fn memories(catalog: &MemoryCatalog) -> [u64; 6] {
    catalog.counts(&agent("a")).await.unwrap().memories
}

fn sets(totals: [Totals; 6]) -> [u64; 6] {
    totals.map(|total| total.sets)
}

#[tokio::test]
async fn due_sets_are_pruned_once() {
    let catalog = catalog().await;
    let retention = over(&catalog);
    let due = retention.due(&agent("a"), at(NOW)).await.unwrap();
    assert_eq!(memories(&catalog).await, [2, 2, 1, 1, 1, 0]);
    let pruned = retention.prune(&agent("a"), at(NOW), true).await.unwrap();
    assert_eq!(pruned, Pruned { pruned: due.totals(), ..Pruned::default() });
    assert_eq!(pruned.pruned[0], Totals { sets: 2, rows: 2, bytes: 6 });
    assert_eq!(sets(pruned.pruned), [2, 1, 0, 0, 0, 0]);
    assert_eq!(memories(&catalog).await, [0, 0, 1, 1, 1, 0]);
    assert_eq!(retention.prune(&agent("a"), at(NOW), true).await.unwrap(), Pruned::default());
}

#[tokio::test]
async fn unconfirmed_clock_only_counts_due_sets() {
    let catalog = catalog().await;
    let retention = over(&catalog);
    let pruned = retention.prune(&agent("a"), at(NOW), false).await.unwrap();
    assert_eq!((sets(pruned.postponed), sets(pruned.pruned)), ([2, 1, 0, 0, 0, 0], [0; 6]));
    assert_eq!(memories(&catalog).await, [2, 2, 1, 1, 1, 0]);
    assert!(!retention.read_clock(at(NOW), Some(true)).await.unwrap().trust(None).prunes());
    assert!(retention.read_clock(at("2026-04-12T12:30:00Z"), Some(true)).await.unwrap().trust(None).prunes());
}

#[tokio::test]
async fn plans_can_be_compared_before_a_change() {
    let catalog = catalog().await;
    let retention = over(&catalog);
    let plans = Plans::built_in();
    for (plan, expect) in [("keep", [0; 6]), ("pro", [2, 0, 0, 0, 0, 0]), ("free", [2, 1, 0, 0, 0, 0])] {
        let due = retention.compare(&agent("a"), plans.get(plan).unwrap(), at(NOW)).await.unwrap();
        assert_eq!(sets(due.totals()), expect, "{plan}");
    }
    catalog.save_settings(&agent("a"), &Settings { plan: "gold".into(), ..Settings::default() }).await.unwrap();
    assert!(matches!(retention.due(&agent("a"), at(NOW)).await, Err(Error::NotFound { what: ObjectKind::Plan, .. })));
}

#[tokio::test]
async fn pinned_memory_holds_its_set_and_all_above() {
    let catalog = catalog().await;
    let retention = over(&catalog);
    let tea = catalog.inputs(&agent("a"), period("2026-03-04")).await.unwrap().remove(0);
    catalog.pin(&agent("a"), &tea.id, true).await.unwrap();
    let pruned = retention.prune(&agent("a"), at(NOW), true).await.unwrap();
    let held: Vec<_> = pruned.held.iter().map(|held| (held.children.parent.to_string(), held.hold)).collect();
    assert_eq!(held, [("2026-03-04".into(), Hold::Pinned), ("2026-W10".into(), Hold::Finer)]);
    catalog.pin(&agent("a"), &tea.id, false).await.unwrap();
    assert_eq!(sets(retention.prune(&agent("a"), at(NOW), true).await.unwrap().pruned), [1, 1, 0, 0, 0, 0]);
}

#[tokio::test]
async fn set_changed_meanwhile_stays_with_all_above_it() {
    let catalog = catalog().await;
    let retention = over(&catalog);
    let due = retention.due(&agent("a"), at(NOW)).await.unwrap();
    let late = turn(&agent("a"), "2026-03-04T23:00:00Z", "late");
    catalog.ingest(&agent("a"), vec![late], OnConflict::Refuse, at(NOW)).await.unwrap();
    let pruned = retention.prune_due(&agent("a"), due, &|| false).await.unwrap();
    assert_eq!((sets(pruned.pruned), pruned.stale), ([1, 0, 0, 0, 0, 0], vec![period("2026-03-04")]));
    assert_eq!(memories(&catalog).await, [2, 2, 1, 1, 1, 0], "the turn that came late is there too");
}

/// Turns that extraction has not read yet stay, and so do the sets above.
#[tokio::test]
async fn turns_not_read_by_extraction_stay() {
    let catalog = catalog_read_up_to(1).await;
    let due = over(&catalog).due(&agent("a"), at(NOW)).await.unwrap();
    let held: Vec<_> = due.held.iter().map(|held| (held.children.parent.grain(), held.hold)).collect();
    assert_eq!(held, [(Grain::Daily, Hold::Unread), (Grain::Weekly, Hold::Finer)]);
}

/// Compares the agents that one query finds with a look at every agent, over a random catalog at many moments.
#[tokio::test]
async fn agents_with_something_past_their_plan_are_all_found() {
    let (catalog, mut dice) = (Arc::new(MemoryCatalog::new()), Dice::new(11));
    let engine = Arc::new(QuotingEngine);
    let summarizer = Summarizer::new(catalog.clone(), engine.clone(), engine, SchedulePolicy::default());
    for name in 0..40 {
        let agent = agent(&name.to_string());
        let plan = ["keep", "free", "starter", "pro"][dice.below(4) as usize].to_owned();
        let zone = ["UTC", "Pacific/Kiritimati", "America/Anchorage"][dice.below(3) as usize];
        catalog
            .save_settings(&agent, &Settings { plan, time_zone: zone.to_owned(), ..Settings::default() })
            .await
            .unwrap();
        for _ in 0..dice.below(6) {
            let said_at = at("2025-06-01T00:00:00Z") + SignedDuration::from_hours(dice.below(24 * 365));
            catalog
                .ingest(&agent, vec![turn(&agent, &said_at.to_string(), "tea")], OnConflict::Refuse, at(NOW))
                .await
                .unwrap();
        }
        if dice.percent(60) {
            summarizer.pass(&agent, at("2026-06-15T00:00:00Z"), &|_| ()).await.unwrap();
        }
    }
    let (retention, mut found, mut idle) = (over(&catalog), 0, 0);
    for _ in 0..60 {
        let now = at("2025-06-01T00:00:00Z") + SignedDuration::from_hours(dice.below(24 * 365 * 4));
        let listed = catalog.agents_to_retain(&retention.limits(now, None)).await.unwrap();
        for agent in catalog.all_agents().await.unwrap() {
            let due = retention.due(&agent, now).await.unwrap();
            assert!(due == Due::default() || listed.contains(&agent), "{agent} at {now}: {due:?}");
            let is_due = due != Due::default();
            (found, idle) = (found + usize::from(is_due), idle + usize::from(!listed.contains(&agent)));
        }
    }
    assert!(found > 200 && idle > 600, "{found} found, {idle} idle");
}
