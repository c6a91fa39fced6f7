//! Search for documents: ranks their passages, and returns each document once, with its best passage.

use std::collections::HashSet;
use std::time::Duration;

use annals_core::ports::{Document, DocumentKey, Passage};
use annals_core::{Agent, Answer, Body, Error, Found, Grain, Kind, Query, Result, Timestamp};

use crate::Service;
use crate::wire::{DocumentResult, DocumentSearchAnswer, DocumentSearchRequest, DocumentView, PassageView};

/// Number of passages that are ranked at first, and in a second attempt if the first yields too few documents and did not rank
/// all passages.
const RANKED: [usize; 2] = [200, 1000];
/// Maximum time that a search waits until passages written before it are searchable.
const CATCH_UP: Duration = Duration::from_secs(5);
/// Maximum number of documents in an answer.
const MAX_RESULTS: usize = 100;

/// A search for documents.
#[derive(Clone, Debug)]
pub struct DocumentQuery<'q> {
    /// A question or words.
    pub text: &'q str,
    /// Only documents of this collection and of collections below it; documents of all collections if empty.
    pub below: &'q str,
    /// Maximum number of documents that are returned.
    pub limit: usize,
}

/// A document that was found, with its best passage.
#[derive(Clone, Debug)]
pub struct DocumentFound {
    pub document: Document,
    /// Score of the best passage: higher is better, comparable within one answer only.
    pub score: f64,
    /// Cosine similarity of the best passage and the question.
    pub similarity: f64,
    /// Number of the best passage in the document, counted from 0.
    pub ordinal: u32,
    /// Position of the best passage in the document's text.
    pub passage: Passage,
    /// Text of the best passage. It begins with a line that has the title of the document and the heading above the passage, if
    /// there are any.
    pub text: String,
}

impl Service {
    /// Returns the documents that match and that `admits` accepts, best first, at most `query.limit`. May return fewer although
    /// more match, because it ranks at most 1,000 passages. First waits for at most five seconds until documents written before
    /// are searchable.
    pub async fn find_documents(
        &self,
        agent: &Agent,
        query: &DocumentQuery<'_>,
        admits: &(dyn Fn(&Document) -> bool + Sync),
        now: Timestamp,
    ) -> Result<Vec<DocumentFound>> {
        self.catch_up(agent).await?;
        let mut found = Vec::new();
        for limit in RANKED {
            let Answer { results, compared, .. } = self.ranked_passages(agent, query.text, limit, now).await?;
            // `results.len()` does not show whether all passages were ranked: an answer leaves out further passages of
            // a document.
            let is_all = compared.rows <= limit;
            found = self.documents_of(agent, results, query, admits, now).await?;
            if is_all || found.len() >= query.limit {
                break;
            }
        }
        found.truncate(query.limit);
        Ok(found)
    }

    /// Waits for at most [`CATCH_UP`] until the waiting changes are searchable. Of more than 1,000, waits for the first 1,000.
    async fn catch_up(&self, agent: &Agent) -> Result<()> {
        let applied = self.parts.store.watermark(agent, Grain::Working).await?.applied;
        let backlog = self.parts.store.backlog(agent, Grain::Working, applied).await?;
        if backlog > 0 {
            let limit = usize::try_from(backlog).unwrap_or(usize::MAX);
            let changes = self.parts.store.changes(agent, Grain::Working, applied, limit.min(1_000)).await?;
            let last = changes.last().map_or(applied, annals_core::ports::Change::seq);
            self.enqueue(agent);
            self.wait_until_reached(agent, CATCH_UP, |(searchable, _)| searchable >= last).await?;
        }
        Ok(())
    }

    async fn ranked_passages(&self, agent: &Agent, text: &str, limit: usize, now: Timestamp) -> Result<Answer> {
        let query = Query {
            text: Some(text.to_owned()),
            grains: vec![Grain::Working],
            kinds: vec![Kind::Passage],
            ignore_times: true,
            limit,
            ..Query::default()
        };
        self.answer(agent, &query, now).await
    }

    /// Returns the documents of ranked passages that `admits` accepts, each with its best passage.
    async fn documents_of(
        &self,
        agent: &Agent,
        passages: Vec<Found>,
        query: &DocumentQuery<'_>,
        admits: &(dyn Fn(&Document) -> bool + Sync),
        now: Timestamp,
    ) -> Result<Vec<DocumentFound>> {
        let mut seen: HashSet<DocumentKey> = HashSet::new();
        let mut best = passages;
        best.retain(|found| {
            let key = found.memory.document();
            key.is_some_and(|key| is_below(&key.collection, query.below) && seen.insert(key.clone()))
        });
        let keys: Vec<DocumentKey> = best.iter().filter_map(|found| found.memory.document().cloned()).collect();
        let documents = self.documents_at(agent, &keys, now).await?;
        let mut documents = documents.into_iter().peekable();
        let mut results = Vec::new();
        for found in best {
            let Body::Passage { document: key, ordinal, passage, .. } = &found.memory.body else { continue };
            // A document may have been removed meanwhile.
            let Some(document) = documents.next_if(|document| document.document_key() == *key) else { continue };
            if admits(&document) {
                results.push(DocumentFound {
                    document,
                    score: found.score,
                    similarity: found.fit.similarity,
                    ordinal: *ordinal,
                    passage: *passage,
                    text: found.memory.text,
                });
            }
        }
        Ok(results)
    }

    /// Returns the documents that match, best first, without their contents. Fails if the limit is out of range.
    pub async fn search_documents(
        &self,
        agent: &Agent,
        request: DocumentSearchRequest,
        now: Timestamp,
    ) -> Result<DocumentSearchAnswer> {
        if request.limit == 0 || request.limit > MAX_RESULTS {
            return Err(Error::invalid("limit", format!("is {}; 1 to {MAX_RESULTS} are allowed", request.limit)));
        }
        let below = request.collection.as_deref().unwrap_or_default();
        let query = DocumentQuery { text: &request.query, below, limit: request.limit };
        let found = self.find_documents(agent, &query, &|_| true, now).await?;
        let result = |found: DocumentFound| DocumentResult {
            document: DocumentView::from(found.document).without_content(),
            score: found.score,
            passage: PassageView { ordinal: found.ordinal, start: found.passage.start, end: found.passage.end },
            text: found.text,
        };
        Ok(DocumentSearchAnswer { agent: agent.name().to_owned(), results: found.into_iter().map(result).collect() })
    }
}

fn is_below(collection: &str, path: &str) -> bool {
    path.is_empty() || collection.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
