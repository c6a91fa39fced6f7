//! Compares texts with a prompt: by their vectors, or, if the embedding model gives none, by the words that they share.

use std::collections::HashSet;

use annals_core::Result;

use crate::Search;
use crate::query_vectors::words_alone_because;

impl Search {
    /// Returns the similarity of each text to the prompt and, if only words were compared, the reason. By words, the similarity
    /// is the share of the prompt's words that the text contains.
    pub(super) async fn likenesses(&self, prompt: &str, texts: Vec<String>) -> Result<(Vec<f64>, Option<String>)> {
        if texts.is_empty() {
            return Ok((Vec::new(), None));
        }
        match self.likenesses_of_vectors(prompt, texts.clone()).await {
            Ok(likenesses) => Ok((likenesses, None)),
            Err(error) => {
                let why = words_alone_because(error)?;
                Ok((texts.iter().map(|text| shared_words(prompt, text)).collect(), Some(why)))
            }
        }
    }

    /// Returns the cosine similarity of each text to the prompt. Embeds the prompt first, so that an unavailable model is
    /// noticed before the texts are embedded.
    async fn likenesses_of_vectors(&self, prompt: &str, texts: Vec<String>) -> Result<Vec<f64>> {
        let embedder = self.embedders.configured();
        let query_vector = embedder.embed_query(prompt.to_owned()).await?;
        let vectors = embedder.embed(texts).await?;
        Ok(vectors.iter().map(|vector| likeness(&query_vector, vector)).collect())
    }
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
