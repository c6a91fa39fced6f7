//! Ranks parts of the caller's documents by their similarity to the prompt.

use annals_core::{ContextQuery, Document, Error, Result};

use super::items::{Candidate, of_document};
use crate::Search;

/// Maximum number of parts. Each costs an embedding, some 5 ms.
const MOST_PARTS: usize = 200;
/// Score of a part per unit of similarity: 0 for an unrelated part, that of the best search result for a very similar one.
const WEIGHT: f64 = 8.0;

impl Search {
    /// Returns the parts of the documents, each scored by its similarity. Returns an error if there are too many.
    pub(super) async fn of_documents(&self, request: &ContextQuery) -> Result<Vec<Candidate>> {
        let parts: Vec<(&Document, &str)> = request.documents.iter().flat_map(|document| self.cut(document)).collect();
        if parts.len() > MOST_PARTS {
            let reason = format!("have {} parts; {MOST_PARTS} are compared at most", parts.len());
            return Err(Error::invalid("documents", reason));
        }
        if parts.is_empty() {
            return Ok(Vec::new());
        }
        let texts = parts.iter().map(|(document, text)| titled(document, text));
        let vectors = self.embedder.embed(texts.collect()).await?;
        let query_vector = self.embedder.embed_query(request.prompt.clone()).await?;
        let scored = parts.iter().zip(&vectors);
        Ok(scored.map(|((document, text), vector)| part(document, text, likeness(&query_vector, vector))).collect())
    }

    fn cut<'d>(&self, document: &'d Document) -> Vec<(&'d Document, &'d str)> {
        let ranges = self.embedder.split(&document.text);
        ranges.into_iter().map(|range| (document, document.text[range].trim())).collect()
    }
}

fn part(document: &Document, text: &str, likeness: f64) -> Candidate {
    of_document(&document.id, &titled(document, text), WEIGHT * likeness.max(0.0))
}

fn titled(document: &Document, text: &str) -> String {
    if document.title.is_empty() { text.to_owned() } else { format!("{}: {text}", document.title) }
}

fn likeness(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}
