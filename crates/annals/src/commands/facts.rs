//! `annals facts`: finds facts and paths between them; adds and retracts facts by hand.

use std::process::ExitCode;

use annals_core::{Agent, MERGED_BECAUSE, Result, Timestamp, Zones};
use annals_service::wire::{FactEntry, FactView, FactsAnswer, FactsRequest, Verb};

use crate::cli::{ChangeFacts, Facts, FindFacts};
use crate::folder::Folder;
use crate::progress::Bars;
use crate::view::{BOLD, DATE, DIM, plural, print_json, say};

pub async fn run(folder: &Folder, args: &Facts, json: bool) -> Result<ExitCode> {
    match &args.change {
        None => find(folder, &args.find, json).await?,
        Some(ChangeFacts::Add(triple)) => {
            let agent = Agent::new(&triple.entry.agent)?;
            let entry = FactEntry {
                verb: Verb::Add,
                subject: triple.subject.clone(),
                predicate: triple.predicate.clone(),
                object: Some(triple.object.clone()),
                at: triple.entry.at,
            };
            enter(folder, &agent, entry, json).await?;
        }
        Some(ChangeFacts::Retract(triple)) => {
            let agent = folder.agent(&triple.entry.agent).await?;
            let entry = FactEntry {
                verb: Verb::Retract,
                subject: triple.subject.clone(),
                predicate: triple.predicate.clone(),
                object: triple.object.clone(),
                at: triple.entry.at,
            };
            enter(folder, &agent, entry, json).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Enters or retracts a fact, and prints what is known about its subject now.
async fn enter(folder: &Folder, agent: &Agent, entry: FactEntry, json: bool) -> Result<()> {
    let mut answer = folder.service().enter_fact(agent, entry, folder.now()).await?;
    if json {
        print_json(&answer.facts);
        return Ok(());
    }
    let (zones, now) = (folder.service().zones(agent).await?, folder.now());
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

async fn find(folder: &Folder, args: &FindFacts, json: bool) -> Result<()> {
    let agent = folder.agent(args.agent.as_deref().unwrap_or_default()).await?;
    folder.service().bring_facts_up_to_date(&agent, &Bars { is_hidden: json }).await?;
    if let Some(target) = &args.parquet {
        folder.service().export_facts(&agent, target).await?;
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

async fn show(folder: &Folder, agent: &Agent, request: FactsRequest, json: bool) -> Result<()> {
    let answer = folder.service().ask_facts(agent, request, folder.now()).await?;
    if json {
        match answer.connected {
            Some(false) => print_json(&None::<()>),
            _ => print_json(&answer.facts),
        }
        return Ok(());
    }
    let zones = folder.service().zones(agent).await?;
    print(&answer, &zones, folder.now());
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
