//! `annals correct` and `annals pin`: corrects or pins a single memory.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls;
use annals_service::wire::CorrectRequest;

use crate::cli::{Correct, Pin};
use crate::run_or_hand_over::Client;
use crate::view::{plural, print_json, say};

/// Replaces the text of a memory, and updates its search index.
pub(crate) async fn correct(client: &Client, args: &Correct, json: bool) -> Result<ExitCode> {
    let request = CorrectRequest { text: Some(args.text.clone()), pinned: None };
    let now = client.call(calls::Correct { id: args.id.clone(), request }).await?;
    if json {
        print_json(&now);
    } else {
        let kept = plural(now.versions.len() as u64, "former version");
        say!("{} corrected; {kept} kept. `annals rollup` updates the summaries.", now.memory.id);
    }
    Ok(ExitCode::SUCCESS)
}

/// Pins a memory, or removes its pin with `--lift`.
pub(crate) async fn pin(client: &Client, args: &Pin, json: bool) -> Result<ExitCode> {
    let request = CorrectRequest { text: None, pinned: Some(!args.lift) };
    let now = client.call(calls::Correct { id: args.id.clone(), request }).await?;
    if json {
        print_json(&now);
    } else if now.memory.pinned {
        say!("{} is pinned: retention keeps it, and everything stored with it.", now.memory.id);
    } else {
        say!("{} is no longer pinned.", now.memory.id);
    }
    Ok(ExitCode::SUCCESS)
}
