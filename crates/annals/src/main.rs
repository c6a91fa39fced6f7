//! The command `annals`: parses, opens the data folder, runs.

mod cli;
mod commands;
mod config;
mod failure;
mod folder;
mod jsonl;
mod progress;
mod records;
mod view;

use std::process::ExitCode;

use clap::Parser;

/// LanceDB's repeated upserts grow glibc's per-thread arenas without bound; mimalloc gives memory back.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::try_from_env("ANNALS_LOG").unwrap_or_else(|_| "error".into()))
        .with_writer(std::io::stderr)
        .init();
    let json = cli.global.json;
    match commands::run(cli) {
        Ok(code) => code,
        Err(error) => failure::report(&error, json),
    }
}
