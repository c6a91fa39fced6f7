//! `annals document`: lists, shows and deletes documents.

use std::process::ExitCode;

use annals_core::{Result, Timestamp, Zones};
use annals_service::calls;
use annals_service::wire::{DocumentView, DocumentsAnswer, DocumentsRequest};

use crate::cli::{Document, ListDocuments, OneDocument};
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DATE, DIM, local, plural, print_json, say};

/// Maximum number of documents fetched per page, the most that one answer has.
const PAGE: usize = 1000;

pub(crate) async fn run(client: &Client, args: &Document, json: bool) -> Result<ExitCode> {
    match args {
        Document::List(which) => list(client, which, json).await?,
        Document::Show(which) => show(client, which, json).await?,
        Document::Delete(which) => delete(client, which, json).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client, args: &ListDocuments, json: bool) -> Result<()> {
    let answer = read(client, args).await?;
    if json {
        print_json(&answer);
        return Ok(());
    }
    let zones = client.zones(&args.agent).await?;
    answer.documents.iter().for_each(|document| print(document, &zones));
    if answer.documents.is_empty() {
        say!("No documents.");
    }
    Ok(())
}

/// Reads page by page, up to the limit of the command.
async fn read(client: &Client, args: &ListDocuments) -> Result<DocumentsAnswer> {
    let most = args.limit.unwrap_or(usize::MAX);
    let page = async |left: usize, cursor: Option<String>| {
        let (collection, key_prefix) = (args.collection.clone(), args.prefix.clone());
        let request = DocumentsRequest { collection, key_prefix, limit: Some(left.min(PAGE)), cursor };
        client.call(calls::ListDocuments { agent: args.agent.clone(), request }).await
    };
    let mut answer = page(most, None).await?;
    while let Some(cursor) = answer.next_cursor.take_if(|_| answer.documents.len() < most) {
        let next = page(most - answer.documents.len(), Some(cursor)).await?;
        answer.documents.extend(next.documents);
        answer.next_cursor = next.next_cursor;
    }
    Ok(answer)
}

/// Prints the collection and key of a document, the time of its last write, and how many passages it has.
fn print(document: &DocumentView, zones: &Zones) {
    let DocumentView { collection, key, updated_at, .. } = document;
    let at = updated_at.parse::<Timestamp>().map_or_else(|_| updated_at.clone(), |at| local(at, zones));
    let passages = plural(document.passages as u64, "passage");
    say!("{BOLD}{collection}/{key}{BOLD:#}  {DATE}{at}{DATE:#}  {DIM}{passages}{DIM:#}");
}

async fn show(client: &Client, args: &OneDocument, json: bool) -> Result<()> {
    let (collection, key) = (args.document.collection.clone(), args.document.key.clone());
    let document = client.call(calls::GetDocument { agent: args.agent.clone(), collection, key }).await?;
    if json {
        print_json(&document);
        return Ok(());
    }
    print(&document, &client.zones(&args.agent).await?);
    let value = document.value.as_ref().map(|value| format!("{value:#}"));
    say!("\n{}", document.text.or(value).unwrap_or_default());
    Ok(())
}

async fn delete(client: &Client, args: &OneDocument, json: bool) -> Result<()> {
    let (collection, key) = (args.document.collection.clone(), args.document.key.clone());
    client.call(calls::DeleteDocument { agent: args.agent.clone(), collection, key }).await?;
    if json {
        print_json(&serde_json::json!({ "deleted": args.document.to_string() }));
    } else {
        say!("Deleted {}.", args.document);
    }
    Ok(())
}
