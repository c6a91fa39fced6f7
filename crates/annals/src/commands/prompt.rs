//! `annals prompt`: lists and shows the prompts for models, and replaces or resets those of an agent.

use std::collections::BTreeMap;
use std::process::ExitCode;

use annals_core::Result;
use annals_llm::Prompt as Name;
use annals_service::calls::{ChangeSettings, GetSettings};
use annals_service::wire::SettingsChange;
use serde_json::json;

use crate::cli::Prompt;
use crate::failure::unreadable;
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, print_json, say, say_raw};

pub(crate) async fn run(client: &Client, args: &Prompt, json: bool) -> Result<ExitCode> {
    match args {
        Prompt::List(which) => list(client, which.agent.as_deref(), json).await?,
        Prompt::Show { name, agent } => show(client, name, agent.as_deref()).await?,
        Prompt::Set { name, file, agent } => {
            let text = std::fs::read_to_string(file).map_err(|cause| unreadable(file, cause))?;
            replace(client, agent, name, Some(text)).await?;
        }
        Prompt::Reset { name, agent } => {
            name.parse::<Name>()?;
            replace(client, agent, name, None).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client, agent: Option<&str>, json: bool) -> Result<()> {
    let own = own(client, agent).await?;
    if json {
        let prompts =
            Name::ALL.iter().map(|name| json!({ "name": name.as_str(), "own": own.contains_key(name.as_str()) }));
        print_json(&prompts.collect::<Vec<_>>());
        return Ok(());
    }
    for name in Name::ALL.map(Name::as_str) {
        let whose = if own.contains_key(name) { "the agent's own" } else { "built in" };
        say!("{BOLD}{name}{BOLD:#}  {DIM}{whose}{DIM:#}");
    }
    Ok(())
}

async fn show(client: &Client, name: &str, agent: Option<&str>) -> Result<()> {
    let built_in = name.parse::<Name>()?.standard();
    let own = own(client, agent).await?.remove(name);
    say_raw!("{}", own.as_deref().unwrap_or(built_in).trim_end());
    Ok(())
}

/// Returns the agent's own prompts, by name; none without an agent.
async fn own(client: &Client, agent: Option<&str>) -> Result<BTreeMap<String, String>> {
    match agent {
        Some(agent) => Ok(client.call(GetSettings { agent: agent.to_owned() }).await?.prompts),
        None => Ok(BTreeMap::new()),
    }
}

async fn replace(client: &Client, agent: &str, name: &str, text: Option<String>) -> Result<()> {
    let done = if text.is_some() { "is set" } else { "is reset to the built-in one" };
    let prompts = BTreeMap::from([(name.to_owned(), text)]);
    let change = SettingsChange { prompts, ..SettingsChange::default() };
    client.call(ChangeSettings { agent: agent.to_owned(), change }).await?;
    say!("{agent}: the prompt {name:?} {done}; `annals rollup --refresh` rewrites its summaries.");
    Ok(())
}
