//! Tests of the projection of changes, over in-memory stores with injected faults.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

use annals_core::ports::{OnConflict, Select, Stored};
use annals_core::prelude::*;
use annals_core::{Embedder, Embedders, Strata};
use annals_testkit::{
    Faulty, MemoryCatalog, MemoryStrata, WordEmbedder, WordEmbedders, agent, at, message, one_embedder,
};
use async_trait::async_trait;

use super::*;

const NOW: &str = "2026-03-05T00:00:00Z";

fn table() -> Table {
    Table { agent: agent("a"), grain: Grain::Working, generation: 0 }
}

async fn ingest(writer: &Writer, texts: &[&str]) {
    let messages = texts.iter().map(|text| message("2026-03-04T10:00:00Z", text)).collect();
    writer.ingest(&agent("a"), messages, OnConflict::Refuse, at(NOW)).await.unwrap();
}

async fn project(writer: &Writer) -> Result<Projected> {
    writer.project(&agent("a"), at(NOW), &|_| ()).await
}

fn writer(catalog: MemoryCatalog, strata: &Arc<MemoryStrata>, embedder: impl Embedder + 'static) -> Writer {
    Writer::new(Arc::new(catalog), strata.clone(), one_embedder(embedder))
}

#[tokio::test]
async fn messages_become_rows_once() {
    let (strata, embedders) = (Arc::new(MemoryStrata::new()), WordEmbedders::new(WordEmbedder::new(), Vec::new()));
    let catalog = Arc::new(MemoryCatalog::new());
    let writer = Writer::new(catalog.clone(), strata.clone(), Arc::new(embedders.clone()));
    ingest(&writer, &["one", "two", "two"]).await;
    assert_eq!(writer.backlog(&agent("a")).await.unwrap(), 3);
    assert_eq!(project(&writer).await.unwrap(), Projected { applied: 3, ..Projected::default() });
    assert_eq!(project(&writer).await.unwrap(), Projected::default());
    assert_eq!((strata.scan(&table()).await.unwrap().len(), embedders.embedded()), (3, 3));
}

/// An embedder that is so slow that a client sends the next message meanwhile.
struct Slow {
    client: Writer,
    sent: AtomicU32,
}

#[async_trait]
impl Embedder for Slow {
    fn model(&self) -> &'static str {
        "slow"
    }

    fn dimension(&self) -> usize {
        WordEmbedder::new().dimension()
    }

    fn split(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        WordEmbedder::new().split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let sent = self.sent.fetch_add(1, SeqCst);
        assert!(sent < 5, "the projection follows a client without end");
        ingest(&self.client, &[&sent.to_string()]).await;
        WordEmbedder::new().embed(texts).await
    }
}

/// A forgetting holds the locks of its agent until its tables are projected.
#[tokio::test]
async fn projection_ends_while_a_client_sends_without_a_pause() {
    let (catalog, strata) = (Arc::new(MemoryCatalog::new()), Arc::new(MemoryStrata::new()));
    let client = Writer::new(catalog.clone(), strata.clone(), one_embedder(WordEmbedder::new()));
    let embedder = Slow { client: client.clone(), sent: AtomicU32::new(0) };
    let writer = Writer::new(catalog, strata.clone(), one_embedder(embedder));
    ingest(&client, &["one", "two"]).await;
    assert_eq!(project(&writer).await.unwrap().applied, 2);
    assert_eq!(writer.backlog(&agent("a")).await.unwrap(), 1);
    // A table that is lost while he sends is built again, too.
    strata.remove(&table()).await.unwrap();
    writer.rebuild_damaged(&agent("a"), at(NOW)).await.unwrap();
    let watermark = client.store.watermark(&agent("a"), Grain::Working).await.unwrap();
    assert_eq!((watermark.generation, watermark.building), (1, None));
    assert_eq!(writer.backlog(&agent("a")).await.unwrap(), 1);
}

#[tokio::test]
async fn long_text_becomes_several_rows_of_one_memory() {
    let strata = Arc::new(MemoryStrata::new());
    let writer = writer(MemoryCatalog::new(), &strata, WordEmbedder::new());
    ingest(&writer, &[&"word ".repeat(100)]).await;
    project(&writer).await.unwrap();
    let rows = strata.scan(&table()).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.part).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(rows.iter().all(|row| row.memory == rows[0].memory));
}

#[tokio::test]
async fn parts_have_the_language_of_their_text_or_else_the_agents() {
    let (strata, catalog) = (Arc::new(MemoryStrata::new()), Arc::new(MemoryCatalog::new()));
    let writer = Writer::new(catalog.clone(), strata, one_embedder(WordEmbedder::new()));
    let both = format!(
        "{}{}",
        "Wir haben das Haus noch nicht verkauft. ".repeat(8),
        "They have not sold the house yet. ".repeat(30)
    );
    let texts =
        ["Wir haben das Haus noch nicht verkauft.", "They have not sold the house.", "OK", "我搬到了柏林", &both];
    ingest(&writer, &texts).await;
    let memories = catalog.list(&agent("a"), &Select::rows(Grain::Working)).await.unwrap();
    let languages = |text: &str, agents: &str| -> Vec<String> {
        let memory = memories.iter().find(|memory| memory.text == text).unwrap();
        let mut languages: Vec<String> =
            split(&WordEmbedder::new(), memory, agents).into_iter().map(|part| part.language).collect();
        languages.dedup();
        languages
    };
    for (text, en, es) in [(0, "de", "de"), (1, "en", "en"), (2, "en", "es"), (3, "en", "es")] {
        assert_eq!([languages(texts[text], "en"), languages(texts[text], "es")], [[en], [es]], "{}", texts[text]);
    }
    assert_eq!(languages(&both, "en"), ["de", "en"]);
}

/// Every store call in turn fails once; the next attempt must end like a run without failures.
#[tokio::test]
async fn failure_of_any_store_call_changes_nothing_in_the_end() {
    let texts = ["one", "two", "three"];
    let undisturbed = rows_after_failure_at(0, &texts).await.0;
    assert_eq!(undisturbed.len(), texts.len());
    for call in 1.. {
        let (rows, calls) = rows_after_failure_at(call, &texts).await;
        assert_eq!(rows, undisturbed, "failing call {call}");
        if calls < call {
            break;
        }
    }
}

async fn rows_after_failure_at(call: u64, texts: &[&str]) -> (Vec<Stored>, u64) {
    let strata = Arc::new(MemoryStrata::new());
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&Writer::new(catalog.clone(), strata.clone(), one_embedder(WordEmbedder::new())), texts).await;
    let faulty = Arc::new(Faulty::at_call((*strata).clone(), call));
    let writer = Writer::new(catalog.clone(), faulty.clone(), one_embedder(WordEmbedder::new()));
    let _ = project(&writer).await;
    project(&writer).await.unwrap();
    (strata.scan(&table()).await.unwrap(), faulty.calls())
}

#[tokio::test]
async fn outage_loses_nothing_and_adds_no_dead_letter() {
    let strata = Arc::new(MemoryStrata::new());
    let writer = writer(MemoryCatalog::new(), &strata, Faulty::at_call(WordEmbedder::new(), 1));
    ingest(&writer, &["one"]).await;
    assert!(matches!(project(&writer).await, Err(Error::Unavailable { .. })));
    assert_eq!(writer.backlog(&agent("a")).await.unwrap(), 1);
    assert_eq!(project(&writer).await.unwrap().applied, 1);
}

/// An embedder that has another writer bring the table up to date while it embeds.
struct Overtaken {
    embedder: WordEmbedder,
    other: Writer,
    times: AtomicU32,
}

#[async_trait]
impl Embedder for Overtaken {
    fn model(&self) -> &str {
        self.embedder.model()
    }

    fn dimension(&self) -> usize {
        self.embedder.dimension()
    }

    fn split(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        self.embedder.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        if let Ok(left) = self.times.fetch_update(SeqCst, SeqCst, |times| times.checked_sub(1)) {
            ingest(&self.other, &[&format!("more {left}")]).await;
            project(&self.other).await.unwrap();
            ingest(&self.other, &[&format!("rest {left}")]).await;
        }
        self.embedder.embed(texts).await
    }
}

/// A writer that another one has overtaken reads the watermark again, and does not save its old watermark over the newer one.
#[tokio::test]
async fn overtaken_writer_reads_the_watermark_again() {
    for (times, applied) in [(1, Some(1)), (2, Some(1)), (3, None)] {
        let (strata, catalog) = (Arc::new(MemoryStrata::new()), Arc::new(MemoryCatalog::new()));
        let other = Writer::new(catalog.clone(), strata.clone(), one_embedder(WordEmbedder::new()));
        ingest(&other, &["one", "two"]).await;
        let overtaken = Overtaken { embedder: WordEmbedder::new(), other, times: times.into() };
        let slow = Writer::new(catalog.clone(), strata.clone(), one_embedder(overtaken));
        assert_eq!(project(&slow).await.map(|done| done.applied).ok(), applied, "overtaken {times} times");
        project(&slow).await.unwrap();
        let (rows, stored) = (strata.scan(&table()).await.unwrap().len(), u64::from(2 + 2 * times));
        assert_eq!(
            (rows as u64, catalog.watermark(&agent("a"), Grain::Working).await.unwrap().applied),
            (stored, stored)
        );
    }
}

#[tokio::test]
async fn refused_text_becomes_a_dead_letter_and_projection_continues() {
    let (strata, catalog) = (Arc::new(MemoryStrata::new()), Arc::new(MemoryCatalog::new()));
    let picky = one_embedder(Faulty::refusing(WordEmbedder::new(), "POISON"));
    let writer = Writer::new(catalog.clone(), strata.clone(), picky);
    ingest(&writer, &["one", "POISON", "three"]).await;
    let projected = project(&writer).await.unwrap();
    assert_eq!((projected.applied, projected.dead), (3, 1));
    assert_eq!(strata.scan(&table()).await.unwrap().len(), 2);
    assert_eq!(catalog.dead_letters(&agent("a")).await.unwrap()[0].error, "content is refused");
    assert_eq!(writer.audit(&agent("a")).await.unwrap(), [], "a dead letter is not a missing row");

    assert_eq!(writer.revive(&agent("a")).await.unwrap(), 0, "still refused");
    let repaired = Writer::new(catalog.clone(), strata.clone(), one_embedder(WordEmbedder::new()));
    assert_eq!(repaired.revive(&agent("a")).await.unwrap(), 1);
    assert_eq!(strata.scan(&Table { generation: 1, ..table() }).await.unwrap().len(), 3);
    assert_eq!(catalog.dead_letters(&agent("a")).await.unwrap(), []);
}

/// A model that embeds only texts for which the given function returns true, and refuses others as endpoints do.
struct Picky(fn(&str) -> bool);

#[async_trait]
impl Embedder for Picky {
    fn model(&self) -> &'static str {
        "picky"
    }

    fn dimension(&self) -> usize {
        WordEmbedder::new().dimension()
    }

    fn split(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        WordEmbedder::new().split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        match texts.iter().all(|text| self.0(text)) {
            true => WordEmbedder::new().embed(texts).await,
            false => Err(Error::model("embedding", "it refused the request with status 400")),
        }
    }
}

#[tokio::test]
async fn text_that_a_model_refuses_becomes_a_dead_letter_unless_the_model_refuses_everything() {
    async fn check(accepts: fn(&str) -> bool, expect: Option<(u64, u64)>) {
        let (strata, catalog) = (Arc::new(MemoryStrata::new()), Arc::new(MemoryCatalog::new()));
        let writer = Writer::new(catalog.clone(), strata.clone(), one_embedder(Picky(accepts)));
        ingest(&writer, &["one", "POISON", "three"]).await;
        let projected = project(&writer).await.ok().map(|done| (done.applied, done.dead));
        assert_eq!(projected, expect);
        let letters = catalog.dead_letters(&agent("a")).await.unwrap().len() as u64;
        assert_eq!(letters, expect.map_or(0, |(_, dead)| dead));
        if letters > 0 {
            assert_eq!(writer.revive(&agent("a")).await.unwrap(), 0, "still refused");
        }
        assert_eq!(writer.backlog(&agent("a")).await.unwrap(), if expect.is_some() { 0 } else { 3 });
    }
    check(|_| true, Some((3, 0))).await;
    check(|text| !text.contains("POISON"), Some((3, 1))).await;
    check(|_| false, None).await;
    // After the first text the model refuses everything, the probe included, so no single text is at fault.
    check(|text| text == "one", None).await;
}

/// Embedders for a configured model that cannot be opened. It may be the model of the table.
struct Closed;

#[async_trait]
impl Embedders for Closed {
    fn configured(&self) -> Arc<dyn Embedder> {
        Arc::new(Picky(|_| false))
    }

    async fn by_model(&self, _model: &str) -> Result<Option<Arc<dyn Embedder>>> {
        Err(Error::unavailable("opening the model", "its folder is missing"))
    }
}

#[tokio::test]
async fn model_that_cannot_be_opened_stops_texts_but_no_deletions_and_stays_that_of_the_table() {
    let (strata, catalog) = (Arc::new(MemoryStrata::new()), Arc::new(MemoryCatalog::new()));
    let before = writer((*catalog).clone(), &strata, WordEmbedder::new());
    ingest(&before, &["one"]).await;
    project(&before).await.unwrap();
    let read = catalog.watermark(&agent("a"), Grain::Working).await.unwrap();
    let closed = Writer::new(catalog.clone(), strata.clone(), Arc::new(Closed));
    ingest(&closed, &["two"]).await;
    assert!(matches!(project(&closed).await, Err(Error::Unavailable { .. })));
    assert_eq!(catalog.watermark(&agent("a"), Grain::Working).await.unwrap(), read);
    let embedder = closed.embedder_of(&read).await.unwrap().unwrap();
    let deletion = Change::Delete { id: strata.scan(&table()).await.unwrap()[0].memory.clone(), seq: 9 };
    closed.apply(&table(), &*embedder, &[deletion], "en").await.unwrap();
    assert!(strata.scan(&table()).await.unwrap().is_empty());
    assert_eq!(project(&before).await.unwrap().applied, 1);
}
