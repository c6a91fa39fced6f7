//! That a catalog of schema version 1 opens, and holds what it held.

use std::path::Path;

use annals_core::ports::{Archive, Journal, Lane, Seals};
use annals_core::{Catalog, DeadLetter, Digest, Grain, LedgerRow, MemoryId, Operation, Sentence, Settings, Stage};
use annals_testkit::{agent, at, period};
use rusqlite::{Connection, OpenFlags};

use crate::SqliteCatalog;
use crate::fixture::{Folder, said};
use crate::power_cut::{Drive, Unsynced, open};

const VERSION_1: &str = include_str!("fixture/version_1.sql");
const TEA: &str = "t-myzedabe2jaxwfkkgzwop6zemk";
const CAKE: &str = "t-vfrimyyiiifqr5l6hktokwrjbj";

fn folder_of_version_1() -> Folder {
    let folder = Folder::new();
    Connection::open(folder.path()).unwrap().execute_batch(VERSION_1).unwrap();
    folder
}

#[tokio::test]
async fn a_catalog_of_version_1_reads_back_whole() {
    holds_what_it_held(&folder_of_version_1().open()).await;
}

/// What the fixture says, with what is new at its default.
async fn holds_what_it_held(catalog: &SqliteCatalog) {
    let (me, now) = (agent("me"), at("2026-06-01T00:00:00Z"));
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    let settings = Settings { time_zone: "Europe/Berlin".into(), language: "de".into(), ..Settings::default() };
    assert_eq!(catalog.settings(&me).await.unwrap(), settings);
    let [tea, cake] = [TEA, CAKE].map(MemoryId::from_text);
    let turns = catalog.inputs(&me, period("2026-03-04")).await.unwrap();
    let told: Vec<_> = turns.iter().map(|turn| (&turn.id, turn.text.as_str(), turn.pinned)).collect();
    assert_eq!(told, [(&tea, "tea", false), (&cake, "cake?", false)]);
    let day = catalog.inputs(&me, period("2026-W10")).await.unwrap().remove(0);
    let first_day = period("2026-03-04").first_day();
    let quoted = Sentence { day: first_day, speaker: Some("user".into()), text: "tea".into(), from: vec![tea.clone()] };
    assert_eq!((day.text.as_str(), day.sentences, day.pinned), ("They had tea.", vec![quoted], false));
    assert_eq!(day.sources, [tea.clone(), cake.clone()]);
    let clean = LedgerRow {
        clean_seq: 2,
        input_digest: Some(Digest::of([TEA, CAKE])),
        recipe: Some(Digest::of(["recipe"])),
        tokens: 7,
        ..LedgerRow::new(period("2026-03-04"), 2, now)
    };
    let week = LedgerRow {
        attempts: 3,
        not_before: Some(at("2026-06-01T01:00:00Z")),
        last_error: Some("no answer".into()),
        ..LedgerRow::new(period("2026-W10"), 4, now)
    };
    let emptied = LedgerRow { clean_seq: 3, ..LedgerRow::new(period("2026-03-01"), 1, now) };
    assert_eq!(catalog.ledger(&me).await.unwrap(), [emptied, clean, week]);
    assert_eq!(catalog.changes(&me, Grain::Daily, 0, 9).await.unwrap().len(), 2, "a deletion and a summary");
    let lane = Lane { generation: 1, applied: 2, building: Some((2, 1)) };
    assert_eq!(catalog.lane(&me, Grain::Working).await.unwrap(), lane);
    let operation = Operation { id: "o-0123456789".into(), accepted: 2, seq: 2, ..Operation::default() };
    assert_eq!(catalog.operation(&me, "o-0123456789").await.unwrap(), Some(operation));
    let (error, grain, stage) = ("too long".into(), Grain::Working, Stage::Table);
    let letter = DeadLetter { agent: me.clone(), grain, memory: cake, stage, error, at: now };
    assert_eq!(catalog.dead_letters(&me).await.unwrap(), [letter]);
    assert_eq!(catalog.log_version(&me).await.unwrap(), 0);
    assert_eq!(catalog.children(&me).await.unwrap().len(), 2);
    // And it goes on from there.
    let next = catalog.ingest(&me, vec![said(&me, "3", "jam")], false, now).await.unwrap();
    assert_eq!(next.seq, 6);
    let revised = vec![said(&me, "1", "coffee")];
    catalog.ingest(&me, revised, true, now).await.unwrap();
    assert_eq!(catalog.versions(&me, &tea).await.unwrap().len(), 1);
}

#[test]
fn both_ways_lead_to_the_same_schema() {
    let (old, new) = (folder_of_version_1(), Folder::new());
    drop((old.open(), new.open()));
    let old = schema(&Connection::open(old.path()).unwrap());
    assert!(old.len() > 100, "{old:?}");
    assert_eq!(old, schema(&Connection::open(new.path()).unwrap()));
}

fn schema(connection: &Connection) -> Vec<String> {
    let mut statement = connection.prepare(include_str!("fixture/schema_of.sql")).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// The file is as it was or migrated, and either way it opens.
#[tokio::test]
async fn a_power_cut_during_the_migration_loses_nothing() {
    let drive = Drive::new();
    let prepare = || {
        drive.disk().clear();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let path = Path::new("/catalog.sqlite");
        let former = Connection::open_with_flags_and_vfs(path, flags, drive.name()).unwrap();
        former.execute_batch(include_str!("sql/pragmas.sql")).unwrap();
        former.execute_batch(VERSION_1).unwrap();
        drop(former);
        drive.disk().steps()
    };
    let before = prepare();
    drop(open(&drive, None).unwrap());
    let after = drive.disk().steps();
    assert!(after > before + 10, "{before}..{after}");
    for step in before..=after {
        for unsynced in [Unsynced::AllLost, Unsynced::LostByChance(step)] {
            prepare();
            drive.disk().power_goes_at(step);
            drop(open(&drive, None));
            drive.disk().power_is_back(unsynced);
            holds_what_it_held(&open(&drive, None).unwrap()).await;
        }
    }
}
