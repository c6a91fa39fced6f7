//! Shared test fixtures: a scripted extractor, and an agent with all its stores in memory.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals_core::ports::{Erasure, ExtractionTask, Journal, OnConflict, Select};
use annals_core::prelude::*;
use annals_core::{
    Error, Extracted, Extractor, FactOperation, FactQuery, Facts, Grain, Memory, MemoryId, Message, Properties, Result,
    Settings, Statement, Store, Strata, Timestamp, Verb,
};
use annals_testkit::{MemoryCatalog, MemoryFacts, MemoryStrata, WordEmbedder, agent, at, message, one_embedder};
use async_trait::async_trait;
use parking_lot::Mutex;

use crate::{Eraser, FactWriter, Writer};

pub const NOW: &str = "2026-03-05T00:00:00Z";

/// The input of one call of an extractor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedQuestion {
    pub turns: Vec<String>,
    pub context: Vec<String>,
    pub known: Vec<String>,
}

/// A scripted extractor. Reads `SUBJECT PREDICATE OBJECT`, one operation per turn, and makes one statement per task. Returns
/// the scripted failures first, and always fails on turns that contain `refused`.
#[derive(Debug)]
pub struct Reader {
    confidence: f64,
    is_local: AtomicBool,
    pub refused: Mutex<Option<&'static str>>,
    pub failures: Mutex<VecDeque<Error>>,
    pub questions: Mutex<Vec<RecordedQuestion>>,
}

impl Reader {
    pub fn new(confidence: f64) -> Arc<Reader> {
        Arc::new(Reader {
            confidence,
            is_local: AtomicBool::new(false),
            refused: Mutex::default(),
            failures: Mutex::default(),
            questions: Mutex::default(),
        })
    }

    pub fn fail(&self, error: Error) {
        self.failures.lock().push_back(error);
    }

    pub fn set_local(&self) {
        self.is_local.store(true, Ordering::Relaxed);
    }

    pub fn take_questions(&self) -> Vec<RecordedQuestion> {
        std::mem::take(&mut *self.questions.lock())
    }

    fn operation(&self, turn: &Memory, now: Timestamp) -> Option<FactOperation> {
        let mut words = turn.text.trim_end_matches('.').splitn(3, ' ').map(str::to_owned);
        let (subject, predicate, object) = (words.next()?, words.next()?, words.next()?);
        Some(FactOperation {
            id: FactOperation::id(&turn.id, 0),
            verb: Verb::Insert,
            subject,
            predicate,
            object,
            replaces: None,
            properties: Properties::new(),
            confidence: self.confidence,
            at: turn.at(),
            said_at: turn.at(),
            source: turn.id.clone(),
            position: 0,
            recorded_at: now,
        })
    }
}

fn texts(memories: &[Memory]) -> Vec<String> {
    memories.iter().map(|memory| memory.text.clone()).collect()
}

#[async_trait]
impl Extractor for Reader {
    fn is_local(&self, _: &Settings) -> bool {
        self.is_local.load(Ordering::Relaxed)
    }

    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        let known = task.known.iter().map(|fact| fact.object.clone()).collect();
        let questions = RecordedQuestion { turns: texts(task.turns), context: texts(task.context), known };
        self.questions.lock().push(questions);
        if let Some(error) = self.failures.lock().pop_front() {
            return Err(error);
        }
        let refused = *self.refused.lock();
        if refused.is_some_and(|word| task.turns.iter().any(|turn| turn.text.contains(word))) {
            return Err(Error::model("reading the answer", "it is no JSON"));
        }
        let text = format!("They said: {}", texts(task.turns).join(" / "));
        let statement = Statement {
            id: MemoryId::statement(task.agent, &task.turns[0].id, &text),
            text,
            topic: "event".into(),
            importance: 0.5,
            confidence: Some(self.confidence),
            who: Vec::new(),
            when: None,
            day: task.turns[0].period,
            cover: task.turns[0].cover,
            sources: task.turns.iter().map(|turn| turn.id.clone()).collect(),
        };
        let operations = task.turns.iter().filter_map(|turn| self.operation(turn, task.now)).collect();
        Ok(Extracted { statements: vec![statement], operations, rejected: Vec::new() })
    }
}

/// An agent with all its stores. Clones share their contents.
#[derive(Clone)]
pub struct Fixture {
    pub catalog: MemoryCatalog,
    pub strata: MemoryStrata,
    pub facts: MemoryFacts,
    pub model: Arc<Reader>,
    pub rules: Arc<Reader>,
}

impl Fixture {
    pub fn new() -> Fixture {
        Fixture {
            catalog: MemoryCatalog::new(),
            strata: MemoryStrata::new(),
            facts: MemoryFacts::new(),
            model: Reader::new(0.9),
            rules: Reader::new(0.5),
        }
    }

    pub fn writer(&self) -> Writer {
        self.writer_over(Arc::new(self.catalog.clone()), Arc::new(self.strata.clone()))
    }

    pub fn writer_over(&self, store: Arc<dyn Store>, strata: Arc<dyn Strata>) -> Writer {
        Writer::new(store, strata, one_embedder(WordEmbedder::new()))
    }

    pub fn fact_writer(&self) -> FactWriter {
        self.fact_writer_over(Arc::new(self.catalog.clone()), Arc::new(self.facts.clone()))
    }

    pub fn fact_writer_over(&self, store: Arc<dyn Store>, facts: Arc<dyn Facts>) -> FactWriter {
        FactWriter::new(store, facts, self.model.clone(), self.rules.clone())
    }

    pub fn eraser(&self) -> Eraser {
        let erasure: Arc<dyn Erasure> = Arc::new(self.catalog.clone());
        Eraser::new(self.writer(), self.fact_writer(), erasure)
    }

    /// Stores a message in a conversation, `minute` minutes after ten o'clock.
    pub async fn say(&self, conversation: &str, minute: u32, text: &str) {
        let message = message(&format!("2026-03-04T10:{minute:02}:00Z"), text);
        self.send(Message { conversation: conversation.into(), ..message }).await;
    }

    pub async fn send(&self, message: Message) {
        self.writer().ingest(&agent("a"), vec![message], OnConflict::Revise, at(NOW)).await.unwrap();
    }

    /// Returns texts and sources of all statements.
    pub async fn statements(&self) -> Vec<(String, Vec<MemoryId>)> {
        let mut all = self.memories(Grain::Working).await;
        all.retain(|memory| memory.kind() == annals_core::Kind::Statement);
        all.into_iter().map(|memory| (memory.text.clone(), memory.sources().to_vec())).collect()
    }

    pub async fn memories(&self, grain: Grain) -> Vec<Memory> {
        let select = Select::all(grain);
        self.catalog.list(&agent("a"), &select).await.unwrap()
    }

    /// Returns the log, ordered by id.
    pub async fn log(&self) -> Vec<FactOperation> {
        let (_, mut log) = self.catalog.operations(&agent("a")).await.unwrap();
        log.sort_by(|a, b| a.id.cmp(&b.id));
        log
    }

    /// Returns subject, predicate and object of the facts that hold.
    pub async fn held(&self) -> Vec<String> {
        let facts = self.facts.find(&agent("a"), &FactQuery::default()).await.unwrap();
        let mut held: Vec<String> =
            facts.into_iter().map(|fact| format!("{} {} {}", fact.subject, fact.predicate, fact.object)).collect();
        held.sort();
        held
    }
}
