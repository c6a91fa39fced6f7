//! `annals dead`: lists dead letters, and retries them: memories that could not be indexed, and memories that the model failed
//! to read for facts.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls::{ListDeadLetters, ReplayDeadLetters};

use crate::cli::{Dead, OneOrAll};
use crate::run_or_hand_over::Client;
use crate::view::{DATE, DIM, plural, print_json, say};

pub(crate) async fn run(client: &Client, args: &Dead, json: bool) -> Result<ExitCode> {
    match args {
        Dead::List(which) => list(client, which, json).await?,
        Dead::Replay(which) => replay(client, which, json).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client, which: &OneOrAll, json: bool) -> Result<()> {
    let letters = client.call(ListDeadLetters { agent: which.agent.clone() }).await?;
    if json {
        print_json(&letters);
        return Ok(());
    }
    for letter in &letters {
        say!("{} {} {DATE}{:.0}{DATE:#}  {DIM}{}{DIM:#}", letter.agent, letter.memory, letter.at, letter.error);
    }
    if letters.is_empty() {
        say!("No dead letters.");
    }
    Ok(())
}

async fn replay(client: &Client, which: &OneOrAll, json: bool) -> Result<()> {
    let answer = client.call(ReplayDeadLetters { agent: which.agent.clone() }).await?;
    if json {
        print_json(&answer);
    } else {
        say!("{} searchable again, {} still dead.", plural(answer.alive, "memory"), answer.dead);
    }
    Ok(())
}
