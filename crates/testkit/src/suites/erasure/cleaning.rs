//! Agents that must still be cleaned after an erasure.

use annals_core::Agent;
use annals_core::ports::Target;

use super::erase;
use crate::agent;
use crate::suites::Store;
use crate::suites::catalog::{me, now, say, user_turn};

async fn cleaning_due(store: &dyn Store) -> Vec<Agent> {
    let pending = store.pending_cleanings().await.unwrap();
    assert!(pending.is_sorted_by_key(|(_, erasure)| *erasure), "{pending:?}");
    pending.into_iter().map(|(agent, _)| agent).collect()
}

async fn number(store: &dyn Store, agent: &Agent) -> u64 {
    let pending = store.pending_cleanings().await.unwrap();
    pending.into_iter().find(|(of, _)| of == agent).unwrap().1
}

pub(super) async fn cleaning_is_due_from_erasure_until_done(store: &dyn Store) {
    say(store, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-03-04T11:00:00Z", "cake")])
        .await;
    let target = Target::Memories(vec![user_turn("1", "2026-03-04T10:00:00Z", "tea").id]);
    store.preview(&me(), &target).await.unwrap();
    assert_eq!(cleaning_due(store).await, [], "a dry run erases nothing");
    erase(store, target).await;
    assert_eq!(cleaning_due(store).await, [me()]);
    store.scrub().await.unwrap();
    assert_eq!(cleaning_due(store).await, [me()], "the catalog is not all there is");
    store.cleaned(&me(), number(store, &me()).await).await.unwrap();
    assert_eq!(cleaning_due(store).await, []);
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
}

pub(super) async fn erased_agent_still_has_cleaning_due(store: &dyn Store) {
    say(store, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    erase(store, Target::Agent).await;
    assert_eq!((store.all_agents().await.unwrap(), cleaning_due(store).await), (Vec::new(), vec![me()]));
    say(store, vec![user_turn("2", "2026-03-04T10:00:00Z", "cake")]).await;
    assert_eq!(cleaning_due(store).await, [me()], "nor does beginning anew clean anything");
    store.cleaned(&me(), number(store, &me()).await).await.unwrap();
    assert_eq!(cleaning_due(store).await, []);
}

pub(super) async fn cleaning_of_an_earlier_erasure_does_not_end_a_later_one(store: &dyn Store) {
    say(store, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    let mut numbers = Vec::new();
    for _ in 0..3 {
        erase(store, Target::Conversation("talk".into())).await;
        numbers.push(number(store, &me()).await);
    }
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    store.cleaned(&me(), numbers[1]).await.unwrap();
    assert_eq!(cleaning_due(store).await, [me()]);
    store.cleaned(&me(), numbers[2]).await.unwrap();
    store.cleaned(&me(), numbers[2]).await.unwrap();
    assert_eq!(cleaning_due(store).await, []);
    erase(store, Target::Agent).await;
    assert!(number(store, &me()).await > numbers[2], "no number is given twice");
}

pub(super) async fn cleaning_is_per_agent(store: &dyn Store) {
    let elsewhere = Agent::in_workspace("elsewhere", me().name()).unwrap();
    for agent in [&elsewhere, &agent("other"), &me()] {
        store.erase(agent, &Target::Agent, now()).await.unwrap();
    }
    assert_eq!(cleaning_due(store).await, [elsewhere.clone(), agent("other"), me()]);
    store.cleaned(&elsewhere, u64::MAX).await.unwrap();
    assert_eq!(cleaning_due(store).await, [agent("other"), me()]);
}
