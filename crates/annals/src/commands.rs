//! Runs one command: turns its arguments into calls and prints the answers. Most commands have a file of their own.

mod adopt;
mod agent;
pub(crate) mod backup;
mod batch_rollup;
mod config;
mod context;
mod conversations;
mod correct;
mod costs;
mod dead;
mod demo;
mod doctor;
mod document;
mod dump;
mod embed;
mod export;
mod facts;
mod forget;
mod import;
mod job;
mod key;
mod mcp;
mod model;
mod plans;
mod price;
mod prompt;
mod rebuild;
mod reopen;
mod restore;
mod retain;
mod rollup;
mod search;
mod serve;
mod show;
mod status;
mod timeline;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use annals_core::{Error, Result, Timestamp};

use crate::cli::{Cli, Command, Global};
use crate::folder::default_path;
use crate::run_or_hand_over::Client;

/// Runs the command to completion on a new Tokio runtime.
pub(crate) fn run(cli: Cli) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|cause| Error::storage("cannot start", cause))?;
    runtime.block_on(dispatch(cli.global, cli.command))
}

async fn dispatch(global: Global, command: Command) -> Result<ExitCode> {
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
        Command::Rollup(args) if args.batch && !args.dry_run => batch_rollup::run(&global, &args, json).await,
        Command::Rollup(args) if args.abandon_batches => {
            batch_rollup::abandon(&Client::open(&global).await?, json).await
        }
        Command::Rollup(args) => rollup::run(&Client::open(&global).await?, &args, json).await,
        Command::Search(args) => search::run(&Client::open(&global).await?, &args, json).await,
        Command::Context(args) => context::run(&Client::open(&global).await?, &args, json).await,
        Command::Timeline(args) => timeline::run(&Client::open(&global).await?, &args, json).await,
        Command::Conversations(args) => conversations::run(&Client::open(&global).await?, &args, json).await,
        Command::Plans => plans::run(&global).await,
        Command::Facts(args) => facts::run(&global, &args).await,
        Command::Correct(args) => correct::correct(&Client::open(&global).await?, &args, json).await,
        Command::Pin(args) => correct::pin(&Client::open(&global).await?, &args, json).await,
        Command::Retain(args) => retain::run(&Client::open(&global).await?, &args, json).await,
        Command::Forget(args) => forget::run(&Client::open(&global).await?, &args, json).await,
        Command::Export(args) => export::run(&Client::open(&global).await?, &args, json).await,
        Command::Prompt(args) => prompt::run(&Client::open(&global).await?, &args, json).await,
        Command::Document(args) => document::run(&Client::open(&global).await?, &args, json).await,
        Command::Show(args) => show::run(&Client::open(&global).await?, &args, json).await,
        Command::Status(args) => status::run(&Client::open(&global).await?, &args, json).await,
        Command::Dead(args) => dead::run(&Client::open(&global).await?, &args, json).await,
        Command::Costs(args) => costs::run(&Client::open(&global).await?, &args, json).await,
        Command::Price(args) => price::run(&global, &args).await,
        Command::Verify(args) => verify::run(&Client::open(&global).await?, &args, json).await,
        Command::Rebuild(args) => rebuild::run(&Client::open(&global).await?, &args, json).await,
        Command::Dump(args) => dump::run(&Client::open(&global).await?, &args).await,
        Command::Backup(args) => backup::run(&global, &args).await,
        Command::Restore(args) => restore::run(&global, &args).await,
        Command::Adopt(args) => adopt::run(&global, &args).await,
        Command::Reopen => reopen::run(&global).await,
        Command::Doctor(args) => doctor::run(&global, &args).await,
        Command::Model(args) => model::run(&global, &args).await,
        Command::Config(args) => config::run(&global, &args),
    }
}

/// Returns the folder of `--data`, or the default data folder.
pub(crate) fn data(global: &Global) -> Result<PathBuf> {
    global.data.clone().map_or_else(default_path, Ok)
}

/// Returns the time of `--now`, or else of the clock.
#[expect(clippy::disallowed_methods, reason = "the one place where the clock is read; it is handed down from here")]
pub(crate) fn now(global: &Global) -> Timestamp {
    global.now.unwrap_or_else(Timestamp::now)
}
