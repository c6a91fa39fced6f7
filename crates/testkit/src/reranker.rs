//! A reranker in memory: the share of the question's words that a text has, against its own length.

use std::sync::Mutex;

use annals_core::ports::RerankTask;
use annals_core::{Reranker, Result};
use async_trait::async_trait;

use crate::words::words;

/// Port `Reranker` without a model. It remembers the texts it was given, so that a test can see what would leave the machine.
#[derive(Debug, Default)]
pub struct WordReranker {
    asked: Mutex<Vec<Vec<String>>>,
}

impl WordReranker {
    /// A reranker that was not asked yet.
    pub fn new() -> WordReranker {
        WordReranker::default()
    }

    /// The texts of each call so far.
    pub fn asked(&self) -> Vec<Vec<String>> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Reranker for WordReranker {
    async fn rerank(&self, task: RerankTask<'_>) -> Result<Vec<f64>> {
        self.asked.lock().unwrap().push(task.texts.to_vec());
        let asked = words(task.question);
        Ok(task.texts.iter().map(|text| score(&asked, &words(text))).collect())
    }
}

/// How many of the words asked for the text has, in relation to how many it has at all.
pub(crate) fn score(asked: &[String], words: &[String]) -> f64 {
    let found = asked.iter().filter(|word| words.contains(word)).count();
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
