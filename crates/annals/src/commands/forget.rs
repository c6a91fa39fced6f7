//! `annals forget` and `annals agent delete`: what goes is said first, done with --yes, and proved afterwards.

use std::process::ExitCode;

use annals_core::ports::Target;
use annals_core::{Agent, Result};
use annals_server::wire::{ForgetAnswer, ForgetRequest, ProofView};

use crate::cli::Forget;
use crate::folder::Folder;
use crate::view::{BOLD, DIM, WARN, count, plural, print_json, say};

pub async fn run(folder: &Folder, args: &Forget, json: bool) -> Result<ExitCode> {
    let agent = folder.agent(&args.agent).await?;
    let request = ForgetRequest {
        ids: args.ids.clone(),
        conversation: args.conversation.clone(),
        subject: args.subject.clone(),
        from: args.range.from,
        to: args.range.to,
        dry_run: !args.yes,
    };
    Ok(show(&folder.forget(&agent, request, folder.now).await?, json))
}

/// The same for an agent altogether.
pub async fn forget_agent(folder: &Folder, agent: &Agent, really: bool, json: bool) -> Result<ExitCode> {
    Ok(show(&folder.forget_target(agent, &Target::Agent, !really, folder.now).await?, json))
}

fn show(answer: &ForgetAnswer, json: bool) -> ExitCode {
    if json {
        print_json(answer);
    } else {
        print(answer);
    }
    let clean = answer.proof.as_ref().is_none_or(|proof| proof.clean);
    if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print(answer: &ForgetAnswer) {
    let would = if answer.done { "went" } else { "would go" };
    say!("{BOLD}{}{BOLD:#}: what {would}", answer.agent);
    let counts = [
        (answer.turns.len() as u64, "turn"),
        (answer.pruned.len() as u64, "pruned turn"),
        (answer.statements.len() as u64, "statement"),
        (answer.operations.len() as u64, "fact operation"),
        (answer.dead_letters, "dead letter"),
        (answer.blocks.len() as u64, "block"),
    ];
    for (count, word) in counts.into_iter().filter(|(count, _)| *count > 0) {
        say!("  {}", plural(count, word));
    }
    for (periods, words) in [
        (&answer.rebuilt, "written again from what is left"),
        (&answer.cut, "sealed, without the sentences that came from it"),
    ] {
        if !periods.is_empty() {
            say!("  {} {words}: {DIM}{}{DIM:#}", plural(periods.len() as u64, "summary"), periods.join(" "));
        }
    }
    if !answer.lost.is_empty() {
        let summaries = plural(answer.lost.len() as u64, "sealed summary");
        say!("  {WARN}{summaries} cannot be cut and goes altogether: {}{WARN:#}", answer.lost.join(" "));
    }
    print_limits(answer);
    match &answer.proof {
        None => say!("Nothing was changed. --yes does it; it cannot be taken back."),
        Some(proof) => print_proof(proof),
    }
}

/// What forgetting cannot reach, or cannot know.
fn print_limits(answer: &ForgetAnswer) {
    if answer.unresolved > 0 {
        let turns = plural(answer.unresolved, "pruned turn");
        say!("  {WARN}{turns} cannot be told to belong to it or not: only their ids are known.{WARN:#}");
    }
    if !answer.unresolved_in.is_empty() {
        say!(
            "  {WARN}These sealed summaries may still hold something of it: {}{WARN:#}",
            answer.unresolved_in.join(" ")
        );
    }
    if answer.unread > 0 {
        let turns = plural(answer.unread, "pruned turn");
        say!("  {DIM}{turns} stay: nothing that is left of them names it; their own words are gone.{DIM:#}");
    }
    if !answer.unfollowed.is_empty() {
        let names = answer.unfollowed.join(", ");
        say!("  {WARN}Not followed, since only others say that it is the same: {names}{WARN:#}");
    }
}

fn print_proof(proof: &ProofView) {
    let sentences = plural(proof.sentences as u64, "sentence");
    let searched = format!("{}, {} bytes", plural(proof.files, "file"), count(proof.bytes));
    if proof.clean {
        say!("Proof: {sentences} looked for in every decoded table and in {searched}: none is left.");
        say!("Backups and copies outside this folder are not reached.");
        return;
    }
    say!("{WARN}Not all is gone: of {sentences} some are still in{WARN:#}");
    proof.still_in.iter().for_each(|place| say!("  {WARN}{place}{WARN:#}"));
}
