//! Measures the catalog on this machine's disk or in an empty PostgreSQL database:
//! `cargo run -p annals-catalog --example measure [FOLDER | postgresql://URL]`.

#![expect(clippy::print_stdout, reason = "a command")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use annals_catalog::{PostgresCatalog, SqliteCatalog};
use annals_core::ports::{OnConflict, Select, Store, Target, Turn};
use annals_core::prelude::*;
use annals_core::{Agent, Grain, MemoryId, Message, Period, Role, Timestamp, Zones, identify};
use futures::FutureExt;

const TURNS: i64 = 120_000;
const BATCH: i64 = 500;
/// The average number of characters in a turn of the LoCoMo conversations.
const LENGTH: usize = 130;

#[tokio::main]
async fn main() -> annals_core::Result<()> {
    let target = std::env::args().nth(1);
    if let Some(url) = target.as_deref().filter(|target| target.starts_with("postgres")) {
        let catalog = PostgresCatalog::open(url)?;
        let agent = Agent::new("measured")?;
        import(&agent, &catalog).await?;
        requests(&agent, &catalog).await?;
        return forget(&agent, &catalog).await;
    }
    let folder = target.map_or_else(std::env::temp_dir, PathBuf::from);
    let path = folder.join(format!("annals-measure-{}.sqlite", std::process::id()));
    let done = measure(&path).await;
    for suffix in ["", "-wal", "-journal"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    done
}

async fn measure(path: &Path) -> annals_core::Result<()> {
    let (agent, catalog) = (Agent::new("measured")?, SqliteCatalog::open(path)?);
    import(&agent, &catalog).await?;
    drop(catalog);
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    println!("file: {bytes} bytes, {} per turn of {LENGTH}", bytes / TURNS as u64);

    let catalog = SqliteCatalog::open(path)?;
    requests(&agent, &catalog).await?;
    copy(&agent, &catalog, path).await?;
    forget(&agent, &catalog).await
}

async fn import(agent: &Agent, catalog: &dyn Store) -> annals_core::Result<()> {
    let started = Instant::now();
    for first in (0..TURNS).step_by(BATCH as usize) {
        catalog.ingest(agent, turns(agent, first, BATCH)?, OnConflict::Refuse, Timestamp::UNIX_EPOCH).await?;
    }
    let took = started.elapsed();
    println!("import: {TURNS} turns in {took:.1?}, {:.0}/s", TURNS as f64 / took.as_secs_f64());
    Ok(())
}

async fn requests(agent: &Agent, catalog: &dyn Store) -> annals_core::Result<()> {
    let again =
        timed(catalog.ingest(agent, turns(agent, 0, BATCH)?, OnConflict::Refuse, Timestamp::UNIX_EPOCH)).await?;
    println!("the same {BATCH} turns again: {again:.1?}");
    single(agent, catalog).await?;
    crowd(agent, catalog).await?;
    read(agent, catalog).await
}

async fn single(agent: &Agent, catalog: &dyn Store) -> annals_core::Result<()> {
    let mut times = Vec::new();
    for index in 0..300 {
        let one = turns(agent, TURNS + index, 1)?;
        times.push(timed(catalog.ingest(agent, one, OnConflict::Refuse, Timestamp::UNIX_EPOCH)).await?);
    }
    times.sort();
    println!("one turn: p50 {:.1?}, p95 {:.1?}", times[150], times[285]);
    Ok(())
}

async fn crowd(agent: &Agent, catalog: &dyn Store) -> annals_core::Result<()> {
    let started = Instant::now();
    for round in 0..20 {
        let writers = (0..50).map(|index| (round + 10) * 1000 + index + TURNS);
        let requests = writers.map(|at| turns(agent, at, 1)).collect::<annals_core::Result<Vec<_>>>()?;
        let sent =
            requests.into_iter().map(|one| catalog.ingest(agent, one, OnConflict::Refuse, Timestamp::UNIX_EPOCH));
        for answer in futures::future::join_all(sent).await {
            answer?;
        }
    }
    let took = started.elapsed();
    println!(
        "50 writers at once: {:.1?} until all are answered, {:.0} turns/s",
        took / 20,
        1000.0 / took.as_secs_f64()
    );
    Ok(())
}

async fn read(agent: &Agent, catalog: &dyn Store) -> annals_core::Result<()> {
    let newest = Select { newest_first: true, limit: 20, ..Select::all(Grain::Working) };
    println!("newest 20: {:.1?}", timed(catalog.list(agent, &newest)).await?);
    println!("changes, 256: {:.1?}", timed(catalog.changes(agent, Grain::Working, 50_000, 256)).await?);
    println!("input of a day: {:.1?}", timed(catalog.inputs(agent, day(40_000)?)).await?);
    println!("counts: {:.1?}", timed(catalog.counts(agent)).await?);
    println!("check: {:.1?}", timed(catalog.check()).await?);
    Ok(())
}

/// Measures a backup, and how long commits wait while it is made.
async fn copy(agent: &Agent, catalog: &SqliteCatalog, path: &Path) -> annals_core::Result<()> {
    let to = path.with_extension("copy");
    let started = Instant::now();
    let (mut copying, mut times, mut next) = (std::pin::pin!(catalog.copy_to(&to)), Vec::new(), 1_000_000);
    let copied = loop {
        if let Some(copied) = copying.as_mut().now_or_never() {
            break copied;
        }
        let one = turns(agent, next, 1)?;
        next += 1;
        times.push(timed(catalog.ingest(agent, one, OnConflict::Refuse, Timestamp::UNIX_EPOCH)).await?);
    };
    let took = started.elapsed();
    let _ = std::fs::remove_file(&to);
    copied?;
    times.sort();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
    let longest = times.last().copied().unwrap_or_default();
    println!(
        "copying the file: {took:.1?}; {} turns meanwhile: p50 {:.1?}, p95 {:.1?}, longest {longest:.1?}",
        times.len(),
        at(0.5),
        at(0.95)
    );
    Ok(())
}

async fn forget(agent: &Agent, catalog: &dyn Store) -> annals_core::Result<()> {
    println!("what periods are made of: {:.1?}", timed(catalog.children(agent)).await?);
    let one = Target::Conversation("session 7".into());
    println!("what a conversation reaches: {:.1?}", timed(catalog.preview(agent, &one)).await?);
    let named = Target::Subject("Melanie".into());
    println!("what a subject that nobody names reaches: {:.1?}", timed(catalog.preview(agent, &named)).await?);
    println!("forgetting a conversation: {:.1?}", timed(catalog.erase(agent, &one, Timestamp::UNIX_EPOCH)).await?);
    let words: Vec<String> = (0..1000).map(|index| format!("a sentence of number {index}")).collect();
    println!("searching the file for 1,000 sentences: {:.1?}", timed(catalog.find_leftovers(agent, &words)).await?);
    println!("rewriting the file: {:.1?}", timed(catalog.scrub()).await?);
    Ok(())
}

async fn timed<T>(work: impl Future<Output = annals_core::Result<T>>) -> annals_core::Result<Duration> {
    let started = Instant::now();
    work.await?;
    Ok(started.elapsed())
}

/// Returns `count` turns ten minutes apart, from the turn with the index `first` on.
fn turns(agent: &Agent, first: i64, count: i64) -> annals_core::Result<Vec<Turn>> {
    (first..first + count)
        .map(|index| {
            let message = Message {
                conversation: format!("session {}", index / 40),
                client_id: Some(format!("D{}:{}", index / 40, index % 40)),
                role: Role::User,
                name: Some("Caroline".into()),
                content: format!("{index} {}", "words ".repeat(LENGTH / 6)),
                at: instant(index),
            };
            let key = identify(std::slice::from_ref(&message)).remove(0);
            Ok(Turn {
                id: MemoryId::turn(agent, &key),
                key,
                day: day(index)?,
                message,
                masked: 0,
                origin: Default::default(),
                attachment: None,
            })
        })
        .collect()
}

fn instant(index: i64) -> Timestamp {
    Timestamp::from_second(index * 600).unwrap_or(Timestamp::MAX)
}

fn day(index: i64) -> annals_core::Result<Period> {
    Ok(Period::of(Grain::Daily, Zones::new("UTC")?.day_of(instant(index))))
}
