//! A sample agent with at least one record of every kind.

use annals_core::ports::{Access, Block, Content, Document, DocumentWrite, Expected, OnConflict, Turn};
use annals_core::{Draft, FactOperation, MemoryId, Message, Role, Settings, SignedDuration, Statement, Summary};

use crate::suites::Store;
use crate::suites::catalog::{later, me, now, row, say, user_turn};
use crate::suites::history::{By, extract, roll_up, roll_up_all, seal};
use crate::{at, document, entry, operation, period, replacing, statement, summary, turn_of};

/// Builds the agent. Two days of 2026-W10 are pruned under the sealed week. One day of 2026-W11 is sealed. 2026-03-16 was
/// written by a model and corrected. 2026-03-18 lost its only turn. Turns that were revised or arrived after the extraction are
/// not extracted yet.
pub(super) async fn build(store: &dyn Store) {
    let settings = Settings { time_zone: "Asia/Tokyo".into(), plan: "free".into(), ..Settings::default() };
    store.save_settings(&me(), &settings).await.unwrap();
    for (name, text) in [("persona", "You are \"kind\"."), ("human", "東京\nand more")] {
        let block = Block { name: name.into(), text: text.into(), updated_at: later() };
        crate::save_block(store, &me(), block).await.unwrap();
    }
    let written = [document("plan", later(), "# 東京\n\nand \"more\""), document("empty", now(), "")];
    let fleeting = Document {
        content: Content::Json(serde_json::json!({"a": [1, "b"]})),
        indexed: Some(vec!["a[1]".into()]),
        lifetime: Some(SignedDuration::from_hours(1)),
        expires_at: Some(at("2027-01-01T00:00:00Z")),
        ..document("json", now(), "b")
    };
    for document in written.into_iter().chain([fleeting]) {
        let write = DocumentWrite::Save(Box::new(document), Expected::Any);
        store.write_documents(&me(), vec![write], now()).await.unwrap();
    }
    let turns = turns();
    say(store, turns.clone()).await;
    roll_up_all(store, By::Quoting).await;
    for label in ["2026-03-04", "2026-03-05", "2026-W10", "2026-03-11"] {
        seal(store, label).await;
    }
    extract(store, &[&turns[3], &turns[4]], statements(&turns), operations(&turns)).await;
    store.add_operations(&me(), vec![entry(&me(), "Ann likes \"cake\"", "2026-03-12T10:00:00Z")]).await.unwrap();
    store
        .ingest(&me(), vec![user_turn("5", "2026-03-17T10:00:00Z", "moved")], OnConflict::Revise, later())
        .await
        .unwrap();
    store
        .ingest(&me(), vec![user_turn("6", "2026-03-19T10:00:00Z", "gone on")], OnConflict::Revise, later())
        .await
        .unwrap();
    roll_up_all(store, By::Quoting).await;
    roll_up(store, "2026-03-16", By::Model).await;
    degrade(store, "2026-03-17", &turns[4].id).await;
    let day = MemoryId::summary(&me(), period("2026-03-16"));
    for text in ["A corrected day.", "A day corrected twice."] {
        store.correct(&me(), &day, text, later()).await.unwrap();
    }
    store.correct(&me(), &statements(&turns)[0].id, "Ann is at home.", later()).await.unwrap();
    for id in [&turns[3].id, &statements(&turns)[0].id, &MemoryId::summary(&me(), period("2026-W11"))] {
        store.pin(&me(), id, true).await.unwrap();
    }
    for (times, id) in [(1, &turns[3].id), (2, &statements(&turns)[0].id), (3, &day)] {
        store.add_accesses(&me(), &[(id.clone(), Access { times, last: later() })]).await.unwrap();
    }
    let late =
        [user_turn("8", "2026-03-11T09:00:00Z", "late\nand long"), user_turn("9", "2026-03-20T09:00:00Z", "new")];
    store.ingest(&me(), late.to_vec(), OnConflict::Refuse, at("2026-06-03T00:00:00.000001Z")).await.unwrap();
}

fn turns() -> Vec<Turn> {
    let iris = Message {
        role: Role::Assistant,
        name: Some("Iris".into()),
        client_id: None,
        ..user_turn("7", "2026-03-16T09:00:00.000001Z", "東京, \"so\" to speak").message
    };
    vec![
        user_turn("1", "2026-03-04T10:00:00Z", "tea"),
        user_turn("2", "2026-03-05T10:00:00Z", "cake"),
        user_turn("3", "2026-03-11T10:00:00Z", "home"),
        turn_of(&me(), iris),
        user_turn("5", "2026-03-16T10:00:00Z", "moving"),
        user_turn("6", "2026-03-18T10:00:00Z", "gone"),
    ]
}

fn statements(turns: &[Turn]) -> Vec<Statement> {
    let plan = Statement {
        when: Some(at("2026-04-01T00:00:00Z")),
        who: Vec::new(),
        confidence: Some(0.25),
        sources: vec![turns[4].id.clone(), turns[3].id.clone()],
        ..statement(&me(), &turns[4], "They move.")
    };
    vec![statement(&me(), &turns[3], "Ann is in Tokyo."), plan]
}

fn operations(turns: &[Turn]) -> Vec<FactOperation> {
    let mut moved = operation(&turns[4], 1, "Ann lives_in Kyoto");
    moved.properties.insert("since".into(), 3.into());
    moved.replaces = Some("Tokyo".into());
    // Operations are ordered by the time of the event, not of the statement.
    moved.at = at("2020-01-01T00:00:00Z");
    vec![operation(&turns[4], 0, "Ann works_at home"), moved]
}

/// Saves a summary that the built-in engine wrote in place of a model.
async fn degrade(store: &dyn Store, label: &str, source: &MemoryId) {
    let read = row(store, label).await.dirty_seq;
    let draft = Draft { text: "moved".into(), sentences: Vec::new(), tokens: 5, ungrounded: 2, verbatim: true };
    let sources = std::slice::from_ref(source);
    let saved = Summary { degraded: true, draft: Some(draft), ..summary(label, read, sources, "") };
    store.save_summaries(&me(), vec![replacing(store, &me(), saved).await], now()).await.unwrap();
}
