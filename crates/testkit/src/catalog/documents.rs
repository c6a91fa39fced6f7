//! Port `Documents`: texts and JSON values under a collection and a key, with passages that are memories.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{
    Content, Document, DocumentEntry, DocumentKey, DocumentSelect, DocumentWrite, Documents, Expected, StoredCollection,
};
use annals_core::{Agent, Body, Error, Memory, ObjectKind, Result, Timestamp};
use async_trait::async_trait;

use super::MemoryCatalog;
use super::agent_data::AgentData;

#[async_trait]
impl Documents for MemoryCatalog {
    async fn documents(&self, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<Vec<Document>> {
        self.read(agent, |data| keys.iter().filter_map(|key| data.live(key, now).cloned()).collect())
    }

    async fn list_documents(&self, agent: &Agent, select: &DocumentSelect, now: Timestamp) -> Result<Vec<Document>> {
        self.read(agent, |data| data.selected(select, now).take(select.limit).cloned().collect())
    }

    async fn document_entries(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> Result<Vec<DocumentEntry>> {
        let bytes = |content: &Content| match content {
            Content::Text(text) => text.len(),
            Content::Json(value) => value.to_string().len(),
        };
        let entry = |document: &Document| DocumentEntry {
            key: document.document_key(),
            bytes: bytes(&document.content) as u64,
        };
        self.read(agent, |data| data.selected(select, now).take(select.limit).map(entry).collect())
    }

    async fn newest_documents(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> Result<Vec<DocumentKey>> {
        self.read(agent, |data| {
            let mut found: Vec<&Document> = data.selected(select, now).collect();
            found.sort_by_key(|document| Reverse(document.updated_at));
            found.into_iter().take(select.limit).map(Document::document_key).collect()
        })
    }

    async fn collections(&self, agent: &Agent, now: Timestamp) -> Result<Vec<StoredCollection>> {
        self.read(agent, |data| {
            let mut found: BTreeMap<&str, u64> = BTreeMap::new();
            for document in data.documents.values().filter(|document| !document.is_expired(now)) {
                *found.entry(&document.collection).or_default() += 1;
            }
            let collection =
                |(path, documents): (&str, u64)| StoredCollection { collection: path.to_owned(), documents };
            found.into_iter().map(collection).collect()
        })
    }

    async fn write_documents(&self, agent: &Agent, writes: Vec<DocumentWrite>, now: Timestamp) -> Result<Vec<u64>> {
        let state = &mut *self.state();
        let mut data = state.agents_data.get(agent).cloned().unwrap_or_default();
        let before = data.last_seq(state.floor);
        let mut seq = before;
        let write = |write| data.write_document(agent, write, &mut seq, now);
        let versions = writes.into_iter().map(write).collect::<Result<_>>()?;
        if seq > before {
            data.seq = seq;
        }
        state.agents_data.insert(agent.clone(), data);
        Ok(versions)
    }

    async fn refresh_documents(&self, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<()> {
        self.write(agent, |data, _| {
            for key in keys {
                let Some(document) = data.documents.get_mut(key).filter(|document| !document.is_expired(now)) else {
                    continue;
                };
                let Some(lifetime) = document.lifetime else { continue };
                document.expires_at = now.checked_add(lifetime).ok();
                let expiry = document.expires_at;
                for memory in data.memories.values_mut() {
                    if let Body::Passage { document, expires_at, .. } = &mut memory.body
                        && document == key
                    {
                        *expires_at = expiry;
                    }
                }
            }
        })
    }

    async fn remove_expired(&self, now: Timestamp, limit: usize) -> Result<Vec<Agent>> {
        let state = &mut *self.state();
        let all = state.agents_data.iter().flat_map(|(agent, data)| data.documents.values().map(move |it| (agent, it)));
        let mut expired: Vec<_> = all.filter(|(_, document)| document.is_expired(now)).collect();
        expired.sort_by_key(|(_, document)| document.expires_at);
        let expired: Vec<_> =
            expired.into_iter().take(limit).map(|(agent, it)| (agent.clone(), it.document_key())).collect();
        for (agent, key) in &expired {
            let data = state.agents_data.get_mut(agent).expect("it was listed");
            let before = data.last_seq(state.floor);
            let mut seq = before;
            data.remove_document(agent, key, 0, &mut seq);
            if seq > before {
                data.seq = seq;
            }
        }
        Ok(expired.into_iter().map(|(agent, _)| agent).collect::<BTreeSet<_>>().into_iter().collect())
    }
}

fn is_below(collection: &str, path: &str) -> bool {
    path.is_empty() || collection == path || collection.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
}

impl AgentData {
    /// Returns the selected documents, by collection and key.
    fn selected<'d>(&'d self, select: &'d DocumentSelect, now: Timestamp) -> impl Iterator<Item = &'d Document> {
        self.documents.values().filter(move |document| {
            !document.is_expired(now)
                && is_below(&document.collection, &select.below)
                && document.key.starts_with(&select.key_prefix)
                && select.after.as_ref().is_none_or(|after| document.document_key() > *after)
        })
    }

    fn live(&self, key: &DocumentKey, now: Timestamp) -> Option<&Document> {
        self.documents.get(key).filter(|document| !document.is_expired(now))
    }

    fn write_document(&mut self, agent: &Agent, write: DocumentWrite, seq: &mut u64, now: Timestamp) -> Result<u64> {
        match write {
            DocumentWrite::Save(document, expected) => {
                let key = document.document_key();
                let live = self.live(&key, now);
                check(&key, live, expected)?;
                let created_at = live.map_or(document.created_at, |live| live.created_at);
                let version = self.documents.get(&key).map_or(1, |former| former.version + 1);
                self.remove_document(agent, &key, document.passages.len(), seq);
                self.save_document(agent, Document { created_at, version, ..*document }, seq);
                Ok(version)
            }
            DocumentWrite::Remove(key, expected) => {
                let live = self.live(&key, now);
                check(&key, live, expected)?;
                let version = live.map_or(0, |live| live.version);
                self.remove_document(agent, &key, 0, seq);
                Ok(version)
            }
        }
    }

    /// Stores a document with its passages.
    pub(super) fn save_document(&mut self, agent: &Agent, document: Document, seq: &mut u64) {
        for memory in document.memories(agent) {
            *seq += 1;
            self.put(Memory { seq: *seq, ..memory });
        }
        self.documents.insert(document.document_key(), document);
    }

    /// Removes a document, the dead letters of all its passages, and the passages from number `from` on. The caller writes the
    /// earlier passages again. Returns the document, or `None` if it is not stored.
    pub(super) fn remove_document(
        &mut self,
        agent: &Agent,
        key: &DocumentKey,
        from: usize,
        seq: &mut u64,
    ) -> Option<Document> {
        let document = self.documents.remove(key)?;
        let passages = document.memories(agent);
        for memory in &passages {
            self.letters.retain(|(id, _), _| *id != memory.id);
        }
        for memory in passages.iter().skip(from) {
            self.delete(&memory.id, seq);
        }
        Some(document)
    }
}

fn check(key: &DocumentKey, live: Option<&Document>, expected: Expected) -> Result<()> {
    match expected {
        Expected::Absent if live.is_some() => Err(Error::Exists { what: ObjectKind::Document, name: key.to_string() }),
        Expected::Version(version) if live.map(|live| live.version) != Some(version) => {
            Err(Error::Stale { what: format!("document {:?}", key.to_string()) })
        }
        _ => Ok(()),
    }
}
