//! `annals dump`: prints everything in one canonical order. Two folders that hold the same memory print the same, however it got
//! there.

use std::process::ExitCode;

use annals_core::Result;

use crate::cli::OneOrAll;
use crate::folder::Folder;
use crate::view::print_json;

pub async fn run(folder: &Folder, args: &OneOrAll) -> Result<ExitCode> {
    for agent in folder.agents(args.agent.as_deref()).await? {
        folder.service().dump(&agent, &mut |line| print_json(&line)).await?;
    }
    Ok(ExitCode::SUCCESS)
}
