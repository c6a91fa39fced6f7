//! Forgotten items that a later import may contain again: entered statements and facts, blocks, documents.

use annals_core::ports::{Block, DocumentWrite, Expected, ItemKey, Target};
use annals_core::{Interval, MemoryId, Statement};

use super::{by_id, erase};
use crate::suites::Store;
use crate::suites::catalog::{me, now, user_turn};
use crate::{agent, at, document, entry, statement};

const AT: &str = "2026-03-04T10:00:00Z";

/// Builds a statement as an import enters it, with `id` as its id in the source.
fn entered(id: &str, text: &str) -> Statement {
    let source = MemoryId::imported(&me(), id);
    let sources = vec![source.clone()];
    let stated = statement(&me(), &user_turn("1", AT, "x"), text);
    Statement { id: MemoryId::entered_statement(&me(), &source), sources, ..stated }
}

/// Stores one item of each kind, all naming Zelda. Returns their keys.
async fn save(store: &dyn Store) -> Vec<ItemKey> {
    let stated = entered("1", "Zelda sings.");
    store.add_statements(&me(), vec![stated.clone()]).await.unwrap();
    let fact = entry(&me(), "Zelda likes tea", AT);
    store.add_operations(&me(), vec![fact.clone()]).await.unwrap();
    let block = Block { name: "human".into(), text: "Zelda is here.".into(), updated_at: now() };
    crate::save_block(store, &me(), block).await.unwrap();
    let written = document("a", at(AT), "Of Zelda.");
    let key = written.document_key();
    store.write_documents(&me(), vec![DocumentWrite::Save(Box::new(written), Expected::Any)], now()).await.unwrap();
    vec![
        ItemKey::Statement(stated.id),
        ItemKey::Operation(fact.id),
        ItemKey::Block("human".into()),
        ItemKey::Document(key),
    ]
}

async fn forgotten(store: &dyn Store, items: &[ItemKey]) -> Vec<bool> {
    store.forgotten_items(&me(), items).await.unwrap()
}

pub(super) async fn forgotten_items_are_recognized_by_place(store: &dyn Store) {
    let items = save(store).await;
    assert_eq!(forgotten(store, &items).await, [false; 4]);
    erase(store, Target::Subject("Zelda".into())).await;
    assert_eq!(forgotten(store, &items).await, [true; 4]);
    assert_eq!(store.forgotten_items(&agent("other"), &items[2..3]).await.unwrap(), [false]);
    let others = [ItemKey::Block("persona".into()), ItemKey::Operation("human".into())];
    assert_eq!(forgotten(store, &others).await, [false; 2]);
    store.unforget_items(&me(), &items[1..3]).await.unwrap();
    assert_eq!(forgotten(store, &items).await, [true, false, false, true]);
}

pub(super) async fn forgotten_items_are_recognized_after_the_agent_is_erased(store: &dyn Store) {
    let items = save(store).await;
    erase(store, Target::Agent).await;
    assert_eq!(forgotten(store, &items).await, [true; 4]);
}

pub(super) async fn entered_statement_is_erased_by_id_and_by_range(store: &dyn Store) {
    let (first, second) = (entered("1", "One."), entered("2", "Two."));
    store.add_statements(&me(), vec![first.clone(), second.clone()]).await.unwrap();
    assert_eq!(erase(store, by_id(&[&first.id])).await.statements, std::slice::from_ref(&first.id));
    assert_eq!(erase(store, Target::Conversation("talk".into())).await.statements, []);
    let past = Interval { end: at(AT), ..Interval::ALWAYS };
    assert_eq!(erase(store, Target::Range(past)).await.statements, []);
    assert_eq!(erase(store, Target::Range(Interval::ALWAYS)).await.statements, [second.id]);
}

pub(super) async fn entered_statement_is_replaced_by_its_id(store: &dyn Store) {
    for text in ["One.", "Another one."] {
        store.add_statements(&me(), vec![entered("1", text)]).await.unwrap();
    }
    let stored = store.get(&me(), &[entered("1", "").id]).await.unwrap();
    assert_eq!(stored.iter().map(|memory| memory.text.as_str()).collect::<Vec<_>>(), ["Another one."]);
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}
