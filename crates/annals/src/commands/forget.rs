//! `annals forget` and `annals agent delete`: what goes is said first, done with --yes, and proved afterwards.

mod proof;

use std::process::ExitCode;

use annals_core::ports::{Reach, Target};
use annals_core::{Agent, MemoryId, Query, Result};
use serde_json::{Value, json};

use super::rollup;
use super::timeline::interval;
use crate::cli::Forget;
use crate::folder::Folder;
use crate::view::{BOLD, DIM, WARN, plural, print_json, say};

pub async fn run(folder: &Folder, args: &Forget, json: bool) -> Result<ExitCode> {
    let agent = folder.agent(&args.agent).await?;
    let target = target(folder, &agent, args).await?;
    forget(folder, &agent, &target, args.yes, json).await
}

async fn target(folder: &Folder, agent: &Agent, args: &Forget) -> Result<Target> {
    if let Some(conversation) = &args.conversation {
        return Ok(Target::Conversation(conversation.clone()));
    }
    if let Some(subject) = &args.subject {
        return Ok(Target::Subject(subject.clone()));
    }
    if !args.ids.is_empty() {
        return Ok(Target::Memories(args.ids.iter().map(MemoryId::from_text).collect()));
    }
    let query = Query { from: args.range.from, to: args.range.to, ..Query::default() };
    let zones = folder.catalog.settings(agent).await?.zones()?;
    annals_search::resolve(&query, &zones, folder.now)?;
    Ok(Target::Range(interval(&args.range, &zones)))
}

/// Says what would go, or makes it go everywhere and proves it.
pub async fn forget(folder: &Folder, agent: &Agent, target: &Target, really: bool, json: bool) -> Result<ExitCode> {
    if !really {
        let reach = folder.eraser.reach(agent, target).await?;
        show(agent, &reach, None, json);
        return Ok(ExitCode::SUCCESS);
    }
    let planned = folder.eraser.reach(agent, target).await?;
    let told = proof::told(folder, agent, &[planned.cut, planned.lost].concat()).await?;
    let mut reach = folder.eraser.erase(agent, target, folder.now).await?;
    if *target != Target::Agent {
        rollup::roll_up(folder, agent, false, json).await?;
    }
    reach.words.extend(proof::gone(folder, agent, told).await?);
    folder.eraser.clean(agent, folder.now).await?;
    let proof = proof::prove(folder, agent, &reach.words).await?;
    show(agent, &reach, Some(&proof), json);
    Ok(if proof.places.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(agent: &Agent, reach: &Reach, proof: Option<&proof::Proof>, json: bool) {
    if json {
        return print_json(&view(agent, reach, proof));
    }
    let would = if proof.is_some() { "went" } else { "would go" };
    say!("{BOLD}{agent}{BOLD:#}: what {would}");
    let counts = [
        (reach.turns.len(), "turn"),
        (reach.statements.len(), "statement"),
        (reach.operations.len(), "fact operation"),
        (reach.letters as usize, "dead letter"),
    ];
    for (count, word) in counts.into_iter().filter(|(count, _)| *count > 0) {
        say!("  {}", plural(count as u64, word));
    }
    for (periods, words) in [
        (&reach.rebuilt, "written again from what is left"),
        (&reach.cut, "sealed, without the sentences that came from it"),
    ] {
        if !periods.is_empty() {
            let labels: Vec<String> = periods.iter().map(ToString::to_string).collect();
            say!("  {} {words}: {DIM}{}{DIM:#}", plural(periods.len() as u64, "summary"), labels.join(" "));
        }
    }
    if !reach.lost.is_empty() {
        let labels: Vec<String> = reach.lost.iter().map(ToString::to_string).collect();
        say!(
            "  {WARN}{} cannot be cut and goes altogether: {}{WARN:#}",
            plural(reach.lost.len() as u64, "sealed summary"),
            labels.join(" ")
        );
    }
    match proof {
        None => say!("Nothing was changed. --yes does it; it cannot be taken back."),
        Some(proof) => proof.print(),
    }
}

fn view(agent: &Agent, reach: &Reach, proof: Option<&proof::Proof>) -> Value {
    let labels = |periods: &[annals_core::Period]| periods.iter().map(ToString::to_string).collect::<Vec<_>>();
    json!({
        "agent": agent.name(), "done": proof.is_some(), "turns": reach.turns, "statements": reach.statements,
        "operations": reach.operations, "dead_letters": reach.letters, "rebuilt": labels(&reach.rebuilt),
        "cut": labels(&reach.cut), "lost": labels(&reach.lost), "proof": proof.map(proof::Proof::view),
    })
}
