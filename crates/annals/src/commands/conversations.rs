//! `annals conversations`: lists an agent's conversations by name.

use std::process::ExitCode;

use annals_core::{Result, Zones};
use annals_service::calls::ListConversations;
use annals_service::wire::{ConversationEntry, ConversationsAnswer, PageRequest};

use crate::cli::Conversations;
use crate::client::Client;
use crate::view::{BOLD, DATE, DIM, plural, print_json, say};

/// Number of conversations fetched per page, the most that one answer has.
const PAGE: usize = 1000;

pub async fn run(client: &Client, args: &Conversations, json: bool) -> Result<ExitCode> {
    let answer = read(client, args).await?;
    if json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let zones = client.zones(&args.agent).await?;
    answer.conversations.iter().for_each(|conversation| print(conversation, &zones));
    if let Some(cursor) = &answer.next_cursor {
        say!("{DIM}There are more: --cursor {cursor:?}{DIM:#}");
    }
    if answer.conversations.is_empty() {
        say!("No conversations.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads page by page, up to the limit of the command.
async fn read(client: &Client, args: &Conversations) -> Result<ConversationsAnswer> {
    let most = args.limit.unwrap_or(usize::MAX);
    let page = async |left: usize, cursor: Option<String>| {
        let request = PageRequest { limit: Some(left.min(PAGE)), cursor };
        client.call(ListConversations { agent: args.agent.clone(), request }).await
    };
    let mut answer = page(most, args.cursor.clone()).await?;
    while let Some(cursor) = answer.next_cursor.take_if(|_| answer.conversations.len() < most) {
        let next = page(most - answer.conversations.len(), Some(cursor)).await?;
        answer.conversations.extend(next.conversations);
        answer.next_cursor = next.next_cursor;
    }
    Ok(answer)
}

fn print(entry: &ConversationEntry, zones: &Zones) {
    let day = |moment: &str| moment.parse().map_or_else(|_| moment.to_owned(), |at| zones.day_of(at).to_string());
    let ConversationEntry { conversation, title, turns, first, last } = entry;
    let (first, last) = (day(first), day(last));
    let days = if first == last { first } else { format!("{first} to {last}") };
    let title = title.as_ref().map(|title| format!("  {title}")).unwrap_or_default();
    say!("{BOLD}{conversation}{BOLD:#}{title}  {DATE}{days}{DATE:#}  {DIM}{}{DIM:#}", plural(*turns, "turn"));
}
