//! `annals show`: prints one memory in full, with its former versions and, with `--sources`, its sources.

use std::process::ExitCode;

use annals_core::{Result, Timestamp, Zones};
use annals_service::calls::{GetMemory, GetSources};
use annals_service::wire::{MemoryAnswer, MemoryView, VersionView};
use serde::Serialize;

use super::timeline::print_ungrounded;
use crate::cli::Show;
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DATE, DIM, column, dates, local, plural, print_json, say, say_zone};

/// A memory with the memories from which it was made.
#[derive(Serialize)]
struct WithSources {
    #[serde(flatten)]
    answer: MemoryAnswer,
    sources: Vec<MemoryView>,
}

pub(crate) async fn run(client: &Client, args: &Show, json: bool) -> Result<ExitCode> {
    let answer = client.call(GetMemory { id: args.id.clone() }).await?;
    let sources = match args.sources {
        true => client.call(GetSources { id: args.id.clone() }).await?.sources,
        false => Vec::new(),
    };
    match json {
        true if args.sources => print_json(&WithSources { answer, sources }),
        true => print_json(&answer),
        false => {
            let zones = client.zones(&answer.agent).await?;
            print(&answer, &sources, &zones);
            print_versions(&answer.versions, args.history, &zones);
            say_zone(std::iter::once(&answer.memory).chain(&sources), &zones);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_versions(versions: &[VersionView], all: bool, zones: &Zones) {
    if !all && !versions.is_empty() {
        say!("{DIM}The text was changed before; --history shows {}.{DIM:#}", plural(versions.len() as u64, "version"));
        return;
    }
    for version in versions {
        let replaced_at = &version.replaced_at;
        let until = replaced_at.parse::<Timestamp>().map_or_else(|_| replaced_at.clone(), |at| local(at, zones));
        say!("{DATE}until {until}{DATE:#}");
        say!("{}\n", column(&version.text, 2));
    }
    if all && versions.is_empty() {
        say!("{DIM}The text was never changed.{DIM:#}");
    }
}

fn print(answer: &MemoryAnswer, sources: &[MemoryView], zones: &Zones) {
    let MemoryAnswer { agent, memory, .. } = answer;
    say!("{BOLD}{}{BOLD:#} {DATE}{}{DATE:#}  {DIM}{} of {agent}{DIM:#}", memory.grain, dates(memory, zones), memory.id);
    if let (Some(speaker), Some(conversation)) = (&memory.speaker, &memory.conversation) {
        say!("{DIM}{speaker} in conversation {conversation:?}{DIM:#}");
    }
    say!("\n{}\n", column(&memory.text, 2));
    print_ungrounded(memory);
    // The first source of a turn is the id of its message.
    let made_from = memory.source_ids.len() - usize::from(memory.message.is_some());
    if sources.is_empty() && made_from > 0 {
        say!("{DIM}Made from {made_from} memories; --sources shows them.{DIM:#}");
    }
    for source in sources {
        let speaker = source.speaker.as_ref().map(|speaker| format!("{speaker}: ")).unwrap_or_default();
        say!("{DATE}{}{DATE:#}  {DIM}{}{DIM:#}", dates(source, zones), source.id);
        say!("{}\n", column(&format!("{speaker}{}", source.text), 2));
    }
}
