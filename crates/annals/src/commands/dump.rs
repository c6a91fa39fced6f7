//! `annals dump`: prints, for one agent or for each, the settings, memories, blocks, documents, attachments, facts, the ledger
//! and the rows of the tables, in one canonical order, without sequence numbers and times of recording. The output of two
//! folders with the same memory is the same, whatever operations led to it.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls::Dump;

use crate::cli::OneOrAll;
use crate::run_or_hand_over::Client;
use crate::view::say_raw;

pub(crate) async fn run(client: &Client, args: &OneOrAll) -> Result<ExitCode> {
    let print = |line: String| {
        say_raw!("{line}");
        Ok(())
    };
    client.each(Dump { agent: args.agent.clone() }, print).await?;
    Ok(ExitCode::SUCCESS)
}
