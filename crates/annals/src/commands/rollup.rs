//! `annals rollup`: writes the summaries that are due, from days to years, and makes them searchable.

use std::process::ExitCode;

use annals_core::{Agent, Grain, Result};
use serde_json::{Value, json};

use super::extract;
use crate::cli::Rollup;
use crate::folder::Folder;
use crate::progress;
use crate::view::{DIM, WARN, count, plural, print_json, say};
use annals_summarizer::{Passed, Plan};
use annals_writer::ExtractionPassed;

pub async fn run(folder: &Folder, args: &Rollup, json: bool) -> Result<ExitCode> {
    let mut failed = false;
    let mut answers = Vec::new();
    for agent in folder.agents(args.agent.as_deref()).await? {
        if args.dry_run {
            let plan = folder.summarizer.plan(&agent, args.refresh, folder.now).await?;
            answers.push(show_plan(&agent, &plan, json));
            continue;
        }
        let read = extract::extract(folder, &agent, json).await?;
        let passed = roll_up(folder, &agent, args.refresh, json).await?;
        failed |= !passed.failed.is_empty();
        answers.push(show_passed(&agent, &passed, &read, json));
    }
    if json {
        print_json(&answers);
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Rolls up one agent and updates the tables of its summaries.
pub async fn roll_up(folder: &Folder, agent: &Agent, refresh: bool, json: bool) -> Result<Passed> {
    let due = folder.summarizer.plan(agent, refresh, folder.now).await?.periods.len() as u64;
    let bar = progress::bar(due, "summarizing", json);
    let advance = |periods| bar.inc(periods);
    let passed = folder.write_summaries(agent, refresh, folder.now, &advance).await?;
    bar.finish_and_clear();
    let bar = progress::bar(folder.writer.backlog(agent).await?, "embedding", json);
    folder.make_searchable(agent, &|changes| bar.inc(changes)).await?;
    bar.finish_and_clear();
    Ok(passed)
}

fn show_passed(agent: &Agent, passed: &Passed, read: &ExtractionPassed, json: bool) -> Value {
    let failed: Vec<Value> =
        passed.failed.iter().map(|(period, error)| json!({ "period": period.to_string(), "error": error })).collect();
    if !json {
        extract::print(agent, read);
        say!("{agent}: {}", in_words(&passed.written));
        if passed.degraded > 0 {
            let summaries = plural(passed.degraded, "summary");
            say!(
                "  {WARN}{summaries} written by the built-in engine, because the model failed; it is retried later{WARN:#}"
            );
        }
        if let Some(reason) = &passed.outage {
            let periods = plural(passed.waiting.len() as u64, "period");
            say!("  {WARN}{periods} waiting: {reason}{WARN:#}");
        }
        for (period, error) in &passed.failed {
            say!("  {WARN}{period} failed: {error}{WARN:#}");
        }
    }
    json!({
        "agent": agent.name(), "written": by_grain(&passed.written), "unchanged": passed.unchanged,
        "removed": passed.removed, "degraded": passed.degraded, "failed": failed, "outage": passed.outage,
        "waiting": passed.waiting.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "extraction": {
            "turns": read.turns, "operations": read.operations, "statements": read.statements,
            "rejected": read.rejected, "degraded": read.degraded, "waiting": read.waiting,
        },
    })
}

fn show_plan(agent: &Agent, plan: &Plan, json: bool) -> Value {
    let periods: Vec<String> = plan.periods.iter().map(ToString::to_string).collect();
    if !json {
        let words = plural(plan.words, "word");
        say!("{agent}: {} would be read, {words}", plural(periods.len() as u64, "period"));
        say!("  {DIM}{}{DIM:#}", periods.join(" "));
    }
    json!({ "agent": agent.name(), "periods": periods, "words": plan.words })
}

/// Returns numbers per grain as a JSON object with grain names as keys.
pub fn by_grain(numbers: &[u64]) -> Value {
    let entries = Grain::SUMMARIES.iter().zip(numbers).map(|(grain, number)| (grain.to_string(), json!(number)));
    Value::Object(entries.collect())
}

fn in_words(written: &[u64; 5]) -> String {
    if written.iter().all(|number| *number == 0) {
        return "nothing was due".into();
    }
    let parts = Grain::SUMMARIES.iter().zip(written).filter(|(_, number)| **number > 0);
    let parts: Vec<String> = parts.map(|(grain, number)| format!("{} {grain}", count(*number))).collect();
    format!("wrote {}", parts.join(", "))
}
