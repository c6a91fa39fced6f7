//! `annals-bench graph`: measures graph walks over many facts through the real port, and the best equivalent SQLite query in the
//! same run. Both must reach the same facts at the same depths.
//!
//! The same seed gives the same facts and start entities. Queries are timed one at a time, warm.

mod facts;
mod report;
mod sqlite;

use std::time::{Duration, Instant};

use annals_core::{Agent, Along, Direction, Facts, Reached, Walk};
use annals_facts::DuckFacts;
use clap::Args;
use hdrhistogram::Histogram;
use rand::SeedableRng;
use rand::rngs::StdRng;
use tempfile::TempDir;

use facts::{Shape, entity, facts};
use report::{Row, report};
use sqlite::Sqlite;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Args)]
pub(crate) struct Graph {
    /// Number of facts
    #[arg(long, default_value_t = 100_000)]
    facts: usize,
    /// Facts that lead out of an entity, on average
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 8, 16])]
    degree: Vec<usize>,
    /// Depth of the walks, in facts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10))]
    depth: u32,
    /// Number of start entities, for each degree
    #[arg(long, default_value_t = 40)]
    starts: usize,
    #[arg(long, default_value_t = 2026)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: &Graph) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for shape in [Shape::Even, Shape::Skewed] {
        for degree in &args.degree {
            rows.extend(measure(args, shape, (*degree).max(1)).await?);
        }
    }
    println!("{}", report(&rows, args.json));
    Ok(())
}

/// Measures walks that follow facts outwards, and walks that follow them both ways, over one graph.
async fn measure(args: &Graph, shape: Shape, degree: usize) -> Result<Vec<Row>, Failure> {
    let entities = (args.facts / degree).max(1);
    let mut random = StdRng::seed_from_u64(args.seed);
    let facts = facts(args.facts, entities, shape, &mut random);
    let starts: Vec<String> = (0..args.starts).map(|_| entity(entities, shape, &mut random)).collect();
    let agent = Agent::new("measured")?;
    let folder = TempDir::new()?;
    let sqlite = Sqlite::of(&facts)?;
    let tables = DuckFacts::open(folder.path())?;
    tables.replace(&agent, facts, 1).await?;
    let begun = Instant::now();
    tables.walk(&agent, &walk(args, &starts[0], Direction::Both)).await?;
    let first = begun.elapsed();
    let mut rows = Vec::new();
    for direction in [Direction::Out, Direction::Both] {
        let mut row = Row::new(shape, degree, direction, first)?;
        for start in &starts {
            let walk = walk(args, start, direction);
            let begun = Instant::now();
            let reached = tables.walk(&agent, &walk).await?;
            note(&mut row.annals, begun.elapsed());
            let begun = Instant::now();
            let theirs = sqlite.facts(start, args.depth, direction)?;
            note(&mut row.sqlite, begun.elapsed());
            let begun = Instant::now();
            sqlite.names(start, args.depth, direction)?;
            note(&mut row.sqlite_names, begun.elapsed());
            if !same(&reached, &theirs) {
                return Err(format!("not the same facts are reached from {start:?}, {direction:?}").into());
            }
            row.reached += reached.len();
        }
        row.reached /= starts.len().max(1);
        rows.push(row);
    }
    Ok(rows)
}

fn walk(args: &Graph, from: &str, direction: Direction) -> Walk {
    Walk { from: from.to_owned(), depth: args.depth, along: Along { direction, ..Along::default() }, limit: None }
}

/// Returns whether both results are equal. Both are ordered by depth, then by the order of the table.
fn same(ours: &[Reached], theirs: &[Reached]) -> bool {
    ours == theirs
}

/// Records a time in nanoseconds, because a microsecond is too coarse for a walk that ends immediately.
fn note(histogram: &mut Histogram<u64>, time: Duration) {
    histogram.saturating_record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
}
