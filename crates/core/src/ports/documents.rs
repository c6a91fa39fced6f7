//! Port `Documents`: texts and JSON values of an agent, stored under a collection and a key.
//!
//! Each document is split into passages, which are memories of kind [`Kind::Passage`](crate::Kind::Passage) in the working
//! grain: the tables find a document by any of its parts. The caller splits texts and checks names and sizes. The store writes
//! a document and its passages in one transaction, and compares versions. Searches leave out passages of expired documents.

mod text;

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{Agent, Period, Result, SignedDuration, Timestamp};

pub use text::is_heading;

/// Identifies a document: its collection, and its key there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentKey {
    /// The path of the collection: labels joined with dots, as in `notes.work`.
    pub collection: String,
    /// The key, unique within the collection.
    pub key: String,
}

impl fmt::Display for DocumentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.collection, self.key)
    }
}

/// The content of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// A text, such as Markdown.
    Text(String),
    /// A JSON value.
    Json(serde_json::Value),
}

/// A part of a document that is searched by itself, as a range of characters of [`Document::searched_text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Number of the first character, counted from 0.
    pub start: u32,
    /// Number of the character after the last one.
    pub end: u32,
}

/// A document. Field names are a stored format: exports contain them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The path of the collection: labels joined with dots.
    pub collection: String,
    /// The key, unique within the collection.
    pub key: String,
    /// The text or JSON value.
    pub content: Content,
    /// The paths of a JSON value that are searched, as in `title` or `notes[*].text`. `None` searches everything, an empty
    /// list nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexed: Option<Vec<String>>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// The local day on which it was last written.
    pub day: Period,
    /// How often the document was written. Also counts the writes of an expired document that was still stored under the key.
    pub version: u64,
    /// How long it is kept after a write or a refresh; `None` if it never expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<SignedDuration>,
    /// When it expires; `None` if it never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The passages, in order.
    #[serde(default)]
    pub passages: Vec<Passage>,
}

impl Document {
    /// Returns the collection and the key.
    pub fn document_key(&self) -> DocumentKey {
        DocumentKey { collection: self.collection.clone(), key: self.key.clone() }
    }

    /// Returns whether the document has expired at `now`.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

/// What a write expects of the stored document. An expired document counts as absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    /// The write does not depend on what is stored.
    #[default]
    Any,
    /// There is no document.
    Absent,
    /// The document has this version.
    Version(u64),
}

/// One write of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentWrite {
    /// Stores the document. The store sets its version. If it replaces a document that has not expired, it keeps the moment of
    /// the creation.
    Save(Box<Document>, Expected),
    /// Removes the document, if there is one.
    Remove(DocumentKey, Expected),
}

/// A selection of documents, in order of collection and key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentSelect {
    /// Only documents of this collection and of those below it; of all collections if empty.
    pub below: String,
    /// Only keys that start with this text.
    pub key_prefix: String,
    /// Only documents after this one in the order of collection and key.
    pub after: Option<DocumentKey>,
    /// Maximum number of documents.
    pub limit: usize,
}

/// An entry of a list of documents, without the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEntry {
    /// The key of the document.
    pub key: DocumentKey,
    /// Bytes of its content as it is stored.
    pub bytes: u64,
}

/// A collection that holds documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCollection {
    /// The path: labels joined with dots.
    pub collection: String,
    /// Number of documents in the collection itself, without those below it.
    pub documents: u64,
}

/// The documents of agents. Each method is one transaction.
#[async_trait]
pub trait Documents: Send + Sync {
    /// Returns the documents with these keys, in input order. Omits those that do not exist or are expired at `now`.
    async fn documents(&self, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<Vec<Document>>;

    /// Returns selected documents that are not expired, in order of collection and key, both compared byte by byte.
    async fn list_documents(&self, agent: &Agent, select: &DocumentSelect, now: Timestamp) -> Result<Vec<Document>>;

    /// Returns the keys and sizes of the documents that [`Documents::list_documents`] returns, without reading their contents.
    async fn document_entries(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> Result<Vec<DocumentEntry>>;

    /// Returns the keys of selected documents that are not expired, the last written first, then in order of collection and
    /// key.
    async fn newest_documents(
        &self,
        agent: &Agent,
        select: &DocumentSelect,
        now: Timestamp,
    ) -> Result<Vec<DocumentKey>>;

    /// Returns the collections with documents that are not expired, in order of path.
    async fn collections(&self, agent: &Agent, now: Timestamp) -> Result<Vec<StoredCollection>>;

    /// Carries out writes in order, all or none. Returns for each write the stored version; for a removal the removed version,
    /// or 0 if there was no document or an expired one. [`crate::Error::Exists`] or [`crate::Error::Stale`] if a document is
    /// not as expected.
    async fn write_documents(&self, agent: &Agent, writes: Vec<DocumentWrite>, now: Timestamp) -> Result<Vec<u64>>;

    /// Restarts the lifetime of documents at `now`. Documents without a lifetime, and expired ones, stay unchanged.
    async fn refresh_documents(&self, agent: &Agent, keys: &[DocumentKey], now: Timestamp) -> Result<()>;

    /// Removes expired documents of all agents, at most `limit`. Returns the agents that owned them.
    async fn remove_expired(&self, now: Timestamp, limit: usize) -> Result<Vec<Agent>>;
}
