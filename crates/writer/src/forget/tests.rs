use annals_core::ports::{OnConflict, Strata};
use annals_core::prelude::*;
use annals_core::{Facts, Message, identify};
use annals_testkit::{Faulty, MemoryCatalog, MemoryFacts, MemoryStrata, agent, at, building, message, period, summary};

use super::*;
use crate::Discrepancy;
use crate::fixture::{Fixture, NOW};

/// Creates turns, statements, facts, summaries and rows about Bob, and some about Ann.
async fn fixture() -> Fixture {
    let fixture = Fixture::new();
    for (minute, text) in [(1, "Bob likes figs in winter."), (2, "Ann likes tea in winter.")] {
        fixture.say(["x", "y"][minute as usize % 2], minute, text).await;
    }
    fixture.fact_writer().extract(&agent("a"), at(NOW), &|_| ()).await.unwrap();
    roll_up(&fixture, "Bob likes figs in winter. Ann likes tea in winter.").await;
    fixture.writer().project(&agent("a"), at(NOW), &|_| ()).await.unwrap();
    fixture
}

/// Saves a summary of the day with this text, as the summarizer would.
async fn roll_up(fixture: &Fixture, text: &str) {
    let day = period("2026-03-04");
    let sources: Vec<_> =
        fixture.catalog.inputs(&agent("a"), day).await.unwrap().into_iter().map(|turn| turn.id).collect();
    let ledger = fixture.catalog.ledger(&agent("a")).await.unwrap();
    let read = ledger.iter().find(|row| row.period == day).map_or(0, |row| row.dirty_seq);
    let roll_up = summary("2026-03-04", read, &sources, text);
    let roll_up = annals_testkit::replacing(&fixture.catalog, &agent("a"), roll_up).await;
    fixture.catalog.save_summaries(&agent("a"), vec![roll_up], at(NOW)).await.unwrap();
}

async fn locations(fixture: &Fixture, word: &str) -> Vec<String> {
    fixture.eraser().prove(&agent("a"), &[word.into()]).await.unwrap()
}

async fn assert_forgotten(fixture: &Fixture) {
    assert_eq!(locations(fixture, "Bob").await, [""; 0]);
    assert_eq!(locations(fixture, "figs").await, [""; 0]);
    assert_eq!(fixture.writer().audit(&agent("a")).await.unwrap(), []);
    assert!(!fixture.fact_writer().facts_differ(&agent("a")).await.unwrap());
    assert_eq!(fixture.eraser().pending_cleanings().await.unwrap(), []);
}

#[tokio::test]
async fn forgotten_text_is_found_nowhere_and_the_rest_stays() {
    let fixture = fixture().await;
    assert!(locations(&fixture, "figs").await.len() >= 4, "{:?}", locations(&fixture, "figs").await);
    let eraser = fixture.eraser();
    let target = Target::Subject("bob".into());
    let report = eraser.preview(&agent("a"), &target).await.unwrap();
    assert_eq!(eraser.erase(&agent("a"), &target, at(NOW)).await.unwrap(), report);
    assert_eq!(
        (report.turns.len(), report.statements.len(), report.operations.len(), report.rebuilt.len()),
        (1, 1, 1, 1)
    );
    roll_up(&fixture, "Ann likes tea in winter.").await;
    eraser.clean(&agent("a"), at(NOW)).await.unwrap();
    assert_eq!(eraser.prove(&agent("a"), &report.words).await.unwrap(), [""; 0]);
    assert!(!report.words.is_empty());
    assert_forgotten(&fixture).await;
    assert_eq!(fixture.held().await, ["Ann likes tea in winter"]);
    let left = fixture.strata.find_leftovers(&agent("a"), &["tea".into()]).await.unwrap();
    assert_eq!(left, ["working generation 1", "daily generation 1"], "no other generation is left");
}

#[tokio::test]
async fn forgotten_message_is_refused_until_unforgotten() {
    let fixture = Fixture::new();
    let message = message("2026-03-04T10:00:00Z", "My password is hunter2.");
    let ingest = async || {
        fixture.writer().ingest(&agent("a"), vec![message.clone()], OnConflict::Refuse, at(NOW)).await.unwrap()
    };
    assert_eq!((ingest().await.accepted, ingest().await.masked), (1, 1));
    let target = Target::Conversation("talk".into());
    fixture.eraser().erase(&agent("a"), &target, at(NOW)).await.unwrap();
    fixture.eraser().clean(&agent("a"), at(NOW)).await.unwrap();
    let again = ingest().await;
    assert_eq!((again.accepted, again.forgotten), (0, 1));

    let (prepared, _) = fixture.writer().prepare(&agent("a"), vec![message.clone()]).await.unwrap();
    let keyed: Vec<(TurnKey, Message)> = identify(&prepared).into_iter().zip(prepared).collect();
    fixture.eraser().unforget(&agent("a"), &keyed).await.unwrap();
    assert_eq!(ingest().await.accepted, 1);
}

#[tokio::test]
async fn forgotten_agent_loses_all_its_files() {
    let fixture = fixture().await;
    let eraser = fixture.eraser();
    eraser.erase(&agent("a"), &Target::Agent, at(NOW)).await.unwrap();
    eraser.clean(&agent("a"), at(NOW)).await.unwrap();
    eraser.clean(&agent("a"), at(NOW)).await.unwrap();
    assert_forgotten(&fixture).await;
    assert_eq!(locations(&fixture, "tea").await, [""; 0]);
    assert_eq!(fixture.facts.version(&agent("a")).await.unwrap(), 0);
    assert_eq!(fixture.catalog.all_agents().await.unwrap(), []);
}

/// The watermarks of an agent that is created again start at zero, so its former rows would count as live.
#[tokio::test]
async fn agent_created_again_before_cleaning_restores_nothing() {
    let fixture = fixture().await;
    fixture.eraser().erase(&agent("a"), &Target::Agent, at(NOW)).await.unwrap();
    fixture.say("z", 9, "Cid likes rye.").await;
    fixture.eraser().clean(&agent("a"), at(NOW)).await.unwrap();
    assert_forgotten(&fixture).await;
    assert_eq!(locations(&fixture, "rye").await.len(), 2);
}

#[tokio::test]
async fn half_built_generation_is_removed_too() {
    let fixture = fixture().await;
    let half = Table { agent: agent("a"), grain: Grain::Working, generation: 1 };
    fixture.strata.rewrite(&Table { generation: 0, ..half.clone() }, 1).await.unwrap();
    let watermark = fixture.catalog.watermark(&agent("a"), Grain::Working).await.unwrap();
    let half_built = Watermark { building: Some(building(1, watermark.applied)), ..watermark.clone() };
    fixture.catalog.save_watermark(&agent("a"), Grain::Working, watermark, half_built).await.unwrap();
    fixture.eraser().erase(&agent("a"), &Target::Subject("Bob".into()), at(NOW)).await.unwrap();
    fixture.eraser().clean(&agent("a"), at(NOW)).await.unwrap();
    assert_forgotten(&fixture).await;
}

struct FaultyStores {
    catalog: Arc<Faulty<MemoryCatalog>>,
    strata: Arc<Faulty<MemoryStrata>>,
    facts: Arc<Faulty<MemoryFacts>>,
}

impl FaultyStores {
    /// Returns stores; the one with index `which` fails at call number `call`.
    fn new(fixture: &Fixture, which: usize, call: u64) -> FaultyStores {
        let call = |store| if store == which { call } else { 0 };
        FaultyStores {
            catalog: Arc::new(Faulty::at_call(fixture.catalog.clone(), call(0))),
            strata: Arc::new(Faulty::at_call(fixture.strata.clone(), call(1))),
            facts: Arc::new(Faulty::at_call(fixture.facts.clone(), call(2))),
        }
    }

    fn eraser(&self, fixture: &Fixture) -> Eraser {
        let writer = fixture.writer_over(self.catalog.clone(), self.strata.clone());
        let facts = fixture.fact_writer_over(self.catalog.clone(), self.facts.clone());
        Eraser::new(writer, facts, self.catalog.clone())
    }

    fn calls(&self, which: usize) -> u64 {
        [self.catalog.calls(), self.strata.calls(), self.facts.calls()][which]
    }
}

async fn forget(eraser: &Eraser, target: &Target) -> Result<()> {
    eraser.erase(&agent("a"), target, at(NOW)).await?;
    eraser.clean(&agent("a"), at(NOW)).await
}

/// Every call of every store in turn fails once after the erasure, as if the process had ended there. A later pass lists the
/// agents to clean, and finishes.
#[tokio::test]
async fn interrupted_cleaning_is_pending_and_finished_later() {
    for target in [Target::Subject("Bob".into()), Target::Agent] {
        for which in 0..3 {
            for call in 1.. {
                let fixture = fixture().await;
                fixture.eraser().erase(&agent("a"), &target, at(NOW)).await.unwrap();
                let stores = FaultyStores::new(&fixture, which, call);
                let cleaned = stores.eraser(&fixture).clean(&agent("a"), at(NOW)).await;
                let pending = fixture.eraser().pending_cleanings().await.unwrap();
                assert_eq!(pending.is_empty(), cleaned.is_ok(), "call {call} of store {which}");
                for agent in pending {
                    fixture.eraser().clean(&agent, at(NOW)).await.unwrap();
                }
                assert_forgotten(&fixture).await;
                if stores.calls(which) < call {
                    break;
                }
            }
        }
    }
}

#[tokio::test]
async fn only_files_that_were_written_since_the_last_cleaning_are_copied() {
    let fixture = fixture().await;
    let eraser = fixture.eraser();
    let forget = async || {
        eraser.erase(&agent("a"), &Target::Subject("Bob".into()), at(NOW)).await.unwrap();
        eraser.clean_changed_files(&agent("a"), at(NOW)).await.unwrap();
        assert_eq!(eraser.pending_cleanings().await.unwrap(), []);
        fixture.catalog.watermark(&agent("a"), Grain::Working).await.unwrap().generation
    };
    let first = forget().await;
    assert_eq!(forget().await, first);
    fixture.say("z", 9, "Cid likes rye.").await;
    let second = forget().await;
    assert!(second > first, "what a write replaced may be in the files");
    eraser.forget_clean_state(&agent("a"));
    assert!(forget().await > second);
    assert_forgotten(&fixture).await;
}

#[tokio::test]
async fn agent_that_is_created_and_erased_again_is_cleaned_again() {
    let fixture = fixture().await;
    let eraser = fixture.eraser();
    for _ in 0..2 {
        eraser.erase(&agent("a"), &Target::Agent, at(NOW)).await.unwrap();
        eraser.clean_changed_files(&agent("a"), at(NOW)).await.unwrap();
        assert_eq!(locations(&fixture, "rye").await, [""; 0]);
        fixture.say("z", 9, "Cid likes rye.").await;
    }
}

/// The second erasure happens while the first is being cleaned.
#[tokio::test]
async fn erasure_during_a_cleaning_is_still_owed() {
    let fixture = fixture().await;
    let target = Target::Subject("Bob".into());
    fixture.eraser().erase(&agent("a"), &target, at(NOW)).await.unwrap();
    let (_, earlier) = fixture.catalog.pending_cleanings().await.unwrap().remove(0);
    fixture.eraser().erase(&agent("a"), &Target::Subject("Ann".into()), at(NOW)).await.unwrap();
    fixture.catalog.cleaned(&agent("a"), earlier).await.unwrap();
    assert_eq!(fixture.eraser().pending_cleanings().await.unwrap(), [agent("a")]);
    fixture.eraser().clean(&agent("a"), at(NOW)).await.unwrap();
    assert_eq!(fixture.eraser().pending_cleanings().await.unwrap(), []);
}

/// Every call of every store in turn fails once; forgetting the same target again finishes the work.
#[tokio::test]
async fn failure_of_any_call_is_finished_by_forgetting_again() {
    for target in [Target::Subject("Bob".into()), Target::Agent] {
        for which in 0..3 {
            for call in 1.. {
                let fixture = fixture().await;
                let stores = FaultyStores::new(&fixture, which, call);
                let _ = forget(&stores.eraser(&fixture), &target).await;
                let between = fixture.writer().audit(&agent("a")).await.unwrap();
                assert!(
                    !between.iter().any(|fault| matches!(fault, Discrepancy::Missing(..))),
                    "what stays is searchable"
                );
                forget(&fixture.eraser(), &target).await.unwrap();
                assert_forgotten(&fixture).await;
                if stores.calls(which) < call {
                    break;
                }
            }
        }
    }
}
