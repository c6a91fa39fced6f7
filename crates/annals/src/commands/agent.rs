//! `annals agent`: lists, creates and deletes agents, shows and changes their settings.

use std::process::ExitCode;

use annals_core::{Agent, EngineChoice, Grain, Result};
use annals_service::wire::{PastPlanView, SettingsChange, SettingsView};

use super::forget::forget_agent;
use super::plans::keeps;
use super::{open, open_or_make};
use crate::cli::{self, Global};
use crate::folder::Folder;
use crate::view::{BOLD, DIM, WARN, count, plural, print_json, say};

pub async fn run(global: &Global, args: &cli::Agent) -> Result<ExitCode> {
    match args {
        cli::Agent::List => list(&open(global).await?, global.json).await?,
        cli::Agent::Show { name } => {
            let folder = open(global).await?;
            let agent = folder.agent(name).await?;
            show(&folder, &folder.settings(&agent).await?, global.json);
        }
        cli::Agent::Create { name, change } => {
            let folder = open_or_make(global).await?;
            let settings = folder.create_agent(&Agent::new(name)?, change_of(change), folder.now).await?;
            show(&folder, &settings, global.json);
        }
        cli::Agent::Set { name, change } => {
            let folder = open(global).await?;
            let agent = folder.agent(name).await?;
            let settings = folder.change_settings(&agent, change_of(change), folder.now).await?;
            show(&folder, &settings, global.json);
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
    let agents = folder.store.all_agents().await?;
    if json {
        print_json(&agents.iter().map(Agent::name).collect::<Vec<_>>());
    } else {
        agents.iter().for_each(|agent| say!("{agent}"));
    }
    Ok(())
}

fn change_of(change: &cli::ChangeAgent) -> SettingsChange {
    SettingsChange {
        time_zone: change.time_zone.clone(),
        language: change.language.clone(),
        plan: change.plan.clone(),
        engine: change.engine,
        daily_tokens: change.daily_tokens,
        mask: change.mask,
        ..SettingsChange::default()
    }
}

fn show(folder: &Folder, settings: &SettingsView, json: bool) {
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
    let plan = folder.plans.get(&settings.plan).map(keeps).unwrap_or_default();
    say!("  plan       {} {DIM}{plan}{DIM:#}\n  engine     {engine}\n  mask       {mask}", settings.plan);
    if let Some(tokens) = settings.daily_tokens {
        say!("  budget     {} tokens a day", count(tokens));
    }
    if !settings.prompts.is_empty() {
        say!("  prompts    {}", settings.prompts.keys().cloned().collect::<Vec<_>>().join(", "));
    }
    if let Some(past) = &settings.past_plan {
        warn_of(past);
    }
}

/// Warns of the memories that a new plan will remove, before any of them is removed.
fn warn_of(past: &PastPlanView) {
    let held = plural(past.held, "memory");
    if past.memories > 0 {
        let grains: Vec<String> = Grain::ALL
            .iter()
            .filter_map(|grain| Some(format!("{} {grain}", count(*past.grains.get(grain.as_str())?))))
            .collect();
        let memories = plural(past.memories, "memory");
        say!("{WARN}{memories} are past this plan and will be removed: {}.{WARN:#}", grains.join(", "));
        say!(
            "{WARN}A running service removes them within an hour, `annals retain` removes them now, `annals retain --dry-run` lists them.{WARN:#}"
        );
    }
    if past.held > 0 {
        say!("{DIM}Past this plan but kept for now, because pinned or not in a summary yet: {held}.{DIM:#}");
    }
}
