//! `annals dump`: prints everything in one canonical order, without sequence numbers, recording times and table versions. Two
//! folders that hold the same memory print the same, however it got there.

use annals_service::locks::Facts;
use std::process::ExitCode;

use annals_core::ports::{Select, Table};
use annals_core::{Agent, FactQuery, Grain, Result};
use annals_service::wire::{FactView, MemoryView};
use serde_json::json;

use crate::cli::OneOrAll;
use crate::folder::Folder;
use crate::view::print_json;

pub async fn run(folder: &Folder, args: &OneOrAll) -> Result<ExitCode> {
    for agent in folder.agents(args.agent.as_deref()).await? {
        print_json(&json!({ "agent": agent.name(), "settings": folder.store.settings(&agent).await? }));
        for grain in Grain::ALL {
            memories(folder, &agent, grain).await?;
        }
        facts(folder, &agent).await?;
        ledger(folder, &agent).await?;
        for grain in Grain::ALL {
            rows(folder, &agent, grain).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn memories(folder: &Folder, agent: &Agent, grain: Grain) -> Result<()> {
    let select = Select::all(grain);
    for memory in folder.store.list(agent, &select).await? {
        print_json(&json!({ "memory": MemoryView::from(&memory), "sentences": memory.sentences() }));
    }
    Ok(())
}

async fn facts(folder: &Folder, agent: &Agent) -> Result<()> {
    let _facts_lock = folder.locks().lock::<Facts>(agent).await;
    folder.fact_writer.bring_facts(agent).await?;
    let query = FactQuery { history: true, ..FactQuery::default() };
    for fact in folder.facts.find(agent, &query).await? {
        let mut fact = json!(FactView::from(&fact));
        fact.as_object_mut().and_then(|fields| fields.remove("recorded_at"));
        print_json(&json!({ "fact": fact }));
    }
    Ok(())
}

async fn ledger(folder: &Folder, agent: &Agent) -> Result<()> {
    for row in folder.store.ledger(agent).await? {
        let (input, recipe) = (row.input_digest.map(|d| d.to_string()), row.recipe.map(|d| d.to_string()));
        let period = row.period.to_string();
        print_json(&json!({ "period": period, "dirty": row.is_dirty(), "input": input, "recipe": recipe }));
    }
    Ok(())
}

async fn rows(folder: &Folder, agent: &Agent, grain: Grain) -> Result<()> {
    let generation = folder.store.watermark(agent, grain).await?.generation;
    for row in folder.strata.scan(&Table { agent: agent.clone(), grain, generation }).await? {
        print_json(&json!({ "table": grain, "memory": row.memory, "part": row.part, "row": row.digest.to_string() }));
    }
    Ok(())
}
