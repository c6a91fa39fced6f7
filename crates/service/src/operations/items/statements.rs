//! Stores statements that other memory programs extracted. Such a statement has no turn as its source. The id that stands for
//! its source is made of the id in the other program.

use std::collections::HashMap;

use annals_core::ports::ItemKey;
use annals_core::{Interval, Memory, MemoryId, Result, Statement, Timestamp};
use annals_importers::storable_name;

use super::{Import, UNDATED};
use crate::locks::Facts;
use crate::operations::import::BATCH;

/// Maximum bytes of a statement. A longer text is stored as a document, which is found by any of its parts.
const MAX_STATEMENT_BYTES: usize = 8 * 1024;
/// Topic of imported statements, because the source does not name one.
const TOPIC: &str = "memory";
/// Importance of imported statements: the middle of the scale.
const IMPORTANCE: f64 = 0.5;

/// Statements that wait to be stored together.
#[derive(Default)]
pub(super) struct Statements {
    waiting: Vec<Statement>,
    indices: HashMap<MemoryId, usize>,
}

impl Statements {
    /// Adds a statement. Replaces a waiting statement with the same id.
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
    /// Queues a statement to be stored. Stores it as a document if it is too long for a statement.
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

    /// Stores those of the waiting statements that are new or were edited in the source.
    pub(super) async fn store_statements(&mut self) -> Result<()> {
        let statements = self.statements.take();
        if statements.is_empty() {
            return Ok(());
        }
        self.check_disk()?;
        // With this lock, no statement can be forgotten between the check and the write.
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

    /// Returns whether the statement in the import has the text and subject of the stored one, or the text of a former version.
    /// So a statement that was corrected by hand stays corrected until its text changes in the source.
    async fn is_known(&self, stored: &Memory, statement: &Statement) -> Result<bool> {
        let who = statement.who.first().map(String::as_str);
        if stored.speaker() == who && stored.text == statement.text {
            return Ok(true);
        }
        let former = self.service.parts.store.versions(self.agent, &stored.id).await?;
        Ok(former.iter().any(|version| version.text == statement.text))
    }
}
