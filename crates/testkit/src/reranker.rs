//! An in-memory reranker: the number of query words in a text, relative to the length of the text.

use annals_core::ports::RerankTask;
use annals_core::{Reranker, Result};
use async_trait::async_trait;
use parking_lot::Mutex;

use crate::word_split::words;

/// Port `Reranker` without a model. Records the texts of each call, so that a test can see what would leave the machine.
#[derive(Debug, Default)]
pub struct WordReranker {
    requests: Mutex<Vec<Vec<String>>>,
}

impl WordReranker {
    pub fn new() -> WordReranker {
        WordReranker::default()
    }

    /// Returns the texts of each call so far.
    pub fn requests(&self) -> Vec<Vec<String>> {
        self.requests.lock().clone()
    }
}

#[async_trait]
impl Reranker for WordReranker {
    async fn rerank(&self, task: RerankTask<'_>) -> Result<Vec<f64>> {
        self.requests.lock().push(task.texts.to_vec());
        let query_words = words(task.question);
        Ok(task.texts.iter().map(|text| score(&query_words, &words(text))).collect())
    }
}

/// Returns the number of query words in the text, divided by the number of its words plus one.
pub(crate) fn score(query_words: &[String], words: &[String]) -> f64 {
    let found = query_words.iter().filter(|word| words.contains(word)).count();
    found as f64 / (words.len() + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_promises_of_the_port() {
        crate::reranker_suite(&WordReranker::new()).await;
    }
}
