//! `annals forget` and `annals agent delete`: shows what would be removed, carries it out with `--yes`, and prints the proof.

use std::process::ExitCode;

use annals_core::{Result, Zones};
use annals_service::calls;
use annals_service::wire::{ForgetAnswer, ForgetReport, ForgetRequest, MemoryView, ProofView};

use crate::catalog;
use crate::cli::Forget;
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, WARN, count, dates, plural, print_json, say};

/// Maximum number of characters shown of a memory.
const SAMPLE: usize = 70;

pub(crate) async fn run(client: &Client, args: &Forget, json: bool) -> Result<ExitCode> {
    let request = ForgetRequest {
        ids: args.ids.clone(),
        conversation: args.conversation.clone(),
        subject: args.subject.clone(),
        from: args.range.from,
        to: args.range.to,
        dry_run: !args.yes,
    };
    let report = client.call(calls::Forget { agent: args.agent.clone(), request }).await?;
    finish(client, &report, Scope::Part, json).await
}

/// How much of an agent is forgotten.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Part,
    Agent,
}

/// Prints what was or would be forgotten. Returns a failing exit code if the proof found leftovers.
pub(crate) async fn finish(client: &Client, report: &ForgetReport, scope: Scope, json: bool) -> Result<ExitCode> {
    let ForgetReport { answer, samples } = report;
    if json {
        print_json(answer);
    } else if answer.reaches_nothing() {
        let agent = &answer.agent;
        match (scope, answer.done) {
            (Scope::Agent, true) => say!("{agent} had no memories, and is deleted."),
            (Scope::Agent, false) => say!("{agent} has no memories. With --yes it is deleted."),
            (Scope::Part, true) => say!("Nothing matched, so nothing was forgotten."),
            (Scope::Part, false) => say!("Nothing matches, so nothing would be forgotten."),
        }
        print_limits(answer);
    } else {
        // An agent that was forgotten has no time zones any more.
        let zones = if samples.is_empty() { Zones::new("UTC")? } else { client.zones(&answer.agent).await? };
        print(answer, scope, &samples.iter().map(|memory| sample(memory, &zones)).collect::<Vec<_>>());
        if answer.done && catalog::is_in_database(client.data()) {
            say!("PostgreSQL's write-ahead log, standbys and backups keep the words until they are removed there.");
        }
    }
    let clean = answer.proof.as_ref().is_none_or(|proof| proof.clean);
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the date and the beginning of a memory that would be removed, to help the user decide.
fn sample(memory: &MemoryView, zones: &Zones) -> String {
    let speaker = memory.speaker.as_ref().map(|speaker| format!("{speaker}: ")).unwrap_or_default();
    let text = format!("{speaker}{}", memory.text.split_whitespace().collect::<Vec<_>>().join(" "));
    let first: String = text.chars().take(SAMPLE).collect();
    let more = if first.len() < text.len() { "…" } else { "" };
    format!("{} {DIM}{first}{more}{DIM:#}", dates(memory, zones))
}

fn print(answer: &ForgetAnswer, scope: Scope, samples: &[String]) {
    let would = if answer.done { "was forgotten" } else { "would be forgotten" };
    say!("{BOLD}{}{BOLD:#}: what {would}", answer.agent);
    let counts = [
        (answer.turns.len() as u64, "turn"),
        (answer.pruned.len() as u64, "pruned turn"),
        (answer.statements.len() as u64, "statement"),
        (answer.former_texts.len() as u64, "former text"),
        (answer.operations.len() as u64, "fact operation"),
        (answer.dead_letters, "dead letter"),
        (answer.blocks.len() as u64, "block"),
        (answer.documents.len() as u64, "document"),
    ];
    for (count, word) in counts.into_iter().filter(|(count, _)| *count > 0) {
        say!("  {}", plural(count, word));
    }
    samples.iter().for_each(|sample| say!("    {sample}"));
    let of = answer.turns.len() + answer.statements.len();
    if !samples.is_empty() && of > samples.len() {
        say!("    {DIM}… and {} more{DIM:#}", count((of - samples.len()) as u64));
    }
    for (periods, words) in [
        (&answer.rebuilt, "rewritten from what is left"),
        (&answer.cut, "sealed: the sentences that came from it are removed"),
    ] {
        if !periods.is_empty() {
            say!("  {} {words}: {DIM}{}{DIM:#}", plural(periods.len() as u64, "summary"), periods.join(" "));
        }
    }
    if let Some(reason) = &answer.not_rewritten {
        say!("  {WARN}These summaries are not written yet: {reason}. `annals rollup` writes them.{WARN:#}");
    }
    if !answer.lost.is_empty() && scope == Scope::Agent {
        say!("  {}", plural(answer.lost.len() as u64, "summary"));
    } else if !answer.lost.is_empty() {
        let summaries = plural(answer.lost.len() as u64, "sealed summary");
        say!(
            "  {WARN}{summaries} removed completely, because nothing else was in them or their text is reworded, so that sentences cannot be told apart: {}{WARN:#}",
            answer.lost.join(" ")
        );
    }
    print_limits(answer);
    match &answer.proof {
        None => say!("Nothing was changed. Use --yes to forget this; it cannot be undone."),
        Some(proof) => print_proof(proof),
    }
}

/// Prints what forgetting cannot reach or cannot determine.
fn print_limits(answer: &ForgetAnswer) {
    if answer.unresolved > 0 {
        let turns = plural(answer.unresolved, "pruned turn");
        say!("  {WARN}It is unknown whether {turns} belong to it: only their ids are left.{WARN:#}");
    }
    if !answer.unresolved_in.is_empty() {
        say!(
            "  {WARN}These sealed summaries may still contain text from it: {}{WARN:#}",
            answer.unresolved_in.join(" ")
        );
    }
    if answer.unread > 0 {
        let turns = plural(answer.unread, "pruned turn");
        say!(
            "  {DIM}{turns} not removed: their text was pruned before, and nothing that is left of them names it.{DIM:#}"
        );
    }
    if !answer.unfollowed.is_empty() {
        let names = answer.unfollowed.join(", ");
        say!("  {WARN}Not forgotten, although these names may mean the same: {names}{WARN:#}");
        say!("    To forget one of them too: annals forget --agent {} --subject NAME", answer.agent);
    }
    for part in &answer.partly_named {
        let (memories, name) = (plural(part.memories as u64, "memory"), &part.name);
        let more = if part.memories > part.ids.len() { ", …" } else { "" };
        say!(
            "  {WARN}Not forgotten: {memories} with only {name:?} in it, a part of the name: {}{more}{WARN:#}",
            part.ids.join(", ")
        );
        say!("    To forget what names {name:?} too: annals forget --agent {} --subject {name:?}", answer.agent);
    }
    if !answer.prompts.is_empty() {
        let prompts = answer.prompts.join(", ");
        say!("  {WARN}Your own prompts name it, and stay. Edit them with `annals prompt set`: {prompts}{WARN:#}");
    }
}

fn print_proof(proof: &ProofView) {
    let sentences = plural(proof.sentences as u64, "sentence");
    let searched = format!("{}, {} bytes", plural(proof.files, "file"), count(proof.bytes));
    if proof.clean {
        say!("Proof: {sentences} searched for in every decoded table and in {searched}: none found.");
        say!("Backups and copies outside this folder are not changed.");
        return;
    }
    say!("{WARN}Not everything was removed. Of {sentences}, some are still in:{WARN:#}");
    proof.still_in.iter().for_each(|location| say!("  {WARN}{location}{WARN:#}"));
}
