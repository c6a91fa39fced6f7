//! Promise 1 and 3 under SIGKILL: at random moments of import and roll-up the process dies; what it had acknowledged is there
//! exactly once, and in the end everything is as if nothing had happened.
//!
//! `ANNALS_KILL_ROUNDS` sets the number of rounds (50 by default). Two bugs are planted to show that the same rounds catch
//! them: acknowledging before the commit, and ids by chance.

mod operations;
mod planted;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command::Annals;
use crate::story::days;

const ROUNDS: u32 = 50;

/// How the import is started: the product itself, or one with a bug in it.
type Import = fn(&Annals, &str) -> Command;

#[test]
fn killed_at_any_moment_nothing_acknowledged_is_lost() {
    let rounds = std::env::var("ANNALS_KILL_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    assert_eq!(violation(product, rounds), None);
}

/// The control: the same import without a bug passes, so that what catches the two below is the bug.
#[test]
fn an_honest_import_beside_the_product_passes() {
    assert_eq!(violation(planted::honest, 5), None);
}

#[test]
fn acknowledging_before_the_commit_is_caught() {
    assert!(violation(planted::early, ROUNDS).is_some());
}

#[test]
fn ids_by_chance_are_caught() {
    assert!(violation(planted::random_ids, ROUNDS).is_some());
}

fn product(annals: &Annals, file: &str) -> Command {
    let mut command = annals.command(&["import", file]);
    command.env("ANNALS_LOG", "annals=info");
    command
}

/// The first violation of the promises within so many rounds.
fn violation(import: Import, rounds: u32) -> Option<String> {
    let messages = story();
    let whole = Annals::new();
    let file = whole.file("messages.jsonl", &messages);
    let started = Instant::now();
    run_to_end(product(&whole, file.to_str().unwrap()));
    let import_takes = started.elapsed();
    let started = Instant::now();
    whole.json(&["rollup"]);
    let takes = [import_takes, started.elapsed()];
    let undisturbed = whole.dump();
    (0..rounds).find_map(|round| one_round(import, round, takes, &messages, &undisturbed))
}

fn one_round(import: Import, round: u32, takes: [Duration; 2], messages: &str, undisturbed: &str) -> Option<String> {
    let annals = Annals::new();
    let file = annals.file("messages.jsonl", messages);
    let file = file.to_str().unwrap();
    let acknowledged = run_until(import(&annals, file), moment(round, takes[0]));
    if annals.data().join("catalog.sqlite").exists() {
        let stored = stored(&annals);
        if stored < acknowledged {
            return Some(format!("round {round}: {acknowledged} acknowledged, {stored} there"));
        }
    }
    run_to_end(import(&annals, file));
    run_until(annals.command(&["rollup"]), moment(round + 1, takes[1]));
    let rolled_up = annals.run(&["rollup"]);
    assert_eq!(rolled_up.code, 0, "{}", rolled_up.err);
    let verified = annals.run(&["verify"]);
    if verified.code != 0 {
        return Some(format!("round {round}: {}", verified.out));
    }
    (annals.dump() != undisturbed).then(|| format!("round {round}: the end differs"))
}

/// Evenly spread over the whole run, and never the same: multiples of the golden ratio, modulo one.
fn moment(round: u32, takes: Duration) -> Duration {
    takes.mul_f64((f64::from(round) * 0.618_033_988_75).fract())
}

/// Kills the process after a while, unless it ends before; how many messages it had acknowledged.
fn run_until(mut command: Command, moment: Duration) -> u64 {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let reader = std::thread::spawn(move || lines.map_while(Result::ok).filter_map(|line| acknowledged(&line)).sum());
    std::thread::sleep(moment);
    let _ = child.kill();
    child.wait().unwrap();
    reader.join().unwrap()
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
    (0..10).map(|agent| days(&format!("agent {agent}"), 9, 2)).collect()
}
