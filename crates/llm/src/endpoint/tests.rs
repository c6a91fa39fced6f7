//! The endpoint over real HTTP, against a server with scripted answers.

mod background;
mod batches;
mod dialects;
mod embedding;
mod entailment;
mod facts;
mod failures;
mod limits;
mod merged;
mod planted;
mod reranking;
mod streaming;
mod summaries;

use std::sync::Arc;
use std::time::Duration;

use annals_core::ports::{Background, ExtractionTask, Key, Keys, OnConflict, Replies, SummaryTask};
use annals_core::prelude::*;
use annals_core::{
    Agent, Base, Body, Draft, Engine, Error, Extracted, Extractor, Fact, Grain, Interval, Kind, Memory, MemoryId,
    Message, Period, Result, Sentence, Settings, Timestamp, Zones,
};
use annals_testkit::{Dialect, MemoryCatalog, ModelServer, Script, agent, at, message, period, turn_of};
use serde_json::{Value, json};

use super::completion::{Completion, Timing};
use super::*;
use crate::config::ModelsConfig;

/// Fast retries for tests; the circuit breaker stays open until the test ends.
const QUICK: RetryPolicy = RetryPolicy {
    first_wait: Duration::from_millis(1),
    retries: 3,
    cool_down: Duration::from_secs(600),
    longest_cool_down: Duration::from_secs(600),
};

/// A time on the day after [`DAY`], so that the day is over.
const NOW: &str = "2026-03-05T08:00:00Z";
const DAY: &str = "2026-03-04";

/// An endpoint with its store of replies, agent and settings.
struct Rig {
    endpoint: Endpoint,
    catalog: MemoryCatalog,
    agent: Agent,
    settings: Settings,
    now: Timestamp,
    /// The key of the request that needs the answers.
    access_key: Option<&'static str>,
}

/// Returns an answer of a server that is fast enough for requests of any size.
fn fast() -> Completion {
    let timing = Timing { measured: Some((1e6, 1e6)), ..Timing::default() };
    Completion { tokens_in: Some(1_000), timing, ..Completion::default() }
}

impl Rig {
    fn new(server: &ModelServer) -> Rig {
        Rig::of(json!({ "base_url": server.base_url(), "model": "test" }))
    }

    /// Returns a rig with these additional fields of the endpoint's configuration.
    fn with(server: &ModelServer, more: Value) -> Rig {
        let mut table = json!({ "base_url": server.base_url(), "model": "test" });
        table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Rig::of(table)
    }

    fn of(table: Value) -> Rig {
        Rig::paced(table, QUICK)
    }

    fn paced(table: Value, retry_policy: RetryPolicy) -> Rig {
        Rig::over(MemoryCatalog::new(), table, retry_policy)
    }

    /// Returns the rig of a process that starts with this store.
    fn over(catalog: MemoryCatalog, table: Value, retry_policy: RetryPolicy) -> Rig {
        let config: ModelsConfig = serde_json::from_value(table).unwrap();
        let models = config.check(|_| None).unwrap();
        let endpoint = Endpoint::with_retry_policy(&models, Arc::new(catalog.clone()), retry_policy).unwrap();
        endpoint.channels.values().for_each(|channel| channel.learned.speed.record(&fast(), 0));
        Rig { endpoint, catalog, agent: agent("tester"), settings: Settings::default(), now: at(NOW), access_key: None }
    }

    async fn day(&self, turns: &[Memory]) -> Result<Draft> {
        self.summarize(DAY, turns, None).await
    }

    async fn summarize(&self, label: &str, sources: &[Memory], base: Option<&Base>) -> Result<Draft> {
        self.summarize_knowing(label, sources, base, None).await
    }

    async fn summarize_knowing(
        &self,
        label: &str,
        sources: &[Memory],
        base: Option<&Base>,
        background: Option<&Background>,
    ) -> Result<Draft> {
        let task = SummaryTask {
            agent: &self.agent,
            settings: &self.settings,
            period: period(label),
            sources,
            base,
            read_seq: 1,
            now: self.now,
            background,
            access_key: self.access_key,
        };
        self.endpoint.summarize(task).await
    }

    async fn extract(&self, turns: &[Memory]) -> Result<Extracted> {
        self.extract_knowing(turns, &[], &[]).await
    }

    async fn extract_knowing(&self, turns: &[Memory], context: &[Memory], known: &[Fact]) -> Result<Extracted> {
        let task = ExtractionTask {
            agent: &self.agent,
            settings: &self.settings,
            turns,
            context,
            known,
            predicates: &["lives_in".into(), "likes".into()],
            now: self.now,
            access_key: self.access_key,
        };
        self.endpoint.extract(task).await
    }

    /// Returns the numbers of calls and tokens that were booked.
    async fn spent(&self) -> (u64, u64) {
        let usage = self.catalog.usage(&self.agent, at("2026-01-01T00:00:00Z")).await.unwrap();
        usage
            .iter()
            .fold((0, 0), |(calls, tokens), usage| (calls + usage.calls, tokens + usage.tokens_in + usage.tokens_out))
    }
}

/// Adds a key with this limit of tokens.
async fn add_key(catalog: &MemoryCatalog, id: &str, daily_tokens: Option<u64>) {
    let key = Key {
        id: id.into(),
        name: id.into(),
        workspace: "default".into(),
        scopes: Default::default(),
        agents: Vec::new(),
        created_at: at(NOW),
        expires_at: None,
        revoked_at: None,
        daily_tokens,
    };
    catalog.add_key(&key, &Digest::of([id])).await.unwrap();
}

/// Returns turns of one day as the catalog returns them; each is given as conversation, speaker and text.
async fn turns(texts: &[(&str, &str, &str)]) -> Vec<Memory> {
    let (agent, catalog) = (agent("tester"), MemoryCatalog::new());
    let begin = at("2026-03-04T09:00:00Z");
    let turns = texts.iter().zip(0..).map(|((conversation, speaker, text), second)| {
        let at = begin + annals_core::SignedDuration::from_secs(second);
        let (conversation, name) = ((*conversation).to_owned(), Some((*speaker).to_owned()));
        turn_of(&agent, Message { conversation, name, at, ..message(NOW, text) })
    });
    catalog.ingest(&agent, turns.collect(), OnConflict::Refuse, at(NOW)).await.unwrap();
    let inputs = catalog.inputs(&agent, period(DAY)).await.unwrap();
    inputs.into_iter().filter(|memory| memory.kind() == Kind::Turn).collect()
}

/// Returns a few turns about a move.
async fn a_day() -> Vec<Memory> {
    turns(&[
        ("move", "Ann", "Today I signed the contract for the new flat in Lisbon."),
        ("move", "Bob", "The movers come on Friday at seven, and Marta brings the keys."),
        ("move", "Ann", "I told my sister about it; she was very happy."),
    ])
    .await
}

/// Returns turns of many words in several conversations.
async fn a_long_day(conversations: usize, turns_each: usize) -> Vec<Memory> {
    let text = |c: usize, t: usize| format!("turn{c}x{t} {}", "somebody tells something of little weight ".repeat(8));
    let texts: Vec<(String, String)> =
        (0..conversations).flat_map(|c| (0..turns_each).map(move |t| (format!("c{c}"), text(c, t)))).collect();
    let texts: Vec<(&str, &str, &str)> = texts.iter().map(|(c, text)| (c.as_str(), "Ann", text.as_str())).collect();
    turns(&texts).await
}

/// Returns a fact that holds since [`NOW`].
fn fact(subject: &str, predicate: &str, object: &str) -> Fact {
    Fact {
        id: format!("o-{subject}-{predicate}-{object}"),
        subject: subject.into(),
        predicate: predicate.into(),
        object: object.into(),
        properties: annals_core::Properties::new(),
        confidence: 1.0,
        valid_from: at(NOW),
        valid_to: None,
        recorded_at: at(NOW),
        mentioned: Interval { start: at(NOW), end: at(NOW) },
        sources: Vec::new(),
        superseded_by: None,
    }
}

/// Returns a summary as the catalog returns it.
fn summary_of(label: &str, sentences: &[(&str, &str, &str)]) -> Memory {
    let period = period(label);
    let zones = Zones::new("UTC").unwrap();
    let sentences: Vec<Sentence> = sentences
        .iter()
        .map(|(day, text, from)| Sentence {
            day: day.parse::<Period>().unwrap().first_day(),
            speaker: None,
            text: (*text).into(),
            from: vec![MemoryId::from_text(*from)],
            ungrounded: false,
        })
        .collect();
    Memory {
        id: MemoryId::summary(&agent("tester"), period),
        grain: period.grain(),
        period,
        cover: zones.cover(period),
        days: period.cover_days(),
        text: sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join("\n"),
        pinned: false,
        seq: 1,
        body: Body::Summary { sentences, sources: Vec::new() },
    }
}

/// Returns a model's answer with these sentences.
fn sentences(elements: Value) -> Script {
    Script::Answers(json!({ "sentences": elements }).to_string())
}

/// Returns a model's answer with these facts and operations.
fn found(facts: Value, operations: Value) -> Script {
    Script::Answers(json!({ "facts": facts, "operations": operations }).to_string())
}
