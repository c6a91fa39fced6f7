//! The command `annals-bench`: claims, measured through the same stores, writer and search that the service is made of.

#![cfg_attr(test, allow(clippy::unwrap_used))]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "figures are what it is run for")]

mod load;
mod retrieval;

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
    /// A running service under many connections that add and search at once
    Load(load::Load),
}

#[tokio::main]
async fn main() -> ExitCode {
    let done: Result<(), Box<dyn std::error::Error + Send + Sync>> = match Cli::parse().command {
        Command::Retrieval(args) => retrieval::run(&args).await.map_err(Into::into),
        Command::Load(args) => load::run(&args).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
