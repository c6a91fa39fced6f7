//! The command `annals-bench`: measures the project's claims with the same stores, writer and search as the service.

#![cfg_attr(test, allow(clippy::unwrap_used))]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "figures are what it is run for")]

mod contexts;
mod cost;
mod figures;
mod graph;
mod growth;
mod input;
mod lag;
mod load;
mod merged;
mod progress;
mod retrieval;
mod scale;
mod stores;
mod summaries;
mod vectors;
mod world;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The same allocator as in the command `annals`, so that memory use is comparable.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the performance and recall of Annals
#[derive(Parser)]
#[command(name = "annals-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure whether questions find the messages that answer them
    Retrieval(retrieval::Retrieval),
    /// Measure whether the context for a question holds the evidence for its answer, and what contexts cost
    #[command(name = "context")]
    Contexts(contexts::Contexts),
    /// Ask the same questions with all agents merged into one, among other turns
    Merged(merged::Merged),
    /// Measure one agent with very many memories: time, memory, and recall of the nearest vectors
    Scale(scale::Scale),
    /// The part of `scale` that asks, in a process that has not filled anything
    #[command(hide = true)]
    ScaleAsk(scale::ask::ScaleAsk),
    /// Measure walks over many facts, compared with SQLite
    Graph(graph::Graph),
    /// Measure a running service under many connections that add and search at once
    Load(load::Load),
    /// Measure an agent as it grows older: cold start, latency and memory at each age
    Growth(growth::Growth),
    /// The process that `growth` starts to answer questions
    #[command(hide = true)]
    GrowthAsk(growth::Ask),
    /// Judge summaries beside those of the built-in engine: what they keep, and what their sources do not support
    Summaries(Box<summaries::Summaries>),
    /// Count the prompt tokens of a day of chat, by purpose
    Cost(cost::Cost),
    /// Measure the time from sending a message to a running service until searches find it
    Lag(lag::Lag),
}

#[tokio::main]
async fn main() -> ExitCode {
    let done: Result<(), Box<dyn std::error::Error + Send + Sync>> = match Cli::parse().command {
        Command::Retrieval(args) => retrieval::run(&args).await.map_err(Into::into),
        Command::Contexts(args) => contexts::run(&args).await.map_err(Into::into),
        Command::Merged(args) => merged::run(&args).await.map_err(Into::into),
        Command::Scale(args) => scale::run(&args).await.map_err(Into::into),
        Command::ScaleAsk(args) => scale::ask::run(&args).await.map_err(Into::into),
        Command::Graph(args) => graph::run(&args).await,
        Command::Load(args) => load::run(&args).await,
        Command::Growth(args) => growth::run(&args).await,
        Command::GrowthAsk(args) => growth::answer(&args).await,
        Command::Summaries(args) => summaries::run(&args).await.map_err(Into::into),
        Command::Cost(args) => cost::run(&args).await.map_err(Into::into),
        Command::Lag(args) => lag::run(&args).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
