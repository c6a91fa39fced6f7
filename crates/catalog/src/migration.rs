//! Tests that catalogs of former schema versions open, and hold the data they held.

mod held;

use annals_testkit::all_records;
use std::collections::BTreeMap;
use std::path::Path;

use annals_core::ports::{
    Access, Accesses, Archive, Batches, Blocks, Building, Change, ClockNote, Content, Document, DocumentKey,
    DocumentWrite, Documents, Erasure, Expected, Journal, Keys, OnConflict, Record, Replies, RequestKey, Requests,
    Seals, Target, VectorModel, Watermark,
};
use annals_core::prelude::*;
use annals_core::{
    Agent, CacheTokens, DeadLetter, Digest, ExtractionWatermark, Grain, IngestReceipt, LedgerRow, MemoryId, Sentence,
    Settings, SignedDuration, Stage,
};
use annals_testkit::{agent, at, period};
use rusqlite::{Connection, OpenFlags};

use crate::SqliteCatalog;
use crate::fixture::{Folder, user_turn};
use crate::power_cut::{Drive, Unsynced, open};
use held::{has_what_is_new, holds_what_it_held, holds_what_version_2_held, holds_what_version_3_held};

const VERSION_1: &str = include_str!("fixture/version_1.sql");
const VERSION_2: &str = include_str!("fixture/version_2.sql");
const VERSION_3: &str = include_str!("fixture/version_3.sql");
const VERSION_4: &str = include_str!("fixture/version_4.sql");
const VERSION_5: &str = include_str!("fixture/version_5.sql");
const VERSION_6: &str = include_str!("fixture/version_6.sql");
const VERSION_7: &str = include_str!("fixture/version_7.sql");
const VERSION_8: &str = include_str!("fixture/version_8.sql");
const VERSION_9: &str = include_str!("fixture/version_9.sql");
const VERSION_10: &str = include_str!("fixture/version_10.sql");
const VERSION_11: &str = include_str!("fixture/version_11.sql");
const VERSION_12: &str = include_str!("fixture/version_12.sql");
const VERSION_13: &str = include_str!("fixture/version_13.sql");
const VERSION_14: &str = include_str!("fixture/version_14.sql");
const VERSION_15: &str = include_str!("fixture/version_15.sql");
/// The model that made all vectors until version 10.
const FORMER_MODEL: &str = "all-MiniLM-L6-v2@04f237888393";
const NOW: &str = "2026-06-01T00:00:00Z";
const PRUNED: &str = "t-ntutykxgssylhsgedrthrjitf6";
const TEA: &str = "t-myzedabe2jaxwfkkgzwop6zemk";
const CAKE: &str = "t-vfrimyyiiifqr5l6hktokwrjbj";

fn folder_of(version: &str) -> Folder {
    let folder = Folder::new();
    Connection::open(folder.path()).unwrap().execute_batch(version).unwrap();
    folder
}

#[tokio::test]
async fn version_1_catalog_is_migrated_without_loss() {
    holds_what_it_held(&folder_of(VERSION_1).open(), 6).await;
}

#[tokio::test]
async fn version_2_catalog_is_migrated_without_loss() {
    let catalog = folder_of(VERSION_2).open();
    holds_what_version_2_held(&catalog).await;
    holds_what_it_held(&catalog, 12).await;
    has_what_is_new(&catalog).await;
}

#[tokio::test]
async fn version_3_catalog_is_migrated_without_loss() {
    let catalog = folder_of(VERSION_3).open();
    holds_what_version_3_held(&catalog).await;
    holds_what_version_2_held(&catalog).await;
    holds_what_it_held(&catalog, 12).await;
}

#[tokio::test]
async fn version_4_to_15_catalogs_are_migrated_without_loss() {
    for version in [
        VERSION_4, VERSION_5, VERSION_6, VERSION_7, VERSION_8, VERSION_9, VERSION_10, VERSION_11, VERSION_12,
        VERSION_13, VERSION_14, VERSION_15,
    ] {
        let catalog = folder_of(version).open();
        let (me, now, cake) = (agent("me"), at("2026-06-01T00:00:00Z"), MemoryId::from_text(CAKE));
        assert_eq!(catalog.recall(&me, &[cake]).await.unwrap()[0].1, Some(Access { times: 3, last: now }));
        holds_what_version_3_held(&catalog).await;
        holds_what_version_2_held(&catalog).await;
        holds_what_it_held(&catalog, 12).await;
    }
}

#[tokio::test]
async fn version_9_catalog_keeps_its_attachments_and_knows_no_authors() {
    let (catalog, you) = (folder_of(VERSION_9).open(), agent("you"));
    let jam = MemoryId::from_text("t-bqhtytmgtxeukneksze67pglfx");
    let attachment = catalog.attachments(&you, &[jam]).await.unwrap().remove(0);
    assert_eq!(attachment.as_deref(), Some("{\"item\":\"jam\"}"));
    for who in [you, agent("me")] {
        assert!(catalog.ledger(&who).await.unwrap().iter().all(|row| row.author.is_none()), "{who:?}");
    }
    assert_eq!(catalog.prices().await.unwrap(), []);
}

#[tokio::test]
async fn version_10_catalog_keeps_its_prices() {
    let catalog = folder_of(VERSION_10).open();
    let prices = catalog.prices().await.unwrap();
    assert_eq!(prices.iter().map(|price| price.model.as_str()).collect::<Vec<_>>(), ["small"]);
}

#[tokio::test]
async fn version_11_catalog_keeps_its_open_batch() {
    let catalog = folder_of(VERSION_11).open();
    let open = catalog.open_batches().await.unwrap();
    assert_eq!(
        open.iter().map(|batch| (batch.remote.as_deref(), &batch.failure)).collect::<Vec<_>>(),
        [(Some("batch-1"), &None)]
    );
    assert_eq!(catalog.in_batch(&agent("me")).await.unwrap(), [period("2026-W20")]);
}

#[tokio::test]
async fn version_12_catalog_keeps_its_failed_batch_and_the_names_of_its_agents() {
    let catalog = folder_of(VERSION_12).open();
    assert_eq!(catalog.open_batches().await.unwrap()[0].failure.as_deref(), Some("no answer"));
    let agents = catalog.all_agents().await.unwrap();
    assert_eq!(agents.iter().map(Agent::name).collect::<Vec<_>>(), ["me", "you", "they"]);
    let renamed = catalog.rename_agent(&agents[1], "Anna").await.unwrap();
    assert_eq!(catalog.resolve_agent("default", "Anna").await.unwrap().key(), renamed.key());
}

#[tokio::test]
async fn version_13_catalog_keeps_its_names_and_has_no_prices_of_caches() {
    let catalog = folder_of(VERSION_13).open();
    assert_eq!(catalog.resolve_agent("w", "Them").await.unwrap().key(), "they");
    let price = catalog.prices().await.unwrap().remove(0);
    assert_eq!((price.input, price.output, price.cached_input, price.cache_write), (100, 400, None, None));
    let usage = catalog.usage(&agent("you"), at(NOW)).await.unwrap().remove(0);
    assert_eq!((usage.tokens_in, usage.tokens_out, usage.cache), (10, 3, CacheTokens::default()));
}

#[tokio::test]
async fn version_14_catalog_keeps_what_concerns_caches_and_has_no_limits_of_keys() {
    let (catalog, now) = (folder_of(VERSION_14).open(), at(NOW));
    let price = catalog.prices().await.unwrap().remove(0);
    assert_eq!((price.cached_input, price.cache_write), (Some(10), Some(125)));
    let usage = catalog.usage(&agent("you"), now).await.unwrap().remove(0);
    assert_eq!(usage.cache, CacheTokens { read: 4, written: 2 });
    let refused = catalog.refusals(&Digest([9; 32])).await.unwrap().unwrap();
    assert_eq!((refused.parameters, refused.at), (vec!["seed".to_owned(), "stop".to_owned()], now));
    let key = catalog.keys().await.unwrap().remove(0);
    assert_eq!((key.id.as_str(), key.daily_tokens), ("k1", None));
    assert_eq!(catalog.tokens_of_keys(now).await.unwrap(), BTreeMap::new());
    catalog.set_daily_tokens("k1", Some(5)).await.unwrap();
    assert_eq!(catalog.keys().await.unwrap()[0].daily_tokens, Some(5));
}

#[tokio::test]
async fn version_15_catalog_keeps_the_budgets_of_its_keys_and_is_not_closed() {
    let (catalog, now) = (folder_of(VERSION_15).open(), at(NOW));
    assert_eq!(catalog.keys().await.unwrap()[0].daily_tokens, Some(7));
    assert_eq!(catalog.tokens_of_keys(now).await.unwrap(), BTreeMap::from([("k1".to_owned(), 3)]));
    assert_eq!(catalog.closed().await.unwrap(), None);
}

#[tokio::test]
async fn version_8_catalog_keeps_its_documents() {
    let catalog = folder_of(VERSION_8).open();
    let they = Agent::in_workspace("w", "they").unwrap();
    let document_key = |key: &str| DocumentKey { collection: "notes.work".into(), key: key.into() };
    let mut found = catalog.documents(&they, &["plan.md", "stock"].map(document_key), at(NOW)).await.unwrap();
    let (stock, plan) = (found.pop().unwrap(), found.pop().unwrap());
    assert_eq!(plan.passage_texts(), ["plan.md\n# Bread\nThey bake rye.", "plan.md\n# Tea\nThey drink \"green\" tea."]);
    assert_eq!((plan.version, plan.lifetime, plan.expires_at), (2, None, None));
    let value = serde_json::json!({"rye": {"kilos": 3}, "note": "It is in the cellar."});
    assert_eq!((stock.content, stock.indexed), (Content::Json(value), Some(vec!["note".into()])));
    assert_eq!(
        (stock.lifetime, stock.expires_at),
        (Some(SignedDuration::from_hours(1)), Some(at("2026-06-01T01:00:00Z")))
    );
    let changes = catalog.changes(&they, Grain::Working, 11, 9).await.unwrap();
    assert_eq!(changes.iter().map(Change::seq).collect::<Vec<_>>(), [12, 13, 14, 15]);
    let counted = catalog.recall(&they, &[plan.memories(&they)[0].id.clone()]).await.unwrap().remove(0).1;
    assert_eq!(counted, Some(Access { times: 2, last: at(NOW) }));
    // The sequence continues, and documents are replaced.
    let replaced = Document { content: Content::Text("Nothing.".into()), passages: Vec::new(), ..plan };
    let write = DocumentWrite::Save(Box::new(replaced), Expected::Version(2));
    assert_eq!(catalog.write_documents(&they, vec![write], at(NOW)).await.unwrap(), [3]);
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    let changes = catalog.changes(&they, Grain::Working, 13, 9).await.unwrap();
    assert_eq!(changes.iter().map(Change::seq).collect::<Vec<_>>(), [14, 15, 17, 18]);
}

/// Of a turn pruned before version 5, the catalog holds only the id, and data that still refers to the turn.
#[tokio::test]
async fn turn_pruned_before_version_5_is_matched_by_id_or_remaining_data() {
    for version in [VERSION_2, VERSION_3, VERSION_4] {
        let catalog = folder_of(version).open();
        let (you, now, day) = (agent("you"), at("2026-06-01T00:00:00Z"), period("2026-03-04"));
        let report = async |target: Target| catalog.preview(&you, &target).await.unwrap();
        let by_conversation = report(Target::Conversation("talk".into())).await;
        assert_eq!((by_conversation.unresolved, by_conversation.unresolved_in), (1, vec![day]));
        assert_eq!((by_conversation.pruned, by_conversation.lost), (Vec::new(), Vec::new()));
        let id = MemoryId::from_text(PRUNED);
        let by_speaker = report(Target::Subject("user".into())).await;
        assert_eq!((by_speaker.pruned, by_speaker.lost), (vec![id.clone()], vec![day]));
        let by_id = catalog.erase(&you, &Target::Memories(vec![id.clone()]), now).await.unwrap();
        assert_eq!((by_id.pruned, by_id.lost, by_id.unresolved), (vec![id], vec![day], 0));
        let record = |record: &Record| matches!(record, Record::Gone { .. });
        assert!(!all_records(&catalog, &you).await.iter().any(record));
        assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    }
}

/// Before version 7 one sequence numbered the changes of all agents. A new agent may have the name of one that was erased then.
#[tokio::test]
async fn migrated_agents_continue_above_the_former_sequence() {
    let (catalog, now) = (folder_of(VERSION_6).open(), at("2026-06-01T00:00:00Z"));
    assert_eq!(catalog.last_sequence().await.unwrap(), 11);
    for name in ["me", "you", "erased before", "me"] {
        let agent = agent(name);
        let newest = catalog.changes(&agent, Grain::Working, 11, 9).await.unwrap().len();
        let turn = user_turn(&agent, &format!("new {newest}"), "Hello.");
        let done = catalog.ingest(&agent, vec![turn], OnConflict::Refuse, now).await.unwrap();
        assert_eq!(done.seq, 12 + newest as u64, "{name}");
    }
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
}

#[test]
fn migrated_schema_equals_new_schema() {
    let new = Folder::new();
    drop(new.open());
    for version in [
        VERSION_1, VERSION_2, VERSION_3, VERSION_4, VERSION_5, VERSION_6, VERSION_7, VERSION_8, VERSION_9, VERSION_10,
        VERSION_11, VERSION_12, VERSION_13, VERSION_14, VERSION_15,
    ] {
        let old = folder_of(version);
        drop(old.open());
        let old = schema(&Connection::open(old.path()).unwrap());
        assert!(old.len() > 100, "{old:?}");
        assert_eq!(old, schema(&Connection::open(new.path()).unwrap()));
    }
}

fn schema(connection: &Connection) -> Vec<String> {
    let mut statement = connection.prepare(include_str!("fixture/schema_of.sql")).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// After the cut the file has the old or the new version of the schema. It opens in both cases.
#[tokio::test]
async fn power_cut_during_migration_loses_nothing() {
    cut_power_while_migrating(VERSION_1, 6).await;
    cut_power_while_migrating(VERSION_2, 12).await;
    cut_power_while_migrating(VERSION_3, 12).await;
    cut_power_while_migrating(VERSION_4, 12).await;
    cut_power_while_migrating(VERSION_5, 12).await;
    cut_power_while_migrating(VERSION_6, 12).await;
    cut_power_while_migrating(VERSION_7, 12).await;
    cut_power_while_migrating(VERSION_8, 12).await;
    cut_power_while_migrating(VERSION_9, 12).await;
    cut_power_while_migrating(VERSION_10, 12).await;
    cut_power_while_migrating(VERSION_11, 12).await;
    cut_power_while_migrating(VERSION_12, 12).await;
    cut_power_while_migrating(VERSION_13, 12).await;
    cut_power_while_migrating(VERSION_14, 12).await;
    cut_power_while_migrating(VERSION_15, 12).await;
}

async fn cut_power_while_migrating(version: &str, next: u64) {
    let drive = Drive::new();
    let prepare = || {
        drive.disk().clear();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let path = Path::new("/catalog.sqlite");
        let former = Connection::open_with_flags_and_vfs(path, flags, drive.name()).unwrap();
        former.execute_batch(include_str!("sql/pragmas.sql")).unwrap();
        former.execute_batch(version).unwrap();
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
            holds_what_it_held(&open(&drive, None).unwrap(), next).await;
        }
    }
}
