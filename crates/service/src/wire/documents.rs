//! Documents: requests to store, list and search them, and their answers.

use annals_core::ports::{Content, Document};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// A document to store: a text or a JSON value.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PutDocument {
    /// Text of the document. Send either `text` or `value`.
    #[serde(default)]
    pub text: Option<String>,
    /// JSON value of the document, in place of a text.
    #[serde(default)]
    pub value: Option<Value>,
    /// Paths of a JSON value that are searched, as in `title`, `notes[*].text` or `tags[0]`. If absent, the whole value is
    /// searched; with an empty list, nothing is.
    #[serde(default)]
    pub indexed: Option<Vec<String>>,
    /// Seconds after which the document expires. Without it, the document never expires.
    #[serde(default)]
    pub lifetime_seconds: Option<u64>,
    /// Version that must be stored now, or 0 if no document may be stored under the key. Otherwise the request fails and
    /// nothing is written.
    #[serde(default)]
    pub expected_version: Option<u64>,
}

/// A stored document.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct DocumentView {
    /// Path of the collection: labels joined with dots.
    #[schema(example = "notes.work")]
    pub collection: String,
    /// Key of the document, unique within the collection.
    #[schema(example = "plan.md")]
    pub key: String,
    /// Text of the document. Absent in lists and searches, and if the document is a JSON value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// JSON value of the document. Absent in lists and searches, and if the document is a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Number of writes since the document was created, the first included.
    pub version: u64,
    /// When the document was first written. Replacing it keeps this time.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When the document was last written.
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// When the document expires. Absent if it never does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    /// Number of passages into which the document is split for searches.
    pub passages: usize,
}

impl From<Document> for DocumentView {
    fn from(document: Document) -> DocumentView {
        let (text, value) = match document.content {
            Content::Text(text) => (Some(text), None),
            Content::Json(value) => (None, Some(value)),
        };
        DocumentView {
            collection: document.collection,
            key: document.key,
            text,
            value,
            version: document.version,
            created_at: document.created_at.to_string(),
            updated_at: document.updated_at.to_string(),
            expires_at: document.expires_at.map(|end| end.to_string()),
            passages: document.passages.len(),
        }
    }
}

impl DocumentView {
    /// Returns the document without its content.
    pub(crate) fn without_content(self) -> DocumentView {
        DocumentView { text: None, value: None, ..self }
    }
}

/// Which documents to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DocumentsRequest {
    /// Only documents of this collection and of those below it.
    #[serde(default)]
    pub collection: Option<String>,
    /// Only keys that start with this text.
    #[serde(default)]
    pub key_prefix: Option<String>,
    /// Maximum number of documents: 1 to 1,000; 100 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// `next_cursor` of the page before.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A page of documents, in order of collection and key.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct DocumentsAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// The documents of this page, without their contents.
    pub documents: Vec<DocumentView>,
    /// Cursor of the next page, if there is one.
    pub next_cursor: Option<String>,
}

/// The collections of an agent that contain documents.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct CollectionsAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// The collections, ordered by path.
    pub collections: Vec<CollectionView>,
}

/// A collection and the number of its documents.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct CollectionView {
    /// Path of the collection: labels joined with dots.
    pub collection: String,
    /// Number of documents in this collection, not counting collections below it.
    pub documents: u64,
}

/// A search for documents.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentSearchRequest {
    /// A question or words. Documents are found by their meaning and by their words.
    pub query: String,
    /// Only documents of this collection and of those below it.
    #[serde(default)]
    pub collection: Option<String>,
    /// Maximum number of documents: 1 to 100.
    #[serde(default = "ten")]
    #[schema(minimum = 1, maximum = 100, default = 10)]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
}

fn ten() -> usize {
    10
}

/// Documents that match, best first.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct DocumentSearchAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// The documents, each once, best first.
    pub results: Vec<DocumentResult>,
}

/// A document that matches, with its best passage.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct DocumentResult {
    /// The document, without its content.
    pub document: DocumentView,
    /// Relevance to the query: higher is better, comparable within one answer only.
    pub score: f64,
    /// Position of the best passage.
    pub passage: PassageView,
    /// Text of the best passage, below the passage's title.
    pub text: String,
}

/// The position of a passage in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PassageView {
    /// Number of the passage in its document, counted from 0.
    pub ordinal: u32,
    /// Position of the first character, counted from 0. For a JSON value, characters are counted in the searched values, one
    /// per line.
    pub start: u32,
    /// Position after the last character.
    pub end: u32,
}

/// The document that a memory is a passage of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PassageOf {
    /// Path of the document's collection: labels joined with dots.
    pub collection: String,
    /// Key of the document, unique within the collection.
    pub key: String,
    /// Position of the passage.
    pub passage: PassageView,
}
