//! Conformance suite of port `Batches`.

use annals_core::ports::{
    BATCH_MEMORY, BatchAnswer, BatchState, BatchedRequest, ModelBatch, OnConflict, RequestState, Settlement, Target,
    TokenRequest, TokenSums,
};
use annals_core::{Agent, Digest, Error, Purpose, SignedDuration};

use super::catalog::{later, me, now};
use super::{Store, SuiteTest, cases, run};
use crate::{at, period, turn};

/// Runs every case, each on a new empty store from `make`.
pub async fn batches_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        batch_is_kept_until_it_ends,
        failure_is_kept_after_the_end,
        answers_are_saved_and_booked_once,
        useless_answer_is_booked_and_not_kept,
        unknown_requests_and_batches_are_left_alone,
        end_settles_what_is_left,
        outstanding_tokens_count_against_the_budget,
        beginning_ends_reservations,
        ended_batches_are_forgotten_after_a_month,
        erasure_releases_the_period_and_refuses_the_answer,
        requests_are_void_if_their_input_was_erased_before,
        erasure_of_a_message_keeps_answers_of_other_periods,
        erased_agent_still_pays_for_its_requests,
    ];
    run("batches", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

fn batch(id: &str) -> ModelBatch {
    ModelBatch {
        id: id.into(),
        base_url: "http://provider/v1".into(),
        model: "m".into(),
        remote: None,
        state: BatchState::Prepared,
        at: now(),
        requests: 2,
        done: 0,
        reads: 0,
        failure: None,
    }
}

fn request(question: &str, label: &str) -> BatchedRequest {
    BatchedRequest {
        agent: me(),
        period: period(label),
        key: Digest::of([question]),
        purpose: Purpose::Daily,
        read_seq: 1_000,
        tokens: 100,
        reservation: None,
        access_key: None,
    }
}

fn answer(text: &str) -> BatchAnswer {
    BatchAnswer { text: text.into(), tokens_in: 10, tokens_out: 3, ..BatchAnswer::default() }
}

/// Begins a batch with the requests `q` for 2 March and `r` for 1 March.
async fn begin(store: &dyn Store, id: &str) {
    store.begin_batch(batch(id), vec![request("q", "2026-03-02"), request("r", "2026-03-01")]).await.unwrap();
}

async fn state_of(store: &dyn Store, label: &str) -> Vec<RequestState> {
    store.batched(&me(), period(label)).await.unwrap().into_iter().map(|(_, state)| state).collect()
}

async fn batch_is_kept_until_it_ends(store: &dyn Store) {
    assert_eq!(store.open_batches().await.unwrap(), []);
    begin(store, "b").await;
    store.begin_batch(ModelBatch { at: later(), ..batch("a") }, Vec::new()).await.unwrap();
    let sent = ModelBatch {
        remote: Some("remote".into()),
        state: BatchState::Sent,
        at: now() + SignedDuration::from_secs(1),
        done: 1,
        reads: 2,
        ..batch("b")
    };
    store.save_batch(&sent).await.unwrap();
    store.save_batch(&batch("unknown")).await.unwrap();
    assert_eq!(store.open_batches().await.unwrap(), [sent, ModelBatch { at: later(), ..batch("a") }]);
    assert_eq!(store.in_batch(&me()).await.unwrap(), ["2026-03-01", "2026-03-02"].map(period));
    let of_period = store.batched(&me(), period("2026-03-02")).await.unwrap();
    assert_eq!(of_period, [(Digest::of(["q"]), RequestState::Open)]);
    store.end_batch("b", RequestState::Lost).await.unwrap();
    assert_eq!(store.open_batches().await.unwrap().len(), 1);
}

async fn failure_is_kept_after_the_end(store: &dyn Store) {
    let ids = async |since| -> Vec<String> {
        store.failed_batches(since).await.unwrap().into_iter().map(|batch| batch.id).collect()
    };
    begin(store, "well").await;
    let failed = ModelBatch { failure: Some("status 403".into()), at: later(), ..batch("failed") };
    store.begin_batch(ModelBatch { failure: None, ..failed.clone() }, Vec::new()).await.unwrap();
    store.save_batch(&failed).await.unwrap();
    assert_eq!(store.open_batches().await.unwrap()[1], failed);
    assert_eq!(ids(now()).await, [""; 0]);
    store.end_batch("well", RequestState::Answered).await.unwrap();
    store.end_batch("failed", RequestState::Unsent).await.unwrap();
    assert_eq!(ids(now()).await, ["failed"]);
    assert_eq!(ids(later()).await, ["failed"]);
    assert_eq!(ids(later() + SignedDuration::from_secs(1)).await, [""; 0]);
    let ended = ModelBatch { state: BatchState::Ended, ..failed };
    assert_eq!(store.failed_batches(now()).await.unwrap(), [ended]);
}

async fn answers_are_saved_and_booked_once(store: &dyn Store) {
    begin(store, "b").await;
    for expect in [1, 0] {
        let settlements = vec![(0, Settlement::Answered(answer("tea"))), (0, Settlement::Answered(answer("other")))];
        assert_eq!(store.settle("b", settlements, now()).await.unwrap(), expect);
    }
    assert_eq!(store.reply(&me(), &Digest::of(["q"])).await.unwrap().as_deref(), Some("tea"));
    assert_eq!(store.in_batch(&me()).await.unwrap(), [period("2026-03-01")]);
    assert_eq!(state_of(store, "2026-03-02").await, [RequestState::Answered]);
    let usage = store.usage(&me(), now()).await.unwrap();
    assert_eq!((usage.len(), usage[0].calls, usage[0].tokens_in, usage[0].tokens_out), (1, 1, 10, 3));
    assert!(usage[0].batch && usage[0].model == "m" && usage[0].purpose == Purpose::Daily);
    let single = request("q", "2026-03-02").reply("m", &answer("tea"));
    store.save_reply(&me(), single, now()).await.unwrap();
    let usage = store.usage(&me(), now()).await.unwrap();
    assert_eq!(usage.iter().map(|usage| (usage.batch, usage.calls)).collect::<Vec<_>>(), [(false, 1), (true, 1)]);
}

async fn useless_answer_is_booked_and_not_kept(store: &dyn Store) {
    begin(store, "b").await;
    let settlements = vec![(0, Settlement::Useless(answer("cut o"))), (1, Settlement::Failed)];
    assert_eq!(store.settle("b", settlements, now()).await.unwrap(), 2);
    assert_eq!(store.reply(&me(), &Digest::of(["q"])).await.unwrap(), None);
    assert_eq!(store.usage(&me(), now()).await.unwrap()[0].calls, 1);
    assert_eq!(state_of(store, "2026-03-02").await, [RequestState::Failed]);
    assert_eq!(state_of(store, "2026-03-01").await, [RequestState::Failed]);
}

async fn unknown_requests_and_batches_are_left_alone(store: &dyn Store) {
    begin(store, "b").await;
    assert_eq!(
        store.settle("b", vec![(2, Settlement::Failed), (u64::MAX, Settlement::Failed)], now()).await.unwrap(),
        0
    );
    assert_eq!(store.settle("none", vec![(0, Settlement::Failed)], now()).await.unwrap(), 0);
    assert_eq!(store.end_batch("none", RequestState::Lost).await.unwrap(), 0);
    assert_eq!(store.in_batch(&me()).await.unwrap().len(), 2);
    assert_eq!(store.usage(&me(), now()).await.unwrap(), []);
}

async fn end_settles_what_is_left(store: &dyn Store) {
    begin(store, "b").await;
    store.settle("b", vec![(0, Settlement::Expired)], now()).await.unwrap();
    assert_eq!(store.end_batch("b", RequestState::Unsent).await.unwrap(), 1);
    assert_eq!(state_of(store, "2026-03-02").await, [RequestState::Lost]);
    assert_eq!(state_of(store, "2026-03-01").await, [RequestState::Unsent]);
    assert_eq!(store.in_batch(&me()).await.unwrap(), []);
    let late = vec![(1, Settlement::Answered(answer("late")))];
    assert_eq!(store.settle("b", late, now()).await.unwrap(), 0);
}

async fn outstanding_tokens_count_against_the_budget(store: &dyn Store) {
    begin(store, "b").await;
    let asks = |purpose, tokens, limit| TokenRequest {
        purpose,
        tokens,
        limits: TokenSums { agent: limit, workspace: limit, process: limit },
        access_key: None,
    };
    let tomorrow = now() + SignedDuration::from_hours(24);
    for time in [now(), tomorrow] {
        let refused = store.reserve(&me(), &asks(Purpose::Daily, 1, 200), time).await;
        assert!(matches!(refused, Err(Error::Budget { limit: 200, .. })), "{refused:?}");
        store.reserve(&me(), &asks(Purpose::Rerank, 200, 200), time).await.unwrap();
    }
    store.end_batch("b", RequestState::Lost).await.unwrap();
    store.reserve(&me(), &asks(Purpose::Daily, 200, 200), now()).await.unwrap();
}

async fn beginning_ends_reservations(store: &dyn Store) {
    let limits = TokenSums { agent: 100, workspace: 100, process: 100 };
    let asks = TokenRequest { purpose: Purpose::Daily, tokens: 100, limits, access_key: None };
    let reservation = store.reserve(&me(), &asks, now()).await.unwrap();
    let held = BatchedRequest { reservation: Some(reservation), tokens: 40, ..request("q", "2026-03-02") };
    store.begin_batch(batch("b"), vec![held]).await.unwrap();
    store.reserve(&me(), &TokenRequest { tokens: 60, ..asks }, now()).await.unwrap();
}

async fn ended_batches_are_forgotten_after_a_month(store: &dyn Store) {
    begin(store, "old").await;
    store.begin_batch(batch("open"), vec![request("s", "2026-03-03")]).await.unwrap();
    store.end_batch("old", RequestState::Lost).await.unwrap();
    let next = now() + BATCH_MEMORY + SignedDuration::from_secs(1);
    store.begin_batch(ModelBatch { at: next, ..batch("new") }, Vec::new()).await.unwrap();
    assert_eq!(state_of(store, "2026-03-02").await, []);
    assert_eq!(state_of(store, "2026-03-03").await, [RequestState::Open]);
}

async fn erasure_releases_the_period_and_refuses_the_answer(store: &dyn Store) {
    let message = turn(&me(), "2026-03-02T09:00:00Z", "a secret");
    let id = annals_core::MemoryId::turn(&me(), &message.key);
    let seq = store.ingest(&me(), vec![message], OnConflict::Refuse, now()).await.unwrap().seq;
    let read = BatchedRequest { read_seq: seq, ..request("q", "2026-03-02") };
    store.begin_batch(batch("b"), vec![read]).await.unwrap();
    store.erase(&me(), &Target::Memories(vec![id]), now()).await.unwrap();
    assert_eq!(store.in_batch(&me()).await.unwrap(), []);
    assert_eq!(state_of(store, "2026-03-02").await, [RequestState::Void]);
    assert_eq!(store.settle("b", vec![(0, Settlement::Answered(answer("a secret")))], now()).await.unwrap(), 1);
    assert_eq!(store.reply(&me(), &Digest::of(["q"])).await.unwrap(), None);
    assert_eq!(store.usage(&me(), at("2026-01-01T00:00:00Z")).await.unwrap()[0].calls, 1);
}

async fn requests_are_void_if_their_input_was_erased_before(store: &dyn Store) {
    let message = turn(&me(), "2026-03-02T09:00:00Z", "a secret");
    let id = annals_core::MemoryId::turn(&me(), &message.key);
    let seq = store.ingest(&me(), vec![message], OnConflict::Refuse, now()).await.unwrap().seq;
    store.erase(&me(), &Target::Memories(vec![id]), now()).await.unwrap();
    let before = BatchedRequest { read_seq: seq, ..request("q", "2026-03-02") };
    let after = request("r", "2026-03-01");
    store.begin_batch(batch("b"), vec![before, after]).await.unwrap();
    assert_eq!(store.in_batch(&me()).await.unwrap(), [period("2026-03-01")]);
    assert_eq!(state_of(store, "2026-03-02").await, [RequestState::Void]);
}

async fn erasure_of_a_message_keeps_answers_of_other_periods(store: &dyn Store) {
    let labels = ["2026-02-27", "2026-03-04", "2026-W10", "2026-W11", "2026-03", "2026-04", "2026"];
    let expect = [true, true, false, true, false, true, false];
    let message = turn(&me(), "2026-03-02T09:00:00Z", "a secret");
    let id = annals_core::MemoryId::turn(&me(), &message.key);
    store.ingest(&me(), vec![message], OnConflict::Refuse, now()).await.unwrap();
    let requests = labels.iter().map(|label| request(label, label)).chain([request("q", "2026-03-02")]).collect();
    store.begin_batch(batch("b"), requests).await.unwrap();
    store.erase(&me(), &Target::Memories(vec![id]), now()).await.unwrap();
    assert_eq!(state_of(store, "2026-03-02").await, [RequestState::Void]);
    let all = (0..8).map(|number| (number, Settlement::Answered(answer("an answer")))).collect();
    assert_eq!(store.settle("b", all, now()).await.unwrap(), 8);
    for (label, is_kept) in labels.into_iter().zip(expect) {
        assert_eq!(store.reply(&me(), &Digest::of([label])).await.unwrap().is_some(), is_kept, "{label}");
    }
    assert_eq!(store.reply(&me(), &Digest::of(["q"])).await.unwrap(), None);
}

async fn erased_agent_still_pays_for_its_requests(store: &dyn Store) {
    begin(store, "b").await;
    store.erase(&me(), &Target::Agent, now()).await.unwrap();
    assert_eq!((state_of(store, "2026-03-02").await, store.in_batch(&me()).await.unwrap()), (Vec::new(), Vec::new()));
    let limits = TokenSums { agent: 1_000, workspace: 200, process: 1_000 };
    let asks = TokenRequest { purpose: Purpose::Daily, tokens: 1, limits, access_key: None };
    let refused = store.reserve(&me(), &asks, now()).await;
    assert!(matches!(refused, Err(Error::Budget { limit: 200, .. })), "{refused:?}");
    assert_eq!(store.settle("b", vec![(0, Settlement::Answered(answer("tea")))], now()).await.unwrap(), 1);
    let erased = Agent::erased(me().workspace()).unwrap();
    let usage = store.usage(&erased, now()).await.unwrap();
    assert_eq!((usage.len(), usage[0].calls, usage[0].tokens_in, usage[0].batch), (1, 1, 10, true));
    for agent in [me(), erased] {
        assert_eq!(store.reply(&agent, &Digest::of(["q"])).await.unwrap(), None);
        assert_eq!(store.reply(&agent, &Digest([0; 32])).await.unwrap(), None);
    }
    assert_eq!(store.usage(&me(), now()).await.unwrap(), []);
    assert_eq!(store.all_agents().await.unwrap(), []);
}
