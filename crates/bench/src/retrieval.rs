//! `annals-bench retrieval`: imports messages into a fresh folder through the real writer, asks questions through the real
//! search with default settings, each only of its agent, and counts how far up the messages stand that answer them.
//!
//! The same files give the same figures, times and memory aside: no clock is read for what is asked, and nothing is tuned.

mod ask;
mod input;
mod measures;
mod report;
mod world;

use std::path::PathBuf;

use annals_core::Result;
use annals_search::Weights;
use clap::Args;

use report::Report;
use world::World;

/// Which files to measure with.
#[derive(Args)]
pub struct Retrieval {
    /// One message a line: agent, conversation, id, role, name, content, at
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// One question a line: agent, id, query, at, type, evidence (ids of the messages that answer it)
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Ask again without each part of the ranking
    #[arg(long)]
    ablate: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub async fn run(args: &Retrieval) -> Result<()> {
    let messages = input::messages(&args.messages)?;
    let (questions, unanswerable) = input::questions(&args.queries, &messages)?;
    let world = World::fill(&messages, &questions).await?;
    let asked = ask::ask(&world, &questions, Weights::default()).await?;
    let mut report = Report::new(&asked, unanswerable, world.footprint().await?, world.import);
    if args.ablate {
        for (part, weights) in Weights::ablations() {
            report.ablated(part, &ask::ask(&world, &questions, weights).await?);
        }
    }
    if args.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.table());
    }
    Ok(())
}
