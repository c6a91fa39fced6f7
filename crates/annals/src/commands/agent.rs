//! `annals agent`: lists, creates, renames and deletes agents, shows and changes their settings.

use std::process::ExitCode;

use annals_core::{EngineChoice, Grain, Result};
use annals_service::calls::{ChangeSettings, CreateAgent, DeleteAgent, GetSettings, ListAgents, RenameAgent};
use annals_service::wire::{PastPlanView, SettingsChange, SettingsView};

use super::{forget, plans};
use crate::cli::{self, Global};
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, WARN, count, plural, print_json, say};

pub(crate) async fn run(global: &Global, args: &cli::Agent) -> Result<ExitCode> {
    let client = match args {
        cli::Agent::Create { .. } => Client::open_or_create(global).await?,
        _ => Client::open(global).await?,
    };
    let settings = match args {
        cli::Agent::List => return list(&client, global.json).await,
        cli::Agent::Show { name } => client.call(GetSettings { agent: name.clone() }).await?,
        cli::Agent::Create { name, change } => {
            client.call(CreateAgent { agent: name.clone(), settings: change_of(change) }).await?
        }
        cli::Agent::Set { name, change } => {
            client.call(ChangeSettings { agent: name.clone(), change: change_of(change) }).await?
        }
        cli::Agent::Rename { name, new_name } => {
            client.call(RenameAgent { agent: name.clone(), name: new_name.clone() }).await?
        }
        cli::Agent::Delete { name, yes } => {
            let report = client.call(DeleteAgent { agent: name.clone(), dry_run: !yes }).await?;
            return forget::finish(&client, &report, forget::Scope::Agent, global.json).await;
        }
    };
    if global.json {
        print_json(&settings);
    } else {
        show(&client, &settings).await?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client, json: bool) -> Result<ExitCode> {
    let answer = client.call(ListAgents {}).await?;
    if json {
        print_json(&answer);
    } else {
        answer.agents.iter().for_each(|agent| say!("{agent}"));
    }
    Ok(ExitCode::SUCCESS)
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

async fn show(client: &Client, settings: &SettingsView) -> Result<()> {
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
    let plan = plans::keeps_of(client, &settings.plan).await?;
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
    Ok(())
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
            "{WARN}A running service removes them within an hour, or `annals retain`; `annals retain --dry-run` lists them.{WARN:#}"
        );
    }
    if past.held > 0 {
        say!("{DIM}Past this plan but kept for now, because pinned or not in a summary yet: {held}.{DIM:#}");
    }
}
