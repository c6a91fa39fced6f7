//! Runs one command over an open data folder. Each command has a file of its own.

mod agent;
mod correct;
mod dead;
mod demo;
mod dump;
mod embed;
mod export;
mod extract;
mod facts;
mod forget;
mod import;
mod prompt;
mod rebuild;
mod retain;
mod rollup;
mod search;
mod show;
mod status;
mod timeline;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use annals_core::{Error, Result, Timestamp};

use crate::cli::{Cli, Command, Global};
use crate::folder::{Folder, default_path};

/// Runs the command to its end.
pub fn run(cli: Cli) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|cause| Error::storage("cannot start", cause))?;
    runtime.block_on(dispatch(cli.global, cli.command))
}

async fn dispatch(global: Global, command: Command) -> Result<ExitCode> {
    let json = global.json;
    match command {
        Command::Demo => demo::run(&global).await,
        Command::Embed(args) => embed::run(&args, json).await,
        Command::Import(args) => import::run(&global, &args).await,
        Command::Agent(args) => agent::run(&global, &args).await,
        Command::Rollup(args) => rollup::run(&open(&global).await?, &args, json).await,
        Command::Search(args) => search::run(&open(&global).await?, &args, json).await,
        Command::Timeline(args) => timeline::run(&open(&global).await?, &args, json).await,
        Command::Facts(args) => facts::run(&facts_folder(&global, &args).await?, &args, json).await,
        Command::Correct(args) => correct::correct(&open(&global).await?, &args, json).await,
        Command::Pin(args) => correct::pin(&open(&global).await?, &args, json).await,
        Command::Retain(args) => retain::run(&open(&global).await?, &args, json).await,
        Command::Forget(args) => forget::run(&open(&global).await?, &args, json).await,
        Command::Export(args) => export::run(&open(&global).await?, &args, json).await,
        Command::Prompt(args) => prompt::run(&open(&global).await?, &args, json).await,
        Command::Show(args) => show::run(&open(&global).await?, &args, json).await,
        Command::Status(args) => status::run(&open(&global).await?, &args, json).await,
        Command::Dead(args) => dead::run(&open(&global).await?, &args, json).await,
        Command::Verify(args) => verify::run(&open(&global).await?, &args, json).await,
        Command::Rebuild(args) => rebuild::run(&open(&global).await?, &args, json).await,
        Command::Dump(args) => dump::run(&open(&global).await?, &args).await,
    }
}

/// Opens the folder that is there.
async fn open(global: &Global) -> Result<Folder> {
    Folder::open(&data(global)?, global.config.as_deref(), false, now(global)).await
}

/// Opens the folder, and makes it if there is none.
async fn open_or_make(global: &Global) -> Result<Folder> {
    Folder::open(&data(global)?, global.config.as_deref(), true, now(global)).await
}

/// A fact may be the first that is known of an agent.
async fn facts_folder(global: &Global, args: &crate::cli::Facts) -> Result<Folder> {
    match args.change {
        Some(crate::cli::ChangeFacts::Add(_)) => open_or_make(global).await,
        _ => open(global).await,
    }
}

fn data(global: &Global) -> Result<PathBuf> {
    global.data.clone().map_or_else(default_path, Ok)
}

#[expect(clippy::disallowed_methods, reason = "the one place where the clock is read; it is handed down from here")]
fn now(global: &Global) -> Timestamp {
    global.now.unwrap_or_else(Timestamp::now)
}
