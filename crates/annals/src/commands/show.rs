//! `annals show`: prints one memory in full, with its sources and former versions.

use std::process::ExitCode;

use annals_core::ports::Version;
use annals_core::{Agent, Error, Memory, MemoryId, Result, Zones};
use annals_service::wire::MemoryView;
use serde_json::json;

use crate::cli::Show;
use crate::folder::Folder;
use crate::view::{BOLD, DATE, DIM, column, dates, local, plural, print_json, say, say_zone};

pub async fn run(folder: &Folder, args: &Show, json: bool) -> Result<ExitCode> {
    let (agent, memory) = find(folder, &args.id).await?;
    let sources = if args.sources { folder.store.get(&agent, memory.sources()).await? } else { Vec::new() };
    if json {
        let views: Vec<_> = sources.iter().map(MemoryView::from).collect();
        let sentences = memory.sentences();
        let view = MemoryView::from(&memory);
        let versions = folder.memory(&agent, memory.id.as_str()).await?.versions;
        print_json(&json!({
            "agent": agent.name(), "memory": view, "sentences": sentences, "sources": views, "versions": versions,
        }));
    } else {
        let zones = folder.store.settings(&agent).await?.zones()?;
        print(&agent, &memory, &sources, &zones);
        let versions = folder.store.versions(&agent, &memory.id).await?;
        print_versions(&versions, args.history, &zones);
        say_zone(std::iter::once(&memory).chain(&sources), &zones);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_versions(versions: &[Version], all: bool, zones: &Zones) {
    if !all && !versions.is_empty() {
        say!("{DIM}The text was changed before; --history shows {}.{DIM:#}", plural(versions.len() as u64, "version"));
        return;
    }
    for version in versions {
        say!("{DATE}until {}{DATE:#}", local(version.replaced_at, zones));
        say!("{}\n", column(&version.text, 2));
    }
    if all && versions.is_empty() {
        say!("{DIM}The text was never changed.{DIM:#}");
    }
}

/// Finds the memory with this id, of any agent.
pub async fn find(folder: &Folder, id: &str) -> Result<(Agent, Memory)> {
    let wanted = [MemoryId::from_text(id)];
    for agent in folder.store.all_agents().await? {
        // An id is a hash that includes the agent, so at most one agent has it.
        if let Some(memory) = folder.store.get(&agent, &wanted).await?.pop() {
            return Ok((agent, memory));
        }
    }
    Err(Error::NotFound { what: "memory", name: id.to_owned() })
}

fn print(agent: &Agent, memory: &Memory, sources: &[Memory], zones: &Zones) {
    say!("{BOLD}{}{BOLD:#} {DATE}{}{DATE:#}  {DIM}{} of {agent}{DIM:#}", memory.grain, dates(memory, zones), memory.id);
    if let (Some(speaker), Some(conversation)) = (memory.speaker(), memory.conversation()) {
        say!("{DIM}{speaker} in conversation {conversation:?}{DIM:#}");
    }
    say!("\n{}\n", column(&memory.text, 2));
    if sources.is_empty() && !memory.sources().is_empty() {
        say!("{DIM}Made from {} memories; --sources shows them.{DIM:#}", memory.sources().len());
    }
    for source in sources {
        let speaker = source.speaker().map(|speaker| format!("{speaker}: ")).unwrap_or_default();
        say!("{DATE}{}{DATE:#}  {DIM}{}{DIM:#}", dates(source, zones), source.id);
        say!("{}\n", column(&format!("{speaker}{}", source.text), 2));
    }
}
