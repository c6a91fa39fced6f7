//! `annals agent`: the agents and their settings.

use std::process::ExitCode;

use annals_core::ports::Target;
use annals_core::{Agent, EngineChoice, Grain, Result, Settings};
use serde_json::{Value, json};

use super::forget::forget;
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
            show(&agent, &folder.catalog.settings(&agent).await?, global.json);
        }
        cli::Agent::Set { name, change } => {
            let folder = open_or_make(global).await?;
            set(&folder, &Agent::new(name)?, change, global.json).await?;
        }
        cli::Agent::Delete { name, yes } => {
            let folder = open(global).await?;
            let agent = folder.agent(name).await?;
            return forget(&folder, &agent, &Target::Agent, *yes, global.json).await;
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
    let mut settings = folder.catalog.settings(agent).await?;
    let has_memories = folder.catalog.counts(agent).await?.memories.iter().any(|number| *number > 0);
    if let Some(zone) = &change.time_zone {
        settings.set_time_zone(zone, has_memories, folder.now)?;
    }
    let stems = settings.language.clone();
    if let Some(language) = &change.language {
        settings.set_language(language)?;
    }
    if let Some(plan) = &change.plan {
        folder.plans.get(plan)?;
        settings.plan.clone_from(plan);
    }
    settings.engine = change.engine.unwrap_or(settings.engine);
    settings.daily_tokens = change.daily_tokens.map_or(settings.daily_tokens, |tokens| Some(tokens).filter(|n| *n > 0));
    settings.mask = change.mask.unwrap_or(settings.mask);
    folder.catalog.save_settings(agent, &settings).await?;
    if settings.language != stems && has_memories {
        // Stored stems are of the former language: searches would miss them.
        for grain in Grain::ALL {
            folder.writer.rebuild(agent, grain, folder.now, &|_| ()).await?;
        }
    }
    show(agent, &settings, json);
    Ok(())
}

fn show(agent: &Agent, settings: &Settings, json: bool) {
    if json {
        let mut value = json!(settings);
        value["agent"] = Value::from(agent.name());
        return print_json(&value);
    }
    say!("{BOLD}{agent}{BOLD:#}\n  time zone  {}\n  language   {}", settings.time_zone, settings.language);
    for (from, zone) in &settings.later_zones {
        say!("  time zone  {zone} {DIM}from {from:.0}{DIM:#}");
    }
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
