//! Imports with a planted bug, as processes to be killed. This test binary starts itself again and runs one of the tests below,
//! which do nothing otherwise.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use annals_catalog::SqliteCatalog;
use annals_core::ports::{OnConflict, Origin, Turn};
use annals_core::prelude::*;
use annals_core::{Agent, MemoryId, Message, Period, Role, TurnKey};

use crate::command::{Annals, NOW};

/// Environment variables for the child: its data folder and its input file.
const FOLDER: &str = "ANNALS_PLANTED_FOLDER";
const FILE: &str = "ANNALS_PLANTED_FILE";

/// Builds the command of an import without a planted bug.
pub fn honest(annals: &Annals, file: &str) -> Command {
    child("kill::planted::acknowledges_what_is_stored", annals, file)
}

/// Builds the command of an import that acknowledges before the commit returns.
pub fn early(annals: &Annals, file: &str) -> Command {
    child("kill::planted::acknowledges_early", annals, file)
}

/// Builds the command of an import that uses new ids in every run.
pub fn random_ids(annals: &Annals, file: &str) -> Command {
    child("kill::planted::makes_up_ids", annals, file)
}

fn child(test: &str, annals: &Annals, file: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(FOLDER, annals.data()).env(FILE, file);
    command
}

#[test]
fn acknowledges_what_is_stored() {
    import(|catalog, agent, turns| {
        let count = turns.len();
        store(&catalog, &agent, turns);
        acknowledge(count);
    });
}

#[test]
fn acknowledges_early() {
    import(|catalog, agent, turns| {
        acknowledge(turns.len());
        // The commit is still in progress when the caller gets the acknowledgement.
        std::thread::sleep(std::time::Duration::from_millis(20));
        store(&catalog, &agent, turns);
    });
}

#[test]
fn makes_up_ids() {
    import(|catalog, agent, mut turns| {
        for turn in &mut turns {
            turn.key.id = format!("{:?}", std::time::Instant::now());
            turn.id = MemoryId::turn(&agent, &turn.key);
        }
        let count = turns.len();
        store(&catalog, &agent, turns);
        acknowledge(count);
    });
}

fn store(catalog: &Arc<SqliteCatalog>, agent: &Agent, turns: Vec<Turn>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(catalog.ingest(agent, turns, OnConflict::Refuse, NOW.parse().unwrap())).unwrap();
}

/// Prints the line that the product logs for a batch.
#[expect(clippy::print_stderr, reason = "the line that the parent reads")]
fn acknowledge(count: usize) {
    eprintln!("committed messages.new={count}");
}

/// Reads the file and passes each agent's messages to `ingest`, as the product does.
fn import(ingest: impl Fn(Arc<SqliteCatalog>, Agent, Vec<Turn>)) {
    let (Some(folder), Some(file)) = (std::env::var_os(FOLDER), std::env::var_os(FILE)) else { return };
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let catalog = Arc::new(SqliteCatalog::open(&folder.join("catalog.sqlite")).unwrap());
    let lines = std::fs::read_to_string(file).unwrap();
    let messages: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for batch in messages.chunk_by(|a, b| a["agent"] == b["agent"]) {
        let agent = Agent::new(batch[0]["agent"].as_str().unwrap()).unwrap();
        ingest(catalog.clone(), agent.clone(), batch.iter().map(|message| turn(&agent, message)).collect());
    }
}

fn turn(agent: &Agent, message: &serde_json::Value) -> Turn {
    let text = |field: &str| message[field].as_str().unwrap().to_owned();
    let key = TurnKey { conversation: text("conversation"), id: text("id") };
    let day: Period = text("at")[..10].parse().unwrap();
    let message = Message {
        conversation: text("conversation"),
        client_id: Some(text("id")),
        role: Role::User,
        name: Some(text("name")),
        content: text("content"),
        at: text("at").parse().unwrap(),
    };
    Turn { id: MemoryId::turn(agent, &key), key, day, message, masked: 0, origin: Origin::Client, attachment: None }
}
