//! SIGKILL in operations that change a folder after the import. Every round starts from the same prepared folder. It kills an
//! operation at a time that varies by round, runs it again, and compares the result with an undisturbed run.

use std::path::Path;
use std::process::{Command, Stdio};

use super::rounds;
use super::tally::{Losses, Tally};
use super::timing::KillTiming;
use crate::command::Annals;
use crate::documents::with_documents;
use crate::story::days;

/// A catalog with the schema of version 3.
const OLD_SCHEMA: &str = "crates/catalog/src/fixture/version_3.sql";

const AGENTS: u32 = 3;

struct Operation {
    name: &'static str,
    /// Prepares a rolled-up folder for the operation.
    prepare: fn(&Annals),
    args: &'static [&'static str],
    /// Repeats the operation on the folder that the kill left, unless the operation was completed.
    again: fn(&Annals, &[&str]),
}

const OPERATIONS: [Operation; 8] = [
    Operation { name: "roll-up", prepare: imported_more, args: &["rollup"], again: run },
    Operation { name: "projection", prepare: as_it_is, args: &["rebuild"], again: run },
    Operation { name: "retention", prepare: with_plan, args: &["retain", "--trust-clock"], again: run },
    Operation {
        name: "forgetting",
        prepare: as_it_is,
        args: &["forget", "--agent", "agent 1", "--conversation", "day 3", "--yes"],
        again: run,
    },
    Operation {
        name: "forgetting of documents",
        prepare: as_it_is,
        args: &["forget", "--agent", "agent 1", "--subject", "Zelda Quist", "--yes"],
        again: run,
    },
    Operation { name: "backup", prepare: as_it_is, args: &["backup", "TARGET"], again: back_up_again },
    Operation { name: "restore", prepare: backed_up, args: &["restore", "TARGET"], again: restore_again },
    Operation { name: "migration", prepare: of_an_older_version, args: &["rollup"], again: run },
];

#[test]
fn killed_operations_end_like_undisturbed_ones() {
    let rolled_up = rolled_up();
    let mut prepared: Vec<Prepared> = OPERATIONS.iter().map(|operation| Prepared::new(operation, &rolled_up)).collect();
    let mut tally = Tally::default();
    for round in 0..rounds(2) {
        for case in &mut prepared {
            case.kill_and_run_again(round, &mut tally);
        }
    }
    tally.print();
}

/// An operation with the folder that it starts from and the dump of an undisturbed run.
struct Prepared {
    operation: &'static Operation,
    start: Annals,
    timing: KillTiming,
    undisturbed: String,
}

impl Prepared {
    fn new(operation: &'static Operation, rolled_up: &Annals) -> Prepared {
        let start = copy(rolled_up);
        (operation.prepare)(&start);
        let whole = copy(&start);
        let timing = KillTiming::measure(command(&whole, operation.args), &whole);
        Prepared { operation, start, timing, undisturbed: whole.dump() }
    }

    fn kill_and_run_again(&mut self, round: u32, tally: &mut Tally) {
        let annals = copy(&self.start);
        let mut child =
            command(&annals, self.operation.args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let landing = self.timing.kill(&mut child, &annals, round);
        (self.operation.again)(&annals, self.operation.args);
        let losses = Losses::between(&self.undisturbed, &annals.dump());
        tally.add(self.operation.name, landing, losses);
        let case = format!("round {round}, {}, killed {landing:?}", self.operation.name);
        assert_eq!(losses, Losses::default(), "{case}: the end differs");
        let verified = annals.run(&["verify"]);
        assert_eq!(verified.code, 0, "{case}: {}", verified.out);
    }
}

fn rolled_up() -> Annals {
    let annals = Annals::new();
    let messages: String = (0..AGENTS).map(|agent| days(&format!("agent {agent}"), 40, 1)).collect();
    annals.import(&messages);
    annals.json(&["rollup"]);
    with_documents(&annals)
}

fn as_it_is(_: &Annals) {}

/// Imports late messages for every day, so that all summaries are due again.
fn imported_more(annals: &Annals) {
    let messages: String = (0..AGENTS).map(|agent| days(&format!("agent {agent}"), 40, 2)).collect();
    annals.import(&messages);
}

fn with_plan(annals: &Annals) {
    for agent in 0..AGENTS {
        annals.json(&["agent", "set", &format!("agent {agent}"), "--plan", "free"]);
    }
}

/// Makes a backup, and removes the data folder.
fn backed_up(annals: &Annals) {
    run(annals, &["backup", "TARGET"]);
    std::fs::remove_dir_all(annals.data()).unwrap();
}

fn of_an_older_version(annals: &Annals) {
    std::fs::remove_dir_all(annals.data()).unwrap();
    std::fs::create_dir(annals.data()).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(OLD_SCHEMA);
    let schema = std::fs::read_to_string(schema).unwrap();
    rusqlite::Connection::open(annals.data().join("catalog.sqlite")).unwrap().execute_batch(&schema).unwrap();
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

/// Makes another backup unless the first is complete, and restores it. An interrupted backup must not pass as complete.
fn back_up_again(annals: &Annals, args: &[&str]) {
    // A complete backup already has the name of this second.
    if command(annals, &["backup", "verify", "TARGET"]).output().unwrap().status.code() != Some(0) {
        run(annals, args);
        run(annals, &["backup", "verify", "TARGET"]);
    }
    std::fs::remove_dir_all(annals.data()).unwrap();
    run(annals, &["restore", "TARGET"]);
}

/// Restores again unless the folder exists. The folder gets its name only when the restore is complete.
fn restore_again(annals: &Annals, args: &[&str]) {
    if !annals.data().join("catalog.sqlite").exists() {
        run(annals, args);
    }
}

/// Copies the data folder and the backups to a new place.
fn copy(annals: &Annals) -> Annals {
    let copy = Annals::new();
    for name in ["data", "backups"] {
        let from = annals.data().with_file_name(name);
        if from.exists() {
            let copied = Command::new("cp").arg("-a").arg(from).arg(copy.data().with_file_name(name)).status().unwrap();
            assert!(copied.success());
        }
    }
    copy
}
