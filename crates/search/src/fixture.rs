//! In-memory stores for the tests of this crate, filled through the ports.

use std::sync::Arc;

use annals_core::ports::{Batch, Change, OnConflict, Part, Table, Turn, VectorModel, Watermark};
use annals_core::prelude::*;
use annals_core::{Answer, Body, Embedder, Grain, Memory, MemoryId, Period, Query, Role, Strata, Zones};
use annals_testkit::{
    MemoryCatalog, MemoryFacts, MemoryStrata, WordEmbedder, agent, at, message, one_embedder, set_watermark, summary,
    turn_of,
};

use crate::Search;

/// The time of every query by [`World::ask`].
pub(crate) const NOW: &str = "2026-03-10T12:00:00Z";

/// Stores in memory and a search over them.
pub(crate) struct World {
    pub(crate) catalog: MemoryCatalog,
    pub(crate) strata: MemoryStrata,
    pub(crate) facts: MemoryFacts,
    pub(crate) search: Search,
}

impl World {
    /// Creates empty stores.
    pub(crate) fn new() -> World {
        let (catalog, strata, facts) = (MemoryCatalog::new(), MemoryStrata::new(), MemoryFacts::new());
        let search = Search::new(
            Arc::new(catalog.clone()),
            Arc::new(strata.clone()),
            Arc::new(facts.clone()),
            one_embedder(WordEmbedder::new()),
        );
        World { catalog, strata, facts, search }
    }

    /// Stores turns given as `(moment, text)` and summaries given as `(label, text)`, and makes all of them searchable.
    pub(crate) async fn with(turns: &[(&str, &str)], summaries: &[(&str, &str)]) -> World {
        let world = World::new();
        let turns: Vec<Turn> = turns.iter().map(|(at, text)| turn_of(&agent("a"), message(at, text))).collect();
        let source = turns.first().map(|turn| turn.id.clone()).unwrap();
        world.catalog.ingest(&agent("a"), turns, OnConflict::Refuse, at(NOW)).await.unwrap();
        let made =
            summaries.iter().map(|(label, text)| summary(label, 1, std::slice::from_ref(&source), text)).collect();
        world.catalog.save_summaries(&agent("a"), made, at(NOW)).await.unwrap();
        world.project().await;
        world
    }

    pub(crate) async fn project(&self) {
        for grain in Grain::ALL {
            self.fill(grain, 0, &WordEmbedder::new()).await;
        }
    }

    /// Writes all memories of a grain to a generation of its table. Searches read this generation from then on.
    pub(crate) async fn fill(&self, grain: Grain, generation: u32, embedder: &WordEmbedder) {
        let table = Table { agent: agent("a"), grain, generation };
        let mut filled = Watermark { generation, model: Some(VectorModel::of(embedder)), ..Watermark::default() };
        for change in self.catalog.changes(&agent("a"), grain, 0, 1000).await.unwrap() {
            filled.applied = change.seq();
            let Change::Upsert(memory) = change else { continue };
            let vector = embedder.embed(vec![memory.text.clone()]).await.unwrap().remove(0);
            let part = Part {
                memory: memory.id.clone(),
                part: 0,
                kind: memory.kind(),
                period: memory.period,
                cover: memory.cover,
                speaker: memory.speaker().map(str::to_owned),
                conversation: memory.conversation().map(str::to_owned),
                text: memory.text.clone(),
                language: "en".into(),
                vector,
                seq: memory.seq,
            };
            let batch = Batch { dimension: embedder.dimension(), upserts: vec![part], deletes: vec![] };
            self.strata.apply(&table, batch).await.unwrap();
        }
        if filled.applied > 0 {
            set_watermark(&self.catalog, &agent("a"), grain, filled).await;
        }
    }

    /// Returns the answer with at most ten results.
    pub(crate) async fn ask(&self, query: Query) -> Answer {
        self.search.answer(&agent("a"), &Query { limit: 10, ..query }, at(NOW)).await.unwrap()
    }

    #[track_caller]
    pub(crate) fn check(answer: &Answer, expect: &[&str]) {
        let texts: Vec<&str> = answer.results.iter().map(|found| found.memory.text.as_str()).collect();
        assert_eq!(texts, expect);
    }
}

/// Returns a memory of a period with an empty text.
pub(crate) fn memory(id: &str, period: Period, body: Body) -> Memory {
    Memory {
        id: MemoryId::from_text(id),
        grain: if matches!(body, Body::Summary { .. }) { period.grain() } else { Grain::Working },
        period,
        cover: Zones::new("UTC").unwrap().cover(period),
        days: period.cover_days(),
        text: String::new(),
        pinned: false,
        seq: 0,
        body,
    }
}

/// Returns the body of a turn in the conversation `talk`.
pub(crate) fn turn_body(speaker: &str, role: Role) -> Body {
    Body::Turn { speaker: speaker.into(), role, conversation: "talk".into(), message: "1".into() }
}

/// Returns the body of a summary without sentences.
pub(crate) fn summarized() -> Body {
    Body::Summary { sentences: Vec::new(), sources: Vec::new() }
}

/// Returns a query for a text without filters.
pub(crate) fn about(text: &str) -> Query {
    Query { text: Some(text.into()), ..Query::default() }
}
