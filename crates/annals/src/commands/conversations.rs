//! `annals conversations`: lists an agent's conversations by name.

use std::process::ExitCode;

use annals_core::{Result, Zones};
use annals_service::calls::ListConversations;
use annals_service::wire::{ConversationEntry, ConversationsAnswer, PageRequest};

use crate::cli::Conversations;
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DATE, DIM, JsonList, plural, say};

/// Maximum number of conversations fetched per page, the most that one answer has.
const PAGE: usize = 1000;

pub(crate) async fn run(client: &Client, args: &Conversations, json: bool) -> Result<ExitCode> {
    let mut left = args.limit.unwrap_or(usize::MAX);
    let mut page = next(client, args, &mut left, args.cursor.clone()).await?;
    let zones = client.zones(&args.agent).await?;
    let mut list = json.then(|| JsonList::begin(&[("agent", &page.agent)], "conversations"));
    let is_empty = page.conversations.is_empty();
    loop {
        match &mut list {
            Some(list) => list.items(&page.conversations),
            None => page.conversations.iter().for_each(|conversation| print(conversation, &zones)),
        }
        let Some(cursor) = page.next_cursor.take_if(|_| left > 0) else { break };
        page = next(client, args, &mut left, Some(cursor)).await?;
    }
    match list {
        Some(list) => list.end(&[("next_cursor", page.next_cursor.into())]),
        None => print_end(is_empty, page.next_cursor.as_deref()),
    }
    Ok(ExitCode::SUCCESS)
}

fn print_end(is_empty: bool, cursor: Option<&str>) {
    if let Some(cursor) = cursor {
        say!("{DIM}There are more: --cursor {cursor:?}{DIM:#}");
    }
    if is_empty {
        say!("No conversations.");
    }
}

/// Reads the next page, of at most `left` conversations.
async fn next(
    client: &Client,
    args: &Conversations,
    left: &mut usize,
    cursor: Option<String>,
) -> Result<ConversationsAnswer> {
    let request = PageRequest { limit: Some((*left).min(PAGE)), cursor };
    let page = client.call(ListConversations { agent: args.agent.clone(), request }).await?;
    *left -= page.conversations.len();
    Ok(page)
}

fn print(entry: &ConversationEntry, zones: &Zones) {
    let day = |moment: &str| moment.parse().map_or_else(|_| moment.to_owned(), |at| zones.day_of(at).to_string());
    let ConversationEntry { conversation, title, turns, first, last } = entry;
    let (first, last) = (day(first), day(last));
    let days = if first == last { first } else { format!("{first} to {last}") };
    let title = title.as_ref().map(|title| format!("  {title}")).unwrap_or_default();
    say!("{BOLD}{conversation}{BOLD:#}{title}  {DATE}{days}{DATE:#}  {DIM}{}{DIM:#}", plural(*turns, "turn"));
}
