//! `annals retain`: prunes memories that are past their plan and covered by a summary. With `--dry-run` or another plan in
//! `--plan` it only shows what would be pruned.

use std::collections::BTreeMap;
use std::process::ExitCode;

use annals_core::{Grain, Result};
use annals_service::calls;
use annals_service::wire::{RetainAnswer, RetainRequest};

use super::plans;
use crate::cli::Retain;
use crate::run_or_hand_over::Client;
use crate::view::{WARN, count, plural, print_json, say};

pub(crate) async fn run(client: &Client, args: &Retain, json: bool) -> Result<ExitCode> {
    let retain = |dry_run: bool| calls::Retain {
        agent: args.agent.clone(),
        request: RetainRequest { plan: args.plan.clone(), dry_run, trust_clock: args.trust_clock },
    };
    let dry = args.dry_run || args.plan.is_some();
    if json {
        let answer = client.call(retain(dry)).await?;
        print_json(&answer);
        return Ok(if dry || answer.clock_confirmed { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    // Shows what will be pruned before pruning it.
    let planned = client.call(retain(true)).await?;
    if let Some(doubt) = planned.clock_doubt.as_ref().filter(|_| !dry) {
        say!("{WARN}{doubt}{WARN:#}");
        say!("{WARN}Run `annals retain` again then, or prune now with --trust-clock.{WARN:#}");
    }
    for answer in &planned.agents {
        say!("{}: the plan {} {}.", answer.agent, answer.plan, plans::keeps_of(client, &answer.plan).await?);
        if dry || memories(answer) > 0 {
            print(answer);
        }
    }
    if dry {
        return Ok(ExitCode::SUCCESS);
    }
    let answer = client.call(retain(false)).await?;
    answer.agents.iter().for_each(print);
    Ok(if answer.clock_confirmed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn memories(answer: &RetainAnswer) -> u64 {
    answer.grains.values().map(|totals| totals.memories).sum()
}

fn print(answer: &RetainAnswer) {
    let bytes = answer.grains.values().map(|totals| totals.bytes).sum();
    let verb = if answer.pruned { "pruned" } else { "would be pruned" };
    say!("{}: {} {verb}, {} bytes of text", answer.agent, plural(memories(answer), "memory"), count(bytes));
    for grain in Grain::ALL {
        if let Some(totals) = answer.grains.get(grain.as_str()).filter(|totals| totals.memories > 0) {
            say!("  {grain}: {} from {}", plural(totals.memories, "memory"), plural(totals.sets, "period"));
        }
    }
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    answer.kept.iter().for_each(|kept| *reasons.entry(&kept.why).or_default() += 1);
    for (why, number) in reasons {
        say!("  {WARN}{} past the plan, kept: {why}{WARN:#}", plural(number, "set"));
    }
}
