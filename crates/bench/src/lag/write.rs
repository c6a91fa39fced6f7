//! Writes messages at a fixed rate, each at its scheduled time, over several connections. For every second message, the request
//! waits until the service reports the message searchable, and one search must then find it. For each other message, searches
//! repeat until one finds it.

use std::sync::Arc;
use std::time::Duration;

use annals_core::{Agent, Message};
use hdrhistogram::Histogram;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use crate::growth::Failure;
use crate::load::client::Client;

/// Number of messages measured.
pub(crate) const NUMBER: usize = 320;
/// Messages a second: a person types fewer, a busy team of agents more.
pub(crate) const PER_SECOND: u32 = 4;
/// Maximum number of messages in flight. If more would be needed, messages are sent late.
const CONNECTIONS: usize = 16;
/// Messages before the measurement, so that the table and the connections exist.
const WARMING: usize = 4;
/// How long to wait until a message is searchable or found. Afterwards it counts as not found.
const DEADLINE: Duration = Duration::from_secs(60);
/// Maximum number of words of a message in a search, besides its unique word.
const WORDS: usize = 6;

/// Measurements of some messages. Times are in microseconds. All but `search` begin when a message was due to be sent.
pub(crate) struct Seen {
    /// Time until the message was acknowledged, for messages that do not wait to be searchable.
    pub acknowledged: Histogram<u64>,
    /// Time until the service reports the message searchable, for messages that wait for that.
    pub searchable: Histogram<u64>,
    /// Time until the first search that finds the message, for messages that do not wait to be searchable.
    pub found: Histogram<u64>,
    /// Duration of one search.
    pub search: Histogram<u64>,
    /// Messages sent more than one tick late.
    pub late: u64,
    /// Messages that a search did not find although the service had reported them searchable, or that no search found in time.
    pub not_found: u64,
}

/// Writes these messages and searches for each.
pub(crate) async fn write(address: &str, agent: &Agent, messages: &[Message]) -> Result<Seen, Failure> {
    let path = Arc::new(format!("/v1/agents/{}", agent.name()));
    let mut warming = Writing { client: Client::connect(address, None).await?, path: path.clone(), seen: Seen::new()? };
    for (number, message) in messages.iter().take(WARMING).enumerate() {
        warming.waited(&format!("w{number}"), &message.content, Instant::now()).await?;
    }
    let (begin, tick) = (Instant::now(), Duration::from_secs(1) / PER_SECOND);
    let mut writers = tokio::task::JoinSet::new();
    for connection in 0..CONNECTIONS {
        let client = Client::connect(address, None).await?;
        let mut writing = Writing { client, path: path.clone(), seen: Seen::new()? };
        let mine = messages.iter().enumerate().skip(connection).step_by(CONNECTIONS);
        let mine: Vec<(usize, String)> = mine.map(|(number, message)| (number, message.content.clone())).collect();
        writers.spawn(async move {
            for (number, text) in mine {
                let due = begin + tick * u32::try_from(number).unwrap_or(u32::MAX);
                sleep_until(due).await;
                writing.seen.late += u64::from(due.elapsed() > tick);
                let id = format!("m{number}");
                match number % 2 {
                    0 => writing.waited(&id, &text, due).await?,
                    _ => writing.looked_for(&id, &text, due).await?,
                }
            }
            Ok::<Seen, Failure>(writing.seen)
        });
    }
    let mut sum = Seen::new()?;
    while let Some(seen) = writers.join_next().await {
        sum.add(seen??)?;
    }
    Ok(sum)
}

/// One connection with its measurements.
struct Writing {
    client: Client,
    path: Arc<String>,
    seen: Seen,
}

impl Writing {
    /// Sends a message, waits until the service reports it searchable, and checks that a search finds it.
    async fn waited(&mut self, id: &str, text: &str, due: Instant) -> Result<(), Failure> {
        let answer = self.send(id, text, &format!("?wait=searchable&timeout_seconds={}", DEADLINE.as_secs())).await?;
        self.seen.searchable.record(micros(due))?;
        let is_there = answer["status"] == "searchable" || answer["status"] == "extracted";
        self.seen.not_found += u64::from(!is_there || !self.finds(id, text).await?);
        Ok(())
    }

    /// Sends a message and searches until a search finds it or the deadline is over.
    async fn looked_for(&mut self, id: &str, text: &str, due: Instant) -> Result<(), Failure> {
        self.send(id, text, "").await?;
        self.seen.acknowledged.record(micros(due))?;
        while !self.finds(id, text).await? {
            if due.elapsed() > DEADLINE {
                self.seen.not_found += 1;
                return Ok(());
            }
        }
        self.seen.found.record(micros(due))?;
        Ok(())
    }

    async fn send(&mut self, id: &str, text: &str, wait: &str) -> Result<Value, Failure> {
        let body = json!({ "conversation": "lag",
            "messages": [{ "role": "user", "id": id, "content": format!("{text} {}", mark(id)) }] });
        match self.client.post(&format!("{}/messages{wait}", self.path), &body).await? {
            (202, answer) => Ok(answer),
            (status, answer) => Err(format!("{status}: {answer}").into()),
        }
    }

    async fn finds(&mut self, id: &str, text: &str) -> Result<bool, Failure> {
        let words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
        let question = json!({ "query": format!("{} {}", mark(id), words.join(" ")), "limit": 10 });
        let begun = Instant::now();
        match self.client.post(&format!("{}/search", self.path), &question).await? {
            (200, answer) => {
                self.seen.search.record(micros(begun))?;
                Ok(answer["results"].as_array().into_iter().flatten().any(|found| found["message"] == id))
            }
            (status, answer) => Err(format!("{status}: {answer}").into()),
        }
    }
}

/// Returns a word that occurs only in this message.
fn mark(id: &str) -> String {
    format!("zq{id}qz")
}

impl Seen {
    /// Returns empty measurements.
    pub(crate) fn new() -> Result<Seen, Failure> {
        let times = || Histogram::new(3);
        Ok(Seen {
            acknowledged: times()?,
            searchable: times()?,
            found: times()?,
            search: times()?,
            late: 0,
            not_found: 0,
        })
    }

    fn add(&mut self, other: Seen) -> Result<(), Failure> {
        self.acknowledged.add(other.acknowledged)?;
        self.searchable.add(other.searchable)?;
        self.found.add(other.found)?;
        self.search.add(other.search)?;
        self.late += other.late;
        self.not_found += other.not_found;
        Ok(())
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
