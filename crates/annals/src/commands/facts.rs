//! `annals facts`: finds facts and paths between them; adds and retracts facts by hand.

use std::process::ExitCode;

use annals_core::{Agent, MERGED_BECAUSE, Result, Timestamp, Zones};
use annals_service::locks;
use annals_service::wire::{FactView, FactsAnswer, FactsRequest};

use super::extract::bring_up_to_date;
use crate::cli::{ChangeFacts, Facts, FindFacts};
use crate::folder::Folder;
use crate::view::{BOLD, DATE, DIM, plural, print_json, say};

pub async fn run(folder: &Folder, args: &Facts, json: bool) -> Result<ExitCode> {
    match &args.change {
        None => find(folder, &args.find, json).await?,
        Some(ChangeFacts::Add(triple)) => {
            let agent = Agent::new(&triple.entry.agent)?;
            let zones = folder.store.settings(&agent).await?.zones()?;
            let at = triple.entry.at.map_or(folder.now, |at| at.instant(&zones));
            let (subject, predicate, object) = (&triple.subject, &triple.predicate, &triple.object);
            let _facts_lock = folder.locks().lock::<locks::Facts>(&agent).await;
            let ended = folder.fact_writer.add(&agent, subject, predicate, object, at, folder.now).await?;
            about(folder, &agent, subject, json).await?;
            if let Some(ended) = ended.as_ref().map(FactView::from).filter(|_| !json) {
                line(&ended, &zones);
                say!(
                    "This fact is stored as ended, because a later fact replaces it. Without --at, a fact holds from now on."
                );
            }
        }
        Some(ChangeFacts::Retract(triple)) => {
            let agent = folder.agent(&triple.entry.agent).await?;
            let zones = folder.store.settings(&agent).await?.zones()?;
            let at = triple.entry.at.map_or(folder.now, |at| at.instant(&zones));
            let (subject, predicate) = (&triple.subject, &triple.predicate);
            let _facts_lock = folder.locks().lock::<locks::Facts>(&agent).await;
            folder.fact_writer.retract(&agent, subject, predicate, triple.object.as_deref(), at, folder.now).await?;
            about(folder, &agent, subject, json).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn find(folder: &Folder, args: &FindFacts, json: bool) -> Result<()> {
    let agent = folder.agent(args.agent.as_deref().unwrap_or_default()).await?;
    bring_up_to_date(folder, &agent, json).await?;
    if let Some(target) = &args.parquet {
        folder.facts.export(&agent, target).await?;
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
    show(folder, &agent, request, json).await
}

async fn about(folder: &Folder, agent: &Agent, subject: &str, json: bool) -> Result<()> {
    show(folder, agent, FactsRequest { about: Some(subject.to_owned()), ..FactsRequest::default() }, json).await
}

async fn show(folder: &Folder, agent: &Agent, request: FactsRequest, json: bool) -> Result<()> {
    let answer = folder.ask_facts(agent, request, folder.now).await?;
    if json {
        match answer.connected {
            Some(false) => print_json(&None::<()>),
            _ => print_json(&answer.facts),
        }
        return Ok(());
    }
    let zones = folder.store.settings(agent).await?.zones()?;
    print(&answer, &zones, folder.now);
    Ok(())
}

fn print(answer: &FactsAnswer, zones: &Zones, now: Timestamp) {
    answer.facts.iter().for_each(|fact| line(fact, zones));
    match answer.connected {
        Some(false) => say!("No path of facts connects the two; --history also follows ended facts."),
        Some(true) if answer.facts.is_empty() => say!("Both are names of one person or thing."),
        None if answer.facts.is_empty() => say!("No facts found. `annals rollup` extracts facts from new messages."),
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

/// Returns the local day of a moment.
fn day(moment: &str, zones: &Zones) -> String {
    moment.parse().map_or_else(|_| moment.to_owned(), |at| zones.day_of(at).to_string())
}
