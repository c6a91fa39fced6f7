//! Documents: texts and JSON values under a collection and a key, found by any of their parts.
//!
//! A write checks the expected version and commits the document with its passages, in one transaction. The workers make the
//! passages searchable soon after.

mod expiry;
mod search;

use annals_core::ports::{Content, Document, DocumentEntry, DocumentKey, DocumentSelect, DocumentWrite, Expected};
use annals_core::{Agent, Error, Fault, Grain, ObjectKind, Period, Result, Settings, SignedDuration, Timestamp};

use crate::Service;
use crate::wire::{CollectionView, CollectionsAnswer, DocumentView, DocumentsAnswer, DocumentsRequest, PutDocument};

pub use search::{DocumentFound, DocumentQuery};

/// Maximum bytes of the content of a document. A text above 256 KiB is too long for a message and has to be a document.
pub(super) const MAX_CONTENT_BYTES: usize = 1024 * 1024;
/// Maximum bytes of the path of a collection, and of a key.
const MAX_NAME_LENGTH: usize = 1024;
/// Maximum number of paths in `indexed`.
const MAX_PATHS: usize = 64;
/// Maximum number of documents on a page; [`PAGE`] is the default.
const MAX_PAGE_SIZE: usize = 1000;
const PAGE: usize = 100;
/// Maximum number of documents that one query reads for a page.
const CHUNK: usize = 32;
/// Maximum lifetime in seconds: a hundred years.
const MAX_LIFETIME: u64 = 100 * 366 * 24 * 3600;

/// A document to be stored.
#[derive(Clone, Debug)]
pub struct NewDocument {
    pub key: DocumentKey,
    pub content: Content,
    /// The paths of a JSON value that are searched; `None` for all.
    pub indexed: Option<Vec<String>>,
    /// How long the document is kept after a write or a refresh; `None` if it never expires.
    pub lifetime: Option<SignedDuration>,
    /// What must be stored under the key now; otherwise the write fails.
    pub expected: Expected,
}

/// One write in a list of writes that are carried out together.
#[derive(Clone, Debug)]
pub enum DocumentChange {
    Put(NewDocument),
    Remove(DocumentKey, Expected),
}

impl Service {
    /// Carries out changes in order, all or none. `settings` are those that [`Service::admit`] returned. Returns the version of
    /// each document; 0 if the document to remove did not exist. Fails with [`Error::Exists`] or [`Error::Stale`] if a stored
    /// document is not as expected. Fails too if a document to be stored has a fault.
    pub async fn change_documents(
        &self,
        agent: &Agent,
        settings: &Settings,
        changes: Vec<DocumentChange>,
        now: Timestamp,
    ) -> Result<Vec<u64>> {
        let writes = changes.into_iter().map(|change| match change {
            DocumentChange::Remove(key, expected) => Ok(DocumentWrite::Remove(key, expected)),
            DocumentChange::Put(new) => {
                let expected = new.expected;
                Ok(DocumentWrite::Save(Box::new(self.document_of(new, settings, now)?), expected))
            }
        });
        let writes = writes.collect::<Result<Vec<_>>>()?;
        let versions = self.parts.store.write_documents(agent, writes, now).await?;
        self.enqueue(agent);
        Ok(versions)
    }

    fn document_of(&self, new: NewDocument, settings: &Settings, now: Timestamp) -> Result<Document> {
        let new = if settings.mask { masked(new) } else { new };
        let day = Period::of(Grain::Daily, settings.zones()?.day_of(now));
        // Stores keep times in microseconds.
        let now = Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now);
        let faults = check(&new);
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        let NewDocument { key, content, indexed, lifetime, .. } = new;
        let mut document = Document {
            collection: key.collection,
            key: key.key,
            content,
            indexed,
            created_at: now,
            updated_at: now,
            day,
            version: 1,
            lifetime,
            expires_at: lifetime.and_then(|lifetime| now.checked_add(lifetime).ok()),
            passages: Vec::new(),
        };
        document.passages = self.parts.writer.passages_of(&document);
        Ok(document)
    }

    /// Returns a document; `None` if it does not exist or is expired. With `refresh`, its lifetime starts again.
    pub async fn document(
        &self,
        agent: &Agent,
        key: &DocumentKey,
        refresh: bool,
        now: Timestamp,
    ) -> Result<Option<Document>> {
        let keys = std::slice::from_ref(key);
        let found = self.parts.store.documents(agent, keys, now).await?.pop();
        // A document without a lifetime costs no write.
        if refresh && found.as_ref().is_some_and(|document| document.lifetime.is_some()) {
            self.parts.store.refresh_documents(agent, keys, now).await?;
            return Ok(self.parts.store.documents(agent, keys, now).await?.pop());
        }
        Ok(found)
    }

    /// Starts the lifetimes of these documents again, from `now`.
    pub async fn refresh_documents(&self, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<()> {
        self.parts.store.refresh_documents(agent, keys, now).await
    }

    /// Returns the documents with these keys, in the order of `keys`. Omits documents that do not exist or are expired.
    pub async fn documents_at(&self, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<Vec<Document>> {
        self.parts.store.documents(agent, keys, now).await
    }

    /// Returns a page of selected documents, in order of collection and key.
    pub async fn page_of_documents(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> Result<Vec<Document>> {
        self.parts.store.list_documents(agent, select, now).await
    }

    /// Returns the same page as [`Service::page_of_documents`], without the contents.
    pub async fn document_entries(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> Result<Vec<DocumentEntry>> {
        self.parts.store.document_entries(agent, select, now).await
    }

    /// Returns the keys of selected documents, the last written first.
    pub async fn newest_documents(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> Result<Vec<DocumentKey>> {
        self.parts.store.newest_documents(agent, select, now).await
    }

    /// Stores a document. Returns its version and times, without the content. Fails if the request has faults, or if another
    /// version is stored than expected.
    pub async fn put_document(
        &self,
        agent: &Agent,
        settings: &Settings,
        key: DocumentKey,
        request: PutDocument,
        now: Timestamp,
    ) -> Result<DocumentView> {
        let new = requested(key, request)?;
        let mut written = self.document_of(new.clone(), settings, now)?;
        let versions = self.change_documents(agent, settings, vec![DocumentChange::Put(new)], now).await?;
        // Only the time of creation is read back: another caller may have replaced the document meanwhile, and its version in
        // this answer would allow to overwrite it unseen.
        let stored = self.document(agent, &written.document_key(), false, now).await?;
        written.created_at = stored.map_or(written.created_at, |stored| stored.created_at);
        written.version = versions.into_iter().next().unwrap_or(written.version);
        Ok(DocumentView::from(written).without_content())
    }

    /// Returns a document with its content. Fails with [`Error::NotFound`] if it does not exist or is expired.
    pub async fn get_document(&self, agent: &Agent, key: &DocumentKey, now: Timestamp) -> Result<DocumentView> {
        let found = self.document(agent, key, false, now).await?;
        found
            .map(DocumentView::from)
            .ok_or_else(|| Error::NotFound { what: ObjectKind::Document, name: key.to_string() })
    }

    /// Removes a document. With a `version`, fails with [`Error::Stale`] if that version is not stored. Without one, fails with
    /// [`Error::NotFound`] if the document does not exist.
    pub async fn remove_document(
        &self,
        agent: &Agent,
        key: DocumentKey,
        version: Option<u64>,
        now: Timestamp,
    ) -> Result<()> {
        let expected = version.map_or(Expected::Any, Expected::Version);
        let writes = vec![DocumentWrite::Remove(key.clone(), expected)];
        let removed = self.parts.store.write_documents(agent, writes, now).await?;
        self.enqueue(agent);
        if removed == [0] { Err(Error::NotFound { what: ObjectKind::Document, name: key.to_string() }) } else { Ok(()) }
    }

    /// Returns a page of documents without their contents, ordered by collection and key.
    pub async fn list_documents(
        &self,
        agent: &Agent,
        request: DocumentsRequest,
        now: Timestamp,
    ) -> Result<DocumentsAnswer> {
        let limit = request.limit.unwrap_or(PAGE);
        if limit == 0 || limit > MAX_PAGE_SIZE {
            return Err(Error::invalid("limit", format!("is {limit}; 1 to {MAX_PAGE_SIZE} are allowed")));
        }
        let mut select = DocumentSelect {
            below: request.collection.unwrap_or_default(),
            key_prefix: request.key_prefix.unwrap_or_default(),
            after: request.cursor.as_deref().map(from_cursor).transpose()?,
            limit: 0,
        };
        let mut documents: Vec<DocumentView> = Vec::new();
        loop {
            // Contents may be large, so few are read at once.
            select.limit = CHUNK.min(limit + 1 - documents.len());
            let page = self.page_of_documents(agent, &select, now).await?;
            let is_last = page.len() < select.limit;
            select.after = page.last().map(Document::document_key);
            documents.extend(page.into_iter().map(DocumentView::from).map(DocumentView::without_content));
            if is_last || documents.len() > limit {
                break;
            }
        }
        let is_more = documents.len() > limit;
        documents.truncate(limit);
        let next_cursor = documents.last().filter(|_| is_more).map(to_cursor);
        Ok(DocumentsAnswer { agent: agent.name().to_owned(), documents, next_cursor })
    }

    /// Returns the collections that contain documents, ordered by path, each with its number of documents.
    pub async fn document_collections(&self, agent: &Agent, now: Timestamp) -> Result<CollectionsAnswer> {
        let found = self.parts.store.collections(agent, now).await?.into_iter();
        let view = |one: annals_core::ports::StoredCollection| CollectionView {
            collection: one.collection,
            documents: one.documents,
        };
        Ok(CollectionsAnswer { agent: agent.name().to_owned(), collections: found.map(view).collect() })
    }
}

/// Replaces text that looks like a credential in the content of a document, as in messages.
fn masked(mut new: NewDocument) -> NewDocument {
    match &mut new.content {
        Content::Text(text) => *text = annals_writer::mask(text).0,
        Content::Json(value) => annals_writer::mask_value(value),
    }
    new
}

/// Returns a cursor that continues after a document. A collection may contain any character, so its length comes first.
fn to_cursor(last: &DocumentView) -> String {
    format!("{}:{}/{}", last.collection.len(), last.collection, last.key)
}

fn from_cursor(cursor: &str) -> Result<DocumentKey> {
    let parsed = || {
        let (length, rest) = cursor.split_once(':')?;
        let (collection, key) = rest.split_at_checked(length.parse().ok()?)?;
        Some(DocumentKey { collection: collection.to_owned(), key: key.strip_prefix('/')?.to_owned() })
    };
    parsed().ok_or_else(|| Error::invalid("cursor", "is not one that a page returned"))
}

fn requested(key: DocumentKey, request: PutDocument) -> Result<NewDocument> {
    let content = match (request.text, request.value) {
        (Some(text), None) => Content::Text(text),
        (None, Some(value)) => Content::Json(value),
        _ => return Err(Error::invalid("text or value", "is missing, or both are there; send one of them")),
    };
    let lifetime = match request.lifetime_seconds {
        Some(0) => return Err(Error::invalid("lifetime_seconds", "is 0; leave it out to keep the document")),
        Some(seconds) if seconds > MAX_LIFETIME => {
            return Err(Error::invalid("lifetime_seconds", format!("is above {MAX_LIFETIME}")));
        }
        seconds => seconds.and_then(|seconds| i64::try_from(seconds).ok()).map(SignedDuration::from_secs),
    };
    let expected = match request.expected_version {
        None => Expected::Any,
        Some(0) => Expected::Absent,
        Some(version) => Expected::Version(version),
    };
    Ok(NewDocument { key, content, indexed: request.indexed, lifetime, expected })
}

fn check(new: &NewDocument) -> Vec<Fault> {
    let DocumentKey { collection, key } = &new.key;
    let mut faults = Vec::new();
    let mut fault = |field: &str, reason: String| faults.push(Fault::new(field, reason));
    for (field, name) in [("collection", collection), ("key", key)] {
        match name.len() {
            0 => fault(field, "is empty".to_owned()),
            1..=MAX_NAME_LENGTH => {}
            bytes => fault(field, format!("has {bytes} bytes; {MAX_NAME_LENGTH} are allowed")),
        }
        if name.chars().any(char::is_control) {
            fault(field, "contains a control character".to_owned());
        }
    }
    if !collection.is_empty() && collection.split('.').any(str::is_empty) {
        fault("collection", "has an empty label between its dots".to_owned());
    }
    let bytes = match &new.content {
        Content::Text(text) => text.len(),
        Content::Json(value) => value.to_string().len(),
    };
    if bytes > MAX_CONTENT_BYTES {
        fault("content", format!("has {bytes} bytes; {MAX_CONTENT_BYTES} are allowed"));
    }
    if new.indexed.as_ref().is_some_and(|paths| paths.len() > MAX_PATHS) {
        fault("indexed", format!("has more than {MAX_PATHS} paths"));
    }
    faults
}

#[cfg(test)]
mod tests;
