//! `annals rebuild`: rebuilds tables from the catalog, or embeds the vectors of other models again with the configured one.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls;

use crate::cli::Rebuild;
use crate::run_or_hand_over::Client;
use crate::view::{plural, print_json, say};

pub(crate) async fn run(client: &Client, args: &Rebuild, json: bool) -> Result<ExitCode> {
    let rebuild = calls::Rebuild { agent: args.agent.clone(), grains: args.grains.clone(), embedder: args.embedder };
    let answer = client.call(rebuild).await?;
    if json {
        print_json(&answer);
    } else if args.embedder && answer.memories == 0 {
        say!("All vectors are of the configured model.");
    } else {
        say!("Rebuilt the tables of {}.", plural(answer.memories, "memory"));
    }
    Ok(ExitCode::SUCCESS)
}
