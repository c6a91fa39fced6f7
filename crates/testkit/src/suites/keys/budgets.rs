//! Cases about the tokens of keys: what counts against a limit, what is booked, and what stays.

use std::collections::BTreeMap;

use annals_core::ports::{
    BatchAnswer, BatchState, BatchedRequest, Key, ModelBatch, RequestState, Settlement, Target, TokenRequest, TokenSums,
};
use annals_core::{Agent, CacheTokens, Digest, Error, ObjectKind, Purpose, Reply, Result, Timestamp};
use futures::future::join_all;

use super::super::Store;
use super::super::catalog::{later, me, now};
use super::{add, key};
use crate::{agent, period};

const MANY: TokenSums = TokenSums { agent: 1_000_000, workspace: 1_000_000, process: 1_000_000 };

async fn limited(store: &dyn Store, id: &str, daily_tokens: Option<u64>) {
    add(store, &Key { daily_tokens, ..key(id) }).await;
}

fn request(id: Option<&str>, purpose: Purpose, tokens: u64) -> TokenRequest {
    TokenRequest { purpose, tokens, limits: MANY, access_key: id.map(str::to_owned) }
}

async fn reserve(store: &dyn Store, id: &str, tokens: u64, now: Timestamp) -> Result<u64> {
    store.reserve(&me(), &request(Some(id), Purpose::Rerank, tokens), now).await
}

/// Fails unless the limit of a key refuses these tokens, and their absence does not.
#[track_caller]
fn is_refused(result: &Result<u64>, expect: u64) {
    assert!(matches!(result, Err(Error::Budget { limit, of_key: true, .. }) if *limit == expect), "{result:?}");
}

fn reply(id: Option<&str>, reservation: Option<u64>, tokens_in: u64) -> Reply {
    Reply {
        key: Digest::of(["q"]),
        purpose: Purpose::Rerank,
        model: "m".into(),
        text: String::new(),
        tokens_in,
        cache: CacheTokens::default(),
        tokens_out: 1,
        read_seq: 1_000,
        reservation,
        access_key: id.map(str::to_owned),
    }
}

async fn booked(store: &dyn Store, now: Timestamp) -> Vec<(String, u64)> {
    store.tokens_of_keys(now).await.unwrap().into_iter().collect()
}

pub(super) async fn limit_covers_all_purposes_and_agents_of_a_day(store: &dyn Store) {
    limited(store, "a", Some(100)).await;
    limited(store, "b", Some(100)).await;
    let elsewhere = Agent::in_workspace("elsewhere", "me").unwrap();
    for (agent, purpose) in
        [(me(), Purpose::Rerank), (agent("other"), Purpose::Extraction), (elsewhere, Purpose::Daily)]
    {
        store.reserve(&agent, &request(Some("a"), purpose, 30), now()).await.unwrap();
    }
    is_refused(&reserve(store, "a", 11, now()).await, 100);
    reserve(store, "a", 10, now()).await.unwrap();
    is_refused(&reserve(store, "a", 1, now()).await, 100);
    reserve(store, "b", 100, now()).await.unwrap();
    store.reserve(&me(), &request(None, Purpose::Rerank, 100), now()).await.unwrap();
    reserve(store, "a", 100, later()).await.unwrap();
    // The agent's own limit comes first: if it is spent, the request of no key can be answered.
    let limits = TokenSums { agent: 0, ..MANY };
    let both = store.reserve(&me(), &TokenRequest { limits, ..request(Some("a"), Purpose::Rerank, 1) }, now()).await;
    assert!(matches!(both, Err(Error::Budget { limit: 0, of_key: false, .. })), "{both:?}");
}

pub(super) async fn key_without_a_limit_is_refused_nothing(store: &dyn Store) {
    limited(store, "a", None).await;
    reserve(store, "a", 900_000, now()).await.unwrap();
    store.charge(&me(), reply(Some("a"), None, 10), now()).await.unwrap();
    assert_eq!(booked(store, now()).await, [("a".to_owned(), 11)]);
}

pub(super) async fn changed_limit_holds_at_once(store: &dyn Store) {
    limited(store, "a", Some(0)).await;
    is_refused(&reserve(store, "a", 1, now()).await, 0);
    store.set_daily_tokens("a", Some(50)).await.unwrap();
    reserve(store, "a", 50, now()).await.unwrap();
    is_refused(&reserve(store, "a", 1, now()).await, 50);
    store.set_daily_tokens("a", None).await.unwrap();
    reserve(store, "a", 1, now()).await.unwrap();
}

pub(super) async fn key_pays_what_was_booked_and_not_what_was_released(store: &dyn Store) {
    limited(store, "a", Some(100)).await;
    let (first, second) =
        (reserve(store, "a", 60, now()).await.unwrap(), reserve(store, "a", 40, now()).await.unwrap());
    assert_eq!(booked(store, now()).await, []);
    store.release(&me(), second).await.unwrap();
    store.charge(&me(), reply(Some("a"), Some(first), 19), now()).await.unwrap();
    store.save_reply(&me(), reply(Some("a"), None, 9), now()).await.unwrap();
    // What no key pays for is booked to the agent alone.
    store.charge(&me(), reply(None, None, 500), now()).await.unwrap();
    assert_eq!(booked(store, now()).await, [("a".to_owned(), 30)]);
    is_refused(&reserve(store, "a", 71, now()).await, 100);
    reserve(store, "a", 70, now()).await.unwrap();
    assert_eq!(store.usage(&me(), now()).await.unwrap()[0].tokens_in, 528, "the agent pays all");
    assert_eq!(booked(store, later()).await, []);
    store.charge(&me(), reply(Some("a"), None, 4), later()).await.unwrap();
    assert_eq!((booked(store, later()).await[0].1, booked(store, now()).await[0].1), (5, 30));
}

pub(super) async fn calls_at_the_same_time_share_the_limit(store: &dyn Store) {
    limited(store, "a", Some(100)).await;
    let agents: Vec<Agent> = (0..20).map(|number| agent(&format!("a{number}"))).collect();
    let asks = request(Some("a"), Purpose::Rerank, 30);
    let results = join_all(agents.iter().map(|agent| store.reserve(agent, &asks, now()))).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 3);
    results.iter().filter(|result| result.is_err()).for_each(|result| is_refused(result, 100));
}

pub(super) async fn unknown_key_is_refused(store: &dyn Store) {
    let refused = reserve(store, "none", 1, now()).await;
    assert!(matches!(refused, Err(Error::NotFound { what: ObjectKind::Key, .. })), "{refused:?}");
}

pub(super) async fn outstanding_batches_count_and_are_booked(store: &dyn Store) {
    limited(store, "a", Some(100)).await;
    let reservation = Some(reserve(store, "a", 60, now()).await.unwrap());
    let asked = BatchedRequest {
        agent: me(),
        period: period("2026-03-02"),
        key: Digest::of(["q"]),
        purpose: Purpose::Daily,
        read_seq: 1,
        tokens: 60,
        reservation,
        access_key: Some("a".into()),
    };
    let batch = ModelBatch {
        id: "b".into(),
        base_url: "https://provider/v1".into(),
        model: "m".into(),
        remote: None,
        state: BatchState::Prepared,
        at: now(),
        requests: 2,
        done: 0,
        reads: 0,
        failure: None,
    };
    let lost = BatchedRequest { tokens: 30, reservation: None, ..asked.clone() };
    store.begin_batch(batch, vec![asked, lost]).await.unwrap();
    for day in [now(), later()] {
        is_refused(&reserve(store, "a", 11, day).await, 100);
    }
    let answer = BatchAnswer { tokens_in: 20, tokens_out: 5, ..BatchAnswer::default() };
    store.settle("b", vec![(0, Settlement::Answered(answer))], later()).await.unwrap();
    store.end_batch("b", RequestState::Lost).await.unwrap();
    assert_eq!(booked(store, later()).await, [("a".to_owned(), 25)]);
    is_refused(&reserve(store, "a", 76, later()).await, 100);
    reserve(store, "a", 75, later()).await.unwrap();
    reserve(store, "a", 100, now()).await.unwrap();
}

/// Otherwise the holder of a key could spend without limit by deleting agents.
pub(super) async fn erased_agents_leave_the_bookings_of_keys(store: &dyn Store) {
    limited(store, "a", Some(100)).await;
    store.charge(&me(), reply(Some("a"), None, 49), now()).await.unwrap();
    let open = reserve(store, "a", 20, now()).await.unwrap();
    store.erase(&me(), &Target::Agent, now()).await.unwrap();
    is_refused(&reserve(store, "a", 31, now()).await, 100);
    store.charge(&me(), reply(Some("a"), Some(open), 9), now()).await.unwrap();
    store.revoke_key("a", now()).await.unwrap();
    assert_eq!(store.tokens_of_keys(now()).await.unwrap(), BTreeMap::from([("a".to_owned(), 60)]));
    is_refused(&reserve(store, "a", 41, now()).await, 100);
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}
