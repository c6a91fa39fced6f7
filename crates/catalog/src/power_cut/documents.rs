//! Tests that documents and attachments survive a power cut at any step, while they are written, replaced, refreshed, expired,
//! removed, forgotten and restored. A document and its passages are stored together or not at all.

use annals_core::ports::{
    Archive, Change, Document, DocumentKey, DocumentWrite, Documents, Erasure, Expected, OnConflict, Record, Target,
    Turn, Turns,
};
use annals_core::prelude::*;
use annals_core::{Agent, Grain, SignedDuration, Timestamp};
use annals_testkit::{agent, all_records, at, document};

use super::{Drive, Unsynced, open};
use crate::SqliteCatalog;
use crate::fixture::user_turn;
use crate::sqlite::open::Bug;

fn now() -> Timestamp {
    at("2026-06-01T00:00:00Z")
}

/// Returns a document, which expires a day later if `expires`.
fn written(key: &str, text: &str, expires: bool) -> DocumentWrite {
    let lifetime = expires.then(|| SignedDuration::from_hours(24));
    let expires_at = lifetime.map(|lifetime| now() + lifetime);
    DocumentWrite::Save(Box::new(Document { lifetime, expires_at, ..document(key, now(), text) }), Expected::Any)
}

/// The number of steps. They run in order; each needs those before it.
const STEPS: usize = 11;

async fn step(catalog: &SqliteCatalog, me: &Agent, number: usize) -> annals_core::Result<()> {
    let document_key = |key: &str| DocumentKey { collection: "notes".into(), key: key.into() };
    let write = async |writes| catalog.write_documents(me, writes, now()).await.map(drop);
    let hour = SignedDuration::from_hours(1);
    match number {
        0 => {
            write(vec![written("plan", "Bread.\n\nTea.\n\nCake.", false), written("brief", "Soon.\n\nGone.", true)])
                .await
        }
        // Longer than a page, so that the transaction writes several.
        1 => write(vec![written("plan", &"Rye bread. ".repeat(900), false)]).await,
        2 => {
            let turn = Turn { attachment: Some(r#"{"item":1}"#.into()), ..user_turn(me, "1", "tea") };
            catalog.ingest(me, vec![turn], OnConflict::Refuse, now()).await.map(drop)
        }
        3 => catalog.attach(me, &user_turn(me, "1", "tea").id, r#"{"item":2}"#).await.map(drop),
        4 => catalog.refresh_documents(me, &[document_key("brief")], now() + hour).await,
        5 => catalog.remove_expired(now() + hour * 48, 9).await.map(drop),
        6 => write(vec![written("other", "Zelda plays the piano.", false), written("plan", "Oat.", false)]).await,
        7 => catalog.erase(me, &Target::Subject("Zelda".into()), now()).await.map(drop),
        8 => write(vec![DocumentWrite::Remove(document_key("plan"), Expected::Version(3))]).await,
        9 => catalog.erase(me, &Target::Agent, now()).await.map(drop),
        _ => restore(catalog, me).await,
    }
}

/// Restores a document and a turn with an attachment.
async fn restore(catalog: &SqliteCatalog, me: &Agent) -> annals_core::Result<()> {
    let turn = r#"{"record":"turn","conversation":"talk","id":"7","day":"2026-03-04","at":"2026-03-04T10:00:00Z","role":"user",
        "content":"cake","extracted":true,"attachment":"{\"item\":7}"}"#;
    let back = document("back", now(), "It is back.\n\nAll of it.");
    catalog.begin_restore(me).await?;
    let turn = serde_json::from_str(turn).expect("it is a record");
    catalog.restore_some(me, vec![turn, Record::Document(Box::new(back))]).await?;
    catalog.finish_restore(me, now()).await
}

/// Returns everything that is visible: the records of an export, and the changes that the tables receive.
async fn visible(catalog: &SqliteCatalog, me: &Agent) -> Vec<String> {
    let records = all_records(catalog, me).await.into_iter().map(|record| format!("{record:?}"));
    let changes = catalog.changes(me, Grain::Working, 0, 99).await.unwrap().into_iter();
    let changes = changes.map(|change| match change {
        Change::Upsert(memory) => format!("{} {} {}", memory.seq, memory.id, memory.text),
        Change::Delete { id, seq } => format!("{seq} {id} removed"),
    });
    records.chain(changes).collect()
}

/// Runs the steps until one fails. Returns the number of steps that succeeded.
async fn work(catalog: &SqliteCatalog, me: &Agent) -> usize {
    for number in 0..STEPS {
        if step(catalog, me, number).await.is_err() {
            return number;
        }
    }
    STEPS
}

/// Runs all steps. Returns what is visible before the first and after each.
async fn undisturbed(catalog: &SqliteCatalog, me: &Agent) -> Vec<Vec<String>> {
    let mut seen = vec![visible(catalog, me).await];
    for number in 0..STEPS {
        step(catalog, me, number).await.unwrap();
        seen.push(visible(catalog, me).await);
    }
    seen
}

/// Returns the first fault after a power cut at any step.
async fn fault(bug: Option<Bug>) -> Option<String> {
    let (drive, me) = (Drive::new(), agent("me"));
    drive.disk().clear();
    let seen = undisturbed(&open(&drive, bug).unwrap(), &me).await;
    assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "every step changes something: {seen:#?}");
    for cut in 0..=drive.disk().steps() {
        for unsynced in [Unsynced::AllLost, Unsynced::LostByChance(cut)] {
            drive.disk().clear();
            drive.disk().power_goes_at(cut);
            let answered = match open(&drive, bug) {
                Ok(catalog) => work(&catalog, &me).await,
                Err(_) => 0,
            };
            drive.disk().power_is_back(unsynced);
            let catalog = open(&drive, None).unwrap();
            let (faults, found) = (catalog.check().await.unwrap(), visible(&catalog, &me).await);
            // The step in progress at the cut may be stored or not. A restore takes several transactions; only the last makes
            // anything visible.
            if !faults.is_empty() || !seen[answered..(answered + 2).min(seen.len())].contains(&found) {
                return Some(format!("cut at {cut} after {answered} answers: {faults:?} {found:#?}"));
            }
        }
    }
    None
}

#[tokio::test]
async fn documents_survive_a_power_cut_at_any_step() {
    assert_eq!(fault(None).await, None);
}

#[tokio::test]
async fn planted_bugs_lose_documents() {
    for bug in [Bug::NeverSync, Bug::AnswerBeforeCommit] {
        assert!(fault(Some(bug)).await.is_some(), "{bug:?} was not found");
    }
}
