//! `annals agent`: the agents and their settings.

use std::process::ExitCode;

use annals_core::{Agent, EngineChoice, Result};
use annals_server::wire::{SettingsChange, SettingsView};

use super::forget::forget_agent;
use super::{open, open_or_make};
use crate::cli::{self, Global};
use crate::folder::Folder;
use crate::view::{BOLD, DIM, count, print_json, say};

pub async fn run(global: &Global, args: &cli::Agent) -> Result<ExitCode> {
    match args {
        cli::Agent::List => list(&open(global).await?, global.json).await?,
        cli::Agent::Show { name } => {
            let folder = open(global).await?;
            let agent = folder.agent(name).await?;
            show(&folder.settings(&agent).await?, global.json);
        }
        cli::Agent::Set { name, change } => {
            let folder = open_or_make(global).await?;
            set(&folder, &Agent::new(name)?, change, global.json).await?;
        }
        cli::Agent::Delete { name, yes } => {
            let folder = open(global).await?;
            let agent = folder.agent(name).await?;
            return forget_agent(&folder, &agent, *yes, global.json).await;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(folder: &Folder, json: bool) -> Result<()> {
    let agents = folder.catalog.agents().await?;
    if json {
        print_json(&agents.iter().map(Agent::name).collect::<Vec<_>>());
    } else {
        agents.iter().for_each(|agent| say!("{agent}"));
    }
    Ok(())
}

async fn set(folder: &Folder, agent: &Agent, change: &cli::ChangeAgent, json: bool) -> Result<()> {
    let change = SettingsChange {
        time_zone: change.time_zone.clone(),
        language: change.language.clone(),
        plan: change.plan.clone(),
        engine: change.engine,
        daily_tokens: change.daily_tokens,
        mask: change.mask,
        ..SettingsChange::default()
    };
    show(&folder.change_settings(agent, change, folder.now).await?, json);
    Ok(())
}

fn show(settings: &SettingsView, json: bool) {
    if json {
        return print_json(settings);
    }
    say!("{BOLD}{}{BOLD:#}", settings.agent);
    for zone in &settings.time_zones {
        let from = zone.from.as_ref().map(|from| format!(" {DIM}from {from}{DIM:#}")).unwrap_or_default();
        say!("  time zone  {}{from}", zone.time_zone);
    }
    say!("  language   {}", settings.language);
    let engine = match settings.engine {
        EngineChoice::Auto => "auto",
        EngineChoice::Extractive => "extractive",
    };
    let mask = if settings.mask { "credentials are masked" } else { "credentials are stored as they are" };
    say!("  plan       {}\n  engine     {engine}\n  mask       {mask}", settings.plan);
    if let Some(tokens) = settings.daily_tokens {
        say!("  budget     {} tokens a day", count(tokens));
    }
    if !settings.prompts.is_empty() {
        say!("  prompts    {}", settings.prompts.keys().cloned().collect::<Vec<_>>().join(", "));
    }
}
