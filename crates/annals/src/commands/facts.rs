//! `annals facts`: what is known about whom and since when; facts added and retracted by hand.

use std::process::ExitCode;

use annals_core::{Agent, Fact, FactQuery, Result, Timestamp};
use annals_server::wire::FactView;

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
            let _reading = folder.reading(&agent).await;
            folder.fact_writer.add(&agent, subject, predicate, object, at, folder.now).await?;
            about(folder, &agent, subject, json).await?;
        }
        Some(ChangeFacts::Retract(triple)) => {
            let (_, at) = entry(folder, &triple.entry)?;
            let agent = folder.agent(&triple.entry.agent).await?;
            let (subject, predicate) = (&triple.subject, &triple.predicate);
            let _reading = folder.reading(&agent).await;
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
    let query = FactQuery {
        about: args.about.clone(),
        predicate: args.predicate.clone(),
        // What holds now, not what will: a plan may be dated ahead.
        as_of: args.as_of.or_else(|| (!args.history).then_some(folder.now)),
        history: args.history,
        said_within: None,
        limit: args.limit,
    };
    let facts = folder.facts.find(&agent, &query).await?;
    show(&facts, json);
    Ok(())
}

async fn about(folder: &Folder, agent: &Agent, subject: &str, json: bool) -> Result<()> {
    let query = FactQuery { about: Some(subject.to_owned()), as_of: Some(folder.now), ..FactQuery::default() };
    show(&folder.facts.find(agent, &query).await?, json);
    Ok(())
}

fn show(facts: &[Fact], json: bool) {
    if json {
        return print_json(&facts.iter().map(FactView::from).collect::<Vec<_>>());
    }
    for fact in facts {
        let Fact { subject, predicate, object, .. } = fact;
        let since = day(fact.valid_from);
        let until = fact.valid_to.map(|end| format!(" to {}", day(end))).unwrap_or_default();
        let sources = plural(fact.sources.len() as u64, "source");
        say!(
            "{BOLD}{subject}{BOLD:#} {predicate} {BOLD}{object}{BOLD:#}  {DATE}since {since}{until}{DATE:#}  {DIM}{sources}{DIM:#}"
        );
    }
    if facts.is_empty() {
        say!("No such facts. `annals rollup` reads new messages for facts.");
    }
}

fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}
