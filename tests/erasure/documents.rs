//! Documents of a history: written, replaced, removed and expired.

use std::collections::BTreeSet;

use annals_core::ports::DocumentKey;
use annals_core::{MemoryId, SignedDuration, Timestamp};
use annals_service::wire::PutDocument;
use serde_json::{Value, json};

use crate::ground_truth::{Entry, EntryState, SUBJECT, StoredAs};
use crate::history::History;

/// Seconds until a document with a lifetime expires.
const LIFETIME: u32 = 5 * 24 * 60 * 60;

impl History {
    /// Stores a document under a new key.
    pub async fn write_document(&mut self, agent: usize) {
        let key = format!("document {}", self.words);
        self.put_document(agent, key).await;
    }

    /// Replaces or removes one of the agent's documents. Half of them are searchable by then.
    pub async fn change_document(&mut self, agent: usize) {
        let entries = self.truth.entries.iter().enumerate();
        let live = entries.filter(|(_, entry)| entry.agent == agent && entry.state == EntryState::Live);
        let mut documents = live.filter_map(|(index, entry)| match &entry.stored_as {
            StoredAs::Document(name, _) => Some((index, name.trim_start_matches("notes/").to_owned())),
            _ => None,
        });
        let Some((index, key)) = documents.next() else { return };
        let service = self.world().service.clone();
        let (of, at) = (self.agents[agent].clone(), self.now());
        if self.below(2) == 0 {
            service.make_searchable(&of, &|_| ()).await.unwrap();
        }
        self.truth.entries[index].state = EntryState::Superseded;
        if self.below(3) > 0 {
            self.put_document(agent, key).await;
            return;
        }
        self.note(agent, format!("removes {key}"));
        let has_expired = self.truth.entries[index].expires_at.is_some_and(|end| end <= at);
        let removed = service.remove_document(&of, document_key(&key), None, at).await;
        assert_eq!(removed.is_err(), has_expired, "{:#?}", self.log);
    }

    /// Removes the expired documents of all agents.
    pub async fn remove_expired(&mut self) {
        let (service, now) = (self.world().service.clone(), self.now());
        service.remove_expired_documents(now).await.unwrap();
        for entry in &mut self.truth.entries {
            let has_expired = entry.expires_at.is_some_and(|end| end <= now);
            if has_expired && entry.state == EntryState::Live {
                entry.state = EntryState::Superseded;
            }
        }
    }

    /// Stores a document. One in two names the subject, in several ways.
    async fn put_document(&mut self, agent: usize, key: String) {
        let (word, at) = (self.word(), self.now());
        let names_subject = self.below(2) == 0;
        let words: BTreeSet<String> = match names_subject {
            true => [word.clone(), SUBJECT.into()].into(),
            false => [word.clone()].into(),
        };
        let request = self.request(&word, names_subject);
        let expires_at = request.lifetime_seconds.map(|_| at + SignedDuration::from_secs(LIFETIME.into()));
        self.note(agent, format!("stores as {key} {request:?}"));
        let passages = self.store_document(agent, document_key(&key), request, at).await;
        let stored_as = StoredAs::Document(format!("notes/{key}"), passages);
        self.truth.entries.push(Entry { agent, stored_as, at, words, state: EntryState::Live, expires_at });
    }

    /// Returns a request to store a text of many passages or a JSON value. Some requests make only a part searchable, and some
    /// have a lifetime.
    fn request(&mut self, word: &str, names_subject: bool) -> PutDocument {
        let end = if names_subject { format!("{SUBJECT} wrote of it.") } else { "Nobody wrote of it.".to_owned() };
        let (quoted, plain) = (format!("A \"note\" about {word}"), format!("A note about {word}"));
        let (text, value) = match self.below(4) {
            0 => (Some(format!("{plain}.\n\n{}\n\n{end}", "And so on. ".repeat(60))), None),
            1 => (None, Some(json!({"title": quoted, "list": [{"end": format!("So.\n{end}")}]}))),
            2 => (None, Some(json!({"title": plain, "end": {end: Value::Null}}))),
            _ => (None, Some(json!({"title": quoted, "end": end}))),
        };
        let indexed = (value.is_some() && self.below(2) == 0).then(|| vec!["title".to_owned()]);
        let lifetime_seconds = (self.below(3) == 0).then_some(LIFETIME.into());
        PutDocument { text, value, indexed, lifetime_seconds, ..PutDocument::default() }
    }

    /// Stores a document. Returns the ids of its passages.
    async fn store_document(
        &self,
        agent: usize,
        document_key: DocumentKey,
        request: PutDocument,
        at: Timestamp,
    ) -> Vec<MemoryId> {
        let (of, service) = (self.agents[agent].clone(), self.world().service.clone());
        let settings = service.admit(&of).await.unwrap();
        service.put_document(&of, &settings, document_key.clone(), request, at).await.unwrap();
        let stored = service.documents_at(&of, &[document_key], at).await.unwrap().remove(0);
        stored.memories(&of).into_iter().map(|memory| memory.id).collect()
    }
}

fn document_key(key: &str) -> DocumentKey {
    DocumentKey { collection: "notes".into(), key: key.into() }
}
