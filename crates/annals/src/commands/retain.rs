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
    let dry_run = args.dry_run || args.plan.is_some();
    let request = RetainRequest { plan: args.plan.clone(), dry_run, trust_clock: args.trust_clock };
    let answer = client.call(calls::Retain { agent: args.agent.clone(), request }).await?;
    let held = !dry_run && !answer.clock_confirmed && answer.agents.iter().any(|answer| memories(answer) > 0);
    if json {
        print_json(&answer);
    } else {
        if let Some(doubt) = answer.clock_doubt.as_ref().filter(|_| held) {
            say!("{WARN}{doubt}{WARN:#}");
            say!("{WARN}Run `annals retain` again then, or prune now with --trust-clock.{WARN:#}");
        }
        for answer in &answer.agents {
            say!("{}: the plan {} {}.", answer.agent, answer.plan, plans::keeps_of(client, &answer.plan).await?);
            print(answer);
        }
    }
    Ok(if held { ExitCode::FAILURE } else { ExitCode::SUCCESS })
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
