//! Stores statements of other memories as statements. Each comes from an entry, whose id is made of the id in the source.

use std::collections::HashMap;

use annals_core::ports::ItemKey;
use annals_core::{Interval, Memory, MemoryId, Result, Statement, Timestamp};
use annals_importers::storable_name;

use super::{Import, UNDATED};
use crate::locks::Facts;
use crate::operations::import::BATCH;

/// Bytes beyond which a statement is a document: it is found by any of its parts.
const MAX_STATEMENT_BYTES: usize = 8 * 1024;
/// Their topic: the source does not say what they are about.
const TOPIC: &str = "memory";
/// Their importance, in the middle.
const IMPORTANCE: f64 = 0.5;

/// Statements that are stored together.
#[derive(Default)]
pub(super) struct Statements {
    waiting: Vec<Statement>,
    indices: HashMap<MemoryId, usize>,
}

impl Statements {
    /// Adds a statement. Of two with one id, the last counts.
    fn push(&mut self, statement: Statement) {
        match self.indices.get(&statement.id) {
            Some(index) => self.waiting[*index] = statement,
            None => {
                self.indices.insert(statement.id.clone(), self.waiting.len());
                self.waiting.push(statement);
            }
        }
    }

    fn take(&mut self) -> Vec<Statement> {
        self.indices.clear();
        std::mem::take(&mut self.waiting)
    }
}

impl Import<'_> {
    /// Takes a statement, or a document if it is too long for one.
    pub(super) async fn take_statement(
        &mut self,
        id: &str,
        about: Option<&str>,
        text: String,
        at: Option<Timestamp>,
        location: &str,
    ) -> Result<()> {
        if text.len() > MAX_STATEMENT_BYTES {
            return self.take_document(id, about.unwrap_or_default(), text, at, location).await;
        }
        let text = self.masked(text);
        let statement = self.statement(id, about, text.trim(), at.unwrap_or(UNDATED));
        self.statements.push(statement);
        if self.statements.waiting.len() >= BATCH { self.store_statements().await } else { Ok(()) }
    }

    fn statement(&self, id: &str, about: Option<&str>, text: &str, at: Timestamp) -> Statement {
        let entry = MemoryId::imported(self.agent, id);
        let end = Timestamp::from_microsecond(at.as_microsecond() + 1).unwrap_or(Timestamp::MAX);
        Statement {
            id: MemoryId::entered_statement(self.agent, &entry),
            text: text.to_owned(),
            topic: TOPIC.to_owned(),
            importance: IMPORTANCE,
            confidence: None,
            who: about.and_then(storable_name).into_iter().collect(),
            when: None,
            day: self.day_of(at),
            cover: Interval { start: at, end },
            sources: vec![entry],
        }
    }

    /// Stores the statements that wait: new ones, and those that were edited in the source.
    pub(super) async fn store_statements(&mut self) -> Result<()> {
        let statements = self.statements.take();
        if statements.is_empty() {
            return Ok(());
        }
        self.check_disk()?;
        // Nothing is forgotten between the look and the write.
        let facts = self.service.locks.lock::<Facts>(self.agent).await;
        let ids: Vec<MemoryId> = statements.iter().map(|statement| statement.id.clone()).collect();
        let items: Vec<ItemKey> = ids.iter().cloned().map(ItemKey::Statement).collect();
        let forgotten = self.forgotten(&items).await?;
        let stored = self.service.parts.store.get(self.agent, &ids).await?.into_iter();
        let stored: HashMap<MemoryId, Memory> = stored.map(|memory| (memory.id.clone(), memory)).collect();
        let mut changed = Vec::new();
        for (statement, is_forgotten) in statements.into_iter().zip(forgotten) {
            match stored.get(&statement.id) {
                Some(stored) if self.is_known(stored, &statement).await? => self.stored.statements.known += 1,
                Some(_) => {
                    self.stored.statements.revised += 1;
                    changed.push(statement);
                }
                None if is_forgotten => self.stored.statements.forgotten += 1,
                None => {
                    self.stored.statements.new += 1;
                    changed.push(statement);
                }
            }
        }
        if !changed.is_empty() {
            self.service.parts.store.add_statements(self.agent, changed).await?;
        }
        drop(facts);
        Ok(())
    }

    /// Returns whether a statement is stored as it is. One that a person corrected since stays corrected.
    async fn is_known(&self, stored: &Memory, statement: &Statement) -> Result<bool> {
        let who = statement.who.first().map(String::as_str);
        if stored.speaker() == who && stored.text == statement.text {
            return Ok(true);
        }
        let former = self.service.parts.store.versions(self.agent, &stored.id).await?;
        Ok(former.iter().any(|version| version.text == statement.text))
    }
}
