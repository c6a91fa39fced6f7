//! `annals retain`: prunes memories that are past their plan and covered by a summary, or shows what would be pruned.

use annals_service::locks::History;
use std::process::ExitCode;

use annals_core::{Agent, Grain, Result, Timestamp};
use annals_retention::{Doubt, Held, Hold, Totals, Trust};
use serde_json::{Map, Value, json};

use super::plans::keeps;
use crate::cli::Retain;
use crate::folder::{Folder, clock_is_synchronised};
use crate::view::{WARN, count, plural, print_json, say};

pub async fn run(folder: &Folder, args: &Retain, json: bool) -> Result<ExitCode> {
    let dry = args.dry_run || args.plan.is_some();
    let clock = folder.retention.look_at_clock(folder.now, clock_is_synchronised()).await?;
    let trust = clock.trust(None);
    let confirmed = args.trust_clock || trust.prunes();
    if !(dry || confirmed || json) {
        say!("{WARN}{}{WARN:#}", why_not(trust, clock.steady_from));
        say!("{WARN}Run `annals retain` again then, or prune now with --trust-clock.{WARN:#}");
    }
    let mut answers = Vec::new();
    for agent in folder.agents(args.agent.as_deref()).await? {
        let planned = look(folder, &agent, args).await?;
        if !json {
            say!("{agent}: the plan {} {}.", planned.plan, keeps(folder.plans.get(&planned.plan)?));
        }
        // Shows what will be pruned before pruning it.
        if !(json || dry) && planned.rows() > 0 {
            planned.print(&agent);
        }
        let outcome = if dry { planned } else { prune(folder, &agent, confirmed).await? };
        if !json {
            outcome.print(&agent);
        }
        answers.push(outcome.view(&agent));
    }
    if json {
        print_json(&json!({ "clock_confirmed": confirmed, "agents": answers }));
    }
    Ok(if dry || confirmed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn why_not(trust: Trust, steady_from: Timestamp) -> String {
    match trust.doubt() {
        Some(Doubt::Unsynchronised) => "Nothing is pruned until the clock is synchronised.".into(),
        Some(Doubt::Behind) => format!("The clock went back: nothing is pruned until {steady_from:.0}."),
        None => format!("The clock jumped or was not watched before: nothing is pruned until {steady_from:.0}."),
    }
}

/// What was pruned, or would be.
struct Outcome {
    plan: String,
    pruned: bool,
    grains: [Totals; 6],
    held: Vec<Held>,
}

async fn look(folder: &Folder, agent: &Agent, args: &Retain) -> Result<Outcome> {
    let plan = match &args.plan {
        Some(plan) => plan.clone(),
        None => folder.store.settings(agent).await?.plan,
    };
    let due = folder.retention.compare(agent, folder.plans.get(&plan)?, folder.now).await?;
    Ok(Outcome { plan, pruned: false, grains: due.totals(), held: due.held })
}

async fn prune(folder: &Folder, agent: &Agent, confirmed: bool) -> Result<Outcome> {
    let history = folder.locks().lock::<History>(agent).await;
    let plan = folder.store.settings(agent).await?.plan;
    let done = folder.retention.prune(agent, folder.now, confirmed).await?;
    drop(history);
    folder.make_searchable(agent, &|_| ()).await?;
    let grains = if confirmed { done.pruned } else { done.postponed };
    Ok(Outcome { plan, pruned: confirmed, grains, held: done.held })
}

impl Outcome {
    fn rows(&self) -> u64 {
        self.grains.iter().map(|totals| totals.rows).sum()
    }

    fn print(&self, agent: &Agent) {
        let rows = self.rows();
        let bytes = self.grains.iter().map(|totals| totals.bytes).sum();
        let verb = if self.pruned { "pruned" } else { "would be pruned" };
        say!("{agent}: {} {verb}, {} bytes of text", plural(rows, "memory"), count(bytes));
        for (grain, totals) in Grain::ALL.iter().zip(&self.grains).filter(|(_, totals)| totals.rows > 0) {
            say!("  {grain}: {} from {}", plural(totals.rows, "memory"), plural(totals.sets, "period"));
        }
        for (hold, number) in self.reasons() {
            say!("  {WARN}{} past the plan, kept: {}{WARN:#}", plural(number, "set"), in_words(hold));
        }
    }

    fn reasons(&self) -> Vec<(Hold, u64)> {
        let mut reasons = std::collections::BTreeMap::new();
        self.held.iter().for_each(|held| *reasons.entry(held.hold).or_default() += 1);
        reasons.into_iter().collect()
    }

    fn view(&self, agent: &Agent) -> Value {
        let grains: Map<String, Value> =
            Grain::ALL.iter().zip(&self.grains).map(|(grain, totals)| (grain.to_string(), of_grain(totals))).collect();
        let kept = self.held.iter().map(|held| {
            json!({ "period": held.children.parent.to_string(), "memories": held.children.rows, "why": in_words(held.hold) })
        });
        let kept: Vec<Value> = kept.collect();
        json!({ "agent": agent.name(), "plan": self.plan, "pruned": self.pruned, "grains": grains, "kept": kept })
    }
}

fn of_grain(totals: &Totals) -> Value {
    json!({ "sets": totals.sets, "memories": totals.rows, "bytes": totals.bytes })
}

fn in_words(hold: Hold) -> &'static str {
    match hold {
        Hold::Pinned => "something in it is pinned",
        Hold::Uncovered => "no summary covers all of it yet; `annals rollup` writes it",
        Hold::Degraded => "its summary was written by the built-in engine, and the model still has to rewrite it",
        Hold::Unread => "facts were not extracted from it yet; `annals rollup` extracts them",
        Hold::Finer => "memories of a finer grain below it are still kept",
    }
}
