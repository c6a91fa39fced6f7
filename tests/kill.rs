//! Promise 1 and 3 under SIGKILL: at random moments of whatever changes a folder the process dies; what it had acknowledged is
//! there exactly once, and in the end everything is as if nothing had happened.
//!
//! `ANNALS_KILL_ROUNDS` is the number of kills, spread evenly over the kinds of work: import, requests to the service, and the
//! operations of `operations.rs`. Each test prints how its kills were spread, how many came while the work was under way, and
//! what was lost or doubled. Two bugs are planted to show that the same rounds catch them: acknowledging before the commit, and
//! ids by chance. SIGKILL leaves what was written in the system's memory, so `TMPDIR` may be a folder in memory.

mod operations;
mod pace;
mod planted;
mod requests;
mod tally;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::command::Annals;
use crate::story::days;
use pace::{Landing, Pace};
use tally::{Losses, Tally};

/// Kinds of work: import, requests, and seven operations.
const KINDS: u32 = 9;

/// The most rounds in which a planted bug must be caught.
const ROUNDS_FOR_A_BUG: u32 = 50;

/// The rounds of one kind of work.
fn rounds(default: u32) -> u32 {
    std::env::var("ANNALS_KILL_ROUNDS").map_or(default, |rounds| rounds.parse::<u32>().unwrap().div_ceil(KINDS))
}

/// How the import is started: the product itself, or one with a bug in it.
type Import = fn(&Annals, &str) -> Command;

#[test]
fn killed_at_any_moment_nothing_acknowledged_is_lost() {
    let mut tally = Tally::default();
    assert_eq!(violation(product, rounds(12), &mut tally), None);
    tally.print();
}

/// The control: the same import without a bug passes, so that what catches the two below is the bug.
#[test]
fn an_honest_import_beside_the_product_passes() {
    assert_eq!(violation(planted::honest, 5, &mut Tally::default()), None);
}

#[test]
fn acknowledging_before_the_commit_is_caught() {
    assert!(violation(planted::early, ROUNDS_FOR_A_BUG, &mut Tally::default()).is_some());
}

#[test]
fn ids_by_chance_are_caught() {
    assert!(violation(planted::random_ids, ROUNDS_FOR_A_BUG, &mut Tally::default()).is_some());
}

fn product(annals: &Annals, file: &str) -> Command {
    let mut command = annals.command(&["import", file]);
    command.env("ANNALS_LOG", "annals=info");
    command
}

/// The first violation of the promises within so many rounds.
fn violation(import: Import, rounds: u32, tally: &mut Tally) -> Option<String> {
    let messages = story();
    let whole = Annals::new();
    let file = whole.file("messages.jsonl", &messages);
    let mut pace = Pace::measure(import(&whole, file.to_str().unwrap()), &whole);
    let undisturbed = whole.dump();
    (0..rounds).find_map(|round| one_round(import, round, &mut pace, &messages, &undisturbed, tally))
}

fn one_round(
    import: Import,
    round: u32,
    pace: &mut Pace,
    messages: &str,
    undisturbed: &str,
    tally: &mut Tally,
) -> Option<String> {
    let annals = Annals::new();
    let file = annals.file("messages.jsonl", messages);
    let file = file.to_str().unwrap();
    let (landing, acknowledged) = run_until(import(&annals, file), pace, &annals, round);
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

/// Kills the process at a moment of its pace; when that was, and how many messages it had acknowledged.
fn run_until(mut command: Command, pace: &mut Pace, annals: &Annals, round: u32) -> (Landing, u64) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let reader = std::thread::spawn(move || lines.map_while(Result::ok).filter_map(|line| acknowledged(&line)).sum());
    let landing = pace.kill(&mut child, annals, round);
    (landing, reader.join().unwrap())
}

fn run_to_end(mut command: Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The new messages of a line that acknowledges some: `… committed … messages.new=20 …`.
fn acknowledged(line: &str) -> Option<u64> {
    line.split_whitespace().find_map(|word| word.strip_prefix("messages.new=")?.parse().ok())
}

fn stored(annals: &Annals) -> u64 {
    let agents = annals.json(&["status"])["agents"].as_array().unwrap().clone();
    agents.iter().map(|agent: &Value| agent["memories"]["working"].as_u64().unwrap()).sum()
}

/// Ten agents: each is a transaction of its own, so that there are many moments to die between.
fn story() -> String {
    (0..10).map(|agent| days(&format!("agent {agent}"), 4, 2)).collect()
}
