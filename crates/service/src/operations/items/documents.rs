//! Stores documents of an import. Each replaces the stored document as a whole, so text that was removed in the source is
//! removed here too.

use annals_core::ports::{Content, Document, DocumentKey, DocumentWrite, Expected, ItemKey};
use annals_core::{Result, Timestamp};
use annals_importers::{split_text, storable_id};

use super::{Import, UNDATED};
use crate::locks::Facts;
use crate::operations::documents::MAX_CONTENT_BYTES;
use crate::wire::ImportCounts;

impl Import<'_> {
    /// Stores a document in the collection that is named after the kind of source. A text beyond the limit becomes several
    /// documents with the keys `KEY`, `KEY#2`, `KEY#3` and so on. Removes further parts that a longer text has left. Skips a
    /// document without an id.
    pub(super) async fn take_document(
        &mut self,
        id: &str,
        title: &str,
        text: String,
        at: Option<Timestamp>,
        location: &str,
    ) -> Result<()> {
        let key = storable_id(id.strip_prefix(&format!("{}:", self.request.from)).unwrap_or(id));
        if key.is_empty() {
            self.skips.add("document without an id", "", location);
            return Ok(());
        }
        let text = self.masked(with_title(title, &key, text));
        let mut counts = self.stored.documents;
        let mut parts = split_text(&text, MAX_CONTENT_BYTES).into_iter();
        for number in 1_u32.. {
            let key = if number == 1 { key.clone() } else { format!("{key}#{number}") };
            let key = DocumentKey { collection: self.request.from.clone(), key };
            let Some(part) = parts.next() else {
                if !self.remove_document(key).await? {
                    break;
                }
                continue;
            };
            self.store_document(key, part, at, &mut counts).await?;
        }
        self.stored.documents = counts;
        Ok(())
    }

    async fn store_document(
        &mut self,
        key: DocumentKey,
        text: &str,
        at: Option<Timestamp>,
        counts: &mut ImportCounts,
    ) -> Result<()> {
        self.check_disk()?;
        let _facts = self.service.locks.lock::<Facts>(self.agent).await;
        let stored = self.service.documents_at(self.agent, std::slice::from_ref(&key), self.now).await?.pop();
        if stored.as_ref().is_some_and(|stored| stored.content == Content::Text(text.to_owned())) {
            counts.known += 1;
            return Ok(());
        }
        if stored.is_none() && self.forgotten(&[ItemKey::Document(key.clone())]).await? == [true] {
            counts.forgotten += 1;
            return Ok(());
        }
        let count = if stored.is_some() { &mut counts.revised } else { &mut counts.new };
        *count += 1;
        let at = at.or(stored.map(|stored| stored.updated_at)).unwrap_or(UNDATED);
        let passages = self.service.parts.writer.passages(text);
        let document = Document {
            collection: key.collection,
            key: key.key,
            content: Content::Text(text.to_owned()),
            indexed: None,
            created_at: at,
            updated_at: at,
            day: self.day_of(at),
            version: 1,
            lifetime: None,
            expires_at: None,
            passages,
        };
        let write = DocumentWrite::Save(Box::new(document), Expected::Any);
        self.service.parts.store.write_documents(self.agent, vec![write], self.now).await.map(|_| ())
    }

    /// Removes a further part of a text that became shorter. Returns whether the part was stored.
    async fn remove_document(&self, key: DocumentKey) -> Result<bool> {
        let write = DocumentWrite::Remove(key, Expected::Any);
        let removed = self.service.parts.store.write_documents(self.agent, vec![write], self.now).await?;
        Ok(removed != [0])
    }
}

/// Puts the title above a text, unless the title is empty, the key contains the title, or the text begins with a heading.
fn with_title(title: &str, key: &str, text: String) -> String {
    let (title, text) = (title.trim(), text.trim());
    let repeats_title = title.is_empty() || key.contains(title) || text.starts_with('#');
    if repeats_title { text.to_owned() } else { format!("{title}\n\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_is_prepended_unless_key_or_heading_has_it() {
        let check = |title, key, text: &str, expect| assert_eq!(with_title(title, key, text.to_owned()), expect);
        check("Notes", "project/1", " Text.\n", "Notes\n\nText.");
        check("plan", "notes/plan.md", "Text.", "Text.");
        check("Notes", "1", "# Tea\nGreen.", "# Tea\nGreen.");
    }
}
