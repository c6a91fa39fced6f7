//! `annals dead`: lists and retries dead letters, memories that could not be indexed or read for facts by a model.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::wire::ReplayAnswer;

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
        letters.extend(folder.service().dead_letters(&agent).await?);
    }
    if json {
        print_json(&letters);
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

async fn replay(folder: &Folder, which: &OneOrAll, json: bool) -> Result<ExitCode> {
    let mut all = ReplayAnswer::default();
    for agent in folder.agents(which.agent.as_deref()).await? {
        let answer = folder.service().replay_dead_letters(&agent, folder.now()).await?;
        all = ReplayAnswer { alive: all.alive + answer.alive, dead: all.dead + answer.dead };
    }
    if json {
        print_json(&all);
    } else {
        say!("{} searchable again, {} still dead.", plural(all.alive, "memory"), all.dead);
    }
    Ok(ExitCode::SUCCESS)
}
