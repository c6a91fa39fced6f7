//! Former texts of memories.

use annals_core::ports::{OnConflict, Version};
use annals_core::{MemoryId, Message, Role, Timestamp};

use super::correct::a_day;
use crate::suites::Store;
use crate::suites::catalog::{later, me, now, say, user_turn};
use crate::suites::history::{By, extract, roll_up};
use crate::{agent, period, turn_of};

fn version(text: &str, replaced_at: Timestamp) -> Version {
    Version { text: text.into(), replaced_at }
}

pub(super) async fn former_texts_of_a_corrected_memory_are_in_order(store: &dyn Store) {
    let statement = a_day(store).await;
    // A clock that was turned back does not change the order.
    for (text, at) in [("b", later()), ("c", now()), ("b", later())] {
        store.correct(&me(), &statement.id, text, at).await.unwrap();
    }
    let expected = [version("Ann likes tea.", later()), version("b", now()), version("c", later())];
    assert_eq!(store.versions(&me(), &statement.id).await.unwrap(), expected);
    assert_eq!(store.versions(&me(), &MemoryId::from_text("t-absent")).await.unwrap(), []);
}

pub(super) async fn former_texts_of_a_revised_turn_are_kept(store: &dyn Store) {
    let tea = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    say(store, vec![tea.clone(), user_turn("2", "2026-03-04T11:00:00Z", "cake")]).await;
    let moved = user_turn("1", "2026-03-05T10:00:00Z", "tea");
    let by_tool = turn_of(&me(), Message { role: Role::Tool, ..moved.message.clone() });
    for (turn, at) in [
        (moved, now()),
        (by_tool, now()),
        (user_turn("1", "2026-03-05T10:00:00Z", "coffee"), now()),
        (user_turn("1", "2026-03-05T10:00:00Z", "coffee"), later()),
        (user_turn("1", "2026-03-05T10:00:00Z", "tea"), later()),
    ] {
        store.ingest(&me(), vec![turn], OnConflict::Revise, at).await.unwrap();
    }
    let expected = [version("tea", now()), version("coffee", later())];
    assert_eq!(store.versions(&me(), &tea.id).await.unwrap(), expected, "other words alone make a version");
    // If a request contradicts itself, the later text is stored and the earlier one becomes a version.
    let request = ["a", "b"].map(|text| user_turn("9", "2026-03-05T10:00:00Z", text));
    store.ingest(&me(), request.to_vec(), OnConflict::Revise, now()).await.unwrap();
    assert_eq!(store.versions(&me(), &request[0].id).await.unwrap(), [version("a", now())]);
}

pub(super) async fn former_texts_go_with_the_memory(store: &dyn Store) {
    let statement = a_day(store).await;
    let day = MemoryId::summary(&me(), period("2026-03-04"));
    for id in [&statement.id, &day] {
        store.correct(&me(), id, "x", now()).await.unwrap();
        assert_eq!(store.versions(&me(), id).await.unwrap().len(), 1);
    }
    extract(store, &[&user_turn("1", "2026-03-04T10:00:00Z", "tea")], Vec::new(), Vec::new()).await;
    assert_eq!(store.versions(&me(), &statement.id).await.unwrap(), []);
    let moved = ["1", "2"].map(|id| user_turn(id, "2026-03-12T10:00:00Z", "moved"));
    store.ingest(&me(), moved.to_vec(), OnConflict::Revise, now()).await.unwrap();
    roll_up(store, "2026-03-04", By::Quoting).await;
    assert_eq!(store.versions(&me(), &day).await.unwrap(), []);
}

pub(super) async fn former_texts_of_another_agent_are_hidden(store: &dyn Store) {
    let statement = a_day(store).await;
    store.correct(&me(), &statement.id, "x", now()).await.unwrap();
    assert_eq!(store.versions(&agent("other"), &statement.id).await.unwrap(), []);
}
