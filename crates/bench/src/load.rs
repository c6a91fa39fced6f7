//! `annals-bench load`: adds messages and searches over many connections at once, against a service in another process. Then
//! checks that every acknowledged message is stored exactly once.

pub(crate) mod client;
mod disk;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use hdrhistogram::Histogram;
use serde_json::{Value, json};

use client::Client;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Number of agents that the connections are spread over.
const AGENTS: usize = 5;
/// How long to wait until everything is searchable.
const DEADLINE: Duration = Duration::from_secs(600);

#[derive(Args)]
pub(crate) struct Load {
    /// Host and port of the service
    #[arg(long, default_value = "127.0.0.1:7411")]
    address: String,
    /// A key with the scopes ingest, search and admin, if the service needs one
    #[arg(long)]
    key: Option<String>,
    #[arg(long, default_value_t = 50)]
    connections: usize,
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// A folder on the same disk as the data folder, to measure the disk's own fsync
    #[arg(long, default_value = ".")]
    disk: std::path::PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Measurements of one connection.
struct Seen {
    acknowledged: Vec<(usize, String)>,
    ingest: Histogram<u64>,
    search: Histogram<u64>,
    refused: u64,
}

impl Seen {
    fn new() -> Result<Seen, Failure> {
        Ok(Seen { acknowledged: Vec::new(), ingest: Histogram::new(3)?, search: Histogram::new(3)?, refused: 0 })
    }
}

pub(crate) async fn run(args: &Load) -> Result<(), Failure> {
    let quiet_disk = disk::fsync(&args.disk, Duration::from_secs(3))?;
    let mut watch = Client::connect(&args.address, args.key.as_deref()).await?;
    let before = watch.resident().await?;
    let (sum, busy_disk) = load(args).await?;
    // The service has closed the first connection, which was idle during the load.
    let mut watch = Client::connect(&args.address, args.key.as_deref()).await?;
    let searchable_after = settle(&mut watch).await?;
    let after = watch.resident().await?;
    let missing = missing(&mut watch, &sum.acknowledged).await?;
    let report = json!({
        "connections": args.connections, "seconds": args.seconds,
        "ingest_ms": in_ms(&sum.ingest), "search_ms": in_ms(&sum.search),
        "acknowledged": sum.acknowledged.len(), "refused": sum.refused, "missing_or_doubled": missing,
        "fsync_ms": { "alone": in_ms(&quiet_disk), "under_load": in_ms(&busy_disk) },
        "all_searchable_after_s": searchable_after.as_secs_f64(),
        "resident_mib": { "before": before / 1_048_576.0, "after": after / 1_048_576.0 },
    });
    println!("{}", if args.json { report.to_string() } else { serde_json::to_string_pretty(&report)? });
    if missing > 0 { Err(format!("{missing} acknowledged messages are missing or doubled").into()) } else { Ok(()) }
}

async fn load(args: &Load) -> Result<(Seen, Histogram<u64>), Failure> {
    let until = Instant::now() + Duration::from_secs(args.seconds);
    // Measures fsync during the load, seldom enough not to affect it.
    let folder = args.disk.clone();
    let seconds = Duration::from_secs(args.seconds);
    let disk = tokio::task::spawn_blocking(move || disk::fsync_now_and_then(&folder, seconds));
    let numbers = Arc::new(AtomicU64::new(0));
    let tasks = (0..args.connections).map(|connection| {
        let (address, key, numbers) = (args.address.clone(), args.key.clone(), numbers.clone());
        tokio::spawn(async move { one(connection, &address, key.as_deref(), &numbers, until).await })
    });
    let mut sum = Seen::new()?;
    for task in tasks.collect::<Vec<_>>() {
        let seen = task.await??;
        sum.acknowledged.extend(seen.acknowledged);
        sum.ingest.add(seen.ingest)?;
        sum.search.add(seen.search)?;
        sum.refused += seen.refused;
    }
    Ok((sum, disk.await??))
}

/// Runs one connection: adds a message, then searches, repeatedly.
async fn one(
    connection: usize,
    address: &str,
    key: Option<&str>,
    numbers: &AtomicU64,
    until: Instant,
) -> Result<Seen, Failure> {
    let mut client = Client::connect(address, key).await?;
    let mut seen = Seen::new()?;
    let agent = connection % AGENTS;
    let path = format!("/v1/agents/load-{agent}");
    while Instant::now() < until {
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        let id = format!("{connection}-{number}");
        let content = format!("Message {number}: I went to place {} and met friend {}.", number % 997, number % 89);
        let body = json!({ "conversation": format!("talk {connection}"),
            "messages": [{ "role": "user", "id": id, "content": content }] });
        let started = Instant::now();
        match client.post(&format!("{path}/messages"), &body).await? {
            (202, _) => {
                seen.ingest.record(micros(started))?;
                seen.acknowledged.push((agent, id));
            }
            (429 | 503, _) => {
                seen.refused += 1;
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            (status, answer) => return Err(format!("{status}: {answer}").into()),
        }
        let started = Instant::now();
        let question = json!({ "query": format!("when did I meet friend {}", number % 89), "limit": 10 });
        match client.post(&format!("{path}/search"), &question).await? {
            (200, _) => seen.search.record(micros(started))?,
            (404 | 429 | 503, _) => seen.refused += 1,
            (status, answer) => return Err(format!("{status}: {answer}").into()),
        }
    }
    Ok(seen)
}

/// Waits until everything is searchable, and returns how long that took. Fails after [`DEADLINE`].
async fn settle(client: &mut Client) -> Result<Duration, Failure> {
    let started = Instant::now();
    for agent in 0..AGENTS {
        loop {
            let (status, answer) = client.get(&format!("/v1/agents/load-{agent}/status")).await?;
            if status == 404 || answer["not_yet_searchable"] == 0 {
                break;
            }
            if started.elapsed() > DEADLINE {
                return Err("messages do not become searchable".into());
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
    Ok(started.elapsed())
}

/// Counts acknowledged messages that are not stored exactly once.
async fn missing(client: &mut Client, acknowledged: &[(usize, String)]) -> Result<u64, Failure> {
    let mut times: HashMap<(usize, String), u64> = acknowledged.iter().cloned().map(|key| (key, 0)).collect();
    for agent in 0..AGENTS {
        let lines = client.text(&format!("/v1/agents/load-{agent}/export")).await?;
        for line in lines.lines() {
            let record: Value = serde_json::from_str(line)?;
            let id = record["id"].as_str().filter(|_| record["record"] == "turn");
            if let Some(count) = id.and_then(|id| times.get_mut(&(agent, id.to_owned()))) {
                *count += 1;
            }
        }
    }
    Ok(times.values().filter(|times| **times != 1).count() as u64)
}

pub(crate) fn micros(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX)
}

pub(crate) fn in_ms(histogram: &Histogram<u64>) -> Value {
    let at = |quantile: f64| (histogram.value_at_quantile(quantile) as f64 / 10.0).round() / 100.0;
    json!({ "count": histogram.len(), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "max": at(1.0) })
}
