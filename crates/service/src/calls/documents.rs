//! Calls that list, read and delete documents. No call stores one.

use annals_core::Result;
use annals_core::ports::DocumentKey;
use serde::{Deserialize, Serialize};

use super::{Call, Context};
use crate::wire::{DocumentView, DocumentsAnswer, DocumentsRequest};

/// Lists documents without their contents.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListDocuments {
    pub agent: String,
    pub request: DocumentsRequest,
}

impl Call for ListDocuments {
    const NAME: &'static str = "list_documents";
    type Answer = DocumentsAnswer;

    async fn run(self, context: Context<'_>) -> Result<DocumentsAnswer> {
        let agent = context.agent(&self.agent).await?;
        context.service().list_documents(&agent, self.request, context.now).await
    }
}

/// Returns a document with its content.
#[derive(Debug, Serialize, Deserialize)]
pub struct GetDocument {
    pub agent: String,
    /// Path of the document's collection.
    pub collection: String,
    /// Key of the document in its collection.
    pub key: String,
}

impl Call for GetDocument {
    const NAME: &'static str = "get_document";
    type Answer = DocumentView;

    async fn run(self, context: Context<'_>) -> Result<DocumentView> {
        let agent = context.agent(&self.agent).await?;
        let document_key = DocumentKey { collection: self.collection, key: self.key };
        context.service().get_document(&agent, &document_key, context.now).await
    }
}

/// Deletes a document, whatever its version.
#[derive(Debug, Serialize, Deserialize)]
pub struct DeleteDocument {
    pub agent: String,
    /// Path of the document's collection.
    pub collection: String,
    /// Key of the document in its collection.
    pub key: String,
}

impl Call for DeleteDocument {
    const NAME: &'static str = "delete_document";
    type Answer = ();

    async fn run(self, context: Context<'_>) -> Result<()> {
        let agent = context.agent(&self.agent).await?;
        let document_key = DocumentKey { collection: self.collection, key: self.key };
        context.service().remove_document(&agent, document_key, None, context.now).await
    }
}
