//! Files and directories over the documents of one collection.

use annals_core::ports::{Content, Document, DocumentKey, DocumentSelect, Expected};
use annals_core::{Agent, Timestamp};
use annals_service::{DocumentChange, NewDocument, Service};

use super::path::directories;
use super::texts::Directory;
use super::{Result, refused};
use crate::rest::Problem;

/// The collection of all files.
const COLLECTION: &str = "memories";
/// Number of files that one query reads if it reads their contents (`PAGE`), and if it does not (`ENTRIES`).
const PAGE: usize = 32;
const ENTRIES: usize = 1000;

pub(super) struct Files<'s> {
    pub(super) service: &'s Service,
    pub(super) agent: &'s Agent,
    pub(super) now: Timestamp,
}

impl Files<'_> {
    /// Returns a file; `None` if it does not exist or is a directory.
    pub(super) async fn file(&self, key: &str) -> Result<Option<Document>> {
        if key.is_empty() {
            return Ok(None);
        }
        Ok(self.service.document(self.agent, &document_key(key), false, self.now).await?)
    }

    /// Returns whether a key is a directory. The root always is one.
    pub(super) async fn is_directory(&self, key: &str) -> Result<bool> {
        let select = DocumentSelect { limit: 1, ..below(key) };
        Ok(key.is_empty() || !self.service.page_of_documents(self.agent, &select, self.now).await?.is_empty())
    }

    /// Returns whether the key is that of a file or a directory.
    pub(super) async fn exists(&self, key: &str) -> Result<bool> {
        Ok(self.file(key).await?.is_some() || self.is_directory(key).await?)
    }

    /// Returns everything below a directory, including the directory's own document, sorted by key.
    pub(super) async fn all_below(&self, key: &str) -> Result<Vec<Document>> {
        let mut select = below(key);
        let mut all = Vec::new();
        loop {
            let page = self.service.page_of_documents(self.agent, &select, self.now).await?;
            let is_last = page.len() < PAGE;
            all.extend(page);
            select.after = all.last().map(Document::document_key);
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Returns the files and directories below a directory, with sizes and without contents.
    pub(super) async fn tree(&self, key: &str) -> Result<Directory> {
        let start = if key.is_empty() { 0 } else { key.len() + 1 };
        let mut tree = Directory::default();
        let mut select = DocumentSelect { limit: ENTRIES, ..below(key) };
        loop {
            let page = self.service.document_entries(self.agent, &select, self.now).await?;
            let is_last = page.len() < ENTRIES;
            select.after = page.last().map(|entry| entry.key.clone());
            for entry in page {
                let path = &entry.key.key[start..];
                match path.strip_suffix('/') {
                    Some(directory) => tree.add_directory(directory),
                    None if path.is_empty() => {}
                    None => tree.add_file(path, entry.bytes),
                }
            }
            if is_last {
                return Ok(tree);
            }
        }
    }

    /// Returns the changes that create the missing directories above a key. Returns an error if one of them is a file.
    pub(super) async fn make_directories(&self, path: &str, key: &str) -> Result<Vec<DocumentChange>> {
        let mut changes = Vec::new();
        for directory in directories(key) {
            if self.file(directory).await?.is_some() {
                return refused(format!("The path {path} has a file among its directories"));
            }
            let key = format!("{directory}/");
            if self.file(&key).await?.is_none() {
                changes.push(put(&key, Content::Text(String::new()), Expected::Any));
            }
        }
        Ok(changes)
    }

    /// Carries out changes, all or none. Fails with [`Refusal::Stale`](super::Refusal::Stale) if another writer has changed or
    /// created one of the files since it was read.
    pub(super) async fn change(&self, changes: Vec<DocumentChange>) -> Result<()> {
        let settings = self.service.admit(self.agent).await.map_err(Problem::from)?;
        self.service.change_documents(self.agent, &settings, changes, self.now).await?;
        Ok(())
    }
}

fn document_key(key: &str) -> DocumentKey {
    DocumentKey { collection: COLLECTION.to_owned(), key: key.to_owned() }
}

fn below(key: &str) -> DocumentSelect {
    let key_prefix = if key.is_empty() { String::new() } else { format!("{key}/") };
    DocumentSelect { below: COLLECTION.to_owned(), key_prefix, limit: PAGE, ..DocumentSelect::default() }
}

/// Returns the text of a content. A JSON value that another interface stored is shown as JSON.
pub(super) fn text(content: Content) -> String {
    match content {
        Content::Text(text) => text,
        Content::Json(value) => value.to_string(),
    }
}

/// Returns the change that stores a file, or a directory if the key ends with a slash.
pub(super) fn put(key: &str, content: Content, expected: Expected) -> DocumentChange {
    DocumentChange::Put(NewDocument { key: document_key(key), content, indexed: None, lifetime: None, expected })
}

/// Returns the change that removes a file, provided that it still has the version that was read.
pub(super) fn remove(document: &Document) -> DocumentChange {
    DocumentChange::Remove(document.document_key(), Expected::Version(document.version))
}
