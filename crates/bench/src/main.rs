//! The command `annals-bench`: claims, measured through the same stores, writer and search that the service is made of.

#![cfg_attr(test, allow(clippy::unwrap_used))]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "figures are what it is run for")]

mod contexts;
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
mod vectors;
mod world;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// As in the command `annals`, so that memory is measured as users see it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures Annals.
#[derive(Parser)]
#[command(name = "annals-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Whether questions find the messages that answer them
    Retrieval(retrieval::Retrieval),
    /// Whether the context for a question holds what answers it, and what contexts cost
    #[command(name = "context")]
    Contexts(contexts::Contexts),
    /// The same questions when all agents are one, among other turns
    Merged(merged::Merged),
    /// One agent with very many memories: time, memory, and how exact the nearest vectors are
    Scale(scale::Scale),
    /// The part of `scale` that asks, in a process that has not filled anything
    #[command(hide = true)]
    ScaleAsk(scale::ask::ScaleAsk),
    /// Walks over many facts, beside SQLite
    Graph(graph::Graph),
    /// A running service under many connections that add and search at once
    Load(load::Load),
    /// An agent that grows older: cold start, latency and memory at each age
    Growth(growth::Growth),
    /// What `growth` starts in a process of its own
    #[command(hide = true)]
    GrowthAsk(growth::Ask),
    /// From sending a message to a running service until searches find it
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
