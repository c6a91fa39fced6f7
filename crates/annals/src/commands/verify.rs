//! `annals verify`: checks that every day is covered, that every table matches the catalog, and that the catalog is sound.

use std::process::ExitCode;

use annals_core::{Agent, Result};
use annals_service::Verified;
use annals_summarizer::Gap;
use annals_writer::Discrepancy;
use serde_json::{Value, json};

use crate::cli::OneOrAll;
use crate::folder::Folder;
use crate::view::{WARN, plural, print_json, say};

pub async fn run(folder: &Folder, args: &OneOrAll, json: bool) -> Result<ExitCode> {
    let catalog = folder.store.check().await?;
    let mut faults = catalog.len();
    if !json {
        catalog.iter().for_each(|fault| say!("{WARN}catalog: {fault}{WARN:#}"));
    }
    let mut agents = Vec::new();
    for agent in folder.agents(args.agent.as_deref()).await? {
        let Verified { mut gaps, unwritten, tables, facts_differ } = folder.verify(&agent, folder.now).await?;
        // The user wants to see everything that is missing, including summaries that are merely not yet written.
        gaps.extend(unwritten);
        gaps.sort();
        faults += gaps.len() + tables.len() + usize::from(facts_differ);
        if facts_differ && !json {
            say!(
                "{WARN}{agent}: the table of facts does not match the log of facts; `annals rebuild` rebuilds it{WARN:#}"
            );
        }
        if !json {
            print(folder, &agent, &gaps, &tables).await?;
        }
        let mut view = view(&agent, &gaps, &tables);
        view["facts_differ"] = Value::from(facts_differ);
        agents.push(view);
    }
    if json {
        print_json(&json!({ "sound": faults == 0, "catalog": catalog, "agents": agents }));
    } else if faults == 0 {
        say!("Sound: nothing is missing, nothing is damaged.");
    }
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn view(agent: &Agent, gaps: &[Gap], tables: &[Discrepancy]) -> Value {
    let missing = gaps.iter().map(|gap| json!({ "day": gap.day.to_string(), "period": gap.period.to_string() }));
    let missing: Vec<Value> = missing.collect();
    let tables: Vec<Value> = tables.iter().map(discrepancy).collect();
    json!({ "agent": agent.name(), "missing_days": missing, "tables": tables })
}

fn discrepancy(found: &Discrepancy) -> Value {
    let (problem, what) = parts(found);
    json!({ "problem": problem, "grain": found.grain().to_string(), "what": what })
}

/// Returns what is wrong, and with what.
fn parts(found: &Discrepancy) -> (&'static str, &str) {
    match found {
        Discrepancy::Missing(_, memory) => ("missing", memory.as_str()),
        Discrepancy::Extra(_, memory) => ("extra", memory.as_str()),
        Discrepancy::Stale(_, memory) => ("stale", memory.as_str()),
        Discrepancy::Damaged(_, why) => ("damaged", why),
    }
}

async fn print(folder: &Folder, agent: &Agent, gaps: &[Gap], tables: &[Discrepancy]) -> Result<()> {
    let counts = folder.store.counts(agent).await?;
    say!("{agent}: {} checked", plural(counts.memories.iter().sum(), "memory"));
    for gap in gaps {
        say!("  {WARN}{} is not in the summary of {}{WARN:#}", gap.day, gap.period);
    }
    if !gaps.is_empty() {
        say!("  `annals rollup` writes what is missing.");
    }
    for found in tables {
        let (problem, what) = parts(found);
        say!("  {WARN}{}: {problem} {what}{WARN:#}", found.grain());
    }
    if !tables.is_empty() {
        say!("  `annals rebuild` rebuilds the tables from the catalog.");
    }
    Ok(())
}
