//! Sealed periods: late input is added to the base, a second pass changes nothing, and nothing of the base is ever lost.

use annals_core::ports::{Children, OnConflict, Seals};
use annals_core::{MemoryId, Message};

use super::*;

/// Seals a period by pruning its input.
async fn seal(catalog: &MemoryCatalog, label: &str) {
    let all = catalog.children(&agent("a")).await.unwrap();
    let set: &Children = all.iter().find(|set| set.parent.to_string() == label && !set.yearly).unwrap();
    let row = row(catalog, label).await;
    catalog.seal(&agent("a"), set, row.clean_seq).await.unwrap();
}

async fn row(catalog: &MemoryCatalog, label: &str) -> LedgerRow {
    let ledger = catalog.ledger(&agent("a")).await.unwrap();
    ledger.into_iter().find(|row| row.period.to_string() == label).unwrap()
}

async fn summary(catalog: &MemoryCatalog, label: &str) -> Option<Memory> {
    let id = MemoryId::summary(&agent("a"), label.parse().unwrap());
    catalog.get(&agent("a"), &[id]).await.unwrap().pop()
}

async fn text(catalog: &MemoryCatalog, label: &str) -> String {
    summary(catalog, label).await.map_or("-".into(), |memory| memory.text)
}

/// Returns a catalog with five rolled-up turns; those of 4 March are pruned.
async fn sealed() -> Arc<MemoryCatalog> {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    pass(&catalog).await;
    seal(&catalog, "2026-03-04").await;
    catalog
}

#[tokio::test]
async fn sealing_alone_changes_nothing() {
    let catalog = sealed().await;
    assert_eq!(pass(&catalog).await, Passed::default());
    assert_eq!(text(&catalog, "2026-03-04").await, "left Rome\nin Oslo");
    assert_eq!(over(catalog).coverage(&agent("a"), at(NOW)).await.unwrap(), []);
}

#[tokio::test]
async fn late_input_amends_the_base_once() {
    let catalog = sealed().await;
    let before = summary(&catalog, "2026-03-04").await.unwrap();
    let late = turn(&agent("a"), "2026-03-04T08:00:00Z", "early train");
    ingest(&catalog, vec![late.clone()]).await;
    assert_eq!(pass(&catalog).await.written, [1, 1, 1, 1, 1]);
    let after = summary(&catalog, "2026-03-04").await.unwrap();
    assert_eq!(after.text, "left Rome\nin Oslo\nearly train");
    assert_eq!(after.sources(), [before.sources(), &[late.id]].concat());
    assert_eq!(pass(&catalog).await, Passed::default());
    assert_eq!(over(catalog).coverage(&agent("a"), at(NOW)).await.unwrap(), []);
}

#[tokio::test]
async fn withdrawn_late_input_leaves_the_base() {
    let catalog = sealed().await;
    let before = summary(&catalog, "2026-03-04").await.unwrap();
    let turn_at = |at_: &str| {
        let turn_at = annals_testkit::message(at_, "early train");
        annals_testkit::turn_of(&agent("a"), Message { client_id: Some("moved".into()), ..turn_at })
    };
    ingest(&catalog, vec![turn_at("2026-03-04T08:00:00Z")]).await;
    pass(&catalog).await;
    catalog.ingest(&agent("a"), vec![turn_at("2026-03-03T08:00:00Z")], OnConflict::Revise, at(NOW)).await.unwrap();
    assert_eq!(pass(&catalog).await.removed, 0);
    let after = summary(&catalog, "2026-03-04").await.unwrap();
    assert_eq!((&after.text, after.sources()), (&before.text, before.sources()));
}

#[tokio::test]
async fn amended_period_is_sealed_with_its_late_input() {
    let catalog = sealed().await;
    for (said_at, text) in [("2026-03-04T08:00:00Z", "early train"), ("2026-03-04T23:00:00Z", "late show")] {
        ingest(&catalog, vec![turn(&agent("a"), said_at, text)]).await;
        pass(&catalog).await;
        seal(&catalog, "2026-03-04").await;
    }
    assert_eq!(text(&catalog, "2026-03-04").await, "left Rome\nin Oslo\nearly train\nlate show");
    assert_eq!(pass(&catalog).await, Passed::default());
}

#[tokio::test]
async fn late_input_below_pruned_periods_reaches_the_sealed_ancestor() {
    let catalog = sealed().await;
    seal(&catalog, "2026-03-03").await;
    seal(&catalog, "2026-W10").await;
    assert_eq!(over(catalog.clone()).coverage(&agent("a"), at(NOW)).await.unwrap(), []);
    let week = text(&catalog, "2026-W10").await;
    ingest(&catalog, vec![turn(&agent("a"), "2026-03-04T08:00:00Z", "early train")]).await;
    pass(&catalog).await;
    assert_eq!(text(&catalog, "2026-03-04").await, "early train", "the rest is in the base of the week");
    assert_eq!(text(&catalog, "2026-W10").await, format!("{week}\nearly train"));
    assert_eq!(text(&catalog, "2026-03-03").await, "-");
    assert_eq!(over(catalog.clone()).coverage(&agent("a"), at(NOW)).await.unwrap(), []);
    assert_eq!(pass(&catalog).await, Passed::default());
}

/// An import is sent again after its turns and their day were pruned. Its input is summarised already.
#[tokio::test]
async fn pruned_input_sent_again_changes_nothing() {
    let catalog = sealed().await;
    seal(&catalog, "2026-03-03").await;
    seal(&catalog, "2026-W10").await;
    let week = text(&catalog, "2026-W10").await;
    ingest(&catalog, days()).await;
    assert_eq!(pass(&catalog).await, Passed::default());
    assert_eq!(text(&catalog, "2026-W10").await, week);
    assert_eq!(over(catalog).coverage(&agent("a"), at(NOW)).await.unwrap(), []);
}
