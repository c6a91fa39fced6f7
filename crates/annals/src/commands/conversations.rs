//! `annals conversations`: lists an agent's conversations by name.

use std::process::ExitCode;

use annals_core::{Result, Zones};
use annals_service::wire::{ConversationEntry, PageRequest};

use crate::cli::Conversations;
use crate::folder::Folder;
use crate::view::{BOLD, DATE, DIM, plural, print_json, say};

/// Number of conversations fetched per page.
const PAGE: usize = 1000;

pub async fn run(folder: &Folder, args: &Conversations, json: bool) -> Result<ExitCode> {
    let agent = folder.agent(&args.agent).await?;
    let zones = folder.store.settings(&agent).await?.zones()?;
    let (mut all, mut cursor) = (Vec::new(), args.cursor.clone());
    let most = args.limit.unwrap_or(usize::MAX);
    while all.len() < most {
        let request = PageRequest { limit: Some(PAGE.min(most - all.len())), cursor };
        let page = folder.service.conversations(&agent, request).await?;
        all.extend(page.conversations);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    if json {
        print_json(&all);
        return Ok(ExitCode::SUCCESS);
    }
    all.iter().for_each(|conversation| print(conversation, &zones));
    if let Some(cursor) = cursor.filter(|_| !all.is_empty()) {
        say!("{DIM}There are more: --cursor {cursor:?}{DIM:#}");
    }
    if all.is_empty() {
        say!("No conversations.");
    }
    Ok(ExitCode::SUCCESS)
}

fn print(entry: &ConversationEntry, zones: &Zones) {
    let day = |moment: &str| moment.parse().map_or_else(|_| moment.to_owned(), |at| zones.day_of(at).to_string());
    let ConversationEntry { conversation, turns, first, last } = entry;
    let (first, last) = (day(first), day(last));
    let days = if first == last { first } else { format!("{first} to {last}") };
    say!("{BOLD}{conversation}{BOLD:#}  {DATE}{days}{DATE:#}  {DIM}{}{DIM:#}", plural(*turns, "turn"));
}
