//! `annals correct` and `annals pin`: a person's say over single memories.

use std::process::ExitCode;

use annals_core::{MemoryId, Result};
use serde_json::json;

use super::show::find;
use crate::cli::{Correct, Pin};
use crate::folder::Folder;
use crate::view::{MemoryView, plural, print_json, say};

/// Replaces the words, and what is searched with them.
pub async fn correct(folder: &Folder, args: &Correct, json: bool) -> Result<ExitCode> {
    let (agent, memory) = find(folder, &args.id).await?;
    folder.writer.correct(&agent, &memory.id, &args.text, folder.now).await?;
    folder.writer.project(&agent, folder.now, &|_| ()).await?;
    let (_, now) = find(folder, &args.id).await?;
    let versions = folder.archive.versions(&agent, &now.id).await?;
    if json {
        let view = MemoryView::new(&now);
        print_json(&json!({ "agent": agent.name(), "memory": view, "versions": versions.len() }));
    } else {
        say!(
            "{} corrected; {} kept. `annals rollup` carries it into the summaries.",
            now.id,
            plural(versions.len() as u64, "former version")
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Sets or lifts a pin.
pub async fn pin(folder: &Folder, args: &Pin, json: bool) -> Result<ExitCode> {
    let (agent, memory) = find(folder, &args.id).await?;
    folder.seals.pin(&agent, &MemoryId::from_text(&args.id), !args.lift).await?;
    if json {
        print_json(&json!({ "agent": agent.name(), "memory": memory.id, "pinned": !args.lift }));
    } else {
        say!(
            "{} is {}.",
            memory.id,
            if args.lift { "not pinned any more" } else { "pinned: retention leaves it and what is stored with it" }
        );
    }
    Ok(ExitCode::SUCCESS)
}
