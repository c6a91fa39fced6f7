//! Asks questions in a new process that has not filled anything. So its first answer is a cold start, and its memory is what
//! searching needs. Prints one line of JSON for the parent process.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use annals_core::{Agent, Embedder, Error, Interval, MemoryId, Query, Result};
use annals_embedder::OnnxEmbedder;
use clap::Args;
use serde::{Deserialize, Serialize};

use super::exact::WANTED;
use super::fill::stores;
use super::questions::{Asking, Question};
use crate::figures::{histogram, in_ms, quantile_ms, round};
use crate::world::{Durations, Scoring, World};

/// Number of results requested.
const LIMIT: usize = 10;

/// Options of `scale-ask`.
#[derive(Args)]
pub(crate) struct ScaleAsk {
    /// The folder that `scale` has filled
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
}

/// Measurements over all questions.
#[derive(Serialize, Deserialize)]
pub(crate) struct QuestionResult {
    pub questions: usize,
    /// Time for opening the stores and preparing the model. The network is loaded for the first question.
    pub open_ms: f64,
    /// Time of the first answer, without loading the network and embedding.
    pub cold_ms: f64,
    /// Times of the other answers, without embedding.
    pub no_filter: Latency,
    /// Times of all answers within the range, without embedding.
    pub range: Latency,
    /// Resident memory of the process after all answers, in MB.
    pub resident_mb: u64,
    /// Peak resident memory so far, in MB.
    pub peak_mb: u64,
    /// Share of the ten nearest rows that the tables find by vector, in percent.
    pub recall: f64,
    /// The same share among the rows in the range.
    pub recall_in_range: f64,
    /// Bytes on disk per memory.
    pub bytes_per_memory: f64,
}

/// Quantiles of answer times, in milliseconds.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Latency {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
}

/// Runs `scale-ask` in a new process and returns what it measured.
pub(crate) fn in_new_process(folder: &Path) -> Result<QuestionResult> {
    let failed = |error| Error::storage("asking in a process of its own", error);
    let this = std::env::current_exe().map_err(failed)?;
    let mut asking = Command::new(this);
    asking.arg("scale-ask").arg("--folder").arg(folder).stderr(Stdio::inherit());
    let output = asking.output().map_err(failed)?;
    if !output.status.success() {
        return Err(Error::storage("asking in a process of its own", output.status.to_string()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| Error::storage("reading what asking came to", error))
}

/// Asks all questions in this process and prints the measurements.
pub(crate) async fn run(args: &ScaleAsk) -> Result<()> {
    let asking = Asking::read(&super::asking(&args.folder))?;
    let asking = asking.ok_or_else(|| Error::invalid("folder", "holds no questions; run `scale` on it"))?;
    let begun = Instant::now();
    // Without the vector cache of the command: each search then follows directly after the model ran, as for a new question.
    let world = World::open(&stores(&args.folder), Arc::new(OnnxEmbedder::bundled()?), Scoring::AsSet).await?;
    let open_ms = in_ms(begun.elapsed());
    println!("{}", serde_json::json!(measure(&world, &asking, open_ms).await?));
    Ok(())
}

async fn measure(world: &World, asking: &Asking, open_ms: f64) -> Result<QuestionResult> {
    let agent = Agent::new(&asking.agent)?;
    let anywhere = answers(world, &agent, asking, &Query::default()).await?;
    let (from, to) = (Some(asking.range.first), Some(asking.range.last));
    let in_range = answers(world, &agent, asking, &Query { from, to, ..Query::default() }).await?;
    // Taken before the recall queries, which no user makes.
    let footprint = world.footprint().await?;
    let within = asking.range.within;
    Ok(QuestionResult {
        questions: asking.questions.len(),
        open_ms,
        cold_ms: anywhere.first().map_or(0.0, |first| in_ms(first.search)),
        no_filter: latency(&anywhere[1.min(anywhere.len())..]),
        range: latency(&in_range),
        resident_mb: footprint.resident_mb,
        peak_mb: footprint.peak_mb,
        recall: recall(world, &agent, asking, Interval::ALWAYS, |question| &question.nearest).await?,
        recall_in_range: recall(world, &agent, asking, within, |question| &question.nearest_in_range).await?,
        bytes_per_memory: round(footprint.bytes_per_memory),
    })
}

async fn answers(world: &World, agent: &Agent, asking: &Asking, query: &Query) -> Result<Vec<Durations>> {
    let mut durations = Vec::with_capacity(asking.questions.len());
    for question in &asking.questions {
        let query = Query { text: Some(question.text.clone()), limit: LIMIT, ..query.clone() };
        durations.push(world.answer(&world.search, agent, &query, asking.now).await?.1);
    }
    Ok(durations)
}

fn latency(durations: &[Durations]) -> Latency {
    let times = histogram(durations.iter().map(|one| one.search));
    let at = |quantile| quantile_ms(&times, quantile);
    Latency { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

async fn recall(
    world: &World,
    agent: &Agent,
    asking: &Asking,
    within: Interval,
    nearest: fn(&Question) -> &Vec<MemoryId>,
) -> Result<f64> {
    let (mut right, mut wanted) = (0, 0);
    for question in &asking.questions {
        let nearest: HashSet<&MemoryId> = nearest(question).iter().collect();
        let vector = world.embedder.embed_query(question.text.clone()).await?;
        let found = world.nearest(agent, vector, within, WANTED).await?;
        right += found.iter().filter(|memory| nearest.contains(memory)).count();
        wanted += nearest.len().min(WANTED);
    }
    Ok(round(right as f64 * 100.0 / f64::from(wanted.max(1) as u32)))
}

#[cfg(test)]
mod tests {
    use annals_core::{Message, Role, Timestamp};

    use super::*;
    use crate::input::Messages;
    use crate::scale::exact::nearest;
    use crate::scale::fill::{self, Filling};
    use crate::scale::questions::{Range, Wanted};
    use crate::scale::row_vectors::RowVectors;
    use crate::scale::rows::Rows;

    fn rows(count: usize) -> Rows {
        let message = |hour: i64| Message {
            conversation: "c".into(),
            client_id: None,
            role: Role::User,
            name: None,
            content: format!("we talked about matter {hour}"),
            at: Timestamp::from_second(hour * 3600).unwrap(),
        };
        let messages = Messages::from([(Agent::new("a").unwrap(), (0..40).map(message).collect())]);
        Rows::new(&messages, count, |_| true).unwrap()
    }

    /// Tests everything except the model: fills rows, asks, and compares with the exactly nearest rows.
    #[tokio::test(flavor = "multi_thread")]
    async fn filled_rows_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Arc::new(rows(120));
        let base = |number: usize| {
            let (up, side) = (number as f32 * 0.37).sin_cos();
            let numbers = [up * 0.6, side * 0.6, 0.8, 0.0];
            numbers.into_iter().cycle().take(32).map(|number| number / 8.0_f32.sqrt()).collect::<Vec<f32>>()
        };
        let vectors = Arc::new(RowVectors::new(rows.clone(), "m", (0..40).map(base).collect()));
        let filling = Filling { messages: "m.jsonl".into(), rows: 120 };
        assert!(fill::filled(folder.path(), &filling).unwrap().is_none());
        fill::fill(folder.path(), filling.clone(), &rows, vectors.clone()).await.unwrap();
        assert!(fill::filled(folder.path(), &filling).unwrap().is_some());
        let other = Filling { rows: 121, ..filling };
        assert!(fill::filled(folder.path(), &other).is_err());

        let rows_asked: Vec<usize> = vec![3, 50, 119];
        let within = Interval { start: rows.at(0), end: rows.at(20) };
        let in_range: Vec<bool> = (0..120).map(|row| within.contains(rows.at(row))).collect();
        let question_vectors: Vec<Vec<f32>> = rows_asked.iter().map(|row| vectors.of_row(*row)).collect();
        let found = nearest(&vectors, &in_range, &question_vectors);
        let ids = |rows_found: &[usize]| rows_found.iter().map(|row| rows.id(*row)).collect();
        let questions = rows_asked.iter().zip(&found).map(|(row, found)| Question {
            text: rows.text(*row),
            nearest: ids(&found.all),
            nearest_in_range: ids(&found.in_range),
        });
        let day = "1970-01-01".parse().unwrap();
        let asking = Asking {
            wanted: Wanted { made: 3, queries: None },
            agent: rows.agent.name().to_owned(),
            now: crate::scale::questions::now(&rows),
            range: Range { first: day, last: day, within, percent: 20.0 },
            questions: questions.collect(),
        };
        let world = World::open(&stores(folder.path()), vectors, Scoring::AsSet).await.unwrap();
        let measured = measure(&world, &asking, 0.0).await.unwrap();
        // Vectors are stored in eight bits. Of two almost equally near rows, the other one may become the tenth.
        assert!(measured.recall >= 90.0 && measured.recall_in_range >= 90.0, "{}", measured.recall);
        assert_eq!(measured.questions, 3);
        assert_eq!(world.footprint().await.unwrap().memories, 120);
    }
}
