//! Forgets, and compares everything that is left with the ground truth.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use annals_core::ports::Target;
use annals_core::{Agent, FactQuery, MemoryId};
use annals_service::Service;
use annals_service::wire::ForgetAnswer;
use serde_json::Value;
use tokio::io::AsyncReadExt;

use crate::ground_truth::{EntryState, SUBJECT, State, StoredAs};
use crate::history::History;
use crate::search::{self, Words};

/// Average number of erasures after which all stores are closed and opened again.
const RESTART: usize = 4;

/// Average number of erasures after which the agent's tables are compared with the catalog. All are compared at the end.
const TABLES: usize = 3;

/// Everything of some agents: exports, facts, and the files in their own folders.
#[derive(Debug, PartialEq)]
struct Holdings {
    exported: Vec<String>,
    facts: Vec<String>,
    files: BTreeMap<PathBuf, (u64, SystemTime)>,
}

impl History {
    pub async fn forget(&mut self, agent: usize) {
        if let Some((kind, target)) = self.target(agent) {
            self.forget_target(agent, kind, target).await;
        }
    }

    pub async fn forget_target(&mut self, agent: usize, kind: &'static str, target: Target) {
        self.note(agent, format!("forgets {target:?}"));
        let of = self.agents[agent].clone();
        let before = self.others(agent).await;
        let planned = self.world().service.forget_target(&of, &target, true, self.now()).await.unwrap();
        let done = self.world().service.forget_target(&of, &target, false, self.now()).await.unwrap();
        assert_eq!(self.others(agent).await, before, "{:#?}", self.log);
        self.check_report(agent, &target, &done, &planned);
        self.totals.forgot(kind, done.turns.len(), done.pruned.len());
        self.forget_in_truth(agent, &target, &done);
        self.check_survivors(agent).await;
        if self.below(TABLES) == 0 {
            self.check_tables(agent).await;
        }
        self.check_search(agent).await;
        if target == Target::Agent {
            self.set_plan(agent).await;
        }
        if self.below(RESTART) == 0 {
            self.restart().await;
        }
    }

    fn forget_in_truth(&mut self, agent: usize, target: &Target, done: &ForgetAnswer) {
        for state in [State::Live, State::Pruned] {
            for index in self.truth.meant(agent, target, state) {
                let turn = &mut self.truth.turns[index];
                let is_listed = state == State::Live || done.pruned.contains(&turn.id.to_string());
                turn.state = if is_listed { State::Forgotten } else { State::Vanished };
            }
        }
        for index in self.truth.meant_entries(agent, target) {
            self.truth.entries[index].state = EntryState::Forgotten;
        }
        // Every erasure rewrites the files of the agent, so nothing superseded is left in them.
        let entries = self.truth.entries.iter_mut().filter(|entry| entry.agent == agent);
        for entry in entries.filter(|entry| entry.state == EntryState::Superseded) {
            entry.state = EntryState::Forgotten;
        }
    }

    fn check_report(&self, agent: usize, target: &Target, done: &ForgetAnswer, planned: &ForgetAnswer) {
        let ids = |state: State| {
            let meant = self.truth.meant(agent, target, state);
            let mut ids: Vec<_> = meant.into_iter().map(|index| self.truth.turns[index].id.to_string()).collect();
            ids.sort();
            ids
        };
        let sorted = |ids: &[String]| {
            let mut ids = ids.to_vec();
            ids.sort();
            ids
        };
        assert_eq!(sorted(&done.turns), ids(State::Live), "{:#?}", self.log);
        if matches!(target, Target::Subject(_)) {
            // Pruned turns that name a subject can only be recognised by the traces that they left.
            let named = ids(State::Pruned);
            assert!(done.pruned.iter().all(|id| named.contains(id)), "{:?} {:#?}", done.pruned, self.log);
        } else {
            assert_eq!(sorted(&done.pruned), ids(State::Pruned), "{:#?}", self.log);
        }
        assert_eq!((done.unresolved, done.unresolved_in.len()), (0, 0), "{:#?}", self.log);
        self.check_reported_entries(agent, target, done);
        let plain = |answer: &ForgetAnswer| {
            let mut value = serde_json::to_value(answer).unwrap();
            value["done"] = Value::Null;
            value["proof"] = Value::Null;
            value
        };
        assert_eq!(plain(done), plain(planned), "{:#?}", self.log);
        let proof = done.proof.as_ref().unwrap();
        assert!(proof.clean && proof.still_in.is_empty(), "{proof:?} {:#?}", self.log);
    }

    fn check_reported_entries(&self, agent: usize, target: &Target, done: &ForgetAnswer) {
        let (mut blocks, mut documents) = (Vec::new(), Vec::new());
        for index in self.truth.meant_entries(agent, target) {
            match &self.truth.entries[index].stored_as {
                StoredAs::Fact(source) => {
                    let operation = annals_core::FactOperation::id(source, 0);
                    assert!(done.operations.contains(&operation), "{source} {:#?}", self.log);
                }
                StoredAs::Block(name) => blocks.push(name.clone()),
                StoredAs::Document(name, _) => documents.push(name.clone()),
            }
        }
        blocks.sort();
        assert_eq!(done.blocks, blocks, "{:#?}", self.log);
        documents.sort();
        assert_eq!(done.documents, documents, "{:#?}", self.log);
    }

    /// Returns the exports, facts and files of all other agents.
    async fn others(&self, agent: usize) -> Holdings {
        let service = &self.world().service;
        let mut holdings = Holdings { exported: Vec::new(), facts: Vec::new(), files: BTreeMap::new() };
        for (_, other) in self.agents.iter().enumerate().filter(|(index, _)| *index != agent) {
            holdings.exported.push(exported(service, other).await);
            let facts = self.world().parts.facts.find(other, &FactQuery::default()).await.unwrap();
            holdings.facts.extend(facts.iter().map(|fact| format!("{fact:?}")));
            for folder in ["tables", "facts"] {
                let files = search::files(&self.folder.path().join(folder).join(other.folder()));
                holdings.files.extend(files.into_iter().map(|file| {
                    let metadata = file.metadata().unwrap();
                    (file, (metadata.len(), metadata.modified().unwrap()))
                }));
            }
        }
        holdings
    }

    async fn check_survivors(&self, agent: usize) {
        let live = self.truth.of(agent, State::Live).into_iter().map(|index| &self.truth.turns[index]);
        let expect: BTreeMap<MemoryId, String> = live.map(|turn| (turn.id.clone(), turn.text.clone())).collect();
        assert_eq!(self.live(agent).await, expect, "{:#?}", self.log);
    }

    async fn check_tables(&self, agent: usize) {
        assert_eq!(self.world().parts.writer.audit(&self.agents[agent]).await.unwrap(), [], "{:#?}", self.log);
        assert!(!self.world().parts.fact_writer.facts_differ(&self.agents[agent]).await.unwrap(), "{:#?}", self.log);
    }

    /// Checks that every table of every agent matches the catalog.
    pub async fn check_all_tables(&self) {
        for agent in 0..self.agents.len() {
            self.check_tables(agent).await;
        }
    }

    async fn check_search(&mut self, agent: usize) {
        let (gone, nowhere) = self.truth.gone(agent);
        let (folder, of) = (self.folder.path().to_owned(), self.agents[agent].clone());
        let export: String = exported(&self.world().service, &of).await;
        let export = gone.iter().filter(|word| export.contains(*word)).map(|word| format!("{word} in the export"));
        let mut left: Vec<String> = export.collect();
        self.totals.searched("exports", 1);
        let copies = tempfile::tempdir().unwrap();
        let backup = copies.path().join("backup.sqlite");
        self.world().sqlite.copy_to(&backup).await.unwrap();
        copy_catalog(&folder, copies.path());
        let (gone, nowhere, there) = (Words::new(&gone), Words::new(&nowhere), self.there(agent));
        let tables = folder.join("tables").join(of.folder());
        let [left_in_tables, there_in_tables] =
            search::lance(&tables, [&gone, there.as_ref().unwrap_or(&Words::none())]).await;
        for (store, found) in [
            ("files as bytes", search::bytes(&folder, &nowhere)),
            ("files as bytes", search::bytes(copies.path(), &nowhere)),
            ("SQLite tables", search::sqlite(&copies.path().join("catalog.sqlite"), of.name(), &gone)),
            ("SQLite tables of backups", search::sqlite(&backup, of.name(), &gone)),
            ("versions of LanceDB tables", left_in_tables),
            ("Parquet files", search::parquet(&folder.join("facts").join(of.folder()), &gone)),
        ] {
            self.totals.searched(store, found.looked_at);
            left.extend(found.locations);
        }
        assert_eq!(left, [""; 0], "{:#?}", self.log);
        // An empty search proves something only if the same search finds words that are there.
        let Some(there) = there else { return };
        for found in [
            search::bytes(&folder, &there),
            search::sqlite(&copies.path().join("catalog.sqlite"), of.name(), &there),
            there_in_tables,
        ] {
            assert!(!found.locations.is_empty(), "{:#?}", self.log);
        }
    }

    /// Returns a word of a live turn of the agent, or `None` if it has no live turn.
    fn there(&self, agent: usize) -> Option<Words> {
        let turn = &self.truth.turns[self.truth.of(agent, State::Live).pop()?];
        let there = turn.words.iter().find(|word| turn.text.contains(*word) && *word != SUBJECT);
        Some(Words::new(&there.into_iter().cloned().collect()))
    }
}

/// Copies the catalog with its write-ahead log: the original is locked while it is open.
fn copy_catalog(folder: &Path, to: &Path) {
    for name in ["catalog.sqlite", "catalog.sqlite-wal"] {
        if folder.join(name).exists() {
            std::fs::copy(folder.join(name), to.join(name)).unwrap();
        }
    }
}

/// Returns the lines of an export.
async fn exported(service: &Service, agent: &Agent) -> String {
    let mut lines = String::new();
    service.export(agent).await.unwrap().file.read_to_string(&mut lines).await.unwrap();
    lines
}
