//! Conformance suite of port `Accesses`.

use annals_core::MemoryId;
use annals_core::ports::{Access, OnConflict, Target};

use super::catalog::{dirty, later, me, now, say, user_turn};
use super::history::{By, extract, roll_up_all, seal};
use super::{Store, SuiteTest, cases, run};
use crate::{agent, at, period, statement};

/// Runs every case, each on a new empty store from `make`.
pub async fn accesses_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        recorded_reads_are_listed_as_recalled,
        counts_add_up_and_last_time_is_newest,
        count_saturates_at_maximum,
        missing_memory_is_not_counted,
        counting_changes_nothing_else,
        agents_do_not_share_counts,
        revised_turn_keeps_its_count,
        forgetting_removes_counts,
        pruning_removes_counts,
        forgetting_the_agent_removes_counts,
    ];
    run("accesses", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

/// Returns the ids of a turn, of a statement extracted from it, and of the summary of its day.
async fn one_of_each(store: &dyn Store) -> [MemoryId; 3] {
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    say(store, vec![turn.clone(), user_turn("2", "2026-03-04T11:00:00Z", "cake")]).await;
    let statement = statement(&me(), &turn, "Ann likes tea.");
    let ids = [turn.id.clone(), statement.id.clone(), MemoryId::summary(&me(), period("2026-03-04"))];
    extract(store, &[&turn], vec![statement], Vec::new()).await;
    roll_up_all(store, By::Quoting).await;
    ids
}

fn times(times: u64) -> Access {
    Access { times, last: now() }
}

async fn count(store: &dyn Store, id: &MemoryId, access: Access) {
    store.add_accesses(&me(), &[(id.clone(), access)]).await.unwrap();
}

async fn counts(store: &dyn Store, ids: &[MemoryId]) -> Vec<Option<Access>> {
    store.recall(&me(), ids).await.unwrap().into_iter().map(|(_, access)| access).collect()
}

async fn recorded_reads_are_listed_as_recalled(store: &dyn Store) {
    let [turn, statement, day] = one_of_each(store).await;
    let ids = [day.clone(), MemoryId::from_text("t-none"), turn.clone(), statement];
    count(store, &turn, times(2)).await;
    let recalled = store.recall(&me(), &ids).await.unwrap();
    let (memories, counts): (Vec<_>, Vec<_>) = recalled.into_iter().unzip();
    assert_eq!(memories, store.get(&me(), &ids).await.unwrap());
    assert_eq!(counts, [None, Some(times(2)), None]);
    assert_eq!(store.recall(&me(), &[]).await.unwrap(), []);
    assert_eq!(store.recall(&agent("nobody"), &ids).await.unwrap(), []);
}

async fn counts_add_up_and_last_time_is_newest(store: &dyn Store) {
    let ids = one_of_each(store).await;
    let early = at("2026-06-01T00:00:00.000001Z");
    let accesses: Vec<_> = ids.iter().map(|id| (id.clone(), Access { times: 1, last: later() })).collect();
    store.add_accesses(&me(), &accesses).await.unwrap();
    count(store, &ids[0], Access { times: 3, last: early }).await;
    store.add_accesses(&me(), &[(ids[1].clone(), times(1)), (ids[1].clone(), times(1))]).await.unwrap();
    let once = Access { times: 1, last: later() };
    let expected = [Access { times: 4, ..once }, Access { times: 3, ..once }, once];
    assert_eq!(counts(store, &ids).await, expected.map(Some));
}

async fn count_saturates_at_maximum(store: &dyn Store) {
    let [turn, ..] = one_of_each(store).await;
    for _ in 0..3 {
        count(store, &turn, times(u64::MAX / 2)).await;
    }
    let times_counted = counts(store, &[turn]).await[0].unwrap().times;
    assert!(times_counted >= u64::MAX / 2, "{times_counted}");
}

async fn missing_memory_is_not_counted(store: &dyn Store) {
    let gone = [MemoryId::from_text("t-none"), MemoryId::from_text("x"), MemoryId::summary(&me(), period("2026-W10"))];
    for id in &gone {
        count(store, id, times(1)).await;
    }
    assert_eq!(store.all_agents().await.unwrap(), []);
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    count(store, &turn.id, times(1)).await;
    say(store, vec![turn.clone()]).await;
    assert_eq!(counts(store, &[turn.id]).await, [None]);
}

async fn counting_changes_nothing_else(store: &dyn Store) {
    let ids = one_of_each(store).await;
    let before = say(store, vec![user_turn("3", "2026-03-05T10:00:00Z", "rye")]).await.seq;
    let (ledger, memories) = (store.ledger(&me()).await.unwrap(), store.get(&me(), &ids).await.unwrap());
    for id in &ids {
        count(store, id, times(5)).await;
    }
    assert_eq!(store.ledger(&me()).await.unwrap(), ledger);
    assert_eq!(store.get(&me(), &ids).await.unwrap(), memories);
    assert_eq!(dirty(store).await, ["2026-03-05"]);
    let after = say(store, vec![user_turn("4", "2026-03-05T11:00:00Z", "ham")]).await.seq;
    assert_eq!(after, before + 1, "no number was taken");
}

async fn agents_do_not_share_counts(store: &dyn Store) {
    let [turn, ..] = one_of_each(store).await;
    store.add_accesses(&agent("other"), &[(turn.clone(), times(1))]).await.unwrap();
    assert_eq!(counts(store, &[turn]).await, [None]);
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
}

async fn revised_turn_keeps_its_count(store: &dyn Store) {
    let [turn, ..] = one_of_each(store).await;
    count(store, &turn, times(2)).await;
    let revised = vec![user_turn("1", "2026-03-04T10:00:00Z", "coffee")];
    store.ingest(&me(), revised, OnConflict::Revise, later()).await.unwrap();
    assert_eq!(counts(store, &[turn]).await, [Some(times(2))]);
}

/// An erasure leaves no count: a memory that was forgotten and is stored again starts without one.
async fn forgetting_removes_counts(store: &dyn Store) {
    let ids = one_of_each(store).await;
    for id in &ids {
        count(store, id, times(2)).await;
    }
    let first = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    store.erase(&me(), &Target::Memories(vec![first.id.clone()]), now()).await.unwrap();
    for id in &ids {
        // The access was before the erasure, but it is counted only now.
        count(store, id, times(1)).await;
    }
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    let message = [(first.key.clone(), first.message.digest())];
    store.unforget(&me(), &message).await.unwrap();
    assert_eq!(one_of_each(store).await, ids);
    assert_eq!(counts(store, &ids).await, [None, None, None]);
}

async fn pruning_removes_counts(store: &dyn Store) {
    let [turn, statement, day] = one_of_each(store).await;
    let ids = [turn, statement, day];
    for id in &ids {
        count(store, id, times(2)).await;
    }
    seal(store, "2026-03-04").await;
    assert_eq!(counts(store, &ids).await, [Some(times(2))], "the summary is left");
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    let late = vec![user_turn("1", "2026-03-04T10:00:00Z", "green tea")];
    store.ingest(&me(), late, OnConflict::Revise, later()).await.unwrap();
    assert_eq!(counts(store, &ids).await, [None, Some(times(2))]);
}

async fn forgetting_the_agent_removes_counts(store: &dyn Store) {
    let ids = one_of_each(store).await;
    count(store, &ids[2], times(2)).await;
    store.erase(&me(), &Target::Agent, now()).await.unwrap();
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    assert_eq!(store.all_agents().await.unwrap(), []);
}
