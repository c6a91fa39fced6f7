//! `annals correct` and `annals pin`: corrects or pins a single memory.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::wire::CorrectRequest;
use serde_json::json;

use super::show::find;
use crate::cli::{Correct, Pin};
use crate::folder::Folder;
use crate::view::{plural, print_json, say};

/// Replaces the text of a memory, and updates its search index.
pub async fn correct(folder: &Folder, args: &Correct, json: bool) -> Result<ExitCode> {
    let (agent, memory) = find(folder, &args.id).await?;
    let change = CorrectRequest { text: Some(args.text.clone()), pinned: None };
    let now = folder.correct(&agent, memory.id.as_str(), change, folder.now).await?;
    let versions = now.versions.len();
    if json {
        print_json(&json!({ "agent": agent.name(), "memory": now.memory, "versions": versions }));
    } else {
        let kept = plural(versions as u64, "former version");
        say!("{} corrected; {kept} kept. `annals rollup` updates the summaries.", now.memory.id);
    }
    Ok(ExitCode::SUCCESS)
}

/// Sets or removes a pin.
pub async fn pin(folder: &Folder, args: &Pin, json: bool) -> Result<ExitCode> {
    let (agent, memory) = find(folder, &args.id).await?;
    let change = CorrectRequest { text: None, pinned: Some(!args.lift) };
    folder.correct(&agent, memory.id.as_str(), change, folder.now).await?;
    if json {
        print_json(&json!({ "agent": agent.name(), "memory": memory.id, "pinned": !args.lift }));
    } else {
        say!(
            "{} is {}.",
            memory.id,
            if args.lift { "no longer pinned" } else { "pinned: retention keeps it, and everything stored with it" }
        );
    }
    Ok(ExitCode::SUCCESS)
}
