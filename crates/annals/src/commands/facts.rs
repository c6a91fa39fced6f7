//! `annals facts`: what is known about whom and since when, and how one leads to another; facts added and retracted by hand.

use std::process::ExitCode;

use annals_core::{Agent, MERGED_BECAUSE, Result, Timestamp};
use annals_server::wire::{FactView, FactsAnswer, FactsWish};
use annals_server::{ask_facts, locks};

use super::extract::bring_up_to_date;
use crate::cli::{ChangeFacts, Entry, Facts, FindFacts};
use crate::folder::Folder;
use crate::view::{BOLD, DATE, DIM, plural, print_json, say};

pub async fn run(folder: &Folder, args: &Facts, json: bool) -> Result<ExitCode> {
    match &args.change {
        None => find(folder, &args.find, json).await?,
        Some(ChangeFacts::Add(triple)) => {
            let (agent, at) = entry(folder, &triple.entry)?;
            let (subject, predicate, object) = (&triple.subject, &triple.predicate, &triple.object);
            let _facts_lock = folder.locks().lock::<locks::Facts>(&agent).await;
            let ended = folder.fact_writer.add(&agent, subject, predicate, object, at, folder.now).await?;
            about(folder, &agent, subject, json).await?;
            if let Some(ended) = ended.as_ref().map(FactView::from).filter(|_| !json) {
                line(&ended);
                say!(
                    "This fact is stored as ended, because a later one takes its place. Without --since it holds from now on."
                );
            }
        }
        Some(ChangeFacts::Retract(triple)) => {
            let (_, at) = entry(folder, &triple.entry)?;
            let agent = folder.agent(&triple.entry.agent).await?;
            let (subject, predicate) = (&triple.subject, &triple.predicate);
            let _facts_lock = folder.locks().lock::<locks::Facts>(&agent).await;
            folder.fact_writer.retract(&agent, subject, predicate, triple.object.as_deref(), at, folder.now).await?;
            about(folder, &agent, subject, json).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn entry(folder: &Folder, entry: &Entry) -> Result<(Agent, Timestamp)> {
    Ok((Agent::new(&entry.agent)?, entry.since.unwrap_or(folder.now)))
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
    let wish = FactsWish {
        about: args.about.clone(),
        depth: args.depth,
        to: args.to.clone(),
        direction: args.direction,
        predicate: args.predicate.clone(),
        as_of: args.as_of,
        history: args.history,
        limit: args.limit,
    };
    show(&ask_facts(&folder.fact_writer, &agent, wish, folder.now).await?, json);
    Ok(())
}

async fn about(folder: &Folder, agent: &Agent, subject: &str, json: bool) -> Result<()> {
    let wish = FactsWish { about: Some(subject.to_owned()), ..FactsWish::default() };
    show(&ask_facts(&folder.fact_writer, agent, wish, folder.now).await?, json);
    Ok(())
}

fn show(answer: &FactsAnswer, json: bool) {
    if json {
        return match answer.connected {
            Some(false) => print_json(&None::<()>),
            _ => print_json(&answer.facts),
        };
    }
    answer.facts.iter().for_each(line);
    match answer.connected {
        Some(false) => say!("No facts lead from the one to the other; --history also follows ended ones."),
        Some(true) if answer.facts.is_empty() => say!("Both are names of one person or thing."),
        None if answer.facts.is_empty() => say!("No such facts. `annals rollup` reads new messages for facts."),
        _ => {}
    }
}

fn line(fact: &FactView) {
    let FactView { subject, predicate, object, .. } = fact;
    let since = day(&fact.valid_from);
    let until = fact.valid_to.as_deref().map(|end| format!(" to {}", day(end))).unwrap_or_default();
    let sources = plural(fact.source_ids.len() as u64, "source");
    let away = fact.depth.map(|depth| format!("{DIM}{depth}{DIM:#}  ")).unwrap_or_default();
    let why = fact.properties.get(MERGED_BECAUSE).and_then(|why| why.as_str());
    let why = why.map(|why| format!(", merged because {}", why.replace('_', " "))).unwrap_or_default();
    say!(
        "{away}{BOLD}{subject}{BOLD:#} {predicate} {BOLD}{object}{BOLD:#}  {DATE}since {since}{until}{DATE:#}  {DIM}{sources}{why}{DIM:#}"
    );
}

/// The day of a moment.
fn day(moment: &str) -> &str {
    moment.split_once('T').map_or(moment, |(day, _)| day)
}
