//! `annals-bench context`: measures whether the context for a prompt holds the evidence for its answer, and how many tokens it
//! costs.
//!
//! Imports each set of messages, reads it for facts by the rules, and rolls it up over all grains with the extractive engine.
//! Then asks for contexts at each budget: for the questions of the set, for questions about periods, and for prompts unrelated to
//! the memory. Finally prunes with the plan `starter` a year later, and asks the questions again. Judges only public output (ids,
//! texts and tokens of contexts) against the lineage in the catalog.

mod ask;
mod evidence;
mod periods;
mod report;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use annals_core::{Agent, Error, MemoryId, Message, Result, SignedDuration, Timestamp, identify};
use clap::Args;
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::input::{self, Messages, Question};
use crate::retrieval::embedder;
use crate::stores::Stores;
use ask::Asking;
use report::Report;

/// Token budgets of the contexts.
const BUDGETS: [u64; 3] = [500, 1_500, 4_000];
/// Prompts that are unrelated to every memory in the sets.
const UNRELATED: &str = include_str!("contexts/unrelated.txt");
/// The retention plan applied before the last round of questions.
const PLAN: &str = "starter";
/// Time from the last message or question to the roll-up, so that all periods are closed when it runs.
const LATER: SignedDuration = SignedDuration::from_hours(400 * 24);
/// Time after the last message at which retention runs and the questions are asked again.
const A_YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Input files and options.
#[derive(Args)]
pub(crate) struct Contexts {
    /// Folders, each with messages.jsonl and queries.jsonl, as for `retrieval`
    #[arg(required = true, value_name = "FOLDER")]
    sets: Vec<PathBuf>,
    /// Keep vectors in this folder between runs
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// Ask only every Nth question, for a quick run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Read the prompts that are unrelated to the memory from this file, one a line, instead of the built-in hundred
    #[arg(long, value_name = "FILE")]
    unrelated: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: &Contexts) -> Result<()> {
    let mut reports = Map::new();
    for set in &args.sets {
        let name = set.file_name().unwrap_or(set.as_os_str()).to_string_lossy().into_owned();
        let report = measure(args, set).await?;
        if args.json {
            reports.insert(name, report.in_json());
        } else {
            print!("{}", report.table(&name));
        }
    }
    if args.json {
        println!("{}", Value::Object(reports));
    }
    Ok(())
}

async fn measure(args: &Contexts, set: &Path) -> Result<Report> {
    let messages = input::messages(&set.join("messages.jsonl"))?;
    let (mut questions, _) = input::questions(&set.join("queries.jsonl"), &messages)?;
    let mut number = 0;
    questions.retain(|_| {
        number += 1;
        (number - 1) % args.every == 0
    });
    let folder = TempDir::new().map_err(|error| Error::storage("making a temporary folder", error))?;
    let stores = Stores::open(folder.path(), embedder(args.cache.as_deref())?).await?;
    for (agent, messages) in &messages {
        stores.ingest(agent, messages, last(messages, &questions) + LATER).await?;
    }
    let ids = ids(&messages);
    let mut asking = Asking::of(&stores, &messages, &ids).await?;
    let mut report = Report::default();
    let unrelated = unrelated(args.unrelated.as_deref())?;
    for budget in BUDGETS {
        report.answered.push(asking.questions(&questions, None, budget).await?);
        report.wasted.push(asking.unrelated(&unrelated, budget).await?);
        report.periods.push(asking.periods(budget).await?);
    }
    for (agent, messages) in &messages {
        stores.prune(agent, PLAN, last(messages, &[]) + A_YEAR).await?;
    }
    asking = Asking::of(&stores, &messages, &ids).await?;
    for budget in BUDGETS {
        report.retained.push(asking.questions(&questions, Some(A_YEAR), budget).await?);
    }
    Ok(report)
}

/// Returns the prompts of this file, or the built-in ones.
fn unrelated(file: Option<&Path>) -> Result<Vec<String>> {
    let text = match file {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Error::storage(format!("cannot read {}", path.display()), error))?,
        None => UNRELATED.to_owned(),
    };
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
}

/// Returns the time of the last message or question.
fn last(messages: &[Message], questions: &[Question]) -> Timestamp {
    let moments = messages.iter().map(|message| message.at).chain(questions.iter().map(|question| question.at));
    moments.max().unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Memory ids of messages, by agent and client id.
type Ids = BTreeMap<Agent, HashMap<String, MemoryId>>;

fn ids(messages: &Messages) -> Ids {
    let of = |(agent, messages): (&Agent, &Vec<Message>)| {
        let keys = identify(messages).into_iter();
        (agent.clone(), keys.map(|key| (key.id.clone(), MemoryId::turn(agent, &key))).collect())
    };
    messages.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_a_hundred_distinct_unrelated_prompts() {
        let prompts = unrelated(None).unwrap();
        let distinct: std::collections::HashSet<&String> = prompts.iter().collect();
        assert_eq!((prompts.len(), distinct.len()), (100, 100));
    }
}
