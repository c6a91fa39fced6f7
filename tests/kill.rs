//! Tests with SIGKILL: the process is killed at random times of any work that changes a folder. Everything acknowledged is
//! stored exactly once, and the final state equals that of an undisturbed run.
//!
//! `ANNALS_KILL_ROUNDS` is the number of kills, spread evenly over the kinds of work: import, requests to the service, and the
//! operations of `operations.rs`. Each test prints how its kills were spread, how many came during the work, and how many lines
//! were lost or doubled. The same rounds must catch two planted bugs: acknowledgement before the commit, and random ids.
//! SIGKILL does not lose data in the system's memory, so `TMPDIR` may be a folder in memory.

mod operations;
mod planted;
mod requests;
mod tally;
mod timing;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::command::Annals;
use crate::story::days;
use tally::{Losses, Tally};
use timing::{KillTiming, Landing};

/// Number of kinds of work: import, requests, and eight operations.
const KINDS: u32 = 10;

/// Number of rounds within which a planted bug must be caught.
const ROUNDS_FOR_A_BUG: u32 = 50;

/// Returns the number of rounds for one kind of work.
fn rounds(default: u32) -> u32 {
    std::env::var("ANNALS_KILL_ROUNDS").map_or(default, |rounds| rounds.parse::<u32>().unwrap().div_ceil(KINDS))
}

/// Builds the command of an import: of the product, or of one with a planted bug.
type Import = fn(&Annals, &str) -> Command;

#[test]
fn killed_import_loses_nothing_acknowledged() {
    let mut tally = Tally::default();
    assert_eq!(violation(product, rounds(12), &mut tally), None);
    tally.print();
}

/// A control: the same import without a bug passes, so the next two tests catch nothing but the bugs.
#[test]
fn import_without_a_planted_bug_passes() {
    assert_eq!(violation(planted::honest, 5, &mut Tally::default()), None);
}

#[test]
fn acknowledging_before_the_commit_is_caught() {
    assert!(violation(planted::early, ROUNDS_FOR_A_BUG, &mut Tally::default()).is_some());
}

#[test]
fn random_ids_are_caught() {
    assert!(violation(planted::random_ids, ROUNDS_FOR_A_BUG, &mut Tally::default()).is_some());
}

fn product(annals: &Annals, file: &str) -> Command {
    let mut command = annals.command(&["import", file]);
    command.env("ANNALS_LOG", "annals=info");
    command
}

/// Returns the first violation of the promises within `rounds` rounds.
fn violation(import: Import, rounds: u32, tally: &mut Tally) -> Option<String> {
    let messages = story();
    let whole = Annals::new();
    let file = whole.file("messages.jsonl", &messages);
    let mut timing = KillTiming::measure(import(&whole, file.to_str().unwrap()), &whole);
    let undisturbed = whole.dump();
    (0..rounds).find_map(|round| one_round(import, round, &mut timing, &messages, &undisturbed, tally))
}

fn one_round(
    import: Import,
    round: u32,
    timing: &mut KillTiming,
    messages: &str,
    undisturbed: &str,
    tally: &mut Tally,
) -> Option<String> {
    let annals = Annals::new();
    let file = annals.file("messages.jsonl", messages);
    let file = file.to_str().unwrap();
    let (landing, acknowledged) = run_until(import(&annals, file), timing, &annals, round);
    if annals.data().join("catalog.sqlite").exists() {
        let stored = stored(&annals);
        if stored < acknowledged {
            return Some(format!("round {round}: {acknowledged} acknowledged, {stored} there"));
        }
    }
    run_to_end(import(&annals, file));
    let losses = Losses::between(undisturbed, &annals.dump());
    tally.add("import", landing, losses);
    annals.expect_sound_tables();
    (losses != Losses::default()).then(|| format!("round {round}: {losses:?}"))
}

/// Kills the process at a time chosen by `timing`. Returns the phase of the kill, and the number of messages acknowledged
/// before it.
fn run_until(mut command: Command, timing: &mut KillTiming, annals: &Annals, round: u32) -> (Landing, u64) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let reader = std::thread::spawn(move || lines.map_while(Result::ok).filter_map(|line| acknowledged(&line)).sum());
    let landing = timing.kill(&mut child, annals, round);
    (landing, reader.join().unwrap())
}

fn run_to_end(mut command: Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the number of new messages in a log line that acknowledges some: `… committed … messages.new=20 …`.
pub fn acknowledged(line: &str) -> Option<u64> {
    line.split_whitespace().find_map(|word| word.strip_prefix("messages.new=")?.parse().ok())
}

fn stored(annals: &Annals) -> u64 {
    let agents = annals.json(&["status"])["agents"].as_array().unwrap().clone();
    agents.iter().map(|agent: &Value| agent["memories"]["working"].as_u64().unwrap()).sum()
}

/// Returns messages of ten agents. Each agent is a transaction of its own, so there are many moments to kill between.
fn story() -> String {
    (0..10).map(|agent| days(&format!("agent {agent}"), 4, 2)).collect()
}
