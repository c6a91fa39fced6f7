//! Tests that forgotten text is nowhere in the files after a scrub, and that this survives a power cut.

use annals_core::ports::{Archive, Erasure, ErasureReport, Journal, OnConflict, Target};
use annals_core::prelude::*;
use annals_core::{Agent, MemoryId};
use annals_testkit::{agent, at, entry, summary};

use crate::SqliteCatalog;
use crate::db::Db;
use crate::fixture::{Folder, user_turn};
use crate::power_cut::{Drive, Unsynced, open};

const SECRET: &str = "the password is \"swordfish\"";

/// Stores a secret among other messages: in a turn, in a corrected summary and in a revised turn, so that versions hold
/// it too.
async fn store_secret(catalog: &SqliteCatalog, me: &Agent) {
    let now = at("2026-06-01T00:00:00Z");
    let mut turns: Vec<_> = (0..200).map(|id| user_turn(me, &id.to_string(), &"words ".repeat(id % 90))).collect();
    turns.push(user_turn(me, "secret", &format!("{SECRET}. {}", "More of it. ".repeat(900))));
    let seq = catalog.ingest(me, turns.clone(), OnConflict::Refuse, now).await.unwrap().seq;
    let ids: Vec<MemoryId> = turns.iter().map(|turn| turn.id.clone()).collect();
    catalog.save_summaries(me, vec![summary("2026-03-04", seq, &ids, &format!("So {SECRET}!"))], now).await.unwrap();
    catalog.correct(me, &MemoryId::summary(me, "2026-03-04".parse().unwrap()), "Nothing.", now).await.unwrap();
    catalog.ingest(me, vec![user_turn(me, "5", &format!("{SECRET}, too."))], OnConflict::Revise, now).await.unwrap();
    catalog.ingest(me, vec![user_turn(me, "5", "five")], OnConflict::Revise, now).await.unwrap();
}

async fn erase(catalog: &SqliteCatalog, me: &Agent) -> annals_core::Result<ErasureReport> {
    let target = Target::Memories(vec![user_turn(me, "secret", "").id, user_turn(me, "5", "").id]);
    catalog.erase(me, &target, at("2026-06-02T00:00:00Z")).await
}

async fn forget(catalog: &SqliteCatalog, me: &Agent) {
    let words = erase(catalog, me).await.unwrap().words;
    assert!(words.contains(&SECRET.to_owned()), "{words:?}");
}

fn files(folder: &Folder) -> Vec<u8> {
    let all = std::fs::read_dir(folder.path().parent().unwrap()).unwrap();
    all.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
}

fn occurs(bytes: &[u8]) -> bool {
    bytes.windows(9).any(|window| window == b"swordfish")
}

#[tokio::test]
async fn scrubbed_files_hold_no_forgotten_text() {
    let folder = Folder::new();
    let (catalog, me) = (folder.open(), agent("me"));
    store_secret(&catalog, &me).await;
    let held = catalog.find_leftovers(&me, &[SECRET.to_owned()]).await.unwrap();
    assert_eq!(held, ["turn.content", "version.text"]);
    assert!(occurs(&files(&folder)));
    forget(&catalog, &me).await;
    assert_eq!(catalog.find_leftovers(&me, &[SECRET.to_owned()]).await.unwrap(), Vec::<String>::new());
    catalog.scrub().await.unwrap();
    assert!(!occurs(&files(&folder)), "while the catalog is open");
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    drop(catalog);
    assert!(!occurs(&files(&folder)));
    assert_eq!(folder.open().counts(&me).await.unwrap().memories[0], 199);
}

/// Stores small rows with ids in no order, so that pages are split, and rows that move leave remains behind.
#[tokio::test]
async fn split_pages_hold_no_forgotten_text_after_scrub() {
    let folder = Folder::new();
    let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
    let fact = |index: usize| {
        let object = if index.is_multiple_of(3) { SECRET.to_owned() } else { "tea ".repeat(index % 40) };
        entry(&me, &format!("Ann{index} likes {object}"), "2026-03-04T10:00:00Z")
    };
    for index in 0..1000 {
        catalog.add_operations(&me, vec![fact(index)]).await.unwrap();
    }
    let secrets = (0..1000).step_by(3).map(|index| fact(index).source).collect();
    catalog.erase(&me, &Target::Memories(secrets), now).await.unwrap();
    let free = async || {
        let read = |db: &dyn Db| db.query_one("PRAGMA freelist_count", &[], |row| row.get::<i64>(0));
        catalog.thread.read("testing", read).await.unwrap()
    };
    assert!(free().await > 0);
    assert!(occurs(&files(&folder)), "until the file is rewritten");
    let copy = folder.path().with_file_name("copy.sqlite");
    catalog.copy_to(&copy).await.unwrap();
    assert!(!occurs(&std::fs::read(copy).unwrap()), "a copy takes nothing of it along");
    catalog.scrub().await.unwrap();
    assert!(!catalog.unused_space_contains(&[SECRET.to_owned()]).await.unwrap());
    assert!(!occurs(&files(&folder)));
    assert!(free().await > 0, "the file keeps its size");
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    assert_eq!(catalog.operations(&me).await.unwrap().1.len(), 666);
}

/// Other writers store small rows in no order between the pieces, so that pages are split and rows move all the time.
#[tokio::test]
async fn forgotten_text_is_scrubbed_during_concurrent_writes() {
    let folder = Folder::new();
    let (catalog, me, other) = (folder.open(), agent("me"), agent("other"));
    let fact = |agent: &Agent, index: usize, object: &str| {
        entry(agent, &format!("Ann{index} likes {object}"), "2026-03-04T10:00:00Z")
    };
    for index in 0..1500 {
        let agent = if index % 2 == 0 { &me } else { &other };
        let object = if index % 6 == 0 { SECRET.to_owned() } else { "tea ".repeat(index % 40) };
        catalog.add_operations(agent, vec![fact(agent, index, &object)]).await.unwrap();
    }
    let secrets = (0..1500).step_by(6).map(|index| fact(&me, index, SECRET).source).collect();
    catalog.erase(&me, &Target::Memories(secrets), at("2026-06-01T00:00:00Z")).await.unwrap();
    let write = async {
        for index in 1500..2500 {
            let object = "cake ".repeat(index % 50);
            catalog.add_operations(&other, vec![fact(&other, index, &object)]).await.unwrap();
        }
    };
    let (scrubbed, ()) = futures::join!(catalog.scrub(), write);
    scrubbed.unwrap();
    assert!(!catalog.unused_space_contains(&[SECRET.to_owned()]).await.unwrap());
    assert!(!occurs(&files(&folder)));
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    assert_eq!(catalog.operations(&other).await.unwrap().1.len(), 1750);
}

/// Stores rows so long that they use overflow pages, which become free when the rows are erased.
#[tokio::test]
async fn long_rows_leave_no_text_in_free_pages() {
    let folder = Folder::new();
    let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
    let turns: Vec<_> =
        (0..20).map(|id| user_turn(&me, &id.to_string(), &format!("{SECRET} {id}. ").repeat(2000))).collect();
    catalog.ingest(&me, turns, OnConflict::Refuse, now).await.unwrap();
    catalog.erase(&me, &Target::Conversation("talk".into()), now).await.unwrap();
    catalog.scrub().await.unwrap();
    assert!(!catalog.unused_space_contains(&[SECRET.to_owned()]).await.unwrap());
    assert!(!occurs(&files(&folder)));
}

#[tokio::test]
async fn concurrent_scrubs_share_a_pass() {
    let drive = Drive::new();
    let (catalog, me) = (open(&drive, None).unwrap(), agent("me"));
    store_secret(&catalog, &me).await;
    forget(&catalog, &me).await;
    let passes = futures::future::join_all((0..10).map(|_| catalog.scrub())).await;
    assert!(passes.iter().all(Result::is_ok));
    assert!(!drive.disk().contains(b"swordfish"));
    assert_eq!(catalog.backend.scrubs.begun(), 2, "the first began before the others asked");
}

#[tokio::test]
async fn text_escaped_in_json_is_found() {
    let folder = Folder::new();
    let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
    let turn = user_turn(&me, "1", "tea");
    catalog.ingest(&me, vec![turn.clone()], OnConflict::Refuse, now).await.unwrap();
    let mut day = summary("2026-03-04", 1, std::slice::from_ref(&turn.id), "They had tea.");
    day.draft.as_mut().unwrap().sentences = vec![annals_core::Sentence {
        day: turn.day.first_day(),
        speaker: None,
        text: "Then:\nthe \"tea\"".into(),
        from: vec![turn.id],
        ungrounded: false,
    }];
    catalog.save_summaries(&me, vec![day], now).await.unwrap();
    for (word, expect) in [
        ("\nthe \"tea\"", &["summary.sentences"][..]),
        ("tea", &["summary.sentences", "summary.text", "turn.content"]),
        ("coffee", &[]),
    ] {
        assert_eq!(catalog.find_leftovers(&me, &[word.to_owned()]).await.unwrap(), expect, "{word:?}");
    }
}

#[tokio::test]
async fn scrubbed_text_stays_gone_after_a_power_cut() {
    let (drive, me) = (Drive::new(), agent("me"));
    for seed in 0..16 {
        drive.disk().clear();
        let catalog = open(&drive, None).unwrap();
        store_secret(&catalog, &me).await;
        forget(&catalog, &me).await;
        catalog.scrub().await.unwrap();
        drive.disk().power_goes_at(drive.disk().steps());
        drop(catalog);
        drive.disk().power_is_back(Unsynced::LostByChance(seed));
        assert!(!drive.disk().contains(b"swordfish"), "seed {seed}");
        assert_eq!(open(&drive, None).unwrap().counts(&me).await.unwrap().memories[0], 199);
    }
}

/// Cuts the power at every seventh step of the erasure and of the scrub.
#[tokio::test]
async fn power_cut_while_forgetting_loses_nothing_else_and_restores_nothing() {
    let (drive, me) = (Drive::new(), agent("me"));
    let open_all = async || {
        drive.disk().clear();
        store_secret(&open(&drive, None).unwrap(), &me).await;
        drive.disk().steps()
    };
    let before = open_all().await;
    let catalog = open(&drive, None).unwrap();
    forget(&catalog, &me).await;
    let erased = drive.disk().steps();
    catalog.scrub().await.unwrap();
    drop(catalog);
    let after = drive.disk().steps();
    for step in (before..=after).step_by(7).chain([erased, erased + 1, after - 1]) {
        open_all().await;
        drive.disk().power_goes_at(step);
        let (erased, scrubbed) = match open(&drive, None) {
            Ok(catalog) => (erase(&catalog, &me).await.is_ok(), catalog.scrub().await.is_ok()),
            Err(_) => (false, false),
        };
        drive.disk().power_is_back(Unsynced::LostByChance(step));
        assert!(!(erased && scrubbed && drive.disk().contains(b"swordfish")), "step {step}");
        let catalog = open(&drive, None).unwrap();
        assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new(), "step {step}");
        let turns = catalog.counts(&me).await.unwrap().memories[0];
        assert!(turns == 199 || (turns == 201 && !erased), "step {step}: {turns} turns");
        assert_eq!(
            catalog.find_leftovers(&me, &[SECRET.to_owned()]).await.unwrap().is_empty(),
            turns == 199,
            "step {step}"
        );
    }
}
