//! `annals dead`: lists and retries dead letters, memories that could not be indexed or read for facts by a model.

use annals_service::locks::Tables;
use std::process::ExitCode;

use annals_core::{Agent, Result};
use serde_json::json;

use crate::cli::{Dead, OneOrAll};
use crate::folder::Folder;
use crate::view::{DATE, DIM, plural, print_json, say};

pub async fn run(folder: &Folder, args: &Dead, json: bool) -> Result<ExitCode> {
    match args {
        Dead::List(which) => list(folder, which, json).await,
        Dead::Replay(which) => replay(folder, which, json).await,
    }
}

async fn list(folder: &Folder, which: &OneOrAll, json: bool) -> Result<ExitCode> {
    let mut letters = Vec::new();
    for agent in folder.agents(which.agent.as_deref()).await? {
        letters.extend(folder.store.dead_letters(&agent).await?);
    }
    if json {
        let views = letters.iter().map(|letter| {
            json!({
                "agent": letter.agent.name(), "grain": letter.grain, "memory": letter.memory, "error": letter.error,
                "stage": letter.stage, "at": letter.at.to_string(),
            })
        });
        print_json(&views.collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    for letter in &letters {
        say!("{} {} {DATE}{:.0}{DATE:#}  {DIM}{}{DIM:#}", letter.agent, letter.memory, letter.at, letter.error);
    }
    if letters.is_empty() {
        say!("No dead letters.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads messages for facts again. Returns how many the model could read; the others stay dead letters.
async fn reread(folder: &Folder, agent: &Agent) -> Result<u64> {
    let read = folder.reread_for_facts(agent, folder.now).await?;
    Ok(read.turns - read.degraded)
}

/// Writes rows for dead memories again. Returns how many could be written.
async fn revive(folder: &Folder, agent: &Agent) -> Result<u64> {
    // Replaces a damaged table; no rows could be added to it.
    folder.make_searchable(agent, &|_| ()).await?;
    let _tables_lock = folder.locks().lock::<Tables>(agent).await;
    folder.writer.revive(agent).await
}

async fn replay(folder: &Folder, which: &OneOrAll, json: bool) -> Result<ExitCode> {
    let (mut alive, mut still_dead) = (0, 0);
    for agent in folder.agents(which.agent.as_deref()).await? {
        alive += revive(folder, &agent).await? + reread(folder, &agent).await?;
        still_dead += folder.store.dead_letters(&agent).await?.len() as u64;
    }
    if json {
        print_json(&json!({ "alive": alive, "dead": still_dead }));
    } else {
        say!("{} searchable again, {still_dead} still dead.", plural(alive, "memory"));
    }
    Ok(ExitCode::SUCCESS)
}
