//! Tests that a power cut loses nothing acknowledged, at whichever disk operation it happens, and that these tests find
//! planted bugs.
//!
//! Each round runs the same work on an in-memory disk (`disk.rs`, attached to SQLite by `vfs.rs`) until the power goes
//! off at a chosen write, truncation, sync or deletion. The disk then holds what was synced, and of the rest nothing or
//! a random part, down to single sectors. The reopened catalog must hold every acknowledged request once, the others
//! completely or not at all, and be sound.

mod disk;
mod documents;
mod service;
mod vfs;

use std::collections::HashMap;
use std::path::Path;

use annals_core::ports::{OnConflict, Select, Turn};
use annals_core::prelude::*;
use annals_core::{Agent, Grain};
use annals_testkit::{agent, at};

use crate::fixture::user_turn;
use crate::sqlite::open::Bug;
use crate::{Options, SqliteCatalog};
pub(crate) use disk::Unsynced;
pub(crate) use vfs::Drive;

/// The requests of a round, and the length of their messages.
#[derive(Clone, Copy)]
struct Work {
    requests: usize,
    /// Bytes of each of a request's three messages.
    length: usize,
    /// Number of requests after which the catalog is closed and reopened.
    sitting: usize,
}

/// A few commits, some of them shared by several requests.
const SMALL: Work = Work { requests: 9, length: 10, sitting: 5 };
/// Enough that the log is checkpointed into the file in the middle of the work (at 1,000 pages), and then restarted.
const LARGE: Work = Work { requests: 12, length: 200_000, sitting: 12 };

impl Work {
    fn request(self, agent: &Agent, index: usize) -> Vec<Turn> {
        let text = format!("{index} {}", "x".repeat(self.length));
        (0..3).map(|turn| user_turn(agent, &format!("{index}-{turn}"), &text)).collect()
    }

    /// Sends the requests, three at a time, and reopens the catalog after each sitting. Stops after the first failure,
    /// and returns the acknowledged requests.
    async fn run(self, drive: &Drive, bug: Option<Bug>) -> Vec<usize> {
        let mut acknowledged = Vec::new();
        let all: Vec<usize> = (0..self.requests).collect();
        for sitting in all.chunks(self.sitting) {
            let Ok(catalog) = open(drive, bug) else { return acknowledged };
            for together in sitting.chunks(3) {
                let answers = self.send(&catalog, together).await;
                acknowledged.extend(together.iter().zip(&answers).filter(|(_, ok)| **ok).map(|(index, _)| index));
                if answers.contains(&false) {
                    return acknowledged;
                }
            }
        }
        acknowledged
    }

    async fn send(self, catalog: &SqliteCatalog, together: &[usize]) -> Vec<bool> {
        let me = agent("me");
        let now = at("2026-06-01T00:00:00Z");
        let sent = together.iter().map(|index| catalog.ingest(&me, self.request(&me, *index), OnConflict::Refuse, now));
        futures::future::join_all(sent).await.iter().map(Result::is_ok).collect()
    }

    /// Returns the faults after a power cut at `step`.
    async fn faults(self, drive: &Drive, bug: Option<Bug>, step: u64, unsynced: Unsynced) -> Vec<String> {
        drive.disk().clear();
        drive.disk().power_goes_at(step);
        let acknowledged = self.run(drive, bug).await;
        drive.disk().power_is_back(unsynced);
        let catalog = match open(drive, None) {
            Ok(catalog) => catalog,
            Err(error) => return vec![format!("step {step}: it does not open: {error}")],
        };
        let mut faults = catalog.check().await.unwrap_or_else(|error| vec![error.to_string()]);
        faults.extend(self.lost(&catalog, &acknowledged).await);
        // All requests are sent again, as clients do without an acknowledgement.
        self.send(&catalog, &(0..self.requests).collect::<Vec<_>>()).await;
        let all: Vec<usize> = (0..self.requests).collect();
        faults.extend(self.lost(&catalog, &all).await);
        faults.into_iter().map(|fault| format!("step {step}: {fault}")).collect()
    }

    /// Returns the requests that are stored in part or more than once, or missing although acknowledged.
    async fn lost(self, catalog: &SqliteCatalog, acknowledged: &[usize]) -> Vec<String> {
        let me = agent("me");
        let everything = Select::all(Grain::Working);
        let mut found: HashMap<String, usize> = HashMap::new();
        for memory in catalog.list(&me, &everything).await.unwrap_or_default() {
            *found.entry(memory.message().unwrap_or_default().to_owned()).or_default() += 1;
        }
        let times = |index: usize, turn: usize| found.get(&format!("{index}-{turn}")).copied().unwrap_or(0);
        (0..self.requests)
            .filter_map(|index| match [times(index, 0), times(index, 1), times(index, 2)] {
                [1, 1, 1] => None,
                [0, 0, 0] if !acknowledged.contains(&index) => None,
                times => Some(format!("the messages of request {index} are there {times:?} times")),
            })
            .collect()
    }
}

pub(crate) fn open(drive: &Drive, bug: Option<Bug>) -> annals_core::Result<SqliteCatalog> {
    SqliteCatalog::open_with(Path::new("/catalog.sqlite"), &Options { vfs: Some(drive.name().to_owned()), bug })
}

/// Returns all faults for power cuts at the steps that `choose` picks, given the number of steps and those that sync or
/// delete.
async fn all_faults(work: Work, bug: Option<Bug>, choose: impl Fn(u64, &[u64]) -> Vec<u64>) -> Vec<String> {
    let drive = Drive::new();
    assert_eq!(work.run(&drive, bug).await.len(), work.requests, "all is acknowledged while the power is on");
    let steps = choose(drive.disk().steps(), &drive.disk().milestones());
    let mut faults = Vec::new();
    for step in steps {
        faults.extend(work.faults(&drive, bug, step, Unsynced::AllLost).await);
        for seed in [step, !step] {
            faults.extend(work.faults(&drive, bug, step, Unsynced::LostByChance(seed)).await);
        }
    }
    faults
}

fn every_step(steps: u64, _: &[u64]) -> Vec<u64> {
    (0..=steps).collect()
}

/// Returns the steps before and after each sync and deletion, and some of the many writes between.
fn around_milestones(steps: u64, milestones: &[u64]) -> Vec<u64> {
    let near = milestones.iter().flat_map(|step| step.saturating_sub(1)..=step + 1);
    let mut chosen: Vec<u64> = near.chain((0..=steps).step_by(997)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[tokio::test]
async fn acknowledged_requests_survive_a_power_cut_at_any_step() {
    assert_eq!(all_faults(SMALL, None, every_step).await, Vec::<String>::new());
}

#[tokio::test]
async fn acknowledged_requests_survive_a_power_cut_during_a_checkpoint() {
    assert_eq!(all_faults(LARGE, None, around_milestones).await, Vec::<String>::new());
}

#[tokio::test]
async fn planted_bugs_are_found() {
    for bug in [Bug::NeverSync, Bug::AnswerBeforeCommit] {
        let faults = all_faults(SMALL, Some(bug), every_step).await;
        assert!(faults.iter().any(|fault| fault.contains("are there [0, 0, 0] times")), "{bug:?} was not found");
    }
}
