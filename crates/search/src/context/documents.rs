//! Scores parts of the caller's documents by their similarity to the prompt.

use annals_core::{ContextDocument, ContextQuery, Error, Result};

use super::items::{Candidate, of_document};
use crate::Search;

/// Maximum number of parts of all documents together. Each part is embedded, which takes some 5 ms.
const MAX_PARTS: usize = 200;
/// Score of a part per unit of similarity: an unrelated part scores 0, a very similar part as much as the best search result.
const WEIGHT: f64 = 8.0;

impl Search {
    /// Returns the parts of the documents, each scored by its similarity, and, if only words were compared, the reason. Returns
    /// an error if there are more than [`MAX_PARTS`] parts.
    pub(super) async fn of_documents(&self, request: &ContextQuery) -> Result<(Vec<Candidate>, Option<String>)> {
        let parts: Vec<(&ContextDocument, &str)> =
            request.documents.iter().flat_map(|document| self.cut(document)).collect();
        if parts.len() > MAX_PARTS {
            let reason = format!("have {} parts; {MAX_PARTS} are compared at most", parts.len());
            return Err(Error::invalid("documents", reason));
        }
        let texts = parts.iter().map(|(document, text)| titled(document, text)).collect();
        let (likenesses, words_alone) = self.likenesses(&request.prompt, texts).await?;
        let scored = parts.iter().zip(likenesses);
        Ok((scored.map(|((document, text), likeness)| part(document, text, likeness)).collect(), words_alone))
    }

    fn cut<'d>(&self, document: &'d ContextDocument) -> Vec<(&'d ContextDocument, &'d str)> {
        let ranges = self.embedders.configured().split(&document.text);
        ranges.into_iter().map(|range| (document, document.text[range].trim())).collect()
    }
}

fn part(document: &ContextDocument, text: &str, likeness: f64) -> Candidate {
    of_document(&document.id, &titled(document, text), WEIGHT * likeness.max(0.0))
}

fn titled(document: &ContextDocument, text: &str) -> String {
    if document.title.is_empty() { text.to_owned() } else { format!("{}: {text}", document.title) }
}
