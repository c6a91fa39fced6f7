//! `annals retain`: prunes memories that are past their plan and covered by a summary, or shows what would be pruned.

use std::collections::BTreeMap;
use std::process::ExitCode;

use annals_core::{Grain, Result, Timestamp};
use annals_retention::{Doubt, Trust};
use annals_service::wire::RetainAnswer;
use serde_json::json;

use super::plans::keeps;
use crate::cli::Retain;
use crate::folder::{Folder, clock_is_synchronised};
use crate::view::{WARN, count, plural, print_json, say};

pub async fn run(folder: &Folder, args: &Retain, json: bool) -> Result<ExitCode> {
    let (service, now) = (folder.service(), folder.now());
    let dry = args.dry_run || args.plan.is_some();
    let clock = service.look_at_clock(now, clock_is_synchronised()).await?;
    let trust = clock.trust(None);
    let confirmed = args.trust_clock || trust.prunes();
    if !(dry || confirmed || json) {
        say!("{WARN}{}{WARN:#}", why_not(trust, clock.steady_from));
        say!("{WARN}Run `annals retain` again then, or prune now with --trust-clock.{WARN:#}");
    }
    let mut answers = Vec::new();
    for agent in folder.agents(args.agent.as_deref()).await? {
        let planned = service.plan_retention(&agent, args.plan.as_deref(), now).await?;
        if !json {
            say!("{agent}: the plan {} {}.", planned.plan, keeps(&service.plan(&planned.plan)?));
        }
        // Shows what will be pruned before pruning it.
        if !(json || dry) && memories(&planned) > 0 {
            print(&planned);
        }
        let answer = if dry { planned } else { service.retain(&agent, confirmed, now).await? };
        if !json {
            print(&answer);
        }
        answers.push(answer);
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
