//! Restore: which records are stored, in one piece or in several, and which are refused.

use annals_core::ports::{Block, Change, Children, Erasure, OnConflict, Record, Select, Target};
use annals_core::{Agent, Error, Grain, Kind, LedgerRow, Memory, Settings};

use super::records::records;
use super::world::build;
use super::{all_records, restore_records};
use crate::suites::Store;
use crate::suites::catalog::{all_changes, dirty, later, me, now, say, user_turn};
use crate::suites::history::{By, roll_up_all, sorted};
use crate::{MemoryCatalog, agent, entry, turn};

/// Returns the in-memory catalog of the sample agent, and its records.
async fn world() -> (MemoryCatalog, Vec<Record>) {
    let memory = MemoryCatalog::new();
    build(&memory).await;
    let records = records(&memory).await;
    (memory, records)
}

async fn restored(store: &dyn Store) -> (MemoryCatalog, Vec<Record>) {
    // Writes of another agent shift the sequence numbers.
    let other = agent("other");
    store
        .ingest(&other, vec![turn(&other, "2026-03-04T10:00:00Z", "theirs")], OnConflict::Refuse, now())
        .await
        .unwrap();
    let (memory, records) = world().await;
    restore_records(store, &me(), records.clone(), later()).await.unwrap();
    (memory, records)
}

pub(super) async fn restored_agent_has_the_same_records(store: &dyn Store) {
    let (_, expected) = restored(store).await;
    assert_eq!(records(store).await, expected);
}

/// Returns the agent's memories, ledger, children, operations, blocks, counts and settings, without sequence numbers.
async fn answers(store: &dyn Store) -> String {
    let mut lines = Vec::new();
    for grain in Grain::ALL {
        let listed = store.list(&me(), &Select::all(grain)).await.unwrap();
        for memory in listed {
            let versions = store.versions(&me(), &memory.id).await.unwrap();
            lines.push(format!("{:?} {versions:?}", Memory { seq: 0, ..memory }));
        }
    }
    for row in store.ledger(&me()).await.unwrap() {
        let (period, dirty) = (row.period, row.is_dirty());
        let inputs = store.inputs(&me(), period).await.unwrap();
        let inputs: Vec<_> = inputs.iter().map(|memory| &memory.id).collect();
        let base = store.base(&me(), period).await.unwrap();
        let row = LedgerRow { dirty_seq: 0, clean_seq: 0, ..row };
        lines.push(format!("{row:?} {dirty} {inputs:?} {base:?}"));
    }
    for children in store.children(&me()).await.unwrap() {
        lines.push(format!("{:?}", Children { last_turn: 0, ..children }));
    }
    let (_, log) = store.operations(&me()).await.unwrap();
    lines.extend(sorted(log.iter().map(|operation| format!("{operation:?}")).collect()));
    lines.push(format!("{:?}", store.blocks(&me()).await.unwrap()));
    lines.push(format!("{:?} {:?}", store.counts(&me()).await.unwrap(), store.settings(&me()).await.unwrap()));
    lines.join("\n")
}

pub(super) async fn restored_agent_gives_the_same_answers(store: &dyn Store) {
    let (memory, _) = restored(store).await;
    pretty_eq(&answers(store).await, &answers(&memory).await);
    assert!(store.all_agents().await.unwrap().contains(&me()));
}

fn pretty_eq(left: &str, right: &str) {
    for (left, right) in left.lines().zip(right.lines()) {
        assert_eq!(left, right);
    }
    assert_eq!(left.lines().count(), right.lines().count());
}

pub(super) async fn restored_memories_are_changes_for_projections(store: &dyn Store) {
    restored(store).await;
    let mut seqs = Vec::new();
    for grain in Grain::ALL {
        let changes = all_changes(store, grain).await;
        let live = changes.iter().filter(|change| matches!(change, Change::Upsert(_)));
        let kinds = vec![Kind::Turn, Kind::Statement, Kind::Summary, Kind::Passage];
        let select = Select { kinds, ..Select::all(grain) };
        assert_eq!(live.count(), store.list(&me(), &select).await.unwrap().len(), "{grain}");
        seqs.extend(changes.iter().map(Change::seq));
    }
    let (all, unique) = (seqs.len(), std::collections::BTreeSet::from_iter(seqs));
    assert_eq!((unique.len(), unique.contains(&0)), (all, false), "each has a number of its own");
    assert!(store.log_version(&me()).await.unwrap() > 0);
}

pub(super) async fn extraction_resumes_after_restore(store: &dyn Store) {
    let (_, records) = restored(store).await;
    let watermark = store.extraction(&me()).await.unwrap();
    for memory in store.list(&me(), &Select::all(Grain::Working)).await.unwrap() {
        let is_its = |record: &&Record| matches!(record, Record::Turn { content, .. } if *content == memory.text);
        if let Some(Record::Turn { extracted, .. }) = records.iter().find(is_its) {
            assert_eq!(memory.seq <= watermark.extracted, *extracted, "{memory:?} and {watermark:?}");
        }
    }
    assert_eq!((watermark.attempts, watermark.last_error), (0, None));
    // The next turn has not been extracted yet.
    let seq = say(store, vec![user_turn("99", "2026-03-01T10:00:00Z", "more")]).await.seq;
    assert!(seq > watermark.extracted);
}

pub(super) async fn roll_up_and_retention_resume_after_restore(store: &dyn Store) {
    let (memory, _) = restored(store).await;
    for store in [store, &memory as &dyn Store] {
        let again = say(store, vec![user_turn("5", "2026-03-17T10:00:00Z", "moved")]).await;
        assert_eq!((again.accepted, again.duplicate), (0, 1));
        say(store, vec![user_turn("99", "2026-03-05T10:00:00Z", "more")]).await;
        roll_up_all(store, By::Quoting).await;
        assert_eq!(dirty(store).await, Vec::<String>::new());
    }
    assert_eq!(records(store).await, records(&memory).await);
}

/// A turn that was pruned before the export is known and not added again. A turn that was forgotten before the export has no
/// record, so it is stored as new.
pub(super) async fn pruned_turn_stays_pruned_after_restore(store: &dyn Store) {
    let (memory, _) = world().await;
    let moved = user_turn("5", "2026-03-17T10:00:00Z", "moved");
    memory.erase(&me(), &Target::Memories(vec![moved.id.clone()]), later()).await.unwrap();
    restore_records(store, &me(), records(&memory).await, later()).await.unwrap();
    for (id, instant, text) in [("1", "2026-03-04T10:00:00Z", "tea"), ("3", "2026-03-11T10:00:00Z", "home")] {
        let again = say(store, vec![user_turn(id, instant, text)]).await;
        assert_eq!((again.accepted, again.duplicate), (0, 1), "{text}");
    }
    assert_eq!(records(store).await, records(&memory).await);
    assert_eq!(say(store, vec![moved]).await.accepted, 1);
    // Its content is not known any more, so a revision of it cannot be told from the same text.
    let late = vec![user_turn("1", "2026-03-04T10:00:00Z", "green tea")];
    assert_eq!(store.ingest(&me(), late, OnConflict::Revise, later()).await.unwrap().duplicate, 1);
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

pub(super) async fn turn_that_is_both_live_and_pruned_is_refused(store: &dyn Store) {
    let (_, mut records) = world().await;
    let gone = Record::Gone { id: user_turn("5", "2026-03-17T10:00:00Z", "moved").id, day: None, at: None };
    refused(store, [&[gone][..], &records[..]].concat()).await;
    let twice = records.iter().find(|record| matches!(record, Record::Gone { .. })).unwrap().clone();
    records.push(twice);
    restore_records(store, &me(), records, later()).await.unwrap();
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

pub(super) async fn day_without_a_ledger_record_is_dirty(store: &dyn Store) {
    let (_, mut records) = world().await;
    records.retain(|record| matches!(record, Record::Turn { .. }));
    restore_records(store, &me(), records, later()).await.unwrap();
    assert_eq!(dirty(store).await, ["2026-03-11", "2026-03-16", "2026-03-17", "2026-03-19", "2026-03-20"]);
    assert!(store.ledger(&me()).await.unwrap().iter().all(|row| row.dirty_at == later()));
    assert_eq!(store.settings(&me()).await.unwrap(), Settings::default());
}

async fn refused(store: &dyn Store, records: Vec<Record>) {
    let before = (self::records(store).await, all_changes(store, Grain::Working).await);
    let refused = restore_records(store, &me(), records, later()).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    assert_eq!((self::records(store).await, all_changes(store, Grain::Working).await), before);
}

pub(super) async fn agent_with_memories_refuses_restore(store: &dyn Store) {
    let (_, records) = world().await;
    let entered = entry(&me(), "Ann likes cake", "2026-03-12T10:00:00Z");
    store.add_operations(&me(), vec![entered.clone()]).await.unwrap();
    refused(store, records.clone()).await;
    store.erase(&me(), &Target::Memories(vec![entered.source]), now()).await.unwrap();
    say(store, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    refused(store, records.clone()).await;
    store.erase(&me(), &Target::Agent, now()).await.unwrap();
    let block = Block { name: "persona".into(), text: "You are kind.".into(), updated_at: now() };
    crate::save_block(store, &me(), block).await.unwrap();
    refused(store, records.clone()).await;
    restore_records(store, &agent("other"), vec![Record::Settings(Settings::default())], now()).await.unwrap();
    // Settings are not memories, so they are replaced. Records without ids of memories fit any agent.
    let plain = |record: &Record| matches!(record, Record::Settings(_) | Record::Turn { .. } | Record::Block { .. });
    let records = records.into_iter().filter(plain).collect();
    let third = agent("third");
    let settings = Settings { plan: "pro".into(), ..Settings::default() };
    store.save_settings(&third, &settings).await.unwrap();
    restore_records(store, &third, records, now()).await.unwrap();
    assert_eq!(store.settings(&third).await.unwrap().plan, "free");
}

pub(super) async fn refused_restore_stores_nothing(store: &dyn Store) {
    let (_, records) = world().await;
    for bad in ["", "xyz", "é", &"0".repeat(63), &"0".repeat(66), &"G".repeat(64)] {
        let mut records = records.clone();
        let Some(Record::Period { recipe, .. }) = records.iter_mut().rfind(|r| matches!(r, Record::Period { .. }))
        else {
            panic!("the world has periods");
        };
        *recipe = Some(bad.into());
        refused(store, records).await;
    }
    let document = records.iter().find(|record| matches!(record, Record::Document(_))).unwrap().clone();
    refused(store, [records.clone(), vec![document]].concat()).await;
    assert_eq!(store.all_agents().await.unwrap(), []);
    restore_records(store, &me(), records, now()).await.unwrap();
}

pub(super) async fn restore_under_another_name_is_refused(store: &dyn Store) {
    let (_, records) = world().await;
    let elsewhere = Agent::in_workspace("elsewhere", me().name()).unwrap();
    for other in [agent("other"), elsewhere] {
        let refused = restore_records(store, &other, records.clone(), later()).await.map_err(|error| error.to_string());
        assert!(refused.is_err_and(|error| error.starts_with("agent does not match these records")));
        assert_eq!(store.all_agents().await.unwrap(), []);
    }
    restore_records(store, &me(), records, later()).await.unwrap();
}

pub(super) async fn renamed_agent_is_restored_with_its_names(store: &dyn Store) {
    let (_, records) = world().await;
    let renamed = me().renamed("Anna").unwrap();
    restore_records(store, &renamed, records.clone(), later()).await.unwrap();
    for name in [me().key(), "Anna"] {
        let found = store.resolve_agent(me().workspace(), name).await.unwrap();
        assert_eq!((found.key(), found.name()), (me().key(), "Anna"), "{name}");
    }
    assert_eq!(self::records(store).await, records);
    for taken in [agent("other").renamed("Anna").unwrap(), agent("Anna")] {
        let refused = restore_records(store, &taken, Vec::new(), later()).await;
        assert!(matches!(&refused, Err(Error::Exists { name, .. }) if name == "Anna"), "{refused:?}");
    }
}

pub(super) async fn restore_keeps_the_name_of_an_agent_without_memories(store: &dyn Store) {
    let (_, records) = world().await;
    store.save_settings(&me(), &Settings::default()).await.unwrap();
    store.rename_agent(&me(), "Anna").await.unwrap();
    restore_records(store, &me(), records, later()).await.unwrap();
    let found = store.resolve_agent(me().workspace(), "Anna").await.unwrap();
    assert_eq!((found.key(), found.name()), (me().key(), "Anna"));
    assert_eq!(store.all_agents().await.unwrap()[0].name(), "Anna");
}

pub(super) async fn forgotten_turns_are_not_restored(store: &dyn Store) {
    let (_, records) = world().await;
    let secret = user_turn("8", "2026-03-11T09:00:00Z", "late\nand long");
    say(store, vec![secret.clone()]).await;
    store.erase(&me(), &Target::Agent, now()).await.unwrap();
    refused(store, records.clone()).await;
    store.unforget(&me(), &[(secret.key, secret.message.digest())]).await.unwrap();
    restore_records(store, &me(), records.clone(), now()).await.unwrap();
    assert_eq!(self::records(store).await, records);
}

pub(super) async fn restore_does_not_change_other_agents(store: &dyn Store) {
    let other = agent("other");
    store
        .ingest(&other, vec![turn(&other, "2026-03-04T10:00:00Z", "theirs")], OnConflict::Refuse, now())
        .await
        .unwrap();
    let before = all_records(store, &other).await;
    let (_, records) = world().await;
    restore_records(store, &me(), records, later()).await.unwrap();
    assert_eq!(all_records(store, &other).await, before);
    assert_eq!(store.list(&other, &Select::all(Grain::Working)).await.unwrap()[0].kind(), Kind::Turn);
}

pub(super) async fn restore_of_no_records_changes_nothing(store: &dyn Store) {
    restore_records(store, &me(), Vec::new(), now()).await.unwrap();
    assert_eq!(records(store).await, [Record::Settings(Settings::default())]);
    assert_eq!(store.all_agents().await.unwrap(), []);
}

/// Returns the records exported from another store, in restore order.
async fn exported() -> Vec<Record> {
    let source = MemoryCatalog::new();
    build(&source).await;
    let mut records = all_records(&source, &me()).await;
    records.sort_by_key(Record::rank);
    records
}

pub(super) async fn unfinished_restore_is_not_visible(store: &dyn Store) {
    let records = exported().await;
    let nothing = all_records(store, &me()).await;
    store.begin_restore(&me()).await.unwrap();
    store.restore_some(&me(), records[..records.len() / 2].to_vec()).await.unwrap();
    assert_eq!((store.all_agents().await.unwrap(), all_records(store, &me()).await), (Vec::new(), nothing.clone()));
    // Begin again, as after a crash.
    store.begin_restore(&me()).await.unwrap();
    for piece in records.chunks(3) {
        store.restore_some(&me(), piece.to_vec()).await.unwrap();
        assert_eq!((store.all_agents().await.unwrap(), all_records(store, &me()).await), (Vec::new(), nothing.clone()));
    }
    store.finish_restore(&me(), now()).await.unwrap();
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
    let mut restored = all_records(store, &me()).await;
    restored.sort_by_key(Record::rank);
    assert_eq!(restored, records);
}

pub(super) async fn memories_stored_meanwhile_refuse_the_restore(store: &dyn Store) {
    let records = exported().await;
    store.begin_restore(&me()).await.unwrap();
    store.restore_some(&me(), records).await.unwrap();
    say(store, vec![user_turn("own", "2026-03-04T10:00:00Z", "tea")]).await;
    let present = all_records(store, &me()).await;
    let error = store.finish_restore(&me(), now()).await.unwrap_err();
    assert!(error.to_string().starts_with("agent tester already has memories; an export"), "{error}");
    store.drop_restore(&me()).await.unwrap();
    assert_eq!(all_records(store, &me()).await, present);
    assert!(store.finish_restore(&me(), now()).await.is_err(), "there is nothing to be finished");
}
