//! Tests of a change of the embedding model: every store call fails once, the change is reverted, or the former model
//! no longer exists.

use std::sync::Arc;

use annals_core::ports::{Building, OnConflict, Table, Watermark};
use annals_core::prelude::*;
use annals_core::{Agent, Grain, Result, Strata};
use annals_testkit::{Faulty, MemoryCatalog, MemoryStrata, WordEmbedder, WordEmbedders, agent, at, message};

use crate::Writer;
use crate::reembed::Reembedding;

const NOW: &str = "2026-03-05T00:00:00Z";
const OTHER: &str = "words-2";

/// An agent with messages in a table of the first model.
struct Fixture {
    strata: Arc<MemoryStrata>,
    catalog: Arc<MemoryCatalog>,
}

fn first() -> WordEmbedder {
    WordEmbedder::new()
}

fn second() -> WordEmbedder {
    WordEmbedder::of(OTHER, 48)
}

fn me() -> Agent {
    agent("a")
}

impl Fixture {
    async fn new(messages: usize) -> Fixture {
        let fixture = Fixture { strata: Arc::new(MemoryStrata::new()), catalog: Arc::new(MemoryCatalog::new()) };
        let writer = fixture.writer(first(), vec![]);
        for number in 0..messages {
            say(&writer, &format!("number {number}")).await.unwrap();
        }
        project(&writer).await.unwrap();
        fixture
    }

    fn writer(&self, configured: WordEmbedder, others: Vec<WordEmbedder>) -> Writer {
        let embedders = Arc::new(WordEmbedders::new(configured, others));
        Writer::new(self.catalog.clone(), self.strata.clone(), embedders)
    }

    async fn watermark(&self) -> Watermark {
        self.catalog.watermark(&me(), Grain::Working).await.unwrap()
    }

    async fn model(&self) -> String {
        self.watermark().await.model.unwrap().name
    }

    async fn rows(&self) -> usize {
        let generation = self.watermark().await.generation;
        self.strata.scan(&Table { agent: me(), grain: Grain::Working, generation }).await.unwrap().len()
    }

    async fn generations(&self) -> Vec<u32> {
        let mut found: Vec<u32> =
            self.strata.generations(&me()).await.unwrap().iter().map(|table| table.generation).collect();
        found.dedup();
        found
    }
}

async fn say(writer: &Writer, text: &str) -> Result<()> {
    writer.ingest(&me(), vec![message("2026-03-04T10:00:00Z", text)], OnConflict::Refuse, at(NOW)).await.map(|_| ())
}

async fn project(writer: &Writer) -> Result<()> {
    writer.project(&me(), at(NOW), &|_| ()).await.map(|_| ())
}

/// Returns the agents with a table to embed again.
async fn due(writer: &Writer) -> Vec<Agent> {
    writer.store.agents_to_reembed(&writer.configured_model()).await.unwrap()
}

async fn reembed(writer: &Writer) -> Result<()> {
    while writer.reembed_some(&me(), at(NOW), 2).await?.is_some() {}
    Ok(())
}

#[tokio::test]
async fn tables_are_embedded_again_only_by_the_change_of_model() {
    let fixture = Fixture::new(3).await;
    let writer = fixture.writer(second(), vec![first()]);
    assert_eq!(due(&writer).await, [me()]);
    project(&writer).await.unwrap();
    assert_eq!((fixture.model().await.as_str(), fixture.rows().await), ("words-1", 3), "projection leaves it alone");
    let expected = Reembedding { from: vec!["words-1".into()], done: 0, total: 3 };
    assert_eq!(writer.reembedding(&me()).await.unwrap(), expected);
    reembed(&writer).await.unwrap();
    assert_eq!((fixture.model().await.as_str(), fixture.rows().await), (OTHER, 3));
    assert_eq!(fixture.generations().await, [1], "the former generation is removed");
    assert_eq!(writer.audit(&me()).await.unwrap(), []);
    assert_eq!(writer.reembedding(&me()).await.unwrap(), Reembedding::default());
    assert_eq!(due(&writer).await, []);
}

/// New memories are searchable at once, by the model of the table that answers.
#[tokio::test]
async fn messages_that_arrive_meanwhile_reach_both_generations() {
    let fixture = Fixture::new(3).await;
    let writer = fixture.writer(second(), vec![first()]);
    assert_eq!(writer.reembed_some(&me(), at(NOW), 2).await.unwrap(), Some(2));
    assert_eq!(writer.reembedding(&me()).await.unwrap().done, 2);
    say(&writer, "a new one").await.unwrap();
    project(&writer).await.unwrap();
    assert_eq!((fixture.model().await.as_str(), fixture.rows().await), ("words-1", 4));
    reembed(&writer).await.unwrap();
    assert_eq!((fixture.model().await.as_str(), fixture.rows().await), (OTHER, 4));
    assert_eq!(writer.audit(&me()).await.unwrap(), []);
}

#[tokio::test]
async fn former_model_set_again_drops_the_unfinished_generation() {
    let fixture = Fixture::new(3).await;
    let before = fixture.watermark().await;
    fixture.writer(second(), vec![first()]).reembed_some(&me(), at(NOW), 2).await.unwrap();
    let counted = WordEmbedders::new(first(), vec![]);
    let back = Writer::new(fixture.catalog.clone(), fixture.strata.clone(), Arc::new(counted.clone()));
    assert_eq!(due(&back).await, [me()]);
    reembed(&back).await.unwrap();
    assert_eq!((fixture.watermark().await, fixture.generations().await), (before, vec![0]));
    assert_eq!(counted.embedded(), 0);
    assert_eq!(due(&back).await, []);
}

#[tokio::test]
async fn third_model_begins_the_generation_again() {
    let fixture = Fixture::new(3).await;
    fixture.writer(second(), vec![first()]).reembed_some(&me(), at(NOW), 2).await.unwrap();
    let third = fixture.writer(WordEmbedder::of("words-3", 32), vec![first(), second()]);
    reembed(&third).await.unwrap();
    assert_eq!((fixture.model().await.as_str(), fixture.rows().await), ("words-3", 3));
    assert_eq!(third.audit(&me()).await.unwrap(), []);
}

/// If the former model no longer exists, its vectors are given up as soon as a new memory has to be written. Until the tables
/// are embedded again, words alone find memories.
#[tokio::test]
async fn new_messages_get_placeholders_if_the_model_cannot_be_opened() {
    let fixture = Fixture::new(2).await;
    let writer = fixture.writer(second(), vec![]);
    project(&writer).await.unwrap();
    assert_eq!(fixture.model().await, "words-1", "nothing was to be written");
    say(&writer, "a new one").await.unwrap();
    project(&writer).await.unwrap();
    assert_eq!((fixture.model().await.as_str(), fixture.rows().await), ("", 3));
    let back = fixture.writer(first(), vec![]);
    reembed(&back).await.unwrap();
    assert_eq!((fixture.model().await.as_str(), fixture.rows().await), ("words-1", 3));
    assert_eq!(back.audit(&me()).await.unwrap(), []);
}

#[tokio::test]
async fn damaged_table_is_replaced_by_the_generation_that_was_begun() {
    let fixture = Fixture::new(4).await;
    let counted = WordEmbedders::new(second(), vec![first()]);
    let writer = Writer::new(fixture.catalog.clone(), fixture.strata.clone(), Arc::new(counted.clone()));
    writer.reembed_some(&me(), at(NOW), 3).await.unwrap();
    fixture.strata.remove(&Table { agent: me(), grain: Grain::Working, generation: 0 }).await.unwrap();
    writer.rebuild_damaged(&me(), at(NOW)).await.unwrap();
    assert_eq!((fixture.model().await.as_str(), fixture.rows().await), (OTHER, 4));
    assert_eq!(counted.embedded(), 4, "what was done is kept");
}

/// An urgent rebuild that began before the setting changed is finished with the configured model, not dropped.
#[tokio::test]
async fn urgent_rebuild_goes_over_to_the_configured_model() {
    let fixture = Fixture::new(3).await;
    fixture.writer(second(), vec![first()]).schedule_rebuild(&me(), Grain::Working).await.unwrap();
    let back = fixture.writer(first(), vec![]);
    assert_eq!(due(&back).await, []);
    assert_eq!(back.reembed_some(&me(), at(NOW), 9).await.unwrap(), None);
    project(&back).await.unwrap();
    let watermark = fixture.watermark().await;
    assert_eq!((watermark.generation, watermark.building, fixture.rows().await), (1, None, 3));
    assert_eq!(fixture.model().await, "words-1");
}

/// Whichever store call fails, the present table stays complete and has vectors of one model, and the next attempt finishes the
/// work.
#[tokio::test]
async fn interrupted_change_of_model_continues() {
    for call in 1.. {
        let fixture = Fixture::new(5).await;
        let strata = Arc::new(Faulty::at_call((*fixture.strata).clone(), call));
        let catalog = Arc::new(Faulty::at_call((*fixture.catalog).clone(), call));
        let embedders = Arc::new(WordEmbedders::new(second(), vec![first()]));
        for faulty in [
            Writer::new(fixture.catalog.clone(), strata.clone(), embedders.clone()),
            Writer::new(catalog.clone(), fixture.strata.clone(), embedders.clone()),
        ] {
            while let Ok(Some(_)) = faulty.reembed_some(&me(), at(NOW), 2).await {
                check_whole(&fixture, call).await;
            }
            check_whole(&fixture, call).await;
        }
        let writer = fixture.writer(second(), vec![first()]);
        reembed(&writer).await.unwrap();
        assert_eq!((fixture.model().await.as_str(), fixture.rows().await), (OTHER, 5), "failing call {call}");
        assert_eq!(writer.audit(&me()).await.unwrap(), [], "failing call {call}");
        if strata.calls() < call && catalog.calls() < call {
            break;
        }
    }
}

async fn check_whole(fixture: &Fixture, call: u64) {
    let Watermark { model, building, .. } = fixture.watermark().await;
    assert_eq!(fixture.rows().await, 5, "failing call {call}");
    let model = model.unwrap();
    assert!(building.is_none_or(|Building { model: next, .. }| next != model), "failing call {call}");
}
