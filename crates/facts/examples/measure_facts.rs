//! Measures a table of many facts: `cargo run --release -p annals-facts --example measure_facts -- 100000 out.parquet`,
//! where the second argument, if there is one, is the file to export to.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that measures, run by hand")]

use std::time::Instant;

use annals_core::{Agent, Fact, FactQuery, Facts, Interval, MemoryId, Timestamp};
use annals_facts::DuckFacts;

const START: i64 = 1_700_000_000_000_000;
const MINUTE: i64 = 60_000_000;

#[tokio::main]
async fn main() {
    let count: usize = std::env::args().nth(1).map_or(100_000, |count| count.parse().unwrap());
    let folder = tempfile::TempDir::new().unwrap();
    let agent = Agent::new("measured").unwrap();
    let facts: Vec<Fact> = (0..count).map(fact).collect();
    println!("{count} facts; resident {}", resident());

    let tables = DuckFacts::open(folder.path()).unwrap();
    let began = Instant::now();
    tables.replace(&agent, facts, 1).await.unwrap();
    println!("replace                 {:>9.1?}; resident {}", began.elapsed(), resident());
    drop(tables);
    let file = std::fs::read_dir(folder.path().join(agent.folder())).unwrap().next().unwrap().unwrap();
    println!("file                    {:>9} KB", file.metadata().unwrap().len() / 1024);

    let tables = DuckFacts::open(folder.path()).unwrap();
    let began = Instant::now();
    tables.version(&agent).await.unwrap();
    println!("version, cold           {:>9.1?}", began.elapsed());
    let began = Instant::now();
    let found = tables.find(&agent, &about(1)).await.unwrap();
    println!("find, cold              {:>9.1?}; {} found; resident {}", began.elapsed(), found.len(), resident());

    let mut times = Vec::new();
    for number in 0..200 {
        let began = Instant::now();
        tables.find(&agent, &about(number * 37)).await.unwrap();
        times.push(began.elapsed());
    }
    times.sort();
    println!("find, warm              p50 {:.1?}, p95 {:.1?}", times[100], times[190]);
    let began = Instant::now();
    let all = tables.find(&agent, &FactQuery { history: true, ..FactQuery::default() }).await.unwrap();
    println!("find all                {:>9.1?}; {} found; resident {}", began.elapsed(), all.len(), resident());
    let began = Instant::now();
    tables.find_leftovers(&agent, &["nowhere".into()]).await.unwrap();
    println!("holds                   {:>9.1?}; resident {}", began.elapsed(), resident());
    if let Some(target) = std::env::args().nth(2) {
        let began = Instant::now();
        tables.export(&agent, target.as_ref()).await.unwrap();
        println!("export                  {:>9.1?}", began.elapsed());
    }
}

fn about(number: usize) -> FactQuery {
    FactQuery { about: Some(format!("PERSON {}", number % 5000)), ..FactQuery::default() }
}

/// Returns one fact about one of 5000 people. One fact in a hundred gives another name, one in three has ended.
fn fact(number: usize) -> Fact {
    let person = format!("Person {}", number % 5000);
    let (predicate, object) = match number % 100 {
        0 => ("also_known_as", format!("Alias {}", number % 5000)),
        other => (
            ["likes", "lives_in", "works_as", "knows"][other % 4],
            format!("the thing called {}", number * 7919 % 30_011),
        ),
    };
    let from = Timestamp::from_microsecond(START + i64::try_from(number).unwrap() * MINUTE).unwrap();
    let end = Timestamp::from_microsecond(from.as_microsecond() + MINUTE).unwrap();
    let source = |offset| MemoryId::from_text(format!("t-{:026}", number + offset));
    Fact {
        id: format!("o-{:026}", number * 104_729 % 1_000_003),
        subject: person,
        predicate: predicate.into(),
        object,
        properties: Default::default(),
        confidence: 0.9,
        valid_from: from,
        valid_to: number.is_multiple_of(3).then_some(end),
        recorded_at: end,
        mentioned: Interval { start: from, end },
        sources: (0..1 + number % 3).map(source).collect(),
        superseded_by: None,
    }
}

/// Returns the resident memory of this process, present and maximum, with units.
fn resident() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name| status.lines().find_map(|line: &str| line.strip_prefix(name)).unwrap_or("?").trim().to_owned();
    format!("{} (most {})", line("VmRSS:"), line("VmHWM:"))
}
