//! Facts of an import: operations of the fact log, each with an id made of the source's id and the fact's words. Values and
//! relations are stored by the same rules as in the knowledge graph ([`crate::operations::knowledge`]).

use std::collections::{HashMap, HashSet};

use annals_core::ports::ItemKey;
use annals_core::{ENTITY_TYPE, FactOperation, OBSERVATION, Properties, Result, Timestamp, entity_key, predicate_name};
use annals_writer::{ImportedFact, imported_fact};

use super::{Import, UNDATED};
use crate::locks::Facts;
use crate::operations::knowledge::value::{TEXT, after, predicate, value};

/// Maximum number of operations in a transaction.
const BATCH: usize = 500;

/// The fact operations of an import that wait to be stored, and what is needed to build further ones.
#[derive(Default)]
pub(super) struct Operations {
    waiting: Vec<FactOperation>,
    /// The operations that are stored or waiting; `None` before the first fact.
    known: Option<Known>,
    /// The time of the last fact, and the number of facts directly before it with the same time. Facts with one time are dated
    /// a little apart, so that their order is kept.
    instant: Option<(Timestamp, usize)>,
}

/// The operations that are stored or waiting.
#[derive(Default)]
struct Known {
    ids: HashSet<String>,
    /// The texts of observations, by the keys under which their subject and text are compared.
    texts: HashMap<(String, String), Vec<String>>,
}

impl Known {
    fn of(mut log: Vec<FactOperation>) -> Known {
        let mut known = Known::default();
        // The log has no order. Of several texts with the same key, the first is the one without the property [`TEXT`].
        log.sort_by_key(|operation| operation.properties.contains_key(TEXT));
        for operation in log {
            if operation.predicate == OBSERVATION {
                let stated = operation.properties.get(TEXT).and_then(serde_json::Value::as_str);
                known.note(&operation.subject, stated.unwrap_or(&operation.object));
            }
            known.ids.insert(operation.id);
        }
        known
    }

    /// Records an observation. Returns the earlier observations of the subject with the same key but another text, in order.
    /// If there are none, the text can be stored unchanged.
    fn note(&mut self, subject: &str, text: &str) -> &[String] {
        let texts = self.texts.entry((entity_key(subject), entity_key(text))).or_default();
        let index = texts.iter().position(|known| known == text).unwrap_or_else(|| {
            texts.push(text.to_owned());
            texts.len() - 1
        });
        &texts[..index]
    }
}

impl Operations {
    fn order(&mut self, at: Timestamp) -> Timestamp {
        let count = self.instant.filter(|(last, _)| *last == at).map_or(0, |(_, count)| count + 1);
        self.instant = Some((at, count));
        after(at, count)
    }
}

impl Import<'_> {
    /// Queues a fact to be stored. A fact that cannot be stored, for example because of its subject or predicate, becomes a
    /// statement. A fact that is stored or queued already is only counted.
    pub(super) async fn take_fact(
        &mut self,
        id: &str,
        [subject, stated, object]: [&str; 3],
        is_relation: bool,
        at: Option<Timestamp>,
        location: &str,
    ) -> Result<()> {
        if self.operations.known.is_none() {
            let (_, log) = self.service.parts.store.operations(self.agent).await?;
            self.operations.known = Some(Known::of(log));
        }
        let object = self.masked(object.to_owned());
        let is_reserved = !is_relation && [ENTITY_TYPE, OBSERVATION].contains(&stated);
        let (name, mut properties) =
            if is_reserved { (predicate_name(stated), Properties::new()) } else { predicate(stated) };
        let known = self.operations.known.get_or_insert_default();
        let taken = if is_reserved && stated == OBSERVATION { known.note(subject, &object) } else { &[] };
        let (short, full) = value(&object, taken.iter().map(String::as_str));
        properties.extend(full);
        let at = self.operations.order(at.unwrap_or(UNDATED));
        let fact = ImportedFact { id, words: [subject, &name, &short], properties, at };
        let operation = match imported_fact(self.agent, fact, self.now) {
            Ok(operation) => operation,
            Err(error) if error.is_of_input() => {
                let text = format!("{subject} · {stated}: {object}");
                return self.take_statement(id, Some(subject), text, Some(at), location).await;
            }
            Err(error) => return Err(error),
        };
        if !self.operations.known.get_or_insert_default().ids.insert(operation.id.clone()) {
            self.stored.facts.known += 1;
            return Ok(());
        }
        self.operations.waiting.push(operation);
        if self.operations.waiting.len() >= BATCH { self.store_operations().await } else { Ok(()) }
    }

    /// Stores the waiting operations, except those that were forgotten.
    pub(super) async fn store_operations(&mut self) -> Result<()> {
        if self.operations.waiting.is_empty() {
            return Ok(());
        }
        let operations = std::mem::take(&mut self.operations.waiting);
        let _facts = self.service.locks.lock::<Facts>(self.agent).await;
        let items: Vec<ItemKey> = operations.iter().map(|operation| ItemKey::Operation(operation.id.clone())).collect();
        let forgotten = self.forgotten(&items).await?;
        let kept = operations.into_iter().zip(forgotten).filter(|(_, is_forgotten)| !is_forgotten);
        let kept: Vec<FactOperation> = kept.map(|(operation, _)| operation).collect();
        self.stored.facts.new += kept.len() as u64;
        self.stored.facts.forgotten += (items.len() - kept.len()) as u64;
        self.service.parts.store.add_operations(self.agent, kept).await
    }
}
