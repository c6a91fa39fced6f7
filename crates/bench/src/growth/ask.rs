//! Runs in a new process: opens a data folder, reads questions from standard input, and answers them one after the other. Prints
//! two lines of JSON: one after the first answer, one after the last.

use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_catalog::read_ahead;
use annals_core::{Agent, ContextQuery, Query, Timestamp};
use annals_embedder::{Cached, OnnxEmbedder};
use annals_strata::CacheLimits;
use clap::Args;
use serde::{Deserialize, Serialize};

use super::questions::Questions;
use super::{AGENT, Failure};
use crate::figures::{histogram, in_ms, quantile_ms};
use crate::stores::Stores;
use crate::world::{Timed, status_mb};

/// Number of vectors cached, as in the command `annals`.
const CACHED: NonZeroUsize = NonZeroUsize::new(4096).expect("4096 is not zero");
/// Default number of results and default token budget of the service.
const LIMIT: usize = 10;
const BUDGET: u64 = 2000;

#[derive(Args)]
pub(crate) struct Ask {
    /// The data folder of the agent
    folder: PathBuf,
}

/// Times from preparing the model to the first answer, in ms, and resident memory.
#[derive(Serialize, Deserialize)]
pub(crate) struct Start {
    /// Preparing the embedding model. The network itself is loaded for the first question.
    pub model_ms: f64,
    /// Opening the stores.
    pub stores_ms: f64,
    /// Loading the network and embedding the first question.
    pub embedding_ms: f64,
    /// The rest of the first answer.
    pub search_ms: f64,
    /// Total time until the first answer.
    pub answered_ms: f64,
    /// Resident memory before the first question, in MB.
    pub opened_mb: u64,
    /// Resident memory after the first answer, in MB.
    pub resident_mb: u64,
}

/// Measurements of a warm process. Resident memory in MB.
#[derive(Serialize, Deserialize)]
pub(crate) struct Warm {
    /// Questions about the last days.
    pub recent: Times,
    /// Questions about the first month, with the month as a filter.
    pub period: Times,
    /// Questions about the first month that name it in words.
    pub words: Times,
    /// Contexts for prompts.
    pub context: Times,
    /// Resident memory after all answers.
    pub resident_mb: u64,
    /// Peak resident memory so far.
    pub peak_mb: u64,
}

/// Times of questions of one kind, in ms.
#[derive(Serialize, Deserialize)]
pub(crate) struct Times {
    pub count: usize,
    /// Median without embedding.
    pub p50: f64,
    /// 95th percentile without embedding.
    pub p95: f64,
    /// Median with embedding.
    pub embedded_p50: f64,
    /// 95th percentile with embedding.
    pub embedded_p95: f64,
}

/// Total time of an answer, and the part spent on embedding.
type Took = (Duration, Duration);

/// Answers the questions on standard input.
pub(crate) async fn run(args: &Ask) -> Result<(), Failure> {
    let mut questions = String::new();
    std::io::stdin().read_to_string(&mut questions)?;
    let questions: Questions = serde_json::from_str(&questions)?;
    let begun = Instant::now();
    let embedding = Timed::new(Arc::new(OnnxEmbedder::bundled()?));
    let model = begun.elapsed();
    let embedder = Arc::new(Cached::new(embedding.clone(), CACHED));
    // The service reads ahead, too.
    read_ahead(args.folder.join("catalog.sqlite"), CacheLimits::of_machine().bytes);
    let asking = Asking { stores: Stores::open(&args.folder, embedder).await?, agent: Agent::new(AGENT)?, embedding };
    let opened = begun.elapsed();
    let opened_mb = status_mb("VmRSS:");
    let mut recent = questions.recent.iter();
    let (all, embedding) = match recent.next() {
        Some(first) => asking.search(query(first), questions.now).await?,
        None => Took::default(),
    };
    print(&Start {
        model_ms: in_ms(model),
        stores_ms: in_ms(opened - model),
        embedding_ms: in_ms(embedding),
        search_ms: in_ms(all.saturating_sub(embedding)),
        answered_ms: in_ms(begun.elapsed()),
        opened_mb,
        resident_mb: status_mb("VmRSS:"),
    })?;
    print(&asking.warm(recent.as_slice(), &questions).await?)
}

fn print(line: &impl Serialize) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    writeln!(out, "{}", serde_json::to_string(line)?)?;
    Ok(out.flush()?)
}

struct Asking {
    stores: Stores,
    agent: Agent,
    embedding: Timed,
}

impl Asking {
    async fn warm(&self, recent: &[String], questions: &Questions) -> Result<Warm, Failure> {
        let now = questions.now;
        let period = Some(questions.period.parse()?);
        let mut took = Vec::new();
        for text in recent {
            took.push(self.search(query(text), now).await?);
        }
        let recent = Times::of(took.split_off(questions.warming.min(took.len())));
        let mut took = Vec::new();
        for text in &questions.of_period {
            took.push(self.search(Query { period, ..query(text) }, now).await?);
        }
        let period = Times::of(took);
        let mut took = Vec::new();
        for text in &questions.in_words {
            took.push(self.search(query(text), now).await?);
        }
        let words = Times::of(took);
        let mut took = Vec::new();
        for prompt in &questions.prompts {
            took.push(self.context(prompt, now).await?);
        }
        let context = Times::of(took);
        Ok(Warm { recent, period, words, context, resident_mb: status_mb("VmRSS:"), peak_mb: status_mb("VmHWM:") })
    }

    async fn search(&self, query: Query, now: Timestamp) -> Result<Took, Failure> {
        let (begun, before) = (Instant::now(), self.embedding.spent());
        self.stores.search.answer(&self.agent, &query, now).await?;
        Ok((begun.elapsed(), self.embedding.spent() - before))
    }

    async fn context(&self, prompt: &str, now: Timestamp) -> Result<Took, Failure> {
        let request = ContextQuery { prompt: prompt.to_owned(), budget: BUDGET, ..ContextQuery::default() };
        let (begun, before) = (Instant::now(), self.embedding.spent());
        self.stores.search.context(&self.agent, &request, now).await?;
        Ok((begun.elapsed(), self.embedding.spent() - before))
    }
}

fn query(text: &str) -> Query {
    Query { text: Some(text.to_owned()), limit: LIMIT, ..Query::default() }
}

impl Times {
    fn of(took: Vec<Took>) -> Times {
        let all = histogram(took.iter().map(|(all, _)| *all));
        let alone = histogram(took.iter().map(|(all, embedding)| all.saturating_sub(*embedding)));
        Times {
            count: took.len(),
            p50: quantile_ms(&alone, 0.5),
            p95: quantile_ms(&alone, 0.95),
            embedded_p50: quantile_ms(&all, 0.5),
            embedded_p95: quantile_ms(&all, 0.95),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_report_median_and_95th_percentile() {
        let took = |all: u64, embedding: u64| (Duration::from_micros(all), Duration::from_micros(embedding));
        let times = Times::of((1..=100).rev().map(|number| took(number * 10 + 70, 70)).collect());
        assert_eq!((times.count, times.p50, times.p95), (100, 0.5, 0.95));
        assert_eq!((times.embedded_p50, times.embedded_p95), (0.57, 1.02));
        assert_eq!((Times::of(vec![]).p50, Times::of(vec![]).p95), (0.0, 0.0));
    }
}
