//! Documents: texts and JSON values under a collection and a key. Each write replaces the passages of its document.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_core::ports::{
    Content, Document, DocumentEntry, DocumentKey, DocumentSelect, DocumentWrite, Documents, Expected, StoredCollection,
};
use annals_core::{Agent, Error, ObjectKind, SignedDuration, Timestamp};
use async_trait::async_trait;

use crate::columns::{instant, json, maybe_instant, micros, number, signed, to_json, unreadable, word};
use crate::db::{Db, Result, Row, Sql, Values, params};
use crate::{Backend, SqlCatalog, agents, changes, passages};

#[async_trait]
impl<B: Backend> Documents for SqlCatalog<B> {
    async fn documents(
        &self,
        agent: &Agent,
        keys: &[DocumentKey],
        now: Timestamp,
    ) -> annals_core::Result<Vec<Document>> {
        let (agent, keys) = (agent.clone(), keys.to_vec());
        self.thread.read("reading documents", move |c| documents(c, &agent, &keys, now)).await
    }

    async fn list_documents(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> annals_core::Result<Vec<Document>> {
        let (agent, select) = (agent.clone(), select.clone());
        self.thread.read("listing documents", move |c| list(c, &agent, &select, now)).await
    }

    async fn document_entries(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> annals_core::Result<Vec<DocumentEntry>> {
        let (agent, select) = (agent.clone(), select.clone());
        self.thread.read("listing documents", move |c| entries(c, &agent, &select, now)).await
    }

    async fn newest_documents(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> annals_core::Result<Vec<DocumentKey>> {
        let (agent, select) = (agent.clone(), select.clone());
        self.thread.read("listing documents", move |c| newest(c, &agent, &select, now)).await
    }

    async fn collections(&self, agent: &Agent, now: Timestamp) -> annals_core::Result<Vec<StoredCollection>> {
        let agent = agent.clone();
        self.thread.read("listing collections", move |c| collections(c, &agent, now)).await
    }

    async fn write_documents(
        &self,
        agent: &Agent,
        writes: Vec<DocumentWrite>,
        now: Timestamp,
    ) -> annals_core::Result<Vec<u64>> {
        let agent = agent.clone();
        self.thread.write("writing documents", move |c| write_all(c, &agent, &writes, now)).await
    }

    async fn refresh_documents(&self, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> annals_core::Result<()> {
        let (agent, keys) = (agent.clone(), keys.to_vec());
        self.thread.write("refreshing documents", move |c| refresh(c, &agent, &keys, now)).await
    }

    async fn remove_expired(&self, now: Timestamp, limit: usize) -> annals_core::Result<Vec<Agent>> {
        self.thread.write("removing expired documents", move |c| remove_expired(c, now, limit)).await
    }
}

/// Number of bytes of content after which a page of an export ends early: 8 MiB.
const BYTES: usize = 8 << 20;

pub(crate) const BY_KEY: &str = "SELECT * FROM document WHERE agent_id = ?1 AND collection = ?2 AND key = ?3";
/// `?2` and `?3` bound the collections: at least `?2`, and below `?3`, which sorts after all selected collections.
pub(crate) const LIST: &str = "SELECT * FROM document
    WHERE agent_id = ?1 AND collection >= ?2 AND collection < ?3 AND (collection, key) > (?4, ?5)
      AND (?2 = '' OR collection = ?2 OR substr(collection, 1, length(?2) + 1) = ?2 || '.')
      AND substr(key, 1, length(?6)) = ?6 AND (expires_at IS NULL OR expires_at > ?7)
    ORDER BY collection, key
    LIMIT ?8";
/// Takes the same parameters as [`LIST`]. The database computes the length of a content without reading the content.
const ENTRIES: &str = "SELECT collection, key, octet_length(content) AS bytes FROM document
    WHERE agent_id = ?1 AND collection >= ?2 AND collection < ?3 AND (collection, key) > (?4, ?5)
      AND (?2 = '' OR collection = ?2 OR substr(collection, 1, length(?2) + 1) = ?2 || '.')
      AND substr(key, 1, length(?6)) = ?6 AND (expires_at IS NULL OR expires_at > ?7)
    ORDER BY collection, key
    LIMIT ?8";
const NEWEST: &str = "SELECT collection, key FROM document
    WHERE agent_id = ?1 AND collection >= ?2 AND collection < ?3 AND (collection, key) > (?4, ?5)
      AND (?2 = '' OR collection = ?2 OR substr(collection, 1, length(?2) + 1) = ?2 || '.')
      AND substr(key, 1, length(?6)) = ?6 AND (expires_at IS NULL OR expires_at > ?7)
    ORDER BY updated_at DESC, collection, key
    LIMIT ?8";
const SIZES: &str = "SELECT octet_length(content) AS bytes FROM document
    WHERE agent_id = ?1 AND (collection, key) > (?2, ?3)
    ORDER BY collection, key
    LIMIT ?4";
pub(crate) const PAGE: &str = "SELECT * FROM document
    WHERE agent_id = ?1 AND (collection, key) > (?2, ?3)
    ORDER BY collection, key
    LIMIT ?4";
pub(crate) const COLLECTIONS: &str = "SELECT collection, count(*) AS n FROM document
    WHERE agent_id = ?1 AND (expires_at IS NULL OR expires_at > ?2)
    GROUP BY collection
    ORDER BY collection";
pub(crate) const EXPIRED: &str = "SELECT document.document_id, agent.agent_id, workspace, name, shown_name
    FROM document
    JOIN agent USING (agent_id)
    WHERE expires_at <= ?1 AND workspace <> ''
    ORDER BY expires_at
    LIMIT ?2";

/// A document with its number.
pub(crate) struct Stored {
    pub(crate) document_id: i64,
    pub(crate) document: Document,
}

/// Returns the documents with these keys that are not expired.
fn documents(db: &dyn Db, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<Vec<Document>> {
    let agent_id = agents::known(db, agent)?;
    let mut found = Vec::new();
    for key in keys {
        let stored = by_key(db, agent_id, key)?.map(|stored| stored.document);
        found.extend(stored.filter(|document| !document.is_expired(now)));
    }
    Ok(found)
}

fn by_key(db: &dyn Db, agent_id: i64, key: &DocumentKey) -> Result<Option<Stored>> {
    Ok(find(db, BY_KEY, params![agent_id, key.collection, key.key])?.pop())
}

fn list(db: &dyn Db, agent: &Agent, select: &DocumentSelect, now: Timestamp) -> Result<Vec<Document>> {
    let found = selecting(db, agent, select, now, |values| find(db, LIST, values))?;
    Ok(found.into_iter().map(|stored| stored.document).collect())
}

fn entries(db: &dyn Db, agent: &Agent, select: &DocumentSelect, now: Timestamp) -> Result<Vec<DocumentEntry>> {
    let read = |row: &Row| Ok(DocumentEntry { key: read_key(row)?, bytes: number(row, "bytes")? });
    selecting(db, agent, select, now, |values| db.query(ENTRIES, values, read))
}

fn newest(db: &dyn Db, agent: &Agent, select: &DocumentSelect, now: Timestamp) -> Result<Vec<DocumentKey>> {
    selecting(db, agent, select, now, |values| db.query(NEWEST, values, read_key))
}

/// Passes the values of a selection, in the order of the parameters of [`LIST`], to `run`.
fn selecting<T>(
    db: &dyn Db,
    agent: &Agent,
    select: &DocumentSelect,
    now: Timestamp,
    run: impl FnOnce(Values<'_>) -> Result<T>,
) -> Result<T> {
    let agent_id = agents::known(db, agent)?;
    // Dots join the labels of a collection, and `/` is the character after the dot.
    let end = if select.below.is_empty() { "\u{10ffff}".to_owned() } else { format!("{}/", select.below) };
    let after = select.after.clone().unwrap_or_default();
    let most = signed(select.limit as u64);
    run(params![agent_id, select.below, end, after.collection, after.key, select.key_prefix, micros(now), most])
}

fn read_key(row: &Row) -> Result<DocumentKey> {
    Ok(DocumentKey { collection: row.get("collection")?, key: row.get("key")? })
}

/// Returns at most `most` documents after a key, expired ones included. Also returns whether the page ended early because of
/// its size.
pub(crate) fn page(db: &dyn Db, agent_id: i64, after: &DocumentKey, most: i64) -> Result<(Vec<Document>, bool)> {
    let (mut rows, mut bytes, mut is_cut) = (0_i64, 0, false);
    db.for_each(SIZES, params![agent_id, after.collection, after.key, most], |row| {
        rows += 1;
        bytes += number::<usize>(row, "bytes")?;
        is_cut = bytes > BYTES;
        Ok(if is_cut { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    let found = find(db, PAGE, params![agent_id, after.collection, after.key, rows])?;
    Ok((found.into_iter().map(|stored| stored.document).collect(), is_cut))
}

/// Returns the documents of an agent that `takes` accepts, by collection and key. Reads one at a time.
pub(crate) fn matching(db: &dyn Db, agent_id: i64, takes: impl Fn(&Document) -> bool) -> Result<Vec<Stored>> {
    let sql = "SELECT document_id FROM document WHERE agent_id = ?1 ORDER BY collection, key";
    let numbers: Vec<i64> = db.query(Sql::Once(sql), params![agent_id], |row| row.get(0))?;
    let mut matching = Vec::new();
    for number in numbers {
        let found = find(db, "SELECT * FROM document WHERE document_id = ?1", params![number])?;
        matching.extend(found.into_iter().filter(|stored| takes(&stored.document)));
    }
    Ok(matching)
}

fn collections(db: &dyn Db, agent: &Agent, now: Timestamp) -> Result<Vec<StoredCollection>> {
    db.query(COLLECTIONS, params![agents::known(db, agent)?, micros(now)], |row| {
        Ok(StoredCollection { collection: row.get("collection")?, documents: number(row, "n")? })
    })
}

fn write_all(db: &dyn Db, agent: &Agent, writes: &[DocumentWrite], now: Timestamp) -> Result<Vec<u64>> {
    writes.iter().map(|write| write_one(db, agent, write, now)).collect()
}

fn write_one(db: &dyn Db, agent: &Agent, write: &DocumentWrite, now: Timestamp) -> Result<u64> {
    match write {
        DocumentWrite::Save(document, expected) => {
            let agent_id = agents::enrolled(db, agent)?;
            let (key, former) = (document.document_key(), by_key(db, agent_id, &document.document_key())?);
            let live = former.as_ref().map(|stored| &stored.document).filter(|former| !former.is_expired(now));
            check(&key, live, *expected)?;
            let created_at = live.map_or(document.created_at, |live| live.created_at);
            let version = former.as_ref().map_or(1, |stored| stored.document.version + 1);
            if let Some(former) = former {
                remove(db, agent_id, former.document_id, document.passages.len())?;
            }
            let document = Document { created_at, version, ..(**document).clone() };
            save(db, agent, [agent_id; 2], &document)?;
            Ok(version)
        }
        DocumentWrite::Remove(key, expected) => {
            let agent_id = agents::known(db, agent)?;
            let Some(former) = by_key(db, agent_id, key)? else {
                check(key, None, *expected)?;
                return Ok(0);
            };
            let live = Some(&former.document).filter(|former| !former.is_expired(now));
            check(key, live, *expected)?;
            let version = live.map_or(0, |live| live.version);
            remove(db, agent_id, former.document_id, 0)?;
            Ok(version)
        }
    }
}

fn check(key: &DocumentKey, live: Option<&Document>, expected: Expected) -> annals_core::Result<()> {
    match (expected, live) {
        (Expected::Absent, Some(_)) => Err(Error::Exists { what: ObjectKind::Document, name: key.to_string() }),
        (Expected::Version(version), live) if live.map(|live| live.version) != Some(version) => {
            Err(Error::Stale { what: format!("document {:?}", key.to_string()) })
        }
        _ => Ok(()),
    }
}

/// Fails with `Invalid` if a document with this key is stored, so that an archive cannot contain two.
pub(crate) fn refuse_second(db: &dyn Db, agent_id: i64, key: &DocumentKey) -> Result<()> {
    match by_key(db, agent_id, key)? {
        Some(_) => Err(Error::invalid("records", format!("contain the document {key} twice")).into()),
        None => Ok(()),
    }
}

/// Stores a document with its passages. No stored document may have its key. The rows belong to `agent_id`, and their sequence
/// numbers are those of `sequence_agent`; the two differ during a restore, which stores under a temporary agent.
pub(crate) fn save(
    db: &dyn Db,
    agent: &Agent,
    [agent_id, sequence_agent]: [i64; 2],
    document: &Document,
) -> Result<()> {
    let sql = "INSERT INTO document (agent_id, collection, key, is_json, content, indexed, day, created_at, updated_at,
            version, lifetime, expires_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        RETURNING document_id";
    let (is_json, content) = match &document.content {
        Content::Text(text) => (false, text.clone()),
        Content::Json(value) => (true, to_json(value)),
    };
    let values = params![
        agent_id,
        document.collection,
        document.key,
        is_json,
        content,
        document.indexed.as_ref().map(to_json),
        document.day.to_string(),
        micros(document.created_at),
        micros(document.updated_at),
        signed(document.version),
        document.lifetime.map(|lifetime| i64::try_from(lifetime.as_micros()).unwrap_or(i64::MAX)),
        document.expires_at.map(micros),
    ];
    let document_id: i64 = db.query_one(sql, values, |row| row.get(0))?;
    for memory in document.memories(agent) {
        passages::save(db, agent_id, document_id, &memory, changes::next_seq(db, sequence_agent)?)?;
    }
    Ok(())
}

/// Removes a document and its passages. Passages from the ordinal `from` on leave tombstones; the caller writes the others
/// again.
pub(crate) fn remove(db: &dyn Db, agent_id: i64, document_id: i64, from: usize) -> Result<()> {
    passages::remove(db, agent_id, document_id, from)?;
    db.execute("DELETE FROM document WHERE document_id = ?1", params![document_id])?;
    Ok(())
}

fn refresh(db: &dyn Db, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<()> {
    let sql = "UPDATE document SET expires_at = ?4 + lifetime
        WHERE agent_id = ?1 AND collection = ?2 AND key = ?3 AND lifetime IS NOT NULL AND expires_at > ?4";
    let agent_id = agents::known(db, agent)?;
    for key in keys {
        db.execute(sql, params![agent_id, key.collection, key.key, micros(now)])?;
    }
    Ok(())
}

fn remove_expired(db: &dyn Db, now: Timestamp, limit: usize) -> Result<Vec<Agent>> {
    let expired = db.query(EXPIRED, params![micros(now), signed(limit as u64)], |row| {
        Ok((row.get("document_id")?, row.get("agent_id")?, agents::read(row)?))
    })?;
    let mut concerned = BTreeSet::new();
    for (document_id, agent_id, agent) in expired {
        remove(db, agent_id, document_id, 0)?;
        concerned.insert(agent);
    }
    Ok(concerned.into_iter().collect())
}

/// Returns the documents that a query over all columns finds, with their passages.
pub(crate) fn find<'s>(db: &dyn Db, sql: impl Into<Sql<'s>>, values: Values<'_>) -> Result<Vec<Stored>> {
    let mut found =
        db.query(sql, values, |row| Ok(Stored { document_id: row.get("document_id")?, document: read(row)? }))?;
    for stored in &mut found {
        stored.document.passages = passages::ranges(db, stored.document_id)?;
    }
    Ok(found)
}

fn read(row: &Row) -> Result<Document> {
    let lifetime: Option<i64> = row.get("lifetime")?;
    Ok(Document {
        collection: row.get("collection")?,
        key: row.get("key")?,
        content: content(row)?,
        indexed: if row.is_null("indexed")? { None } else { Some(json(row, "indexed")?) },
        created_at: instant(row, "created_at")?,
        updated_at: instant(row, "updated_at")?,
        day: word(row, "day")?,
        version: number(row, "version")?,
        lifetime: lifetime.map(SignedDuration::from_micros),
        expires_at: maybe_instant(row, "expires_at")?,
        passages: Vec::new(),
    })
}

/// Reads the columns `is_json` and `content`.
pub(crate) fn content(row: &Row) -> Result<Content> {
    let text = row.text("content")?;
    if !row.get::<bool>("is_json")? {
        return Ok(Content::Text(text.to_owned()));
    }
    // The parser's own message may quote the content.
    let unread = |error: serde_json::Error| format!("is not valid JSON, at byte {}", error.column());
    Ok(Content::Json(serde_json::from_str(text).map_err(|error| unreadable("content", "Text", unread(error)))?))
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{DocumentWrite, Expected, Record};
    use annals_core::prelude::*;
    use annals_testkit::{agent, all_records, at, document};

    use crate::fixture::Folder;

    #[tokio::test]
    async fn large_documents_are_exported_in_several_pages() {
        let (folder, me, now) = (Folder::new(), agent("me"), at("2026-06-01T00:00:00Z"));
        let catalog = folder.open();
        for key in ["a", "b", "c", "d"] {
            let written = document(key, now, &"long ".repeat(1 << 20));
            catalog
                .write_documents(&me, vec![DocumentWrite::Save(Box::new(written), Expected::Any)], now)
                .await
                .unwrap();
        }
        let documents = |records: &[Record]| records.iter().filter(|one| matches!(one, Record::Document(_))).count();
        assert_eq!(documents(&catalog.records(&me, None, 100).await.unwrap()), 2);
        assert_eq!(documents(&all_records(&catalog, &me).await), 4);
    }
}
