//! Tests of the crate as a whole, and their helpers.

mod behaviour;
mod corruption;
mod forgetful;
mod languages;
mod measure;
mod memory;
mod model;
mod power_cut;
mod replica;

use std::path::{Path, PathBuf};

use annals_core::ports::{Batch, Hit, Part, Probe, Table};
use annals_core::{Agent, Filter, Grain, Interval, Kind, MemoryId, Strata, Timestamp};
use annals_objects::Objects;

use crate::maintenance::Maintenance;
use crate::{CacheLimits, LanceStrata};

const DIMENSION: usize = 4;
const DAY_US: i64 = 86_400_000_000;

async fn open(root: &Path) -> LanceStrata {
    LanceStrata::open(root, CacheLimits::of(64 << 20)).await.unwrap()
}

/// Opens tables that are compacted, indexed and pruned every few commits.
async fn open_busy(objects: Objects) -> annals_core::Result<LanceStrata> {
    let busy = Maintenance {
        every: 5,
        overdue: 20,
        small_rows: 12,
        many_fragments: 6,
        large_rows: 60,
        timed_rows: 20,
        many_pieces: 3,
        limits: CacheLimits { bytes: annals_index::expected_bytes(12, 4), signs_from: 6 },
        index_cache_bytes: 1 << 10,
    };
    LanceStrata::maintained(objects, busy).await
}

fn table(agent: &str) -> Table {
    Table { agent: Agent::new(agent).unwrap(), grain: Grain::Working, generation: 1 }
}

/// Returns a turn of one part. It begins `day` days after 2026-03-01T12:00:00Z.
fn part(memory: &str, day: i64, text: &str) -> Part {
    let start = at("2026-03-01T12:00:00Z").as_microsecond() + day * DAY_US;
    Part {
        memory: MemoryId::from_text(memory),
        part: 0,
        kind: Kind::Turn,
        period: "2026-03-04".parse().unwrap(),
        cover: Interval { start: instant(start), end: instant(start + 1) },
        speaker: Some("Alice".into()),
        conversation: None,
        text: text.into(),
        language: "en".into(),
        vector: unit(day),
        seq: 7,
    }
}

/// Returns a vector of unit length that rotates with the day.
fn unit(day: i64) -> Vec<f32> {
    let angle = day as f32 * 0.1;
    vec![angle.cos(), angle.sin(), 0.0, 0.0]
}

fn at(instant: &str) -> Timestamp {
    instant.parse().unwrap()
}

fn instant(microsecond: i64) -> Timestamp {
    Timestamp::from_microsecond(microsecond).unwrap()
}

fn upserts(parts: impl IntoIterator<Item = Part>) -> Batch {
    let upserts: Vec<Part> = parts.into_iter().collect();
    let dimension = upserts.first().map_or(DIMENSION, |part| part.vector.len());
    Batch { dimension, upserts, deletes: Vec::new() }
}

fn words(text: &str) -> Probe {
    Probe { text: Some(text.into()), language: "en".into(), limit: 10, ..Probe::default() }
}

fn near(day: i64, filter: Filter) -> Probe {
    Probe { vector: Some(unit(day)), language: "en".into(), filter, limit: 10, ..Probe::default() }
}

/// Returns `memory#part` of each hit, sorted.
fn names(hits: &[Hit]) -> Vec<String> {
    let mut names: Vec<String> = hits.iter().map(|hit| format!("{}#{}", hit.memory, hit.part)).collect();
    names.sort();
    names
}

async fn rows(strata: &LanceStrata, table: &Table) -> Vec<String> {
    strata.scan(table).await.unwrap().iter().map(|row| format!("{}#{}", row.memory, row.part)).collect()
}

fn local(folder: &Path) -> Objects {
    Objects::local(folder).unwrap()
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}
