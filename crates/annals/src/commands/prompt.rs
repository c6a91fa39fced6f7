//! `annals prompt`: lists, shows and replaces the prompts for models.

use std::process::ExitCode;

use annals_core::Result;
use annals_llm::Prompt as Name;
use annals_service::wire::SettingsChange;
use serde_json::json;

use crate::cli::Prompt;
use crate::failure::unreadable;
use crate::folder::Folder;
use crate::view::{BOLD, DIM, print_json, say, say_raw};

pub async fn run(folder: &Folder, args: &Prompt, json: bool) -> Result<ExitCode> {
    match args {
        Prompt::List(which) => list(folder, which.agent.as_deref(), json).await?,
        Prompt::Show { name, agent } => show(folder, name, agent.as_deref()).await?,
        Prompt::Set { name, file, agent } => {
            let text = crate::input::read_text(file).map_err(|cause| unreadable(file, cause))?;
            replace(folder, agent, name, Some(text)).await?;
        }
        Prompt::Reset { name, agent } => {
            name.parse::<Name>()?;
            replace(folder, agent, name, None).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(folder: &Folder, agent: Option<&str>, json: bool) -> Result<()> {
    let own = match agent {
        Some(name) => folder.store.settings(&folder.agent(name).await?).await?.prompts,
        None => Default::default(),
    };
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

async fn show(folder: &Folder, name: &str, agent: Option<&str>) -> Result<()> {
    let built_in = name.parse::<Name>()?.standard();
    let own = match agent {
        Some(agent) => folder.store.settings(&folder.agent(agent).await?).await?.prompts.remove(name),
        None => None,
    };
    say_raw!("{}", own.as_deref().unwrap_or(built_in).trim_end());
    Ok(())
}

async fn replace(folder: &Folder, agent: &str, name: &str, text: Option<String>) -> Result<()> {
    let agent = folder.agent(agent).await?;
    let done = if text.is_some() { "is set" } else { "is reset to the built-in one" };
    let prompts = std::collections::BTreeMap::from([(name.to_owned(), text)]);
    folder.change_settings(&agent, SettingsChange { prompts, ..SettingsChange::default() }, folder.now).await?;
    say!("{agent}: the prompt {name:?} {done}; `annals rollup --refresh` rewrites its summaries.");
    Ok(())
}
