//! The command `annals`: parses the arguments, starts logging, runs the command and reports its error. A library only for its
//! tests: [`main`] is all that the program calls.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod catalog;
mod cli;
mod clock;
mod cluster;
mod commands;
mod config;
mod console;
mod embedders;
mod entailment;
mod failure;
mod folder;
mod host;
mod ipc;
mod jobs;
pub mod jsonl;
pub mod lines;
mod logging;
mod private;
mod progress;
mod projections;
pub mod records;
mod replica;
mod run_or_hand_over;
mod scratch;
mod source;
mod takeover;
mod view;

use std::process::ExitCode;

use clap::Parser;

/// Runs the command that the arguments of this process name, and reports its error. Returns the exit code.
pub fn main() -> ExitCode {
    // All files hold messages or keys, so only this user may access them, wherever they are written.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let cli = cli::Cli::parse();
    logging::start(&cli);
    let json = cli.global.json;
    match commands::run(cli) {
        Ok(code) => code,
        Err(error) => failure::report(&error, json),
    }
}
