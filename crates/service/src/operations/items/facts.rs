//! Facts of an import: operations of the fact log, each with an id made of the source's id and the fact's words.

use std::collections::HashSet;

use annals_core::{FactOperation, Result, Timestamp};
use annals_writer::imported_fact;

use super::Import;
use crate::locks::Facts;

/// Operations per transaction.
const BATCH: usize = 500;

/// Operations that are not stored yet.
#[derive(Default)]
pub(super) struct Operations {
    waiting: Vec<FactOperation>,
    /// Ids of all operations that are stored or waiting. Read when the first fact comes.
    known: Option<HashSet<String>>,
}

impl Import<'_> {
    /// Takes a fact. One that is too long for the fact log becomes a statement.
    pub(super) async fn take_fact(
        &mut self,
        id: &str,
        words: [&str; 3],
        at: Option<Timestamp>,
        place: &str,
    ) -> Result<()> {
        let [subject, predicate, object] = words;
        let object = self.masked(object.to_owned());
        let operation = match imported_fact(self.agent, id, [subject, predicate, &object], at, self.now) {
            Ok(operation) => operation,
            Err(error) if error.is_of_input() => {
                let text = format!("{subject} · {predicate}: {object}");
                return self.take_statement(id, Some(subject), text, at, place).await;
            }
            Err(error) => return Err(error),
        };
        if self.operations.known.is_none() {
            let (_, log) = self.service.parts.store.operations(self.agent).await?;
            self.operations.known = Some(log.into_iter().map(|operation| operation.id).collect());
        }
        let known = self.operations.known.get_or_insert_default();
        if !known.insert(operation.id.clone()) {
            self.stored.facts.known += 1;
            return Ok(());
        }
        self.stored.facts.new += 1;
        self.operations.waiting.push(operation);
        if self.operations.waiting.len() >= BATCH { self.store_operations().await } else { Ok(()) }
    }

    pub(super) async fn store_operations(&mut self) -> Result<()> {
        if self.operations.waiting.is_empty() {
            return Ok(());
        }
        let operations = std::mem::take(&mut self.operations.waiting);
        let _facts = self.service.locks.lock::<Facts>(self.agent).await;
        self.service.parts.store.add_operations(self.agent, operations).await
    }
}
