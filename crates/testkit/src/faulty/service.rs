//! Implements the ports `Blocks`, `Documents`, `Requests`, `Keys`, `Accesses` and `Archive` for [`Faulty`].

use std::collections::BTreeMap;

use annals_core::ports::{
    Access, Accesses, Archive, Block, Blocks, Document, DocumentEntry, DocumentKey, DocumentSelect, DocumentWrite,
    Documents, Key, KeyedReceipt, Keys, OnConflict, Record, RequestKey, Requests, StoredCollection, Turn, Version,
};
use annals_core::{Agent, Digest, IngestReceipt, Memory, MemoryId, Result, Timestamp};
use async_trait::async_trait;

use super::Faulty;

#[async_trait]
impl<P: Blocks> Blocks for Faulty<P> {
    async fn blocks(&self, agent: &Agent) -> Result<Vec<Block>> {
        self.store()?.blocks(agent).await
    }

    async fn write_blocks(
        &self,
        agent: &Agent,
        written: Vec<Block>,
        removed: Vec<String>,
        most: usize,
    ) -> Result<Vec<Block>> {
        self.store()?.write_blocks(agent, written, removed, most).await
    }
}

#[async_trait]
impl<P: Documents> Documents for Faulty<P> {
    async fn documents(&self, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<Vec<Document>> {
        self.store()?.documents(agent, keys, now).await
    }

    async fn list_documents(&self, agent: &Agent, select: &DocumentSelect, now: Timestamp) -> Result<Vec<Document>> {
        self.store()?.list_documents(agent, select, now).await
    }

    async fn document_entries(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> Result<Vec<DocumentEntry>> {
        self.store()?.document_entries(agent, select, now).await
    }

    async fn newest_documents(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> Result<Vec<DocumentKey>> {
        self.store()?.newest_documents(agent, select, now).await
    }

    async fn collections(&self, agent: &Agent, now: Timestamp) -> Result<Vec<StoredCollection>> {
        self.store()?.collections(agent, now).await
    }

    async fn write_documents(&self, agent: &Agent, writes: Vec<DocumentWrite>, now: Timestamp) -> Result<Vec<u64>> {
        self.store()?.write_documents(agent, writes, now).await
    }

    async fn refresh_documents(&self, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<()> {
        self.store()?.refresh_documents(agent, keys, now).await
    }

    async fn remove_expired(&self, now: Timestamp, limit: usize) -> Result<Vec<Agent>> {
        self.store()?.remove_expired(now, limit).await
    }
}

#[async_trait]
impl<P: Requests> Requests for Faulty<P> {
    async fn ingest_once(
        &self,
        agent: &Agent,
        request: &RequestKey,
        turns: Vec<Turn>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<KeyedReceipt> {
        self.store()?.ingest_once(agent, request, turns, on_conflict, now).await
    }

    async fn drop_requests(&self, before: Timestamp) -> Result<u64> {
        self.store()?.drop_requests(before).await
    }

    async fn save_operation(&self, agent: &Agent, operation: IngestReceipt) -> Result<()> {
        self.store()?.save_operation(agent, operation).await
    }

    async fn find_operation(&self, workspace: &str, id: &str) -> Result<Option<(Agent, IngestReceipt)>> {
        self.store()?.find_operation(workspace, id).await
    }
}

#[async_trait]
impl<P: Keys> Keys for Faulty<P> {
    async fn add_key(&self, key: &Key, hash: &Digest) -> Result<()> {
        self.store()?.add_key(key, hash).await
    }

    async fn keys(&self) -> Result<Vec<Key>> {
        self.store()?.keys().await
    }

    async fn key(&self, id: &str) -> Result<Option<(Key, Digest)>> {
        self.store()?.key(id).await
    }

    async fn revoke_key(&self, id: &str, now: Timestamp) -> Result<()> {
        self.store()?.revoke_key(id, now).await
    }

    async fn set_daily_tokens(&self, id: &str, daily_tokens: Option<u64>) -> Result<()> {
        self.store()?.set_daily_tokens(id, daily_tokens).await
    }

    async fn tokens_of_keys(&self, now: Timestamp) -> Result<BTreeMap<String, u64>> {
        self.store()?.tokens_of_keys(now).await
    }
}

#[async_trait]
impl<P: Accesses> Accesses for Faulty<P> {
    async fn recall(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<(Memory, Option<Access>)>> {
        self.store()?.recall(agent, ids).await
    }

    async fn add_accesses(&self, agent: &Agent, accesses: &[(MemoryId, Access)]) -> Result<()> {
        self.store()?.add_accesses(agent, accesses).await
    }
}

#[async_trait]
impl<P: Archive> Archive for Faulty<P> {
    async fn records(&self, agent: &Agent, after: Option<&Record>, limit: usize) -> Result<Vec<Record>> {
        self.store()?.records(agent, after, limit).await
    }

    async fn begin_restore(&self, agent: &Agent) -> Result<()> {
        self.store()?.begin_restore(agent).await
    }

    async fn restore_some(&self, agent: &Agent, records: Vec<Record>) -> Result<()> {
        self.store()?.restore_some(agent, records).await
    }

    async fn finish_restore(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        self.store()?.finish_restore(agent, now).await
    }

    async fn drop_restore(&self, agent: &Agent) -> Result<()> {
        self.store()?.drop_restore(agent).await
    }

    async fn correct(&self, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> Result<()> {
        self.store()?.correct(agent, id, text, now).await
    }

    async fn versions(&self, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>> {
        self.store()?.versions(agent, id).await
    }
}
