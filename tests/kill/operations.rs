//! SIGKILL in what changes a folder after the import: every round begins with the same prepared folder, kills one operation at
//! a moment that moves from round to round, runs it again, and compares the end with an undisturbed run.
//!
//! `ANNALS_KILL_ROUNDS` sets the number of rounds; they are spread evenly over the operations, and the spread is printed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::moment;
use crate::command::Annals;
use crate::story::days;

const ROUNDS: u32 = 16;

/// A catalog as an older version left it.
const OLD_SCHEMA: &str = "crates/catalog/src/fixture/version_3.sql";

struct Operation {
    name: &'static str,
    /// Brings a folder to where the operation begins.
    prepare: fn(&Annals),
    args: &'static [&'static str],
    /// Whether the operation can run again over what the kill left, or has been done already.
    again: fn(&Annals, &[&str]),
}

const OPERATIONS: [Operation; 7] = [
    Operation { name: "roll-up", prepare: imported, args: &["rollup"], again: run },
    Operation { name: "projection", prepare: rolled_up, args: &["rebuild"], again: run },
    Operation { name: "retention", prepare: with_plan, args: &["retain", "--trust-clock"], again: run },
    Operation {
        name: "forgetting",
        prepare: rolled_up,
        args: &["forget", "--agent", "agent 1", "--conversation", "day 3", "--yes"],
        again: run,
    },
    Operation { name: "backup", prepare: rolled_up, args: &["backup", "TARGET"], again: back_up_again },
    Operation { name: "restore", prepare: backed_up, args: &["restore", "TARGET"], again: restore_again },
    Operation { name: "migration", prepare: of_an_older_version, args: &["rollup"], again: run },
];

#[test]
#[expect(clippy::print_stderr, reason = "how the kills were spread is part of the result")]
fn killed_operations_end_as_undisturbed_ones() {
    let rounds = std::env::var("ANNALS_KILL_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let prepared: Vec<Prepared> = OPERATIONS.iter().map(Prepared::new).collect();
    let mut spread = BTreeMap::<&str, [u32; 2]>::new();
    for round in 0..rounds {
        let case = &prepared[round as usize % prepared.len()];
        let killed = case.killed_and_run_again(round);
        spread.entry(case.operation.name).or_default()[usize::from(killed)] += 1;
    }
    for (operation, [ended, killed]) in spread {
        eprintln!("{operation}: {killed} killed, {ended} ended before the kill");
    }
}

/// An operation with the folder that it starts from and what an undisturbed run leaves.
struct Prepared {
    operation: &'static Operation,
    start: Annals,
    takes: Duration,
    undisturbed: String,
}

impl Prepared {
    fn new(operation: &'static Operation) -> Prepared {
        let start = Annals::new();
        (operation.prepare)(&start);
        let whole = copy(&start);
        let started = Instant::now();
        run(&whole, operation.args);
        let takes = started.elapsed();
        Prepared { operation, start, takes, undisturbed: whole.dump() }
    }

    /// Whether the kill came before the end.
    fn killed_and_run_again(&self, round: u32) -> bool {
        let annals = copy(&self.start);
        let mut child =
            command(&annals, self.operation.args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment(round, self.takes));
        let killed = child.try_wait().unwrap().is_none();
        let _ = child.kill();
        child.wait().unwrap();
        (self.operation.again)(&annals, self.operation.args);
        let case = format!("round {round}, {}", self.operation.name);
        assert_eq!(annals.dump(), self.undisturbed, "{case}: the end differs");
        let verified = annals.run(&["verify"]);
        assert_eq!(verified.code, 0, "{case}: {}", verified.out);
        killed
    }
}

fn imported(annals: &Annals) {
    let messages: String = (0..3).map(|agent| days(&format!("agent {agent}"), 40, 2)).collect();
    annals.import(&messages);
}

fn rolled_up(annals: &Annals) {
    imported(annals);
    annals.json(&["rollup"]);
}

fn with_plan(annals: &Annals) {
    rolled_up(annals);
    for agent in 0..3 {
        annals.json(&["agent", "set", &format!("agent {agent}"), "--plan", "free"]);
    }
}

/// Only the backup is left.
fn backed_up(annals: &Annals) {
    rolled_up(annals);
    run(annals, &["backup", "TARGET"]);
    std::fs::remove_dir_all(annals.data()).unwrap();
}

fn of_an_older_version(annals: &Annals) {
    std::fs::create_dir(annals.data()).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(OLD_SCHEMA);
    let load = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())";
    let loaded =
        Command::new("python3").args(["-c", load]).arg(annals.data().join("catalog.sqlite")).arg(schema).status();
    assert!(loaded.unwrap().success());
}

fn command(annals: &Annals, args: &[&str]) -> Command {
    let target = annals.data().with_file_name("backups");
    let args: Vec<&str> =
        args.iter().map(|arg| if *arg == "TARGET" { target.to_str().unwrap() } else { *arg }).collect();
    annals.command(&args)
}

fn run(annals: &Annals, args: &[&str]) {
    let output = command(annals, args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A backup that was cut off is not taken for one; the next one holds everything.
fn back_up_again(annals: &Annals, args: &[&str]) {
    run(annals, args);
    run(annals, &["backup", "verify", "TARGET"]);
    std::fs::remove_dir_all(annals.data()).unwrap();
    run(annals, &["restore", "TARGET"]);
}

/// The folder has its name only when all of it is there.
fn restore_again(annals: &Annals, args: &[&str]) {
    if !annals.data().join("catalog.sqlite").exists() {
        run(annals, args);
    }
}

/// The same data folder and backups in a place of their own.
fn copy(annals: &Annals) -> Annals {
    let copy = Annals::new();
    let (from, to) = (annals.data(), copy.data());
    for name in ["data", "backups"] {
        let from = from.with_file_name(name);
        if from.exists() {
            let copied = Command::new("cp").arg("-a").arg(from).arg(to.with_file_name(name)).status().unwrap();
            assert!(copied.success());
        }
    }
    copy
}
