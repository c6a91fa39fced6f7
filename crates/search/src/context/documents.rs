//! Scores parts of the caller's documents by their similarity to the prompt. If the embedding model gives no vectors, the share
//! of the prompt's words that a part contains is used instead.

use std::collections::HashSet;

use annals_core::{ContextQuery, Document, Error, Result};

use super::items::{Candidate, of_document};
use crate::Search;
use crate::query_vectors::words_alone_because;

/// Maximum number of parts of all documents together. Each part is embedded, which takes some 5 ms.
const MAX_PARTS: usize = 200;
/// Score of a part per unit of similarity: an unrelated part scores 0, a very similar part as much as the best search result.
const WEIGHT: f64 = 8.0;

impl Search {
    /// Returns the parts of the documents, each scored by its similarity, and, if only words were compared, the reason. Returns
    /// an error if there are more than [`MAX_PARTS`] parts.
    pub(super) async fn of_documents(&self, request: &ContextQuery) -> Result<(Vec<Candidate>, Option<String>)> {
        let parts: Vec<(&Document, &str)> = request.documents.iter().flat_map(|document| self.cut(document)).collect();
        if parts.len() > MAX_PARTS {
            let reason = format!("have {} parts; {MAX_PARTS} are compared at most", parts.len());
            return Err(Error::invalid("documents", reason));
        }
        if parts.is_empty() {
            return Ok((Vec::new(), None));
        }
        let (likenesses, words_alone) = match self.likenesses(request, &parts).await {
            Ok(likenesses) => (likenesses, None),
            Err(error) => {
                let why = words_alone_because(error)?;
                (parts.iter().map(|(_, text)| shared_words(&request.prompt, text)).collect(), Some(why))
            }
        };
        let scored = parts.iter().zip(likenesses);
        Ok((scored.map(|((document, text), likeness)| part(document, text, likeness)).collect(), words_alone))
    }

    /// Returns the similarity of each part to the prompt by their vectors. Embeds the prompt first, so that an unavailable
    /// model is noticed before the parts are embedded.
    async fn likenesses(&self, request: &ContextQuery, parts: &[(&Document, &str)]) -> Result<Vec<f64>> {
        let embedder = self.embedders.configured();
        let query_vector = embedder.embed_query(request.prompt.clone()).await?;
        let texts = parts.iter().map(|(document, text)| titled(document, text));
        let vectors = embedder.embed(texts.collect()).await?;
        Ok(vectors.iter().map(|vector| likeness(&query_vector, vector)).collect())
    }

    fn cut<'d>(&self, document: &'d Document) -> Vec<(&'d Document, &'d str)> {
        let ranges = self.embedders.configured().split(&document.text);
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

/// Returns the share of the prompt's distinct words that the text contains, between 0 and 1.
fn shared_words(prompt: &str, text: &str) -> f64 {
    let (prompt, text) = (words(prompt), words(text));
    prompt.intersection(&text).count() as f64 / prompt.len().max(1) as f64
}

fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}
