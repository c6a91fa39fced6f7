//! `annals facts`: finds facts and paths between them, writes them as Parquet, and adds and retracts facts by hand.

use std::process::ExitCode;

use annals_core::{MERGED_BECAUSE, Result, Timestamp, Zones};
use annals_service::calls::{EnterFact, ExportFacts, FindFacts};
use annals_service::refuse_in_data_folder;
use annals_service::wire::{FactEntry, FactView, FactsAnswer, FactsRequest, Verb};

use super::export::absolute;
use crate::cli::{self, ChangeFacts, Facts, Global};
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DATE, DIM, plural, print_json, say};

pub(crate) async fn run(global: &Global, args: &Facts) -> Result<ExitCode> {
    match &args.change {
        None => find(&Client::open(global).await?, &args.find, global.json).await?,
        Some(ChangeFacts::Add(triple)) => {
            // The fact may be the first data of the agent, and of the folder.
            let client = Client::open_or_create(global).await?;
            let entry = FactEntry {
                verb: Verb::Add,
                subject: triple.subject.clone(),
                predicate: triple.predicate.clone(),
                object: Some(triple.object.clone()),
                at: triple.entry.at,
            };
            enter(&client, &triple.entry.agent, entry, global.json).await?;
        }
        Some(ChangeFacts::Retract(triple)) => {
            let entry = FactEntry {
                verb: Verb::Retract,
                subject: triple.subject.clone(),
                predicate: triple.predicate.clone(),
                object: triple.object.clone(),
                at: triple.entry.at,
            };
            enter(&Client::open(global).await?, &triple.entry.agent, entry, global.json).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Enters or retracts a fact. Prints the facts about its subject that hold now, and the entered fact if it is stored as ended.
async fn enter(client: &Client, agent: &str, entry: FactEntry, json: bool) -> Result<()> {
    let mut answer = client.call(EnterFact { agent: agent.to_owned(), entry }).await?;
    if json {
        print_json(&answer);
        return Ok(());
    }
    let (zones, now) = (client.zones(agent).await?, client.now());
    // The other facts hold now. Only the entered fact may have ended, and it comes last.
    let end = |fact: &FactView| fact.valid_to.as_ref()?.parse::<Timestamp>().ok();
    let ended = answer.facts.pop_if(|fact| end(fact).is_some_and(|end| end <= now));
    print(&answer, &zones, now);
    if let Some(ended) = ended {
        line(&ended, &zones);
        say!("This fact is stored as ended, because a later fact replaces it. Without --at, a fact holds from now on.");
    }
    Ok(())
}

async fn find(client: &Client, args: &cli::FindFacts, json: bool) -> Result<()> {
    let agent = args.agent.clone().unwrap_or_default();
    if let Some(target) = &args.parquet {
        refuse_in_data_folder(client.data(), target)?;
        client.call(ExportFacts { agent, file: absolute(target)? }).await?;
        if !json {
            say!("Wrote {}.", target.display());
        }
        return Ok(());
    }
    let request = FactsRequest {
        about: args.about.clone(),
        depth: args.depth,
        to: args.to.clone(),
        direction: args.direction,
        predicate: args.predicate.clone(),
        as_of: args.as_of,
        history: args.history,
        limit: args.limit,
        cursor: None,
    };
    let answer = client.call(FindFacts { agent, request }).await?;
    if json {
        print_json(&answer);
    } else {
        print(&answer, &client.zones(&answer.agent).await?, client.now());
    }
    Ok(())
}

fn print(answer: &FactsAnswer, zones: &Zones, now: Timestamp) {
    answer.facts.iter().for_each(|fact| line(fact, zones));
    match answer.connected {
        Some(false) => say!("No path of facts connects the two; --history also follows ended facts."),
        Some(true) if answer.facts.is_empty() => say!("Both are names of one person or thing."),
        None if answer.facts.is_empty() => say!("No facts found; --history also shows those that no longer hold."),
        _ => say!("{DIM}Days are in the time zone {}.{DIM:#}", zones.name_at(now)),
    }
}

fn line(fact: &FactView, zones: &Zones) {
    let FactView { id, subject, predicate, object, .. } = fact;
    let since = day(&fact.valid_from, zones);
    let until = fact.valid_to.as_deref().map(|end| format!(" to {}", day(end, zones))).unwrap_or_default();
    let sources = plural(fact.source_ids.len() as u64, "source");
    let away = fact.depth.map(|depth| format!("{DIM}{depth}{DIM:#}  ")).unwrap_or_default();
    let why = fact.properties.get(MERGED_BECAUSE).and_then(|why| why.as_str());
    let why = why.map(|why| format!(", merged because {}", why.replace('_', " "))).unwrap_or_default();
    say!(
        "{away}{BOLD}{subject}{BOLD:#} {predicate} {BOLD}{object}{BOLD:#}  {DATE}since {since}{until}{DATE:#}  {DIM}{sources}{why}  {id}{DIM:#}"
    );
}

/// Returns the local day of a moment; returns any other text unchanged.
fn day(moment: &str, zones: &Zones) -> String {
    moment.parse().map_or_else(|_| moment.to_owned(), |at| zones.day_of(at).to_string())
}
