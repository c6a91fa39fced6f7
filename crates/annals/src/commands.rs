//! Runs one command over an open data folder. Each command has a file of its own.

mod agent;
pub mod backup;
mod config;
mod context;
mod conversations;
mod correct;
mod dead;
mod demo;
mod doctor;
mod dump;
mod embed;
mod export;
mod facts;
mod forget;
mod import;
mod job;
mod key;
mod mcp;
mod plans;
mod prompt;
mod rebuild;
mod restore;
mod retain;
mod rollup;
mod search;
mod serve;
mod show;
mod status;
mod timeline;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use annals_core::{Error, Result, Timestamp};

use crate::cli::{Cli, Command, Global};
use crate::config::Config;
use crate::console::remote;
use crate::folder::{Folder, Opening, default_path};
use crate::ipc;

/// Runs the command to completion on a new Tokio runtime.
pub fn run(cli: Cli) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|cause| Error::storage("cannot start", cause))?;
    runtime.block_on(own_or_hand_over(cli))
}

/// Hands the command to the process that owns the folder, if there is one and the command needs the folder; runs it here
/// otherwise.
async fn own_or_hand_over(cli: Cli) -> Result<ExitCode> {
    if cli.command.works_on_the_folder()
        && let Some(owner) = ipc::owner(&data(&cli.global)?).await
    {
        return ipc::hand_over(owner, &cli.global).await;
    }
    dispatch(cli.global, cli.command).await
}

/// Runs the command in this process, on behalf of its own user or of another process.
pub async fn dispatch(global: Global, command: Command) -> Result<ExitCode> {
    let json = global.json;
    match command {
        Command::Demo => demo::run(&global).await,
        Command::Serve(args) => serve::run(&global, &args).await,
        Command::Mcp(args) => mcp::run(&global, &args).await,
        Command::Key(args) => key::run(&global, &args).await,
        Command::Job(args) => job::run(&global, &args).await,
        Command::Embed(args) => embed::run(&args, json).await,
        Command::Import(args) => import::run(&global, &args).await,
        Command::Agent(args) => agent::run(&global, &args).await,
        Command::Rollup(args) => rollup::run(&open(&global).await?, &args, json).await,
        Command::Search(args) => search::run(&open(&global).await?, &args, json).await,
        Command::Context(args) => context::run(&open(&global).await?, &args, json).await,
        Command::Timeline(args) => timeline::run(&open(&global).await?, &args, json).await,
        Command::Conversations(args) => conversations::run(&open(&global).await?, &args, json).await,
        Command::Plans => plans::run(&global).await,
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
        Command::Backup(args) => backup::run(&global, &args).await,
        Command::Restore(args) => restore::run(&global, &args).await,
        Command::Doctor(args) => doctor::run(&global, &args).await,
        Command::Config(args) => config::run(&global, &args),
    }
}

/// Opens the existing data folder.
async fn open(global: &Global) -> Result<Folder> {
    open_at(global, &data(global)?, false).await
}

/// Opens the data folder, and creates it if there is none.
async fn open_or_make(global: &Global) -> Result<Folder> {
    open_at(global, &data(global)?, true).await
}

async fn open_at(global: &Global, data: &Path, create: bool) -> Result<Folder> {
    if let Some(folder) = remote(|remote| remote.folder.clone()) {
        let now = global.now.unwrap_or(folder.now());
        return Ok(folder.at(now));
    }
    Folder::open(data, Opening::by_hand(Config::load(global, data)?.models, now(global)), create).await
}

/// Opens the folder for `annals facts`. `facts add` creates it: a fact may be the first thing stored for an agent.
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
