//! Refreshing: summaries of another recipe are rewritten, unless a person wrote them or their input was pruned.

use annals_core::ports::Seals;

use super::*;

async fn refresh(catalog: &Arc<MemoryCatalog>) -> Passed {
    with(catalog, Arc::new(Shouting)).refresh(&agent("a"), at(NOW), &|_| ()).await.unwrap()
}

async fn quiet(catalog: &MemoryCatalog) -> Vec<String> {
    let others = summaries(catalog).await.into_iter().filter(|summary| !summary.contains("\"HO\""));
    others.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn new_recipe_rewrites_only_on_refresh() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    pass(&catalog).await;
    let other = with(&catalog, Arc::new(Shouting));
    assert_eq!(other.pass(&agent("a"), at(NOW), &|_| ()).await.unwrap(), Passed::default());
    assert_eq!(other.plan(&agent("a"), true, at(NOW)).await.unwrap().periods.len(), 12);
    assert_eq!(refresh(&catalog).await.written, [4, 3, 2, 2, 1]);
    assert_eq!(quiet(&catalog).await, [""; 0]);
    assert_eq!(refresh(&catalog).await, Passed::default());
}

/// Corrects a summary like the archive does.
async fn correct(catalog: &MemoryCatalog, label: &str, text: &str) {
    let period = label.parse().unwrap();
    let ledger = catalog.ledger(&agent("a")).await.unwrap();
    let row = ledger.iter().find(|row| row.period == period).unwrap();
    let inputs = catalog.inputs(&agent("a"), period).await.unwrap();
    let corrected = Summary {
        recipe: LedgerRow::corrected_by_a_person(),
        input_digest: row.input_digest.unwrap(),
        replaces: row.rolled_up(),
        ..annals_testkit::summary(label, row.dirty_seq, &[inputs[0].id.clone()], text)
    };
    catalog.save_summaries(&agent("a"), vec![corrected], at(NOW)).await.unwrap();
}

#[tokio::test]
async fn corrected_summary_survives_a_refresh() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    pass(&catalog).await;
    correct(&catalog, "2026-03-11", "It snowed.").await;
    pass(&catalog).await;
    refresh(&catalog).await;
    assert_eq!(quiet(&catalog).await, ["2026-03-11"]);
}

#[tokio::test]
async fn sealed_summary_stays_and_pruned_one_is_not_recreated() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    pass(&catalog).await;
    for label in ["2026-03-11", "2026-W11"] {
        let sets = catalog.children(&agent("a")).await.unwrap();
        let set = sets.iter().find(|set| set.parent.to_string() == label).unwrap();
        let ledger = catalog.ledger(&agent("a")).await.unwrap();
        let row = ledger.iter().find(|row| row.period == set.parent).unwrap();
        catalog.seal(&agent("a"), set, row.clean_seq).await.unwrap();
    }
    let passed = refresh(&catalog).await;
    assert_eq!((passed.written, passed.removed), ([3, 2, 2, 2, 1], 0));
    assert_eq!(quiet(&catalog).await, ["2026-W11"]);
    let covered = over(catalog).coverage(&agent("a"), at(NOW)).await.unwrap();
    assert_eq!(covered, []);
}

/// An engine that records its requests and answers none.
#[derive(Default)]
struct Counting(parking_lot::Mutex<Vec<(String, usize)>>);

#[async_trait::async_trait]
impl Engine for Counting {
    fn recipe(&self, _: &Settings, grain: Grain) -> annals_core::Digest {
        annals_core::Digest::of(["counting", grain.as_str()])
    }

    fn writes_locally(&self, _: &Settings, _: Grain) -> bool {
        false
    }

    async fn summarize(&self, task: annals_core::ports::SummaryTask<'_>) -> Result<annals_core::Draft> {
        assert!(task.background.is_some(), "the request of a roll-up has a background");
        self.0.lock().push((task.period.to_string(), task.sources.len()));
        Err(annals_core::Error::InBatch)
    }
}

/// Counts the requests of a refresh. Returns each with the number of its sources, and what was not counted.
async fn count(catalog: &Arc<MemoryCatalog>) -> (Vec<(String, usize)>, Vec<crate::Waiting>) {
    let engine = Arc::new(Counting::default());
    let waiting = with(catalog, engine.clone()).ask_for_due(&agent("a"), true, at(NOW)).await.unwrap();
    (std::mem::take(&mut *engine.0.lock()), waiting)
}

#[tokio::test]
async fn estimate_of_a_refresh_counts_the_input_of_every_summary_that_is_rewritten() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    pass(&catalog).await;
    let (counted, waiting) = count(&catalog).await;
    assert_eq!((counted.len(), waiting), (12, vec![]));
    let of = |label: &str| counted.iter().find(|(period, _)| period == label).map(|(_, sources)| *sources);
    assert_eq!((of("2026-03-04"), of("2026-W10"), of("2026")), (Some(2), Some(2), Some(2)));
}

#[tokio::test]
async fn estimate_of_a_week_includes_its_finished_days() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    pass(&catalog).await;
    ingest(&catalog, vec![turn(&agent("a"), "2026-03-05T08:00:00Z", "rain")]).await;
    let waiting = over(catalog).ask_for_due(&agent("a"), false, at(NOW)).await.unwrap();
    assert_eq!(waiting[0], crate::Waiting { grain: Grain::Weekly, periods: 1, sources: 3 });
}
